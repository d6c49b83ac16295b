"""Methods that train a network of their own, not one that transformers generates with."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from data.records import Document
from summarizers.methods.base import Decoding, Method, Network

VOCABULARY = "vocabulary.json"
"""The words of a network that has no tokenizer of transformers."""


class Output(NamedTuple):
    """What a network wrote of a document."""

    text: str
    """Empty where there is nothing to write of."""
    source_cut: bool
    """Whether the end of the document was not read."""
    output_cut: bool = False
    """Whether the limit of the length ended it."""


@dataclass
class OwnNetwork(Method):
    """A method whose network writes by code of ours."""

    at_once: ClassVar[int] = 1
    """Documents in a batch."""

    @abstractmethod
    def outputs(self, network: Network, documents: Sequence[Document], decoding: Decoding) -> list[Output]:
        """Write a summary of each document; the model is in evaluation mode, and no gradients are kept."""

    def write(self, network: Network, documents: Sequence[Document], decoding: Decoding) -> list[str]:
        """Write a summary of each document."""
        return [output.text for output in self.outputs(network, documents, decoding)]
