"""Encoding in each arithmetic against `SentenceTransformer.encode` as it comes.

The model is the bundled one, with an int8 ONNX file made of it here.

Run with: python -m benchmarks.bench_encode
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from transformers import AutoModel

from benchmarks.interleaved import compare
from benchmarks.mini_web_passages import mini_web_passages
from benchmarks.record import write_results
from sidelight.index.encoding.calibration import agreement, calibrate
from sidelight.index.encoding.encoder import Encoder, bundled_model
from sidelight.index.encoding.onnx_model import Arithmetic
from tests.helpers.models.int8_models import write_int8

TIMED, ROUNDS = 256, 3
QUERIES = 20


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_results("encode", *figures_of(write_model(Path(folder) / "model")))


def write_model(folder: Path) -> str:
    shutil.copytree(bundled_model(), folder)
    model = AutoModel.from_pretrained(folder, dtype=torch.float32)
    write_int8(folder, model, "last_hidden_state")
    return str(folder)


def figures_of(model: str) -> tuple[str, list[object]]:
    """Return the workload and the figures."""
    texts = mini_web_passages()
    timed = texts[:: len(texts) // TIMED][:TIMED]
    queries = [" ".join(text.split()[10:22]) for text in timed[:QUERIES]]
    peer, encoder = SentenceTransformer(model, device="cpu"), Encoder(model)
    reference = peer.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    lengths = [len(ids) for ids in peer.tokenizer(timed, truncation=True)["input_ids"]]
    figures: list[object] = []
    for arithmetic in [Arithmetic.FP32, *sorted(encoder.faster())]:
        ours = encoder.in_arithmetic(arithmetic)
        figures += [
            compare(
                f"{TIMED} passages in {arithmetic}",
                lambda ours=ours: ours.encode_documents(timed),
                lambda: peer.encode(timed, show_progress_bar=False),
                ROUNDS,
            ),
            compare(
                f"{QUERIES} queries of 12 words in {arithmetic}, one after the other",
                lambda ours=ours: [ours.encode_queries([query]) for query in queries],
                lambda: [peer.encode([query], show_progress_bar=False) for query in queries],
                ROUNDS,
            ),
            f"  {arithmetic}: {agreement(ours.encode_documents(texts), reference)}",
        ]
        print(figures[-1], flush=True)
    figures.append(f"a build would choose: {calibrate(encoder, timed)}")
    workload = (
        f"segments of the mini web, {np.mean(lengths):.0f} tokens on average "
        f"({np.percentile(lengths, 5):.0f} to {np.percentile(lengths, 95):.0f} for nine of ten), "
        "all-MiniLM-L6-v2; the peer is SentenceTransformer.encode in single precision"
    )
    return workload, figures


if __name__ == "__main__":
    main()
