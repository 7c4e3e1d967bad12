import pytest

from sidelight.evaluation.labelling.judges import EmbeddedJudge
from tests.helpers.labels.labelled import TOPICS, examples, rubric


@pytest.fixture(scope="session")
def embedded():
    """The embedded judge, taught by labelled examples."""
    return EmbeddedJudge({topic_id: rubric(topic_id) for topic_id in TOPICS}, examples())
