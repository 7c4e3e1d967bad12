"""What a server's answers say: hits, and the segments that come with them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeGuard

import orjson

from sidelight.errors import MachineError
from sidelight.schemas.investigation.search import Hit, ranked
from sidelight.schemas.segment import Segment

if TYPE_CHECKING:
    from collections.abc import Mapping

# Under which keys collections keep their text, in the order looked for.
_TEXT = ("segment", "text", "contents", "body", "passage")
_NAMED = ("url", "title", "headings")
_OFFSETS = ("start_char", "end_char")
_MAX_ID = 256


def read_search(answer: Any, k: int, server: str) -> tuple[list[Hit], list[Segment]]:
    """Return the hits of an answer, ordered as by `ranked`, and the segments that it holds.

    Args:
        answer: What the server said.
        k: How many hits were asked for; more are left out.
        server: For messages.

    Raises:
        MachineError: It is no answer to a search, or a candidate has no sound id or score.
    """
    candidates = answer.get("candidates") if isinstance(answer, dict) else None
    if not isinstance(candidates, list):
        raise _misfit(server, "a list of candidates", answer)
    scores: dict[str, float] = {}
    segments = []
    for candidate in candidates[:k]:
        fields: dict[str, Any] = candidate if isinstance(candidate, dict) else {}
        segment_id, score = fields.get("docid"), fields.get("score")
        if not is_id(segment_id) or not _is_score(score):
            raise _misfit(server, "a candidate with docid and score", candidate)
        scores.setdefault(segment_id, float(score))
        segment = read_segment(segment_id, fields.get("doc"))
        if segment is not None:
            segments.append(segment)
    return ranked([Hit(name, score) for name, score in scores.items()]), segments


def read_document(segment_id: str, answer: Any, server: str) -> Segment:
    """Return the segment of an answer to a request for one.

    Raises:
        MachineError: The answer holds no text.
    """
    found = read_segment(segment_id, answer.get("doc") if isinstance(answer, dict) else None)
    if found is None:
        raise _misfit(server, f"the text of {segment_id!r}", answer)
    return found


def read_segment(segment_id: str, document: Any) -> Segment | None:
    """Return a document as a segment, or None where it has no text.

    Servers give a document as an object, as the text of one in JSON, or as plain text.
    """
    if isinstance(document, str):
        parsed = _object_in(document)
        if parsed is None:
            return Segment(segment_id=segment_id, text=document) if document.strip() else None
        document = parsed
    if not isinstance(document, dict):
        return None
    text = next((document[key] for key in _TEXT if isinstance(document.get(key), str)), "")
    if not text.strip():
        return None
    return Segment(
        segment_id=segment_id,
        text=text,
        **{key: _text(document, key) for key in _NAMED},
        **{key: _offset(document, key) for key in _OFFSETS},
    )


def _object_in(text: str) -> dict[str, Any] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None


def _text(document: Mapping[str, Any], key: str) -> str:
    found = document.get(key)
    return found if isinstance(found, str) else ""


def _offset(document: Mapping[str, Any], key: str) -> int:
    found = document.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else 0


def is_id(value: object) -> TypeGuard[str]:
    """Tell whether something can be the id of a segment, and a part of an address."""
    return (
        isinstance(value, str)
        and 0 < len(value) <= _MAX_ID
        and value.isprintable()
        and not any(map(str.isspace, value))
        and value not in {".", ".."}
    )


def _is_score(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _misfit(server: str, expected: str, found: object) -> MachineError:
    return MachineError(
        f"{server}: expected {expected}; found {str(found)[:100]!r}",
        remedy="Give the address of an Anserini or Pyserini REST server.",
    )
