"""The interface of training methods: what each changes in a model, in its loss and in decoding.

A method is one file and one line in `METHODS` (`summarizers/methods/registry.py`). One that changes a seq2seq model of
transformers derives from `Seq2SeqMethod` (`summarizers/methods/plain.py`) and overrides what it changes; one with a
network of its own derives from `OwnNetwork` (`summarizers/methods/own_network.py`). `summarizers/training/` trains all
alike.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

from data.records import Document

if TYPE_CHECKING:
    import torch

Batch: TypeAlias = "dict[str, torch.Tensor]"
"""Tensors by name, each of shape (documents, ...): token numbers, labels, and what the method adds."""


class UnsuitableModel(ValueError):
    """A method cannot train this model: the message names the model's kind and what would do."""


class UnsuitableDocuments(ValueError):
    """Documents that cannot be trained on: without a source, or without a reference."""


class Network(NamedTuple):
    """A model beside what turns texts into its numbers."""

    model: Any
    """A `torch.nn.Module`; it is trained in single precision."""
    tokenizer: Any
    """A fast tokenizer of transformers, or a method's own vocabulary."""

    def on(self, device: str) -> Network:
        """The same on a device, in evaluation mode."""
        self.model.eval().to(device)
        return self


@dataclass(frozen=True)
class Decoding:
    """How summaries are written; the fields are those of transformers' `generate`, where it has them."""

    num_beams: int = 2
    max_new_tokens: int = 64
    min_new_tokens: int = 0
    no_repeat_ngram_size: int = 3
    repetition_penalty: float = 1.0
    """Below 1 it rewards repetition, as .8 of the published grid does."""
    length_penalty: float = 1.0


def setting(default: Any, help: str, *, choices: Sequence[str] = ()) -> Any:
    """A field of a method that people can set: a number, whole numbers in a tuple, or a text of the choices."""
    return field(default=default, metadata={"help": help, "choices": tuple(choices)})


@dataclass
class Method(ABC):
    """How a system is trained, and how it writes then.

    Subclasses are dataclasses, whose fields (`setting`) stand in `method.json` and in signatures, and are options of
    the command; the first line of their docstring is what its help says of the method.
    """

    name: ClassVar[str]
    """What it is called in `METHODS`, in commands and in `method.json`."""
    needs_model: ClassVar[bool] = True
    """Whether training starts from a checkpoint."""
    kind: ClassVar[str] = "seq2seq"
    """What stands before its folders in the names of systems, such as `seq2seq:DIR`."""
    target: ClassVar[str] = "first reference"
    """The text of a document that it learns."""
    searches: ClassVar[bool] = True
    """Whether it writes by a search, which `Decoding` steers."""
    for_writing: ClassVar[frozenset[str]] = frozenset()
    """Settings on which training does not depend: a grid trains once for all of their values."""

    @property
    def settings(self) -> dict[str, Any]:
        """The method's own settings by name, as JSON has them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def documents(self, documents: Sequence[Document]) -> list[Document]:
        """The documents as the method learns them; one that learns titles makes them the references.

        Raises `UnsuitableDocuments`.
        """
        return list(documents)

    @abstractmethod
    def start(self, folder: Path | None, documents: Sequence[Document]) -> Network:
        """Make the network that is trained, from a checkpoint's folder and from what is counted in the documents.

        Called once, after the seed was set. A method whose network starts from nothing takes no folder.
        Raises `UnsuitableModel`.
        """

    @abstractmethod
    def batch(self, network: Network, documents: Sequence[Document], *, labels: bool) -> Batch:
        """Make what the model reads of documents; with `labels`, what the loss compares it with too."""

    @abstractmethod
    def loss(self, model: Any, batch: Batch) -> torch.Tensor:
        """The mean loss of a batch with labels, a number."""

    def optimizer(self, model: Any, learning_rate: float) -> Any:
        """The optimizer of torch that trains the model; None for AdamW."""
        return None

    @abstractmethod
    def write(self, network: Network, documents: Sequence[Document], decoding: Decoding) -> list[str]:
        """Write a summary of each document; the model is in evaluation mode, and no gradients are kept."""

    @abstractmethod
    def save(self, network: Network, folder: Path, decoding: Decoding) -> None:
        """Write what `load` needs into a folder that is there: safetensors and JSON, nothing pickled.

        `decoding` becomes what the folder writes by where nobody asks for other settings.
        """

    @abstractmethod
    def load(self, folder: Path) -> Network:
        """Load what `save` wrote, in evaluation mode; the settings are those that it was saved with."""


def target_of(document: Document) -> str:
    """The text that is learned of a document: the first reference that says something, empty without one."""
    return next((text for text in document.references if text.strip()), "")


def padded(rows: Sequence[Sequence[float]], value: float = 0) -> torch.Tensor:
    """Rows filled up to the longest: (rows, places)."""
    import torch

    size = max(map(len, rows))
    return torch.tensor([[*row, *[value] * (size - len(row))] for row in rows])


def check_documents(documents: Sequence[Document]) -> None:
    """Raise `UnsuitableDocuments` unless each document has a source and a reference, and there is one."""
    unusable = [one for one in documents if not one.source_text.strip() or not any(map(str.strip, one.references))]
    if unusable:
        raise UnsuitableDocuments(
            f"{len(unusable)} of {len(documents)} documents have no source or no reference and cannot be trained on or "
            f"measured; the first is {unusable[0].id!r}"
        )
    if not documents:
        raise UnsuitableDocuments("there are no documents")
