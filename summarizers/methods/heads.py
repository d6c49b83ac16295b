"""What methods have in common that learn something of each source token beside the summary."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data.records import Document
from summarizers.methods.base import Batch, Network, setting
from summarizers.methods.plain import Seq2SeqMethod

if TYPE_CHECKING:
    import torch


@dataclass
class TokenHead(Seq2SeqMethod):
    """(1 - l) CE + l L, where L is a loss of a linear head over the encoder's last states, a number a token.

    The head is drawn with a generator of its own, so that all else is drawn as without it, and is not kept: summaries
    are written by the model alone. Raises ValueError for a share that is no share.
    """

    share: float = setting(0.1, "Share of the tokens' loss, from 0 to 1; the summary's has the rest.")

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ValueError(f"the share of the second loss must be from 0 to 1, not {self.share}")

    def alter(self, model: Any) -> None:
        """Add the head."""
        import torch

        generator = torch.Generator().manual_seed(torch.initial_seed())
        with torch.random.fork_rng():
            head = torch.nn.Linear(model.config.hidden_size, 1)
        torch.nn.init.normal_(head.weight, std=0.02, generator=generator)
        torch.nn.init.zeros_(head.bias)
        model.token_head = head

    def strip(self, model: Any) -> None:
        """Take the head away, where it is there."""
        if hasattr(model, "token_head"):
            del model.token_head

    def inputs(self, network: Network, documents: Sequence[Document], read: Any, *, labels: bool) -> Batch:
        """Which tokens are text: `text`, 1 or 0, of shape (documents, tokens)."""
        more = super().inputs(network, documents, read, labels=labels)
        return more | {"text": 1 - read["special_tokens_mask"]} if labels else more

    def loss(self, model: Any, batch: Batch) -> torch.Tensor:
        """Both losses, by their shares."""
        outputs = self.run(model, batch)
        scores = model.token_head(outputs.encoder_last_hidden_state).squeeze(-1)
        loss: torch.Tensor = (1 - self.share) * outputs.loss + self.share * self.token_loss(scores, batch)
        return loss

    @abstractmethod
    def token_loss(self, scores: torch.Tensor, batch: Batch) -> torch.Tensor:
        """The loss of the head's scores, shape (documents, tokens): a number."""


def mean_over(losses: torch.Tensor, counted: torch.Tensor) -> torch.Tensor:
    """The mean of the losses that count, 0 where none does."""
    mean: torch.Tensor = (losses * counted).sum() / counted.sum().clamp(min=1)
    return mean
