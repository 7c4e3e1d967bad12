"""Whatever well-formed value a field of a file has, it is refused by name or does no harm.

The fields come from the schemas that files are read by, and from the columns of tables, so that a
new one is covered by itself. `make fuzz` tries every value in every field, the default tests a few.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import math
import random
import re
import resource
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
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
from sidelight.index.build import build_index
from sidelight.index.encoding.calibration import Agreement, Encoding, Trial, read_encoding
from sidelight.index.encoding.encoder import Encoder, EncoderIdentity
from sidelight.index.encoding.onnx_model import Arithmetic
from sidelight.index.folder import IndexFolder, open_index
from sidelight.index.lucene.segments import ANALYZER
from sidelight.index.manifest import (
    REPORT,
    IndexPlan,
    InputFile,
    Manifest,
    PartReport,
    ShardReport,
    describe_inputs,
    hash_files,
    read_report,
    write_manifest,
    write_plan,
    write_report,
)
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
from tests.fuzz.test_commands import COMMAND, bundle, finished, graded, sample, scripted, seal
from tests.helpers.formats.hostile_values import (
    Change,
    array_changes,
    cell_changes,
    filled,
    json_changes,
    numbers_as_text,
)
from tests.helpers.indexes.rest_server import NAME, Odd, RestServer

ENCODER = Encoder()
SLOWEST_S = 10
SLOWEST_ANSWER_S = 30
MOST_MB = 512
TRIED = 12
"""Values of each file in the default tests."""


@dataclass(frozen=True)
class Reader:
    """A file, the command that reads it, and what its fields are.

    Attributes:
        words: The command line; `{}` is the folder. Or what stands for a command, given the folder.
        file: In the folder, the file that is changed.
        make: Writes the folder.
        schema: What a file, or a line of it, is read by; None for a table or an array.
        columns: Of a table, those that are read.
        parted_by: What stands between the cells of a table; a comma for CSV with a header.
        lines: Whether each line of JSON is a value of its own.
    """

    words: str | Callable[[Path], object]
    file: str
    make: Callable[[Path], object]
    schema: Any = None
    columns: tuple[str, ...] = ()
    parted_by: str = " "
    lines: bool = True

    @property
    def is_yaml(self) -> bool:
        return self.file.endswith(".yaml")

    @property
    def is_json(self) -> bool:
        return self.schema is not None and not self.is_yaml

    @property
    def is_array(self) -> bool:
        return self.file.endswith(".npy")


def written(name: str, content: str | bytes, make: Callable[[Path], object] | None = None) -> Any:
    """Return what writes a folder with one more file."""

    def write(folder: Path) -> None:
        if make is not None:
            make(folder)
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(data)

    return write


def as_lines(*values: object) -> bytes:
    return b"".join(orjson.dumps(value) + b"\n" for value in values)


def with_runs(folder: Path) -> None:
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
FLAT = {
    "run_id": "a-1",
    "topic_id": "14",
    "topic": "Peat.",
    "references": [SEGMENT],
    "response_length": 3,
    "answer": [SENTENCE],
}
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
JUDGED = {
    "judge": "embedded",
    "version": "4",
    "kind": "embedded",
    "n_topics": 5,
    "runs": {"task1": {"lantern-t1": 0.5}},
    "example_run_tags": ["lantern-t1"],
    "agreement": {},
    "n_unjudged": {"task1": 3},
}
SETTINGS = {
    "models": {"writer": {"name": "m", "server": "s"}, "judge": {"name": "m", "server": "s"}},
    "servers": {"s": {"base_url": "http://127.0.0.1:9/v1"}},
}
POOLED = "msmarco_v2.1_doc_90_9184-Q01\tmsmarco_v2.1_doc_90_9184\tWho owns the outlet?\n"
REPLY = {"fingerprint": "0" * 64, "reply": None, "failure": None}
ARMS = {"dimensions": {"k": {"few": {"retrieval.k": 5}, "many": {"retrieval.k": 50}}}}


def own_track(name: str, make: Callable[[Path], object]) -> Any:
    """Return what writes a folder with a track of ours as a file."""
    rules = yaml.safe_load((Path(tracks.__file__).parent / f"{name}.yaml").read_text())
    return written("track.yaml", json.dumps(rules), make)


def graded_with_corrections(folder: Path) -> None:
    graded(folder)
    fixed = {**FIXED, "sha256": sha256_file(folder / "graded.jsonl")}
    (folder / "corrections.json").write_text(json.dumps(fixed))


def judged_sample(folder: Path) -> None:
    sample(folder)
    (folder / "human_assessments" / "manifest.json").write_text(json.dumps(JUDGED))


def index(folder: Path) -> None:
    """A finished index, but for the parts that a search would open."""
    (folder / "index" / "text").mkdir(parents=True)
    (folder / "index" / "text" / "a.zst").write_bytes(b"peat" * 100)
    sha256 = "0" * 64
    plan = IndexPlan(
        inputs=(InputFile(name="a.jsonl", size_bytes=9, sha256=sha256),),
        fields=MS_MARCO,
        encoder=EncoderIdentity(name="m", dimension=4, max_tokens=9, weights=sha256),
        analyzer="english",
    )
    manifest = Manifest(
        plan=plan,
        segments=1,
        documents=1,
        shards=(ShardReport(name="a.jsonl", segments=1, refused=0, problems=()),),
        files={"text/a.zst": 400},
        hashes=hash_files(folder / "index", ["text/a.zst"]),
        libraries={"numpy": "2"},
    )
    write_manifest(folder / "index", manifest)


def planned(folder: Path) -> None:
    """An index that was built of a file with the bundled encoder, but for its parts."""
    (folder / "index").mkdir()
    (folder / "a.jsonl").write_bytes(as_lines({"docid": SEGMENT, "segment": "Peat."}))
    plan = IndexPlan(
        inputs=describe_inputs([folder / "a.jsonl"]),
        fields=MS_MARCO,
        encoder=ENCODER.identity(),
        analyzer=ANALYZER,
        profile=NO_VECTORS,
    )
    write_plan(folder / "index", plan)
    whole = Manifest(plan=plan, segments=1, documents=1, files={}, libraries={})
    write_manifest(folder / "index", whole)


def build_again(folder: Path) -> None:
    """What `index build` does with an encoder that is loaded, which takes it half a second."""
    build_index([folder / "a.jsonl"], folder / "index", ENCODER, profile=NO_VECTORS)


def part_of_an_index(folder: Path) -> None:
    """What a build notes of a part, and what encodes it."""
    line = Problem("a", "a.jsonl", 1, "b", "c", "d")
    shard = ShardReport(name="a.jsonl", segments=1, refused=1, problems=(line,))
    write_report(folder, PartReport(documents=1, shards=(shard,)))
    same = Agreement(mean_cosine=1.0, min_cosine=1.0, overlap=1.0)
    trial = Trial(arithmetic=Arithmetic.FP32, texts_per_s=9.5, agreement=same)
    encoding = Encoding(arithmetic=Arithmetic.FP32, trials=(trial,))
    (folder / "encoding.json").write_text(encoding.model_dump_json())


def parts_of_an_index(folder: Path) -> None:
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


def read_segments(folder: Path) -> None:
    with Docstore(folder / "docstore") as segments:
        names = [segment.segment_id for segment in segments]
        assert segments.get_many(names)


def read_vectors(folder: Path) -> None:
    plan = IndexPlan(
        inputs=(),
        fields=MS_MARCO,
        encoder=EncoderIdentity(name="m", dimension=4, max_tokens=9, weights=""),
        analyzer=ANALYZER,
    )
    manifest = Manifest(plan=plan, segments=1, documents=1, files={}, libraries={})
    IndexFolder(folder, manifest).vectors.search(np.ones((1, 4), np.float32), 1)


def remote(folder: Path) -> None:
    (folder / "index").mkdir()
    write_address(folder / "index", RemoteAddress(url="http://127.0.0.1:9", index="peat"))


def recorded(folder: Path) -> None:
    scripted(folder)
    record = Recording()
    record.searches["peat", 3] = [Hit(SEGMENT, 1.5)]
    record.segments[SEGMENT] = Segment(segment_id=SEGMENT, text="Peat stores carbon.")
    record.vectors["peat"] = np.ones(4, np.float32)
    record.write(folder / "evidence")
    (folder / "replies.jsonl").touch()
    seal(folder)


RETRIEVAL = "score retrieval --qrels {}/qrels.txt --run {}/run.txt --json"
TASK1 = "runs/question_generation_runs/lantern-t1"
TASK2 = "runs/report_generation_runs/lantern-t2"
RUBRIC = "human_rubrics/msmarco_v2.1_doc_90_9184.json"
JUDGE = "judge {}/" + TASK2 + " --task task2 --rubrics {}/human_rubrics -o {}/out --words-only"
READERS = {
    "qrels": Reader(RETRIEVAL, "qrels.txt", sample, columns=qrels.QRELS_COLUMNS),
    "qrels compared": Reader(
        "agree qrels {}/qrels.txt {}/qrels2.txt --json",
        "qrels.txt",
        sample,
        columns=qrels.QRELS_COLUMNS,
    ),
    "run": Reader(RETRIEVAL, "run.txt", sample, columns=trec_run._RUN_COLUMNS),
    "run fused": Reader(
        "fuse {}/run.txt {}/run.txt -o {}/fused.txt",
        "run.txt",
        sample,
        columns=trec_run._RUN_COLUMNS,
    ),
    "run of questions": Reader(
        "validate {}/question_run.txt --track lateral2024 --json",
        "question_run.txt",
        with_runs,
        columns=trec_run._RUN_COLUMNS,
    ),
    "questions": Reader(
        "validate {}/" + TASK1 + " --json",
        TASK1,
        sample,
        columns=question_list._FIELDS,
        parted_by="\t",
    ),
    "reports": Reader(
        "validate {}/" + TASK2 + " --json", TASK2, sample, cited_sentences._ExactReport
    ),
    "reports judged": Reader(JUDGE, TASK2, sample, cited_sentences._ReportLine),
    "rubric": Reader(JUDGE, RUBRIC, sample, rubrics._RubricFile, lines=False),
    "answers": Reader(
        "validate {}/answers.jsonl --track rag2025 --json",
        "answers.jsonl",
        written(
            "answers.jsonl",
            as_lines({**ANSWER, "metadata": {**METADATA, "type": "automatic"}}),
        ),
        rag._ExactAnswer[rag._ExactTypedMetadata, rag._Place],
    ),
    "flat answers": Reader(
        "validate {}/answers.jsonl --track rag2024 --json",
        "answers.jsonl",
        written("answers.jsonl", as_lines(FLAT)),
        rag._ExactFlatAnswer,
    ),
    "described answers": Reader(
        "validate {}/answers.jsonl --track rag2026 --json",
        "answers.jsonl",
        written(
            "answers.jsonl", as_lines({**ANSWER, "metadata": {**METADATA, "run_desc": "a run"}})
        ),
        rag._ExactAnswer[rag._ExactDescription, rag._Place | str],
    ),
    "linked reports": Reader(
        "validate {}/reports.jsonl --track dragun2026testbed --json",
        "reports.jsonl",
        written(
            "reports.jsonl",
            as_lines(
                {
                    "topic_id": "a",
                    "model": "m",
                    "responses": [{"text": "Peat.", "citations": ["https://a.example/b"]}],
                }
            ),
        ),
        linked_reports._ExactReport,
    ),
    "articles": Reader(
        "validate {}/topics.jsonl --json", "topics.jsonl", sample, topics._TopicLine
    ),
    "narratives": Reader(
        "validate {}/narratives.jsonl --track rag2025 --json",
        "narratives.jsonl",
        sample,
        topics._NarrativeLine,
    ),
    "assessments of questions": Reader(
        "score task1 --data {} --json --samples 100",
        "human_assessments/question_assessments.csv",
        sample,
        columns=assessments.QUESTION_ASSESSMENTS.columns,
        parted_by=",",
    ),
    "compound questions": Reader(
        "score task1 --data {} --json --samples 100",
        "human_assessments/compound_question_check.csv",
        sample,
        columns=assessments.COMPOUND_ASSESSMENTS.columns,
        parted_by=",",
    ),
    "assessments of reports": Reader(
        "score task2 --data {} --json --samples 100",
        "human_assessments/report_assessments.csv",
        sample,
        columns=assessments.ANSWER_ASSESSMENTS.columns,
        parted_by=",",
    ),
    "assessments as the organizers read them": Reader(
        "score task1 --data {} --organizer-compat --json",
        "human_assessments/question_assessments.csv",
        sample,
        columns=assessments.QUESTION_ASSESSMENTS.columns,
        parted_by=",",
    ),
    "assessments both ways": Reader(
        "score diff task1 --data {}",
        "human_assessments/question_assessments.csv",
        sample,
        columns=assessments.QUESTION_ASSESSMENTS.columns,
        parted_by=",",
    ),
    "rubric scored": Reader(
        "score task2 --data {} --json --samples 100",
        RUBRIC,
        sample,
        rubrics._RubricFile,
        lines=False,
    ),
    "manifest of a judge": Reader(
        "score task1 --data {} --json --samples 100",
        "human_assessments/manifest.json",
        judged_sample,
        JudgingManifest,
        lines=False,
    ),
    "grades of questions": Reader(
        "score quality --grades {}/grades.tsv --track lateral2024 --json",
        "grades.tsv",
        written("grades.tsv", GRADES),
        columns=qrels._CELLS,
        parted_by="\t",
    ),
    "scores": Reader(
        "score compare {}/scores.csv --json --samples 100",
        "scores.csv",
        written("scores.csv", SCORES),
        columns=("run_tag", "topic_id", "score", "share"),
        parted_by=",",
    ),
    "scores ranked": Reader(
        "agree scores {}/scores.csv {}/other.csv --json --samples 100",
        "scores.csv",
        written("other.csv", SCORES, written("scores.csv", SCORES)),
        columns=("run_tag", "topic_id", "score", "share"),
        parted_by=",",
    ),
    "graded passages": Reader(
        "rubric leaderboard {}/graded.jsonl --json --samples 100",
        "graded.jsonl",
        graded,
        graded_passages._LINE,
    ),
    "graded passages covered": Reader(
        "rubric cover {}/graded.jsonl --json", "graded.jsonl", graded, graded_passages._LINE
    ),
    "graded passages written": Reader(
        "rubric qrels {}/graded.jsonl -o {}/x --judgments {}/y --json",
        "graded.jsonl",
        graded,
        graded_passages._LINE,
    ),
    "graded passages counted": Reader(
        "rubric tables {}/graded.jsonl --json", "graded.jsonl", graded, graded_passages._LINE
    ),
    "bank": Reader(
        "rubric holes {}/graded.jsonl --bank {}/bank.jsonl --json",
        "bank.jsonl",
        graded,
        exams._BankLine,
    ),
    "bank merged": Reader(
        "bank merge {}/bank.jsonl {}/bank.jsonl -o {}/out --json",
        "bank.jsonl",
        graded,
        exams._BankLine,
    ),
    "corrections": Reader(
        "rubric corrections {}/graded.jsonl {}/corrections.json --json",
        "corrections.json",
        graded_with_corrections,
        grades._CorrectionsObject,
        lines=False,
    ),
    "nuggets": Reader(
        "score nuggets {}/answers.jsonl --nuggets {}/nuggets.jsonl --track rag2025 --words-only "
        "--json --samples 100",
        "nuggets.jsonl",
        written(
            "nuggets.jsonl",
            as_lines({"qid": "14", "nuggets": [NUGGET, {**NUGGET, "text": "Peat is wet"}]}),
            written(
                "answers.jsonl",
                as_lines({**ANSWER, "metadata": {**METADATA, "type": "automatic"}}),
            ),
        ),
        nuggets._TopicLine,
    ),
    "nugget assignments": Reader(
        "score nuggets {}/assigned.jsonl --json --samples 100",
        "assigned.jsonl",
        written("assigned.jsonl", as_lines(*ASSIGNED)),
        nuggets._AnswerLine,
    ),
    "settings": Reader(
        "doctor --config {}/settings.yaml",
        "settings.yaml",
        written("settings.yaml", json.dumps(SETTINGS)),
        Settings,
        lines=False,
    ),
    "track": Reader(
        "score task1 --data {} --track {}/track.yaml --json --samples 100",
        "track.yaml",
        own_track("dragun2025", sample),
        Track,
        lines=False,
    ),
    "track of questions": Reader(
        "score quality --grades {}/grades.tsv --track {}/track.yaml --json --samples 100",
        "track.yaml",
        own_track("lateral2024", written("grades.tsv", GRADES)),
        Track,
        lines=False,
    ),
    "track validated by": Reader(
        "validate {}/" + TASK2 + " --track {}/track.yaml --json",
        "track.yaml",
        own_track("dragun2025", sample),
        Track,
        lines=False,
    ),
    "tagged questions": Reader(
        "validate {}/questions.tsv --track lateral2024 --json",
        "questions.tsv",
        written("questions.tsv", "clueweb22-en0000-66-10629\ta-1\t1\tWho owns the outlet?\n"),
        columns=question_list._TAGGED_FIELDS,
        parted_by="\t",
    ),
    "pooled questions": Reader(
        "pool topics {}/pooled.tsv --articles {}/topics.jsonl -o {}/out.jsonl",
        "pooled.tsv",
        written("pooled.tsv", POOLED, sample),
        columns=("question_id", "topic_id", "question"),
        parted_by="\t",
    ),
    "texts of queries": Reader(
        "rubric verify {}/graded.jsonl -o {}/page.html --queries {}/queries.json",
        "queries.json",
        written("queries.json", json.dumps({"q": "what is passed", "r": "why"}), graded),
        dict[str, str],
        lines=False,
    ),
    "assessors": Reader(
        "score quality --grades {}/grades.tsv --assessors {}/assessors.csv --track lateral2024 "
        "--json --samples 100",
        "assessors.csv",
        written(
            "assessors.csv",
            "topic_id,assessor\nclueweb22-en0000-66-10621,1\nclueweb22-en0000-66-10622,2\n",
            written("grades.tsv", GRADES),
        ),
        columns=("topic_id", "assessor"),
        parted_by=",",
    ),
    "replies of a bundle": Reader(
        "verify {}",
        "replies.jsonl",
        written("replies.jsonl", as_lines(REPLY), bundle),
        KeptReply,
    ),
    "documents": Reader(
        "corpus segment {}/documents.jsonl -o {}/segments.jsonl",
        "documents.jsonl",
        sample,
        dict[str, Any],
    ),
    "manifest of an index": Reader(
        "index verify {}/index", "index/manifest.json", index, Manifest, lines=False
    ),
    "manifest of an index shown": Reader(
        "index info {}/index --json", "index/manifest.json", index, Manifest, lines=False
    ),
    "address of an index": Reader(
        "index info {}/index --json", "index/remote.json", remote, RemoteAddress, lines=False
    ),
    "recorded searches": Reader("verify {}", "evidence/searches.jsonl", recorded, RecordedSearch),
    "recorded segments": Reader("verify {}", "evidence/segments.jsonl", recorded, Segment),
    "recorded texts": Reader("verify {}", "evidence/texts.jsonl", recorded, str),
    "recorded vectors": Reader("verify {}", "evidence/vectors.npy", recorded),
    "plan of an index": Reader(build_again, "index/plan.json", planned, IndexPlan, lines=False),
    "report of a part": Reader(read_report, REPORT, part_of_an_index, PartReport, lines=False),
    "encoding of an index": Reader(
        read_encoding, "encoding.json", part_of_an_index, Encoding, lines=False
    ),
    "frames of a store": Reader(
        read_segments, "docstore/msmarco_v2.1_doc_90.npy", parts_of_an_index
    ),
    "ids of vectors": Reader(read_vectors, "vectors/ids.npy", parts_of_an_index),
    "grid": Reader(
        "ablate {}/grid.yaml -o {}/out --dry-run --topics {}/topics.jsonl --index {}",
        "grid.yaml",
        written("grid.yaml", json.dumps(ARMS), sample),
        Grid,
        lines=False,
    ),
    "manifest of a run": Reader(
        "view {}/run", "run/manifest.json", finished, RunManifest, lines=False
    ),
    "trace": Reader(
        "view {}/run", "run/traces/v_doc_00_1.json", finished, TopicResult, lines=False
    ),
    "trace packed": Reader(
        "pack {}/run -o {}/packed --topics {}/topics.jsonl --json",
        "run/traces/topic-a.json",
        scripted,
        TopicResult,
        lines=False,
    ),
    "settings of a run": Reader("view {}/run", "run/config.yaml", finished, Settings, lines=False),
    "contents of a bundle": Reader("verify {}", CONTENTS, bundle, Contents, lines=False),
}


READS = frozenset(
    {
        *("model_validate", "model_validate_json", "validate_python", "loads", "read_yaml"),
        *("open_text", "read_json", "read_lines", "stream_lines", "read_json_lines"),
        *("read_columns", "read_table", "decode_list", "decode_object", "decode_unique"),
        "map_array",
    }
)
"""Names of calls that turn what a file holds into values."""

TRIED_HERE = {
    *("ablation/runs", "cli/grade", "config/load", "evaluation/exams/grades"),
    *("evaluation/labelling/judged_runs", "evaluation/scoring/table", "evaluation/scoring/graded"),
    "evaluation/scoring/organizers",
    *("formats/banks/exams", "formats/banks/nuggets", "formats/banks/rubrics", "formats/lines"),
    *("formats/labels/assessments", "formats/labels/graded_passages", "formats/labels/qrels"),
    *("formats/runs/cited_sentences", "formats/runs/linked_reports", "formats/table"),
    *("formats/runs/question_list", "formats/runs/rag", "formats/runs/trec_run", "formats/topics"),
    *("index/manifest", "index/remote/client", "index/remote/index", "index/text/corpus"),
    *("index/encoding/calibration", "index/text/docstore", "index/vectors/vectors"),
    *("llm/cache", "reproduction/archive", "reproduction/bundle"),
    *("runs/directory", "tracks/__init__"),
}
TRIED_ELSEWHERE = {
    "tests/test_files.py": {"files"},
    "tests/formats/runs/test_official.py": {"formats/runs/submission"},
    "tests/llm, tests/generation, tests/evaluation/labelling: replies of models": {
        *("evaluation/labelling/asking", "evaluation/labelling/passage_grade"),
        *("llm/base", "llm/structured"),
        *("llm/server/openai_compat", "schemas/investigation/angle"),
    },
    "tests/index: folders of indexes, and servers of them": {
        *("index/build", "index/folder", "index/lucene/segments", "index/vectors/matrix"),
        "transport",
    },
    "tests/serve: what a browser sends, and the jobs made of it": {
        "serve/desk",
        "serve/guards",
    },
    "tests/cli/test_prompt.py, tests/test_prompting.py: prompts and their values": {"prompting"},
    "test_commands.py: the evidence of bundles, and what runs and judges leave": {
        *("cli/run", "evaluation/scoring/measures", "view/shown_run"),
        "ablation/measures",
    },
    "files that come with the program, or that people fetch to reproduce tables": {
        "generation/extractive/usefulness",
        *("learned/ordinal_model", "learned/questions", "learned/reading/tables"),
    },
}


def reading_modules() -> set[str]:
    """Return the modules that call what reads."""
    package = Path(tracks.__file__).parent.parent
    found = set()
    for path in package.rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if READS & {getattr(node, "attr", getattr(node, "id", "")) for node in nodes}:
            found.add(str(path.relative_to(package).with_suffix("")))
    return found


def test_every_module_that_reads_files_is_tried() -> None:
    assert reading_modules() == TRIED_HERE.union(*TRIED_ELSEWHERE.values())


class Site:
    """A reader's files, and what they are changed to."""

    def __init__(self, reader: Reader, folder: Path) -> None:
        self.reader, self.folder = reader, folder
        reader.make(folder)
        self.path = folder / reader.file
        self.raw = self.path.read_bytes()
        self.honest = "" if reader.is_array else self.raw.decode()
        self.by_line = not reader.is_array and (reader.schema is None or reader.lines)
        words = reader.words.split(" ") if isinstance(reader.words, str) else []
        self.words = [word.replace("{}", str(folder)) for word in words]

    def changes(self) -> Iterator[Change]:
        """Yield the file with a change each."""
        if self.reader.is_array:
            return array_changes(self.raw)
        if self.reader.schema is None:
            return self._changed_cells()
        return self._changed_json()

    def filled(self) -> str | bytes:
        """Return the file with every field that its schema names."""
        if self.reader.schema is None:
            return self.raw
        first, rest = self._first()
        return self._dumped(self._fill(first)) + rest

    def _fill(self, text: str) -> Any:
        return filled(
            yaml.safe_load(text) if self.reader.is_yaml else json.loads(text), self._schema()
        )

    def _schema(self) -> dict[str, Any]:
        known = self.reader.schema
        adapter = known if isinstance(known, TypeAdapter) else TypeAdapter(known)
        return adapter.json_schema(mode="validation")

    def _first(self) -> tuple[str, str]:
        if not self.reader.lines:
            return self.honest, ""
        first, end, rest = self.honest.partition("\n")
        return first, end + rest

    def _dumped(self, value: Any) -> str:
        return json.dumps(value)

    def texts_for_numbers(self) -> Iterator[Change]:
        """Yield a file with each of its numbers and truths as text, if they are read at all."""
        first, rest = self._first()
        honest = self.told(self.filled())
        for what, as_text, as_list in numbers_as_text(self._fill(first)):
            if self.told(as_list + rest) != honest:
                yield Change(what, as_text + rest)

    def told(self, content: str | bytes) -> tuple[object, ...]:
        """Return what a file makes a command say."""
        result = self.run(content)
        return result.exit_code, result.output, str(result.exception)

    def _changed_json(self) -> Iterator[Change]:
        first, rest = self._first()
        changes = json_changes(self._fill(first), self._schema(), as_yaml=self.reader.is_yaml)
        for what, content in changes:
            yield Change(what, content + rest)

    def _changed_cells(self) -> Iterator[Change]:
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

    def run(self, content: str | bytes) -> click.testing.Result:
        self.path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if self.reader.words == "verify {}" and self.reader.file != CONTENTS:
            seal(self.folder)
        command = COMMAND
        if not isinstance(self.reader.words, str):
            command = click.Command("", callback=partial(self.reader.words, self.folder))
        return click.testing.CliRunner().invoke(command, self.words)


