"""`sidelight score quality` and `usefulness`: what was graded one by one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sidelight.cli.console import out, print_json, print_table
from sidelight.cli.options.inputs import QRELS, RUN, Track
from sidelight.cli.options.results import Json, Output, Samples, Seed
from sidelight.cli.options.scores import Sampling
from sidelight.cli.result_table import list_files
from sidelight.cli.score.table import ScoreOrigin, deliver
from sidelight.evaluation.scoring.sampling import DEFAULT_SAMPLES
from sidelight.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.evaluation.scoring.table import TopicScore

Assessors = Annotated[
    Path | None,
    typer.Option("--assessors", help="CSV of topic_id and assessor: colours boxes, adds theirs."),
]


def quality(
    *,
    grades: Annotated[Path, typer.Option("--grades", help="Graded questions, eight columns.")],
    judge: Annotated[
        str | None,
        typer.Option("--graded-by", help="Name of the judge that graded, if no people did."),
    ] = None,
    assessors: Assessors = None,
    output: Output = None,
    track: Track,
    samples: Samples = DEFAULT_SAMPLES,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Score question runs by the grades of their questions.

    --output also gets boxplots of the main measure by topic and by assessor, with their numbers.
    """
    from sidelight.cli.options.inputs import track_of_scale
    from sidelight.evaluation.scoring.files import score_prefix
    from sidelight.evaluation.scoring.graded.question_quality import score_question_quality
    from sidelight.formats.labels.question_grades import read_question_grades

    rules = track_of_scale("question_quality", track)
    table = score_question_quality(rules, read_question_grades(grades, rules.scales))
    n_topics = len({score.topic_id for score in table.topics})
    labels = "auto" if judge else "human"
    origin = ScoreOrigin(labels, judge, Sampling(samples, seed), n_topics)
    prefix = score_prefix(labels, rules.question_list)
    deliver(origin, table, prefix, output, as_json=as_json)
    if output:
        written = _write_boxes(output, prefix, table.topics, table.main.name, assessors)
        if not as_json:
            list_files(written)


def usefulness(
    *,
    qrels: Annotated[Path, QRELS],
    run: Annotated[list[Path], RUN],
    assessors: Assessors = None,
    output: Output = None,
    as_json: Json = False,
) -> None:
    """Score documents by their usefulness, over the questions that can tell runs apart.

    A question does not count if fewer than three documents are useful, or all runs are perfect.
    """
    from sidelight.evaluation.scoring.files import write_score_files
    from sidelight.evaluation.scoring.graded.usefulness import (
        MEASURES,
        MIN_QUESTIONS,
        filter_questions,
        sparsely_judged,
        tabulate_kept,
    )
    from sidelight.evaluation.scoring.retrieval import score_retrieval
    from sidelight.formats.labels.qrels import read_qrels

    labels = read_qrels(qrels)
    scores = score_retrieval(qrels, run, MEASURES)
    found = filter_questions(labels, scores)
    table = tabulate_kept(scores, found.kept)
    sparse = sparsely_judged(labels)
    written: list[Path] = []
    if output:
        written += write_score_files(table, output, "usefulness")
        written += _write_boxes(output, "usefulness", table.topics, table.main.name, assessors)
    if as_json:
        print_json(
            {
                "questions": {"judged": len(labels), **found._asdict()},
                "few_questions": sparse,
                "runs": [{"run": one.run_tag, **one.row} for one in table.runs],
                "files": [str(path) for path in written],
            }
        )
        return
    names = [measure.name for measure in table.measures]
    print_table(
        ["run", *names, "questions"],
        [
            [one.run_tag, *(f"{one.values[name]:.3f}" for name in names), str(one.n_topics)]
            for one in table.runs
        ],
    )
    out.print(
        f"{counted(len(labels), 'question')} judged, {len(found.kept)} of them count: "
        f"{len(found.few_useful)} with "
        f"too few useful documents, on {len(found.all_perfect)} all runs are perfect",
        markup=False,
    )
    if sparse:
        told = ", ".join(f"{topic_id} ({count})" for topic_id, count in sparse.items())
        out.print(f"articles with under {MIN_QUESTIONS} judged questions: {told}", markup=False)
    list_files(written)


def _write_boxes(
    output: Path, prefix: str, topics: Sequence[TopicScore], measure: str, assessors: Path | None
) -> list[Path]:
    """Write boxes by topic, and by assessor where it is known who assessed; return the files."""
    from sidelight.evaluation.scoring.graded.spread import by_group, by_topic, read_groups

    groups = _with_questions(read_groups(assessors), topics) if assessors else {}
    scores = by_topic(topics, measure)
    written = _boxplot(output / f"{prefix}_boxes_by_topic", scores, groups, measure)
    if groups:
        grouped = by_group(scores, groups)
        names = {name: name for name in grouped}
        written += _boxplot(output / f"{prefix}_boxes_by_assessor", grouped, names, measure)
    return written


def _with_questions(groups: Mapping[str, str], topics: Sequence[TopicScore]) -> dict[str, str]:
    """Return who assessed each topic; a question is its article's assessor's."""
    from sidelight.schemas.topic import parse_question_id

    found = {}
    for score in topics:
        parsed = parse_question_id(score.topic_id)
        name = score.topic_id if score.topic_id in groups or not parsed else parsed[0]
        if name in groups:
            found[score.topic_id] = groups[name]
    return found


def _boxplot(
    stem: Path, scores: Mapping[str, Sequence[float]], groups: Mapping[str, str], measure: str
) -> list[Path]:
    from sidelight.evaluation.figures.boxes import draw_boxes
    from sidelight.evaluation.scoring.graded.spread import boxes, write_boxes

    found = boxes(scores, groups)
    table, *figures = (stem.with_name(stem.name + ending) for ending in (".csv", ".svg", ".png"))
    write_boxes(table, found)
    draw_boxes(found, measure, figures)
    return [table, *figures]
