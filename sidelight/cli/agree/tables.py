"""Tables of agreement: coefficients, confusion matrices, shares of labels, correlations."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sidelight.cli.console import ResultTable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidelight.evaluation.agreement.labels import CategoryAgreement
    from sidelight.evaluation.agreement.ranks import Bootstrap, ScoreComparison
    from sidelight.evaluation.scoring.table import Interval


def grade_tables(
    found: CategoryAgreement, sides: tuple[str, str], prefix: str
) -> list[ResultTable]:
    """Return the tables of grades, from the lowest up, and which way the second side leans."""
    values = leaning(found)
    table = ResultTable(
        f"{prefix}_lean",
        [f"{sides[1]} against {sides[0]}", "higher", "lower", "mean difference"],
        [
            [
                str(values["direction"]),
                str(values["higher"]),
                str(values["lower"]),
                f"{values['mean']:+.3f}",
            ]
        ],
        [values],
    )
    return [*category_tables(found, {}, sides, prefix), table]


def leaning(found: CategoryAgreement) -> dict[str, object]:
    """Return which way the second side leans, by name."""
    from sidelight.evaluation.agreement.labels import lean

    leans = lean(found)
    return leans._asdict() | {"direction": leans.words}


def category_tables(  # long: three tables side by side
    found: CategoryAgreement,
    parts: Mapping[str, CategoryAgreement],
    sides: tuple[str, str],
    prefix: str,
) -> list[ResultTable]:
    """Return the coefficients, the confusion matrix and the label shares.

    Args:
        found: Agreement on everything.
        parts: On parts of it, by name; they get rows in the table of coefficients.
        sides: What to call the first and the second side.
        prefix: How the names of the files begin.
    """
    from sidelight.evaluation.figures import draw_confusion, draw_label_shares

    one, other = sides
    rows = {"agreement": found, **parts}
    bounded = ["kappa, 95%", "AC1, 95%"] if found.intervals else []
    return [
        ResultTable(
            f"{prefix}_agreement",
            [f"{len(found.categories)} categories", "n", "raw", "kappa", "AC1", *bounded],
            [
                [
                    title,
                    str(part.n),
                    *(decimal(part.coefficients[name]) for name in ("raw", "kappa", "ac1")),
                    *(_bounds(part.intervals[name]) for name in ("kappa", "ac1") if part.intervals),
                ]
                for title, part in rows.items()
            ],
            [
                {"part": title, "n": part.n} | part.coefficients | _ends(part.intervals)
                for title, part in rows.items()
            ],
        ),
        ResultTable(
            f"{prefix}_confusion",
            [f"{one} (rows), {other}", *found.categories],
            [
                [category, *map(str, counts)]
                for category, counts in zip(found.categories, found.table.tolist(), strict=True)
            ],
            [
                {"first": category} | dict(zip(found.categories, counts, strict=True))
                for category, counts in zip(found.categories, found.table.tolist(), strict=True)
            ],
            partial(draw_confusion, found, sides),
        ),
        ResultTable(
            f"{prefix}_shares",
            ["share of labels", one, other, "difference", "ratio"],
            [
                [
                    category,
                    f"{left:.1%}",
                    f"{right:.1%}",
                    f"{right - left:+.1%}",
                    _ratio(found.share_ratios[category]),
                ]
                for category, (left, right) in found.shares.items()
            ],
            [
                {
                    "label": category,
                    "first": left,
                    "second": right,
                    "difference": right - left,
                    "ratio": found.share_ratios[category],
                }
                for category, (left, right) in found.shares.items()
            ],
            partial(draw_label_shares, found, sides),
        ),
    ]


def correlation_table(found: ScoreComparison) -> ResultTable:
    """Return the correlations, a row for each."""
    rows, records = [], []
    for name, value in found.runs.items():
        interval, topics, pairs = found.intervals[name], found.topics[name], found.pairs[name]
        rows.append(
            [
                name.replace("_", "-"),
                decimal(value),
                ends(interval),
                decimal(topics.mean),
                f"{decimal(topics.low)} to {decimal(topics.high)}",
                decimal(pairs),
            ]
        )
        records.append(
            {
                "correlation": name,
                "runs": value,
                "interval_low": interval.low,
                "interval_high": interval.high,
                "topics_mean": topics.mean,
                "topics_low": topics.low,
                "topics_high": topics.high,
                "pairs": pairs,
            }
        )
    header = ["correlation", "runs", "interval", "mean of topics", "topics", "all pairs"]
    return ResultTable(f"{found.measure}_correlations", header, rows, records)


def run_means_table(found: ScoreComparison, sides: tuple[str, str]) -> ResultTable:
    """Return the mean of each run on both sides, which the scatter shows."""
    from sidelight.evaluation.figures import draw_run_means

    means = list(zip(found.run_tags, *found.means, strict=True))
    return ResultTable(
        f"{found.measure}_run_means",
        ["run", *sides],
        [[run_tag, f"{first:.4f}", f"{second:.4f}"] for run_tag, first, second in means],
        [
            {"run_tag": run_tag, "first": first, "second": second}
            for run_tag, first, second in means
        ],
        partial(draw_run_means, found, sides),
    )


def score_tables(found: ScoreComparison, sides: tuple[str, str]) -> list[ResultTable]:
    """Return the runs' means on both sides, and the scores by topic behind them."""
    return [run_means_table(found, sides), _topic_cloud_table(found, sides)]


def _topic_cloud_table(found: ScoreComparison, sides: tuple[str, str]) -> ResultTable:
    """Return each run's score on each topic on both sides, which the cloud shows."""
    from sidelight.evaluation.figures import draw_topic_cloud

    cells = [
        (run_tag, *cell)
        for run_tag, *by_topic in zip(found.run_tags, *found.scores, strict=True)
        for cell in zip(found.topic_ids, *by_topic, strict=True)
    ]
    return ResultTable(
        f"{found.measure}_topic_scores",
        ["run", "topic", *sides],
        [[run_tag, topic, f"{one:.4f}", f"{other:.4f}"] for run_tag, topic, one, other in cells],
        [
            {"run_tag": run_tag, "topic_id": topic, "first": one, "second": other}
            for run_tag, topic, one, other in cells
        ],
        partial(draw_topic_cloud, found, sides),
    )


def ends(interval: Bootstrap) -> str:
    """Return the interval of a correlation as tables show it."""
    if interval.low is None or interval.high is None:
        return "-"
    return f"{interval.low:.3f} to {interval.high:.3f}"


def decimal(value: float | None) -> str:
    """Return a coefficient as tables show it."""
    return "undefined" if value is None else f"{value:.3f}"


def _bounds(interval: Interval | None) -> str:
    return "undefined" if interval is None else f"{interval.low:.3f} to {interval.high:.3f}"


def _ends(intervals: Mapping[str, Interval | None]) -> dict[str, float | None]:
    """Return both ends of each interval, by the names of their columns."""
    ends: dict[str, float | None] = {}
    for name, interval in intervals.items():
        ends[f"{name}_low"] = interval and interval.low
        ends[f"{name}_high"] = interval and interval.high
    return ends


def _ratio(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"
