"""Effects of an experiment's arms: difference from the base arm with intervals, and their plots."""

from __future__ import annotations

from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sidelight.evaluation.figures import (
    DARK_BLUE,
    GREY,
    ORANGE,
    PALE_GREY,
    open_figure,
    short_name,
    tidy_axes,
)
from sidelight.evaluation.scoring.compare import compare_runs, topic_values
from sidelight.evaluation.scoring.table import bootstrap_intervals
from sidelight.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from sidelight.evaluation.scoring.compare import PairedComparison, TopicValues
    from sidelight.evaluation.scoring.table import Interval, TopicScore
    from sidelight.schemas.grading.judgment import Measure


class ArmMean(NamedTuple):
    """An arm's mean over topics, with its 95% interval; None with fewer than 3 topics.

    Where a measure is undefined on all topics there is neither.
    """

    mean: float | None
    interval: Interval | None


class MeasureEffects(NamedTuple):
    """One measure over all arms.

    Attributes:
        measure: What was measured.
        values: By arm, its value on each topic.
        means: By arm.
        effects: By arm but the base: its mean less the base's. Chance is corrected for the number
            of arms by Holm's method.
    """

    measure: Measure
    values: TopicValues
    means: dict[str, ArmMean]
    effects: dict[str, PairedComparison]


def find_effects(
    scores: Sequence[TopicScore], base: str, *, samples: int, seed: int
) -> list[MeasureEffects]:
    """Return what arms do by every measure, in the order of the scores' measures.

    Args:
        scores: Of every arm on every topic.
        base: Name of the base arm.
        samples: Bootstrap samples and random sign patterns.
        seed: Of both.
    """
    found = []
    for measure in scores[0].values:
        values = topic_values(scores, measure, Path("the arms"))
        matrix = np.array(list(values.values.values()))
        intervals = bootstrap_intervals(matrix, samples=samples, seed=seed)
        means = {
            name: ArmMean(float(row.mean()), interval) if values.defined else ArmMean(None, None)
            for name, row, interval in zip(values.values, matrix, intervals, strict=True)
        }
        effects = {}
        if len(values.values) > 1 and values.defined:
            pairs = compare_runs(values, baseline=base, samples=samples, seed=seed)
            effects = {pair.first: pair for pair in pairs}
        found.append(MeasureEffects(values.measure, values, means, effects))
    return found


_ROW = 0.32  # inches
_PANELS = 4  # beside each other
_SIGNIFICANT = 0.05


def draw_effects(found: MeasureEffects, base: str, paths: Sequence[Path]) -> None:
    """Draw each arm's difference from the base arm with its 95% interval, the best on top.

    Filled points differ from the base at the 5% level after Holm's correction.
    """
    arms = sorted(found.effects, key=lambda name: found.effects[name].difference)
    with open_figure((6.4, 1.3 + _ROW * len(arms)), paths) as figure:
        axes = figure.subplots()
        axes.axvline(0, color=GREY, linewidth=1)
        for place, name in enumerate(arms):
            effect = found.effects[name]
            if effect.interval is not None:
                axes.plot(effect.interval, (place, place), color=DARK_BLUE, linewidth=1.5)
            known = effect.p_holm < _SIGNIFICANT
            axes.plot(
                effect.difference,
                place,
                "o",
                color=DARK_BLUE,
                markerfacecolor=DARK_BLUE if known else "white",
                gid=f"effect-{place}",
            )
        axes.set_yticks(range(len(arms)), [short_name(name) for name in arms], fontsize="small")
        axes.set_ylim(-0.7, len(arms) - 0.3)
        better = f"{found.measure.direction} is better"
        axes.set_xlabel(
            f"difference in {found.measure.name} from {base} ({better})", fontsize="small"
        )
        tidy_axes(axes, "x")
        figure.suptitle(
            f"{found.measure.name}: 95% intervals over "
            f"{counted(len(found.values.topic_ids), 'topic')}; filled: p < .05 (Holm)",
            fontsize="small",
        )


def draw_slopes(found: MeasureEffects, base: str, paths: Sequence[Path]) -> None:
    """Draw, for each arm, every topic's value in the base arm and in the arm."""
    arms = list(found.effects)
    columns = min(_PANELS, len(arms))
    rows = ceil(len(arms) / columns)
    with open_figure((1.9 * columns + 0.6, 2.4 * rows + 0.5), paths) as figure:
        panels = figure.subplots(rows, columns, sharey=True, squeeze=False).ravel()
        for axes, name in zip(panels, arms, strict=False):
            _draw_panel(axes, found, base, name)
        for axes in panels[len(arms) :]:
            axes.set_visible(False)
        figure.suptitle(
            f"{found.measure.name} per topic: dark lines gain, orange lines lose", fontsize="small"
        )


def _draw_panel(axes: Axes, found: MeasureEffects, base: str, name: str) -> None:
    sign = found.measure.sign
    values = found.values.values
    for before, after in zip(values[base], values[name], strict=True):
        gain = sign * (after - before)
        colour = DARK_BLUE if gain > 0 else ORANGE if gain < 0 else PALE_GREY
        axes.plot((0, 1), (before, after), color=colour, alpha=0.6, linewidth=1)
    axes.set_xticks((0, 1), ("base", "arm"), fontsize="x-small")
    axes.set_xlim(-0.15, 1.15)
    effect = found.effects[name]
    axes.set_title(f"{short_name(name)}\n{effect.won} won, {effect.lost} lost", fontsize="x-small")
    axes.tick_params(axis="y", labelsize="x-small")
    tidy_axes(axes, "y")
