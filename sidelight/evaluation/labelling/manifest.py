"""Who made the assessments in a folder; lies beside them as `manifest.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field, ValidationError

from sidelight.errors import InputError
from sidelight.evaluation.labelling.judge import Instrument, JudgeAgreement, JudgeKind
from sidelight.files import atomic_write
from sidelight.formats.lines import read_bytes
from sidelight.schemas.base import Value

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST_NAME = "manifest.json"


class JudgingManifest(Value):
    """One judge and what it judged.

    Attributes:
        judge: Its registered name.
        version: Labels of two versions are not comparable.
        kind: Whether a model was prompted.
        n_topics: Rubrics judged against.
        example_run_tags: Runs whose labels the judge learned from.
        runs: The runs judged, by the name of the task; with each the largest share, over
            topics, of its five-word sequences that also occur in the examples of the topic. Near
            1 means a near copy of an example.
        over_limits: By task, run tag and topic id, in what a submission was over the limits of the
            task; only what fits them was judged.
        instrument: What a prompted judge asks, and whom; None where no model is asked.
        agreement: With people, on topics held out (`questions`, `answers`).
        n_unjudged: Verdicts that could not be had, by task.
    """

    judge: str
    version: str
    kind: JudgeKind
    runs: dict[str, dict[str, float]]
    n_topics: int
    example_run_tags: tuple[str, ...]
    over_limits: dict[str, dict[str, dict[str, str]]] = Field(default_factory=dict)
    instrument: Instrument | None = None
    agreement: dict[str, JudgeAgreement]
    n_unjudged: dict[str, int]

    @property
    def label(self) -> str:
        """Return the judge as score tables name it."""
        return f"{self.judge} {self.version}, {self.kind}"


def read_manifest_beside(assessments: Path) -> JudgingManifest | None:
    """Return the manifest in the folder of an assessment file; None when there is none.

    Raises:
        InputError: There is one, but it is not a judging manifest.
    """
    path = assessments.parent / MANIFEST_NAME
    if not path.is_file():
        return None
    try:
        return JudgingManifest.model_validate_json(read_bytes(path))
    except ValidationError as error:
        raise InputError(
            f"{path}: expected the manifest of a judge; {error.error_count()} fields are wrong",
            remedy="Move it away if the assessments were not made by `sidelight judge`.",
        ) from error


def write_manifest(folder: Path, manifest: JudgingManifest) -> None:
    """Write `manifest.json`, what it already says about the other task included.

    Raises:
        InputError: The folder holds assessments of another judge or version.
    """
    path = folder / MANIFEST_NAME
    earlier = read_manifest_beside(path)
    if earlier is not None:
        if earlier.label != manifest.label:
            raise InputError(
                f"{folder} holds assessments by {earlier.label}; "
                f"those by {manifest.label} must not be mixed with them",
                remedy="Choose another output folder.",
            )
        manifest = manifest.model_copy(
            update={
                "runs": earlier.runs | manifest.runs,
                "over_limits": earlier.over_limits | manifest.over_limits,
                "example_run_tags": tuple(
                    sorted({*earlier.example_run_tags, *manifest.example_run_tags})
                ),
                "agreement": earlier.agreement | manifest.agreement,
                "n_unjudged": earlier.n_unjudged | manifest.n_unjudged,
            }
        )
    atomic_write(path, manifest.model_dump_json(indent=2) + "\n")
