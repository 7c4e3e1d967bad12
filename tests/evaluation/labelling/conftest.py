import pytest

from sidelight.evaluation.labelling.judges import EmbeddedJudge
from tests.helpers.labels.labelled import examples


@pytest.fixture(scope="session")
def embedded():
    """The embedded judge, taught by labelled examples."""
    return EmbeddedJudge(examples())
