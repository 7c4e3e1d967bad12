"""Passage grades from 0 to 5 for each item: does a passage answer a question or cover a key fact?

Source: Farzi and Dietz, Pencils Down!, ICTIR 2024, section 4.2.1; for replies that are no plain
grade also its third footnote. The code published with the paper has both fallbacks the other way
round; `workbench` does as it does.

A learned model or a language model gives the grades. In a prompt the passage comes first and the
item last. A passage is much longer than an item and is graded by all items of its query, one call
after the other, so a server that caches prefixes reads it once; with the item first it would read
every passage anew for every item.

Direct relevance grades of passages for a query: by several prompted methods, or by the pool.

Sources: the prompts that Farzi and Dietz (Pencils Down!, ICTIR 2024, section 6.2) hold RUBRIC
against, and UMBRELA (Upadhyay et al., 2024). What each asks and on which scale is theirs; the words
are this project's own. A prompted grade takes one call for a passage and query. Reasoning names
other grades on its way ("not a 0", "from 0 to 3"), so only the last verdict of a reply counts; one
that is not on the scale is no verdict, whatever stands before it.

Without a model, a passage is graded by its similarity with all passages returned for the query.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import chain
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ValidationError

from sidelight.errors import ReplyError, StructuredOutputError
from sidelight.evaluation.labelling.asking import NOTHING, PrefixOrder
from sidelight.evaluation.labelling.judge import Judgment
from sidelight.learned.comparing import Task
from sidelight.learned.ordinal_model import grades_of, load_grade_model, weights_hash
from sidelight.learned.passage_grades import RELEVANCE, ItemGrades, pool_features, trusted
from sidelight.llm.prompted import PromptedModel
from sidelight.llm.structured import FreeText, check_each_once
from sidelight.prompting import Prompt, load_prompt, load_template
from sidelight.schemas.base import Value
from sidelight.schemas.grading.graded_passage import HIGHEST_RATING, Grader
from sidelight.schemas.grading.judgment import OneOf, Unjudged
from sidelight.schemas.grading.rubric import ExamItem, ExamKind
from sidelight.text import one_line, tokens
from sidelight.text_vectors import Encode


class PassageCase(NamedTuple):
    """A passage that is graded by some items of a bank.

    Attributes:
        items: Each once.
    """

    query: str
    passage: str
    kind: ExamKind
    items: tuple[ExamItem, ...]


class PassageGrader:
    """Grades passages by items; a grade hangs on no other item and no other passage.

    So whatever is graded in parts gets the grades it would get at once.
    """

    def grader(self, kind: ExamKind) -> Grader:
        """Return who grades items of a kind: another value whenever a grade may be another."""
        raise NotImplementedError

    def prepare(self, cases: list[PassageCase]) -> None:
        """Look at cases that will be graded; for a grader that reads many at once more quickly."""

    async def __call__(self, case: PassageCase) -> list[Judgment]:
        """Return one judgment for each item of a case, in order."""
        raise NotImplementedError


CALIBRATED_ON = "calibrated-on-TREC-DL-2019"
"""On which public graded passages, as tables and files name it."""


class EmbeddedPassageGrades(PassageGrader):
    """Grades by `ItemGrades`; the answer is the sentence that has most of the item.

    `encode` must be that of the default encoder.
    """

    def __init__(self, encode: Encode) -> None:
        self._model = ItemGrades(encode)

    def grader(self, kind: ExamKind) -> Grader:
        """Return the method with its weights; the kind of the items changes nothing."""
        return Grader(f"embedded-{kind}-1-{self._model.weights}", CALIBRATED_ON)

    def prepare(self, cases: list[PassageCase]) -> None:
        """Encode cases that will be graded, all at once."""
        self._model.prepare(_task(case) for case in cases)

    async def __call__(self, case: PassageCase) -> list[Judgment]:
        """Return one judgment for each item, in order."""
        task = _task(case)
        return [
            Judgment(str(grade), answer)
            for grade, answer in self._model.grade(case.query, task.items, case.passage)
        ]


def _task(case: PassageCase) -> Task:
    return Task(tuple(item.text for item in case.items), case.passage, case.query, is_source=True)


UNANSWERABLE = (
    "unanswerable",
    "no",
    "no answer",
    "not enough information",
    "unknown",
    "it is not possible to tell",
    "it does not say",
    "no relevant information",
)
"""What says that a passage holds no answer, as the paper lists it."""

_DIGIT = re.compile(r"[^\w]*([0-9])[^\w]*")
_MAX_PHRASE_CHARACTERS = 200  # a longer reply is no plain grade and none of the phrases
_ALIKE = 0.8


def self_rating(text: str, *, workbench: bool = False) -> int:
    """Return the grade that a reply stands for, from 0 to 5.

    A single digit from 0 to 5 is a grade. Of the rest, what says that there is no answer is 0, and
    anything else 1. With `workbench` the rest is graded as in the published code: what says that
    there is no answer, or nearly in such words, is 1, and anything else 0.
    """
    said = one_line(text[:_MAX_PHRASE_CHARACTERS]) if len(text) <= _MAX_PHRASE_CHARACTERS else ""
    digit = _DIGIT.fullmatch(said)
    if digit and int(digit[1]) <= HIGHEST_RATING:
        return int(digit[1])
    words = " ".join(tokens(said))
    none = words in UNANSWERABLE
    if workbench:
        near = any(SequenceMatcher(None, words, one).ratio() > _ALIKE for one in UNANSWERABLE)
        return int(none or near or not words)
    return int(not none)


_HERE = Path(__file__).parent
GRADE_PROMPTS: Mapping[ExamKind, Prompt] = {
    "question": load_prompt(_HERE / "question_grade.prompt.md"),
    "nugget": load_prompt(_HERE / "nugget_grade.prompt.md"),
}
"""What is asked about each kind of items."""

_GRADE_DIGITS = tuple(str(grade) for grade in range(HIGHEST_RATING + 1))


class ItemRating(Value):
    """How well a passage does by one item."""

    item_id: str
    answer: str
    rating: Annotated[str, OneOf(_GRADE_DIGITS)]


class PassageRatings(Value):
    """How well a passage does by some items."""

    grades: tuple[ItemRating, ...]


class _LooseRating(BaseModel):
    item_id: str
    answer: str = ""
    rating: str | int


class _LooseRatings(BaseModel):
    grades: list[_LooseRating]


class _AskedItem(NamedTuple):
    """An item under a short id, as a prompt shows it."""

    item_id: str
    text: str


class PromptedPassageGrades(PassageGrader):
    """Grades by asking a model.

    A reply that does not fit is repaired once. What then is no grade from 0 to 5 becomes one by
    `self_rating`; where no reply came, or it says nothing of an item, that cell is unjudged. One
    call is asked about `at_once` items; 1 is what the paper does. `self_rating` says what
    `workbench` does.
    """

    def __init__(
        self, model: PromptedModel, name: str, *, at_once: int = 1, workbench: bool = False
    ) -> None:
        self._model = model
        self._name = name
        self._at_once = at_once
        self._workbench = workbench
        self._order = PrefixOrder()

    def grader(self, kind: ExamKind) -> Grader:
        """Return the prompt, with all that may change a grade, and the model."""
        prompt = GRADE_PROMPTS[kind]
        name = f"{prompt.id}-{prompt.version}-{prompt.fingerprint[:8]}"
        together = f"-{self._at_once}-a-call" if self._at_once > 1 else ""
        return Grader(f"{name}{together}{'-workbench' * self._workbench}", self._name)

    async def __call__(self, case: PassageCase) -> list[Judgment]:
        """Return one judgment for each item, in order; what is empty is not asked about."""
        if not one_line(case.passage):
            return [Judgment("0", NOTHING)] * len(case.items)
        parts = [
            case.items[start : start + self._at_once]
            for start in range(0, len(case.items), self._at_once)
        ]
        found = await asyncio.gather(*(self._ask(case, part) for part in parts))
        return list(chain.from_iterable(found))

    async def _ask(self, case: PassageCase, items: Sequence[ExamItem]) -> list[Judgment]:
        asked = [_AskedItem(f"i{number}", item.text) for number, item in enumerate(items, start=1)]
        ids = [item.item_id for item in asked]
        prompt = GRADE_PROMPTS[case.kind]

        def check(answer: PassageRatings) -> None:
            check_each_once(ids, [one.item_id for one in answer.grades])

        async with self._order.turn(prompt.id, case.passage):
            try:
                answer = await self._model.answer(
                    prompt,
                    PassageRatings,
                    check=check,
                    query=case.query,
                    passage=case.passage,
                    items=asked,
                )
            except ReplyError as error:
                return self._salvaged(error, ids)
        given = {one.item_id: Judgment(one.rating, one_line(one.answer)) for one in answer.grades}
        return [given[one] for one in ids]

    def _salvaged(self, error: ReplyError, ids: Sequence[str]) -> list[Judgment]:
        """Return what can be read out of a reply that did not fit, by the paper's fallback."""
        lost = Judgment(Unjudged(reason=one_line(error.message)), one_line(error.message))
        if not isinstance(error, StructuredOutputError):
            return [lost] * len(ids)
        try:
            loose = _LooseRatings.model_validate_json(error.text).grades
        except ValidationError:
            if len(ids) > 1:  # nobody can tell of which item it speaks
                return [lost] * len(ids)
            return [self._judgment(error.text, "")]
        counts = Counter(one.item_id for one in loose)
        given = {
            one.item_id: self._judgment(str(one.rating), one.answer)
            for one in loose
            if counts[one.item_id] == 1
        }
        return [given.get(one, lost) for one in ids]

    def _judgment(self, rating: str, answer: str) -> Judgment:
        grade = self_rating(rating, workbench=self._workbench)
        return Judgment(str(grade), one_line(answer))


