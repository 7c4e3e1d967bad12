"""What the parser tells of a sentence: whether it stands alone, who says it, whom it addresses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sidelight.english.parser import PIPELINE_VARIABLE, Sentence, _parser, parse
from sidelight.errors import MachineError


def read(text: str) -> Sentence:
    (one,) = parse([text])
    return one


@pytest.mark.parametrize(
    ("text", "is_finite"),
    [
        ("The harbour board sold two ferries in May.", True),
        ("There are two ferries in the harbour.", True),
        ("A guide to the ferry timetable", False),
        ("Buy a ticket at the pier.", False),
    ],
)
def test_a_heading_or_an_order_is_no_finite_clause(text: str, is_finite: bool) -> None:
    assert read(text).is_finite is is_finite


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("He sold two ferries in May.", "He"),
        ("These ferries were sold in May.", "These"),
        ("Both were sold in May.", "Both"),
        ("The 212 were sold in May.", "212"),
        ("The harbour board sold two ferries here in May.", "here"),
        ("The harbour board counted a somewhat larger number of ferries.", "larger"),
    ],
)
def test_a_word_that_points_out_of_a_sentence_is_found(text: str, word: str) -> None:
    assert str(read(text).pointer) == word


@pytest.mark.parametrize(
    "text",
    [
        "Marta Lund said that she had sold two ferries.",
        "In its report, the Board counted two ferries.",
        "It is likely that the ferries will stop.",
        "The new ferry is larger than the old one.",
        "There are two ferries in the harbour.",
        "“They sank it,” the harbour board wrote in May.",
    ],
)
def test_a_pronoun_with_an_antecedent_or_in_a_quotation_points_nowhere(text: str) -> None:
    assert read(text).pointer is None


def test_we_in_a_quotation_addresses_nobody() -> None:
    assert read("We sold two ferries in May.").addresses_somebody
    assert not read("“We sold two ferries,” the board wrote in May.").addresses_somebody


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        ("Marta Lund told the Courier that the fleet had shrunk.", "Marta Lund"),
        ("According to the Harbour Board, two ferries were sold.", "the Harbour Board"),
        ("The harbour board sold two ferries in May.", ""),
    ],
)
def test_who_says_what_is_reported_is_the_speaker(text: str, speaker: str) -> None:
    assert read(text).speaker == speaker


def test_what_stands_before_a_colon_without_a_verb_is_a_label() -> None:
    assert read("Route: the ferry calls at three piers.").label == "Route"
    assert read("The ferry calls at three piers.").label == ""


def test_the_parses_come_in_the_order_of_the_texts_each_as_it_was_given() -> None:
    texts = ["The ferry sank.", "A pier", "The ferry sank."]
    assert [one.text for one in parse(texts)] == texts
    assert parse([]) == []


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """No pipeline is loaded, and none stays that a test has named."""
    _parser.cache_clear()
    yield monkeypatch
    _parser.cache_clear()


@pytest.mark.parametrize("named", ["no_such_pipeline", "{folder}"])
def test_a_pipeline_that_is_not_installed_is_named_with_a_remedy(
    unloaded: pytest.MonkeyPatch, tmp_path: Path, named: str
) -> None:
    named = named.format(folder=tmp_path)
    unloaded.setenv(PIPELINE_VARIABLE, named)
    with pytest.raises(MachineError, match="SIDELIGHT_ENGLISH") as error:
        parse(["The ferry sank."])
    assert named in str(error.value)
    assert "unset the variable" in error.value.remedy
