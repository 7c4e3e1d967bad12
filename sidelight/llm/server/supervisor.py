"""Process supervisor that ends a command's process group when its starter ends.

Started as a script of its own, in a session of its own, with its standard input a pipe that only
the starter holds: however the starter ends, even by `kill -9`, the pipe does too.
`PR_SET_PDEATHSIG` would reach only the direct child, and fires when the starting thread ends.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from contextlib import suppress

_CHILD_POLL_S = 0.2  # how soon the end of the child is noticed
_GRACE_S = 10.0


def main() -> None:
    """Run the command line's command; end its group when it ends or when standard input does."""
    # Not SIG_IGN, which the command would inherit.
    signal.signal(signal.SIGTERM, lambda *_: None)
    child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)  # noqa: S603 - vllm serve
    while child.poll() is None:
        if select.select([sys.stdin], [], [], _CHILD_POLL_S)[0]:  # nobody writes: this is the end
            os.killpg(0, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                child.wait(_GRACE_S)
            break
    # What it left behind as well, and this process, which is one of the group.
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
