"""Cited texts in files of one JSON object a line: how they are read and strictly checked.

A text is held against the limits of its task; each sentence must be plain, and its citations must
be segments of the collection. Plain means without what a program that opens the file might act on
(markup, script addresses, formulas), and without citation marks.

Reports with metadata (`reports_jsonl`): one a line, whose sentences cite segments by id.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field, StrictInt, ValidationError

from sidelight.files import atomic_packer
from sidelight.formats.lines import (
    Findings,
    decode_unique,
    difference,
    open_text,
    parsed_lines,
    read_bytes,
    write_json_lines,
)
from sidelight.formats.runs import submission
from sidelight.schemas.run import (
    CitedSentence,
    ReportMetadata,
    ReportRun,
    RunIdentity,
    RunType,
    SubmittedReport,
)
from sidelight.schemas.segment import document_id_of, parse_segment_id
from sidelight.schemas.task import CitedTextTask, JudgmentsTask, RankingTask
from sidelight.text import budget_words, count_words, one_line, quoted, sentences, tokens

_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_SCRIPT = re.compile(r"\b((?:java|vb)script)\s*:|\b(data):(?=\w+/)", re.IGNORECASE)
_QUOTES = str.maketrans("<>", "‹›")
# What a spreadsheet computes when a cell begins with it; numbers and dashes before words it shows.
_FORMULA = re.compile(r"^\s*+(?:(?:[=@]++|[+-]++(?=[A-Za-z(]++[(|!]))\s*+)++")
# What a model's reply holds beside a text.
_THOUGHTS = r"(?i:</?think(?:ing)?\b>?)"
_CHAT = r"<[|｜][^<>|｜\s]{1,40}+[|｜]>|</?s>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>"
_MARK = r"\[[0-9]{1,3}+(?:\s?[,;–-]\s?[0-9]{1,3}+)*+\]"
_ID_MARK = re.compile(r"\s?【([^【】\s]{1,100})】")
_LEFTOVERS = {
    "thoughts of a model": re.compile(_THOUGHTS),
    "tokens of a chat": re.compile(_CHAT),
    "bracketed citation marks": re.compile(_MARK),
    "markdown": re.compile(r"\*\*|```|\]\(https?:|^\s*+(?:#{1,6}|[-*+•])(?=\s)"),
}
_BESIDE = re.compile(f"{_THOUGHTS}|{_CHAT}")  # never made plain, or it would pass for words
# What can be taken off the end of a sentence: of one that cites nothing else, not its marks.
_ENDS = [
    re.compile(rf"(?<!\s)(?:\s*+(?:{one})){{1,9}}+(?=[\s.!?”\"]*+$)")
    for one in (_CHAT, f"{_CHAT}|{_MARK}")
]


def inert(text: str) -> str:
    """Return a text that shows the same words and that nothing acts on; it is never longer."""
    text = _FORMULA.sub("", text)
    text = _SCRIPT.sub(lambda match: f"{match[1] or match[2]};", text)
    return text.translate(_QUOTES) if _TAG.search(text) else text


def as_plain(text: str, *, also: bool) -> str:
    """Return a text inert and on one line if it breaks a rule on characters, or `also` another."""
    spoilt = also or submission.CONTROL.search(text) or inert(text) != text
    return inert(one_line(text)) if spoilt and not _BESIDE.search(text) else text


def check_active(text: str, line: int, findings: Findings) -> None:
    """Warn of a text that is not inert."""
    if inert(text) != text:
        findings.warning(
            "active-text",
            line,
            expected="plain words",
            found=quoted(text),
            remedy="Remove markup, script addresses and what makes a spreadsheet compute.",
        )


def has_citation_marks(text: str) -> bool:
    """Tell whether a text holds a bracket of a mark, as in `【msmarco_v2.1_doc_16_199#2_221】`.

    gpt-oss models write such marks unasked. They count as words, show segment ids to a reader, and
    cite nothing as long as they stand in the text.
    """
    return "【" in text or "】" in text


# Several words that count as one: joined by a character without width, or by two dashes or more.
# Looked for where a word begins alone, or a long one would be read from each of its letters on.
_HIDDEN_WORDS = re.compile(
    r"\w[\u00ad\u200b-\u200d\u2060\ufeff]+\w"
    r"|(?<![^\s–—])[^\s–—]++[–—][^\s–—]++[–—][^\s–—]+"
)


def check_text(line: int, text: str, findings: Findings, *, one_sentence: bool = True) -> None:
    """Check that a text is plain, as a rule one sentence, and that its words can be counted."""
    submission.check_characters(text, line, findings)
    check_active(text, line, findings)
    for what, leftover in _LEFTOVERS.items():
        if match := leftover.search(text):
            want, told = f"a text without {what}", f"{quoted(match.group())} in {quoted(text)}"
            remedy = "Remove what is no word of the text."
            if _BESIDE.search(match.group()):
                findings.error("model-leftovers", line, expected=want, found=told, remedy=remedy)
            else:
                findings.warning("model-leftovers", line, expected=want, found=told, remedy=remedy)
    if not tokens(text):
        findings.error(
            "sentence-empty",
            line,
            expected="a sentence",
            found=quoted(text),
            remedy="Remove the response.",
        )
    count = len(sentences(text))
    if count > 1 and one_sentence:
        findings.error(
            "sentence-count",
            line,
            expected="one sentence in each text",
            found=f"{count} in {quoted(text)}",
            remedy="Give each sentence a response and citations of its own.",
        )
    if has_citation_marks(text):
        findings.error(
            "citation-mark",
            line,
            expected="plain text",
            found=f"【...】 in {quoted(text)}",
            remedy="Remove the marks; the ids belong in citations.",
        )
    hidden = _HIDDEN_WORDS.search(text)
    if hidden:
        findings.warning(
            "hidden-words",
            line,
            expected="words separated by spaces",
            found=quoted(hidden.group()),
            remedy="Put spaces between the words, so that the limit counts each of them.",
        )


def check_citations(
    run: submission.CheckedRun[CitedTextTask], line: int, citations: Sequence[str]
) -> None:
    """Check that one sentence has no more citations than the track allows, and each once."""
    most = run.task.max_citations
    if most is not None and len(citations) > most:
        run.findings.error(
            "citation-count",
            line,
            expected=f"at most {most} citations",
            found=f"{len(citations)}",
            remedy="Keep the best.",
        )
    for citation, count in Counter(citations).items():
        if count > 1:
            told = f"{quoted(citation)} {count} times"
            run.findings.again("citation-duplicate", line, "each citation once", told)


def check_segments(
    run: submission.CheckedRun[CitedTextTask | RankingTask | JudgmentsTask],
    line: int,
    segment_ids: Iterable[str],
) -> None:
    """Check that segment ids fit the track's collection, and exist if it is known which do."""
    for segment_id in dict.fromkeys(segment_ids):
        if not re.fullmatch(run.task.segment_id_pattern, segment_id):
            run.findings.error(
                "citation-pattern",
                line,
                expected=f"a segment id that matches {run.task.segment_id_pattern}",
                found=quoted(segment_id),
                remedy="Cite segments of the collection, not documents or URLs.",
            )
        elif run.known_segments is not None and segment_id not in run.known_segments:
            run.findings.error(
                "citation-unknown",
                line,
                expected="segments that exist in the index",
                found=quoted(segment_id),
                remedy="Remove the citation.",
            )


