"""What somebody else's folder may cause: each sentence of the threat model is tried here.

The first line of a test says which one.
"""

import json
import re
import shutil
import socket
import sys
import time
from pathlib import Path

import orjson
import pytest
import yaml
from typer.testing import CliRunner

from sidelight.cli.main import app
from sidelight.config.settings import Settings
from sidelight.errors import InputError, InvalidFileError, MachineError, UsageError
from sidelight.index.encoding.encoder import EncoderIdentity
from sidelight.index.folder import open_index
from sidelight.index.manifest import read_manifest, write_value
from sidelight.index.remote.client import RemoteAddress, allow_token, write_address
from sidelight.reproduction.archive import describe_files
from tests.helpers.commands import call, said
from tests.helpers.indexes.rest_server import NAME, DrippingServer, Odd, RestServer
from tests.helpers.scripted_runs import bundle, seal
from tests.helpers.viewed_runs import write_run

THREAT_MODEL = Path(__file__).parents[2] / "docs" / "threat_model.md"
HEADING = "## What a folder of somebody else may cause"
TOKEN = "s3cret-of-the-tests"
VARIABLES = ("OPENAI_API_KEY", "PYSERINI_API_TOKEN", "SIDELIGHT_TEST_TOKEN")
STRANGER = "stranger"
SETTINGS = tuple(Settings().model_copy().parts())


