"""The losses: the likelihood of the target's words, and the entities that APES asks for.

Eyal et al. (2019), Eq. 5: delta BCE + (1 - delta) NLL, where NLL is the mean over the targets' words. The paper does
not say whether the BCE is the mean or the sum over a source's words, so that is a setting (`REDUCTIONS`). The published
code adds the sum to the mean NLL, without weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from relevance.summarizers.pointer.network import generation, vocabulary_log
from relevance.summarizers.pointer.words import PADDING, START, UNKNOWN

if TYPE_CHECKING:
    import torch

    from relevance.summarizers.methods.base import Batch

REDUCTIONS = ("mean", "sum")
"""The ways to reduce the entities' loss over the words of a source."""

LEAST = 1e-12
"""The floor of probabilities, so that a word that cannot be written has a logarithm, too."""


class EntityWeight(NamedTuple):
    """How much the entities' loss counts."""

    share: float
    """delta, from 0 to 1."""
    reduction: str = "sum"
    """One of `REDUCTIONS`."""


def target_probability(
    vocabulary_log: torch.Tensor,
    p_gen: torch.Tensor | None,
    attention: torch.Tensor,
    extended: torch.Tensor,
    targets: torch.Tensor,
) -> torch.Tensor:
    """Compute ln P of each target word: (documents, steps). Without copying, a word of the source alone is unknown.

    `vocabulary_log` (documents, steps, vocabulary), `p_gen` (documents, steps) or None without copying,
    `attention` (documents, steps, words), `extended` (documents, words), `targets` (documents, steps).
    """
    inside = targets < vocabulary_log.shape[-1]
    log = vocabulary_log.gather(-1, targets.where(inside, UNKNOWN)[..., None])[..., 0]
    if p_gen is None:
        return log
    copied = (attention * (extended[:, None] == targets[..., None])).sum(-1)
    probability = p_gen * log.exp() * inside + (1 - p_gen) * copied
    return probability.clamp_min(LEAST).log()


def entity_loss(scores: torch.Tensor, wanted: torch.Tensor, there: torch.Tensor, reduction: str) -> torch.Tensor:
    """Compute the binary cross-entropy of the entity attention, from its `scores` before the sigmoid.

    All are (documents, words); only words that are `there` count. It is the mean over all words, or the sum over a
    document's words, of which the documents' mean is taken.
    """
    import torch

    total = torch.nn.functional.binary_cross_entropy_with_logits(scores[there], wanted[there], reduction="sum")
    return total / (len(scores) if reduction == "sum" else there.sum())


def loss(network: Any, batch: Batch, entities: EntityWeight | None) -> torch.Tensor:
    """Compute delta BCE + (1 - delta) NLL of a batch; without a weight for the entities, the NLL.

    A batch has `ids`, the sources in the vocabulary's numbers, `extended`, the sources in extended numbers, and
    `targets` in extended numbers, each (documents, words) and padded with `PADDING`; with a weight `asked`, 1 for each
    word of a source that names what is asked for, (documents, words); and `lengths`, those of the sources,
    (documents,).
    """
    import torch

    memory, state = network.read(batch["ids"], batch["lengths"])
    targets = batch["targets"]
    steps = []
    words = torch.full_like(targets[:, 0], START)
    for place in range(targets.shape[1]):
        steps.append(network.step(words, state, memory))
        state = steps[-1].state
        words = targets[:, place]  # what should have been written
    hidden, context, attention, given = (
        torch.stack(each, 1)
        for each in zip(*((s.state.hidden, s.state.context, s.attention, s.given) for s in steps), strict=True)
    )
    log = target_probability(
        vocabulary_log(network, hidden, context),
        generation(network, hidden, context, given),
        attention,
        batch["extended"],
        targets,
    )
    likelihood = -log[targets != PADDING].mean()
    if entities is None:
        return likelihood
    loss = entity_loss(memory.entities, batch["asked"], memory.there, entities.reduction)
    return entities.share * loss + (1 - entities.share) * likelihood
