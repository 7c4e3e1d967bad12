"""Vectors of the bundled encoder, computed once in a whole test run.

Encoding takes most of the time of a run, and hundreds of tests encode the same pages. A text has
the same bytes in any company (`tests/index/encoding` holds the encoder to that), so the vector that
the first test computed serves all others, in this process and in those beside it. Where no vector
is missing the model is not even loaded. Encoders of other models are left alone.

`python -m tests.helpers.vectors WORDS...` carries `sidelight WORDS...` out with them.
"""

import hashlib
import os
import pickle
import runpy
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager, suppress
from unittest.mock import patch

import numpy as np

from sidelight.index.encoding.encoder import DEFAULT_ENCODER, Encoder, EncoderIdentity
from sidelight.text_vectors import WordVectors

VARIABLE = "SIDELIGHT_TEST_VECTORS"
"""Names the file of vectors, for commands that tests carry out in processes of their own."""
PROGRAM = [sys.executable, "-m", "tests.helpers.vectors"]
"""Begins a command of sidelight that is to be a process of its own."""


def start(*words):
    """Start a command of sidelight in a process of its own, which Ctrl-C ends."""
    # Where the shell that began the tests ignores Ctrl-C, a child would, too.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        pipe = subprocess.PIPE
        return subprocess.Popen([*PROGRAM, *map(str, words)], stdout=pipe, stderr=pipe, text=True)
    finally:
        signal.signal(signal.SIGINT, before)


_ENCODES = ("encode_queries", "encode_documents", "encode_sentences")
_REAL = {name: getattr(Encoder, name) for name in ("_load", "identity", "encode_words", *_ENCODES)}


class _Kept:
    """What encoders made, by encoder and text, in a file that processes share."""

    def __init__(self, path):
        self._path = path
        self._known: dict[bytes, bytes] = {}
        self._lock = threading.RLock()
        while not self._is_ready():  # SQLite does not wait where two processes change the mode
            time.sleep(0.1)

    def _is_ready(self):
        with suppress(sqlite3.OperationalError), self._opened() as database:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, made BLOB)")
            return True
        return False

    @contextmanager
    def _opened(self):
        # For each use, since a process that is forked may not have it.
        with closing(sqlite3.connect(self._path, timeout=60)) as database, database:
            database.execute("PRAGMA synchronous = OFF")
            yield database

    def get(self, encoder, kind, texts, make):
        """Return what is kept of each text; `make` makes what is missing of some texts."""
        made_with = f"{kind} {encoder._dimension or 384} {encoder.arithmetic}"
        keys = [
            hashlib.sha256(f"{made_with} {text}".encode(errors="surrogatepass")).digest()
            for text in texts
        ]
        with self._lock:
            new = dict(zip(keys, texts, strict=True))
            new = {key: text for key, text in new.items() if key not in self._known}
            with self._opened() as database:
                for key in new:
                    found = database.execute("SELECT made FROM kept WHERE key = ?", (key,))
                    self._known.update((key, made) for (made,) in found)
            if missing := {key: text for key, text in new.items() if key not in self._known}:
                made = zip(missing, make(list(missing.values())), strict=True)
                self._known.update(made)
                with self._opened() as database:
                    rows = ((key, self._known[key]) for key in missing)
                    database.executemany("INSERT OR IGNORE INTO kept VALUES (?, ?)", rows)
            return [self._known[key] for key in keys]


def computed():
    """Let encoders compute all vectors again, in a context: for tests of encoders themselves."""
    return patch.multiple(Encoder, **_REAL)


def remembered(path):
    """Let encoders look vectors up in a file, and add those that it lacks, in a context.

    A model is loaded once for all encoders of a process.
    """
    kept, models = _Kept(path), {}

    def load(encoder):
        if encoder.name != DEFAULT_ENCODER:
            return _REAL["_load"](encoder)
        made_with = encoder._dimension or 384, encoder.arithmetic
        if made_with not in models:
            models[made_with] = _REAL["_load"](encoder), encoder._weights
        model, encoder._weights = models[made_with]
        return model

    def identity(encoder):
        if encoder.name != DEFAULT_ENCODER:
            return _REAL["identity"](encoder)
        (found,) = kept.get(
            encoder,
            "identity",
            [""],
            lambda _: [_REAL["identity"](encoder).model_dump_json().encode()],
        )
        return EncoderIdentity.model_validate_json(found)

    def remembering(name):
        def encode(encoder, texts):
            if encoder.name != DEFAULT_ENCODER or not texts:
                return _REAL[name](encoder, texts)
            found = kept.get(
                encoder,
                name,
                texts,
                lambda new: [row.tobytes() for row in _REAL[name](encoder, new)],
            )
            return np.stack([np.frombuffer(row, np.float32) for row in found])

        return encode

    def encode_words(encoder, texts):
        real = _REAL["encode_words"]
        if encoder.name != DEFAULT_ENCODER:
            return real(encoder, texts)
        found = kept.get(
            encoder, "encode_words", texts, lambda new: map(pickle.dumps, real(encoder, new))
        )
        return list(map(pickle.loads, found))

    encodes = {name: remembering(name) for name in _ENCODES} | {"encode_words": encode_words}
    return patch.multiple(Encoder, _load=load, identity=identity, **encodes)


def words_of(encode):
    """Return what gives each word of a text, taken alone, its vector by a test's own encoder."""
    return lambda texts: [
        WordVectors(tuple(words), encode(words) if words else np.zeros((0, 1), np.float32))
        for words in map(str.split, texts)
    ]


if __name__ == "__main__":
    with remembered(os.environ[VARIABLE]):
        runpy.run_module("sidelight.cli.main", run_name="__main__")
