"""Whatever well-formed value a field of a file has, it is refused by name or does no harm.

The fields come from the schemas that files are read by, and from the columns of tables, so that a
new one is covered by itself. `make fuzz` tries every value in every field, the default tests a few.
"""

import csv
import io
import json
import math
import random
import re
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import click
import click.testing
import numpy as np
import orjson
import pytest
import yaml
from pydantic import TypeAdapter

from sidelight import tracks
from sidelight.ablation.runs import Grid
from sidelight.config.settings import Settings
from sidelight.errors import InputError, InvalidFileError, MachineError, Problem, UsageError
from sidelight.evaluation.exams import grades
from sidelight.evaluation.labelling.judged_runs import JudgingManifest
from sidelight.files import sha256_file
from sidelight.formats import topics
from sidelight.formats.banks import exams, nuggets, rubrics
from sidelight.formats.labels import assessments, graded_passages, qrels
from sidelight.formats.runs import cited_sentences, linked_reports, question_list, rag, trec_run
from sidelight.index import manifest
from sidelight.index.build import build_index
from sidelight.index.encoding.calibration import Agreement, Encoding, Trial, read_encoding
from sidelight.index.encoding.encoder import Encoder, EncoderIdentity
from sidelight.index.encoding.onnx_model import Arithmetic
from sidelight.index.folder import IndexFolder, open_index
from sidelight.index.lucene.segments import ANALYZER
from sidelight.index.remote.client import RemoteAddress, write_address
from sidelight.index.text.corpus import MS_MARCO, ShardReader
from sidelight.index.text.docstore import Docstore, write_offset_store
from sidelight.index.vectors.part import write_part
from sidelight.index.vectors.profiles import EXACT, NO_VECTORS, profile_named
from sidelight.index.vectors.vectors import write_vectors
from sidelight.llm.cache import KeptReply
from sidelight.reproduction.archive import CONTENTS, Contents
from sidelight.reproduction.bundle import RecordedSearch, Recording
from sidelight.retrieval.first_stage import open_retriever
from sidelight.runs.directory import TopicResult
from sidelight.schemas.investigation.evidence import Hit, Query
from sidelight.schemas.run import RunManifest
from sidelight.schemas.segment import Segment
from sidelight.tracks import Track
from tests.fuzz.test_commands import COMMAND, SLOWEST_S, bounded, finished, graded, sample
from tests.helpers.formats.hostile_values import (
    Change,
    array_changes,
    cell_changes,
    filled,
    json_changes,
    numbers_as_text,
)
from tests.helpers.indexes.rest_server import NAME, Odd, RestServer
from tests.helpers.scripted_runs import bundle, seal, with_topics

ENCODER = Encoder()
SLOWEST_ANSWER_S = 30
MOST_MB = 512
TRIED = 12
"""Values of each file in the default tests."""


@dataclass(frozen=True)
class Reader:
    """A file, the command that reads it (`@` is the file, `{}` the folder), and its fields.

    What stands for a command is given the folder. `schema` is what the file, or each of its lines,
    is read by; a table has `columns` instead, and an array neither.
    """

    words: str | Callable[[Path], object]
    file: str
    make: Callable[[Path], object]
    schema: Any = None
    columns: tuple[str, ...] = ()
    parted_by: str = " "
    lines: bool = True

    @property
    def is_yaml(self):
        return self.file.endswith(".yaml")

    @property
    def is_json(self):
        return self.schema is not None and not self.is_yaml

    @property
    def is_array(self):
        return self.file.endswith(".npy")


def written(name, content, make=None):
    """Return what writes a folder with one more file."""

    def write(folder):
        if make is not None:
            make(folder)
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(data)

    return write


def as_lines(*values):
    return b"".join(orjson.dumps(value) + b"\n" for value in values)


