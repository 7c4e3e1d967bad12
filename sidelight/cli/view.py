"""Commands `read`, `view`, `serve` and `mcp`: an article read, a run as a page, local servers."""

from __future__ import annotations

import os
import re
import shlex
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial, wraps
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple
from urllib.parse import quote

import typer

from sidelight.cli import options
from sidelight.cli.console import IF_ASKED, Note, Result, Shown, err, interrupted, out
from sidelight.cli.progress import in_lines, progress_bar
from sidelight.config.load import load_settings
from sidelight.errors import InputError, SidelightError, UsageError
from sidelight.files import MAX_DOCUMENT_BYTES, atomic_write, read_limited
from sidelight.formats.banks.rubrics import read_rubrics
from sidelight.formats.data_folder import DataPart, find_part, look_for
from sidelight.formats.runs.submission import run_formats
from sidelight.formats.topics import read_topics, topic_format
from sidelight.formats.verdict import detect_format, judge_file, track_of
from sidelight.retrieval.first_stage import open_retriever
from sidelight.runs.directory import RunDirectory
from sidelight.schemas.investigation.evidence import Query
from sidelight.schemas.topic import Article
from sidelight.tracks import load_track
from sidelight.view.model import Page, RunList, TopicPage
from sidelight.view.page import render_page, render_runs
from sidelight.wiring.run import make_run, open_investigation, open_sources

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from sidelight.config.settings import Settings
    from sidelight.index.folder import SearchIndex
    from sidelight.schemas.grading.rubric import Rubric
    from sidelight.schemas.segment import Segment
    from sidelight.serve.guards import Upload
    from sidelight.view.shown_run import Labels, ShownRun
    from sidelight.wiring.models import ModelAccess

PAGE, RUNS_PAGE = "page.html", "runs.html"
_RUN_DEPTH, _MOST_RUNS = 3, 200


def view(  # long: half of it are its options
    run: Annotated[
        list[Path],
        typer.Argument(
            help="Run directory; run files, one for each task, or their folder; or folder of runs."
        ),
    ],
    output: Annotated[
        Path | None, options.output_option(f"The page; {PAGE}, or {RUNS_PAGE}, in the folder.")
    ] = None,
    topics: Annotated[
        Path | None, options.topics_option("Topics file, for run files, which hold no articles.")
    ] = None,
    index: Annotated[
        Path | None, options.index_option("Index folder, for run files, which hold no segments.")
    ] = None,
    rubrics: Annotated[
        Path | None, options.rubrics_option("Folder of rubrics (*.json), for evaluators.")
    ] = None,
    labels: Annotated[
        list[Path] | None,
        options.labels_option(
            "Folder of label files; the first one marks the run; others are compared with it."
        ),
    ] = None,
    data: Annotated[
        Path | None,
        options.data_option("The organizers' data folder, in place of --rubrics and --labels."),
    ] = None,
    compare: Annotated[
        list[Path] | None,
        typer.Option("--compare", help="Another run directory or run file, side by side; repeat."),
    ] = None,
    allow_plugin: options.AllowPlugin = None,
) -> None:
    """Write a run as one HTML file that needs no network: what others say, questions, sources.

    Of a folder of runs, such as `runs` or that of an experiment, it writes a page that lists them
    with their scores and shows where two of them differ.
    """
    rubrics = options.from_data(rubrics, data, DataPart.RUBRICS)
    labels = [*(labels or ()), *([_labels_of(data)] if data else ())]
    plugins = allow_plugin or ()
    if runs := _runs_in(run):
        if topics or index or compare:
            raise UsageError(
                f"{run[0]} holds several runs; --topics, --index and --compare are for one",
                remedy="Leave them out: the page of several runs compares any two of them.",
            )
        destination = output or run[0] / RUNS_PAGE
        _write_runs(run[0], runs, destination, rubrics=rubrics, labels=labels, plugins=plugins)
    else:
        destination = output or (run[0] / PAGE if run[0].is_dir() else Path(PAGE))
        write_page(
            run,
            destination,
            rubrics=rubrics,
            labels=labels,
            rivals=compare or (),
            topics=topics,
            index=index,
            plugins=plugins,
        )
    out.print(f"  {destination}", markup=False)


