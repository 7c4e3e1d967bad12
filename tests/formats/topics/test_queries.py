from __future__ import annotations

from pathlib import Path

import pytest

from sidelight.errors import InvalidFileError
from sidelight.formats.topics import read_queries
from sidelight.schemas.investigation.evidence import Query
from tests.helpers.public_data import PublicData


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "queries.tsv"
    path.write_text(text)
    return path


def test_reads_queries_in_file_order(tmp_path: Path) -> None:
    path = write(tmp_path, "2\twho owns the lamp ?\r\n\n1\ta\tb")
    assert read_queries(path) == [
        Query(query_id="2", text="who owns the lamp ?"),
        Query(query_id="1", text="a\tb"),
    ]


def test_reads_public_queries(shared_data: PublicData) -> None:
    assert len(read_queries(shared_data / "cranfield" / "queries.tsv")) == 225


@pytest.mark.parametrize(
    ("line", "code"),
    [("2 no tab", "query"), ("2\t ", "query"), ("\ttext", "query"), ("1\tx", "query-duplicate")],
)
def test_a_line_that_is_no_query_is_an_error(tmp_path: Path, line: str, code: str) -> None:
    with pytest.raises(InvalidFileError) as caught:
        read_queries(write(tmp_path, f"1\tfirst\n{line}\n"))
    assert [(item.code, item.line) for item in caught.value.problems] == [(code, 2)]