def with_runs(folder):
    sample(folder)
    (folder / "question_run.txt").write_text(
        "".join(
            f"clueweb22-en0000-66-10629-Q{n:02d} Q0 clueweb22-en0000-00-{k:05d} {k} {9 - k}.5 tag\n"
            for n in (1, 2)
            for k in (1, 2, 3)
        )
    )


SEGMENT = "msmarco_v2.1_doc_90_31420#0_63124"
SENTENCE = {"text": "Peat stores carbon.", "citations": [0]}
METADATA = {"team_id": "a", "run_id": "a-1", "narrative_id": "14", "narrative": "Peat."}
ANSWER = {"metadata": METADATA, "references": [SEGMENT], "answer": [SENTENCE]}
FLAT = {"run_id": "a-1", "topic_id": "14", "topic": "Peat.", "references": [SEGMENT]}
FLAT |= {"response_length": 3, "answer": [SENTENCE]}
NUGGET = {"text": "Peat burns", "importance": "vital", "weight": 1.0, "mapped_sub_narrative": "a"}
ASSIGNED = [
    {
        "qid": str(topic),
        "run_id": f"run-{run}",
        "query": "peat",
        "answer_text": "Peat.",
        "nuggets": [
            {**NUGGET, "assignment": "support" if run else "not_support"},
            {**NUGGET, "text": "Peat is wet", "importance": "okay", "assignment": "support"},
        ],
    }
    for run in range(3)
    for topic in range(3)
]
SCORES = "run_tag,topic_id,score,share\n" + "".join(
    f"run-{run},topic-{topic},0.{run}{topic},0.5\n" for run in range(4) for topic in range(5)
)
GRADES = "".join(
    f"{topic}\tclueweb22-en0000-66-1062{topic}\t{run}\trun-{run}\t{rank}\t{rank % 4}\t0\tWho?\n"
    for topic in (1, 2)
    for run in (1, 2, 3)
    for rank in range(1, 6)
)
FIXED = {
    "grader": {"prompt": "Asks", "model": "tiny"},
    "verdicts": [{"query_id": "q", "passage_id": "a", "item_id": "q/1", "grade": 4}],
}
JUDGED = {"judge": "embedded", "version": "4", "kind": "embedded", "n_topics": 5, "agreement": {}}
JUDGED |= {"runs": {"task1": {"lantern-t1": 0.5}}, "n_unjudged": {"task1": 3}}
JUDGED |= {"example_run_tags": ["lantern-t1"]}
SETTINGS = {
    "models": {"writer": {"name": "m", "server": "s"}, "judge": {"name": "m", "server": "s"}},
    "servers": {"s": {"base_url": "http://127.0.0.1:9/v1"}},
}
POOLED = "msmarco_v2.1_doc_90_9184-Q01\tmsmarco_v2.1_doc_90_9184\tWho owns the outlet?\n"
REPLY = {"fingerprint": "0" * 64, "reply": None, "failure": None}
ARMS = {"dimensions": {"k": {"few": {"retrieval.k": 5}, "many": {"retrieval.k": 50}}}}


def own_track(name, make):
    """Return what writes a folder with a track of ours as a file."""
    rules = yaml.safe_load((Path(tracks.__file__).parent / f"{name}.yaml").read_text())
    return written("track.yaml", json.dumps(rules), make)


def graded_with_corrections(folder):
    graded(folder)
    fixed = {**FIXED, "sha256": sha256_file(folder / "graded.jsonl")}
    (folder / "corrections.json").write_text(json.dumps(fixed))


def judged_sample(folder):
    sample(folder)
    (folder / "human_assessments" / "manifest.json").write_text(json.dumps(JUDGED))


def plan_of(inputs=(), **more):
    identity = EncoderIdentity(name="m", dimension=4, max_tokens=9, weights="0" * 64)
    given = {"fields": MS_MARCO, "encoder": identity, "analyzer": ANALYZER}
    return manifest.IndexPlan(inputs=inputs, **(given | more))