def _labels_of(data: Path) -> Path:
    """Return the folder in which a data folder keeps people's labels."""
    questions = look_for(data, DataPart.QUESTION_ASSESSMENTS)
    return (questions or find_part(data, DataPart.REPORT_ASSESSMENTS)).parent


def write_page(
    run: Path | Sequence[Path],
    destination: Path,
    *,
    rubrics: Path | None = None,
    labels: list[Path],
    rivals: Sequence[Path] = (),
    topics: Path | None = None,
    index: Path | None = None,
    plugins: Sequence[str] = (),
) -> Page:
    """Write the page of a run directory, or of the files of a run, and return what it shows.

    `labels` are folders of labels. The run's own scores join them if they were made with given
    rubrics; scores by rubrics that the run drafted are shown only where no rubrics and no labels
    are given. `rivals` are other runs to show beside it. `topics` and `index` are those of run
    files. `plugins` are parts that are not registered and that run directories may name all the
    same.
    """
    from sidelight.view.collect import MarkedRun, collect_page

    paths = [run] if isinstance(run, Path) else list(run)
    marks_of = _read_marks(rubrics, labels)
    known, sources = marks_of(paths[0])
    if known and not sources:
        raise _half_given()
    page = collect_page(
        _shown(paths, topics, index, plugins),
        known,
        sources,
        [MarkedRun(_shown([one], topics, index, plugins), *marks_of(one)) for one in rivals],
    )
    atomic_write(destination, render_page(page))
    return page


def _read_marks(
    rubrics: Path | None, labels: list[Path]
) -> Callable[[Path], tuple[dict[str, Rubric], list[Labels]]]:
    """Return what reads the rubrics and the labels that mark a run, each folder once."""
    from sidelight.view.shown_run import read_labels

    if labels and rubrics is None:
        raise _half_given()
    scales = load_track().scales
    read = cache(partial(read_labels, scales=scales))
    banks = cache(partial(read_rubrics, scales=scales))
    for one in labels:  # what is wrong with these is not a run's
        read(one)

    def marks_of(run: Path) -> tuple[dict[str, Rubric], list[Labels]]:
        bank, marking = _marking(run, rubrics, labels)
        return banks(bank) if bank else {}, list(map(read, marking))

    return marks_of


def _marking(run: Path, rubrics: Path | None, labels: list[Path]) -> tuple[Path | None, list[Path]]:
    """Return the rubrics and labels that mark a run: its own where they fit with those given."""
    from sidelight.runs.self_evaluation import DRAFTED

    scores = RunDirectory(run).scores
    drafted = scores / DRAFTED
    if rubrics is None and not labels and drafted.is_dir():
        return drafted, [scores]
    if rubrics and scores.is_dir() and not drafted.is_dir():
        return rubrics, [*labels, scores]
    return rubrics, labels


def _half_given() -> UsageError:
    return UsageError(
        "marks need rubrics and labels, and only one of them is given",
        remedy="Give --rubrics and --labels, or --data for both.",
    )


def _runs_in(given: Sequence[Path]) -> list[Path]:
    """Return, sorted, the run directories in a folder that is no run directory; else none."""
    folder, *others = given
    config = RunDirectory(folder).config
    if others or not folder.is_dir() or config.exists():
        return []
    found = (folder.glob("*/" * depth + config.name) for depth in range(1, _RUN_DEPTH + 1))
    runs = sorted(path.parent for paths in found for path in paths)
    if len(runs) > _MOST_RUNS:
        raise InputError(
            f"{folder}: expected at most {_MOST_RUNS} runs; found {len(runs)}",
            remedy="Give a folder of fewer runs.",
        )
    return runs


