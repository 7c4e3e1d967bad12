from __future__ import annotations

import pytest

from sidelight.llm.structured import check_each_once


def test_each_id_once_will_do_in_any_order() -> None:
    check_each_once(["a", "b"], ["b", "a"])
    check_each_once([], [])


def test_every_fault_is_named() -> None:
    with pytest.raises(ValueError, match="give each id once") as raised:
        check_each_once(["a", "b", "c"], ["a", "a", "d"])
    assert str(raised.value).endswith("missing: b, c; not asked for: d; more than once: a")
