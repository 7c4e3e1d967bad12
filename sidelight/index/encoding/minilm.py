"""The default model in torch alone, for processors: all-MiniLM-L6-v2, a BERT of six layers.

Importing sentence-transformers takes several times as long as encoding a query, and more memory
than the model. Its weights are known by their hash, so that nothing here depends on a
configuration, and the vectors are those of sentence-transformers to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional

_LAYERS, _HEADS, WIDTH, _INNER = 6, 12, 384, 1536
_WORDS, _POSITIONS, _KINDS = 30_522, 512, 2
_EPSILON = 1e-12


class MiniLM(torch.nn.Module):
    """The model with the part of sentence-transformers' interface that an encoder uses.

    `folder` holds `tokenizer.json` and `model.safetensors`. Where the package tokenizers or
    safetensors is not installed, ModuleNotFoundError is raised.
    """

    max_seq_length = 256
    device = torch.device("cpu")

    def __init__(self, folder: Path) -> None:
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        super().__init__()
        self.prompts: Mapping[str, str] = {}
        self._tokens = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokens.enable_truncation(self.max_seq_length)
        self.bert = BertModel()
        self.bert.load_state_dict(
            load_file(folder / "model.safetensors"), strict=False, assign=True
        )

    def get_embedding_dimension(self) -> int:
        """Return the numbers of a vector."""
        return WIDTH

    def tokenizer(self, texts: Sequence[str], **_: object) -> dict[str, list[list[int]]]:
        """Return the tokens of texts, without padding."""
        self._tokens.no_padding()
        return {"input_ids": [one.ids for one in self._tokens.encode_batch_fast(texts)]}

    def pieces(self, token_ids: Sequence[int]) -> list[str]:
        """Return the word pieces that some tokens stand for."""
        return [str(self._tokens.id_to_token(one)) for one in token_ids]

    def preprocess(
        self, texts: Sequence[str], prompt: str, processing_kwargs: Mapping[str, Any]
    ) -> dict[str, torch.Tensor]:
        """Return the tokens of texts, `(n_texts, max_length)`, and which of them are padding."""
        self._tokens.enable_padding(length=processing_kwargs["text"]["max_length"])
        found = self._tokens.encode_batch_fast([prompt + text for text in texts])
        return {
            "input_ids": torch.tensor([one.ids for one in found]),
            "attention_mask": torch.tensor([one.attention_mask for one in found]),
        }

    def forward(self, features: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """Return unit vectors, the mean of the last layer over each text: `(n_texts, 384)`.

        The last layer itself, `(n_texts, n_tokens, 384)`, is beside them.
        """
        attended = features["attention_mask"]
        states = self.bert(features["input_ids"], attended)
        mask = attended.unsqueeze(-1).to(states.dtype)
        total = (states * mask).sum(dim=1, dtype=torch.float32)
        mean = total / mask.sum(dim=1, dtype=torch.float32).clamp(min=1e-9)
        return {
            "sentence_embedding": functional.normalize(mean.to(states.dtype), p=2, dim=-1),
            "token_embeddings": states,
        }


class BertModel(torch.nn.Module):
    """The transformer; parameters are named as in the file of weights."""

    def __init__(self) -> None:
        super().__init__()
        self.embeddings = torch.nn.ModuleDict(
            {
                "word_embeddings": torch.nn.Embedding(_WORDS, WIDTH),
                "position_embeddings": torch.nn.Embedding(_POSITIONS, WIDTH),
                "token_type_embeddings": torch.nn.Embedding(_KINDS, WIDTH),
                "LayerNorm": torch.nn.LayerNorm(WIDTH, eps=_EPSILON),
            }
        )
        layers = torch.nn.ModuleList(_Layer() for _ in range(_LAYERS))
        self.encoder = torch.nn.ModuleDict({"layer": layers})

    def forward(self, token_ids: torch.Tensor, attended: torch.Tensor) -> torch.Tensor:
        """Return the last hidden states, `(n_texts, n_tokens, 384)`."""
        own: Any = self.embeddings
        states: torch.Tensor
        kinds, places = torch.zeros_like(token_ids), torch.arange(token_ids.shape[1])
        states = own["word_embeddings"](token_ids) + own["token_type_embeddings"](kinds)
        states = own["LayerNorm"](states + own["position_embeddings"](places.unsqueeze(0)))
        # Without a mask torch takes another way, whose sums are rounded otherwise.
        mask = (
            None
            if attended.all()
            else attended.bool()[:, None, None, :].expand(-1, 1, token_ids.shape[1], -1)
        )
        layers: Any = self.encoder["layer"]
        for layer in layers:
            states = layer(states, mask)
        return states


class _Layer(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        linear, norm = torch.nn.Linear, partial(torch.nn.LayerNorm, WIDTH, eps=_EPSILON)
        own = {name: linear(WIDTH, WIDTH) for name in ("query", "key", "value")}
        output = torch.nn.ModuleDict({"dense": linear(WIDTH, WIDTH), "LayerNorm": norm()})
        self.attention = torch.nn.ModuleDict({"self": torch.nn.ModuleDict(own), "output": output})
        self.intermediate = torch.nn.ModuleDict({"dense": linear(WIDTH, _INNER)})
        self.output = torch.nn.ModuleDict({"dense": linear(_INNER, WIDTH), "LayerNorm": norm()})

    def forward(self, states: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        own: Any = self.attention
        heads = (*states.shape[:-1], -1, WIDTH // _HEADS)
        query, key, value = (
            own["self"][name](states).view(heads).transpose(1, 2)
            for name in ("query", "key", "value")
        )
        found = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, scale=(WIDTH // _HEADS) ** -0.5
        )
        found = found.transpose(1, 2).contiguous().reshape(states.shape).contiguous()
        states = own["output"]["LayerNorm"](own["output"]["dense"](found) + states)
        inner = functional.gelu(self.intermediate["dense"](states))
        last: Any = self.output
        after: torch.Tensor = last["LayerNorm"](last["dense"](inner) + states)
        return after