def check(site: Site, change: Change) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.process_time()  # which other work on the machine does not lengthen
    result = site.run(change.content)
    taken = time.process_time() - begin
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert taken < SLOWEST_S, f"{change.what}: {taken:.0f} s"
    assert grown < MOST_MB, f"{change.what}: {grown:.0f} MB"
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


def refuse(what: str, number: str) -> None:
    raise AssertionError(f"{what}: {number} is printed")


SHARE = re.compile(r"(?:.*_)?(?:score|kappa|share|unjudged|nDCG@10|RR@10|R@100|AP|RR|exam)")


def assert_in_range(found: Any) -> None:
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
def sites(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Site]:
    made: dict[str, Site] = {}

    def site(name: str) -> Site:
        if name not in made:
            made[name] = Site(READERS[name], tmp_path_factory.mktemp("values"))
        return made[name]

    return site


@pytest.mark.parametrize("name", READERS)
def test_a_file_with_every_field_is_read(name: str, sites: Callable[[str], Site]) -> None:
    site = sites(name)
    result = site.run(site.filled())
    assert result.exit_code in {0, 1}, f"{result.output}\n{result.exception}"
    # Runs that miss topics, and bundles of runs that cannot be repeated, are found wanting at last.
    whole = {"validate", "verify"}.isdisjoint(site.words[0:1])
    assert result.exit_code == 0 or not whole, f"{result.output}{result.exception}"


