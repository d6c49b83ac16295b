"""Which pairs of summaries a study asks about."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

RULES = {
    "rouge_k_differs": "pairs whose ROUGE-K scores differ, as in the ROUGE-K paper",
    "random": "pairs drawn at random",
    "all": "every pair",
}
SAME = 1e-9
"""Scores closer than this do not differ."""


class Candidate(NamedTuple):
    """A summary that may stand in a pair; `score` is what the rule compares, None where it is missing."""

    id: int
    system: str
    text: str
    score: float | None = None


class SampledPair(NamedTuple):
    """Two summaries of one document, in the order of their system names."""

    document_id: int
    first_id: int
    second_id: int


@dataclass(frozen=True)
class Sample:
    """The pairs of a study in the order of asking, and what was left out on the way."""

    pairs: tuple[SampledPair, ...]
    eligible: int
    """Pairs that the rule allowed before the limits were applied."""
    identical: int
    """Pairs left out because their texts are the same but for white space, or the same as another pair's."""
    unscored: int
    """Pairs left out because a score that the rule compares is missing."""


def sample_pairs(
    documents: Sequence[tuple[int, Sequence[Candidate]]],
    *,
    rule: str,
    count: int | None,
    per_document: int | None,
    seed: int,
) -> Sample:
    """Draw pairs within documents: at most `per_document` of each, `count` in all (None: no limit).

    Every eligible pair of a document, and every document, is as likely as any other. The same input and seed give
    the same pairs in the same order. Raises ValueError for a rule that is not in `RULES` or a limit below 1.
    """
    if rule not in RULES:
        raise ValueError(f"unknown rule {rule!r}; known are {', '.join(RULES)}")
    if any(limit is not None and limit < 1 for limit in (count, per_document)):
        raise ValueError("the number of pairs, in all and per document, must be at least 1")
    generator = random.Random(seed)  # noqa: S311  a reproducible draw, not a secret
    eligible = identical = unscored = 0
    drawn: list[list[SampledPair]] = []
    for document_id, candidates in documents:
        allowed = []
        asked: set[frozenset[str]] = set()
        for first, second in combinations(sorted(candidates, key=lambda c: c.system), 2):
            texts = frozenset((folded(first.text), folded(second.text)))
            if len(texts) == 1 or texts in asked:
                identical += 1
            elif rule == "rouge_k_differs" and (first.score is None or second.score is None):
                unscored += 1
            elif rule != "rouge_k_differs" or differs(first, second):
                asked.add(texts)
                allowed.append(SampledPair(document_id, first.id, second.id))
        eligible += len(allowed)
        generator.shuffle(allowed)
        drawn.append(allowed[:per_document])
    generator.shuffle(drawn)
    # One pair of each document before the second of any, so that a small study spreads over many documents.
    rounds = max(map(len, drawn), default=0)
    pairs = [taken[turn] for turn in range(rounds) for taken in drawn if turn < len(taken)][:count]
    generator.shuffle(pairs)
    return Sample(tuple(pairs), eligible, identical, unscored)


def folded(text: str) -> str:
    """A text as a reader sees it: runs of white space are one blank."""
    return " ".join(text.split())


def differs(first: Candidate, second: Candidate) -> bool:
    """Whether two scored candidates' scores are apart."""
    return first.score is not None and second.score is not None and abs(first.score - second.score) > SAME


def first_is_left(*, seed: int, annotator_id: int, turn: int) -> bool:
    """Which side the pair's first summary gets on an annotator's `turn`-th pair, counted from 0.

    Turns come in twos: the first of two is drawn, the second gets the opposite, so that the sides of an annotator
    are never further apart than one, and cannot be foretold for more than every other pair.
    """
    drawn = random.Random(f"{seed}:{annotator_id}:{turn // 2}").random() < 0.5  # noqa: S311
    return drawn == (turn % 2 == 0)
