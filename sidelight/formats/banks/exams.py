"""Banks of questions or nuggets, and queries, in the files of the RUBRIC workbench.

A bank is a line with `query_id`, `query_text` and `items`, each with `question_id` and
`question_text` or with `nugget_id` and `nugget_text`; older files call the items `questions`. All
other keys are kept. Queries are one JSON object, the text of each query by its id. A bank that was
drafted from passages keeps their ids in `info`: what they say is an item, whoever grades them.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, Field, ValidationError

from sidelight.errors import InputError
from sidelight.files import atomic_packer
from sidelight.formats.lines import COMPARE, Findings, decode_unique, read_bytes, stream_lines
from sidelight.formats.topics import read_queries
from sidelight.schemas.grading.rubric import ExamBank, ExamItem, ExamKind
from sidelight.text import quoted

_DRAFTED_FROM = "drafted_from"
_Id = Annotated[str, Field(min_length=1)]


class _ItemLine(BaseModel):
    question_id: _Id | None = None
    question_text: _Id | None = None
    nugget_id: _Id | None = None
    nugget_text: _Id | None = None

    def kind(self) -> ExamKind | None:
        if self.question_id and self.question_text:
            return "question"
        return "nugget" if self.nugget_id and self.nugget_text else None


class _BankLine(BaseModel):
    query_id: _Id
    facet_id: str | None = None
    query_text: str
    items: list[_ItemLine] = Field(validation_alias=AliasChoices("items", "questions", "nuggets"))


def read_exams(path: Path) -> tuple[ExamBank, ...]:
    """Read banks from a plain or `.gz` file, in its order; raise InputError if there is none.

    A query and subtopic may occur once in the file, and an item once in its bank.
    """
    findings = Findings(path)
    banks: dict[tuple[str, str], ExamBank] = {}
    for line, text in stream_lines(path):
        content = decode_unique(text, line, findings)
        if content is None:
            continue
        try:
            bank = _bank(_BankLine.model_validate(content, strict=True), content)
        except ValidationError as error:
            findings.invalid(error, line, "a bank of questions or nuggets")
            continue
        if bank is None:
            findings.error(
                "bank-items",
                line,
                expected="items that all have question_id and question_text, or all nugget_id and "
                "nugget_text",
                found="an item with other keys than the rest",
                remedy=COMPARE,
            )
        elif bank.key in banks:
            findings.error(
                "topic-duplicate",
                line,
                expected="one line for a query or subtopic",
                found=f"a second one for {'/'.join(filter(None, bank.key))}",
                remedy="Merge them with `sidelight bank merge`, from files of their own.",
            )
        else:
            banks[bank.key] = bank
    findings.raise_errors()
    if not banks:
        raise InputError(
            f"{path}: expected a bank of questions or nuggets; found no line",
            remedy="Make one with `sidelight bank draft`.",
        )
    return tuple(banks.values())


def write_exams(path: Path, banks: Iterable[ExamBank]) -> None:
    """Write banks so that the workbench reads them; a name that ends in `.gz` is packed."""
    with atomic_packer(path) as stream:
        for bank in banks:
            stream.write(json.dumps(_line(bank)) + "\n")


def _bank(line: _BankLine, content: dict[str, Any]) -> ExamBank | None:
    kinds = {item.kind() for item in line.items} or {"question"}
    kind = kinds.pop()
    if kind is None or kinds:
        return None
    objects = content[_items_key(content)]
    return ExamBank(
        topic_id=line.query_id,
        subtopic_id=line.facet_id or "",
        query_text=line.query_text,
        kind=kind,
        tests=tuple(
            ExamItem(
                item_id=getattr(item, f"{kind}_id"),
                text=getattr(item, f"{kind}_text"),
                source=source,
            )
            for item, source in zip(line.items, objects, strict=True)
        ),
        # The items themselves are kept once.
        source={key: [] if value is objects else value for key, value in content.items()},
    )


def _items_key(content: dict[str, Any]) -> str:
    return next((key for key in ("items", "questions", "nuggets") if key in content), "items")


def _new(bank: ExamBank) -> dict[str, Any]:
    return {
        "query_id": "",
        "facet_id": bank.subtopic_id or None,
        "test_collection": "",
        "query_text": "",
        "info": None,
    }


def _line(bank: ExamBank) -> dict[str, Any]:
    subtopic = bank.subtopic_id or None
    changed: dict[str, Any] = (
        {} if bank.source.get("facet_id") == subtopic else {"facet_id": subtopic}
    )
    return {
        **(bank.source or _new(bank)),
        **changed,
        "query_id": bank.topic_id,
        "query_text": bank.query_text,
        _items_key(bank.source): [_item(item, bank) for item in bank.tests],
    }


def drafted_from(bank: ExamBank, passage_ids: Iterable[str]) -> ExamBank:
    """Return a new bank that keeps the ids of the passages that it was drafted from."""
    info = {_DRAFTED_FROM: list(passage_ids)}
    return bank.model_copy(update={"source": {**_new(bank), "info": info}})


def passages_behind(bank: ExamBank) -> frozenset[str]:
    """Return the ids of the passages that a bank was drafted from; none where it does not say."""
    info = bank.source.get("info")
    named = info.get(_DRAFTED_FROM) if isinstance(info, dict) else None
    return frozenset(
        one for one in (named if isinstance(named, list) else ()) if isinstance(one, str)
    )


def _item(item: ExamItem, bank: ExamBank) -> dict[str, Any]:
    new = {"query_id": bank.topic_id, "facet_id": bank.subtopic_id or None, "info": None}
    return {
        **(item.source or new),
        f"{bank.kind}_id": item.item_id,
        f"{bank.kind}_text": item.text,
    }


def read_query_texts(path: Path) -> dict[str, str]:
    """Read the queries of a file, by id: one JSON object, or `id<TAB>text` lines."""
    content = read_bytes(path).removeprefix(BOM_UTF8)
    if not content.lstrip().startswith(b"{"):
        return {query.query_id: query.text for query in read_queries(path)}
    findings = Findings(path)
    queries = decode_unique(content.decode("utf-8", errors="replace"), None, findings) or {}
    for query_id, text in queries.items():
        if not (query_id.strip() and isinstance(text, str) and text.strip()):
            findings.error(
                "query",
                None,
                expected="the text of a query under its id",
                found=f"{quoted(text)} under {quoted(query_id)}",
                remedy="Give each query its words.",
            )
    findings.raise_errors()
    return queries