_YES_OR_NO = {"yes": 1, "no": 0}


class DirectMethod(Value):
    """One way to ask for a grade.

    Attributes:
        name: As the command line and the paper call it.
        verdicts: What the model may say, in small letters, and the grade it stands for.
        relevant: The grade from which a passage counts as relevant.
        template: The wording, where a user brings it; replies to it are free text.
    """

    name: str
    verdicts: dict[str, int]
    relevant: int
    template: Path | None = None

    @property
    def prompt(self) -> Prompt:
        """The prompt."""
        if self.template:
            return load_template(self.template, ("query", "passage"))
        name = self.name.lower().replace("faggiolib", "faggioli_b")
        return load_prompt(_HERE / f"direct_{name}.prompt.md")


def _numbers(highest: int) -> dict[str, int]:
    return {str(grade): grade for grade in range(highest + 1)}


DIRECT_METHODS = {
    method.name: method
    for method in (
        DirectMethod(name="Thomas", verdicts=_numbers(2), relevant=1),
        DirectMethod(name="FaggioliB", verdicts=_YES_OR_NO, relevant=1),
        DirectMethod(name="FaggioliB_few", verdicts=_YES_OR_NO, relevant=1),
        DirectMethod(name="HELM", verdicts=_YES_OR_NO, relevant=1),
        DirectMethod(name="Sun", verdicts=_YES_OR_NO, relevant=1),
        DirectMethod(name="Sun_few", verdicts=_YES_OR_NO, relevant=1),
        DirectMethod(name="UMBRELA", verdicts=_numbers(3), relevant=2),
    )
}
"""By name."""