def _write_runs(
    folder: Path,
    runs: Sequence[Path],
    destination: Path,
    *,
    rubrics: Path | None,
    labels: list[Path],
    plugins: Sequence[str] = (),
) -> None:
    """Write the page on which the runs of a folder are listed and compared; see `write_page`."""
    from sidelight.view.collect import list_run
    from sidelight.view.shown_run import finished_run

    marks_of = _read_marks(rubrics, labels)
    listed, left_out = [], {}
    for path in runs:
        page = path / PAGE
        link = quote(os.path.relpath(page, destination.parent)) if page.is_file() else ""
        try:
            run = replace(
                finished_run(RunDirectory(path, plugins)), place=str(path.relative_to(folder))
            )
            listed.append(list_run(run, link, *marks_of(path)))
        except (InputError, UsageError) as error:
            left_out[str(path.relative_to(folder))] = error.message
    if not listed:
        raise InputError(
            f"{folder}: expected a finished run; found {len(left_out)} that cannot be shown",
            remedy=f"The first: {next(iter(left_out.values()))}",
        )
    found = RunList(folder.name, tuple(listed), left_out, given=bool(labels))
    atomic_write(destination, render_runs(found))


def _shown(
    paths: list[Path], topics: Path | None, index: Path | None, plugins: Sequence[str]
) -> ShownRun:
    """Return the run of a run directory, or the one that several run files belong to."""
    from sidelight.index.folder import open_index
    from sidelight.view.shown_run import finished_run, handed_in_run

    if len(paths) == 1 and paths[0].is_dir():
        directory = RunDirectory(paths[0], plugins)
        if directory.config.exists():
            return finished_run(directory)
        paths = _run_files(paths[0])
    if any(path.is_dir() for path in paths):
        raise UsageError(
            "expected one run directory, or run files; found both",
            remedy="Show a second run beside the first with --compare.",
        )
    track = track_of(paths[0], load_track())
    known = read_topics(topics, track) if topics else ()
    if index is None:
        run = handed_in_run(paths, track, known)
    else:
        store = open_index(index).docstore

        def look_up(ids: Sequence[str]) -> list[Segment]:
            found = store.find(ids)
            return [found[one] for one in ids if one in found]

        run = handed_in_run(paths, track, known, look_up)
    if topics and (unknown := sorted({*run.topics} - {topic.topic_id for topic in known})):
        err.print(f"{run.name}: not in {topics}: {', '.join(unknown)}", markup=False)
    return run


def _run_files(folder: Path) -> list[Path]:
    """Return the files of the one run that a folder holds, one for each task."""
    found: dict[str, list[Path]] = {}
    formats = run_formats()
    for path in sorted(folder.iterdir()):
        is_shown = path.is_file() and not path.name.startswith(".")
        kept_as = formats.get(detect_format(path) or "") if is_shown else None
        if kept_as is not None and kept_as.kind in {"question_list", "cited_text"}:
            found.setdefault(kept_as.kind, []).append(path)
    files = [path for alike in found.values() for path in alike]
    if len(files) != len(found) or not files:
        one = shlex.join(str(alike[0]) for alike in found.values()) or "RUN"
        other = next((shlex.quote(str(two[1])) for two in found.values() if two[1:]), "RUN")
        raise InputError(
            f"{folder}: expected a finished run, or the files of one; found {len(files)} run files",
            remedy="Give a folder that `sidelight run` wrote, after it has ended, or name the "
            "files of one run, one for each task, and others to compare: sidelight view "
            f"{one} --compare {other} --topics TOPICS",
        )
    return files


_STDIN = Path("-")
_ADDRESS = re.compile(r"(https?):/+(.*)")


