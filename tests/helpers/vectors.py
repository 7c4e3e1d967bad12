"""Vectors of the bundled encoder, computed once in a whole test run.

Encoding takes most of the time of a run, and hundreds of tests encode the same pages. A text has
the same bytes in any company (`tests/index/encoding` holds the encoder to that), so the vector that
the first test computed serves all others, in this process and in those beside it. Encoders of other
models, dimensions or arithmetics are left alone.

`python -m tests.helpers.vectors WORDS...` carries `sidelight WORDS...` out with them.
"""

import hashlib
import os
import runpy
import sqlite3
import sys
import threading
from contextlib import closing, contextmanager
from unittest.mock import patch

import numpy as np

from sidelight.index.encoding.encoder import DEFAULT_ENCODER, Encoder

VARIABLE = "SIDELIGHT_TEST_VECTORS"
"""Names the file of vectors, for commands that tests carry out in processes of their own."""
PROGRAM = [sys.executable, "-m", "tests.helpers.vectors"]
"""Begins a command of sidelight that is to be a process of its own."""
_REAL = {"_load": Encoder._load, "_encode": Encoder._encode}


def computed():
    """Let encoders compute all vectors again, in a context: for tests of encoders themselves."""
    return patch.multiple(Encoder, **_REAL)


@contextmanager
def remembered(path):
    """Let encoders look vectors up in a file, and add those that it lacks, in a context.

    A model is loaded once for all encoders of a process.
    """
    vectors: dict[bytes, np.ndarray] = {}
    models: list[tuple[object, str]] = []
    lock = threading.RLock()
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB)")

    def is_bundled(encoder):
        return (encoder.name, encoder._dimension, encoder.arithmetic) == (
            DEFAULT_ENCODER,
            None,
            None,
        )

    def load(encoder):
        if not is_bundled(encoder):
            return _REAL["_load"](encoder)
        with lock:
            if not models:
                models.append((_REAL["_load"](encoder), encoder._weights))
        model, encoder._weights = models[0]
        return model

    def encode(encoder, texts, prompt, shape):
        if not is_bundled(encoder) or not texts:
            return _REAL["_encode"](encoder, texts, prompt, shape)
        keys = [
            hashlib.sha256(f"{shape} {prompt}{text}".encode(errors="surrogatepass")).digest()
            for text in texts
        ]
        with lock:
            new = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}
            with closing(sqlite3.connect(path, timeout=60)) as database, database:
                database.execute("PRAGMA synchronous = OFF")
                for key in new:
                    select = "SELECT vector FROM vectors WHERE key = ?"
                    for (found,) in database.execute(select, (key,)):
                        vectors[key] = np.frombuffer(found, np.float32)
                made = {key: text for key, text in new.items() if key not in vectors}
            if made:
                found = _REAL["_encode"](encoder, list(made.values()), prompt, shape)
                vectors.update(zip(made, found, strict=True))
                with closing(sqlite3.connect(path, timeout=60)) as database, database:
                    database.execute("PRAGMA synchronous = OFF")
                    rows = ((key, vectors[key].tobytes()) for key in made)
                    database.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
        return np.stack([vectors[key] for key in keys])

    with patch.multiple(Encoder, _load=load, _encode=encode):
        yield


if __name__ == "__main__":
    with remembered(os.environ[VARIABLE]):
        runpy.run_module("sidelight.cli.main", run_name="__main__")
