"""Commands `agree`: compare labels, scores, relevance or grades of two sides, and vote.

`norms`, `answers` and `support` hold learned judges against people's labels.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sidelight.cli import console, options
from sidelight.cli.tables import (
    category_tables,
    correlation_table,
    difference_tables,
    grade_tables,
    leaning,
    run_means_table,
    score_tables,
)
from sidelight.errors import InputError, UsageError
from sidelight.formats.banks.nuggets import read_nuggets, write_nuggets
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.data_folder import DataPart
from sidelight.formats.labels import qrels as labelled
from sidelight.formats.labels.assessments import (
    ASSESSMENT_KINDS,
    COMPOUND_ASSESSMENTS,
    PEOPLE_LABELS,
    read_assessments,
    write_assessments,
)
from sidelight.formats.lines import is_dataset
from sidelight.formats.table import write_table
from sidelight.formats.verdict import QUESTION_GRADES, detect_format, read_runs
from sidelight.schemas.grading.rubric import Rubric
from sidelight.text import counted, first_of
from sidelight.tracks import DEFAULT_TRACK, load_track
from sidelight.wiring.judges import open_encoder

if TYPE_CHECKING:
    from sidelight.evaluation.agreement.labels import CategoryAgreement
    from sidelight.evaluation.agreement.people import NormComparison
    from sidelight.evaluation.agreement.ranks import ScoreComparison
    from sidelight.evaluation.labelling.relevance import Vote
    from sidelight.evaluation.scoring.table import TopicScore

app = console.Commands(
    help="Measure a judge: compare its labels or scores with those of people.", no_args_is_help=True
)

First = Annotated[Path, typer.Argument(help="One side, such as people: the reference.")]
Second = Annotated[Path, typer.Argument(help="The other side, such as a judge.")]
MaybeSecond = Annotated[
    Path | None, typer.Argument(help="The other side; with --data, give it as FIRST.")
]


_OTHER_RUBRICS = (
    "one file labels questions or answers of the rubric that the other never does, on {}: if they "
    "label by different rubrics, equal ids mean different answers, and the agreement says nothing"
)


@app.command()
def labels(  # long: half of it are options
    first: First,
    second: MaybeSecond = None,
    data: options.Data = None,
    rubrics: Annotated[
        Path | None,
        options.rubrics_option("Folder of rubrics; shows agreement by importance, too."),
    ] = None,
    samples: options.Samples = 1000,
    seed: options.Seed = 0,
    output: options.Output = None,
) -> console.Result:
    """Compare two assessment files of one kind, on what both sides judged.

    Sheets of `pool pairs` and `pool answers` list the labels of a kind; empty ones do not count.
    """
    from sidelight.evaluation.agreement.labels import compare_labels, read_two_sides

    if second is None:
        first, second = _by_people(first, data), first
    scales = load_track().scales
    kind, one, other = read_two_sides(first, second, scales)
    if data and kind is not COMPOUND_ASSESSMENTS:
        rubrics = options.from_data(rubrics, data, DataPart.RUBRICS)
    known = read_rubrics(rubrics, scales) if rubrics else None
    found = compare_labels(kind, scales, one, other, known, samples=samples, seed=seed)
    names, sampling = _names(first, second), options.Sampling(samples, seed)
    tables = [
        table
        for scheme in found.schemes
        for table in category_tables(
            scheme.overall,
            scheme.by_importance,
            names,
            f"{kind.name}_{len(scheme.overall.categories)}_labels",
        )
    ]
    topics, runs, *rows = difference_tables(found.judged, kind, known or {})
    document = {
        "files": [str(first), str(second)],
        "sampling": sampling._asdict(),
        "n_runs": found.n_runs,
        "n_topics": found.n_topics,
        "only_runs": found.only_runs,
        "schemes": [
            _as_dict(scheme.overall)
            | {
                "by_importance": {
                    title: {"n": part.n, **part.coefficients, **_intervals(part)}
                    for title, part in scheme.by_importance.items()
                }
            }
            for scheme in found.schemes
        ],
        "unjudged": found.unjudged,
        "only": found.only,
        "topics": topics.records,
        "runs": runs.records,
    }
    return console.Result(
        document,
        [
            *tables,
            topics,
            runs,
            *(
                f"{name}: left out {unjudged} unjudged of the shared rows, and "
                f"{counted(only, 'row')} of this file alone"
                for name, unjudged, only in zip(names, found.unjudged, found.only, strict=True)
                if unjudged or only
            ),
            *(
                f"runs only in {name}: {', '.join(runs)}"
                for name, runs in zip(names, found.only_runs, strict=True)
                if runs
            ),
            *([_OTHER_RUBRICS.format(first_of(some))] if (some := found.other_rubrics) else []),
            (
                f"{counted(found.n_runs, 'run')}, {counted(found.n_topics, 'topic')}; intervals: "
                f"95%, bootstrap over topics, {sampling}"
            ),
            *console.few_warnings(found.n_topics, "topic"),
            console.Files(
                lambda: console.write_results(output, [*tables, topics, runs, *rows]), "written"
            ),
        ],
    )


@app.command()
def scores(
    first: First,
    second: MaybeSecond = None,
    data: options.Data = None,
    measure: options.MeasureName = None,
    samples: options.Samples = 1000,
    seed: options.Seed = 0,
    output: options.Output = None,
) -> console.Result:
    """Compare how two per-topic score files order the runs."""
    from dataclasses import asdict

    from sidelight.evaluation.agreement.ranks import MIN_RUNS_FOR_INTERVALS, compare_scores
    from sidelight.evaluation.scoring.table import read_topic_scores

    if second:
        one: Sequence[TopicScore] = read_topic_scores(first)
        other = read_topic_scores(second)
    elif data:
        other = read_topic_scores(first)
        one = options.score_by_people(data, load_track().measured_by(other[0].values))
        first, second = data, first
    else:
        raise UsageError("expected a second file, or --data, a folder with people's labels")
    column = measure or next(iter(one[0].values))
    sampling = options.Sampling(samples, seed)
    found = compare_scores(one, other, column, n_samples=samples, seed=seed)
    names = _names(first, second)
    correlations = correlation_table(found)
    tables = [correlations, *score_tables(found, names)]
    n_runs, n_topics = len(found.run_tags), len(found.topic_ids)
    shown: list[console.Shown] = [
        f"{found.measure}: {counted(n_runs, 'run')}, {counted(n_topics, 'topic')}",
        correlations,
        *_left_out(found, names),
    ]
    if n_runs >= MIN_RUNS_FOR_INTERVALS:
        shown.append(
            f"intervals: 95%, bootstrap over runs, {sampling}; "
            f"{found.intervals['tau_b'].n_undefined} samples were undefined and left out"
        )
    return console.Result(
        {"files": [str(first), str(second)], "sampling": sampling._asdict(), **asdict(found)},
        [
            *shown,
            *console.few_runs_warnings(n_runs),
            console.Files(lambda: console.write_results(output, tables), "written"),
        ],
    )


@app.command()
def qrels(
    first: First,
    second: Second,
    min_first: Annotated[
        int | None, typer.Option("--min-first", help="Lowest relevant grade of the first side.")
    ] = None,
    min_second: Annotated[
        int | None, typer.Option("--min-second", help="Lowest relevant grade of the second side.")
    ] = None,
    output: options.Output = None,
) -> console.Result:
    """Compare two sets of relevance labels, on the documents that both label."""
    from sidelight.evaluation.agreement.qrels import compare_qrels

    thresholds = None
    if min_first is not None and min_second is not None:
        thresholds = min_first, min_second
    elif min_first is not None or min_second is not None:
        raise UsageError("--min-first and --min-second go together: each side has its own scale")
    found = compare_qrels(labelled.read_qrels(first), labelled.read_qrels(second), thresholds)
    names, shares = _names(first, second), found.order.shares
    grades = grade_tables(found.grades, names, "qrels_grades")
    relevance = (
        category_tables(found.relevance, {}, names, "qrels_relevance") if found.relevance else []
    )
    shown: list[console.Shown] = [*grades]
    if found.used[0] != found.used[1]:
        used = " and ".join(" ".join(map(str, side)) for side in found.used)
        shown.append(
            f"note: the grades used differ ({used}); if the scales do, only --min-first and "
            "--min-second make them comparable"
        )
    if thresholds:
        shown.append(f"\nRelevant: from {thresholds[0]} and from {thresholds[1]}")
    ordered = ", ".join(f"{name} {share:.3f}" for name, share in (shares or {}).items())
    return console.Result(
        {
            "files": [str(first), str(second)],
            "grades": _as_dict(found.grades) | {"lean": leaning(found.grades)},
            "relevance": _as_dict(found.relevance) if found.relevance else None,
            "thresholds": thresholds,
            "pair_order": shares,
            "only": found.only,
        },
        [
            *shown,
            *relevance,
            f"\ndocument pairs within queries: {ordered or 'undefined'}",
            *(
                f"{name}: {counted(only, 'label')} only in this file, not compared"
                for name, only in zip(names, found.only, strict=True)
            ),
            console.Files(lambda: console.write_results(output, [*grades, *relevance]), "written"),
        ],
    )


def _left_out(found: ScoreComparison, names: tuple[str, str]) -> Iterator[str]:
    undefined = found.topics["tau_b"].undefined
    if undefined:
        yield (
            f"undefined on {counted(len(undefined), 'topic')}, which a side scored all alike; not "
            "in the mean"
        )
    for place, name in enumerate(names):
        for group in found.ties[place]:
            yield f"tied by {name}: {', '.join(group)}"
        for what, only in (("runs", found.only_runs), ("topics", found.only_topics)):
            if only[place]:
                yield f"{what} scored only in {name}: {', '.join(only[place])}"


def _as_dict(found: CategoryAgreement) -> dict[str, object]:
    return {
        "categories": found.categories,
        "n": found.n,
        **found.coefficients,
        **_intervals(found),
        "confusion": found.table.tolist(),
        "shares": found.shares,
    }


def _intervals(found: CategoryAgreement) -> dict[str, object]:
    """Return the intervals, JSON-ready, where there are any."""
    ends = {name: one and one._asdict() for name, one in found.intervals.items()}
    return {"intervals": ends} if ends else {}


def _names(first: Path, second: Path) -> tuple[str, str]:
    """Return what to call the two sides; see `_told_apart`."""
    one, other = _told_apart([first, second])
    return one, other


def _told_apart(paths: Sequence[Path]) -> list[str]:
    """Return what to call files: as much of the ends of their paths as tells them apart."""
    depth = 1
    while len({path.parts[-depth:] for path in paths}) < len(paths) and depth < len(paths[0].parts):
        depth += 1
    return [str(Path(*path.parts[-depth:])) for path in paths]


def _by_people(judged: Path, data: Path | None) -> Path:
    """Return the file of the data folder with people's labels of the same kind."""
    from sidelight.evaluation.agreement.labels import assessment_kind

    part = {
        "question_assessments": DataPart.QUESTION_ASSESSMENTS,
        "report_assessments": DataPart.REPORT_ASSESSMENTS,
        "compound_assessments": DataPart.COMPOUND_CHECK,
    }[assessment_kind(judged)]
    return options.required(None, data, part, "a second file")


