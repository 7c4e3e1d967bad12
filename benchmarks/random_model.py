"""A small Qwen2 with random weights and a byte-level tokenizer, for servers that are to be real.

What it says is nonsense. A model that picks every byte alike would fill each reply up to its limit
(a string ends at one byte of 256), so the bytes that end strings and carry lists on get a head
start: one number of the hidden state is the same for all tokens, and only the rows of these bytes
in the last layer read it. Strings are some twenty bytes long, at temperature 0 as well. Control
characters come too. What no string can hold one by one does not: bytes of longer characters, and
tokens that servers leave out of the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from transformers import PreTrainedTokenizerFast, Qwen2ForCausalLM

CONTEXT_TOKENS = 131_072
_HIDDEN, _LAYERS, _HEADS, _SEED = 64, 2, 2, 7
# Names as Qwen2 has them: a reader that knows the architecture adds those that lack.
_START, _END, _PAD = "<|im_start|>", "<|im_end|>", "<|endoftext|>"
# ChatML, as Qwen2 itself has it.
_TEMPLATE = (
    "{% for message in messages %}"
    "<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
# Added to the logit of a token; blanks between the parts of JSON would go on for ever.
_HEAD_STARTS = {'"': 2.5, "{": 2.0, ",": 1.0, "}": 1.0}
_NEVER = -30.0
_LOGIT_STD = 1.5
# The shared number in the embeddings, and what comes out of it at the last layer.
_SHARED, _SHARED_NORMED = 8.0, 0.8


def write_random_model(folder: Path) -> None:
    """Write weights, configuration and tokenizer as a server loads them."""
    tokenizer = _tokenizer()
    tokenizer.save_pretrained(folder)
    _model(tokenizer).save_pretrained(folder)


def _tokenizer() -> PreTrainedTokenizerFast:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    bytes_only = Tokenizer(
        models.BPE(vocab={letter: place for place, letter in enumerate(letters)}, merges=[])
    )
    bytes_only.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    bytes_only.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=bytes_only,
        eos_token=_END,
        pad_token=_PAD,
        unk_token=_PAD,
        additional_special_tokens=[_START],
        chat_template=_TEMPLATE,
        model_max_length=CONTEXT_TOKENS,
    )


def _model(tokenizer: PreTrainedTokenizerFast) -> Qwen2ForCausalLM:
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(_SEED)
        model = Qwen2ForCausalLM(
            Qwen2Config(
                vocab_size=len(tokenizer),
                hidden_size=_HIDDEN,
                intermediate_size=2 * _HIDDEN,
                num_hidden_layers=_LAYERS,
                num_attention_heads=_HEADS,
                num_key_value_heads=1,
                max_position_embeddings=CONTEXT_TOKENS,
                eos_token_id=tokenizer.eos_token_id,
                pad_token_id=tokenizer.pad_token_id,
                tie_word_embeddings=False,
                initializer_range=0.25,
                dtype="float32",
            )
        )
        embedded, last = model.model.embed_tokens.weight, model.lm_head.weight
        embedded.normal_()
        embedded[:, 0] = _SHARED
        for layer in model.model.layers:  # which leave the shared number as it is
            layer.self_attn.o_proj.weight[0] = 0
            layer.mlp.down_proj.weight[0] = 0
        last.normal_(std=_LOGIT_STD / _HIDDEN**0.5)
        for token, place in tokenizer.get_vocab().items():
            head_start = 0.0 if _is_wanted(token, tokenizer) else _NEVER
            last[place, 0] = _HEAD_STARTS.get(token, head_start) / _SHARED_NORMED
    return model


def _is_wanted(token: str, tokenizer: PreTrainedTokenizerFast) -> bool:
    byte = tokenizer.convert_tokens_to_string([token])
    return token == _END or (len(byte) == 1 and byte.isascii() and byte not in "\n\r\t")