def manifest_of(plan):
    return manifest.Manifest(plan=plan, segments=1, documents=1, files={}, libraries={})


def index(folder):
    """A finished index, but for the parts that a search would open."""
    (folder / "index" / "text").mkdir(parents=True)
    (folder / "index" / "text" / "a.zst").write_bytes(b"peat" * 100)
    inputs = (manifest.InputFile(name="a.jsonl", size_bytes=9, sha256="0" * 64),)
    whole = manifest_of(plan_of(inputs)).model_copy(
        update={
            "shards": (manifest.ShardReport(name="a.jsonl", segments=1, refused=0, problems=()),),
            "files": {"text/a.zst": 400},
            "hashes": manifest.hash_files(folder / "index", ["text/a.zst"]),
            "libraries": {"numpy": "2"},
        }
    )
    manifest.write_value(folder / "index", whole)


def planned(folder):
    """An index that was built of a file with the bundled encoder, but for its parts."""
    (folder / "index").mkdir()
    (folder / "a.jsonl").write_bytes(as_lines({"docid": SEGMENT, "segment": "Peat."}))
    inputs = manifest.describe_inputs([folder / "a.jsonl"])
    plan = plan_of(inputs, encoder=ENCODER.identity(), profile=NO_VECTORS)
    manifest.write_value(folder / "index", plan)
    manifest.write_value(folder / "index", manifest_of(plan))


def build_again(folder):
    """What `index build` does with an encoder that is loaded, which takes it half a second."""
    build_index([folder / "a.jsonl"], folder / "index", ENCODER, profile=NO_VECTORS)


def part_of_an_index(folder):
    """What a build notes of a part, and what encodes it."""
    line = Problem("a", "a.jsonl", 1, "b", "c", "d")
    shard = manifest.ShardReport(name="a.jsonl", segments=1, refused=1, problems=(line,))
    manifest.write_value(folder, manifest.PartReport(documents=1, shards=(shard,)))
    same = Agreement(mean_cosine=1.0, min_cosine=1.0, overlap=1.0)
    trial = Trial(arithmetic=Arithmetic.FP32, texts_per_s=9.5, agreement=same)
    encoding = Encoding(arithmetic=Arithmetic.FP32, trials=(trial,))
    (folder / "encoding.json").write_text(encoding.model_dump_json())


def parts_of_an_index(folder):
    """A document store of a shard as published, and vectors."""
    shard = folder / "msmarco_v2.1_doc_segmented_90.json"
    one = {"docid": "msmarco_v2.1_doc_90_0#0_0", "segment": "Peat stores carbon."}
    shard.write_bytes(as_lines(one | {"title": "", "url": "", "headings": ""}))
    (folder / "docstore").mkdir()
    lines = ShardReader(shard, MS_MARCO)
    write_offset_store(folder / "docstore" / "msmarco_v2.1_doc_90.zst", lines)
    chunk = [one["docid"]], np.ones((1, 4), np.float32)
    part = write_part(folder / "part", 4, lambda _: [chunk], lambda _: None)
    write_vectors(folder / "vectors", [part], profile_named(EXACT), lambda _: None)


def read_segments(folder):
    with Docstore(folder / "docstore") as segments:
        names = [segment.segment_id for segment in segments]
        assert segments.get_many(names)


def read_vectors(folder):
    whole = manifest_of(plan_of())
    IndexFolder(folder, whole).vectors.search(np.ones((1, 4), np.float32), 1)


def remote(folder):
    (folder / "index").mkdir()
    write_address(folder / "index", RemoteAddress(url="http://127.0.0.1:9", index="peat"))


def recorded(folder):
    with_topics(folder)
    record = Recording()
    record.searches["peat", 3] = [Hit(SEGMENT, 1.5)]
    record.segments[SEGMENT] = Segment(segment_id=SEGMENT, text="Peat stores carbon.")
    record.vectors["peat"] = np.ones(4, np.float32)
    record.write(folder / "evidence")
    (folder / "replies.jsonl").touch()
    seal(folder)


