"""The settings tree of a run. Each field has a range and says what it does."""

from __future__ import annotations

import hashlib
from functools import partial
from types import NoneType
from typing import Annotated, Any, Literal, NamedTuple, get_args

import orjson
from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from sidelight.errors import UsageError
from sidelight.parts import ROLES
from sidelight.registry import did_you_mean, locate, names
from sidelight.schemas.base import Value
from sidelight.tracks import DEFAULT_TRACK
from sidelight.transport import is_server

Effort = Literal["disabled", "minimal", "low", "medium", "high", "xhigh", "max"]


class Unit(NamedTuple):
    """What the number of a setting counts or measures."""

    name: str


Calls = Annotated[int, Unit("calls")]
Documents = Annotated[int, Unit("documents")]
Gpus = Annotated[int, Unit("GPUs")]
Price = Annotated[float, Unit("currency / 1e6 tokens")]
Rounds = Annotated[int, Unit("rounds")]
Searches = Annotated[int, Unit("searches")]
Seconds = Annotated[float, Unit("s")]
Segments = Annotated[int, Unit("segments")]
Share = Annotated[float, Unit("share")]
Tokens = Annotated[int, Unit("tokens")]


def performers_of_all() -> tuple[str, ...]:
    """Return the names that stand for a performer of every role."""
    by_role = [names(f"role.{role}") for role in ROLES]
    return tuple(name for name in by_role[0] if all(name in known for known in by_role))


def _located(kind: str, name: str) -> str:
    """Return a name that stands for a part."""
    try:
        locate(kind, name)
    except UsageError as error:
        raise ValueError(error.message) from None
    return name


def _part(kind: str) -> AfterValidator:
    return AfterValidator(partial(_located, kind))


class _Group(Value):
    """Settings of one kind: `none`, as `sidelight settings` prints it, is no value."""

    @field_validator("*", mode="before")
    @classmethod
    def _read_none(cls, value: object, field: ValidationInfo) -> object:
        kinds = get_args(cls.model_fields[str(field.field_name)].annotation)
        return None if value == "none" and NoneType in kinds else value


class SubmissionSettings(_Group):
    """What the run files say about their maker."""

    team_id: str = Field("sidelight", pattern=r"^[A-Za-z0-9._-]{1,32}$", description="Team id.")
    run_id: str = Field(
        "sidelight-run",
        pattern=r"^[A-Za-z0-9._-]{1,60}$",
        description="Run id; must begin with the team id. Each task adds its suffix.",
    )
    type: Literal["automatic", "manual"] = Field("automatic", description="How the run was made.")


class RetrievalSettings(_Group):
    """How segments are found."""

    retriever: Annotated[str, _part("retriever")] = Field(
        "hybrid", description="First stage; `hybrid` fuses bm25 and dense by reciprocal rank."
    )
    k: Segments = Field(20, ge=1, le=1000, description="Segments kept per query.")
    depth: Segments = Field(
        100,
        ge=1,
        le=10000,
        validate_default=True,
        description="Segments per retriever that fusion and reranking see; not below k. A run, "
        "which leaves out duplicates, sees 2k at least.",
    )
    reranker: str | None = Field(
        None,
        description="Name or path of a sentence-transformers CrossEncoder; none by default. "
        "Another way to rerank is a retriever of your own (docs/extending.md).",
    )
    rerank_margin: float | None = Field(
        None,
        ge=0,
        description="End reranking after a block of candidates whose best score is further than "
        "this below the k-th best; by default all candidates are read.",
    )
    listwise_depth: Segments | None = Field(
        None,
        ge=2,
        le=1000,
        description="Candidates that a model puts in order, twenty at a time; none by default.",
    )
    standing: dict[str, Annotated[Share, Field(ge=0, le=1)]] = Field(
        default={},
        description="Weight of each host in the ranking, by host name; `*` stands for all others; "
        "0 leaves a host out.",
    )
    allow_own_article: bool = Field(
        default=False,
        description="Whether the target article and its copies may be found and cited.",
    )

    @field_validator("depth")
    @classmethod
    def _holds_all(cls, depth: int, field: ValidationInfo) -> int:
        if depth < (k := field.data.get("k", 0)):
            raise ValueError(
                f"expected at least retrieval.k, {k}; raise it as well (--set retrieval.depth={k}, "
                "or the same in the file), or set a lower retrieval.k"
            )
        return depth