@options.takes_groups
@interrupted(IF_ASKED)
def read(
    article: Annotated[
        Path, typer.Argument(help="Saved web page (.html), text file, or - for text on stdin.")
    ],
    *,
    index: Annotated[Path, options.index_option()],
    url: Annotated[
        str, typer.Option("--url", help="Address of the article; nothing is fetched from there.")
    ] = "",
    output: Annotated[
        Path | None, options.output_option("HTML file to write; in the run directory by default.")
    ] = None,
    config: options.Config = None,
    calls: options.ModelCalls,
    overrides: options.Overrides = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> Result:
    """Investigate one article: print the report and the questions, and write the page."""
    from sidelight.index.folder import open_index

    settings = load_settings(config, overrides or ())
    _check_track(settings.track)
    topic = _read_article(article, url)
    folder = open_index(index)
    with progress_bar("article", total=1) as advance:
        access = calls.access(Path("runs") / "cache")
        found = _investigate(topic, settings, folder, access, output, advance.begin)
    if open_page:
        typer.launch(str(found.page.absolute()))
    return _told(found)


class _Read(NamedTuple):
    """An article that was investigated, where its page is, and what a reader must know of it."""

    topic: TopicPage
    page: Path
    caution: str

    def document(self) -> dict[str, Any]:
        """Return title, report, questions and page, JSON-ready."""
        report = [
            {
                "text": one.text,
                "sources": [c.source.page.url or c.source.name for c in one.citations],
            }
            for one in self.topic.sentences
        ]
        return {
            "title": self.topic.page.title,
            "report": report,
            "questions": list(self.topic.questions),
            "page": str(self.page),
        }


def _investigate(
    article: Article,
    settings: Settings,
    folder: SearchIndex,
    access: ModelAccess,
    output: Path | None = None,
    on_step: Callable[[str, str], None] = lambda _topic_id, _step: None,
) -> _Read:
    """Investigate an article in a run directory of its own, and write its page."""
    inputs = article.model_dump_json() + settings.fingerprint() + folder.fingerprint()
    run = Path("runs") / f"read-{sha256(inputs.encode()).hexdigest()[:12]}"
    done = make_run([article], settings, folder, run, access, on_step=on_step)
    if done.failures:
        raise InputError(done.failures[0].message)
    destination = output or run / PAGE
    page = write_page(run, destination, labels=[], plugins=settings.plugins())
    (topic,) = page.topics
    return _Read(topic, destination, page.caution)


def _read_article(path: Path, url: str) -> Article:
    """Return the article in a file or on stdin; an address that is given goes before its own."""
    from sidelight.serve import guards
    from sidelight.serve.app import ADDRESS, MAX_URL

    if address := _ADDRESS.match(str(path)):
        raise UsageError(
            f"expected a file; found the address {address[1]}://{address[2]}; nothing is fetched",
            remedy="Open it in a browser, save the page (Ctrl-S), and name the saved file; --url "
            "tells its address.",
        )
    if url and (len(url) > MAX_URL or not ADDRESS.fullmatch(url)):
        raise UsageError(
            f"--url: expected an address such as https://news.example/a; found {url!r}"
        )
    if path == _STDIN:
        content = _bounded(sys.stdin.buffer.read(MAX_DOCUMENT_BYTES + 1), "standard input")
    else:
        content = read_limited(path)
    try:
        found = guards.read_upload(guards.kind_of(path.name, content), content)
    except guards.NoArticleError as error:
        raise InputError(f"{path}: {error}") from None
    return _article(str(path), found, url=url)


def _bounded(content: bytes, where: str) -> bytes:
    """Return content from elsewhere as it is; InputError if it is longer than a file may be."""
    if len(content) > MAX_DOCUMENT_BYTES:
        raise InputError(f"{where}: expected at most {MAX_DOCUMENT_BYTES:,} bytes; found more")
    return content


def _article(where: str, found: Upload, title: str = "", url: str = "") -> Article:
    """Return an article to investigate; InputError if the text is no article or too long."""
    from sidelight.serve.app import pasted_article, why_no_article

    if why := why_no_article(found.text):
        raise InputError(f"{where}: {why}")
    return pasted_article(found, title, url)


def _told(found: _Read) -> Result:
    """Return the report and the questions on an article, and where its page is."""
    topic = found.topic
    shown: list[Shown] = [Note(topic.page.title, "bold")]
    if topic.digest.lead:
        shown.append(topic.digest.lead.origin)
    for part in topic.digest.paragraphs:
        shown.append(Note(f"\n{part.title}" if part.title else "", "bold"))
        for one in part.sentences:
            names = dict.fromkeys(filter(None, (cited.source.name for cited in one.citations)))
            shown.append(f"- {one.text} [{', '.join(names)}]" if names else one.text)
    shown += [Note("\nQuestions to ask", "bold")]
    shown += [f"{rank:2}. {text}" for rank, text in enumerate(topic.questions, start=1)]
    shown += [f"\n{found.caution}"] if found.caution else []
    return Result(found.document(), [*shown, "\nOpen in a browser:", f"  {found.page}"])


_MOST_HITS, _MOST_WORDS = 50, 2_000


def make_tools(  # long: each tool with the words that an assistant reads
    folder: SearchIndex, settings: Settings, access: ModelAccess
) -> MCPServer:
    """Return an MCP server with four tools: search, fetch, investigate and validate."""
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    from sidelight.serve.guards import read_pasted

    # Libraries tell what they load; assistants show that as errors.
    server = MCPServer("sidelight", instructions=_INSTRUCTIONS, log_level="WARNING")
    name = settings.retrieval.retriever if folder.has_vectors else None
    retriever, one_at_a_time = open_retriever(name, folder), Lock()

    def tool(work: Callable[..., Any]) -> Callable[..., Any]:
        @server.tool()
        @wraps(work)
        def said(**given: Any) -> Any:
            try:
                return work(**given)
            except SidelightError as error:  # what the assistant can mend, in its words
                raise ToolError(str(error)) from None

        return said

    @tool
    def search(query: str, k: int = 10) -> list[dict[str, Any]]:
        """Search the collection; returns segments, the best first."""
        if not 1 <= k <= _MOST_HITS or not 0 < len(query) <= _MOST_WORDS:
            raise UsageError(f"expected k from 1 to {_MOST_HITS}, and 1 to {_MOST_WORDS:,} letters")
        hits = retriever.search([Query(query_id="q", text=query)], k)["q"]
        return [one.model_dump() for one in folder.docstore.get_many([hit[0] for hit in hits])]

    @tool
    def fetch(segment_id: str) -> dict[str, Any]:
        """Return one segment of the collection: its text, title and address."""
        if segment_id not in folder.docstore:
            raise InputError(f"there is no segment {segment_id[:_MOST_WORDS]!r}")
        return folder.docstore.get_many([segment_id])[0].model_dump()

    @tool
    def investigate(text: str, title: str = "", url: str = "") -> dict[str, Any]:
        """Investigate a news article: a cited report, questions, and the path of a page."""
        article = _article("the article", read_pasted(text), title, url)
        with one_at_a_time:
            return _investigate(article, settings, folder, access).document()

    @tool
    def validate(content: str) -> list[str]:
        """Check the content of a run, topics or label file; returns problems, none if valid."""
        track = load_track(settings.track)
        with TemporaryDirectory() as place:
            path = Path(place) / "file"
            # Half a character pair that JSON can say becomes bytes that are refused as no UTF-8.
            path.write_bytes(_bounded(content.encode("utf-8", "surrogatepass"), "the content"))
            found = judge_file(path, track, track.topic_ids).problems
            return [str(one).replace(str(path), "the content") for one in found]

    return server


_INSTRUCTIONS = "Lateral reading: what others say of a news article, found in a web collection."


@options.takes_groups
def mcp(
    *,
    index: Annotated[Path, options.index_option()],
    config: options.Config = None,
    calls: options.ModelCalls,
    overrides: options.Overrides = None,
) -> None:
    """Serve search, fetch, investigate and validate to an assistant, over stdin and stdout.

    It speaks the Model Context Protocol; the assistant starts it, and nothing listens on a port.
    """
    from sidelight.index.folder import open_index

    settings = load_settings(config, overrides or ())
    _check_track(settings.track)
    server = make_tools(open_index(index), settings, calls.access(Path("runs") / "cache"))
    with in_lines(None):
        server.run("stdio")


_TOKEN = "SIDELIGHT_SERVE_TOKEN"  # the name of a variable  # noqa: S105
_MIN_TOKEN = 16
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@interrupted("Finished investigations are kept; the same command starts the others again.")
def serve(  # long: one list of options
    index: Annotated[Path, options.index_option()],
    config: options.Config = None,
    output: Annotated[Path, options.output_option("Folder of the investigations.")] = Path(
        "runs/served"
    ),
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; only this machine by default.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port to listen on.")
    ] = 8765,
    parallel: Annotated[int, options.parallel_option("Maximum concurrent investigations.")] = 2,
    places: Annotated[int, typer.Option("--queue", min=1, help="Maximum queue length.")] = 20,
    per_minute: Annotated[
        int, typer.Option("--per-minute", min=1, help="Articles a client may submit in a minute.")
    ] = 6,
    kept: Annotated[
        int, typer.Option("--keep", min=1, help="Number of finished investigations to keep.")
    ] = 200,
    names: Annotated[
        list[str] | None,
        typer.Option("--name", help="Name of this machine in addresses, where --host is its own."),
    ] = None,
    limit_s: Annotated[
        int, typer.Option("--limit", min=1, help="Seconds that an investigation may take.")
    ] = 1800,
    base_url: options.BaseUrl = None,
    overrides: options.Overrides = None,
) -> None:
    """Start the web app: paste an article, watch the search, read the page.

    Nothing leaves this machine but what a configured model server is asked.
    """
    from sidelight.index.folder import open_index
    from sidelight.serve.app import make_app, serve_app
    from sidelight.serve.desk import Desk, Worker, claim_folder

    settings = load_settings(config, overrides or ())
    _check_track(settings.track)
    _claim_port(host, port)
    folder = open_index(index)
    claim_folder(output)
    hosts, token = _who_may_ask(host, names or ())
    access = options.ModelCalls(base_url=base_url).access(output / "cache")
    sources = open_sources(settings.retrieval, folder)
    with Worker(lambda: open_investigation(settings, sources, access)) as worker:
        desk = Desk(
            worker,
            settings,
            folder.fingerprint(),
            output,
            at_once=parallel,
            places=places,
            kept=kept,
            limit_s=limit_s,
        )
        app = make_app(desk, hosts=hosts, per_minute=per_minute, token=token)
        address = f"[{host}]" if ":" in host else host
        out.print(
            f"Open http://{address}:{port}/ in a browser. Ctrl-C ends the app.\n"
            f"Investigations are kept in {output}",
            markup=False,
        )
        with in_lines(None):
            serve_app(app, host, port)