def table(words, file, columns, parted_by=" ", make=sample):
    return Reader(words, file, make, columns=columns, parted_by=parted_by)


def whole(words, file, schema, make=sample):
    return Reader(words, file, make, schema, lines=False)


def validated(file, schema, track, *lines):
    words = f"validate @ --track {track} --json"
    return Reader(words, file, written(file, as_lines(*lines)) if lines else sample, schema)


def typed(**more):
    return {**ANSWER, "metadata": {**METADATA, **more}}


OF_LATERAL = "validate @ --track lateral2024 --json"
RETRIEVAL = "score retrieval --qrels {}/qrels.txt --run {}/run.txt --json"
TASK1 = "runs/question_generation_runs/lantern-t1"
TASK2 = "runs/report_generation_runs/lantern-t2"
RUBRIC = "human_rubrics/msmarco_v2.1_doc_90_9184.json"
JUDGE = "judge {}/" + TASK2 + " --task task2 --rubrics {}/human_rubrics -o {}/out --words-only"
LABELS = "human_assessments"
PAIRS, COMPOUND = f"{LABELS}/question_assessments.csv", f"{LABELS}/compound_question_check.csv"
BRIEFLY = " --json --samples 100"
SCORE1, SCORE2 = (f"score {task} --data {{}}{BRIEFLY}" for task in ("task1", "task2"))
QUALITY = f"score quality --grades {{}}/grades.tsv --track lateral2024{BRIEFLY}"
HITS, GRADED = trec_run._RUN_COLUMNS, qrels.QRELS_COLUMNS
SCORED = ("run_tag", "topic_id", "score", "share")
POOL = ("question_id", "topic_id", "question")
WITH_GRADES, WITH_SCORES = written("grades.tsv", GRADES), written("scores.csv", SCORES)
PAIR_COLUMNS, COMPOUND_COLUMNS, ANSWER_COLUMNS = (
    getattr(assessments, f"{name}_ASSESSMENTS").columns
    for name in ("QUESTION", "COMPOUND", "ANSWER")
)
TYPED_ANSWER = rag._ExactAnswer[rag._ExactTypedMetadata, rag._Place]
DESCRIBED_ANSWER = rag._ExactAnswer[rag._ExactDescription, rag._Place | str]
SENTENCE_OF_PAGE = {"text": "Peat.", "citations": ["https://a.example/b"]}
LINKED = {"topic_id": "a", "model": "m", "responses": [SENTENCE_OF_PAGE]}
BANK = as_lines({"qid": "14", "nuggets": [NUGGET, {**NUGGET, "text": "Peat is wet"}]})
WITH_ANSWERS = written("answers.jsonl", as_lines(typed(type="automatic")))
NUGGETS = "score nuggets {}/answers.jsonl --nuggets @ --track rag2025 --words-only"
QUERIES = json.dumps({"q": "what is passed", "r": "why"})
TAGGED = "clueweb22-en0000-66-10629\ta-1\t1\tWho owns the outlet?\n"
ASSESSORS = "topic_id,assessor\nclueweb22-en0000-66-10621,1\nclueweb22-en0000-66-10622,2\n"
OWN_TRACK = own_track("dragun2025", sample)
PACK = "pack {}/run -o {}/packed --topics {}/topics.jsonl --json"
ABLATE = "ablate @ -o {}/out --dry-run --topics {}/topics.jsonl"
READERS = {
    "qrels": table(RETRIEVAL, "qrels.txt", GRADED),
    "qrels compared": table("agree qrels @ {}/qrels2.txt --json", "qrels.txt", GRADED),
    "run": table(RETRIEVAL, "run.txt", HITS),
    "run fused": table("fuse @ @ -o {}/fused.txt", "run.txt", HITS),
    "run of questions": table(OF_LATERAL, "question_run.txt", HITS, " ", with_runs),
    "questions": table("validate @ --json", TASK1, question_list._FIELDS, "\t"),
    "reports": Reader("validate @ --json", TASK2, sample, cited_sentences._ExactReport),
    "reports judged": Reader(JUDGE, TASK2, sample, cited_sentences._ReportLine),
    "rubric": whole(JUDGE, RUBRIC, rubrics._RubricFile),
    "answers": validated("answers.jsonl", TYPED_ANSWER, "rag2025", typed(type="automatic")),
    "flat answers": validated("answers.jsonl", rag._ExactFlatAnswer, "rag2024", FLAT),
    "described answers": validated(
        "answers.jsonl", DESCRIBED_ANSWER, "rag2026", typed(run_desc="a run")
    ),
    "linked reports": validated(
        "reports.jsonl", linked_reports._ExactReport, "dragun2026testbed", LINKED
    ),
    "articles": Reader("validate @ --json", "topics.jsonl", sample, topics._TopicLine),
    "narratives": validated("narratives.jsonl", topics._NarrativeLine, "rag2025"),
    "assessments of questions": table(SCORE1, PAIRS, PAIR_COLUMNS, ","),
    "compound questions": table(SCORE1, COMPOUND, COMPOUND_COLUMNS, ","),
    "assessments of reports": table(
        SCORE2, f"{LABELS}/report_assessments.csv", ANSWER_COLUMNS, ","
    ),
    "assessments as the organizers read them": table(
        "score task1 --data {} --organizer-compat --json", PAIRS, PAIR_COLUMNS, ","
    ),
    "assessments both ways": table("score diff task1 --data {}", PAIRS, PAIR_COLUMNS, ","),
    "rubric scored": whole(SCORE2, RUBRIC, rubrics._RubricFile),
    "manifest of a judge": whole(SCORE1, f"{LABELS}/manifest.json", JudgingManifest, judged_sample),
    "grades of questions": table(
        QUALITY, "grades.tsv", qrels.QUESTION_GRADE_CELLS, "\t", WITH_GRADES
    ),
    "scores": table(f"score compare @{BRIEFLY}", "scores.csv", SCORED, ",", WITH_SCORES),
    "scores ranked": table(
        f"agree scores @ {{}}/other.csv{BRIEFLY}",
        *("scores.csv", SCORED, ",", written("other.csv", SCORES, WITH_SCORES)),
    ),
    **{
        f"graded passages {done}": Reader(words, "graded.jsonl", graded, graded_passages._LINE)
        for done, words in {
            "ranked": f"rubric leaderboard @{BRIEFLY}",
            "covered": "rubric cover @ --json",
            "written": "rubric qrels @ -o {}/x --judgments {}/y --json",
            "counted": "rubric tables @ --json",
        }.items()
    },
    **{
        f"bank {done}": Reader(words, "bank.jsonl", graded, exams._BankLine)
        for done, words in {
            "searched": "rubric holes {}/graded.jsonl --bank @ --json",
            "merged": "bank merge @ @ -o {}/out --json",
        }.items()
    },
    "corrections": whole(
        "rubric corrections {}/graded.jsonl @ --json",
        *("corrections.json", grades._CorrectionsObject, graded_with_corrections),
    ),
    "nuggets": Reader(
        NUGGETS + BRIEFLY,
        *("nuggets.jsonl", written("nuggets.jsonl", BANK, WITH_ANSWERS), nuggets._TopicLine),
    ),
    "nugget assignments": Reader(
        f"score nuggets @{BRIEFLY}",
        "assigned.jsonl",
        *(written("assigned.jsonl", as_lines(*ASSIGNED)), nuggets._AnswerLine),
    ),
    "settings": whole(
        "doctor --config @",
        *("settings.yaml", Settings, written("settings.yaml", json.dumps(SETTINGS))),
    ),
    "track": whole(f"score task1 --data {{}} --track @{BRIEFLY}", "track.yaml", Track, OWN_TRACK),
    "track of questions": whole(
        f"score quality --grades {{}}/grades.tsv --track @{BRIEFLY}",
        *("track.yaml", Track, own_track("lateral2024", WITH_GRADES)),
    ),
    "track validated by": whole(
        "validate {}/" + TASK2 + " --track @ --json", "track.yaml", Track, OWN_TRACK
    ),
    "tagged questions": table(
        OF_LATERAL,
        *("questions.tsv", question_list._TAGGED_FIELDS, "\t", written("questions.tsv", TAGGED)),
    ),
    "pooled questions": table(
        "pool topics @ --articles {}/topics.jsonl -o {}/out.jsonl",
        *("pooled.tsv", POOL, "\t", written("pooled.tsv", POOLED, sample)),
    ),
    "texts of queries": whole(
        "rubric verify {}/graded.jsonl -o {}/page.html --queries @",
        *("queries.json", dict[str, str], written("queries.json", QUERIES, graded)),
    ),
    "assessors": table(
        f"{QUALITY} --assessors @",
        *("assessors.csv", ("topic_id", "assessor"), ","),
        written("assessors.csv", ASSESSORS, WITH_GRADES),
    ),
    "replies of a bundle": Reader(
        "verify {}", "replies.jsonl", written("replies.jsonl", as_lines(REPLY), bundle), KeptReply
    ),
    "documents": Reader(
        "corpus segment @ -o {}/segments.jsonl", "documents.jsonl", sample, dict[str, Any]
    ),
    **{
        f"manifest of an index {done}": whole(
            words, "index/manifest.json", manifest.Manifest, index
        )
        for done, words in {
            "verified": "index verify {}/index",
            "shown": "index info {}/index --json",
        }.items()
    },
    "address of an index": whole(
        "index info {}/index --json", "index/remote.json", RemoteAddress, remote
    ),
    "recorded searches": Reader("verify {}", "evidence/searches.jsonl", recorded, RecordedSearch),
    "recorded segments": Reader("verify {}", "evidence/segments.jsonl", recorded, Segment),
    "recorded texts": Reader("verify {}", "evidence/texts.jsonl", recorded, str),
    "recorded vectors": Reader("verify {}", "evidence/vectors.npy", recorded),
    "plan of an index": whole(build_again, "index/plan.json", manifest.IndexPlan, planned),
    "report of a part": whole(
        manifest.read_report, manifest.REPORT, manifest.PartReport, part_of_an_index
    ),
    "encoding of an index": whole(read_encoding, "encoding.json", Encoding, part_of_an_index),
    "frames of a store": Reader(
        read_segments, "docstore/msmarco_v2.1_doc_90.npy", parts_of_an_index
    ),
    "ids of vectors": Reader(read_vectors, "vectors/ids.npy", parts_of_an_index),
    "grid": whole(ABLATE, "grid.yaml", Grid, written("grid.yaml", json.dumps(ARMS), sample)),
    "manifest of a run": whole("view {}/run", "run/manifest.json", RunManifest, finished),
    "trace": whole("view {}/run", "run/traces/v_doc_00_1.json", TopicResult, finished),
    "trace packed": whole(PACK, "run/traces/topic-a.json", TopicResult, with_topics),
    "settings of a run": whole("view {}/run", "run/config.yaml", Settings, finished),
    "contents of a bundle": whole("verify {}", CONTENTS, Contents, bundle),
}