def check_sources(line: int, citations: Sequence[str], topic_id: str, findings: Findings) -> None:
    """Check that the citations of one sentence are different sources outside the article."""
    different = list(dict.fromkeys(citations))
    cited: dict[tuple[str, int], str] = {}
    for citation in different:
        own = parse_segment_id(citation)
        if own is None:
            continue
        for window in (own.window - 1, own.window + 1):
            if other := cited.get((own.document_id, window)):
                findings.warning(
                    "citation-adjacent",
                    line,
                    expected="citations that do not overlap",
                    found=f"{quoted(other)} and {quoted(citation)}, which share half their text",
                    remedy="Keep the better of the two, unless the sentence needs both.",
                )
        cited.setdefault((own.document_id, own.window), citation)
    for citation in different:
        if document_id_of(citation) == topic_id:
            findings.error(
                "citation-own-article",
                line,
                expected="sources other than the article itself",
                found=quoted(citation),
                remedy="Cite another document.",
            )


class SentenceLine(BaseModel):
    """A sentence as tolerant readers take it."""

    text: str
    citations: tuple[str, ...] = ()


class ExactLine(BaseModel):
    """What a strict check takes: an object without further keys."""

    model_config = ConfigDict(extra="forbid")


M = TypeVar("M", bound=BaseModel)
Cited = TypeVar("Cited")


