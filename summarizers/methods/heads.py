"""The base class of methods that learn a property of each source token besides the summary."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from relevance.data.records import Document
from relevance.summarizers.methods.base import Batch, Network, setting
from relevance.summarizers.methods.plain import Seq2SeqMethod

if TYPE_CHECKING:
    import torch


@dataclass
class TokenHead(Seq2SeqMethod):
    """A method with the loss (1 - l) CE + l L, where L is that of a linear head on the encoder's last states.

    The head has a number per token. It is initialised by a generator of its own, so that other random numbers are the
    same as without it, and is not saved: summaries are written by the model alone. Raises ValueError for a share
    outside [0, 1].
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
        """Remove the head, if there is one."""
        if hasattr(model, "token_head"):
            del model.token_head

    def inputs(self, network: Network, documents: Sequence[Document], read: Any, *, labels: bool) -> Batch:
        """Make `text` for training, shape (documents, tokens): 1 for tokens of text, otherwise 0."""
        more = super().inputs(network, documents, read, labels=labels)
        return more | {"text": 1 - read["special_tokens_mask"]} if labels else more

    def loss(self, model: Any, batch: Batch) -> torch.Tensor:
        """Compute the weighted sum of both losses."""
        outputs = self.run(model, batch)
        scores = model.token_head(outputs.encoder_last_hidden_state).squeeze(-1)
        loss: torch.Tensor = (1 - self.share) * outputs.loss + self.share * self.token_loss(scores, batch)
        return loss

    @abstractmethod
    def token_loss(self, scores: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Compute the loss of the head's scores, shape (documents, tokens): a number."""


def mean_over(losses: torch.Tensor, counted: torch.Tensor) -> torch.Tensor:
    """Compute the mean of the losses that count, 0 if none does."""
    mean: torch.Tensor = (losses * counted).sum() / counted.sum().clamp(min=1)
    return mean