class Site:
    """A reader's files, and what they are changed to."""

    def __init__(self, reader, folder):
        self.reader, self.folder = reader, folder
        reader.make(folder)
        self.path = folder / reader.file
        self.raw = self.path.read_bytes()
        self.honest = "" if reader.is_array else self.raw.decode()
        self.by_line = not reader.is_array and (reader.schema is None or reader.lines)
        words = reader.words.split(" ") if isinstance(reader.words, str) else []
        self.words = [word.replace("@", f"{{}}/{reader.file}") for word in words]
        self.words = [word.replace("{}", str(folder)) for word in self.words]

    def changes(self):
        """Yield the file with a change each."""
        if self.reader.is_array:
            return array_changes(self.raw)
        if self.reader.schema is None:
            return self._changed_cells()
        return self._changed_json()

    def filled(self):
        """Return the file with every field that its schema names."""
        if self.reader.schema is None:
            return self.raw
        first, rest = self._first()
        return json.dumps(self._fill(first)) + rest

    def _fill(self, text):
        load = yaml.safe_load if self.reader.is_yaml else json.loads
        return filled(load(text), self._schema())

    def _schema(self):
        known = self.reader.schema
        adapter = known if isinstance(known, TypeAdapter) else TypeAdapter(known)
        return adapter.json_schema(mode="validation")

    def _first(self):
        if not self.reader.lines:
            return self.honest, ""
        first, end, rest = self.honest.partition("\n")
        return first, end + rest

    def texts_for_numbers(self):
        """Yield a file with each of its numbers and truths as text, if they are read at all."""
        first, rest = self._first()
        honest = self.told(self.filled())
        for what, as_text, as_list in numbers_as_text(self._fill(first)):
            if self.told(as_list + rest) != honest:
                yield Change(what, as_text + rest)

    def told(self, content):
        """Return what a file makes a command say."""
        result = self.run(content)
        return result.exit_code, result.output, str(result.exception)

    def _changed_json(self):
        first, rest = self._first()
        changes = json_changes(self._fill(first), self._schema(), as_yaml=self.reader.is_yaml)
        for what, content in changes:
            yield Change(what, content + rest)

    def _changed_cells(self):
        if self.reader.parted_by == ",":
            header, *rows = csv.reader(io.StringIO(self.honest))
            assert set(self.reader.columns) <= set(header)
            for what, changed in cell_changes(rows[0]):
                stream = io.StringIO()
                csv.writer(stream, lineterminator="\n").writerows([header, *changed, *rows[1:]])
                yield Change(what, stream.getvalue())
            return
        first, _, rest = self.honest.partition("\n")
        cells = first.split(self.reader.parted_by)
        assert len(cells) == len(self.reader.columns)
        for what, changed in cell_changes(cells):
            lines = [self.reader.parted_by.join(row) for row in changed]
            yield Change(what, "\n".join([*lines, rest]))

    def run(self, content):
        self.path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if self.reader.words == "verify {}" and self.reader.file != CONTENTS:
            seal(self.folder)
        command = COMMAND
        if not isinstance(self.reader.words, str):
            command = click.Command("", callback=partial(self.reader.words, self.folder))
        return click.testing.CliRunner().invoke(command, self.words)


