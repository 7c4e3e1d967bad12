"""The rules of the track's validator a second time, as predicates over the whole file."""

import io
import json
import unicodedata
from itertools import groupby


def task1_is_valid(content, topic_ids):
    lines = _lines(content)
    if lines is None:
        return False
    rows = [line.split("\t") for line in lines if line]
    if any(len(row) != 5 for row in rows):
        return False
    ranks = {
        topic_id: {_number(row[3]) for row in group}
        for topic_id, group in groupby(sorted(rows), key=lambda row: row[0])
    }
    return (
        ranks.keys() == set(topic_ids)
        and all(found == {1, 2, 3, 4, 5, 6, 7, 8, 9, 10} for found in ranks.values())
        and len({row[1] for row in rows}) == len({row[2] for row in rows}) == 1
        and max(len(row[4]) for row in rows) <= 300
    )


def task2_is_valid(content, topic_ids):
    lines = _lines(content)
    if lines is None:
        return False
    try:
        items = [json.loads(line.strip()) for line in lines if line.strip()]
    except (ValueError, RecursionError):
        return False
    if not all(_has_shape(item) for item in items):
        return False
    metadata = [item["metadata"] for item in items]
    return (
        sorted(each["topic_id"] for each in metadata) == sorted(topic_ids)
        and all(
            len({each[key] for each in metadata}) == 1
            for key in ("team_id", "run_id", "type", "use_starter_kit")
        )
        and all(_words(item) <= 250 for item in items)
    )


def _lines(content):
    try:
        return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8").read().split("\n")
    except UnicodeDecodeError:
        return None


def _number(text):
    """Return the value of a run of decimal digits of any script, but not of superscripts."""
    digits = [unicodedata.decimal(character, None) for character in text]
    if not digits or None in digits or len(digits) > 4300:
        return None
    return int("".join(str(digit) for digit in digits))


def _has_shape(item):
    try:
        metadata, responses = item["metadata"], item["responses"]
        sentences = [(each["text"], each["citations"], type(each)) for each in responses]
    except (TypeError, KeyError, IndexError):
        return False
    strings = ["team_id", "run_id", "topic_id", "type"]
    return (
        {type(item), type(metadata), *(kind for _, _, kind in sentences)} == {dict}
        and type(responses) is list
        and sorted(metadata) == sorted([*strings, "use_starter_kit"])
        and all(type(metadata[key]) is str for key in strings)
        and metadata["type"] in {"automatic", "manual"}
        and type(metadata["use_starter_kit"]) in {int, bool}
        and 0 <= metadata["use_starter_kit"] <= 1
        and all(type(text) is str for text, _, _ in sentences)
        and all(type(cited) is list and len(cited) <= 3 for _, cited, _ in sentences)
        and all(type(citation) is str for _, cited, _ in sentences for citation in cited)
    )


def _words(item):
    return len(" ".join(sentence["text"] for sentence in item["responses"]).split())


def answers_are_valid(content, topic_ids, year):
    """Return the verdict of ragnarok's validators of answers of 2024 and 2025.

    They trim what is too long and warn of it, and take no offence at topics that are left out; that
    of 2025 is told whether citations are places or ids.
    """
    lines = _lines(content)
    if lines is None:
        return False
    try:
        items = [json.loads(line) for line in lines if line.strip()]
    except (ValueError, RecursionError):
        return False
    if year == 2024:
        shape = all(_keeps_2024(item, topic_ids) for item in items)
        return shape and len({repr(item["run_id"]) for item in items}) <= 1
    return any(all(_keeps_2025(item, topic_ids, kind) for item in items) for kind in (int, str))


def _keeps_2025(item, topic_ids, kind):
    try:
        about, references, answer = item["metadata"], item["references"], item["answer"]
        return (
            {"team_id", "run_id", "narrative_id"} <= about.keys()
            and str(about["narrative_id"]) in topic_ids
            and about.get("type", "manual") in {"manual", "automatic"}
            and all(
                type(one["text"]) is str
                and type(one["citations"]) is list
                and all(isinstance(cited, kind) for cited in one["citations"])
                and all(
                    cited in references if kind is str else 0 <= cited < len(references)
                    for cited in one["citations"]
                )
                for one in answer
            )
        )
    except (TypeError, KeyError, AttributeError):
        return False


def _keeps_2024(item, topic_ids):
    try:
        references = item["references"]
        return (
            {"run_id", "topic", "response_length"} <= item.keys()
            and item["topic_id"] in topic_ids
            and len(set(references)) == len(references) <= 20
            and all(one.startswith("msmarco_v2.1_doc_") and "#" in one for one in references)
            and all(
                0 <= cited < len(references) and type(one["text"]) is str
                for one in item["answer"]
                for cited in one["citations"]
            )
        )
    except (TypeError, KeyError, AttributeError):
        return False
