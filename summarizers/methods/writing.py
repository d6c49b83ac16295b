"""Loading of and writing with checkpoints that were trained by a method, for `seq2seq:DIR`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from relevance.data.records import Document
from relevance.summarizers.checkpoints.model import Model, refuse_bad_checkpoint
from relevance.summarizers.checkpoints.sources import Source
from relevance.summarizers.methods.base import Network
from relevance.summarizers.methods.plain import Seq2SeqMethod


class TrainedNetwork:
    """A `relevance.summarizers.checkpoints.model.WritingMethod` for networks with a method's additions."""

    def __init__(self, method: Seq2SeqMethod) -> None:
        self.method = method

    @property
    def reads_references(self) -> bool:
        """Whether it reads a document's references to write."""
        return self.method.reads_references

    def gives_nothing(self, document: Document) -> bool:
        """Tell whether the references of a document have nothing to give it."""
        return self.method.gives_nothing(document)

    def load(self, model: Model) -> Any:
        """Load the network with its weights. Raises `BadModel`."""
        import torch

        with refuse_bad_checkpoint(model.files):
            return self.method.load(model.files.folder).model.to(getattr(torch, model.dtype))

    @contextmanager
    def steer(
        self, network: Any, tokenizer: Any, sources: Sequence[Source], inputs: Mapping[str, Any]
    ) -> Iterator[Mapping[str, Any]]:
        """Pass the batch to the method's modules; give further arguments of `generate`.

        Raises ValueError if the input is not the document alone, as in training.
        """
        documents = [
            replace(source.document or Document("", "", ()), id=str(place), source=source.text)
            for place, source in enumerate(sources)
        ]
        made = self.method.batch(Network(network, tokenizer), documents, labels=False)
        batch = {name: tensor.to(inputs["input_ids"].device) for name, tensor in made.items()}
        if not batch["input_ids"].equal(inputs["input_ids"]):
            raise ValueError(f"a model trained by {self.method.name} reads the document alone: leave the prompt out")
        with self.method.given(network, batch):
            yield self.method.decoding(batch)
