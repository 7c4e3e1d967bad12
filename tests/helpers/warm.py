"""Commands as children of a process that has imported what takes seconds to import.

`python warm.py SOCKET` waits at a socket until its stdin ends. `python warm.py SOCKET WORDS...` has
it carry out `sidelight WORDS...` with the folder, the environment and the streams of its caller.
"""

import json
import os
import runpy
import select
import socket
import sys
import traceback
from pathlib import Path


def serve(path):
    import faiss  # noqa: F401
    import langgraph.graph  # noqa: F401
    import sentence_transformers  # noqa: F401
    import spacy  # noqa: F401

    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        listening.bind(path)
        listening.listen()
        print("ready", flush=True)
        while sys.stdin not in select.select([listening, sys.stdin], [], [])[0]:
            with listening.accept()[0] as caller:
                message, streams, *_ = socket.recv_fds(caller, 1 << 20, 3)
                child = os.fork()
                if not child:
                    os._exit(carry_out(**json.loads(message), streams=streams))
                for stream in streams:
                    os.close(stream)
                caller.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())


def carry_out(words, folder, environment, streams):
    """Do what `python -m sidelight.cli.main` would, and return its exit status."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = environment["PYTHONPATH"].split(os.pathsep)
    sys.argv = ["sidelight", *words]
    vectors = runpy.run_path(str(Path(__file__).with_name("vectors.py")))
    try:
        with vectors["remembered"](environment[vectors["VARIABLE"]]):
            runpy.run_module("sidelight.cli.main", run_name="__main__")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def ask(path, words):
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
        server.connect(path)
        asked = {"words": words, "folder": os.getcwd(), "environment": dict(os.environ)}  # noqa: PTH109
        socket.send_fds(server, [json.dumps(asked).encode()], [0, 1, 2])
        return int(server.recv(100))


if __name__ == "__main__":
    if sys.argv[2:]:
        sys.exit(ask(sys.argv[1], sys.argv[2:]))
    serve(sys.argv[1])