class ExactSentence(ExactLine, Generic[Cited]):
    """A sentence as strict checks take it; a citation is of one type."""

    text: str
    citations: list[Cited]


def one_a_topic(
    reports: Iterable[tuple[int, SubmittedReport]], what: str, findings: Findings
) -> list[SubmittedReport]:
    """Return the reports of a file, which are given with their line numbers.

    A second report of a run on a topic is an error; all errors in `findings` are then raised.
    `what` is what messages call the content of a line, with its article.
    """
    found: dict[tuple[str, str], SubmittedReport] = {}
    for line, report in reports:
        key = (report.metadata.topic_id, report.metadata.run_id)
        if key in found:
            _repeated_topic(report.metadata.topic_id, line, what, findings)
        found[key] = report
    findings.raise_errors()
    return list(found.values())


def strict_lines(
    run: submission.CheckedRun[CitedTextTask], model: type[M], topic_key: str, what: str
) -> tuple[list[tuple[int, M]], dict[str, int]]:
    """Read the lines that fit `model`, and add what is wrong with the others to the findings.

    The result is the line number and content of each line that is good, or good but for unknown
    keys and malformed sentences, and for each topic the number of the first line with it, good or
    not. The topic stands under `topic_key`, in `metadata` where there is such an object. `what` is
    what messages call the content of a line, with its article.
    """
    file, findings = open_text(run.path), run.findings
    findings.problems += file.problems
    submission.check_encoding(file, findings)
    first_lines: dict[str, int] = {}
    good: list[tuple[int, M]] = []
    for line, text in file.lines:
        if "\r" in text:
            submission.check_characters(text, line, findings)
        content = decode_unique(text, line, findings) if text.strip() else None
        if content is None:
            continue
        topic_id = _topic_id(content, topic_key)
        if topic_id in first_lines:
            _repeated_topic(topic_id, line, what, findings)
        first_lines.setdefault(topic_id, line)
        try:
            good.append((line, model.model_validate(content)))
        except ValidationError as error:
            findings.invalid(error, line, what)
            with suppress(ValidationError):  # what else is wrong with the line is told, too
                good.append((line, model.model_validate(_without_faults(content, error))))
    return good, first_lines


def _without_faults(content: dict[str, Any], error: ValidationError) -> dict[str, Any]:
    """Return a line without unknown keys and, if others are left, without malformed sentences."""
    spoilt = set()
    for detail in error.errors(include_url=False):
        *above, key = place = detail["loc"]
        if detail["type"] == "extra_forbidden":
            held: Any = content
            for one in above:
                held = held[one]
            del held[key]
        elif place[0] == "responses" and len(place) > 1:
            spoilt.add(place[1])
    held = content["responses"] if spoilt else ()
    kept = [sentence for number, sentence in enumerate(held) if number not in spoilt]
    return content | {"responses": kept} if kept else content


def _repeated_topic(topic_id: str, line: int, what: str, findings: Findings) -> None:
    told = f"one {what.partition(' ')[2]} for each topic"
    findings.again("topic-duplicate", line, told, f"a second one for {quoted(topic_id)}")


def check_constant(name: str, values: Sequence[tuple[int, object]], findings: Findings) -> None:
    """Check that a key of the metadata has one value within a run, given by line."""
    for line, value in values:
        if value != values[0][1]:
            findings.error(
                "metadata-inconsistent",
                line,
                expected=f"the {name} of line {values[0][0]}, {quoted(values[0][1])}",
                found=quoted(value),
                remedy="Give all lines of a run the same metadata.",
            )