def check(site, change):
    with bounded(change.what, SLOWEST_S, MOST_MB):
        result = site.run(change.content)
    error = result.exception
    if isinstance(error, InvalidFileError):
        for problem in error.problems:
            # Labels of a changed scale are at fault in the file that has them.
            assert problem.file.startswith(str(site.folder)), f"{change.what}: {problem}"
            if problem.file == str(site.path) and site.by_line:
                assert problem.line is not None, f"{change.what}: {problem}"
    elif isinstance(error, InputError | UsageError):
        pass  # what is said of several files together names what is in them
    elif error is not None and not isinstance(error, SystemExit):
        pytest.fail(f"{change.what}\n{''.join(traceback.format_exception(error))}")
    elif "--json" in site.words and result.exit_code == 0:
        assert_in_range(json.loads(result.stdout, parse_constant=partial(refuse, change.what)))
    assert "Traceback" not in result.output, change.what


def refuse(what, number):
    raise AssertionError(f"{what}: {number} is printed")


SHARE = re.compile(r"(?:.*_)?(?:score|kappa|share|unjudged|nDCG@10|RR@10|R@100|AP|RR|exam)")


def assert_in_range(found):
    """Every number is finite; a share, and a coefficient, is no larger than one."""
    if isinstance(found, dict):
        for name, value in found.items():
            assert_in_range(value)
            if isinstance(value, float) and SHARE.fullmatch(name):
                assert abs(value) <= 1 + 1e-9, (name, value)
    elif isinstance(found, list):
        for value in found:
            assert_in_range(value)
    elif isinstance(found, float):
        assert math.isfinite(found)


