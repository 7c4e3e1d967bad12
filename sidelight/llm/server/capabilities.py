"""Capabilities of a model on a server: which parameters and schemas it takes.

No server lists them, so they are learned from refusals: a server that refuses a request says what
it objects to, in words of its own, and that is left out of every later request. An answer is
checked against the whole schema all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeAlias

import orjson
from pydantic import TypeAdapter, ValidationError

from sidelight.errors import FailedCallError, RefusedReplyError, ReplyError
from sidelight.files import atomic_write, make_folder, read_limited
from sidelight.llm.base import Message, Request
from sidelight.schemas.base import Value

FILE = "servers.json"

Parameter: TypeAlias = Literal["temperature", "top_p", "seed", "reasoning_effort"]
SchemaUse: TypeAlias = Literal["whole", "unbounded", "plain", "none"]

_PARAMETERS: tuple[Parameter, ...] = ("temperature", "top_p", "seed", "reasoning_effort")
_SCHEMA_USES: tuple[SchemaUse, ...] = ("whole", "unbounded", "plain", "none")
_SHOWN: dict[SchemaUse, str] = {
    "whole": "whole schemas",
    "unbounded": "schemas without bounds, which are checked here",
    "plain": "schemas of types alone; all else is checked here",
    "none": "no schemas: prompts show them, and answers are checked here",
}

# A value that a server finds too large or too small is the user's to change.
_OUT_OF_RANGE = re.compile(
    r"too (?:large|long|big|high|low|small)|context (?:length|size|window)|exceed|between"
    r"|must be|should be|at (?:most|least)|(?:less|greater) than|out of range|supported values"
    r"|valid values",
    re.IGNORECASE,
)
_NOT_BOTH = re.compile(r"\bboth\b|\bonly one\b", re.IGNORECASE)
_OF_SCHEMA = re.compile(
    r"schema|grammar|response_?format|structured.?output|json_object|\binvalid format\b"
    r"|too many states",
    re.IGNORECASE,
)
# Ollama names what it makes of `reasoning_effort`.
_THINKING = re.compile(r"\bthink(?:ing)?\b", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context[ _](?:length|size|window)|(?:prompt|input|request)\b.{0,40}\btoo (?:long|large)"
    r"|too many (?:input )?tokens|reduce the length|exceed_context",
    re.IGNORECASE,
)
_FILTERED = re.compile(
    r"content.?(?:filter|management|policy)|\bsafety\b|flagged|invalid_prompt", re.IGNORECASE
)

# The keys under which servers say what is wrong; others may repeat the prompt.
_SAYING = {"message", "msg", "detail", "details", "error", "errors", "param", "code", "type", "loc"}
_SAYING |= {"fieldViolations", "field", "description", "reason"}
_MOST_SAID = 50
_MAX_DEPTH = 10

_BOUNDS = {
    *("minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minProperties", "maxProperties", "default"),
}
_BEYOND_TYPES = {"title", "additionalProperties", "$defs", "$schema"}
_NAMED = {"properties", "$defs"}
_VALUES = {"enum", "const", "required"}


class Capabilities(Value):
    """What a model on a server takes.

    Attributes:
        length: Parameter with the length of the longest reply.
        refused: Parameters that are left out, in the order of the request's.
        schemas: What is sent of a schema: all of it; all but bounds; types alone, without
            references; or nothing, so that the prompt shows it.
        shows_schema: Whether the prompt shows the schema, beside what is sent of it: the server
            takes schemas and does not enforce them.
    """

    length: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    refused: tuple[Parameter, ...] = ()
    schemas: SchemaUse = "whole"
    shows_schema: bool = False

    def __str__(self) -> str:
        """Return what is taken, in words."""
        enforced = "; schemas are not enforced, so prompts show them" if self.shows_schema else ""
        without = f", without {', '.join(self.refused)}" if self.refused else ""
        return f"{self.length}{without}; {_SHOWN[self.schemas]}{enforced}"

    def body(self, request: Request) -> bytes:
        """Return a request as the server takes it."""
        body: dict[str, Any] = {"model": request.model}
        messages = request.messages
        if request.json_schema and (self.shows_schema or self.schemas == "none"):
            messages = (*messages[:-1], _with_schema(messages[-1], request.json_schema.schema_))
        body["messages"] = [message.model_dump() for message in messages]
        for name in _PARAMETERS:
            value = getattr(request, name)
            if value is not None and name not in self.refused:
                body[name] = value
        body[self.length] = request.max_tokens
        if request.json_schema is not None and self.schemas != "none":
            schema = reduced(request.json_schema.schema_, self.schemas)
            named = {"name": request.json_schema.name, "schema": schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        return orjson.dumps(body)

    def after_refusal(self, said: str, request: Request) -> Capabilities | None:
        """Return what is left once a server has refused a request; None if nothing was learned.

        `said` is what the server said, as `refusal` returns it.
        """
        if request.json_schema and self.schemas != "none" and _OF_SCHEMA.search(said):
            further = _SCHEMA_USES[_SCHEMA_USES.index(self.schemas) + 1]
            return self.model_copy(update={"schemas": further})
        if _OUT_OF_RANGE.search(said):
            return None
        sent = [one for one in _PARAMETERS if one not in self.refused]
        named = [one for one in sent if _names(said, one) and getattr(request, one) is not None]
        if {"temperature", "top_p"} <= {*named} and _NOT_BOTH.search(said):
            named = ["top_p"]
        refused = tuple(one for one in _PARAMETERS if one in {*self.refused, *named})
        renamed = self.length == "max_tokens" and _names(said, "max_tokens")
        if not (named or renamed):
            return None
        length = "max_completion_tokens" if renamed else self.length
        return self.model_copy(update={"refused": refused, "length": length})

    def after_reply(self, text: str) -> Capabilities | None:
        """Return what is known once a reply to a request with a schema has come; None if no more.

        One that holds no object at all comes from a model that was neither held to the schema nor
        shown it.
        """
        if self.shows_schema or self.schemas == "none" or "{" in text:
            return None
        return self.model_copy(update={"shows_schema": True})


ALL = Capabilities()
"""What a server is taken to take until it refuses something."""


def _names(said: str, parameter: str) -> bool:
    if parameter == "reasoning_effort" and _THINKING.search(said):
        return True
    # Some write `topP` and `reasoningEffort` of what is called `top_p` and `reasoning_effort`.
    pattern = rf"(?<!\w){parameter.replace('_', '_?')}(?!\w)"
    return re.search(pattern, said, re.IGNORECASE) is not None


def _with_schema(message: Message, schema: dict[str, Any]) -> Message:
    shown = orjson.dumps(schema).decode()
    told = f"Reply with one JSON object that fits this JSON schema, and with nothing else:\n{shown}"
    return message.model_copy(update={"content": f"{message.content}\n\n{told}"})


def reduced(schema: dict[str, Any], use: SchemaUse) -> dict[str, Any]:
    """Return a JSON schema with as much as a server takes.

    Without bounds every object names all its fields as required and allows no other, as strict
    modes want it.
    """
    if use == "whole":
        return schema
    definitions = schema.get("$defs", {})

    def walk(value: Any, inside: tuple[str, ...] = ()) -> Any:
        if isinstance(value, list):
            return [walk(one, inside) for one in value]
        if not isinstance(value, dict):
            return value
        name = str(value.get("$ref", "")).removeprefix("#/$defs/")
        if use == "plain" and name in definitions:
            return {} if name in inside else walk(definitions[name], (*inside, name))
        found: dict[str, Any] = {}
        for key, part in value.items():
            if key in _BOUNDS or (use == "plain" and key in _BEYOND_TYPES):
                continue
            if key == "const" and use == "plain":
                found["enum"] = [part]
            elif key in _NAMED:
                found[key] = {field: walk(one, inside) for field, one in part.items()}
            else:
                found[key] = part if key in _VALUES else walk(part, inside)
        if "properties" in found:
            found["required"] = list(found["properties"])
            if use == "unbounded":
                found["additionalProperties"] = False
        return found

    whole: dict[str, Any] = walk(schema)
    return whole


def refusal(body: bytes) -> str:
    """Return what a server says is wrong, without what it repeats of the request."""
    try:
        said = orjson.loads(body)
    except orjson.JSONDecodeError:
        said = body.decode(errors="replace")
    return "\n".join(one[:1000] for one in islice(_said(said), _MOST_SAID))


def _said(value: object, depth: int = _MAX_DEPTH) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth:
        for one in value:
            yield from _said(one, depth - 1)
    elif isinstance(value, dict) and depth:
        for key, one in value.items():
            if key in _SAYING:
                yield from _said(one, depth - 1)


def fault_of_one(said: str) -> type[ReplyError] | None:
    """Return the error of a request that is refused for what it says or for its length, if it is.

    Others like it may be taken.
    """
    if _FILTERED.search(said):
        return RefusedReplyError
    return FailedCallError if _TOO_LONG.search(said) else None


_KNOWN = TypeAdapter(dict[str, Capabilities])
_MOST_KNOWN = 200


def read_known(path: Path | None) -> dict[str, Capabilities]:
    """Return what is known of servers, by address and model; nothing where no file says it.

    What cannot be read is learned again.
    """
    try:
        return _KNOWN.validate_json(read_limited(path)) if path else {}
    except (OSError, ValidationError):
        return {}


def keep_known(path: Path | None, server: str, found: Capabilities) -> None:
    """Add what was learned of a server to the file of what is known."""
    if path is None:
        return
    known = {**read_known(path), server: found}
    kept = dict(sorted(known.items())[-_MOST_KNOWN:])
    make_folder(path.parent)
    atomic_write(path, _KNOWN.dump_json(kept, indent=2).decode() + "\n")
