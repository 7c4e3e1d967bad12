"""Prompt files: loading, checking, rendering and hashing.

A prompt file, `<step>.prompt.md`, lies beside the one module that renders it: YAML front matter
(`id`, `version`, `variables`), then the parts `# system` and `# user`, both Jinja templates. A line
`{% include "<name>.partial.md" %}` stands for the text of a file in the same folder or, where
several rooms share it, in the folder above. Values for a look at the prompt without a run lie
beside it in `<step>.example.json`, those of a partial's variables beside the partial in
`<name>.example.json`.

A template of somebody else, which the user brings, is a text with places such as `{query}`, or YAML
with such texts under `system_message` and `prefix_user`, as the UMBRELA judge has them.

Page text is hostile. Every value is cleaned on its way into the text and loses what could pass for
a fence or for a chat template's control token; fences are written in prompt files alone.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml
from pydantic import Field, ValidationError

from sidelight.errors import InputError, UsageError
from sidelight.files import read_json, read_limited
from sidelight.plain_yaml import read_yaml
from sidelight.schemas.base import Value, faults
from sidelight.text import clean

if TYPE_CHECKING:
    from jinja2 import Environment, Template

_FRONT_MATTER = re.compile(r"---\n(?P<yaml>.*?\n)---\n(?P<source>.*)", re.DOTALL)
_PARTS = re.compile(r"\s*^# system\n(?P<system>.*)^# user\n(?P<user>.*)", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^# (?:system|user)$", re.MULTILINE)
_INCLUDE = re.compile(r'\{% include "(?P<name>\w+\.partial\.md)" %\}')

# Characters that look like an angle bracket, and what may hide between two of them.
_LEFT = "<＜﹤‹«〈〈⟨⟪《❮❰≪≮⋖⦑⧼ᐸ˂"
_RIGHT = ">＞﹥›»〉〉⟩⟫》❯❱≫≯⋗⦒⧽ᐳ˃"
_GAP = r"(?:[^\S\n]|[\u0300-\u036f\u115f\u1160\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef])*"
# A run of brackets, or one that opens a tag or a control token such as `<|im_start|>`; `p < 0.05`
# and a quotation in guillemets stay.
_OPENING = re.compile(rf"[{_LEFT}](?:{_GAP}[{_LEFT}])+|⋘|[<＜﹤](?=[^\s\d])")
_CLOSING = re.compile(rf"[{_RIGHT}](?:{_GAP}[{_RIGHT}])+|⋙")


class RenderedPrompt(NamedTuple):
    """Text that is sent to a model."""

    system: str
    user: str

    def __str__(self) -> str:
        return f"# system\n{self.system}\n\n# user\n{self.user}"


class _FrontMatter(Value):
    id: str = Field(pattern=r"^[a-z][a-z0-9_-]*$")
    version: int = Field(ge=1, strict=True)
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt file that has been checked; `load_prompt` makes one.

    Attributes:
        id: Its name, unique in the package.
        version: Raised with every change of the text.
        system: Source of the system part, includes resolved.
        user: Source of the user part, includes resolved.
        partials: The files it includes.
    """

    id: str
    version: int
    variables: tuple[str, ...]
    path: Path
    system: str
    user: str
    partials: tuple[Path, ...]

    @property
    def source(self) -> str:
        """Both parts as they are written, includes resolved."""
        return f"# system\n{self.system}# user\n{self.user}"

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the source, included partials too."""
        return sha256(self.source.encode()).hexdigest()

    def render(self, **values: object) -> RenderedPrompt:
        """Fill in the values, exactly one for each variable, each cleaned and without fences."""
        from jinja2 import UndefinedError

        wrong = [
            f"{problem} {', '.join(sorted(names))}"
            for problem, names in (
                ("missing", set(self.variables) - set(values)),
                ("unknown", set(values) - set(self.variables)),
            )
            if names
        ]
        if wrong:
            raise UsageError(f"{self.path}: values do not fit the prompt: {'; '.join(wrong)}")
        try:
            system, user = (_template(part).render(values) for part in (self.system, self.user))
        except UndefinedError as error:
            raise UsageError(f"{self.path}: cannot be rendered: {error}") from error
        return RenderedPrompt(system.strip(), user.strip())

    def example(self) -> dict[str, object]:
        """Return the example values that lie beside the prompt and its partials."""
        values: dict[str, object] = {}
        for path in (*self.partials, self.path):
            example = path.with_name(f"{path.name.split('.')[0]}.example.json")
            if example.is_file():
                values |= read_values(example)
        return values


@cache
def load_prompt(path: Path) -> Prompt:
    """Read and check a prompt file: its front matter, its parts, its includes and its variables."""
    partials: dict[Path, None] = {}
    found = _FRONT_MATTER.fullmatch(_read(path))
    if found is None:
        raise InputError(f"{path}: expected front matter between two lines `---` at the top")
    try:
        head = _FrontMatter.model_validate(read_yaml(found["yaml"]))
    except (ValidationError, yaml.YAMLError) as error:
        raise InputError(f"{path}: the front matter is wrong: {faults(error)}") from error
    source = _resolve(found["source"], path, partials)
    parts = _PARTS.fullmatch(source)
    if parts is None or len(_HEADING.findall(source)) != 2:
        raise InputError(f"{path}: expected the parts `# system` and `# user`, once each, in order")
    used = _variables(parts["system"], path) | _variables(parts["user"], path)
    for problem, names in (
        ("used but not declared", used - set(head.variables)),
        ("declared but not used", set(head.variables) - used),
    ):
        if names:
            raise InputError(f"{path}: variables {problem}: {', '.join(sorted(names))}")
    return Prompt(
        id=head.id,
        version=head.version,
        variables=head.variables,
        path=path,
        system=parts["system"],
        user=parts["user"],
        partials=tuple(partials),
    )


_TO_FILL_IN = re.compile(r"\{(?P<name>[^{}\n]*)\}")


@cache
def load_template(path: Path, variables: tuple[str, ...]) -> Prompt:
    """Read a template that somebody else wrote; its places must be exactly `variables`."""
    text, system = _read(path), ""
    if path.suffix in {".yaml", ".yml"}:
        try:
            content = read_yaml(text)
            text, system = content["prefix_user"], content.get("system_message") or ""
        except (yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path}: expected YAML with prefix_user: {error}") from error
    if not (isinstance(text, str) and isinstance(system, str)):
        raise InputError(f"{path}: expected texts under prefix_user and system_message")
    places = {match["name"] for match in _TO_FILL_IN.finditer(system + text)}
    if places != set(variables) or "endraw" in system + text:
        raise InputError(
            f"{path}: expected the places {', '.join(f'{{{name}}}' for name in variables)}; found "
            f"{', '.join(f'{{{name}}}' for name in sorted(places)) or 'none'}",
            remedy="Fill in what else it asks for, such as examples, and leave these open.",
        )

    def as_jinja(source: str) -> str:
        parts = _TO_FILL_IN.split(source)  # between places, their names
        return "".join(
            f"{{{{ {part} }}}}" if odd % 2 else f"{{% raw %}}{part}{{% endraw %}}"
            for odd, part in enumerate(parts)
        )

    return Prompt(
        id=re.sub(r"[^a-z0-9_-]+", "-", f"template-{path.stem}".lower()),
        version=0,
        variables=variables,
        path=path,
        system=as_jinja(system),
        user=as_jinja(text),
        partials=(),
    )


@cache
def find_prompts(folder: Path = Path(__file__).parent) -> tuple[Prompt, ...]:
    """Return all prompts of the package in the order of their ids, which must differ."""
    prompts: dict[str, Prompt] = {}
    for path in sorted(folder.rglob("*.prompt.md")):
        prompt = load_prompt(path)
        if prompt.id in prompts:
            raise InputError(f"{path}: the id {prompt.id} is that of {prompts[prompt.id].path}")
        prompts[prompt.id] = prompt
    return tuple(prompts[name] for name in sorted(prompts))


def read_values(path: Path) -> dict[str, object]:
    """Read values for a prompt from a JSON file."""
    try:
        values = read_json(_read(path))
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: not JSON: {error.msg}") from error
    if not isinstance(values, dict):
        raise InputError(f"{path}: expected a JSON object, one value for each variable")
    return values


def _read(path: Path) -> str:
    try:
        return read_limited(path).decode()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: cannot be read: {error}") from error


def _resolve(source: str, path: Path, partials: dict[Path, None]) -> str:
    """Return a source with the partials in place, and note which they are."""

    def text_of(include: re.Match[str]) -> str:
        here, above = path.with_name(include["name"]), path.parent.with_name(include["name"])
        partial = above if above.exists() and not here.exists() else here
        partials[partial] = None
        text = _read(partial).removesuffix("\n")
        if _INCLUDE.search(text):
            raise InputError(f"{partial}: a partial cannot include another")
        return text

    return _INCLUDE.sub(text_of, source)


def _variables(source: str, path: Path) -> set[str]:
    from jinja2 import TemplateSyntaxError, meta

    try:
        tree = _environment().parse(source)
    except (TemplateSyntaxError, RecursionError) as error:
        raise InputError(f"{path}: the template is wrong: {error}") from error
    if list(meta.find_referenced_templates(tree)):
        raise InputError(f'{path}: write an include as {{% include "<name>.partial.md" %}}')
    return meta.find_undeclared_variables(tree)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, StrictUndefined

    class ItemsFirst(Environment):
        """Looks up a mapping's items before its methods, so that values may come from JSON."""

        def getattr(self, obj: Any, attribute: str) -> Any:
            if isinstance(obj, dict) and attribute in obj:
                return obj[attribute]
            return super().getattr(obj, attribute)

    jinja = ItemsFirst(  # a prompt is plain text: there is nothing to escape for
        autoescape=False,
        undefined=StrictUndefined,
        # Neither a fence nor a chat turn is opened or closed by a value.
        finalize=lambda value: _harmless_text(str(value)),
        keep_trailing_newline=True,
    )
    jinja.globals.clear()  # what a prompt shows comes from its variables alone
    return jinja


# A judge renders tens of thousands of prompts of few templates around the same articles.
@cache
def _template(source: str) -> Template:
    return _environment().from_string(source)


# A topic shows each window several times, and thirty topics may be under way.
@lru_cache(maxsize=16_384)
def _harmless_text(text: str) -> str:
    return _CLOSING.sub("›", _OPENING.sub("‹", clean(text)))
