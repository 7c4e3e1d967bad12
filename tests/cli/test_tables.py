"""What every command that prints a table shows on 80 and on 60 columns, and in a pipe."""

import json
import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from sidelight.cli import demo
from sidelight.cli.console import PlainTable, Result, deliver
from sidelight.cli.judge import audit_result, evaluation_shown
from sidelight.cli.run import estimate_shown, usage_shown
from sidelight.config.load import load_settings
from sidelight.evaluation.audit.audit import Audit, ProbeResult
from sidelight.evaluation.battles import Battle
from sidelight.formats.labels.graded_passages import write_graded
from sidelight.formats.labels.qrels import write_question_grades
from sidelight.runs.log import PromptUsage
from sidelight.sample import sample_path
from sidelight.schemas.grading.judgment import QuestionGrade
from sidelight.tracks import load_track
from sidelight.wiring.estimate import PromptEstimate, RunEstimate
from sidelight_research.published import Figure
from tests.helpers.graded import example, write_bank
from tests.helpers.scripted_runs import TOPICS
from tests.helpers.scripted_runs import run as scripted_run

SAMPLE = sample_path()
ROOT = Path(__file__).resolve().parents[2]
ANSWER = "topic_id,run_tag,answer_id,"
PER_TOPIC = "run_tag,topic_id,supportive_score,unjudged"