def _claim_port(host: str, port: int) -> None:
    """Make sure that nobody listens on a port yet."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        raise UsageError(
            f"expected an address to listen on; found {host}, port {port}: {error.strerror}",
            remedy="Choose another port with --port, or stop the program that uses this one.",
        ) from None


def _who_may_ask(host: str, names: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Return the names under which the app may be addressed, and the token that it asks for."""
    token = os.environ.get(_TOKEN, "")
    if host not in _LOOPBACK and not names:
        raise UsageError(
            f"listening on {host} exposes this app: expected the names of this machine",
            remedy="Give each with --name, such as --name server.example.org",
        )
    if (token or host not in _LOOPBACK) and len(token) < _MIN_TOKEN:
        raise UsageError(
            f"expected a token of {_MIN_TOKEN} characters or more in {_TOKEN}; found {len(token)}",
            remedy=f"Make one: export {_TOKEN}=$(openssl rand -hex 16)",
        )
    if host not in _LOOPBACK:
        err.print(
            f"Listening on {host}: anybody with the token in {_TOKEN} can use it. Nothing "
            "is encrypted; put a proxy with TLS in front.",
            style="yellow",
            markup=False,
        )
    local = (*_LOOPBACK, "[::1]") if host in _LOOPBACK else ()
    return (*local, *names), token


def _check_track(name: str) -> None:
    """Refuse a track whose topics are no articles."""
    track = load_track(name)
    if topic_format(track).noun != "article":
        raise UsageError(f"expected a track with a task on articles; {track.title} has none")
