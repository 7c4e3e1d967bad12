"""A command that asks a model, killed at random moments and called again until it has ended."""

import random
import signal
import sqlite3
import subprocess
from contextlib import closing

from tests.helpers.models.fault_server import FaultServer
from tests.helpers.vectors import PROGRAM

AT_ONCE = 4
# It needs half a second or more to begin, and 90 / 4 x 0.03 s or more to ask.
_KILLED_AFTER_S = (0.5, 1.6)


def n_kept(replies):
    """Return how many replies a folder of replies holds."""
    if not (replies / "replies.sqlite").exists():
        return 0
    with closing(sqlite3.connect(replies / "replies.sqlite", timeout=60)) as database:
        try:
            found: int = database.execute("SELECT count(*) FROM replies").fetchone()[0]
        except sqlite3.OperationalError:  # killed before the table was made
            return 0
        return found


def kill_and_go_on(kills, command, folder, *, n_calls, says, check):
    """Kill a command again and again; no reply may be lost, and none asked for twice.

    `command` makes the words of the command for a folder of results, which makes `n_calls` calls
    undisturbed and ends with what it `says` on stderr; `check` looks at such a folder.
    """
    rng, killed = random.Random(kills), 0
    with FaultServer(latency_s=0.03) as slow:
        while killed < kills:
            out = folder / f"after-{killed}"
            while True:
                kept, asked = n_kept(out / "replies"), slow.stats().calls
                words = [*command(out), "--base-url", slow.base_url, "--at-once", AT_ONCE]
                process = subprocess.Popen(
                    [*PROGRAM, *map(str, words)],
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
