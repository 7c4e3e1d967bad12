"""Agreement with people: files of their labels, and reports graded by rubrics and by pools."""

import asyncio
import gzip
import json

import pytest

from sidelight.checks.support import SUPPORT_SCALE
from sidelight.cli.options import track_of_scale
from sidelight.errors import InputError, InvalidFileError
from sidelight.evaluation.agreement import people
from sidelight.evaluation.labelling.judges import EmbeddedJudge
from sidelight.evaluation.labelling.support import SUPPORT, SupportCase
from sidelight.learned.models import AnswerModel
from sidelight.schemas.grading.judgment import Unjudged
from sidelight.tracks import load_track
from sidelight_research.people import agree_on_answers, agree_on_support
from sidelight_research.people_labels import read_answers, read_sentences
from tests.helpers.labels.toy import report_run, rubric

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


def written(path, *lines):
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def test_people_are_read_and_agreed_with(tmp_path):
    for name in ["answers.jsonl", "answers.jsonl.gz"]:
        (answer,) = read_answers(written(tmp_path / name, ANSWER, ""))
        assert (answer.levels, answer.vital) == ((2, 0), (True, False))
    for line in [
        *("{", "[1]", "[" * 100_000),
        {**ANSWER, "nuggets": [{"text": "x", "assignment": "perhaps"}]},
        {**ANSWER, "answer_text": None},
        {**ANSWER, "nuggets": "none"},
    ]:
        path = written(tmp_path / "answers.jsonl", ANSWER, line)
        with pytest.raises(InvalidFileError, match=r"answers\.jsonl:2:"):
            read_answers(path)
        for data in (b"", b"\xff\xfe\x00", b"\x1f\x8bbroken"):
            path.write_bytes(data)
            with pytest.raises(InputError, match=r"answers\.jsonl"):
                read_answers(path)
    found = agree_on_answers(written(tmp_path / "answers.jsonl", ANSWER), None)
    assert (found.n, found.accuracy, found.kappa, found.tau) == (2, 1.0, 1.0, None)
    assert found.intervals == {}
    labels = written(tmp_path / "c.jsonl", CITATION)
    segments = written(tmp_path / "s.jsonl", SEGMENTS)
    found = agree_on_support(labels, segments)
    assert (found.n, found.accuracy, found.kappa, found.left_out) == (1, 1.0, None, 0)
    elsewhere = written(tmp_path / "e.jsonl", {**SEGMENTS, "references_ids": ["other"]})
    with pytest.raises(InputError, match="no label can be compared"):
        agree_on_support(labels, elsewhere)


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
    judge, asked, names = EmbeddedJudge(), "who owns the quarry", SUPPORT_SCALE.names
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
        written(tmp_path / "c.jsonl", labels), written(tmp_path / "s.jsonl", segments)
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
    seen = [(one.first, one.all) for one in found]
    assert seen == [("2", "1"), (unjudged, unjudged), ("1", "1"), (None, None)]
    assert found[1].sentence.text == ""
    path.write_text(path.read_text().replace('"2"', '"3"'))
    with pytest.raises(InvalidFileError, match="one of 2, 1, 0"):
        read_sentences(path, load_track("rag2025").scales["support"])


# Reports graded by experts' rubrics and by what was pooled from them.


TOPIC = "msmarco_v2.1_doc_91_1"
TRACK = load_track()
IMPORTANCE = track_of_scale("nugget_importance", None).scales["nugget_importance"]
OWNER = "The Harbour Post is owned by the shipping company Delmar Lines."
STUDY = "The ferry study counted 412 passengers on nine days in March 2019."
COUNCIL = "Wexford council closed the swimming pool for repairs in 2021."
AGAIN = "Records show that The Harbour Post is owned by the shipping company Delmar Lines."


RUNS = [
    report_run(tag, **{TOPIC: said})
    for tag, said in (("all", [OWNER, STUDY]), ("owner", [AGAIN]), ("none", [COUNCIL]))
]
MODEL = AnswerModel(None)


def test_pools_of_reports_have_nuggets_and_miss_questions():
    bank = people.pool_nuggets(RUNS, MODEL, IMPORTANCE)[TOPIC]
    weights = {nugget.text: nugget.importance.name for nugget in bank.nuggets}
    assert len(weights) == 3
    assert weights[STUDY] == weights[COUNCIL] == "okay"
    (owner,) = weights.keys() - {STUDY, COUNCIL}
    assert owner in {OWNER, AGAIN}
    assert weights[owner] == "vital"
    assert bank.nuggets[0].text == owner
    assert people.pool_nuggets(RUNS, MODEL, IMPORTANCE, most=1)[TOPIC].nuggets == bank.nuggets[:1]
    assert people.as_rubric(bank).total_weight == bank.total_weight == 2
    banks = [people.pool_nuggets(runs, MODEL, IMPORTANCE)[TOPIC] for runs in (RUNS, RUNS[::-1])]
    vital, other = (
        {one.text for one in bank.nuggets if one.importance.name == "okay"} for bank in banks
    )
    assert vital == other
    wanted = rubric(
        TOPIC,
        ("have to know", OWNER),
        ("nice to know", "Inspectors fined Delmar Lines 30,000 crowns."),
    )
    banks = people.pool_nuggets(RUNS, MODEL, IMPORTANCE)
    missed = people.missed_questions({TOPIC: wanted}, banks, MODEL)
    assert [question.rank for question in missed[TOPIC]] == [2]
    assert len(people.missed_questions({TOPIC: wanted}, {}, MODEL)[TOPIC]) == 2
    wanted = rubric(TOPIC, ("have to know", OWNER))
    found = asyncio.run(
        people.compare_norms(TRACK, {TOPIC: wanted}, RUNS, IMPORTANCE, None, n_samples=10)
    )
    assert found.ranks.run_tags == ("all", "none", "owner")
    by_rubric, by_pool = found.ranks.means
    # "all" and "owner" tell the one thing that experts asked for; only the pool wants the study.
    assert by_rubric == (1, 0, 1)
    assert by_pool[0] > by_pool[2] > by_pool[1] > 0
    assert found.missed == {TOPIC: ()}
