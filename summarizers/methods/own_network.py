"""The base class of methods that train a network of their own, not one that transformers generates with."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from relevance.data.records import Document
from relevance.summarizers.methods.base import Decoding, Method, Network

VOCABULARY = "vocabulary.json"
"""The file of the words of a network without a tokenizer of transformers."""


class Output(NamedTuple):
    """The output of a network for a document."""

    text: str
    """The summary; empty if there is no source."""
    source_cut: bool
    """Whether the end of the document was not read."""
    output_cut: bool = False
    """Whether the length limit ended it."""
    nothing_given: bool = False
    """Whether the entities that the references ask for were to be given, and there are none."""


class Input(NamedTuple):
    """The parts of a document that a network reads."""

    words: int | None = None
    """The most words of the source; None: all."""
    gold_entities: bool = False
    """Whether it is given the positions of the entities that the references ask for."""


WHOLE = Input()
"""The whole source alone."""


@dataclass
class OwnNetwork(Method):
    """A method with a network that writes by our own code."""

    at_once: ClassVar[int] = 1
    """Documents in a batch."""
    finds_entities: ClassVar[bool] = False
    """Whether it learns where the entities are that the references ask for."""

    @property
    def finder(self) -> str:
        """The signature of the finder of these entities; empty without one. Raises `ModelUnavailable`."""
        return ""

    @abstractmethod
    def outputs(
        self, network: Network, documents: Sequence[Document], decoding: Decoding, given: Input = WHOLE
    ) -> list[Output]:
        """Write a summary of each document; the model must be in evaluation mode, and no gradients are kept.

        A method that does not search, or finds no entities, ignores what `given` says of it.
        """

    def write(self, network: Network, documents: Sequence[Document], decoding: Decoding) -> list[str]:
        """Write a summary of each document."""
        return [output.text for output in self.outputs(network, documents, decoding)]
