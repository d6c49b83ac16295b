"""The interface of training methods: their changes to a model, its loss and its decoding.

A method is one file and one line in `METHODS` (`summarizers/methods/registry.py`). One that changes a seq2seq model of
transformers derives from `Seq2SeqMethod` (`summarizers/methods/plain.py`) and overrides what it changes; one with a
network of its own derives from `OwnNetwork` (`summarizers/methods/own_network.py`). `summarizers/training/` trains them
all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

from relevance.data.records import Document

if TYPE_CHECKING:
    import torch

Batch: TypeAlias = "dict[str, torch.Tensor]"
"""Tensors by name, each of shape (documents, ...): token numbers, labels, and the method's own."""


class UnsuitableModel(ValueError):
    """A method cannot train this model: the message names the model's kind and suitable ones."""


class UnsuitableDocuments(ValueError):
    """Documents without a source or a reference cannot be trained on."""


class Network(NamedTuple):
    """A model with its tokenizer."""

    model: Any
    """A `torch.nn.Module`, trained in single precision."""
    tokenizer: Any
    """A fast tokenizer of transformers, or a method's own vocabulary."""

    def on(self, device: str) -> Network:
        """Move the network to a device, in evaluation mode."""
        self.model.eval().to(device)
        return self


@dataclass(frozen=True)
class Decoding:
    """The settings of writing; fields have the names of transformers' `generate`, if it has them."""

    num_beams: int = 2
    max_new_tokens: int = 64
    min_new_tokens: int = 0
    no_repeat_ngram_size: int = 3
    repetition_penalty: float = 1.0
    """Below 1 it rewards repetition, as does the .8 of the published grid."""
    length_penalty: float = 1.0


def setting(default: Any, help: str, *, choices: Sequence[str] = ()) -> Any:
    """Make a field of a method that people can set: a number, a tuple of whole numbers, or one of the choices."""
    return field(default=default, metadata={"help": help, "choices": tuple(choices)})


@dataclass
class Method(ABC):
    """A way to train a system, and to write with it.

    Subclasses are dataclasses, whose fields (`setting`) are in `method.json` and in signatures, and are options of the
    command; its help shows the first line of their docstrings.
    """

    name: ClassVar[str]
    """The name in `METHODS`, in commands and in `method.json`."""
    needs_model: ClassVar[bool] = True
    """Whether training starts from a checkpoint."""
    kind: ClassVar[str] = "seq2seq"
    """The prefix of its folders in the names of systems, such as `seq2seq:DIR`."""
    target: ClassVar[str] = "first reference"
    """The text of a document that it learns to write."""
    searches: ClassVar[bool] = True
    """Whether it writes by a search that uses `Decoding`."""
    inherits: ClassVar[tuple[str, ...]] = ()
    """Settings of a trained folder that training can go on from; if there are none, it cannot."""
    for_writing: ClassVar[frozenset[str]] = frozenset()
    """Settings that do not affect training: a grid trains once for all of their values."""

    @property
    def reads_references(self) -> bool:
        """Whether it reads a document's references to write its summary."""
        return False

    @property
    def settings(self) -> dict[str, Any]:
        """The method's own settings by name, as in JSON."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def documents(self, documents: Sequence[Document]) -> list[Document]:
        """Return the documents for training; a method that learns titles makes them the references.

        Raises `UnsuitableDocuments`.
        """
        return list(documents)

    def learns_from(self, document: Document) -> bool:
        """Tell whether a document of `documents` is to be learned from."""
        return True

    def remarks(
        self, documents: Sequence[Document], progress: Callable[[int, int], None] = lambda done, total: None
    ) -> list[str]:
        """Return sentences on what it does not learn from documents.

        `progress` is called with the numbers of documents looked at and of all; it may raise to stop.
        """
        return []

    @abstractmethod
    def start(self, folder: Path | None, documents: Sequence[Document]) -> Network:
        """Make the network to train, from a checkpoint's folder and from counts in the documents.

        Called once, after the seed was set. A method that needs no checkpoint takes no folder.
        Raises `UnsuitableModel`.
        """

    @abstractmethod
    def start_files(self, folder: Path) -> list[Path]:
        """List the files of the folder that training starts from. Raises `ModelUnavailable`."""

    def go_on(self, method: Method, network: Network) -> Network:
        """Make the network to train from one that a method of this kind has trained. Raises `UnsuitableModel`."""
        raise UnsuitableModel(f"{self.name} does not go on from a system that {method.name} has trained")

    @abstractmethod
    def batch(self, network: Network, documents: Sequence[Document], *, labels: bool) -> Batch:
        """Make the model's inputs from documents; with `labels`, also the labels for the loss."""

    @abstractmethod
    def loss(self, model: Any, batch: Batch) -> torch.Tensor:
        """Compute the mean loss of a batch with labels, a number."""

    def optimizer(self, model: Any, learning_rate: float, weight_decay: float) -> Any:
        """Return the torch optimizer that trains the model; None for AdamW."""
        return None

    @abstractmethod
    def write(self, network: Network, documents: Sequence[Document], decoding: Decoding) -> list[str]:
        """Write a summary of each document; the model must be in evaluation mode, and no gradients are kept."""

    @abstractmethod
    def save(self, network: Network, folder: Path, decoding: Decoding) -> None:
        """Write the files for `load` into an existing folder: safetensors and JSON, nothing pickled.

        `decoding` becomes the folder's default for writing.
        """

    @abstractmethod
    def load(self, folder: Path) -> Network:
        """Load the files of `save`, in evaluation mode; the settings are those that it was saved with."""


def target_of(document: Document) -> str:
    """Return the text to learn for a document: the first reference that is not blank, or an empty text."""
    return next((text for text in document.references if text.strip()), "")


def padded(rows: Sequence[Sequence[float]], value: float = 0) -> torch.Tensor:
    """Pad rows to the longest: (rows, positions)."""
    import torch

    size = max(map(len, rows))
    return torch.tensor([[*row, *[value] * (size - len(row))] for row in rows])


def check_documents(documents: Sequence[Document]) -> None:
    """Raise `UnsuitableDocuments` unless there are documents, and each has a source and a reference."""
    unusable = [
        document
        for document in documents
        if not document.source_text.strip() or not any(map(str.strip, document.references))
    ]
    if unusable:
        raise UnsuitableDocuments(
            f"{len(unusable)} of {len(documents)} documents have no source or no reference and cannot be trained on or "
            f"measured; the first is {unusable[0].id!r}"
        )
    if not documents:
        raise UnsuitableDocuments("there are no documents")