@app.command()
def vote(  # long: a third of it are options
    judges: Annotated[
        list[Path],
        typer.Argument(help="Relevance labels, assessments or graded questions, one file a judge."),
    ],
    *,
    output: Annotated[
        Path, options.output_option("Folder for the labels and what each judge said.")
    ],
    reference: Annotated[
        Path | None,
        typer.Option(
            "--reference",
            help="Relevance: put each judge's grades on the scale of these labels first.",
        ),
    ] = None,
) -> console.Result:
    """Make one set of labels of several: the majority, or the median where there is none.

    Where labels stand in no order, as those of answers, a row without a majority has no label.
    Where a judge labels nothing of a run on a topic, the others vote; what one judge alone labels
    is kept. With a reference, a judge's grades for a query are mapped as they fit best on all other
    queries.
    """
    names = _told_apart(judges)
    if len(set(names)) < len(names):
        raise UsageError("two files have one name, but judges are told apart by these names")
    kind = None if is_dataset(judges[0]) else detect_format(judges[0])
    noun, alone = "row", list[str]()
    if kind in ASSESSMENT_KINDS or kind == QUESTION_GRADES:
        if reference:
            raise UsageError("--reference is for relevance labels", remedy="Leave it out.")
        path, votes, alone = _vote_on_rows(judges, names, kind, output)
    else:
        path, votes = _vote_on_passages(judges, names, reference, output)
        noun = "passage"
    given = [_labeller(*one, kind) for one in zip(judges, names, strict=True)]
    # What people alone gave is people's, and what nobody is named for stays so.
    if any(by for by, _ in given) and not all(is_people for _, is_people in given):
        told = (by or name for (by, _), name in zip(given, names, strict=True))
        labelled.write_judge(path, f"majority of {'; '.join(told)}")
    agreeing = Counter(one.agreeing for one in votes if one.judges > 1)
    counts = {number: agreeing[number] for number in range(len(names), 0, -1)}
    judges_of = Counter(one.judges for one in votes)
    by_median = sum(one.is_tied and one.grade is not None for one in votes)
    lacking = Counter(one.lacking for one in votes if one.grade is None and one.judges)
    blank = counted(lacking.total(), noun)
    why = ": " * bool(lacking) + ", ".join(f"{reason} {n}" for reason, n in lacking.items())
    taken = "lower grade" if len(names) == 2 else "median grade, the lower of two,"
    alike = {1: "each judge grades differently"}
    lowered = ["where judges differ, the lower of two grades counts"] * bool(by_median)
    lowered += ["what has no label earns nothing"] * bool(lacking)
    return console.Result(
        {
            "judges": names,
            f"{noun}s": len(votes),
            "agreeing": {str(number): count for number, count in counts.items()},
            "judged_once": judges_of[1],
            "unjudged": judges_of[0],
            "by_median": by_median,
            "undecided": lacking.total(),
        },
        [
            *(
                f"{counted(count, noun)} that "
                f"{alike.get(number, f'{number} judges give the same grade')}"
                for number, count in counts.items()
            ),
            f"{counted(judges_of[1], noun)} that only one judge grades",
            f"{counted(judges_of[0], noun)} that no judge grades",
            *[f"{counted(by_median, noun)} without a majority: the {taken} was taken"]
            * bool(by_median),
            f"{blank} without a label, though graded{why}; files: {output}",
            *[f"labelled by one judge alone, whose labels are kept: {first_of(alone)}"]
            * bool(alone),
            *[f"note: {', and '.join(lowered)}: {_LOWERED}"] * bool(lowered),
        ],
    )


