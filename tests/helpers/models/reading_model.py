"""A model that reads: it compares what stands inside the fences, and obeys what stands outside."""

import json
import re

from sidelight.llm.base import Reply, Request

FENCED = re.compile(r"<<<BEGIN ([^>]+)>>>\n(.*?)\n?<<<END \1>>>", re.DOTALL)
LISTED = re.compile(r"^(\S+) \[(?:candidate|target|expected)\] (.*)$", re.MULTILINE)
ORDER = re.compile(r"OBEY: ([\w-]+)")


class ReadingModel:
    """Labels questions alike if they are equal, and answers supported if a report holds them.

    Whoever gets `OBEY: <label>` out of a fence gets that label for everything.
    """

    def __init__(self, name="reader"):
        self.name = name
        self.requests: list[Request] = []

    async def complete(self, request):
        self.requests.append(request)
        assert request.json_schema is not None
        text = request.messages[-1].content
        sections = dict(FENCED.findall(text))
        order = ORDER.search(FENCED.sub("", text))

        def labelled(label, reason="words", **names):
            return {**names, "reason": reason, "label": order[1] if order else label}

        answer = getattr(self, request.json_schema.name)(sections, labelled)
        return Reply(text=json.dumps(answer))

    def CompoundVerdict(self, sections, labelled):  # noqa: N802
        several = sections["question"].count("?") > 1
        found = labelled("compound" if several else "single", "marks")
        return {"reason": found["reason"], "verdict": found["label"]}

    def Support(self, sections, labelled):  # noqa: N802
        sources = (text for name, text in sections.items() if name != "sentence")
        return labelled("full" if any(sections["sentence"] in one for one in sources) else "none")

    def PairVerdict(self, sections, labelled):  # noqa: N802
        return labelled(alike(sections["target"], sections["candidate"]))

    def ListVerdict(self, sections, labelled):  # noqa: N802
        return {
            "labels": [
                labelled(alike(sections["target"], text), question_id=name)
                for name, text in LISTED.findall(sections["candidates"])
            ]
        }

    def GridVerdict(self, sections, labelled):  # noqa: N802
        def labels(text):
            targets = LISTED.findall(sections["targets"])
            found = [labelled(alike(wanted, text), target_id=target) for target, wanted in targets]
            return [{"target_id": one["target_id"], "label": one["label"]} for one in found]

        return {
            "candidates": [
                {"question_id": name, "reason": "words", "labels": labels(text)}
                for name, text in LISTED.findall(sections["candidates"])
            ]
        }

    def ReportVerdict(self, sections, labelled):  # noqa: N802
        return {
            "labels": [
                labelled("supports" if text in sections["report"] else "none", answer_id=name)
                for name, text in LISTED.findall(sections["rubric"])
            ]
        }


def alike(target, candidate):
    return "very-similar" if target.split() == candidate.split() else "very-different"
