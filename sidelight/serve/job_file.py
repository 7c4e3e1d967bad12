"""Job files: the state of each investigation on disk, so that a restarted server resumes."""

from __future__ import annotations

import logging
import re
import tempfile
from typing import TYPE_CHECKING

from pydantic import ValidationError

from sidelight.errors import UsageError
from sidelight.files import atomic_write, make_folder, read_limited
from sidelight.schemas.base import Value
from sidelight.schemas.topic import Article

if TYPE_CHECKING:
    from pathlib import Path

_JOB_FILE = re.compile(r"[0-9a-f]{32}\.json")

_logger = logging.getLogger(__name__)


class JobFile(Value):
    """An investigation that was asked for.

    Attributes:
        article: What is investigated.
        message: Why it failed; empty for one that is done, or is still to be done.
    """

    article: Article
    message: str = ""


def claim_folder(folder: Path) -> None:
    """Make sure that investigations can be written to a folder, which is made if it is missing.

    Raises:
        UsageError: They cannot.
    """
    try:
        make_folder(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UsageError(
            f"{folder}: expected a folder that can be written to; found: {error.strerror}",
            remedy="Give another one with --output, or make this one yours.",
        ) from error


def write_job(folder: Path, job_id: str, job: JobFile) -> None:
    """Write what is known of an investigation."""
    make_folder(folder)
    atomic_write(folder / f"{job_id}.json", job.model_dump_json())


def read_jobs(folder: Path) -> list[tuple[str, JobFile]]:
    """Return the investigations of a folder by id, in the order in which they were asked for.

    What is no such file is left alone; a damaged one is named in the log.
    """
    if not folder.is_dir():
        return []
    paths = [path for path in folder.iterdir() if _JOB_FILE.fullmatch(path.name)]
    found = []
    for path in sorted(paths, key=lambda path: (path.stat().st_mtime_ns, path.name)):
        try:
            job = JobFile.model_validate_json(read_limited(path), strict=True)
        except (OSError, ValidationError) as error:
            _logger.warning("%s is left out: %s", path.name, str(error).partition("\n")[0])
            continue
        found.append((path.stem, job))
    return found


def remove_job(folder: Path, job_id: str) -> None:
    """Remove the file of an investigation."""
    (folder / f"{job_id}.json").unlink(missing_ok=True)
