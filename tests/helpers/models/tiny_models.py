"""Real encoders and cross-encoders with few random weights, as sentence-transformers folders."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import torch
from transformers import AutoModel, AutoTokenizer, BertConfig, BertModel

from sidelight.index.encoding.encoder import bundled_model
from tests.helpers.models.int8_models import write_int8


def write_encoder(
    folder: Path, pooling: str = "mean", prompts: Mapping[str, str] | None = None, seed: int = 7
) -> Path:
    """Write an encoder that pools by `mean`, `cls` or `lasttoken`, and return its folder."""
    torch.manual_seed(seed)
    config = BertConfig(
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        initializer_range=0.2,
    )
    BertModel(config).save_pretrained(folder)
    AutoTokenizer.from_pretrained(bundled_model()).save_pretrained(folder)
    modes = {"mean": "mean_tokens", "cls": "cls_token", "lasttoken": "lasttoken"}
    files = {
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {
                "idx": 1,
                "name": "1",
                "path": "1_Pooling",
                "type": "sentence_transformers.models.Pooling",
            },
        ],
        "sentence_bert_config.json": {"max_seq_length": 64, "do_lower_case": False},
        "config_sentence_transformers.json": {"prompts": dict(prompts or {})},
        "1_Pooling/config.json": {
            "word_embedding_dimension": 32,
            **{f"pooling_mode_{name}": mode == pooling for mode, name in modes.items()},
        },
    }
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


def write_encoder_with_int8(folder: Path) -> Path:
    """Write an encoder that comes with an int8 ONNX file, and return its folder."""
    write_encoder(folder)
    write_int8(folder, AutoModel.from_pretrained(folder), "last_hidden_state")
    return folder


def hidden_states(folder: Path, text: str) -> torch.Tensor:
    """Return what the transformer alone makes of a text, (n_tokens, 32)."""
    tokens = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    with torch.inference_mode():
        states: torch.Tensor = AutoModel.from_pretrained(folder)(**tokens).last_hidden_state[0]
    return states
