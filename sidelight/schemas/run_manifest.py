"""What made a run: everything that its files depend on, and the files' hashes."""

from __future__ import annotations

from sidelight.schemas.base import FileName, Value


class RunManifest(Value):
    """What made a run. It holds no time and no path, so that a rerun gives the same.

    Attributes:
        sidelight: Version that made it.
        packages: By name, the versions of the packages that decide results.
        track: Name of the track.
        settings: Hash of all settings.
        index: Hash of the index.
        topics: Ids of the finished topics, in the order of the files.
        thin_topics: Those whose report is short for want of evidence.
        fallbacks: By topic id, steps done without a model whose replies were no use.
        failed_topics: Ids of the topics that could not be finished.
        edited: Traces, by path in the run directory, that someone changed after they were made.
        files: By path in the run directory, SHA-256 of each file.
    """

    sidelight: str
    packages: dict[str, str]
    track: str
    settings: str
    index: str
    topics: tuple[str, ...]
    thin_topics: tuple[str, ...]
    fallbacks: dict[str, tuple[str, ...]]
    failed_topics: tuple[str, ...]
    edited: tuple[FileName, ...]
    files: dict[FileName, str]
