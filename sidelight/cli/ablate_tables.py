"""Tables, notes and JSON document of an ablation: means, effects and values by topic."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sidelight.ablation.effects import draw_effects, draw_slopes
from sidelight.cli.console import Note, ResultTable, few_warnings, undefined_warnings
from sidelight.cli.options.judges import interval_cell
from sidelight.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sidelight.ablation.effects import MeasureEffects
    from sidelight.ablation.grid import Arm
    from sidelight.ablation.measures import ArmCost
    from sidelight.evaluation.scoring.uncertainty import Interval


def means_table(
    arms: Sequence[Arm], effects: Sequence[MeasureEffects], costs: Mapping[str, ArmCost]
) -> ResultTable:
    """Return every arm's means by every measure, with what it asked of models."""
    names = [arm.name for arm in arms]
    return ResultTable(
        "means",
        [
            "arm",
            *(found.measure.name for found in effects),
            *(["calls", "tokens"] if costs else []),
        ],
        [
            [
                name,
                *(found.measure.shown(found.means[name].mean) for found in effects),
                *([str(costs[name].calls), str(costs[name].tokens)] if costs else []),
            ]
            for name in names
        ],
        [
            {
                "arm": name,
                "measure": found.measure.name,
                "mean": found.means[name].mean,
                **_ends(found.means[name].interval),
            }
            for name in names
            for found in effects
        ],
    )


def effects_table(found: MeasureEffects, base: str) -> ResultTable:
    """Return what each arm does by one measure."""
    return ResultTable(
        f"effects_{_file_name(found.measure.name)}",
        [
            *(f"{found.measure.name}: arm", "mean", "95%", "less base", "95%"),
            *("p", "p (Holm)", "won", "lost", "tied"),
        ],
        [
            [
                name,
                found.measure.shown(found.means[name].mean),
                interval_cell(found.means[name].interval),
                f"{effect.difference:+.4f}",
                interval_cell(effect.interval),
                f"{effect.p_value:.4f}",
                f"{effect.p_holm:.4f}",
                *map(str, (effect.won, effect.lost, effect.tied)),
            ]
            for name, effect in found.effects.items()
        ],
        [
            {
                "arm": name,
                "mean": found.means[name].mean,
                **_ends(found.means[name].interval, "mean"),
                "difference": effect.difference,
                **_ends(effect.interval),
            }
            | {key: getattr(effect, key) for key in ("p_value", "p_holm", "won", "lost", "tied")}
            for name, effect in found.effects.items()
        ],
        partial(draw_effects, found, base),
    )


def topics_table(found: MeasureEffects, base: str) -> ResultTable:
    """Return every arm's value on every topic by one measure."""
    values = found.values
    records: list[dict[str, Any]] = [
        {
            "topic_id": topic_id,
            **{
                name: None if topic_id in values.undefined else row[place]
                for name, row in values.values.items()
            },
        }
        for place, topic_id in enumerate(values.topic_ids)
    ]
    return ResultTable(
        f"topics_{_file_name(found.measure.name)}",
        ["topic", *values.values],
        [
            [record["topic_id"], *(found.measure.shown(record[name]) for name in values.values)]
            for record in records
        ],
        records,
        partial(draw_slopes, found, base),
    )


def notes(
    arms: Sequence[Arm], effects: Sequence[MeasureEffects], costs: Mapping[str, ArmCost]
) -> list[str | Note]:
    """Return how to read the tables, and which arms changed nothing or made invalid files."""
    topic_ids = effects[0].values.topic_ids
    undefined = {
        found.measure.name: found.values.undefined for found in effects if found.values.undefined
    }
    lines: list[str | Note] = [
        (
            f"note: base {arms[0].name}; {counted(len(topic_ids), 'topic')}; p: paired "
            "randomisation test, two-sided; Holm: corrected for the number of arms"
        ),
        *undefined_warnings(undefined, len(topic_ids), "topic"),
        *few_warnings(len(topic_ids), "topic"),
    ]
    first_with: dict[str, str] = {}
    for arm in arms:
        if arm.same_as:
            lines.append(f"{arm.name} has the settings of {arm.same_as}.")
        elif costs and (same := first_with.setdefault(costs[arm.name].files, arm.name)) != arm.name:
            lines.append(f"{arm.name} made the same files as {same}, byte for byte.")
        if costs and costs[arm.name].errors:
            errors = counted(costs[arm.name].errors, "error")
            lines.append(Note(f"{arm.name}: {errors} in its files.", "red", on_stderr=True))
    return lines


def experiment_json(
    arms: Sequence[Arm], effects: Sequence[MeasureEffects], costs: Mapping[str, ArmCost]
) -> dict[str, Any]:
    """Return all figures."""
    return {
        "base": arms[0].name,
        "arms": [
            {
                "name": arm.name,
                "changes": arm.changes,
                "same_as": arm.same_as,
                "cost": costs[arm.name]._asdict() if costs else None,
            }
            for arm in arms
        ],
        "measures": [
            {
                "measure": found.measure.name,
                "n_topics": len(found.values.topic_ids),
                "undefined": list(found.values.undefined),
                "means": {
                    name: {"mean": one.mean, "interval": one.interval and one.interval._asdict()}
                    for name, one in found.means.items()
                },
                "effects": {
                    name: effect._asdict()
                    | {"interval": effect.interval and effect.interval._asdict()}
                    for name, effect in found.effects.items()
                },
            }
            for found in effects
        ],
    }


def _ends(interval: Interval | None, of: str = "interval") -> dict[str, float | None]:
    low, high = interval or (None, None)
    return {f"{of}_low": low, f"{of}_high": high}


def _file_name(measure: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in measure)
