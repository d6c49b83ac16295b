"""TDMTL: the encoder learns each source token's tf-idf, besides the summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from relevance.summarizers.methods.base import Batch
from relevance.summarizers.methods.heads import TokenHead, mean_over
from relevance.summarizers.methods.weighted import Weighted

if TYPE_CHECKING:
    import torch


@dataclass
class TDMTL(TokenHead, Weighted):
    """Teach the encoder the tf-idf of each source token, beside the summary.

    The loss is (1 - l) CE + l MSE between a linear head on the encoder's states and the tf-idf. The mean squared error
    is over the text tokens of the batch.
    Source: Takeshita et al. (2024), ROUGE-K, section 5.
    """

    name = "tdmtl"

    def __post_init__(self) -> None:
        super().__post_init__()
        Weighted.__post_init__(self)

    def token_loss(self, scores: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Compute the mean squared error of the head's scores, shape (documents, tokens)."""
        return mean_over((scores - batch["importance"]) ** 2, batch["text"])
