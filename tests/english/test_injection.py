"""Orders to software are found in any dress; news about software is not taken for one."""

import pytest

from sidelight.english.injection import gives_orders
from sidelight.schemas.segment import document_id_of
from tests.helpers.hostile_pages import HOSTILE_TEXTS, INNOCENT_TEXTS

HOSTILE_PAGE = "msmarco_v2.1_doc_91_68728"
PROSE = "The council met on Tuesday and put off its decision until the spring."


@pytest.mark.parametrize("hostile", HOSTILE_TEXTS, ids=lambda hostile: hostile.name)
def test_an_order_is_found(hostile):
    assert gives_orders(hostile.text)
    assert gives_orders(f"{PROSE}\n{hostile.text}\n{PROSE}")


@pytest.mark.parametrize("text", [*INNOCENT_TEXTS, PROSE])
def test_ordinary_text_passes(text):
    assert not gives_orders(text)


def test_of_the_mini_web_only_the_hostile_page_gives_orders(mini_web_segments):
    found = {document_id_of(one.segment_id) for one in mini_web_segments if gives_orders(one.text)}
    assert found == {HOSTILE_PAGE}
