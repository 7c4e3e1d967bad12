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
        answer = getattr(self, request.json_schema.name)(sections, order and order[1])
        return Reply(text=json.dumps(answer))

    def CompoundVerdict(self, sections, order):  # noqa: N802
        verdict = "compound" if sections["question"].count("?") > 1 else "single"
        return {"reason": "marks", "verdict": order or verdict}

    def Support(self, sections, order):  # noqa: N802
        held = any(
            sections["sentence"] in text for name, text in sections.items() if name != "sentence"
        )
        return {"reason": "words", "label": order or ("full" if held else "none")}

    def PairVerdict(self, sections, order):  # noqa: N802
        return {
            "reason": "words",
            "label": order or alike(sections["target"], sections["candidate"]),
        }

    def ListVerdict(self, sections, order):  # noqa: N802
        return {
            "labels": [
                {
                    "question_id": name,
                    "reason": "words",
                    "label": order or alike(sections["target"], text),
                }
                for name, text in LISTED.findall(sections["candidates"])
            ]
        }

    def GridVerdict(self, sections, order):  # noqa: N802
        return {
            "candidates": [
                {
                    "question_id": name,
                    "reason": "words",
                    "labels": [
                        {"target_id": target, "label": order or alike(wanted, text)}
                        for target, wanted in LISTED.findall(sections["targets"])
                    ],
                }
                for name, text in LISTED.findall(sections["candidates"])
            ]
        }

    def ReportVerdict(self, sections, order):  # noqa: N802
        return {
            "labels": [
                {
                    "answer_id": name,
                    "reason": "words",
                    "label": order or ("supports" if text in sections["report"] else "none"),
                }
                for name, text in LISTED.findall(sections["rubric"])
            ]
        }


def alike(target, candidate):
    return "very-similar" if target.split() == candidate.split() else "very-different"
