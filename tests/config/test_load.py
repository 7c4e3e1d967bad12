"""Settings merge in order, refuse what they do not know, and never see a rubric."""

import asyncio
from pathlib import Path

import numpy as np
import pytest
import yaml

from benchmarks.memory_retriever import MemoryRetriever
from sidelight.config.load import describe_settings, dump_settings, load_settings
from sidelight.config.settings import Settings
from sidelight.errors import UsageError
from sidelight.wiring.models import ModelAccess, sampling
from sidelight.wiring.run import Sources, open_graph

CONFIGS = Path(__file__).resolve().parents[2] / "configs"


def test_overrides_beat_the_file_which_beats_the_defaults(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text("retrieval: {k: 7, depth: 50}\n", encoding="utf-8")
    settings = load_settings(path, ["retrieval.k=9"])
    assert (settings.retrieval.k, settings.retrieval.depth) == (9, 50)
    assert settings.investigation == Settings().investigation
    settings = load_settings(None, ["retrieval.retriever=rm3"])
    path = tmp_path / "config.yaml"
    path.write_text(dump_settings(settings), encoding="utf-8")
    assert load_settings(path) == settings
    assert load_settings(path).fingerprint() == settings.fingerprint()
    assert settings.fingerprint() != Settings().fingerprint()


PRESETS = sorted([*CONFIGS.glob("*.yaml"), *CONFIGS.glob("published/*.yaml")])
NARRATIVES = sorted(CONFIGS.glob("rag20*/*.yaml"))


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.name)
def test_every_preset_loads_and_holds_differences_only(path):
    settings = load_settings(path)
    assert settings != Settings()
    assert settings.submission.run_id == f"sidelight-{path.stem}"
    for model in filter(None, (settings.models.writer, settings.models.checker)):
        server = settings.servers[model.server]
        assert server.base_url or server.start
    assert (settings.models.writer is not None) is (
        "prompted" in settings.roles.model_dump().values()
    )
    defaults = Settings().model_dump()
    for group, values in yaml.safe_load(path.read_text(encoding="utf-8")).items():
        for key, value in values.items():
            assert defaults[group].get(key) != value, f"{path.name}: {group}.{key} is the default"


