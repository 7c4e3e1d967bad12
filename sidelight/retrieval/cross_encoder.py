"""Cross-encoder of sentence-transformers, in the fastest arithmetic that is correct here.

Where the processor multiplies bfloat16 in hardware the model runs in it, except the last layer:
its products are the scores, and eight bits would make many of them equal. Elsewhere an int8 ONNX
file is used where the model comes with one.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sidelight.errors import INSTALL, MachineError
from sidelight.index.encoding.cores import on_all_cores
from sidelight.index.encoding.onnx_model import OnnxModel, int8_file
from sidelight.index.encoding.precision import Arithmetic, default_arithmetic

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROWS = 16
_ROWS_GPU = 256


class CrossEncoder:
    """Scores how well texts answer a query; loaded when it is first used.

    Args:
        name: Name or path of the model.
        arithmetic: What it computes in; if None, what is quickest here.
    """

    def __init__(self, name: str, arithmetic: Arithmetic | None = None) -> None:
        self.name = name
        self.arithmetic = arithmetic
        self._loaded: Any = None
        self._onnx: OnnxModel | None = None

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score for each text, higher for a better answer.

        Raises:
            MachineError: The model cannot be loaded.
        """
        if self._loaded is None:
            self._load()
        pairs = [(query, text) for text in texts]
        if self._onnx is not None:
            return self._score_with_onnx(self._onnx, pairs)
        rows = _ROWS if self._loaded.device.type == "cpu" else _ROWS_GPU
        # The model cuts its batches from the pairs in order of length.
        scores = self._loaded.predict(pairs, batch_size=rows, show_progress_bar=False)
        return [float(score) for score in scores]

    def _score_with_onnx(self, onnx: OnnxModel, pairs: Sequence[tuple[str, str]]) -> list[float]:
        import torch

        model = self._loaded
        read = partial(
            model.tokenizer, truncation=True, max_length=model.max_seq_length, return_tensors="np"
        )
        logits = on_all_cores(onnx.run, (read([pair]) for pair in pairs))
        return [float(model.activation_fn(torch.from_numpy(one))) for one in logits]

    def _load(self) -> None:
        try:
            from sentence_transformers import CrossEncoder as Model
        except ModuleNotFoundError as error:
            raise MachineError(
                f"reranking needs the package {error.name!r}, which is not installed",
                remedy=INSTALL,
            ) from error
        try:
            self._loaded = Model(self.name)
        except (OSError, ValueError) as error:  # of code that lies with a model nothing is run
            raise MachineError(
                f"the reranker {self.name!r} cannot be loaded: {str(error).splitlines()[0]}",
                remedy="Give the path of a sentence-transformers CrossEncoder, or download it.",
            ) from error
        path = int8_file(self.name)
        if self.arithmetic is None:
            default = default_arithmetic()
            self.arithmetic = Arithmetic.INT8 if path and default is Arithmetic.FP32 else default
        if self.arithmetic is Arithmetic.BF16:
            _to_bfloat16(self._loaded)
        elif self.arithmetic is Arithmetic.INT8:
            if path is None:
                raise MachineError(
                    f"the reranker {self.name!r} has no ONNX file of int8",
                    remedy="Use a model that comes with one.",
                )
            self._onnx = OnnxModel(path)
        else:
            self._loaded.float()


def _to_bfloat16(model: Any) -> None:
    import torch

    model.to(torch.bfloat16)
    last = [layer for layer in model.modules() if isinstance(layer, torch.nn.Linear)][-1]
    last.float()
    last.register_forward_pre_hook(lambda _, inputs: tuple(item.float() for item in inputs))