POOL_RELEVANT = 2
"""The grade from which a passage counts as relevant."""


class PoolGrades:
    """Grades from 0 to 3 by a model that learned from people's; a query's text does not count.

    A grade depends on the other passages of the query, so all of them are graded at once. `encode`
    must be that of the default encoder.
    """

    def __init__(self, encode: Encode) -> None:
        self._model = load_grade_model(RELEVANCE)
        self._encode = encode
        self.grader = Grader(f"pool-1-{weights_hash(RELEVANCE)}", "calibrated-on-TREC-DL-2023")

    def grade(self, passages: Sequence[str]) -> list[int]:
        """Return a grade for each passage of one query."""
        if not passages:
            return []
        features = trusted(pool_features(passages, self._encode), self._model.means)
        grades: list[int] = grades_of(self._model.scores(features), self._model.cuts).tolist()
        return grades


# What may stand around a verdict; a sign or a full stop before it is part of it.
_BEFORE, _AFTER = r"[\s*_\"'`#\[({<=]{0,8}", r"[\s*_\"'`\])}>.!;]{0,8}"
_SAID = r"(?P<said>[+-]?(?:\d{1,4})?(?:[.,]\d{1,4})+|[+-]?\d{1,4}|[^\W\d_]{1,20})"
_MARKED = re.compile(
    rf"(?:score|grade|verdict|label|rating|decision|answer|relevance){_BEFORE}(?:is\b|:|=)"
    rf"{_BEFORE}{_SAID}",
    re.IGNORECASE,
)
_PLAIN = re.compile(rf"{_BEFORE}{_SAID}{_AFTER}")
_LAST = 4_000  # characters; a verdict stands at the end


