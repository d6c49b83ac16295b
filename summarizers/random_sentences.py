"""Random sentences of the source, the least that a system must beat."""

import random
from collections.abc import Sequence

from relevance.data.records import Document
from relevance.data.signatures import signature
from relevance.summarizers.base import VERSION, Extractive, SummaryLength


class Random(Extractive):
    """Sentences drawn at random: always the same ones for a document's id and a seed.

    The system's name is `random` for seed 0, otherwise `random-seed7`, or `random-5-seed7` with a length.
    """

    system = "random"

    def __init__(self, length: SummaryLength | int | None = None, seed: int = 0) -> None:
        super().__init__(length)
        self.seed = seed

    @property
    def name(self) -> str:
        """The system's name in a data set."""
        return super().name + (f"-seed{self.seed}" if self.seed else "")

    @property
    def signature(self) -> str:
        """Everything that its output depends on."""
        return signature(self.system, VERSION, **self.length.option, seed=self.seed)

    def order(self, sentences: Sequence[str], document: Document) -> list[int]:
        """Shuffle by a generator of the document's own, so that a part of a data set gives the same extracts."""
        draw = random.Random(f"{self.seed}:{document.id}")  # noqa: S311  nothing secret; strings seed it by SHA-512
        return draw.sample(range(len(sentences)), len(sentences))