def check_reports(
    run: submission.CheckedRun[CitedTextTask],
    reports: Sequence[tuple[SubmittedReport, Sequence[int]]],
    first_lines: Mapping[str, int] | None = None,
) -> None:
    """Check the reports of a run: topics, ids, and each sentence by the limits of the task.

    Each report comes with the line numbers of its sentences; one without sentences, with its own.
    `first_lines` has the line on which each topic first occurs, lines that could not be read
    included; by default, it is taken from `reports`.
    """
    abouts = [(report.metadata, lines[0]) for report, lines in reports]
    if first_lines is None:
        first_lines = {about.topic_id: line for about, line in reversed(abouts)}
    submission.check_topics(run, first_lines)
    submission.check_ids(
        run, [submission.LineIds(line, about.team_id, about.run_id) for about, line in abouts]
    )
    for report, lines in reports:
        sentences = report.responses
        check_length(run, lines[0], [one.text for one in sentences])
        check_uncited(run, lines[0], [one.citations for one in sentences])
        for one, line in zip(sentences, lines, strict=False):
            check_text(line, one.text, run.findings, one_sentence=run.task.one_sentence)
            check_citations(run, line, one.citations)
            check_segments(run, line, one.citations)
            check_sources(line, one.citations, report.metadata.topic_id, run.findings)


def check_length(
    run: submission.CheckedRun[CitedTextTask], line: int, texts: Sequence[str]
) -> None:
    """Check that there is a text, and that it has no more words than the track allows."""
    task, findings = run.task, run.findings
    if not texts:
        findings.warning(
            "report-empty",
            line,
            expected="at least one sentence",
            found="none",
            remedy="Say what is known, if only about the source.",
        )
    words = sum(map(budget_words if task.counts_nfkc else count_words, texts))
    if words > task.max_words:
        counted = ", as written and after NFKC normalization" if task.counts_nfkc else ""
        findings.add(
            "report-words",
            line,
            expected=f"at most {task.max_words} words{counted}",
            found=str(words),
            remedy="Drop or shorten sentences.",
            severity="error" if task.hard_limit else "warning",
        )


def check_uncited(
    run: submission.CheckedRun[CitedTextTask], line: int, cited: Sequence[Sequence[object]]
) -> None:
    """Check that no more sentences than the track allows cite nothing."""
    uncited, most = sum(not citations for citations in cited), run.task.max_uncited
    if uncited and most is not None:
        run.findings.add(
            "uncited-sentence",
            line,
            expected="citations for every sentence",
            found=f"{uncited} without; more than {most} is an error",
            remedy="Cite a segment, or drop what none supports.",
            severity="error" if uncited > most else "warning",
        )


def manual_lines(path: Path) -> bytes:
    """Return the content of a valid file with `manual` for the type of every line."""
    lines = [orjson.loads(line) for line in read_bytes(path).splitlines()]
    for content in lines:
        content["metadata"]["type"] = "manual"
    return b"".join(orjson.dumps(content) + b"\n" for content in lines)


def _topic_id(content: dict[str, Any], key: str) -> str:
    """Return the topic of a line whose other parts may be malformed."""
    metadata = content.get("metadata", content)
    topic_id = metadata.get(key) if isinstance(metadata, dict) else None
    return str(topic_id) if isinstance(topic_id, str | int) else ""


class _MetadataLine(BaseModel):
    """Only what assessments go by is required: the organizers document no more for scoring."""

    team_id: str = ""
    run_id: str
    topic_id: str
    type: RunType = "automatic"


class _ReportLine(BaseModel):
    metadata: _MetadataLine
    responses: tuple[SentenceLine, ...]


class _ExactMetadata(ExactLine):
    team_id: str
    run_id: str
    topic_id: str
    type: RunType
    # Literal[0, 1] would let True and 1.0 pass.
    use_starter_kit: Annotated[StrictInt, Field(ge=0, le=1)]


class _ExactReport(ExactLine):
    metadata: _ExactMetadata
    responses: list[ExactSentence[str]]


