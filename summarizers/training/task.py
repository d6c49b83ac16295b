"""Training tasks: everything that the result of training depends on."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from relevance.data.distribution import how_to_install
from relevance.data.records import Document
from relevance.metrics.base import check_option
from relevance.summarizers.base import VERSION
from relevance.summarizers.checkpoints.files import hash_files
from relevance.summarizers.methods.base import Decoding, Method, check_documents
from relevance.summarizers.methods.published import Training
from relevance.summarizers.training_documents import TrainingDocuments

MEASURES = ("rouge1", "rouge_k")
"""The metrics by which training stops."""

DTYPES = ("float32", "bfloat16")
"""The precision of the model's computation; its weights are always in single precision."""


class NotInstalled(ValueError):
    """The libraries for training are not installed."""


@dataclass(frozen=True)
class Task:
    """One training run. Raises ValueError for documents that cannot be trained on, and for unknown options."""

    method: Method
    model: Path | None
    """The folder that training starts from: a checkpoint, or a trained system to go on from; None: from nothing."""
    documents: tuple[Document, ...]
    dev: tuple[Document, ...]
    """The documents whose summaries decide when to stop."""
    training: Training
    decoding: Decoding
    seed: int = 0
    measure: str = "rouge1"
    """One of `MEASURES`; higher is better."""
    dtype: str = "float32"
    device: str = "cpu"
    """`cpu` or `cuda`."""

    def __post_init__(self) -> None:
        check_option("measure", self.measure, MEASURES)
        check_option("dtype", self.dtype, DTYPES)
        check_option("device", self.device, ("cpu", "cuda"))
        check_documents(self.documents)
        check_documents(self.dev)

    @property
    def learned_from(self) -> TrainingDocuments:
        """The documents that the trained system knows: the task's, and those of the system that it starts from."""
        return TrainingDocuments.of(self.documents) | TrainingDocuments.in_folder(self.model)

    def as_json(self) -> dict[str, Any]:
        """Return the task as in `method.json`: texts and weights as their SHA-256, with the libraries' versions."""
        fields_of_task = {
            "method": self.method.name,
            "settings": self.method.settings,
            "training": asdict(self.training),
            "decoding": asdict(self.decoding),
            "seed": self.seed,
            "measure": self.measure,
            "dtype": self.dtype,
            "device": self.device,
            "model": None if self.model is None else hash_files(self.method.start_files(self.model)),
            "documents": hash_documents(self.documents),
            "dev": hash_documents(self.dev),
            "versions": {"relevance": VERSION, **{name: version(name) for name in ("transformers", "torch")}},
        }
        plain: dict[str, Any] = json.loads(json.dumps(fields_of_task))  # tuples are lists there
        return plain


def hash_documents(documents: Sequence[Document]) -> str:
    """Compute the SHA-256 of documents in order: ids, sources, references and titles."""
    digest = hashlib.sha256()
    for document in documents:
        digest.update(json.dumps([document.id, document.source, document.references, document.title]).encode() + b"\n")
    return digest.hexdigest()


def check_installed() -> None:
    """Raise `NotInstalled` without accelerate."""
    from importlib.util import find_spec

    if find_spec("accelerate") is None:
        raise NotInstalled(f"training needs accelerate: {how_to_install('neural')}")