def _labeller(path: Path, name: str, kind: str | None) -> tuple[str | None, bool]:
    """Return who gave the labels of a file, None where nothing says so, and whether people did."""
    from sidelight.evaluation.labelling.judged_runs import read_manifest_beside
    from sidelight.evaluation.scoring.table import label_source

    if kind not in ASSESSMENT_KINDS:
        return labelled.read_judge(path), False
    if label_source(path) == "human":
        return f"people ({name})", True
    manifest = read_manifest_beside(path)
    return labelled.read_judge(path) or (manifest.title if manifest else None), False


_LOWERED = "scores by these labels can be below those by each judge's"


def _vote_on_passages(
    judges: Sequence[Path], names: Sequence[str], reference: Path | None, output: Path
) -> tuple[Path, list[Vote]]:
    """Write the relevance labels that judges give together; return their file, and the votes."""
    from sidelight.evaluation.labelling.relevance import decided, held_out, vote, vote_rows

    read = dict(zip(names, map(labelled.read_qrels, judges), strict=True))
    if not any(read.values()):
        raise InputError(f"{judges[0]}: expected relevance labels; found none")
    if reference is not None:
        known = labelled.read_qrels(reference)
        read = {name: held_out(grades, known) for name, grades in read.items()}
    found = vote(read)
    labelled.write_qrels(output / "majority.qrels", decided(found))
    columns = ("query", "segment", "majority", *names)
    write_table(output / "votes_qrels.csv", columns, vote_rows(found))
    votes = [one for passages in found.values() for one in passages.values()]
    return output / "majority.qrels", votes


