"""The recipes of docs/extending.md work as they are written."""

from pathlib import Path

import pytest

from tests.helpers.models.fault_server import FaultServer
from tests.helpers.recipes import Recipe, carry_out, read_recipes

RECIPES = read_recipes(Path(__file__).resolve().parents[2] / "docs" / "extending.md")


@pytest.fixture
def folder(tmp_path, mini_web_index):
    """What a reader has: the demo's index."""
    (tmp_path / "sidelight-demo").mkdir()
    (tmp_path / "sidelight-demo" / "index").symlink_to(mini_web_index.path)
    return tmp_path


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.title)
def test_a_recipe_works_as_written(recipe, folder):
    with FaultServer() as server:
        carry_out(recipe, folder, OPENAI_BASE_URL=server.base_url)


def test_no_recipe_goes_untested():
    titles = "retriever|reranker|performer of a role|step of the investigation|command|track|task"
    every = f"{titles}|measure|judge".split("|")
    assert {f"A {one}" for one in every} <= {one.title for one in RECIPES}


def test_what_a_recipe_promises_is_held_against_what_happens(folder):
    files = (("python", "# shown.py\nprint('found', 3)\n"), ("sh", "python shown.py\n"))
    carry_out(Recipe("kept", (*files, ("text", "found 3\n"))), folder)
    with pytest.raises(AssertionError, match="expected 'found 4' in"):
        carry_out(Recipe("broken", (*files, ("text", "found 4\n"))), folder)
    with pytest.raises(AssertionError, match="no_such_command"):
        carry_out(Recipe("failing", (("sh", "no_such_command\necho on\n"),)), folder)