@pytest.fixture(scope="module")
def sites(tmp_path_factory):
    return cache(lambda name: Site(READERS[name], tmp_path_factory.mktemp("values")))


@pytest.mark.parametrize("name", READERS)
def test_a_file_with_every_field_is_read(name, sites):
    site = sites(name)
    result = site.run(site.filled())
    assert result.exit_code in {0, 1}, f"{result.output}\n{result.exception}"
    # Runs that miss topics, and bundles of runs that cannot be repeated, are found wanting at last.
    whole = {"validate", "verify"}.isdisjoint(site.words[0:1])
    assert result.exit_code == 0 or not whole, f"{result.output}{result.exception}"


@pytest.mark.parametrize("name", [name for name, one in READERS.items() if one.is_json])
def test_no_number_in_json_is_taken_from_text(name, sites):
    site = sites(name)
    honest = site.told(site.filled())
    for change in site.texts_for_numbers():
        assert site.told(change.content) != honest, change.what


@pytest.mark.parametrize("name", READERS)
def test_some_hostile_values_do_no_harm(name, sites):
    changes = list(sites(name).changes())
    for change in random.Random(name).sample(changes, TRIED):
        check(sites(name), change)


@pytest.mark.fuzz
@pytest.mark.parametrize("name", READERS)
def test_no_hostile_value_does_harm(name, sites):
    for change in sites(name).changes():
        check(sites(name), change)