def _vote_on_rows(
    judges: Sequence[Path], names: Sequence[str], format_name: str, output: Path
) -> tuple[Path, list[Vote], list[str]]:
    """Write assessments or graded questions of judges together; see `_vote_on_passages`.

    What people labelled is written as people's. Also returns the runs that one of several judges
    alone has labels of, on a topic or more.
    """
    from sidelight.evaluation.agreement.labels import vote_labels
    from sidelight.evaluation.scoring.table import label_source

    if format_name == QUESTION_GRADES:
        scales = options.track_of_scale("question_quality", None).scales
        scale, key = scales["question_quality"], _GRADED
        grades = [labelled.read_question_grades(path, scales) for path in judges]
        found: list[tuple[Any, Vote]] = [*vote_labels(attrgetter(*key), scale, grades)]
        path = output / "majority.tsv"
        labelled.write_question_grades(path, (one for one, _ in found))
    else:
        kind, scales = ASSESSMENT_KINDS[format_name], load_track().scales
        scale, key = scales[kind.scale], kind.key
        found = vote_labels(
            kind.key_of, scale, [read_assessments(path, kind, scales) for path in judges]
        )
        path = output / f"majority_{kind.name}.csv"
        column = PEOPLE_LABELS if all(label_source(one) == "human" for one in judges) else ""
        write_assessments(path, kind, (one for one, _ in found), column)
    labels: dict[int | None, str] = dict(enumerate(scale.names[::-1]))
    write_table(
        output / f"votes_{format_name}.csv",
        (*key, "majority", *names),
        (
            (*attrgetter(*key)(one), *(labels.get(n) for n in (vote.grade, *vote.given)))
            for one, vote in found
        ),
    )
    alone = {one.run_tag for one, vote in found if vote.asked == 1 < len(judges)}
    return path, [vote for _, vote in found], sorted(alone)


