"""Grid of experimental arms, read from one YAML file.

```yaml
base: ../extractive.yaml        # a configuration, relative to this file; the defaults if left out
dimensions:
  retriever:
    hybrid: {}                  # the first of each dimension makes the base arm
    bm25: {retrieval.retriever: bm25}
  rounds:
    three: {}
    one: {investigation.max_rounds: 1}
```

Every combination is an arm: `hybrid+three`, `hybrid+one`, `bm25+three`, `bm25+one`.
"""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import yaml
from pydantic import Field, ValidationError

from sidelight.config.load import load_settings
from sidelight.errors import UsageError
from sidelight.files import read_limited, read_yaml
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from pathlib import Path

    from sidelight.config.settings import Settings

_Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$", max_length=40)]
_Changes = dict[str, Any]


class Grid(Value):
    """Contents of a grid file.

    Attributes:
        base: Configuration that all arms differ from, relative to the grid file.
        dimensions: By name, the choices of a dimension; by name, the settings each changes.
        measures: For experiments with queries and labels, measures by the names of ir_measures; the
            first one is plotted.
        hits: For these, hits per query.
        id_field: For these, key of the id in the lines of a corpus.
        text_field: For these, key of the text.
    """

    base: str | None = None
    dimensions: dict[_Name, dict[_Name, _Changes]] = Field(min_length=1)
    measures: str = "nDCG@10 R@100"
    hits: int = Field(100, ge=1, le=1000)
    id_field: str = "docid"
    text_field: str = "segment"


class Arm(NamedTuple):
    """One combination of choices.

    Attributes:
        name: The choices, joined by `+`.
        changes: Settings it changes, by name.
        settings: All of them, resolved.
        same_as: An earlier arm with the same settings, whose results are this one's.
    """

    name: str
    changes: dict[str, Any]
    settings: Settings
    same_as: str | None

    @property
    def folder_name(self) -> str:
        """The arm whose folder holds its results."""
        return self.same_as or self.name


def read_grid(path: Path) -> Grid:
    """Read a grid file.

    Raises:
        UsageError: It is missing, no YAML, or no grid.
    """
    try:
        content = read_yaml(read_limited(path).decode())
        return Grid.model_validate(content)
    except FileNotFoundError:
        raise UsageError(f"there is no grid file {path}") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid YAML: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise UsageError(
            f"{path}: {place}: {first['msg']}",
            remedy="Compare with configs/ablations/mini-web.yaml.",
        ) from None


def arms_of(grid: Grid, path: Path) -> list[Arm]:
    """Return every combination of a grid, the base arm first.

    Raises:
        UsageError: Two choices of an arm change one setting, or a setting is unknown or out of
            range; the arm is named.
    """
    base = path.parent / grid.base if grid.base else None
    arms: list[Arm] = []
    first_with: dict[str, str] = {}
    for choices in product(*(choice.items() for choice in grid.dimensions.values())):
        name = "+".join(choice for choice, _ in choices)
        changes: dict[str, Any] = {}
        for choice, wanted in choices:
            for twice in changes.keys() & wanted.keys():
                raise UsageError(
                    f"{path}: arm {name}: expected each setting to be changed once; "
                    f"{choice} changes {twice} again"
                )
            changes |= wanted
        try:
            # JSON is YAML, which is what values on the command line are.
            overrides = [f"{key}={json.dumps(value)}" for key, value in changes.items()]
            settings = load_settings(base, overrides)
        except UsageError as error:
            raise UsageError(f"{path}: arm {name}: {error.message}", remedy=error.remedy) from None
        same_as = first_with.setdefault(settings.fingerprint(), name)
        arms.append(Arm(name, changes, settings, None if same_as == name else same_as))
    return arms
