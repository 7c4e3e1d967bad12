"""Whether the files of a sentence-transformers model are on this machine."""

from __future__ import annotations

from pathlib import Path

from sidelight.errors import MachineError
from sidelight.index.encoding.encoder import DEFAULT_ENCODER, bundled_model
from sidelight.schemas.check import Check


def check_model(role: str, name: str) -> Check:
    """Look for a model without loading or downloading it.

    Args:
        role: What it is for.
        name: Its folder, or its name on the Hugging Face hub.
    """
    if name == DEFAULT_ENCODER:
        try:
            return Check(role, f"{name}: {bundled_model()}")
        except MachineError as error:
            return Check(role, error.message, error.remedy)
    if (Path(name) / "config.json").is_file():
        return Check(role, name)
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    hub_name = name if "/" in name else f"sentence-transformers/{name}"
    try:
        config = try_to_load_from_cache(hub_name, "config.json")
    except HFValidationError:
        return Check(role, f"{name} is no folder with a model", "Name the folder of the model.")
    if isinstance(config, str):
        return Check(role, f"{name}: {Path(config).parent}")
    return Check(
        role,
        f"{name} is not on this machine",
        f"Fetch it with: hf download {hub_name}  (or name a folder)",
    )