@app.command()
def grades(
    first: Annotated[Path, typer.Argument(help="Graded questions of the first side, of people.")],
    second: Annotated[Path, typer.Argument(help="Those of the second side.")],
    *,
    track: options.Track,
    output: options.Output = None,
) -> console.Result:
    """Compare two sides' grades of questions: how far they agree, and which side is generous."""
    from sidelight.evaluation.agreement.labels import CategoryAgreement

    rules = options.track_of_scale("question_quality", track)
    scales = rules.scales
    read = (labelled.read_question_grades(path, scales) for path in (first, second))
    key = attrgetter(*_GRADED)
    sides = [{key(one): one.label for one in side if isinstance(one.label, str)} for side in read]
    both = sorted(sides[0].keys() & sides[1].keys())
    if not both:
        raise InputError(
            "there is no question that both files grade", remedy="Compare grades of the same runs."
        )
    levels = scales["question_quality"].levels
    found = CategoryAgreement.of([(sides[0][key], sides[1][key]) for key in both], levels)
    tables = grade_tables(found, (first.name, second.name), "question_grades")
    only = [len(side) - len(both) for side in sides]
    return console.Result(
        {"n": found.n, **found.coefficients, "lean": leaning(found), "shares": found.shares},
        [
            *tables,
            f"graded by one side only: {only[0]} and {only[1]}; not compared",
            *map(console.warning, options.other_topics(rules, (key[0] for key in both))),
            console.Files(lambda: console.write_results(output, tables)),
        ],
    )


