"""MTL: the encoder learns which source tokens are keywords, besides the summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from relevance.data.records import Document
from relevance.metrics.keywords.overlap import compared_texts, content_words, occurrences, overlap_keywords
from relevance.summarizers.methods.base import Batch, Network
from relevance.summarizers.methods.heads import TokenHead, mean_over

if TYPE_CHECKING:
    import torch

    from relevance.metrics.text import Span


@dataclass
class MTL(TokenHead):
    """Teach the encoder which source tokens are keywords, beside the summary.

    The loss is (1 - l) CE + l BCE(sigmoid(W h_j), r_j), where r_j is 1 for source tokens inside a keyword. Keywords are
    those of ROUGE-K, shared by two or more of references and title. A document without keywords has no labels, rather
    than zeros, and the mean is over the text tokens of the others. The paper adds the two losses; here they are
    weighted, as in TDMTL.
    Source: Saito et al. (2020), Abstractive summarization with combination of pre-trained sequence-to-sequence and
    saliency models, section 4; Takeshita et al. (2024), ROUGE-K.
    """

    name = "mtl"

    def inputs(self, network: Network, documents: Sequence[Document], read: Any, *, labels: bool) -> Batch:
        """Make `keywords` for training, 1 for tokens in a keyword, otherwise 0, and `text`, 1 for labelled tokens."""
        import torch

        more = super().inputs(network, documents, read, labels=labels)
        if not labels:
            return more
        places = [keyword_spans(document) for document in documents]
        inside = [
            [any(start < b and a < end for a, b in spans or ()) for start, end in tokens]
            for spans, tokens in zip(places, read["offset_mapping"].tolist(), strict=True)
        ]
        labelled = torch.tensor([[spans is not None] for spans in places])
        return more | {"keywords": torch.tensor(inside).float(), "text": more["text"] * labelled}

    def token_loss(self, scores: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Compute the mean binary cross-entropy of the head's scores, shape (documents, tokens)."""
        import torch

        losses = torch.nn.functional.binary_cross_entropy_with_logits(scores, batch["keywords"], reduction="none")
        return mean_over(losses, batch["text"])


def keyword_spans(document: Document) -> list[Span] | None:
    """Find the characters of all keywords' occurrences in the source; None for a document without keywords."""
    keywords = overlap_keywords(compared_texts(document.references, document.title, "always"))
    if not keywords:
        return None
    words = content_words(document.source_text)
    return [span for keyword in keywords for span in occurrences(keyword.words, words)]
