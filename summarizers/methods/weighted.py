"""The base class of methods that weight the tokens of a source by tf-idf."""

from collections.abc import Sequence
from typing import Any

from relevance.data.records import Document
from relevance.summarizers.methods.base import Batch, Network
from relevance.summarizers.methods.importance import Importance, importance_of
from relevance.summarizers.methods.plain import Seq2SeqMethod, source_limit


class Weighted(Seq2SeqMethod):
    """A method that uses each source token's tf-idf, `importance` of shape (documents, tokens)."""

    counts = True

    importance: Importance
    """The frequencies, counted before training and stored beside the weights."""

    def count(self, network: Network, documents: Sequence[Document]) -> None:
        """Count the sources with each token."""
        size, limit = network.model.config.vocab_size, source_limit(network)
        self.importance = importance_of((one.source_text for one in documents), network.tokenizer, size, limit)

    def counted(self) -> Batch:
        """Return the inverse document frequencies."""
        return {"idf": self.importance.idf}

    def restore(self, counted: Batch) -> None:
        """Take back the inverse document frequencies."""
        self.importance = Importance(counted["idf"])

    def inputs(self, network: Network, documents: Sequence[Document], read: Any, *, labels: bool) -> Batch:
        """Compute the weights of the source's tokens."""
        return {"importance": self.importance.tokens(read["input_ids"], read["special_tokens_mask"])}
