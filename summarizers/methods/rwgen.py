"""RwGen: while a summary is written, scores of source words are raised by their importance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from relevance.data.records import Document
from relevance.summarizers.methods.base import Batch, Network, setting
from relevance.summarizers.methods.weighted import Weighted

if TYPE_CHECKING:
    import torch


@dataclass
class RwGen(Weighted):
    """Raise important words of the source while a summary is written.

    Next tokens are chosen by softmax((1 - l) s + l T), where T is the tf-idf of the source's tokens. Training is that
    of plain. The paper gives l as 30 and 50, read here as percent. s are the model's scores before the softmax; beam
    search passes their log-softmax to processors, which differs by a constant that cancels in the softmax of the sum.
    Source: Takeshita et al. (2024), ROUGE-K, section 5. Raises ValueError for a share outside [0, 1].
    """

    name = "rwgen"
    for_writing = frozenset({"scale", "share"})

    share: float = setting(0.3, "Share of the tf-idf in the scores of next tokens, from 0 to 1.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.share <= 1:
            raise ValueError(f"the share of the tf-idf must be from 0 to 1, not {self.share}")

    def inputs(self, network: Network, documents: Sequence[Document], read: Any, *, labels: bool) -> Batch:
        """Make `vocabulary` for writing: T, of shape (documents, vocabulary)."""
        if labels:
            return {}
        return {"vocabulary": self.importance.vocabulary(read["input_ids"], read["special_tokens_mask"])}

    def decoding(self, batch: Batch) -> dict[str, Any]:
        """Return a processor that mixes T in, with probabilities of the sum."""
        weights = batch["vocabulary"]

        def mix(ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
            beams = len(scores) // len(weights)
            return (1 - self.share) * scores + self.share * weights.repeat_interleave(beams, dim=0)

        return {"logits_processor": [mix], "renormalize_logits": True}
