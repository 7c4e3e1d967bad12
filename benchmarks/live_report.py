"""What a live server was found to do: line by line, and whether it kept to schemas."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from typing import TYPE_CHECKING

import jsonschema

if TYPE_CHECKING:
    from sidelight.llm.base import JsonSchema

# Blanks that JSON allows between its parts are none of them.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


class Report:
    """What was looked at, line by line.

    Attributes:
        lines: For the file of results.
        failed: Whether anything was not as it should be.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.failed = False

    def check(self, name: str, found: object, *, ok: bool) -> None:
        """Say whether something is as it should be."""
        self.failed |= not ok
        self._add("ok" if ok else "FAILED", name, found)

    def note(self, name: str, found: object) -> None:
        """Say what something came to, which is neither right nor wrong."""
        self._add("", name, found)

    def _add(self, mark: str, name: str, found: object) -> None:
        self.lines.append(f"{mark:7}{name:28} {found}".rstrip())
        print(self.lines[-1], flush=True)


class Heard:
    """What a server answered where a schema was asked for."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.with_control = 0

    def take(self, schema: JsonSchema, text: str) -> None:
        """Hold a whole answer against its schema, control characters in its strings apart."""
        self.with_control += bool(_CONTROL.search(text))
        try:
            jsonschema.validate(json.loads(text, strict=False), schema.schema_)
        except (json.JSONDecodeError, jsonschema.ValidationError) as error:
            self.outcomes["broken"] += 1
            print(f"{schema.name}: {str(error)[:500]}", file=sys.stderr)
        else:
            self.outcomes["obeyed"] += 1

    def report(self, report: Report, name: str) -> None:
        """Say whether schemas were obeyed by all answers that came to their end."""
        counts = self.outcomes
        found = (
            f"{counts['obeyed']} answers fit, {counts['broken']} do not, {counts['cut']} cut short"
        )
        others = {kind: n for kind, n in counts.items() if kind not in {"obeyed", "broken", "cut"}}
        if others:
            found += f", others: {others}"
        if self.with_control:
            found += f"; {self.with_control} hold control characters, which JSON forbids"
        report.check(name, found, ok=counts["obeyed"] > 0 and not counts["broken"] and not others)
