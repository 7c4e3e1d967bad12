"""Int8 ONNX files of BERT models, without the packages that hold transformers back."""

import warnings
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    pass

_INPUTS = ["input_ids", "attention_mask", "token_type_ids"]


def write_int8(folder, model, output):
    """Write the int8 ONNX file of a model into its folder."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    class Positional(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model.eval()

        def forward(self, *tokens):
            return self.model(**dict(zip(_INPUTS, tokens, strict=True)))[output]

    (folder / "onnx").mkdir()
    whole = folder / "onnx" / "model.onnx"
    tokens = torch.ones(2, 9, dtype=torch.long)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the newer exporter needs yet another package
        torch.onnx.export(
            Positional(),
            (tokens, tokens, tokens),
            str(whole),
            input_names=_INPUTS,
            output_names=[output],
            dynamic_axes={key: {0: "texts", 1: "tokens"} for key in [*_INPUTS, output]},
            dynamo=False,
        )
    quantize_dynamic(
        str(whole),
        str(folder / "onnx" / "model_qint8_avx512_vnni.onnx"),
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=True,  # sums of wider products saturate on an x86 CPU without VNNI
    )
