"""Published figures, and the same ones computed here from the published data.

Each target is one source; what it printed is data (`tracks/published/figures.yaml`). A figure
agrees when it is the printed one at the printed precision, or nearly, where it says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import Field

from sidelight.errors import InputError
from sidelight.evaluation.published.computed import COMPUTE
from sidelight.evaluation.training.reproduced import TRAIN
from sidelight.formats.data_folder import DataPart, look_for
from sidelight.plain_yaml import read_yaml
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from sidelight.text_vectors import Encode


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that was printed, and what it is here.

    Attributes:
        name: What is counted or measured.
        published: As it is printed.
        here: The same, unrounded; None where it is undefined.
        names: Of what is counted, where it is few enough to be named.
        within: How far both may be apart; 0 asks for the same at the printed precision.
        misprint: Why the source contradicts itself here; empty where it does not. What differs from
            such a figure is no failure.
    """

    name: str
    published: str
    here: float | None
    names: tuple[str, ...] = ()
    within: float = 0.0
    misprint: str = ""

    @property
    def shown(self) -> str:
        """Return the number here at the printed precision."""
        return "undefined" if self.here is None else f"{self.here:.{self._decimals}f}"

    @property
    def agrees(self) -> bool:
        """Tell whether both are the same, as far as they are printed or as they may differ."""
        if self.here is None:
            return False
        if self.within:
            return abs(self.here - float(self.published)) <= self.within
        return float(self.shown) == float(self.published)

    @property
    def stands(self) -> bool:
        """Tell whether nothing is wrong here: both agree, or what is printed cannot be right."""
        return self.agrees or bool(self.misprint)

    @property
    def _decimals(self) -> int:
        return len(self.published.partition(".")[2])


class Training(NamedTuple):
    """What it takes to train a model.

    Attributes:
        encode: Texts to vectors by the default encoder, in single precision.
        weights: Folder for what is learned; None keeps nothing.
    """

    encode: Encode
    weights: Path | None = None


class Target(Value):
    """Something published that can be computed again.

    Attributes:
        title: What it is and where it was published.
        needs: Names of the files and folders it is computed from.
        source: Where they come from.
        within: See `Figure`; for figures that another processor may change.
        misprints: By the name of a figure, why what is printed contradicts the source itself.
        printed: The figures, by name, as they are printed.
    """

    title: str
    needs: tuple[str, ...]
    source: str
    within: float = 0.0
    misprints: dict[str, str] = Field(default_factory=dict)
    printed: dict[str, str]

    def figure(self, name: str, here: float | tuple[str, ...] | None) -> Figure:
        """Return a printed figure with what it is here: a number, or the names of the counted."""
        if isinstance(here, tuple):
            return Figure(name, self.printed[name], len(here), here)
        return Figure(
            name,
            self.printed[name],
            here,
            within=self.within,
            misprint=self.misprints.get(name, ""),
        )


@cache
def targets() -> dict[str, Target]:
    """Return all targets by the names that the command line has for them."""
    text = (files("sidelight.tracks") / "published" / "figures.yaml").read_text(encoding="utf-8")
    return {name: Target.model_validate(content) for name, content in read_yaml(text).items()}


def trains(name: str) -> bool:
    """Tell whether models are trained for a target."""
    return name in TRAIN


def figures_of(name: str, data: Path, training: Training | None = None) -> list[Figure]:
    """Return the figures of a target, in the order in which they are printed.

    Args:
        name: Of the target.
        data: Folder that holds what the target needs, at any depth.
        training: What a target needs that trains.

    Raises:
        InputError: Something that it needs is missing, there is two of it, or it cannot be read.
    """
    target = targets()[name]
    found = find_files(name, data)
    here: dict[str, Any] = dict(
        TRAIN[name](*found, encode=training.encode, weights=training.weights)
        if training
        else COMPUTE[name](*found)
    )
    return [target.figure(figure, here[figure]) for figure in target.printed]


def find_files(name: str, data: Path) -> list[Path]:
    """Return what a target needs, in its order, wherever it lies within a folder.

    Files that lie together go before others of their names. Where there is none of a name, parts of
    the track's data are known by what they hold.

    Raises:
        InputError: Something is missing, or there are two of it.
    """
    target = targets()[name]
    found = {need: sorted(data.rglob(need)) for need in target.needs}
    together = set.intersection(
        *(
            {path.parents[len(Path(need).parts) - 1] for path in paths}
            for need, paths in found.items()
        )
    )
    if len(together) == 1:  # other collections may hold files of the same names
        return [next(iter(together)) / need for need in target.needs]
    parts = {Path(part).name: part for part in DataPart}
    for need in parts.keys() & found.keys():
        if not found[need] and (part := look_for(data, parts[need])):
            found[need] = [part]
    missing = [need for need, paths in found.items() if not paths]
    if missing:
        raise InputError(
            f"{data}: {name} needs {', '.join(target.needs)}; found no {', '.join(missing)}",
            remedy=f"They are published at {target.source}",
        )
    for need, paths in found.items():
        if len(paths) > 1:
            raise InputError(
                f"{data}: expected one {need}; found {paths[0]} and {paths[1]}",
                remedy="Name the folder that holds the one to use with --data.",
            )
    return [paths[0] for paths in found.values()]
