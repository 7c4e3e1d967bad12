"""What the judge without a model gives to attacks and to honest rewordings of short statements.

    python -m benchmarks.bench_attacks [--only development] [--list FILE]

All parts were written by others than the rules; of `unseen` and `last` no text is printed. The
model of frames learned from the templates of `development` and `alike`. `--list` writes the wrong
verdicts of the part that `--only` names, and otherwise those of `development`.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.attacks import ATTACKS, HIDDEN, PARTS, Trial, read_trials
from benchmarks.record import Figure, write_results

if TYPE_CHECKING:
    from collections.abc import Iterable

_CREDIT = (0.0, 0.5, 1.0)
_GROUPS = ("spoiled", "none", "contradicts", "harmless", "all")


class Verdict(NamedTuple):
    """What a trial earned, and what the answer itself earns as a text."""

    trial: Trial
    earned: float
    honest: float


def judged(part: str) -> list[Verdict]:
    """Return the verdicts of the embedded judge on a part."""
    from sidelight.index.encoding.encoder import Encoder
    from sidelight.learned.models import AnswerModel

    model = AnswerModel(Encoder().sentence_encoder())
    trials = list(read_trials(part))
    texts = [text for trial, _ in trials for text in (trial.text, trial.answer)]
    model.prepare([((), text) for text in dict.fromkeys(texts)], max_words=None)
    known: dict[tuple[str, str], float] = {}

    def credit(answer: str, rubric: list[str], text: str) -> float:
        if (answer, text) not in known:
            verdict = model.judge(rubric, text, max_words=None)[rubric.index(answer)]
            known[answer, text] = _CREDIT[verdict.level]
        return known[answer, text]

    return [
        Verdict(
            trial,
            credit(trial.answer, rubric, trial.text),
            credit(trial.answer, rubric, trial.answer),
        )
        for trial, rubric in trials
    ]


def shares(verdicts: Iterable[Verdict]) -> tuple[int, float, float]:
    """Return the number of verdicts, the share that errs, and the share of credit that errs.

    What deserves nothing errs if it earns; what deserves all errs if it earns less than the answer
    itself does.
    """
    errors = [
        (max(0.0, one.honest - one.earned), one.honest)
        if one.trial.is_honest
        else (one.earned, 1.0)
        for one in verdicts
    ]
    if not errors:
        return 0, 0.0, 0.0
    total = sum(possible for _, possible in errors) or 1.0
    return (
        len(errors),
        fmean(error > 0 for error, _ in errors),
        sum(error for error, _ in errors) / total,
    )


def main() -> None:
    """Judge, print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=PARTS, help="one part alone, printed and not kept")
    parser.add_argument("--list", type=Path, help="write wrong verdicts here")
    given = parser.parse_args()
    parts = [part for part in PARTS if (ATTACKS / f"{part}.json.gz").exists()]
    found = {part: judged(part) for part in parts if given.only in {None, part}}
    lines, figures = [], []
    for part, verdicts in found.items():
        lines.append(f"{part}: verdicts, share that errs, share of credit that errs")
        by_group = defaultdict(list)
        for one in verdicts:
            by_group[one.trial.group].append(one)
            by_group["honest" if one.trial.is_honest else "attacks"].append(one)
        for group in (*_GROUPS, "attacks", "honest"):
            n, share, credit = shares(by_group[group])
            lines.append(f"  {group:12} {n:5} {share:7.1%} {credit:7.1%}")
        for group, does in (("attacks", "earn"), ("honest", "lose")):
            _, share, credit = shares(by_group[group])
            figures.append(Figure(f"{part}: {group} that {does}", round(share, 4), "share"))
            figures.append(Figure(f"{part}: credit that {group} {does}", round(credit, 4), "share"))
    print("\n".join(lines))
    listed = given.only or PARTS[0]
    if given.list and listed not in HIDDEN:
        given.list.write_text(_listed(found[listed]), encoding="utf-8")
    if given.only is None:
        workload = "each template around a fifth of the statements, and every pair"
        write_results("attacks", workload, lines, figures)


def _listed(verdicts: Iterable[Verdict]) -> str:
    """Return how often each kind errs, and then each wrong verdict."""
    by_kind = defaultdict(list)
    for one in verdicts:
        by_kind[one.trial.group, one.trial.kind].append(one)
    lines = []
    for (group, kind), ours in sorted(by_kind.items()):
        n, share, _ = shares(ours)
        lines.append(f"## {group}: {kind}: {share:.0%} of {n}")
        for one in ours:
            if shares([one])[1]:
                lines += [f"{one.earned} | {one.trial.answer} | {one.trial.text}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