def answers():
    """Yield the damaged answers of a server of an index, each with what was asked."""
    document = {"segment": "Peat stores carbon.", "title": "a", "url": "https://a.example/"}
    document |= {"start_char": 0, "end_char": 19}
    for change in json_changes({"candidates": [{"docid": SEGMENT, "score": 1.5, "doc": document}]}):
        yield "search", change
    for change in json_changes({"docid": SEGMENT, "doc": document}):
        yield "document", change


def check_answers(tried, index, folder):
    for number, (asked, change) in enumerate(tried):
        with RestServer(index) as server:
            address = RemoteAddress(url=server.url, index=NAME, timeout_s=5)
            write_address(folder / str(number), address)
            remote_index = open_index(folder / str(number))
            server.odd += [Odd(200, change.content.encode())]
            begin, refused = time.monotonic(), None
            try:
                if asked == "search":
                    query = Query(query_id="q", text="peat")
                    hits = open_retriever("bm25", remote_index).search([query], 3)["q"]
                    assert all(math.isfinite(hit.score) for hit in hits), change.what
                else:
                    (segment,) = remote_index.docstore.get_many([SEGMENT])
                    assert segment.segment_id == SEGMENT, change.what
            except (MachineError, InputError) as error:
                refused = error
            assert time.monotonic() - begin < SLOWEST_ANSWER_S, change.what
            if refused is not None:
                named = str(refused)
                assert server.url in named or "does not hold" in named, f"{change.what}: {named}"
                assert refused.remedy, change.what


def test_some_hostile_answers_of_a_server_do_no_harm(small_index, tmp_path):
    check_answers(random.Random("answers").sample(list(answers()), TRIED), small_index, tmp_path)


@pytest.mark.fuzz
def test_no_hostile_answer_of_a_server_does_harm(small_index, tmp_path):
    check_answers(list(answers()), small_index, tmp_path)
