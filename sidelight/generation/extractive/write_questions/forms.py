"""A question that could be asked, and how it writes names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sidelight.generation.reading.names import looks_like_place, looks_personal, strip_title

if TYPE_CHECKING:
    from sidelight.schemas.investigation.angle import Aspect

_TAKES_THE = re.compile(
    r"\b(?:Prize|Award|Medal|Fellowship|Scholarship|Grant|Institute|Foundation|Fund|Board|Council"
    r"|Centre|Center|Association|Society|Commission|Committee|Party|Union|Alliance|Network)$"
)


class Question(NamedTuple):
    """Something that could be asked.

    Attributes:
        texts: Its wordings; one of them is asked.
        aspect: The side of trustworthiness that it belongs to.
        weight: Expected importance on the rubric scale, 1 (nice) to 4 (have to know).
        angle_id: The angle of the investigation that looks into it; empty for none.
        is_generic: Whether it would fit any article on the subject.
    """

    texts: tuple[str, ...]
    aspect: Aspect
    weight: float
    angle_id: str = ""
    is_generic: bool = False


def plain(name: str) -> str:
    """Return a name without titles and article, in small letters."""
    return strip_title(name).casefold().removeprefix("the ")


def definite(name: str, body: str) -> str:
    """Return a name with "the" where the article mostly writes it so, or its form asks for it."""
    bare = looks_personal(name) or looks_like_place(name)
    if (bare and not _TAKES_THE.search(name)) or name.casefold().startswith("the "):
        return name
    uses = len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", body))
    written = len(re.findall(rf"\b[Tt]he\s+{re.escape(name)}(?!\w)", body))
    needs_it = " of " in name or _TAKES_THE.search(name)
    return f"the {name}" if 2 * written > uses or needs_it else name