def write(path, *lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


def scores(path, *values):
    runs = ("sidelight-extractive-t2", "sidelight-prompted-t2", "lantern-t2", "tidepool-t2")
    rows = (
        f"{run},{topic},{value if topic == 'a' else value / 2},0"
        for run, value in zip(runs, values, strict=True)
        for topic in "abc"
    )
    return write(path, PER_TOPIC, *rows)


def data(*words):
    return lambda folder, _: [*words, "--data", str(SAMPLE)]


def agree_labels(folder, _):
    ours = ("t,r,na-1,supports", "t,r,na-2,none", "u,r,na-3,none", "u,r,na-4,partial")
    theirs = ("t,r,na-1,supports", "t,r,na-2,supports", "u,r,na-3,none", "u,r,na-4,")
    first, second = folder / "people.csv", folder / "judge.csv"
    first = write(first, f"{ANSWER}annotation", *ours)
    return ["agree", "labels", first, write(second, f"{ANSWER}auto_assessment", *theirs)]


def agree_scores(folder, _):
    first = scores(folder / "human.csv", 0.5, 0.4, 0.3, 0.1)
    return ["agree", "scores", first, scores(folder / "auto.csv", 0.6, 0.7, 0.2, 0.1)]


def agree_qrels(folder, _):
    first = write(folder / "sun.txt", "1 0 x 1", "1 0 y 0", "1 0 z 1")
    return ["agree", "qrels", first, write(folder / "nist.txt", "1 0 x 3", "1 0 y 0", "1 0 z 0")]


def quality_file(path, *labels):
    grades = [
        QuestionGrade(
            topic_id=f"doc-{rank % 3}",
            run_tag=f"run-{rank % 2}",
            run_question_rank=rank,
            run_question_text="Who pays?",
            label=label,
            redundant=False,
        )
        for rank, label in enumerate(labels, start=1)
    ]
    write_question_grades(path, grades)
    return str(path)


def agree_grades(folder, _):
    levels = load_track("lateral2024").scales["question_quality"].names
    first = quality_file(folder / "people.tsv", *levels, *levels)
    second = quality_file(folder / "judge.tsv", *levels, *reversed(levels))
    return ["agree", "grades", first, second, "--track", "lateral2024"]


def score_quality(folder, _):
    levels = load_track("lateral2024").scales["question_quality"].names
    grades = quality_file(folder / "people.tsv", *levels, *levels)
    return ["score", "quality", "--grades", grades, "--track", "lateral2024"]


def agree_answers(folder, _):
    told, lines = "Garrick Voss is a paid fellow.", []
    for run, text, label in (("a", told, "support"), ("b", "No.", "not_support")):
        nugget = {"text": told, "importance": "vital", "assignment": label}
        answer = {"query": "who", "qid": "t", "run_id": run, "answer_text": text}
        lines.append(json.dumps(answer | {"nuggets": [nugget]}))
    return ["agree-people", write(folder / "labels.jsonl", *lines), "--words-only"]


def agree_support(folder, _):
    told, lines = "Garrick Voss is a paid fellow of the institute.", []
    for run, text, label in (("a", told, "2"), ("b", "Peat is dug by night.", "0")):
        sentence = {"text": text, "citations": [{"reference": "s", "support": label}]}
        lines.append(json.dumps({"topic_id": "t", "run_id": run, "sentences": [sentence]}))
    segment = {"topic": "t", "query": "who", "references_ids": ["s"], "references_texts": [told]}
    segments = write(folder / "segments.jsonl", json.dumps(segment))
    labels = write(folder / "labels.jsonl", *lines)
    return ["agree-people", labels, "--segments", segments]


def agree_norms(folder, _):
    runs = (SAMPLE / "runs" / "report_generation_runs").iterdir()
    return ["agree", "norms", *sorted(map(str, runs)), "--words-only", "--data", str(SAMPLE)]


def graded(folder):
    write_graded(folder / "graded.jsonl", example())
    return [str(folder / "graded.jsonl")]


def bank(folder):
    return str(
        write_bank(folder, "what is passed, by whom, and who asked for it in the first place")
    )


def rubric(*words, banked=False):
    return lambda folder, _: [
        *("rubric", words[0], *graded(folder), *words[1:]),
        *(("--bank", bank(folder)) if banked else ()),
    ]


def score_retrieval(folder, _):
    qrels = write(folder / "qrels", "1 0 x 1", "2 0 y 1")
    run = write(folder / "sidelight-hybrid-run", "1 Q0 x 1 2.0 t", "2 Q0 z 1 2.0 t")
    return ["score", "retrieval", "--qrels", qrels, "--run", run, "--per-query"]


def score_usefulness(folder, _):
    qrels = [f"topic-Q0{n} 0 d{d} {g}" for n in (1, 2, 3) for d, g in ((1, 2), (2, 1), (3, 1))]
    run = [f"topic-Q0{n} Q0 d{d} {d} {9 - d} other" for n in (1, 2, 3) for d in (3, 1)]
    paths = write(folder / "qrels", *qrels), write(folder / "other", *run)
    return ["score", "usefulness", "--qrels", paths[0], "--run", paths[1]]


def score_nuggets(folder, _):
    nugget = {"text": "The moon is made of cheese", "importance": "vital", "assignment": "support"}
    lines = (
        json.dumps({"qid": str(n), "run_id": "r", "answer_text": "x", "nuggets": [nugget]})
        for n in range(3)
    )
    return ["score", "nuggets", write(folder / "assignments.jsonl", *lines)]


def score_battles(folder, patched):
    async def ask(*_):
        return [Battle(str(n), "sidelight-one", "sidelight-two", n / 2, "") for n in range(3)]

    patched.setattr("sidelight.cli.score_labels.ask", ask)
    runs = []
    for run in ("sidelight-one", "sidelight-two"):
        answer = {"run_id": run, "topic_id": "0", "topic": "who pays?", "references": []}
        answer |= {"response_length": 1, "answer": [{"text": "Nobody.", "citations": []}]}
        runs.append(write(folder / run, json.dumps(answer)))
    topics = write(folder / "topics.tsv", "0\twho pays?")
    words = ["score", "battles", *runs, "--topics", topics, "--track", "rag2024"]
    return [*words, "--model", "tiny", "--cache", str(folder / "cache")]


def score_compare(folder, _):
    return ["score", "compare", scores(folder / "auto.csv", 0.6, 0.7, 0.2, 0.1)]


def headroom(task):
    return lambda folder, _: [
        *("score", "headroom", task, "--data", str(SAMPLE), "-o", str(folder / "out"))
    ]


def diff(task, kind):
    def show(folder, _):
        people = (SAMPLE / "human_assessments" / f"{kind}_assessments.csv").read_text()
        some = write(folder / "some.csv", *people.splitlines()[:90])
        return ["score", "diff", task, "--data", str(SAMPLE), "--assessments", some]

    return show


def pack(folder, _):
    if not (folder / "run").exists():
        scripted_run(folder / "run")
    lines = (
        json.dumps({"docid": one.topic_id, **one.model_dump(exclude={"topic_id"})})
        for one in TOPICS
    )
    topics = write(folder / "topics.jsonl", *lines)
    out = folder / f"out{len(list(folder.iterdir()))}"
    return ["pack", str(folder / "run"), "-o", str(out), "--topics", topics]


def prompts(_, patched):
    found = [
        SimpleNamespace(id=name, version=2, fingerprint="0123456789abcdef", variables=variables)
        for name, variables in (("report", ("article", "claims", "language")), ("check", ("text",)))
    ]
    patched.setattr("sidelight.cli.doctor.find_prompts", lambda: found)
    return ["prompt", "list"]


def reproduce(folder, patched):
    figures = [Figure("tau of the runs by everything that was counted", "0.678", 0.6781)]
    figures.append(Figure("kappa", "0.44", 0.47, misprint="a digit is turned"))
    patched.setattr("sidelight_research.published.figures_of", lambda *_: figures)
    return ["reproduce", "rubric-sun", "--data", str(folder)]


def ablate_plan(folder, _):
    grid = (
        "dimensions:\n  rounds:\n    two: {investigation.max_rounds: 2, retrieval.depth: 100}\n"
        "    one: {investigation.max_rounds: 1, retrieval.retriever: bm25, retrieval.k: 7}\n"
    )
    words = ["ablate", write(folder / "grid.yaml", grid), "-o", str(folder), "--dry-run"]
    return [*words, "--topics", str(SAMPLE / "topics.jsonl")]


COMMANDS = {
    "ablate --dry-run": ablate_plan,
    "agree-people": agree_answers,
    "agree grades": agree_grades,
    "agree labels": agree_labels,
    "agree norms": agree_norms,
    "agree qrels": agree_qrels,
    "agree scores": agree_scores,
    "agree-people --segments": agree_support,
    "bank show": lambda folder, _: ["bank", "show", bank(folder)],
    "pack": pack,
    "prompt list": prompts,
    "reproduce": reproduce,
    "rubric correlations": rubric("correlations", "--min-grade", "4"),
    "rubric cover": rubric("cover"),
    "rubric holes": rubric("holes", banked=True),
    "rubric leaderboard": rubric("leaderboard"),
    "rubric spurious": rubric("spurious", "--min-grade", "3", "--min-judgment", "2", banked=True),
    "rubric tables": rubric("tables"),
    "rubric uncovered": rubric("uncovered", "--min-judgment", "1", banked=True),
    "score": data("score"),
    "score battles": score_battles,
    "score compare": score_compare,
    "score diff task1": diff("task1", "question"),
    "score diff task2": diff("task2", "report"),
    "score headroom task1": headroom("task1"),
    "score headroom task2": headroom("task2"),
    "score nuggets": score_nuggets,
    "score quality": score_quality,
    "score retrieval": score_retrieval,
    "score task1": data("score", "task1"),
    "score task2": data("score", "task2"),
    "score usefulness": score_usefulness,
}


def ablate(index, folder, _):
    grid = (
        "dimensions:\n  retriever:\n    words: {retrieval.retriever: bm25}\n"
        "    feedback: {retrieval.retriever: rm3}\nmeasures: R@5 nDCG@10\nhits: 10\n"
    )
    queries = write(
        folder / "queries.tsv", "1\tunsafe glacier", "2\tcritics ferry", "3\tquarry sold"
    )
    qrels = ("1 0 small_doc_00_5#3_5003 1", "2 0 small_doc_00_1#2_1002 1")
    given = ["--queries", queries, "--qrels", write(folder / "qrels", *qrels), "--samples", "200"]
    words = ["ablate", write(folder / "grid.yaml", grid), "-o", str(folder / "out"), *given]
    return [*words, "--index", str(index.path)]


def score_support(index, folder, _):
    told = "The quarry was sold to an investor who also owns a newspaper."
    sentence = {"text": told, "citations": ["small_doc_00_0#0_0"]}
    metadata = {"team_id": "t", "run_id": "r", "topic_id": "a"}
    run = write(folder / "r", json.dumps({"metadata": metadata, "responses": [sentence]}))
    return ["score", "support", run, "--words-only", "--index", str(index.path)]


OVER_AN_INDEX = {"ablate": ablate, "score support": score_support}


def estimated():
    one = PromptEstimate(calls=1200, prompt_tokens=3_400_000, completion_tokens=56_000, cost=1.25)
    by_prompt = {"question_pairwise": one, "read": one}
    total = RunEstimate(
        prompts=by_prompt, total=one, expected=one, hours=2, hours_at_once=1, unknown=()
    )
    return estimate_shown(total)


def used():
    usage = PromptUsage(12, 3, 45_678, 901, 23.4, Counter({"truncated": 2, "empty": 1}))
    made = SimpleNamespace(usage=lambda: {("m", "question_pairwise"): usage}, seconds=dict)
    return usage_shown(made, load_settings(), 4)


def evaluated():
    rules = load_track()
    scores = {"contradictory_score": 0.1, "supportive_score": 0.4, "unjudged": 0.0}
    outcome = {
        "judge": "embedded",
        "rubrics": "given",
        "n_topics": 5,
        "topics_without_rubric": [],
        "examples": ["lantern-t2"],
        rules.question_list.name: {"score": 0.5, "unjudged": 0.0},
        rules.cited_text.name: scores,
        "funnel": [
            {"stage": stage, "credit": 0.9 - place / 10, "change": -0.1, "unjudged": 0}
            for place, stage in enumerate(("retrieved", "selected", "written", "judged"))
        ],
        "folder": "scores",
    }
    return evaluation_shown(outcome, rules)


def audited():
    result = ProbeResult(
        probe="order of questions",
        about="another order",
        n_verdicts=240,
        n_changed=12,
        n_gained=5,
        n_lost=6,
        n_unjudged=1,
        credit_change=-0.0125,
        holds=False,
    )
    denial = result.model_copy(update={"probe": "denial", "most": 0.2, "left": 0.05})
    found = audit_result(Audit("embedded", [result, denial], []), Path("changes.csv"))
    return list(found.shown)


def shown_demo():
    rows = [("sidelight-demo", 0.6, 0.5, 0.0), ("lantern", 0.9, 0.7, 0.0)]
    return demo.scores_shown([demo._Row(*row) for row in rows], "embedded")


PRINTED = {
    "audit": audited,
    "demo": shown_demo,
    "evaluate": evaluated,
    "run": used,
    "run --estimate": estimated,
}


def terminal(columns):
    return {"TTY_COMPATIBLE": "1", "COLUMNS": str(columns), "NO_COLOR": "1", "TERM": "xterm"}


def tables(shown):
    """Return the lines of each table."""
    found = []
    for line in shown.splitlines():
        if line.startswith("┏"):
            found.append([])
        if line[:1] in "┏┃┡│└├" and line:
            found[-1].append(line)
    return found


def plain(shown):
    """Return what is shown without its colours."""
    return re.sub("\x1b\\[[0-9;]*m", "", shown)


def only_tables(shown):
    return "\n".join(line for table in tables(plain(shown)) for line in table)


def check_narrow(results, patched, capsys, golden, name):
    """Hold the tables of results against what they are to look like on 80 and on 60 columns."""
    narrow = {}
    for columns in (80, 60):
        for key, value in terminal(columns).items():
            patched.setenv(key, value)
        for result in results:
            deliver(result, wants_json=False)
        narrow[columns] = only_tables(capsys.readouterr().out)
    for columns, text in narrow.items():
        assert text
        assert max(map(len, text.splitlines())) <= columns
        assert "…" not in text
    text = "".join(f"{columns} columns\n{text}\n\n" for columns, text in narrow.items())
    golden(f"tables/{name.replace(' ', '_')}.txt", text)


def check_pipe(shown):
    assert "…" not in shown
    assert "\x1b" not in shown
    for top, heading, *rows in tables(shown):
        # One line of headings, and nothing folded: each row has a name.
        assert rows[0].startswith("┡")
        assert not any(row.startswith("│  ") for row in rows)
        assert len({len(line) for line in (top, heading, *rows)}) == 1


@pytest.mark.parametrize("name", [*COMMANDS, *OVER_AN_INDEX])
def test_tables_are_whole_in_a_pipe_and_narrow_on_a_terminal(
    name, carried_out, monkeypatch, capsys, golden
):
    check_pipe(carried_out(name).shown)
    check_narrow(carried_out(name).results, monkeypatch, capsys, golden, name)


@pytest.mark.parametrize("name", PRINTED)
def test_tables_of_long_commands_fit_80_and_60_columns(name, monkeypatch, capsys, golden):
    results = [Result(None, PRINTED[name]())]
    check_narrow(results, monkeypatch, capsys, golden, name)


@pytest.mark.parametrize("columns", [24, 40, 60, 80])
def test_every_cell_is_shown_on_any_width(columns, monkeypatch, capsys):
    for key, value in terminal(columns).items():
        monkeypatch.setenv(key, value)
    header = ["run", "supportive score", "95% interval", *(f"measure {n}" for n in range(9))]
    rows = [[f"a-run-with-a-long-name-{n}", *(f"0.{n}{m:02}" for m in range(11))] for n in (1, 2)]
    deliver(Result(None, [PlainTable(header, rows)]), wants_json=False)
    shown = plain(capsys.readouterr().out)
    assert "…" not in shown
    first = tables(shown)[0]
    assert any("0.100" in line for line in first)  # the first measure stands in the first table
    for row in rows:
        for cell in row[1:]:
            assert shown.count(cell) == 1
