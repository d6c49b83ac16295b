"""The importance of each token of a source: its tf-idf, with one definition for all methods.

A token's weight is its count in the source times ln((1 + N) / (1 + n)) + 1, where n of the N training documents have
it; a source's weights over its distinct tokens are divided by their Euclidean length, so that each is in [0, 1], and
multiplied by a scale, which is 1 unless somebody sets another.
Special tokens and padding have weight 0, and are not counted. The papers only say tf-idf; this is the definition of
scikit-learn's `TfidfVectorizer`, over the model's own tokens, which the weights are for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import torch


class Importance(NamedTuple):
    """The inverse document frequencies of tokens, and the scale of the weights."""

    idf: torch.Tensor
    """Shape (vocabulary,)."""
    scale: float = 1.0
    """The Euclidean length of a source's weights."""

    def vocabulary(self, ids: torch.Tensor, special: torch.Tensor) -> torch.Tensor:
        """Compute the weight of each token of the vocabulary in each source, shape (documents, vocabulary).

        `ids` and `special` have shape (documents, tokens); `special` is nonzero for tokens that are not text.
        """
        import torch

        counts = torch.zeros(len(ids), len(self.idf), device=ids.device)
        counts.scatter_add_(1, ids, (special == 0).float())
        return self.scale * torch.nn.functional.normalize(counts * self.idf.to(ids.device), dim=1)

    def tokens(self, ids: torch.Tensor, special: torch.Tensor) -> torch.Tensor:
        """Compute the weight of each token of each source, in the shape of `ids`."""
        return self.vocabulary(ids, special).gather(1, ids) * (special == 0)


def count_importance(documents: Iterable[Iterable[int]], size: int) -> Importance:
    """Count the documents with each token of a vocabulary; documents are token numbers, without special ones."""
    import torch

    frequencies, total = torch.zeros(size), 0
    for tokens in documents:
        frequencies[sorted(set(tokens))] += 1
        total += 1
    return Importance(torch.log((1 + total) / (1 + frequencies)) + 1)


def importance_of(texts: Iterable[str], tokenizer: Any, size: int, limit: int) -> Importance:
    """Count in the sources that a system is trained on, each cut to the tokens that the model sees."""
    return count_importance(
        (tokenizer(text, add_special_tokens=False, truncation=True, max_length=limit)["input_ids"] for text in texts),
        size,
    )