def read_report_run(path: str | Path) -> ReportRun:
    """Read a run, whatever the track would say to it; keys it does not need are ignored.

    The file's name becomes the run tag, as in the organizers' assessments; see `run_tag_of`.
    """
    path = Path(path)
    findings = Findings(path)
    reports = parsed_lines(path, _submitted, "a report", findings)
    return submission.report_run(path, one_a_topic(reports, "a report", findings))


def _submitted(content: dict[str, Any]) -> SubmittedReport:
    return SubmittedReport(**_ReportLine.model_validate(content).model_dump())


# What the value of a key is, if it is no text.
_VALUES: Any = {"metadata": dict, "responses": list, "citations": list, "use_starter_kit": int}
_RENAMED = "renamed\0"  # no key of a file
_TYPES = {"auto": "automatic", "automated": "automatic", "man": "manual"}
_SPARE_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+"?)|,(?=\s*+(?:[\]}]|$))')


def _without_commas(line: str) -> str:
    """Return a line of JSON without commas that separate nothing."""
    return _SPARE_COMMA.sub(lambda found: found[1] or "", line)


def _as_report(content: dict[str, Any]) -> dict[str, Any]:
    """Return a report with misspelt keys and types mended, and under `_RENAMED` which these are."""
    renamed = _respell(content, _ExactReport, "")
    about = content.get("metadata")
    renamed += _respell(about, _ExactMetadata, " in metadata")
    if isinstance(about, dict) and isinstance(given := about.get("type"), str):
        word = given.strip().casefold()
        about["type"] = meant = _TYPES.get(word, word)
        renamed += [f"'type' in metadata: {quoted(given)} is now {meant!r}"] * (given != meant)
    sentences = content.get("responses")
    for place, one in enumerate(sentences if isinstance(sentences, list) else (), start=1):
        renamed += _respell(one, ExactSentence, f" in sentence {place}")
    _ReportLine.model_validate(content)
    return content | {_RENAMED: renamed}


def _respell(held: Any, model: type[BaseModel], where: str) -> list[str]:
    """Rename each unknown key that alone may stand for a missing one; return what is said of it.

    It is nearly the same or, for `responses`, the only key with a list.
    """
    renamed: list[str] = []
    fields = [*model.model_fields] if isinstance(held, dict) else []
    for key in fields:
        unknown = [
            one
            for one, value in held.items()
            if one not in fields and isinstance(value, _VALUES.get(key, str))
            if key != "citations" or all(isinstance(cited, str) for cited in value)
        ]
        near = unknown if key == "responses" else get_close_matches(key, unknown)
        if key not in held and len(near) == 1:
            held[key] = held.pop(near[0])
            renamed.append(f"{quoted(near[0])} renamed to {key!r}{where}")
    return renamed


def _ended(text: str, cited: Sequence[str]) -> str:
    """Return a text without what can be taken off its end, and marks of ids that it cites."""
    plain = _ID_MARK.sub(lambda mark: "" if mark[1] in cited else mark[0], text)
    return _ENDS[bool(cited)].sub("", plain)


