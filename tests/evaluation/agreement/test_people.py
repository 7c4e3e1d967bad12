"""Files of labels: both spellings, gzip or not, and complaints that name file and line."""

import asyncio
import gzip
import json
from pathlib import Path

import pytest

from sidelight.checks.support import SUPPORT_SCALE
from sidelight.errors import InputError, InvalidFileError
from sidelight.evaluation.labelling.judges import EmbeddedJudge
from sidelight.evaluation.labelling.support import SUPPORT, SupportCase
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.tracks import load_track
from sidelight_research.people import agree_on_answers, agree_on_support
from sidelight_research.people_labels import read_answers, read_citations, read_sentences

ANSWER = {
    "query": "who was sued",
    "qid": "t1",
    "run_id": "r1",
    "answer_text": "Corrance sued Ashdale in 2019.",
    "nuggets": [
        {"text": "Corrance sued Ashdale", "importance": "vital", "assignment": "support"},
        {"text": "Ashdale closed a bakery", "importance": "okay", "assignment": "not_support"},
    ],
}
CITATION = {
    "topic_id": "t1",
    "run_id": "r1",
    "sentences": [
        {
            "sentenceId": 0,
            "citationsCombibed": "-1",
            "text": "Corrance sued Ashdale.",
            "citations": [
                {"citationId": 1, "reference": "s1", "support": "2"},
                {"citationId": 2, "reference": "s2", "support": "-1"},
            ],
        },
        {"sentenceID": 1, "text": float("nan"), "citations": []},
    ],
}
SEGMENTS = {
    "topic": "t1",
    "query": "who was sued",
    "references_ids": ["s1"],
    "references_texts": ["In 2019, Corrance sued Ashdale."],
}


def written(path: Path, *lines: object) -> Path:
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.mark.parametrize("name", ["answers.jsonl", "answers.jsonl.gz"])
def test_answers_are_read(tmp_path, name):
    (answer,) = read_answers(written(tmp_path / name, ANSWER, ""))
    assert (answer.levels, answer.vital) == ((2, 0), (True, False))


def test_what_was_not_judged_and_has_no_text_is_left_out(tmp_path):
    (citation,) = read_citations(written(tmp_path / "c.jsonl", CITATION))
    assert (citation.segment, citation.level) == ("s1", 2)


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[1]",
        "[" * 100_000,
        {**ANSWER, "nuggets": [{"text": "x", "assignment": "perhaps"}]},
        {**ANSWER, "answer_text": None},
        {**ANSWER, "nuggets": "none"},
    ],
)
def test_a_broken_line_is_named(tmp_path, line):
    path = written(tmp_path / "answers.jsonl", ANSWER, line)
    with pytest.raises(InvalidFileError, match=r"answers\.jsonl:2:"):
        read_answers(path)


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00", b"\x1f\x8bbroken"])
def test_a_broken_file_is_named(tmp_path, data):
    path = tmp_path / "answers.jsonl"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"answers\.jsonl"):
        read_answers(path)


def test_agreement_on_answers(tmp_path):
    found = agree_on_answers(written(tmp_path / "answers.jsonl", ANSWER), None)
    assert (found.n, found.accuracy, found.kappa, found.tau) == (2, 1.0, 1.0, None)
    assert found.intervals == {}


def test_agreement_on_support(tmp_path):
    labels = written(tmp_path / "c.jsonl", CITATION)
    segments = written(tmp_path / "s.jsonl", SEGMENTS)
    found = agree_on_support(labels, segments, None)
    assert (found.n, found.accuracy, found.kappa, found.left_out) == (1, 1.0, None, 0)
    elsewhere = written(tmp_path / "e.jsonl", {**SEGMENTS, "references_ids": ["other"]})
    with pytest.raises(InputError, match="no label can be compared"):
        agree_on_support(labels, elsewhere, None)


def test_agreement_on_support_is_that_of_the_judge_that_scores(tmp_path):
    """Each citation is judged by itself and with its query, whatever else the file holds."""
    texts = {
        "s1": "A study of the quarry counted twelve visitors a day.",
        "s2": "The quarry was sold to an investor who also owns a newspaper.",
        "s3": "Critics of the quarry say its accounts were never published.",
    }
    said = (
        "The quarry has an owner.",
        "The quarry was sold to an investor.",
        "The quarry was bought by investors.",
        "Nobody published the accounts of the quarry.",
    )
    pairs = [(sentence, name) for sentence in said for name in texts]
    judge, asked, names = EmbeddedJudge({}), "who owns the quarry", SUPPORT_SCALE.names
    confusion = [[0] * len(names) for _ in names]
    for number, (sentence, name) in enumerate(pairs):
        case = SupportCase(sentence, [texts[name]], asked)
        (judgment,) = asyncio.run(judge.label(SUPPORT, case))
        confusion[number % 3][2 - names.index(str(judgment.label))] += 1
    labels = {
        "topic_id": "t1",
        "run_id": "r1",
        "sentences": [
            {"text": sentence, "citations": [{"reference": name, "support": str(number % 3)}]}
            for number, (sentence, name) in enumerate(pairs)
        ],
    }
    segments = {
        "topic": "t1",
        "query": asked,
        "references_ids": list(texts),
        "references_texts": list(texts.values()),
    }
    found = agree_on_support(
        written(tmp_path / "c.jsonl", labels), written(tmp_path / "s.jsonl", segments), None
    )
    assert [list(row) for row in found.confusion] == confusion
    assert sum(any(column) for column in zip(*confusion, strict=True)) > 1


def test_sentences_are_read_with_those_that_cite_nothing(tmp_path):
    def cited(*labels):
        return [{"reference": f"s{n}", "support": label} for n, label in enumerate(labels)]

    sentences = [
        {"text": "One.", "citations": cited("2", "0"), "citationsCombibed": "1"},
        {"text": float("nan"), "citations": cited("-1")},
        {"text": "Three.", "citations": cited("1"), "citationsCombibed": "-1"},
        {"text": "Four.", "citations": []},
    ]
    path = tmp_path / "support.jsonl"
    path.write_text(json.dumps({"topic_id": "t", "run_id": "r", "sentences": sentences}))
    found = read_sentences(path, load_track("rag2025").scales["support"])
    unjudged = Unjudged(reason="not judged")
    assert [(one.first, one.all) for one in found] == [
        ("2", "1"),
        (unjudged, unjudged),
        ("1", "1"),
        (None, None),
    ]
    assert found[1].sentence.text == ""
    path.write_text(path.read_text().replace('"2"', '"3"'))
    with pytest.raises(InvalidFileError, match="one of 2, 1, 0"):
        read_sentences(path, load_track("rag2025").scales["support"])
