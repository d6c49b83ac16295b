"""What methods have in common that weigh the tokens of a source by tf-idf."""

from collections.abc import Sequence
from typing import Any

from data.records import Document
from summarizers.methods.base import Batch, Network
from summarizers.methods.importance import Importance, importance_of
from summarizers.methods.plain import Seq2SeqMethod, source_limit


class Weighted(Seq2SeqMethod):
    """A method that is given each source token's tf-idf, `importance` of shape (documents, tokens)."""

    counts = True

    importance: Importance
    """Counted before training, and kept beside the weights."""

    def count(self, network: Network, documents: Sequence[Document]) -> None:
        """Count in how many of the sources each token stands."""
        size, limit = network.model.config.vocab_size, source_limit(network)
        self.importance = importance_of((one.source_text for one in documents), network.tokenizer, size, limit)

    def counted(self) -> Batch:
        """The inverse document frequencies."""
        return {"idf": self.importance.idf}

    def restore(self, counted: Batch) -> None:
        """Take them back."""
        self.importance = Importance(counted["idf"])

    def inputs(self, network: Network, documents: Sequence[Document], read: Any, *, labels: bool) -> Batch:
        """The weights of the source's tokens."""
        return {"importance": self.importance.tokens(read["input_ids"], read["special_tokens_mask"])}
