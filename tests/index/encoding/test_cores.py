"""Each core works alone, and nobody else is told to."""

from __future__ import annotations

import threading

import torch

from sidelight.index.encoding.onnx_model import on_all_cores


def test_results_keep_the_order_and_torch_has_one_core_there() -> None:
    found = on_all_cores(lambda item: (item, torch.get_num_threads()), range(50))
    assert found == [(item, 1) for item in range(50)]


def test_other_threads_keep_what_torch_had() -> None:
    before = torch.get_num_threads()
    on_all_cores(str, range(3))
    seen: list[int] = []
    other = threading.Thread(target=lambda: seen.append(torch.get_num_threads()))
    other.start()
    other.join()
    assert seen == [torch.get_num_threads()] == [before]
