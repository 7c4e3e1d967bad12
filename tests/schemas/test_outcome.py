from __future__ import annotations

import pytest

from sidelight.schemas.outcome import Outcome
from sidelight.schemas.question import QuestionSet
from sidelight.schemas.report import Report
from sidelight.schemas.trace import Trace

QUESTIONS = QuestionSet("t", ("Who?",), 1, 300)


def test_a_result_is_of_the_kind_of_its_task() -> None:
    outcome = Outcome(results={"ask": QUESTIONS}, evidence=(), trace=Trace())
    assert outcome.result("ask", QuestionSet) is QUESTIONS
    with pytest.raises(TypeError, match="ask: expected a Report, found a QuestionSet"):
        outcome.result("ask", Report)
    with pytest.raises(KeyError, match="tell"):
        outcome.result("tell", Report)
