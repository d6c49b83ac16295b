"""Beam search with the terms of Eyal et al. (2019), Eq. 6, of which the first two are from Gehrmann et al. (2018).

    s(Y) = ln P(Y) / lp - cp - ep
    lp = ((5 + |Y|) / 6)^alpha,  cp = beta sum_i max(sum_t a_ti - 1, 0),  ep = gamma sum_i max(a^e_i - sum_t a_ti, 0)

|Y| counts the words and the end. As in the paper (appendix A), cp counts at every step, so that unfinished texts are
compared by ln P - cp, and lp and ep only when texts are finished, which are compared by s.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from relevance.summarizers.methods.base import Decoding
from relevance.summarizers.pointer.losses import LEAST
from relevance.summarizers.pointer.network import Memory, State, Step, distribution
from relevance.summarizers.pointer.words import PADDING, START, STOP, UNKNOWN, Source

if TYPE_CHECKING:
    import torch


class Terms(NamedTuple):
    """The weights of the attention penalties."""

    coverage: float = 0.0
    """beta"""
    entities: float = 0.0
    """gamma"""


class Written(NamedTuple):
    """A text written for a source."""

    numbers: tuple[int, ...]
    """Extended numbers of the words, without the end."""
    score: float
    """s, a natural logarithm minus the penalties."""
    cut: bool
    """Whether the length limit ended it."""


def length_penalty(words: int, alpha: float) -> float:
    """Compute lp for a number of words, including the end."""
    return float(((5 + words) / 6) ** alpha)


def coverage_penalty(covered: torch.Tensor, beta: float) -> torch.Tensor:
    """Compute cp of texts, (...,), from the sum of the attention so far, (..., words)."""
    return beta * (covered - 1).clamp_min(0).sum(-1)


def entity_penalty(covered: torch.Tensor, entities: torch.Tensor, gamma: float) -> torch.Tensor:
    """Compute ep of texts, (...,), from the sum of the attention, (..., words), and a^e, (words,)."""
    return gamma * (entities - covered).clamp_min(0).sum(-1)


def write(
    network: Any, source: Source, decoding: Decoding, terms: Terms, entities: Sequence[float] | None = None
) -> Written:
    """Write the text with the highest score that a beam finds, without `UNKNOWN`, for a source of at least one word.

    In `decoding`, `length_penalty` is alpha, and lengths are in words without the end. `entities`, one number for each
    word of the source, takes the place of the network's a^e. Raises ValueError for a repetition penalty, which the
    search does not support.
    """
    import torch

    if decoding.repetition_penalty != 1:
        raise ValueError(f"LSTMs have no repetition penalty: it must be 1, not {decoding.repetition_penalty}")
    with torch.inference_mode():
        return Beam(network, source, decoding, terms, entities).search()


class Beam:
    """The texts being written for one source, best first."""

    def __init__(
        self, network: Any, source: Source, decoding: Decoding, terms: Terms, entities: Sequence[float] | None
    ) -> None:
        import torch

        self.network, self.extra = network, len(source.extra)
        self.decoding, self.terms = decoding, terms
        device = network.embedding.weight.device
        ids, self.extended = (torch.tensor([numbers], device=device) for numbers in (source.ids, source.extended))
        self.memory, self.state = network.read(ids, torch.tensor([len(source.ids)]))
        if entities is not None:
            self.entities: torch.Tensor | None = torch.tensor(entities, device=device)
        else:
            self.entities = None if self.memory.entities is None else self.memory.entities[0].sigmoid()
        self.texts: list[tuple[int, ...]] = [()]
        self.log = torch.zeros(1, device=device)
        self.covered = torch.zeros(1, len(source.ids), device=device)
        self.finished: list[Written] = []

    def search(self) -> Written:
        """Search until as many texts are finished as there are beams, or the length limit is reached."""
        for _ in range(self.decoding.max_new_tokens):
            if not self.lengthen() or len(self.finished) >= self.decoding.num_beams:
                break
        scores = self.score(self.log, self.covered, len(self.texts[0])).tolist()
        unfinished = [Written(text, score, cut=True) for text, score in zip(self.texts, scores, strict=True)]
        return max(self.finished or unfinished, key=lambda written: written.score)

    def score(self, log: torch.Tensor, covered: torch.Tensor, length: int) -> torch.Tensor:
        """Compute s of a text, or of texts of one length, from ln P and the sum of the attention, (..., words)."""
        penalty = coverage_penalty(covered, self.terms.coverage)
        if self.entities is not None:
            penalty = penalty + entity_penalty(covered, self.entities, self.terms.entities)
        return log / length_penalty(length, self.decoding.length_penalty) - penalty

    def lengthen(self) -> bool:
        """Write one more word; return False if any further word would repeat something."""
        step, chances = self.ask()
        beams, length = self.decoding.num_beams, len(self.texts[0]) + 1
        log, covered = self.log[:, None] + chances, self.covered + step.attention
        steps = log - coverage_penalty(covered, self.terms.coverage)[:, None]
        best, places = steps.flatten().topk(min(2 * beams, steps.numel()))
        going: list[int] = []
        for rank, place in enumerate(places.tolist()):
            if best[rank] == -math.inf or len(going) == beams:
                break
            if place % chances.shape[1] != STOP:
                going.append(rank)
            elif rank < beams:
                row = place // chances.shape[1]
                score = self.score(log[row, STOP], covered[row], length)
                self.finished.append(Written(self.texts[row], float(score), cut=False))
        if not going:
            return False
        rows, words = places[going] // chances.shape[1], places[going] % chances.shape[1]
        self.log, self.covered = log[rows, words], covered[rows]
        self.state = State(*(part[rows] for part in step.state))
        self.texts = [(*self.texts[row], word) for row, word in zip(rows.tolist(), words.tolist(), strict=True)]
        return True

    def ask(self) -> tuple[Step, torch.Tensor]:
        """Ask the network for the next word of each text: logarithms (texts, words), -inf for excluded words."""
        import torch

        count, decoding = len(self.texts), self.decoding
        states, keys, there = (part.expand(count, *part.shape[1:]) for part in self.memory[:3])
        words = torch.tensor([text[-1] if text else START for text in self.texts], device=self.log.device)
        step: Step = self.network.step(words, self.state, Memory(states, keys, there, None))
        chances = distribution(self.network, step, self.extended.expand(count, -1), self.extra).clamp_min(LEAST).log()
        chances[:, [PADDING, UNKNOWN, START]] = -torch.inf
        if len(self.texts[0]) < decoding.min_new_tokens:
            chances[:, STOP] = -torch.inf
        for row, text in enumerate(self.texts):
            chances[row, repeating(text, decoding.no_repeat_ngram_size)] = -torch.inf
        return step, chances


def repeating(text: tuple[int, ...], size: int) -> list[int]:
    """Return the words with which a text would repeat one of its n-grams of a size; none for size 0."""
    if not 0 < size <= len(text):
        return []
    last = text[len(text) - size + 1 :]
    return [text[place + size - 1] for place in range(len(text) - size + 1) if text[place : place + size - 1] == last]