def mend_reports(  # long: each kind of change and what is said of it
    path: Path, task: CitedTextTask, destination: Path
) -> list[submission.Change]:
    """Write a run without unknown fields, empty sentences, and what is over the track's limits.

    Commas that separate nothing are removed, and misspelt keys renamed. Sentences are left out from
    the first that does not fit into the word limit; one that is longer than the limit itself is
    left out alone. Lines that hold no report are left out. Where thoughts of a model stand in a
    report, or its tokens not at an end, the sentences stay as they are. The result says what was
    changed, in order of lines.
    """
    file, findings = open_text(path), Findings(path)
    changes = [
        (line, "comma", "removed, which separates nothing")
        for line, text in file.lines
        if _without_commas(text) != text
    ]
    mended: dict[int, dict[str, Any]] = {}

    def without_unknown(
        line: int, where: str, content: dict[str, Any], model: type[BaseModel]
    ) -> None:
        for key in [key for key in content if key not in model.model_fields]:
            del content[key]
            changes.append((line, "unknown field", f"{quoted(key)} removed{where}"))

    for line, content in parsed_lines(path, _as_report, "a report", findings, mend=_without_commas):
        changes += [(line, "field", told) for told in content.pop(_RENAMED)]
        without_unknown(line, "", content, _ExactReport)
        without_unknown(line, " from metadata", content["metadata"], _ExactMetadata)
        held = content["responses"]
        ended = [_ended(one["text"], one.get("citations") or ()) for one in held]
        mended[line] = content
        if beside := next(filter(None, map(_BESIDE.search, ended)), None):
            why = f"only a person can tell what {quoted(beside.group())} leaves of them"
            changes.append((line, submission.LEFT_AS_IS, why))
            continue
        kept: list[dict[str, Any]] = []
        words = 0
        for place, (one, end) in enumerate(zip(held, ended, strict=True), start=1):
            without_unknown(line, f" from sentence {place}", one, ExactSentence)
            given = one.get("citations")
            text = as_plain(end, also=_HIDDEN_WORDS.search(end) is not None)
            cited = list(dict.fromkeys(given or ()))
            if text != one["text"]:
                changes.append((line, "text", difference(one["text"], text)))
            cited = cited[: task.max_citations]
            if cited != given:
                told = f"of sentence {place} are now {', '.join(cited) or 'none'}"
                changes.append((line, "citations", told))
            length = budget_words(text)
            if length <= task.max_words:  # a longer one is left out without those behind it
                words += length
            if not tokens(text) or max(words, length) > task.max_words:
                why = f"beyond {task.max_words} words" if tokens(text) else "without a word"
                changes.append((line, f"sentence left out, {why}:", quoted(text)))
                continue
            kept.append({"text": text, "citations": cited})
        content["responses"] = kept
    if not mended:
        findings.raise_errors()
    # A line without a change keeps its bytes, too.
    changed, given = {line for line, _, _ in changes}, dict(file.lines)
    with atomic_packer(destination) as stream:
        for line, content in mended.items():
            text = orjson.dumps(content).decode() if line in changed else given[line]
            stream.write(f"{text}\n")
    return submission.changes_shown(path, file, changes, findings)


def write_report_run(path: Path, reports: Iterable[SubmittedReport]) -> None:
    """Write one JSON line a report: keys in the track's order, text that nothing acts on."""
    write_json_lines(path, map(_content, reports))


def _content(report: SubmittedReport) -> dict[str, Any]:
    content = report.model_dump()
    content["metadata"]["use_starter_kit"] = 0
    for sentence in content["responses"]:
        sentence["text"] = inert(one_line(sentence["text"]))
    return content


@submission.StrictCheck
def check_report_run(run: submission.CheckedRun[CitedTextTask]) -> None:
    """Find all that is wrong with a run."""
    reports, first_lines = strict_lines(run, _ExactReport, "topic_id", "a report")
    for name in ("type", "use_starter_kit"):
        values = [(line, getattr(item.metadata, name)) for line, item in reports]
        check_constant(name, values, run.findings)
    read = [
        (
            SubmittedReport(**item.model_dump(exclude={"metadata": {"use_starter_kit"}})),
            [line] * max(1, len(item.responses)),
        )
        for line, item in reports
    ]
    check_reports(run, read, first_lines)


def _write(
    path: Path,
    identity: RunIdentity,
    delivered: Iterable[submission.Delivery[tuple[CitedSentence, ...]]],
) -> None:
    write_report_run(
        path,
        (
            SubmittedReport(
                metadata=ReportMetadata(**identity.model_dump(), topic_id=topic.topic_id),
                responses=sentences,
            )
            for topic, sentences in delivered
        ),
    )


REPORTS: submission.RunFormat[CitedTextTask, tuple[CitedSentence, ...], ReportRun] = (
    submission.RunFormat(
        kind="cited_text",
        write=_write,
        read=read_report_run,
        check=check_report_run,
        as_manual=manual_lines,
        official=submission.official_reports,
        mend=mend_reports,
        json_keys=("responses",),
    )
)
