"""Runs over scripted investigations: each makes what it makes from the topic id alone."""

import asyncio
from contextlib import asynccontextmanager

import orjson

from sidelight.config.load import load_settings
from sidelight.prompting import find_prompts
from sidelight.reproduction.archive import BundledPrompt, Contents, describe_files
from sidelight.reproduction.bundle import Recording
from sidelight.runs.runner import run_topics
from sidelight.schemas.investigation.angle import ArticleFacts
from sidelight.schemas.investigation.report import QuestionSet, Report
from sidelight.schemas.investigation.trace import Outcome, Trace
from sidelight.schemas.run import CitedSentence
from sidelight.schemas.segment import Segment
from sidelight.schemas.topic import Article
from sidelight.tracks import load_track
from sidelight.versions import VERSION

TOPICS = [Article(topic_id=f"topic-{letter}", body=f"Text {letter}.") for letter in "dbeac"]
IDS = [article.topic_id for article in TOPICS]
THIN = "topic-e"
TASK = load_track().cited_text


async def scripted(article):
    """Finish a topic after a while that differs from topic to topic."""
    topic_id = article.topic_id
    for _ in range(sum(map(ord, topic_id)) % 4):
        await asyncio.sleep(0)
    segment_id = f"msmarco_v2.1_doc_00_{ord(topic_id[-1])}#0_0"
    n_words = 10 if topic_id == THIN else 120
    sentence = CitedSentence(text=" ".join(["word"] * n_words), citations=(segment_id,))
    questions = tuple(f"Who {n} {topic_id}?" for n in range(10))
    return Outcome(
        results={
            "task1": QuestionSet(topic_id, questions, 10, 300),
            "task2": Report(topic_id, (sentence,), frozenset([segment_id]), TASK),
        },
        evidence=(Segment(segment_id=segment_id, url="https://example.net/b", text="A source."),),
        trace=Trace(profile=ArticleFacts(publisher="", host="", subject=topic_id)),
    )


def run(out, investigate=scripted, *overrides, topics=TOPICS, index="index", only=(), parallel=4):
    settings = load_settings(None, overrides)
    return asyncio.run(
        run_topics(topics, settings, index, started(investigate), out, only=only, parallel=parallel)
    )


def started(investigate):
    @asynccontextmanager
    async def start():
        yield lambda article, log: investigate(article)

    return start


def with_topics(folder):
    """Write a run and its topics."""
    run(folder / "run")
    topics = ({"docid": one.topic_id, "body": one.body} for one in TOPICS)
    (folder / "topics.jsonl").write_bytes(b"".join(orjson.dumps(one) + b"\n" for one in topics))


def bundle(folder):
    """Write what `bundle` would of a run that read nothing, which its replay cannot repeat."""
    with_topics(folder)
    Recording().write(folder / "evidence")
    (folder / "replies.jsonl").touch()
    return seal(folder)


def seal(folder):
    """Say of the files in a bundle that they are as they are."""
    prompts = {
        one.id: BundledPrompt(version=one.version, fingerprint=one.fingerprint)
        for one in find_prompts()
    }
    told = {"python": "3.11", "platform": "Linux", "packages": {}, "models": {}, "index": "index"}
    files = describe_files(folder)
    Contents(sidelight=VERSION, prompts=prompts, files=files, **told).write(folder)
    return folder