_GRADED: tuple[str, ...] = ("topic_id", "run_tag", "run_question_rank")


_SIDES = "rubrics", "nuggets"
_IMPORTANCE = "nugget_importance"


@app.command()
def norms(  # long: half of it are options
    reports: Annotated[list[Path], typer.Argument(help="Runs of cited texts, at least three.")],
    *,
    track: options.Track = DEFAULT_TRACK,
    data: options.Data = None,
    rubrics: options.Rubrics = None,
    nuggets: Annotated[
        Path | None, options.nuggets_option("Use these nuggets (JSONL); do not pool reports.")
    ] = None,
    words_only: options.WordsOnly = False,
    samples: options.Samples = 1000,
    seed: options.Seed = 0,
    output: options.Output = None,
) -> console.Result:
    """Rank runs by experts' rubrics and by nuggets from their own reports, and compare.

    The embedded judge labels both, so that only the norm differs. Says how far the two rankings
    agree, and which questions of the experts no nugget answers.
    """
    from dataclasses import asdict

    from sidelight.evaluation.agreement.people import compare_norms

    rules = load_track(track)
    known = options.known_rubrics(rubrics, data, rules)
    importance = options.track_of_scale(_IMPORTANCE, None).scales[_IMPORTANCE]
    found = asyncio.run(
        compare_norms(
            rules,
            known,
            read_runs(reports, rules.cited_text),
            importance,
            None if words_only else open_encoder(),
            nuggets=read_nuggets(nuggets, importance) if nuggets else None,
            n_samples=samples,
            seed=seed,
        )
    )
    tables = [
        correlation_table(found.ranks),
        run_means_table(found.ranks, _SIDES),
        _missed_table(known, found),
    ]
    pooled = None if output is None or nuggets else output / "pooled_nuggets.jsonl"

    def write() -> Iterator[Path]:
        yield from console.write_results(output, tables)
        if pooled is not None:
            write_nuggets(pooled, found.nuggets.values())
            yield pooled

    return console.Result(
        {
            "nuggets": {topic: len(bank.nuggets) for topic, bank in found.nuggets.items()},
            "missed": {
                topic_id: [
                    {"rank": one.rank, "importance": one.importance.name, "question": one.text}
                    for one in questions
                ]
                for topic_id, questions in found.missed.items()
            },
            tables[2].name: tables[2].records,
            **asdict(found.ranks),
        },
        [
            *tables,
            *(
                f"no nugget answers, {topic_id}, {one.importance.name}: {one.text}"
                for topic_id, questions in found.missed.items()
                for one in questions
            ),
            *console.few_runs_warnings(len(found.ranks.run_tags)),
            console.Files(write),
        ],
    )


def _missed_table(rubrics: Mapping[str, Rubric], found: NormComparison) -> console.ResultTable:
    """Return how many questions of each importance no nugget answers."""
    asked = Counter(one.importance for rubric in rubrics.values() for one in rubric.questions)
    missed = Counter(one.importance for questions in found.missed.values() for one in questions)
    columns = [
        console.Column("experts' questions", "importance", attrgetter("name")),
        console.Column("asked", "questions", asked.__getitem__),
        console.Column("no nugget answers", "missed", missed.__getitem__),
    ]
    labels = sorted(asked, key=lambda label: -label.credit)
    return console.table_of("missed_questions", labels, columns)
