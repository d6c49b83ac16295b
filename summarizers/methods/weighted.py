"""The base class of methods that weight the tokens of a source by tf-idf."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from relevance.data.records import Document
from relevance.summarizers.methods.base import Batch, Network, setting
from relevance.summarizers.methods.importance import Importance, importance_of
from relevance.summarizers.methods.plain import Seq2SeqMethod, source_limit


@dataclass
class Weighted(Seq2SeqMethod):
    """A method that uses each source token's tf-idf, `importance` of shape (documents, tokens).

    The frequencies of tokens are counted before training, and stored beside the weights.
    Raises ValueError for a scale that is not a number of 0 or more.
    """

    counts = True

    scale: float = setting(1.0, "Euclidean length of the tf-idf of each source; the paper does not give it.")

    def __post_init__(self) -> None:
        if not (self.scale >= 0 and math.isfinite(self.scale)):
            raise ValueError(f"the scale of the tf-idf must be 0 or more, not {self.scale}")

    def count(self, network: Network, documents: Sequence[Document]) -> None:
        """Count the sources with each token."""
        size, limit = network.model.config.vocab_size, source_limit(network)
        sources = (document.source_text for document in documents)
        self.importance = importance_of(sources, network.tokenizer, size, limit)._replace(scale=self.scale)

    def counted(self) -> Batch:
        """Return the inverse document frequencies."""
        return {"idf": self.importance.idf}

    def restore(self, counted: Batch) -> None:
        """Take back the inverse document frequencies."""
        self.importance = Importance(counted["idf"], self.scale)

    def inputs(self, network: Network, documents: Sequence[Document], read: Any, *, labels: bool) -> Batch:
        """Compute the weights of the source's tokens."""
        return {"importance": self.importance.tokens(read["input_ids"], read["special_tokens_mask"])}
