"""What several commands are tried with: a model server without faults, and one topic's rubric."""

import shutil

import pytest

from sidelight.sample import sample_path
from tests.helpers.models.fault_server import FaultServer


@pytest.fixture(scope="session")
def server():
    with FaultServer() as server:
        yield server


@pytest.fixture(scope="session")
def rubrics(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rubrics")
    shutil.copy(min((sample_path() / "human_rubrics").iterdir()), folder)
    return folder
