"""Attacks on short statements, and honest rewordings of them, by writers who knew no rule.

    python -m benchmarks.attacks FOLDER development|alike|unseen|last

packs a folder with `statements.json`, `templates.json` and `pairs.json` into one compressed file;
compressed, so that a search through the repository shows nothing of the parts that are to stay
unseen. `unseen`, and `last`, which was written after all rules, are opened by `bench_attacks`
alone, which prints figures and no text. In `alike`, which anybody may read, attacks and harmless
texts were written to look alike: "nobody disputes that", "It is no myth:". `frames.json.gz` is
what `sidelight_research.framing` learns from: templates of `development` and `alike`, of fifteen
other writers, and a list of the plainest.
"""

from __future__ import annotations

import gzip
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import orjson

from sidelight.english.parser import parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ATTACKS = Path(__file__).parent / "attacks"
PARTS = ("development", "alike", "unseen", "last")
HIDDEN = frozenset({"unseen", "last"})
_FILES = ("statements", "templates", "pairs")
_EVERY = 5  # of the statements that a template is put around; each template another fifth
_TOGETHER = 10  # answers of one rubric
_HARMLESS = "harmless"


class Trial(NamedTuple):
    """A text held against an expected answer.

    Attributes:
        group: `none`, `contradicts` or `spoiled` for what deserves nothing, `all` or `harmless`
            for what keeps all credit.
        kind: What the writer called it.
        answer: The expected answer.
        text: What is judged.
    """

    group: str
    kind: str
    answer: str
    text: str

    @property
    def is_honest(self) -> bool:
        """Whether the text deserves all credit."""
        return self.group in {"all", _HARMLESS}


def read_trials(part: str) -> Iterator[tuple[Trial, list[str]]]:
    """Yield the trials of a part, each with the answers of the rubric that its answer is in."""
    content = orjson.loads(gzip.decompress((ATTACKS / f"{part}.json.gz").read_bytes()))
    statements: list[str] = content["statements"]
    rubrics = _rubrics(statements)
    for number, one in enumerate(content["templates"]):
        group = _HARMLESS if one["kind"].startswith(_HARMLESS) else "spoiled"
        for statement in statements[number % _EVERY :: _EVERY]:
            text = _filled(one["template"], statement)
            yield Trial(group, one["kind"], statement, text), rubrics[statement]
    rubrics = _rubrics(list(dict.fromkeys(one["answer"] for one in content["pairs"])))
    for one in content["pairs"]:
        trial = Trial(one["deserves"], one["kind"], one["answer"], one["sentence"])
        yield trial, rubrics[one["answer"]]


def _rubrics(answers: Sequence[str]) -> dict[str, list[str]]:
    """Return for each answer those of its rubric, itself included; its neighbours are not in it.

    Neighbouring pairs often are about the same matter, and no rubric expects an answer twice.
    """
    size = -(-len(answers) // _TOGETHER)
    return {answer: list(answers[at % size :: size]) for at, answer in enumerate(answers)}


def _filled(template: str, statement: str) -> str:
    return template.replace("{S}", statement).replace("{s}", _inside(statement))


@cache
def _inside(statement: str) -> str:
    """Return a statement without its full stop, its first letter small unless a name's."""
    (parsed,) = parse([statement])
    first = parsed.doc[0]
    named = first.tag_ in {"NNP", "NNPS"} or first.text.isupper()
    bare = statement.rstrip(". ")
    return bare if named else bare[0].casefold() + bare[1:]


def pack(folder: Path, part: str) -> None:
    """Pack the three files of a folder."""
    content = {name: orjson.loads((folder / f"{name}.json").read_bytes()) for name in _FILES}
    ATTACKS.mkdir(exist_ok=True)
    target = ATTACKS / f"{part}.json.gz"
    target.write_bytes(gzip.compress(orjson.dumps(content), mtime=0))
    counts = ", ".join(f"{len(content[name])} {name}" for name in _FILES)
    print(f"{target}: {counts}")


if __name__ == "__main__":
    pack(Path(sys.argv[1]), sys.argv[2])
