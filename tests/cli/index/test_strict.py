from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.errors import InvalidFileError


def test_a_broken_line_is_shown_by_build_and_info_and_stops_a_strict_build(tmp_path):
    shard, folder = tmp_path / "shard.jsonl", str(tmp_path / "index")
    shard.write_text('{"docid": "a", "segment": "sound"}\n{"docid": "b"}\n')
    build = ["index", "build", str(shard), "-o", folder]
    for command in (build, ["index", "info", folder]):
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 0, result.output
        assert "segments     1 of 1 document" in result.output
        assert "shard.jsonl: segments 1, lines refused 1" in result.output
        shown = " ".join(result.output.split())
        assert "shard.jsonl:2: error [key-missing] expected a segment; found no segment." in shown
    for output in (folder, str(tmp_path / "another")):
        result = CliRunner().invoke(app, ["index", "build", str(shard), "-o", output, "--strict"])
        assert isinstance(result.exception, InvalidFileError)
        assert "shard.jsonl:2" in str(result.exception)