@pytest.mark.parametrize("name", [name for name, one in READERS.items() if one.is_json])
def test_no_number_in_json_is_taken_from_text(name: str, sites: Callable[[str], Site]) -> None:
    site = sites(name)
    honest = site.told(site.filled())
    for change in site.texts_for_numbers():
        assert site.told(change.content) != honest, change.what


@pytest.mark.parametrize("name", READERS)
def test_some_hostile_values_do_no_harm(name: str, sites: Callable[[str], Site]) -> None:
    changes = list(sites(name).changes())
    for change in random.Random(name).sample(changes, TRIED):
        check(sites(name), change)


@pytest.mark.fuzz
@pytest.mark.parametrize("name", READERS)
def test_no_hostile_value_does_harm(name: str, sites: Callable[[str], Site]) -> None:
    for change in sites(name).changes():
        check(sites(name), change)


def answers() -> Iterator[tuple[str, Change]]:
    """Yield the damaged answers of a server of an index, each with what was asked."""
    document = {"segment": "Peat stores carbon.", "title": "a", "url": "https://a.example/"}
    document |= {"start_char": 0, "end_char": 19}
    for change in json_changes({"candidates": [{"docid": SEGMENT, "score": 1.5, "doc": document}]}):
        yield "search", change
    for change in json_changes({"docid": SEGMENT, "doc": document}):
        yield "document", change


def check_answers(tried: list[tuple[str, Change]], index: IndexFolder, folder: Path) -> None:
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


def test_some_hostile_answers_of_a_server_do_no_harm(
    small_index: IndexFolder, tmp_path: Path
) -> None:
    check_answers(random.Random("answers").sample(list(answers()), TRIED), small_index, tmp_path)


@pytest.mark.fuzz
def test_no_hostile_answer_of_a_server_does_harm(small_index: IndexFolder, tmp_path: Path) -> None:
    check_answers(list(answers()), small_index, tmp_path)