@pytest.mark.parametrize("path", NARRATIVES, ids=lambda path: path.name)
def test_presets_for_narratives_load_and_open(path, tmp_path):
    settings = load_settings(path)
    assert settings.track == path.parent.name
    assert settings.submission.run_id == f"sidelight-{path.stem}"
    for model in filter(None, (settings.models.writer, settings.models.ranker)):
        assert settings.servers[model.server].start
    # What a narrative is answered with; a server would be started for the preset that asks a model.
    served = ModelAccess(tmp_path, base_url="http://localhost:1/v1")

    async def opened():
        sources = Sources(MemoryRetriever([]), lambda _: [], lambda _: np.zeros((0, 1), np.float32))
        async with open_graph(settings, sources, served):
            pass

    asyncio.run(opened())


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("retrieval.k=0", "retrieval.k"),
        ("retrieval.depth=19", "^--set: retrieval.depth = 19: expected at least retrieval.k, 20; "),
        (
            "retrieval.k=101",
            r"depth = 100: expected at least retrieval.k, 101; .*--set retrieval.depth=101",
        ),
        ("retrieval.nope=1", "retrieval.nope"),
        ("servers.s.timeout_s=.nan", "servers.s.timeout_s"),
        ("retrieval.k", "expected key.sub=value"),
        ("track.x.y=1", "track"),
        ("submission.run_id=other-run", "must begin with the team id"),
        ("retrieval.reranker=data/human_rubrics", "must not know what it is judged by"),
        ("rubrics=somewhere", "must not know what it is judged by"),
        # Where a name is misspelt, the nearest is told.
        (
            "retrieval.retreiver=bm25",
            "--set: unknown setting retrieval.retreiver; did you mean retrieval.retriever?",
        ),
        ("retreival.k=5", "unknown setting retreival; did you mean retrieval?"),
        ("retriever=bm25", "unknown setting retriever; did you mean retrieval.retriever?"),
        ("k=5", "unknown setting k; did you mean retrieval.k?"),
        ("retrieval.K=50", "unknown setting retrieval.K; did you mean retrieval.k?"),
        # Where none is near, all that are there.
        ("retrieval.topk=5", "unknown setting retrieval.topk; expected one of .*, k, .*reranker"),
        (
            "report.words=500",
            "unknown setting report; expected one of .* .see `sidelight settings`",
        ),
        ("retreival.k=5", "^--set: unknown setting retreival"),
        ("documents.Depth=5", "did you mean documents.depth?"),
        ("RETRIEVAL.k=5", "unknown setting RETRIEVAL; did you mean retrieval?"),
        ("servers.mine.BASE_URL=x", "did you mean servers.mine.base_url?"),
        ("retrieval.retriever=BM25", "expected one of bm25, .*rm3, .*; did you mean bm25?"),
        ("retrieval.max_rounds=2", "did you mean investigation.max_rounds?"),
        ("servers.mine.base_ulr=x", "did you mean servers.mine.base_url?"),
        ("retrieval.retriever=bm52", "expected one of bm25, .*rm3, .*; did you mean bm25?"),
        ("roles.write_report=promted", "unknown performer of write_report 'promted'; .*prompted?"),
        ("roles.default=organizers-2024", "expected a performer that every role has"),
        ("roles.write_report=''", "unknown performer of write_report ''"),
        (
            "servers.mine.base_url='http://[bad'",
            "^--set: servers.mine.base_url = 'http://\\[bad': expected the address of a server",
        ),
        ("servers.mine.base_url='http://h:99999'", "expected the address of a server"),
        ("track=dragon2025", "did you mean dragun2025?"),
    ],
)
def test_a_wrong_setting_is_named(override, says):
    with pytest.raises(UsageError, match=says):
        load_settings(None, [override])


def test_none_is_no_value_where_there_may_be_none():
    changed = load_settings(None, ["retrieval.reranker=none", "documents.rater=none"])
    assert (changed.retrieval.reranker, changed.documents.rater) == (None, "none")


def test_plugins_and_broken_files_are_named(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        load_settings(tmp_path / "null\0")
    with pytest.raises(
        UsageError, match=r"configs/rets\.yaml\n.*; did you mean configs/rest\.yaml\?"
    ):
        load_settings("configs/rets.yaml")
    with pytest.raises(UsageError, match="there is no configuration file") as found:
        load_settings(tmp_path / "absent.yaml")
    assert found.value.remedy == "Check the path."
    broken = tmp_path / "broken.yaml"
    broken.write_text("a: [1", encoding="utf-8")
    with pytest.raises(UsageError, match="not valid YAML"):
        load_settings(broken)
    assert not load_settings().plugins()
    own = [
        "retrieval.retriever=mine:Search",
        "roles.write_report=mine:Writer",
        "roles.default=prompted",
    ]
    assert load_settings(None, own).plugins() == ("mine:Search", "mine:Writer")


def test_every_setting_that_names_a_part_is_known_as_one():
    """A new one must be: else a run of somebody else could name a module in it."""

    def takes(setting, value):
        try:
            load_settings(None, [f"{setting}={value}"])
        except UsageError:
            return False
        return True

    named = {
        one.name
        for one in describe_settings()
        if takes(one.name, "stranger:Part") and not takes(one.name, "no-such-part")
    }
    assert named == set(Settings().parts()) | {"documents.rater"}


def test_a_model_can_be_asked_not_to_reason():
    given = ["models.writer.name=m", "models.writer.reasoning_effort=disabled"]
    writer = load_settings(None, given).models.writer
    assert writer is not None
    assert sampling(writer).reasoning_effort == "none"
