"""The folder of a trained extractor: its description, its weights, and the documents that it was trained on.

Both kinds have weights of n-grams (`linear`); those of the MiniLM kind also have heads (`minilm`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from relevance.data.files import open_file, sha256, write_whole
from relevance.data.reading import lines
from relevance.data.records import BadRecord
from relevance.metrics.models.files import BadModel, ModelUnavailable, embedded_model
from relevance.summarizers.learned import minilm
from relevance.summarizers.training_documents import TRAINING_DOCUMENTS, TrainingDocuments

if TYPE_CHECKING:
    import torch

FORMAT = "relevance-extractor-2"

LINEAR, MINILM = "linear", "minilm"
KINDS = (LINEAR, MINILM)

ABOUT = "extractor.json"
"""The file of the extractor's description and training."""
NGRAMS = "ngrams.safetensors"
"""The file of the weights of n-grams, places and lengths."""
VOCABULARY = "vocabulary.txt"
"""The file of the features that have these weights, a line for each, in the same order."""
HEADS = "heads.safetensors"
"""The file of the weights of a MiniLM extractor's heads."""

MOST_HEADS = 3
"""The most heads of a MiniLM extractor; those of three seeds have 2.3 MB."""

LARGEST = 64 * 2**20
"""The most bytes of a file of weights; ours have two megabytes."""


def read_about(folder: Path) -> dict[str, Any]:
    """Read an extractor's description. Raises `ModelUnavailable` if there is none, `BadModel` for a damaged one."""
    if not (folder / ABOUT).is_file():
        raise ModelUnavailable(f"{folder} is not a trained extractor: it has no {ABOUT}")
    try:
        with open_file(folder / ABOUT) as file:
            about = json.loads(file.read(LARGEST))
    except (OSError, ValueError, RecursionError) as error:
        raise damaged(folder / ABOUT, error) from error
    if not isinstance(about, dict) or about.get("format") != FORMAT or about.get("kind") not in KINDS:
        raise BadModel(f"{folder / ABOUT} is not of an extractor in the format {FORMAT}: train it again")
    if about["kind"] == MINILM and about.get("encoder") != embedded_model().signature:
        raise BadModel(
            f"{folder} was trained on vectors of another encoder than {embedded_model().signature}: train it again"
        )
    return about


def hash_weights(folder: Path, kind: str) -> str:
    """Compute the SHA-256 of the hashes of an extractor's vocabulary and weights. Raises `BadModel`."""
    names = (VOCABULARY, NGRAMS) if kind == LINEAR else (VOCABULARY, NGRAMS, HEADS)
    try:
        hashes = [sha256(folder / name) for name in names]
    except (OSError, BadRecord) as error:
        raise damaged(folder, error) from error
    return hashlib.sha256("".join(hashes).encode()).hexdigest()


@lru_cache(maxsize=4)
def read_ngrams(folder: Path, digest: str) -> dict[str, float]:
    """Read the weights of an extractor's n-grams, by feature; `digest` is their hash. Raises `BadModel`."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        vocabulary = [line for _, line in lines(folder / VOCABULARY)]
        weights = load(read_weights(folder / NGRAMS))["weights"]
    except (OSError, BadRecord, SafetensorError, KeyError, ValueError, TypeError) as error:
        raise damaged(folder, error) from error
    if weights.shape != (len(vocabulary),) or weights.dtype != np.float32 or not np.isfinite(weights).all():
        raise BadModel(f"{folder / NGRAMS} has not one number for each line of {VOCABULARY}: copy it or train it again")
    return dict(zip(vocabulary, weights.tolist(), strict=True))


@lru_cache(maxsize=4)
def read_heads(folder: Path, digest: str) -> list[Any]:
    """Read the heads of a MiniLM extractor, ready to score; `digest` is their weights' hash. Raises `BadModel`."""
    from safetensors import SafetensorError
    from safetensors.torch import load
    from torch import nn

    try:
        weights = load(read_weights(folder / HEADS))
        count = len({name.partition(".")[0] for name in weights})
        heads = nn.ModuleList(minilm.head_class()() for _ in range(max(1, min(count, MOST_HEADS))))
        heads.load_state_dict(weights)
    except (OSError, BadRecord, SafetensorError, RuntimeError, ValueError, KeyError, TypeError) as error:
        raise damaged(folder, error) from error
    if not all(bool(numbers.isfinite().all()) for numbers in weights.values()):
        raise BadModel(f"{folder / HEADS} has numbers that are not finite: copy it or train it again")
    return list(heads.eval())


def read_weights(path: Path) -> bytes:
    """Read the bytes of a file of weights. Raises `BadModel` if it is too large."""
    with open_file(path) as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise BadModel(f"{path} has over {LARGEST // 2**20} MiB: those of an extractor are smaller")
    return content


@lru_cache(maxsize=4)
def read_training_documents(folder: Path) -> TrainingDocuments:
    """Read the documents that an extractor was trained on. Raises `BadModel`."""
    try:
        return TrainingDocuments.read(folder / TRAINING_DOCUMENTS)
    except (OSError, BadRecord) as error:
        raise damaged(folder, error) from error


def damaged(where: Path, error: Exception) -> BadModel:
    """Make the error that says which file or folder of an extractor cannot be read."""
    reason = error.strerror if isinstance(error, OSError) else str(error)
    name = getattr(error, "filename", None)
    return BadModel(f"the extractor in {name or where} cannot be read ({reason}): copy it or train it again")


def write_ngrams(folder: Path, weights: Mapping[str, float]) -> None:
    """Write the weights of n-grams, by feature. Raises OSError."""
    from safetensors.numpy import save_file

    write_whole(folder / VOCABULARY, (f"{feature}\n" for feature in weights))
    save_file({"weights": np.array(list(weights.values()), np.float32)}, folder / NGRAMS)


def write_heads(folder: Path, heads: Sequence[torch.nn.Module]) -> None:
    """Write the weights of a MiniLM extractor's heads as float16. Raises OSError."""
    import torch
    from safetensors.torch import save_file

    weights = torch.nn.ModuleList(heads).state_dict()
    save_file({name: value.to(torch.float16).contiguous() for name, value in weights.items()}, folder / HEADS)


def write_about(folder: Path, kind: str, learned_from: TrainingDocuments, settings: Mapping[str, object]) -> None:
    """Write an extractor's description, last of all: a folder without it is not an extractor. Raises OSError."""
    for file in folder.glob("*.safetensors"):
        file.chmod(0o644)  # the library lets nobody else read them
    learned_from.write(folder / TRAINING_DOCUMENTS)
    write_whole(folder / ABOUT, [json.dumps({"format": FORMAT, "kind": kind} | dict(settings), indent=1) + "\n"])
