"""Index folders: built from shards of segments into a docstore, Lucene, vectors, and a manifest."""

from __future__ import annotations

import os

# Read by OpenMP when torch or FAISS loads it. Its default is that threads without work spin, which
# on a machine that others use too costs ten times the speed it gains on an idle one.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
