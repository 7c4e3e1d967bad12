"""Plain YAML from outside: what a text may hold is bounded, and an error names its line.

Settings, tracks and prompts are written in it. References to lists and mappings make 700 bytes
stand for billions of values, or a list hold itself; nesting without end exhausts the stack; some
numbers take seconds to read. All are refused, keys given twice, and keys such as `off` and `yes`,
which YAML takes for truth values.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from yaml.nodes import MappingNode, Node, ScalarNode

MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 40
_MAX_NUMBER = 40


def read_yaml(text: str) -> Any:
    """Return the value that a text of plain YAML stands for; all else raises YAMLError."""
    if len(text) > MAX_CHARACTERS:
        raise yaml.YAMLError(f"expected at most {MAX_CHARACTERS:,} characters; found {len(text):,}")
    try:
        return yaml.load(text, _Loader)  # noqa: S506 - a safe loader that takes less
    except yaml.reader.ReaderError as error:
        raise yaml.YAMLError(f"character {error.position + 1}: {error.reason}") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        if isinstance(error, yaml.scanner.ScannerError):  # what was begun there does not end
            mark = error.context_mark or mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        said = ", ".join(filter(None, (error.context, error.problem)))
        raise yaml.YAMLError(f"{where}{said}") from None
    except (ValueError, OverflowError) as error:  # a date or number that there is not
        raise yaml.YAMLError(str(error)) from error


_SURROGATE = re.compile("[\ud800-\udfff]")


_BOOL = "tag:yaml.org,2002:bool"


class _Loader(yaml.SafeLoader):
    """The safe loader without shared lists, deep nesting, long numbers, doubled keys, odd text."""

    depth = 0

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self._refused(f"at most {MAX_DEPTH} levels", "more", event)
        node: Node | None = super().compose_node(parent, index)
        self.depth -= 1
        if isinstance(event, yaml.AliasEvent) and not isinstance(node, yaml.ScalarNode):
            raise self._refused("a list or mapping", f"a reference *{event.anchor} to one", event)
        if isinstance(node, yaml.ScalarNode) and _SURROGATE.search(node.value):
            raise self._refused("text that UTF-8 can hold", f"{node.value!r}", event)
        return node

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002
        written: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in written:
                    raise self._refused("each key once", f"{key.value!r} again", key)
                if key.tag == _BOOL:
                    found_key = f"{key.value}, which YAML reads as true or false"
                    raise self._refused(f"text as a key, such as '{key.value}'", found_key, key)
                written.add(key.value)
        found: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return found

    def construct_number(self, node: ScalarNode) -> int | float:
        if len(node.value) > _MAX_NUMBER:
            raise self._refused("a number", f"one of {len(node.value)} characters", node)
        is_float = node.tag.endswith("float")
        number: float = (self.construct_yaml_float if is_float else self.construct_yaml_int)(node)
        return number

    @staticmethod
    def _refused(expected: str, found: str, place: Any) -> yaml.YAMLError:
        return yaml.MarkedYAMLError(
            problem=f"expected {expected}; found {found}", problem_mark=place.start_mark
        )


for _tag in ("int", "float"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_tag}", _Loader.construct_number)
