"""What stands around a statement, in its sentence or beside it, may take it back."""

from __future__ import annotations

import pytest

from sidelight.index.encoding.encoder import Encoder
from sidelight.learned.models import AnswerModel
from sidelight.learned.reading.framing import frames_of, grams
from sidelight.learned.reading.opposition import said_of
from sidelight.learned.reading.text_pieces import read_text
from sidelight.learned.reading.words import read

FACT = "The institute has paid Voss since 2018."
INSIDE = "the institute has paid Voss since 2018"


@pytest.fixture(scope="module")
def model(encoder: Encoder) -> AnswerModel:
    return AnswerModel(encoder.sentence_encoder())


def frames(item: str, text: str, place: int) -> tuple[str, ...]:
    (said,) = said_of((read(item),))
    return frames_of(said, said_of(read_text(text).sentences), place)


@pytest.mark.parametrize(
    ("text", "level"),
    [
        # What is taken back earns nothing.
        (f"{FACT} That is false.", 0),
        (f"{FACT} None of this ever happened.", 0),
        (f"{FACT} It had all been a dream.", 0),
        (f"{FACT} Wrong, as every document shows.", 0),
        (f"{FACT} The newspaper withdrew this sentence and apologised for it.", 0),
        (f"{FACT} Pull the other one.", 0),
        (f"The following claim is false. {FACT}", 0),
        (f"Oh sure, {INSIDE}, and I am the queen.", 0),
        (f"A hoax that went round for months had it that {INSIDE}.", 0),
        (f"It is a myth that {INSIDE}.", 0),
        # What is vouched for, or stands beside another matter, does.
        (FACT, 2),
        (f"{FACT} This is not disputed by anyone.", 2),
        (f"{FACT} The mill closed in March.", 2),
        (f"It is no secret that {INSIDE}.", 2),
        (f"The auditors confirmed that {INSIDE}.", 2),
        (f"As the register shows, {INSIDE}.", 2),
    ],
)
def test_what_stands_around_a_statement_says_whether_it_earns(
    model: AnswerModel, text: str, level: int
) -> None:
    (verdict,) = model.judge([FACT], text, max_words=None)
    assert verdict.level == level


def test_a_frame_has_a_stand_in_for_the_item_and_at_most_one_sentence_beside_it() -> None:
    text = f"A cat sat there. She said that {INSIDE}, and left. It rained. Nobody came."
    said = "She said that it happened, and left."
    assert frames(FACT, text, 1) == (said, f"A cat sat there. {said}", f"{said} It rained.")
    assert frames(FACT, FACT, 0) == ("It happened.",)
    # An item that has the verdict itself is not taken back by it.
    assert len(frames(f"{FACT} Mostly false.", f"{FACT} Mostly false.", 0)) == 1


def test_the_shortest_part_with_all_of_the_item_is_replaced() -> None:
    text = "The institute's leaflet on Voss says that the institute has paid Voss since 2018."
    assert frames(FACT, text, 0) == ("The institute's leaflet on Voss says that it happened.",)


def test_long_sentences_beside_it_do_not_drown_what_takes_it_back(model: AnswerModel) -> None:
    other = (
        "The bureau counted 1,040 people at work in the valley in 2020, most of them in the two "
        "yards by the river, and expects a third of these jobs to go by 2028."
    )
    text = f"{other} {FACT[:-1]}, which is untrue. {other.replace('valley', 'county')}"
    for one in (model, AnswerModel(None)):
        (verdict,) = one.judge([FACT], text, max_words=None)
        assert verdict.level == 0


def test_words_of_a_frame_are_taken_with_their_neighbours() -> None:
    assert grams("Is it? No.") == {"is", "it", "?", "no", "is it", "it ?", "? no"}


def test_a_long_text_is_read_once(model: AnswerModel) -> None:
    text = " ".join(f"Report {n} says that {INSIDE}." for n in range(400))
    (verdict,) = model.judge([FACT], text, max_words=None)
    assert verdict.level == 2