class InvestigationSettings(_Group):
    """How long the agents go on."""

    max_rounds: Rounds = Field(3, ge=1, le=10, description="Rounds of searching at most.")
    min_gain: Share = Field(
        0.05, ge=0, le=1, description="Coverage a round must add for another to follow."
    )
    queries_per_round: Searches = Field(40, ge=1, description="Searches a round may make.")
    segments_per_angle: Segments = Field(
        4, ge=1, description="Segments taken as evidence for one angle in one round."
    )
    drafts: int = Field(
        1,
        ge=1,
        le=2,
        description="Independent drafts of a report by a model; the check chooses the one that "
        "covers more.",
    )


class RoleSettings(_Group):
    """Who performs each step: `extractive` needs no model, `prompted` asks the writer."""

    default: str = Field(
        "extractive",
        description="Performer of every step that is `none` below; no step can be left out.",
    )
    profile_article: str | None = Field(
        None, description="Reads outlet, author, names and claims off the article."
    )
    draft_rubric: str | None = Field(
        None,
        description="Drafts questions that assessors will probably ask; `extractive` drafts none.",
    )
    plan_queries: str | None = Field(None, description="Plans the searches.")
    select_evidence: str | None = Field(None, description="Selects evidence among the hits.")
    assess_coverage: str | None = Field(
        None, description="Decides whether another round of searching follows."
    )
    write_questions: str | None = Field(
        None,
        description="Writes the questions; `organizers-2024` and `organizers-2024-example` do so "
        "the way of the 2024 baselines, in one call.",
    )
    write_report: str | None = Field(None, description="Writes the report.")
    check_report: str | None = Field(
        None,
        description="Checks whether the cited segments support each sentence; `prompted` asks the "
        "model `checker`.",
    )
    revise_report: str | None = Field(
        None, description="Revises the report where a check removed sentences."
    )

    @field_validator("default")
    @classmethod
    def _performs_all(cls, name: str) -> str:
        if name not in (known := performers_of_all()):
            raise ValueError(
                f"expected a performer that every role has: {', '.join(known)}"
                + did_you_mean(name, known)
            )
        return name

    @field_validator(*ROLES)
    @classmethod
    def _performs(cls, name: str | None, field: ValidationInfo) -> str | None:
        return None if name is None else _located(f"role.{field.field_name}", name)

    def performer(self, role: str) -> str:
        """Return the name of who performs a role."""
        return str(getattr(self, role) or self.default)


class DocumentSettings(_Group):
    """How documents are found for questions, by tracks that want them."""

    expander: Annotated[str, _part("expander")] = Field(
        "extractive",
        description="Performer that words the searches for a question; `as-asked` searches for the "
        "question itself.",
    )
    queries_per_question: Searches = Field(
        10, ge=1, le=100, description="Searches for one question."
    )
    depth: Documents = Field(30, ge=1, le=1000, description="Documents taken from each search.")
    rater: str = Field(
        "extractive",
        description="Performer that rates how useful documents are; `none` ranks them by "
        "the sum of their scores.",
    )

    @field_validator("rater")
    @classmethod
    def _rates(cls, name: str) -> str:
        return name if name == "none" else _located("rater", name)


class ModelSettings(_Group):
    """A model and how it is asked; replies depend on nothing else."""

    name: str = Field(min_length=1, description="Name of the model on the server.")
    revision: str = Field(
        "",
        description="Revision of the weights, such as a commit; it keeps cached replies apart.",
    )
    server: str = Field("default", description="Name of the server, as under `servers`.")
    temperature: float = Field(
        0.0, ge=0, le=2, description="Sampling temperature; 0 takes the most likely reply."
    )
    top_p: Share = Field(1.0, gt=0, le=1, description="Share of the probability mass to sample.")
    max_tokens: Tokens = Field(
        8192, ge=64, description="Longest reply in tokens, reasoning included."
    )
    seed: int | None = Field(0, description="Seed for sampling; `none` sends no seed.")
    reasoning_effort: Effort | None = Field(
        None,
        description="Reasoning effort of a reasoning model: `disabled` asks for none (sent as "
        "`none`); unset, the server's default holds.",
    )


