"""One article from the shell: what is printed, what is written, what is refused."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from sidelight.errors import InputError, UsageError
from sidelight.index.folder import IndexFolder
from sidelight.schemas.topic import Article
from tests.helpers.commands import said, told


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_pasted_article_is_read(
    mini_web_articles: tuple[Article, ...], mini_web_index: IndexFolder, tmp_path: Path
) -> None:
    """Headline, outlet, author and date are in its text alone."""
    article = mini_web_articles[0]
    (tmp_path / "article.txt").write_text(article.body)
    command = ("read", tmp_path / "article.txt", "--index", mini_web_index.path)
    shown = said(*command)
    assert shown.startswith(f"{article.title}\n")
    origin = shown.splitlines()[1]
    assert "Sentinel Policy Journal" in origin
    assert "14 March 2021" in origin
    assert "Garrick Voss" in origin
    assert "10. " in shown
    assert "commonpedia.example" in shown
    again = told(*command, "-o", tmp_path / "page.html")
    assert len(again["questions"]) == 10
    assert article.title in (tmp_path / "page.html").read_text()
    assert len(list((tmp_path / "runs").glob("read-*"))) == 1


def test_what_is_no_article_is_refused(tmp_path: Path, small_index: IndexFolder) -> None:
    (tmp_path / "short.html").write_text("<html><p>Too short.</p></html>")
    with pytest.raises(InputError, match=r"short.html: .* an article has 50 or more"):
        said("read", tmp_path / "short.html", "--index", small_index.path)
    assert not (tmp_path / "runs").exists()


def test_a_busy_port_is_said_before_anything_is_opened(
    tmp_path: Path, small_index: IndexFolder
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {port}: Address already in use"):
            said("serve", "--index", small_index.path, "--port", port)
