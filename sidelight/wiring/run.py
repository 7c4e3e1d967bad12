"""Run from settings, topics and an index, by the graph that the track names."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from sidelight.config.settings import RetrievalSettings, Settings
from sidelight.errors import InputError, ReplyError, UsageError
from sidelight.llm.prompted import PromptedModel
from sidelight.parts import ROLES
from sidelight.registry import load, make
from sidelight.retrieval import rerank
from sidelight.retrieval.base import GivenRetriever
from sidelight.retrieval.best_segment import DocumentRetriever
from sidelight.retrieval.first_stage import open_retriever
from sidelight.retrieval.lateral import REMEMBERED, LateralRetriever
from sidelight.runs.directory import RunDirectory
from sidelight.runs.log import TopicLog, with_fallback
from sidelight.runs.runner import Investigate, RunSummary, run_topics
from sidelight.schemas.investigation.report import DraftReport
from sidelight.schemas.investigation.trace import Outcome
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Article, Narrative, Topic
from sidelight.text_vectors import Remembered
from sidelight.tracks import load_track
from sidelight.versions import untraced
from sidelight.wiring import roles
from sidelight.wiring.models import ModelAccess, Models, answered, ask, models_by_name, open_models

if TYPE_CHECKING:
    from sidelight.agents.state import AnswerDeps, AnswerState, InvestigationState
    from sidelight.index.folder import SearchIndex
    from sidelight.retrieval.base import Lookup, Retriever
    from sidelight.text_vectors import Encode

# Nodes per round, and the nodes before and after the rounds, with room for what a round may add.
_STEPS_PER_ROUND, _STEPS_AROUND = 4, 12


class Sources(NamedTuple):
    """Index and retrievers that investigations read from, usable from any thread."""

    retriever: Retriever
    lookup: Lookup
    encode: Encode


def open_sources(settings: RetrievalSettings, folder: SearchIndex) -> Sources:
    """Return what an index offers to investigations."""
    return Sources(
        retriever=build_retriever(settings, folder),
        lookup=folder.docstore.get_many,
        encode=folder.encoder.encode_sentences,
    )


def build_retriever(settings: RetrievalSettings, folder: SearchIndex) -> Retriever:
    """Return the first stage that the settings name, reranked and weighed where they say so."""
    from sidelight.index.encoding.encoder import require_model

    if settings.reranker is not None:
        require_model("reranker", settings.reranker)
    lookup, depth = folder.docstore.get_many, settings.depth
    found = open_retriever(settings.retriever, folder, depth=depth)
    if settings.reranker is not None:
        model, margin = rerank.CrossEncoder(settings.reranker), settings.rerank_margin
        found = rerank.RerankRetriever(found, model, lookup, depth=depth, margin=margin)
    if settings.standing:
        found = rerank.StandingRetriever(found, settings.standing, lookup, depth=depth)
    return found


@asynccontextmanager
async def open_investigation(  # long: what is opened together is closed together
    settings: Settings, sources: Sources, access: ModelAccess, *, documents: bool = False
) -> AsyncIterator[Investigate]:
    """Keep what investigations need open, and yield the function that investigates one topic.

    Sources, graph and models are shared by all topics. With `documents`, documents are found for
    the questions, and no report is written.
    """
    from sidelight.agents import investigation as agents
    from sidelight.agents.state import Deps, DocumentsDeps, outcome_of

    track, allow_own_article = load_track(settings.track), settings.retrieval.allow_own_article
    graph = agents.build_documents_graph() if documents else agents.build_graph()
    outcome = agents.documents_outcome_of if documents else outcome_of
    # With more steps something must be wrong.
    steps = _STEPS_PER_ROUND * settings.investigation.max_rounds + _STEPS_AROUND
    config: Any = {"recursion_limit": steps}
    async with open_models(settings, access) as models:
        roles_of_topic = await roles.open_roles(settings, models, sources.encode)
        retriever_of_topic = await open_listwise(settings, models, sources)
        parts_of_topic = await _open_parts(settings, models, sources) if documents else None

        async def investigate(topic: Topic, log: TopicLog) -> Outcome:
            lookup = Remembered(sources.lookup, REMEMBERED)
            around = topic if isinstance(topic, Article) and not allow_own_article else None
            retriever = LateralRetriever(
                retriever_of_topic(log, lookup), around, lookup, log.lost_search, log.searching
            )
            wanted = None
            if parts_of_topic is not None:
                parts = parts_of_topic(log)
                wanted = DocumentsDeps(
                    expand=parts["expander"],
                    rate=parts.get("rater"),
                    retriever=DocumentRetriever(
                        lambda queries, k: retriever.search(queries, k).hits
                    ),
                    depth=settings.documents.depth,
                )
            deps = Deps(
                topic=topic,
                track=track,
                roles=roles_of_topic(log),
                retriever=retriever,
                lookup=lookup,
                k=settings.retrieval.k,
                questions_by=settings.roles.performer("write_questions"),
                documents=wanted,
            )
            with untraced():
                state = await graph.ainvoke({}, context=deps, config=config)
            return outcome(cast("InvestigationState", state), track)

        yield investigate


open_questions_and_documents = partial(open_investigation, documents=True)


async def open_listwise(
    settings: Settings, models: Models, sources: Sources
) -> Callable[[TopicLog, Lookup], Retriever]:
    """Return what makes the retriever of a topic, out of its log and its lookup."""
    from sidelight.generation.prompted.documents import PromptedRanker

    depth = settings.retrieval.listwise_depth
    if depth is None:
        return lambda _log, _lookup: sources.retriever
    asks = await roles.open_asked(settings, models, ["ranker"], "retrieval.listwise_depth asks")
    loop = asyncio.get_running_loop()

    def of_topic(log: TopicLog, lookup: Lookup) -> Retriever:
        ranker = PromptedRanker(asks(log)["ranker"], log.instead("rank_segments", None))

        async def rank(windows: Sequence[tuple[str, Sequence[Segment]]]) -> list[tuple[int, ...]]:
            return await asyncio.gather(*(ranker(query, window) for query, window in windows))

        # Retrievers search in threads, and models are asked on the loop that opened them.
        return rerank.ListwiseRetriever(
            sources.retriever,
            lambda windows: asyncio.run_coroutine_threadsafe(rank(windows), loop).result(),
            lookup,
            depth=depth,
        )

    return of_topic


def open_graph(
    settings: Settings, sources: Sources, access: ModelAccess
) -> AbstractAsyncContextManager[Investigate]:
    """Keep what work on topics needs open, and yield the function that works on one.

    A graph is registered as a function with these arguments. What it yields returns a result for
    each task of the track, which the settings name.
    """
    graph = load("graph", load_track(settings.track).graph)
    return cast("AbstractAsyncContextManager[Investigate]", graph(settings, sources, access))


# Topics at once: computing ones share the processor, asking ones mostly wait.
COMPUTING, ASKING = 4, 32


def make_run(
    topics: Sequence[Topic],
    settings: Settings,
    index: str | Path | SearchIndex,
    folder: str | Path,
    access: ModelAccess | None = None,
    *,
    only: Collection[str] = (),
    parallel: int | None = None,
    on_topic: Callable[[str], None] = lambda _: None,
    on_step: Callable[[str, str], None] = lambda _topic_id, _step: None,
    check: Callable[[], None] = lambda: None,
) -> RunSummary:
    """Work on topics and write the files to submit; an interrupted call resumes.

    Args:
        topics: All of them, all of them in the files.
        settings: What the run depends on.
        index: What is searched: an index folder, or an index that is open.
        folder: The run directory; if it holds a run of something else, UsageError is raised.
        access: How models may be used; by default with a cache in the folder and without a budget.
        only: The topics to work on now; all if none is named.
        parallel: Topics worked on at once; 4 by default, or 32 where a model is asked.
        on_topic: Called with the id of each topic that ends.
        on_step: Called with a topic's id and the name of a step when the step begins.
        check: Called twice a second; what it raises ends the call.
    """
    from sidelight.index.folder import open_index

    folder, opened = Path(folder), open_index(index)
    access = access or ModelAccess(RunDirectory(folder).cache)
    asks = settings.models.writer is not None
    work = run_topics(
        topics,
        settings,
        opened.fingerprint(),
        lambda: open_graph(settings, open_sources(settings.retrieval, opened), access),
        folder,
        only=only,
        parallel=parallel or (ASKING if asks else COMPUTING),
        on_topic=on_topic,
        on_step=on_step,
    )

    async def checked() -> RunSummary:
        run = asyncio.ensure_future(work)
        while not (await asyncio.wait([run], timeout=0.5))[0]:
            check()
        return run.result()

    return asyncio.run(checked())


def document_names(settings: Settings) -> dict[str, str]:
    """Return who words searches and who rates documents, by kind, where somebody does."""
    chosen = {"expander": settings.documents.expander, "rater": settings.documents.rater}
    return {kind: name for kind, name in chosen.items() if name != "none"}


def document_parts(settings: Settings) -> dict[str, type]:
    """Return the classes that word searches and rate documents, by kind."""
    return {kind: load(kind, name) for kind, name in document_names(settings).items()}


async def _open_parts(
    settings: Settings, models: Models, sources: Sources
) -> Callable[[TopicLog], dict[str, Any]]:
    """Return what makes the parts of a topic; models are opened once for all of them."""
    parts = document_parts(settings)
    names = {name for part in parts.values() for name in roles.models_asked(part)}
    asks = await roles.open_asked(settings, models, names, "the settings of documents ask")

    def of_topic(log: TopicLog) -> dict[str, Any]:
        offered = roles.offers(settings, sources.encode, asks(log)) | {
            "queries_per_question": lambda: settings.documents.queries_per_question
        }

        def made(kind: str, part: type) -> Any:
            instead = {"instead": lambda: log.instead(kind, None)}
            return log.timed(kind, make(f"{kind} of documents", part, offered | instead))

        return {kind: made(kind, part) for kind, part in parts.items()}

    return of_topic


_WRITES, _ANSWER_WRITER = "write_report", "prompted-answer"


@asynccontextmanager
async def open_answer(
    settings: Settings, sources: Sources, access: ModelAccess
) -> AsyncIterator[Investigate]:
    """Yield the function that answers one narrative; sources, graph and model are shared by all."""
    from sidelight.agents.answer import build_graph, outcome_of

    performers = {settings.roles.performer(role) for role in ROLES if role != _WRITES}
    writer = settings.roles.performer(_WRITES)
    if performers != {roles.PLAIN} or writer not in {roles.PLAIN, _ANSWER_WRITER}:
        raise UsageError(
            "narratives are answered without a model, but the settings name one for a step",
            remedy=f"Leave `roles` at their defaults, or let a model write: --set "
            f"roles.{_WRITES}={_ANSWER_WRITER}",
        )
    track, graph = load_track(settings.track), build_graph()
    async with open_models(settings, access) as models:
        names = ["writer"] if writer == _ANSWER_WRITER else []
        asks = await roles.open_asked(settings, models, names, f"{writer} asks")
        retriever_of_topic = await open_listwise(settings, models, sources)

        async def answer(topic: Topic, log: TopicLog) -> Outcome:
            if not isinstance(topic, Narrative):
                raise InputError(f"{topic.topic_id}: expected a narrative to answer")
            context = _dependencies(topic, settings, sources, log, asks(log), retriever_of_topic)
            with untraced():
                state = await graph.ainvoke({}, context=context)
            return outcome_of(cast("AnswerState", state), track)

        yield answer


def _dependencies(
    narrative: Narrative,
    settings: Settings,
    sources: Sources,
    log: TopicLog,
    asks: Mapping[str, PromptedModel],
    retriever_of_topic: Callable[[TopicLog, Lookup], Retriever],
) -> AnswerDeps:
    """Return what the nodes of one narrative work with; `asks` is empty for a plain writer."""
    from sidelight.agents.state import AnswerDeps

    offered = roles.offers(settings, sources.encode, asks)
    offered["nothing_found"] = lambda: DraftReport(sentences=())

    def performer(role: str) -> Any:
        return log.timed(role, roles.plain_performer(role, offered))

    writer = roles.plain_performer(_WRITES, offered)
    if asks:
        prompted = make(f"performer of {_WRITES}", load(f"role.{_WRITES}", _ANSWER_WRITER), offered)
        writer = with_fallback(prompted, log.instead(_WRITES, writer))
    lookup = Remembered(sources.lookup, REMEMBERED)
    given = narrative.references
    found = GivenRetriever(given) if given else retriever_of_topic(log, lookup)
    return AnswerDeps(
        narrative=narrative,
        track=load_track(settings.track),
        select_evidence=performer("select_evidence"),
        write_report=log.timed(_WRITES, writer),
        check_report=performer("check_report"),
        retriever=LateralRetriever(found, None, lookup, log.lost_search, log.searching),
        lookup=lookup,
        k=settings.retrieval.k,
    )


def split_narratives(
    narratives: Sequence[Narrative],
    searches: Mapping[str, Sequence[str]],
    models: Sequence[str],
    access: ModelAccess,
    at_once: int,
    on_topic: Callable[[], object],
) -> tuple[dict[str, Narrative], dict[str, ReplyError]]:
    """Return narratives with sub-questions and their importance, and why others have none.

    Sub-questions come the most important first; those that narratives have already help the draft.
    So do `searches`, by topic id: what the same person searched for. A topic without a narrative
    gets one that is made from them. The first of `models` drafts and the last one revises, with
    `at_once` calls under way at once. `on_topic` is called after each topic.
    """
    from sidelight.generation.narratives import split_into_sub_narratives, write_narrative

    known = {one.topic_id: one for one in narratives}

    async def one(topic_id: str, asked: Sequence[PromptedModel]) -> Narrative:
        queries, narrative = searches.get(topic_id, ()), known.get(topic_id)
        try:
            if narrative is None:
                text = await write_narrative(queries, asked[-1])
                narrative = Narrative(topic_id=topic_id, narrative=text)
            found = await split_into_sub_narratives(
                narrative.narrative, [*narrative.sub_questions, *queries], asked[0], asked[-1]
            )
        finally:
            on_topic()
        return narrative.model_copy(
            update={
                "sub_questions": tuple(item.text for item in found),
                "importance": tuple(item.importance for item in found),
            }
        )

    async def work(
        asked: Mapping[str, PromptedModel],
    ) -> tuple[dict[str, Narrative], dict[str, ReplyError]]:
        wanted = dict.fromkeys([*known, *searches])
        return await answered({name: one(name, [*asked.values()]) for name in wanted})

    return asyncio.run(ask(models_by_name(models, at_once), access, work))