def last_verdict(text: str, verdicts: Collection[str]) -> str | None:
    """Return what a reply decides, in small letters; None where it is not one of the verdicts.

    A reply that is a single word or number is its verdict. Otherwise it is what follows the last
    mark such as `final score:` or `verdict:`. `verdicts` are in small letters, too.
    """
    said = one_line(text[-_LAST:])
    plain = _PLAIN.fullmatch(said)
    if plain:
        found = plain["said"]
    else:
        marks = [match["said"] for match in _MARKED.finditer(said)]
        if not marks:
            return None
        found = marks[-1]
    folded = found.casefold()
    return folded if folded in verdicts else None


class DirectVerdict(Value):
    """What a model decides on a passage, with its reasons."""

    reasons: str
    verdict: str


class _Loose(BaseModel):
    verdict: str | int


class PromptedDirectGrades:
    """Grades by asking a model with one of the methods."""

    def __init__(self, method: DirectMethod, model: PromptedModel, name: str) -> None:
        self.method = method
        self._model = model
        self._order = PrefixOrder()
        prompt = method.prompt
        self.grader = Grader(f"{method.name}-{prompt.version}-{prompt.fingerprint[:8]}", name)

    async def __call__(self, query: str, passage: str) -> Judgment:
        """Return the judgment on a passage; a verdict outside the scale is none."""
        if not one_line(passage):
            return Judgment("0", NOTHING)
        verdicts = self.method.verdicts

        def check(answer: DirectVerdict | FreeText) -> None:
            said = answer.text if isinstance(answer, FreeText) else answer.verdict
            if last_verdict(said, verdicts) is None:
                raise ValueError(f"the verdict must be one of {', '.join(verdicts)}")

        kind: type[DirectVerdict | FreeText] = FreeText if self.method.template else DirectVerdict
        async with self._order.turn(self.method.prompt.id, query):
            try:
                answer = await self._model.answer(
                    self.method.prompt,
                    kind,
                    check=check,
                    query=query,
                    passage=passage,
                )
            except ReplyError as error:
                return self._salvaged(error)
        said, reasons = (
            (answer.text, answer.text)
            if isinstance(answer, FreeText)
            else (answer.verdict, answer.reasons)
        )
        verdict = last_verdict(said, verdicts) or ""
        return Judgment(str(verdicts[verdict]), one_line(reasons))

    def _salvaged(self, error: ReplyError) -> Judgment:
        """Return what can be read out of a reply that did not fit."""
        reason = one_line(error.message)
        if isinstance(error, StructuredOutputError):
            said = _said(error.text)
            if verdict := last_verdict(said, self.method.verdicts):
                return Judgment(str(self.method.verdicts[verdict]))
            reason = f"no verdict on the scale: {one_line(said)[-80:]}"
        return Judgment(Unjudged(reason=reason), reason)


def _said(reply: str) -> str:
    """Return the verdict in a reply that is JSON, or all of it."""
    try:
        return str(_Loose.model_validate_json(reply).verdict)
    except ValidationError:
        return reply