class ModelsSettings(_Group):
    """Which model does what."""

    writer: ModelSettings | None = Field(None, description="Asked by all prompted roles.")
    checker: ModelSettings | None = Field(
        None, description="Asked whether sentences are supported; the writer when not named."
    )
    ranker: ModelSettings | None = Field(
        None, description="Puts search results in order; the writer when not named."
    )
    judge: ModelSettings | None = Field(
        None, description="Judges the finished run; no result depends on it."
    )

    def of_run(self) -> tuple[ModelSettings, ...]:
        """Return those that a run may ask, in order; the judge is asked after it."""
        named = (self.writer, self.checker, self.ranker)
        return tuple(model for model in named if model is not None)


def _address(url: str) -> str:
    if not is_server(url):
        raise ValueError("expected the address of a server, such as http://localhost:8000/v1")
    return url


class ServerSettings(_Group):
    """Where a model is served. No result depends on it, so a run may go on with another one."""

    base_url: Annotated[str, AfterValidator(_address)] | None = Field(
        None, description="Address of an OpenAI-compatible API, such as http://localhost:8000/v1."
    )
    start: Literal["vllm"] | None = Field(
        None, description="Start this kind of server for the run, and stop it afterwards."
    )
    api_key_variable: str = Field(
        "OPENAI_API_KEY", description="Environment variable that holds the key, if one is needed."
    )
    max_concurrency: Calls = Field(64, ge=1, description="Maximum concurrent calls.")
    timeout_s: Seconds = Field(600.0, gt=0, description="Longest wait for one reply, in seconds.")
    prompt_price: Price | None = Field(
        None, ge=0, description="Price of a million tokens read, in your currency."
    )
    completion_price: Price | None = Field(
        None, ge=0, description="Price of a million tokens written, in your currency."
    )
    tensor_parallel: Gpus = Field(1, ge=1, description="GPUs a started server uses.")
    max_model_len: Tokens | None = Field(
        None,
        ge=1,
        description="Context length of a started server in tokens; `none` leaves the model's own.",
    )
    prefix_caching: bool = Field(default=True, description="Prefix caching of a started server.")
    structured_output_backend: str = Field(
        "auto", description="Backend of guided decoding in a started server."
    )
    reasoning_parser: str | None = Field(
        None, description="Parser that separates reasoning from replies in a started server."
    )
    arguments: tuple[str, ...] = Field(
        (), description="Further arguments for the command of a started server."
    )


class Settings(_Group):
    """Everything a run depends on besides its topics and its index."""

    track: Annotated[str, _part("track")] = Field(
        DEFAULT_TRACK,
        description="Track: its tasks, ids and limits, such as the words of a report; a "
        "name or a YAML file.",
    )
    submission: SubmissionSettings = SubmissionSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    investigation: InvestigationSettings = InvestigationSettings()
    roles: RoleSettings = RoleSettings()
    documents: DocumentSettings = DocumentSettings()
    models: ModelsSettings = ModelsSettings()
    servers: dict[str, ServerSettings] = Field(
        default_factory=dict, description="Servers by name; no result depends on them."
    )

    def parts(self) -> dict[str, tuple[str, str]]:
        """Return the parts that are named: by setting, their kind and name."""
        named = {
            "track": ("track", self.track),
            "retrieval.retriever": ("retriever", self.retrieval.retriever),
            "documents.expander": ("expander", self.documents.expander),
        }
        named |= {f"roles.{role}": (f"role.{role}", self.roles.performer(role)) for role in ROLES}
        if self.documents.rater != "none":
            named["documents.rater"] = ("rater", self.documents.rater)
        return named

    def plugins(self) -> tuple[str, ...]:
        """Return the names of those that are not registered, sorted."""
        named = self.parts().values()
        return tuple(sorted({name for kind, name in named if name not in names(kind)}))

    def of_results(self) -> dict[str, Any]:
        """Return the resolved tree of all that results depend on, JSON-ready."""
        return self.model_dump(mode="json", exclude={"servers": True, "models": {"judge"}})

    def fingerprint(self) -> str:
        """Return the SHA-256 of all that results depend on."""
        canonical = orjson.dumps(self.of_results(), option=orjson.OPT_SORT_KEYS)
        return hashlib.sha256(canonical).hexdigest()
