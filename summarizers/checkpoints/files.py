"""The files of a checkpoint: checks of those that are read, and their hashes. Nothing here imports torch."""

import hashlib
from collections.abc import Iterable, Iterator
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from relevance.data.distribution import how_to_install
from relevance.data.files import sha256
from relevance.metrics.models.files import BadModel, ModelUnavailable, read_object, safe, weights_files

KINDS = ("seq2seq", "causal", "gguf")
"""Prefixes of systems' names: folders of encoder-decoders, folders of language models, GGUF files."""

CONFIG = ("config.json", "generation_config.json", "method.json")
"""The files that describe a network and its writing; the last is for networks trained here."""

TOKENIZER = (
    *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"),
    *("vocab.json", "merges.txt", "vocab.txt", "spiece.model", "sentencepiece.bpe.model", "tokenizer.model"),
    *("chat_template.jinja", "chat_template.json"),
)
"""The files of tokenizers and chat templates."""

PICKLED = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
"""Names of weights in formats that may run code when they are read."""


class UnsafeCheckpoint(ModelUnavailable):
    """A checkpoint could only be loaded by running code from it."""


class CheckpointFiles:
    """A checkpoint on this machine: a folder written by transformers' `save_pretrained`, or a GGUF file.

    Raises `ModelUnavailable` if it does not exist or is in another format; `UnsafeCheckpoint` if its weights are
    pickled.
    """

    def __init__(self, kind: str, path: Path) -> None:
        self.kind = kind
        self.path = path
        self.weights = [find_gguf(path)] if kind == "gguf" else find_safetensors(path)

    @property
    def folder(self) -> Path:
        """The folder of the files."""
        return self.path.parent if self.kind == "gguf" else self.path

    @property
    def name(self) -> str:
        """The name of the folder or file."""
        path = self.path.resolve()
        return path.stem if self.kind == "gguf" else path.name

    @cached_property
    def settings(self) -> dict[str, str]:
        """The settings in signatures: the name with eight digits of the weights' SHA-256, and those of the other files.

        A GGUF file contains them all.
        """
        model = {"model": f"{safe(self.name)}@{hash_files(self.weights)[:8]}"}
        if self.kind == "gguf":
            return model
        others = {"config": CONFIG, "tokenizer": TOKENIZER}
        return model | {what: hash_files(self.folder / name for name in names)[:8] for what, names in others.items()}


def find_gguf(path: Path) -> Path:
    """Return the path of a GGUF file, checked. Raises `ModelUnavailable`, `BadModel`."""
    if not path.is_file():
        raise ModelUnavailable(f"there is no file {path}: gguf: takes a file, such as gguf:models/small.gguf")
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise BadModel(f"{path} is not a GGUF file")
    if lacking := [name for name in ("accelerate", "gguf") if find_spec(name) is None]:
        raise ModelUnavailable(f"files of GGUF need {' and '.join(lacking)}: {how_to_install('neural')}")
    return path


def find_safetensors(folder: Path) -> list[Path]:
    """List all weight files of a folder. Raises `ModelUnavailable`, `UnsafeCheckpoint`."""
    if not folder.is_dir():
        raise ModelUnavailable(
            f"there is no folder {folder}: a checkpoint is a folder on this machine; nothing is downloaded"
        )
    if (folder / "adapter_config.json").is_file():
        raise ModelUnavailable(
            f"{folder} is an adapter of another model: merge it (merge_and_unload of peft) and save the whole model"
        )
    check_config(folder / "config.json")
    there = sorted(folder.glob("*.safetensors"))
    pickled = sorted(file.name for pattern in PICKLED for file in folder.glob(pattern))
    if pickled and not there:
        raise UnsafeCheckpoint(
            f"{folder} has pickled weights only ({pickled[0]}), which could run any code when they are read, so they "
            "are not: where you trust them, load them with transformers and save_pretrained writes model.safetensors"
        )
    named = weights_files(folder)
    if strange := [file for file in named if file.suffix != ".safetensors" or file.parent != folder]:
        raise UnsafeCheckpoint(
            f"the weights of {folder} are to be in {strange[0]}, which is not one of its safetensors"
        )
    return sorted({*there, *named})


def check_config(file: Path) -> None:
    """Refuse a config that makes transformers download and run code, as it does for kernels of the hub.

    Raises `ModelUnavailable`, `BadModel`, `UnsafeCheckpoint`.
    """
    if not file.is_file():
        raise ModelUnavailable(f"{file.parent} has no config.json: it is not a model as save_pretrained writes it")
    for key, value in settings_in(read_object(file)):
        if key.endswith("implementation") and isinstance(value, str) and "/" in value:
            raise UnsafeCheckpoint(f"{file} asks for code of the hub ({value}), which is not run: take that out of it")
        if key == "quantization_config" and value:
            raise ModelUnavailable(
                f"{file.parent} is quantized, which needs more than transformers: take the whole model, or GGUF"
            )


def settings_in(config: object, key: str = "") -> Iterator[tuple[str, object]]:
    """Yield all settings of a config with their names, nested ones too; an item of a list has the list's name."""
    yield key, config
    if isinstance(config, dict):
        for name, value in config.items():
            # Implementations of several parts are given by the names of the parts.
            yield from settings_in(value, key if key.endswith("implementation") else name)
    elif isinstance(config, list):
        for value in config:
            yield from settings_in(value, key)


def hash_files(files: Iterable[Path]) -> str:
    """Compute one SHA-256 of the existing files' names and contents; of a single file, that of its content."""
    hashes = [(file.name, sha256(file)) for file in files if file.is_file()]
    return hashes[0][1] if len(hashes) == 1 else hashlib.sha256(repr(hashes).encode()).hexdigest()
