"""What the parser tells of a sentence: whether it stands alone, who says it, whom it addresses."""

import pytest

from sidelight.english.parser import PIPELINE_VARIABLE, _parser, parse
from sidelight.errors import MachineError


def read(text):
    (one,) = parse([text])
    return one


@pytest.mark.parametrize(
    ("text", "what", "told"),
    [
        # A heading or an order is no finite clause.
        ("The harbour board sold two ferries in May.", "is_finite", True),
        ("There are two ferries in the harbour.", "is_finite", True),
        ("A guide to the ferry timetable", "is_finite", False),
        ("Buy a ticket at the pier.", "is_finite", False),
        # A word that points out of a sentence is found; not one with an antecedent or in quotation.
        ("He sold two ferries in May.", "pointer", "He"),
        ("These ferries were sold in May.", "pointer", "These"),
        ("Both were sold in May.", "pointer", "Both"),
        ("The 212 were sold in May.", "pointer", "212"),
        ("Two ferries were sold in those years.", "pointer", "those"),
        ("Two ferries were sold in May 2019 and a third in June of that year.", "pointer", "None"),
        ("Two ferries were sold this year.", "pointer", "None"),
        ("The two ferries were sold in May.", "pointer", "two"),
        ("The two ferries of Orrin were sold in May.", "pointer", "None"),
        ("64 per cent agreed with the Board in May.", "pointer", "cent"),
        ("Sixty percent of 24 percent is a little over 14 percent.", "pointer", "percent"),
        ("The 64 per cent is of all tickets.", "pointer", "None"),
        ("Of the skippers asked, 64% agreed.", "pointer", "None"),
        ("The yellow one was sold in May.", "pointer", "one"),
        ("No one sold the ferries of Orrin in May.", "pointer", "None"),
        ("The one of 1931 was sold in May.", "pointer", "None"),
        ("The harbour board sold two ferries here in May.", "pointer", "here"),
        ("The harbour board counted a somewhat larger number of ferries.", "pointer", "larger"),
        ("Marta Lund said that she had sold two ferries.", "pointer", "None"),
        ("In its report, the Board counted two ferries.", "pointer", "None"),
        ("When he arrived, the Board counted two ferries.", "pointer", "he"),
        ("Despite Apple’s efforts, he left.", "pointer", "he"),
        ("It is likely that the ferries will stop.", "pointer", "None"),
        ("It takes two years to train a pilot who can moor.", "pointer", "None"),
        ("It takes in ferries that sank and those that burned.", "pointer", "It"),
        ("The new ferry is larger than the old one.", "pointer", "None"),
        ("There are two ferries in the harbour.", "pointer", "None"),
        ("“They sank it,” the harbour board wrote in May.", "pointer", "None"),
        # A question or an order states nothing.
        ("So why is the ferry still in the harbour?", "is_prompt", True),
        ("Look for the words “ferry” or “boat” on the ticket.", "is_prompt", True),
        ("Anyone who saw the ferry can call the board.", "is_prompt", True),
        ("The board can call anyone who saw the ferry.", "is_prompt", False),
        ("The harbour board buys ferries.", "is_prompt", False),
        # We in a quotation addresses nobody.
        ("We sold two ferries in May.", "addresses_somebody", True),
        ("“We sold two ferries,” the board wrote in May.", "addresses_somebody", False),
        # Who says what is reported is the speaker.
        ("Marta Lund told the Courier that the fleet had shrunk.", "speaker", "Marta Lund"),
        ("According to the Harbour Board, two ferries were sold.", "speaker", "the Harbour Board"),
        ("The harbour board sold two ferries in May.", "speaker", ""),
        # What stands before a colon without a verb is a label.
        ("Route: the ferry calls at three piers.", "label", "Route"),
        ("The ferry calls at three piers.", "label", ""),
    ],
)
def test_what_is_told_of_a_sentence(text, what, told):
    found = getattr(read(text), what)
    assert (str(found) if what == "pointer" else found) == told


def test_a_number_does_not_say_which_are_meant():
    assert [noun.text for noun in read("The two counts do not agree.").bare_definites] == ["counts"]
    assert not read("The two counts of the Board do not agree with each other.").bare_definites[1:]


def test_the_parses_come_in_the_order_of_the_texts_each_as_it_was_given():
    texts = ["The ferry sank.", "A pier", "The ferry sank."]
    assert [one.text for one in parse(texts)] == texts
    assert parse([]) == []


@pytest.fixture
def unloaded(monkeypatch):
    """No pipeline is loaded, and none stays that a test has named."""
    _parser.cache_clear()
    yield monkeypatch
    _parser.cache_clear()


@pytest.mark.parametrize("named", ["no_such_pipeline", "{folder}"])
def test_a_pipeline_that_is_not_installed_is_named_with_a_remedy(unloaded, tmp_path, named):
    named = named.format(folder=tmp_path)
    unloaded.setenv(PIPELINE_VARIABLE, named)
    with pytest.raises(MachineError, match="SIDELIGHT_ENGLISH") as error:
        parse(["The ferry sank."])
    assert named in str(error.value)
    assert "unset the variable" in error.value.remedy


def test_names_are_read_when_asked_for_and_with_all_that_were_parsed_together():
    first, second = parse(["Mara Quist left Vellbruck in May.", "Orla Finch stayed in Oslo."])

    assert not first.doc.ents
    assert "Mara Quist" in first.named("PERSON")
    assert second.doc.ents