def search(index):
    return said("search", "--index", index, "--retriever", "bm25", "bakery study")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """The working folder, with secrets around and a package that says when it was imported."""
    for name in VARIABLES:
        monkeypatch.setenv(name, TOKEN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    package = tmp_path / STRANGER
    package.mkdir()
    (package / "__init__.py").write_text(
        "from pathlib import Path\n(Path(__file__).parent / 'imported').touch()\nclass Part: pass\n"
    )
    dragun = Path(__file__).parents[2] / "sidelight" / "tracks" / "dragun2025.yaml"
    shutil.copyfile(dragun, package / "track.yaml")
    monkeypatch.delitem(sys.modules, STRANGER, raising=False)
    return tmp_path


def imported(here):
    return (here / STRANGER / "imported").exists()


def change(path, setting, value):
    """Change one entry of a file of JSON or YAML."""
    tree = yaml.safe_load(path.read_text())
    *groups, last = setting.split(".")
    group = tree
    for name in groups:
        group = group[name]
    group[last] = value
    path.write_bytes(
        orjson.dumps(tree) if path.suffix == ".json" else yaml.safe_dump(tree).encode()
    )


def test_every_sentence_is_tried():
    section = THREAT_MODEL.read_text(encoding="utf-8").partition(f"{HEADING}\n")[2]
    section = section.partition("\n## ")[0]
    said = {" ".join(one.split()) for one in re.findall(r"(?ms)^- (.*?)(?=^- |^\*\*|\Z)", section)}
    tried = {
        " ".join(test.__doc__.split())
        for name, test in globals().items()
        if name.startswith("test_") and test.__doc__
    }
    assert said == tried
    assert len(said) > 10


def test_queries(small_index, here):
    """A search sends its words to the server that the folder names, and no secret."""
    with RestServer(small_index) as server:
        write_address(here / "index", RemoteAddress(url=server.url, index=NAME))
        assert search(here / "index")
        assert "bakery" in server.requests[0]
        assert server.authorizations == [""]


def test_a_variable_of_the_folders_choice(small_index, here):
    """A folder that names an environment variable is refused before anything is asked."""
    with RestServer(small_index) as server:
        write_address(here / "index", RemoteAddress(url=server.url, index=NAME))
        change(here / "index" / "remote.json", "token_variable", "OPENAI_API_KEY")
        with pytest.raises(InvalidFileError, match="token_variable"):
            search(here / "index")
        assert not server.requests


def test_an_address_that_was_not_allowed(small_index, here):
    """A server receives a token only where you allowed its address one, and you named the
    variable: `sidelight index remote --token-variable`.
    """
    with RestServer(small_index, TOKEN) as server, RestServer(small_index, TOKEN) as other:
        allowed = RemoteAddress(url=server.url, index=NAME)
        allow_token(allowed, "SIDELIGHT_TEST_TOKEN")
        write_address(here / "index", allowed)
        assert search(here / "index")
        write_address(here / "other", RemoteAddress(url=other.url, index=NAME))
        with pytest.raises(MachineError, match="401") as refused:
            search(here / "other")
        assert "--token-variable" in refused.value.remedy
        assert other.authorizations == [""]


def test_unencrypted(here):
    """A token travels encrypted, or not off this machine."""
    far = RemoteAddress(url="http://far.example", index=NAME)
    with pytest.raises(UsageError, match="unencrypted"):
        allow_token(far, "SIDELIGHT_TEST_TOKEN")


def test_redirects(small_index, here):
    """A redirect is not followed: neither words nor tokens go to another server."""
    with RestServer(small_index) as server, RestServer(small_index) as other:
        address = RemoteAddress(url=server.url, index=NAME)
        allow_token(address, "SIDELIGHT_TEST_TOKEN")
        write_address(here / "index", address)
        server.odd += [Odd(307, headers={"Location": other.url})]
        with pytest.raises(MachineError, match="307"):
            search(here / "index")
        assert not other.requests


def test_time(here):
    """A server whose answer is not whole in the time that the folder states, an hour at most, is
    given up.
    """
    with DrippingServer(b"HTTP/1.1 200 OK\r\nX-Slow: ") as url:
        write_address(here / "index", RemoteAddress(url=url, index=NAME, timeout_s=1))
        started = time.monotonic()
        with pytest.raises(MachineError, match="whole in 1 s"):
            search(here / "index")
        assert time.monotonic() - started < 5
    change(here / "index" / "remote.json", "timeout_s", 3601)
    with pytest.raises(InvalidFileError, match="timeout_s"):
        search(here / "index")


def test_echo(small_index, here):
    """A token that a server repeats is neither shown nor kept."""
    found = [{"docid": "d1", "score": 1, "doc": f"a bakery {TOKEN}"}]
    with RestServer(small_index) as server:
        address = RemoteAddress(url=server.url, index=NAME)
        allow_token(address, "SIDELIGHT_TEST_TOKEN")
        write_address(here / "index", address)
        server.odd += [Odd(200, json.dumps({"candidates": found}).encode())]
        shown = search(here / "index")
        assert "a bakery ***" in shown
        server.odd += [Odd(400, f"no {TOKEN}".encode())]
        with pytest.raises(MachineError) as refused:
            open_index(here / "index").docstore.get_many(["a"])
    assert TOKEN not in f"{shown}{refused.value}"
    assert not any(TOKEN.encode() in one.read_bytes() for one in (here / "index").iterdir())


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a/../../secret"])
def test_files_of_an_index(name, small_index, here):
    """The files that an index lists lie in its folder."""
    (here / "index").mkdir()
    shutil.copyfile(small_index.path / "manifest.json", here / "index" / "manifest.json")
    (here / "secret").write_text("word")
    change(here / "index" / "manifest.json", "files", {name: 4})
    with pytest.raises(InputError, match="plain name of a file"):
        open_index(here / "index")


def test_code_beside_a_model(small_index, here):
    """Code that lies with the model that an index names is not run."""
    model = here / "index" / "model"
    shutil.copytree(small_index.path, here / "index")
    model.mkdir()
    shutil.copyfile(here / STRANGER / "__init__.py", model / "stranger.py")
    modules = [{"idx": 0, "name": "0", "path": "", "type": f"{STRANGER}.Part"}]
    (model / "modules.json").write_text(json.dumps(modules))
    for name in ("config.json", "config_sentence_transformers.json"):
        (model / name).write_text("{}")
    manifest = read_manifest(here / "index")
    stated = EncoderIdentity(name=str(model), dimension=384, max_tokens=256, weights="0" * 64)
    plan = manifest.plan.model_copy(update={"encoder": stated})
    write_value(here / "index", manifest.model_copy(update={"plan": plan}))
    with pytest.raises(MachineError, match="cannot be loaded"):
        said("search", "--index", here / "index", "--retriever", "dense", "bakery study")
    assert not imported(here)


@pytest.mark.parametrize("setting", SETTINGS)
def test_modules_that_a_run_names(setting, here):
    """A command imports no module that a run names, unless you allow it: `--allow-plugin`."""
    run = write_run(here / "run")
    name = f"{STRANGER}:{'track.yaml' if setting == 'track' else 'Part'}"
    change(run.config, setting, name)
    if setting == "track":
        change(run.manifest, setting, name)
        with pytest.raises(InputError, match=f"manifest.json: track.*{name}"):
            said("validate", run.path)
    else:  # which is checked without its parts; its citations are of no collection
        said("validate", run.path, code=1)
    write_address(here / "index", RemoteAddress(url="http://127.0.0.1:9", index="none"))
    (here / "topics.jsonl").write_text('{"docid": "v_doc_00_1", "body": "A bog."}\n')
    given = ("--index", here / "index")
    for words in (
        ("view", run.path),
        ("evaluate", run.path, *given),
        ("bundle", run.path, *given, "--topics", here / "topics.jsonl", "-o", here / "b.tar.zst"),
    ):
        with pytest.raises(InputError, match=f"{setting}.*{name}") as refused:
            said(*words)
        assert refused.value.remedy.endswith(f"--allow-plugin {name}")
    assert not imported(here)
    said("view", run.path, "--allow-plugin", name)
    assert imported(here) == (setting == "track")


def test_all_modules_that_a_run_names_are_told_at_once_and_runs_alike_in_one_line(here):
    paths = [write_run(here / "runs" / name).path for name in ("one", "two")]
    write_run(here / "runs" / "other")
    for path in paths:
        for setting in ("roles.write_report", "retrieval.retriever"):
            change(path / "config.yaml", setting, f"{STRANGER}:{setting[:2].upper()}")
    with pytest.raises(InputError) as refused:
        said("view", paths[0])
    assert refused.value.remedy.count("--allow-plugin") == 2
    assert call("view", here / "runs").stderr.count("Not shown: one, two. config.yaml: ") == 1


@pytest.mark.parametrize("setting", ["servers", "models.judge"])
def test_servers_that_a_run_names(setting, here):
    """A run that names a model server, or the variable of its key, is refused."""
    run = write_run(here / "run")
    far = {"base_url": "http://127.0.0.1:9/v1", "api_key_variable": "OPENAI_API_KEY"}
    named = {"servers": {"default": far}, "models.judge": {"name": "critic"}}
    change(run.config, setting, named[setting])
    with pytest.raises(InputError, match=setting):
        said("view", run.path)


@pytest.mark.parametrize("name", ["../secret", "/dev/zero", "traces/../../secret"])
def test_files_of_a_run(name, here):
    """The files that a run lists lie in its folder."""
    run = write_run(here / "run")
    change(run.manifest, "files", {name: "0" * 64})
    with pytest.raises(InputError, match="expected a finished run"):
        said("view", run.path)


@pytest.mark.parametrize("setting", SETTINGS)
def test_modules_that_a_bundle_names(setting, here):
    """`verify` imports no module that the run of a bundle names, unless you allow it:
    `--allow-plugin`.
    """
    packed = bundle(here / "bundle")
    name = f"{STRANGER}:{'track.yaml' if setting == 'track' else 'Part'}"
    change(packed / "run" / "config.yaml", setting, name)
    with pytest.raises(InputError, match=f"{setting}.*{name}") as refused:
        said("verify", seal(packed))
    assert refused.value.remedy.endswith(f"--allow-plugin {name}")
    assert not imported(here)
    if setting.startswith("roles."):  # what is imported then turns out to be no performer
        with pytest.raises(UsageError, match="has no method"):
            said("verify", packed, "--allow-plugin", name)
        assert imported(here)


def test_a_bundle_at_work(here, monkeypatch):
    """`verify` asks no server, and writes only into a temporary folder, which it removes."""
    packed = bundle(here / "bundle")
    asked = []
    monkeypatch.setattr(socket.socket, "connect", lambda *given: asked.append(given))
    before = describe_files(here)
    temporary = here.parent / f"{here.name}-temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)
    CliRunner().invoke(app, ["verify", str(packed)])
    assert describe_files(here) == before
    assert not asked
    assert not list(temporary.glob("sidelight-*"))
