"""A command that asks a model, killed at random moments and called again until it has ended."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tests.helpers.models.fault_server import FaultServer

AT_ONCE = 4
# It needs half a second or more to begin, and 90 / 4 x 0.03 s or more to ask.
_KILLED_AFTER_S = (0.5, 1.6)


def n_kept(replies: Path) -> int:
    """Return how many replies a folder of replies holds."""
    if not (replies / "replies.sqlite").exists():
        return 0
    with closing(sqlite3.connect(replies / "replies.sqlite", timeout=60)) as database:
        try:
            found: int = database.execute("SELECT count(*) FROM replies").fetchone()[0]
        except sqlite3.OperationalError:  # killed before the table was made
            return 0
        return found


def kill_and_go_on(
    kills: int,
    command: Callable[[Path], list[object]],
    folder: Path,
    *,
    n_calls: int,
    says: str,
    check: Callable[[Path], None],
) -> None:
    """Kill a command again and again; no reply may be lost, and none asked for twice.

    Args:
        kills: How often it is killed in all.
        command: Makes the words of the command for a folder of results.
        folder: Where such folders are made.
        n_calls: How many calls the command makes undisturbed.
        says: What it says on stderr at its end.
        check: Looks at a folder of results, with `replies` in it.
    """
    rng, killed = random.Random(kills), 0
    with FaultServer(latency_s=0.03) as slow:
        while killed < kills:
            out = folder / f"after-{killed}"
            while True:
                kept, asked = n_kept(out / "replies"), slow.stats().calls
                words = [*command(out), "--base-url", slow.base_url, "--at-once", AT_ONCE]
                process = subprocess.Popen(
                    [sys.executable, "-m", "sidelight.cli.main", *map(str, words)],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                try:
                    process.wait(rng.uniform(*_KILLED_AFTER_S) if killed < kills else None)
                except subprocess.TimeoutExpired:
                    process.kill()
                _, errors = process.communicate()
                new_asked = slow.stats().calls - asked
                if process.returncode != -signal.SIGKILL:
                    break
                killed += 1
                # Only calls under way were made in vain.
                assert new_asked - (n_kept(out / "replies") - kept) <= AT_ONCE
            assert (process.returncode, errors) == (0, says)
            assert new_asked == n_calls - kept
            check(out)
