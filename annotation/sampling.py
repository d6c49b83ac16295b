"""Sampling of the pairs that a study asks about."""

import random
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations
from typing import Any, NamedTuple

import numpy as np

from relevance.annotation.many_pairs import Numbers, find_places
from relevance.data.ties import TIE

SAMPLING_RULES = {
    "random": "pairs drawn at random",
    "all": "every pair",
    "rouge_k_differs": "pairs whose ROUGE-K scores differ, as in the ROUGE-K paper",
    "conflicts": "pairs on which metrics contradict each other, and a random share of the others",
}
GIVEN = "given"
"""The rule of studies whose pairs were not drawn here but came with their judgments."""
RULES = (*SAMPLING_RULES, GIVEN)
"""The rules that a study can have."""
RANDOM_SHARE = 0.25
"""Share of a study's pairs that `conflicts` draws from those on which no metrics contradict each other."""


class PairCandidate(NamedTuple):
    """A summary that can be paired, with the `scores` that the rule compares; None where one is missing.

    `rouge_k_differs` compares one score, `conflicts` those of several metrics, in the same order for every summary.
    """

    id: int
    system: str
    text: str
    scores: tuple[float | None, ...] = ()


class SampledPair(NamedTuple):
    """Two summaries of one document, in the order of their system names; or an attention check (`draw_checks`)."""

    document_id: int
    first_id: int
    second_id: int
    inclusion: float | None = None
    """Probability with which the pair was drawn; None where pairs are not weighted."""
    expected_id: int | None = None
    """In an attention check, the summary that belongs to the document."""


@dataclass(frozen=True)
class PairSample:
    """The pairs of a study in the order of asking, and the numbers of those left out."""

    pairs: tuple[SampledPair, ...]
    eligible: int
    """Pairs that the rule allowed before the limits were applied."""
    identical: int
    """Pairs left out because their texts are the same but for white space, or the same as another pair's."""
    unscored: int
    """Pairs left out because a score that the rule compares is missing."""
    alike: int = 0
    """Pairs left out because the scores that the rule compares are the same."""
    conflicts: int | None = None
    """Eligible pairs on which metrics contradict each other; None where the rule does not look for them."""
    checks: tuple[SampledPair, ...] = ()
    """Attention checks, which every annotator gets besides the pairs."""
    in_drawn_order: bool = False
    """True if pairs are grouped by document, in the order in which a stopping rule takes documents."""


class PairCounts(NamedTuple):
    """The number of pairs that a rule allows, and of those that it leaves out."""

    conflicts: tuple[int, ...]
    """The number of pairs on which metrics contradict each other, by document; 0 except for `conflicts`."""
    others: tuple[int, ...]
    """The number of all other pairs, by document."""
    identical: int
    """Pairs left out because the texts are the same."""
    unscored: int
    """Pairs left out because a score that the rule compares is missing."""
    alike: int
    """Pairs left out because the scores that the rule compares are the same."""

    @property
    def eligible(self) -> int:
        """The number of pairs that the rule allows."""
        return sum(self.conflicts) + sum(self.others)

    def drawn(self, count: int | None, per_document: int | None) -> int:
        """Return the number of pairs of a study: at most `per_document` by document and stratum, `count` in all."""
        kept = sum(
            most if per_document is None else min(per_document, most) for most in (*self.conflicts, *self.others)
        )
        return kept if count is None else min(count, kept)


MANY = 100
"""The number of summaries of a document from which on its pairs are kept as arrays until they are drawn."""


class PairsOfMany(Sequence[SampledPair]):
    """Pairs of one document, kept as the numbers of their summaries."""

    def __init__(self, document_id: int, firsts: Numbers, seconds: Numbers) -> None:
        self.document_id, self.firsts, self.seconds = document_id, firsts, seconds

    def __len__(self) -> int:
        return len(self.firsts)

    def __getitem__(self, place: Any) -> Any:
        return SampledPair(self.document_id, int(self.firsts[place]), int(self.seconds[place]))


class AllowedPairs(NamedTuple):
    """The pairs that a rule allows, by document, and the numbers of those left out as in `PairCounts`."""

    conflicts: list[Sequence[SampledPair]]
    others: list[Sequence[SampledPair]]
    identical: int
    unscored: int
    alike: int

    def counts(self) -> PairCounts:
        """Count the pairs."""
        return PairCounts(tuple(map(len, self.conflicts)), tuple(map(len, self.others)), *self[2:])


def sample_pairs(
    documents: Sequence[tuple[int, Sequence[PairCandidate]]],
    *,
    rule: str,
    count: int | None,
    per_document: int | None,
    seed: int,
    random_share: float = RANDOM_SHARE,
) -> PairSample:
    """Draw pairs within documents: at most `per_document` of each, `count` in all (None: no limit).

    All eligible pairs of a document are equally likely, and so are all documents; the rule `conflicts` draws from two
    strata instead (`draw_strata`) and returns the probability of each pair. Empty summaries are not paired. The same
    input and seed give the same pairs in the same order. Raises ValueError for a rule that is not in `SAMPLING_RULES`,
    a limit below 1, or a share of random pairs that leaves some pair without a chance.
    """
    if rule not in SAMPLING_RULES:
        raise ValueError(f"unknown rule {rule!r}; known are {', '.join(SAMPLING_RULES)}")
    if any(limit is not None and limit < 1 for limit in (count, per_document)):
        raise ValueError("the number of pairs, in all and per document, must be at least 1")
    if rule == "conflicts" and not 0 < random_share < 1:
        raise ValueError("the random share must be above 0 and below 1, so that every pair can be drawn")
    generator = random.Random(seed)  # noqa: S311  a reproducible draw, not a secret
    allowed = allow_pairs(documents, rule)
    if rule == "conflicts":
        pairs = draw_strata(allowed.conflicts, allowed.others, count, per_document, random_share, generator)
    else:
        pairs = draw_rounds(allowed.others, count, per_document, generator)
    counts = allowed.counts()
    return PairSample(
        tuple(pairs),
        counts.eligible,
        counts.identical,
        counts.unscored,
        counts.alike,
        conflicts=sum(counts.conflicts) if rule == "conflicts" else None,
    )


def allow_pairs(documents: Sequence[tuple[int, Sequence[PairCandidate]]], rule: str) -> AllowedPairs:
    """Find the pairs that a rule allows, before any are drawn."""
    identical = unscored = alike = 0
    conflicts: list[Sequence[SampledPair]] = []
    others: list[Sequence[SampledPair]] = []
    for document_id, candidates in documents:
        folded = ((candidate, fold_white_space(candidate.text)) for candidate in candidates)
        # An empty summary cannot be judged.
        written = sorted(((candidate, text) for candidate, text in folded if text), key=lambda c: c[0].system)
        if len(written) >= MANY:
            places = find_places([text for _, text in written], [candidate.scores for candidate, _ in written], rule)
            ids = np.array([candidate.id for candidate, _ in written])
            conflicts.append(PairsOfMany(document_id, *(ids[side] for side in places.conflicts)))
            others.append(PairsOfMany(document_id, *(ids[side] for side in places.others)))
            identical, unscored, alike = (
                sum(counts) for counts in zip((identical, unscored, alike), places[2:], strict=True)
            )
            continue
        in_conflict: list[SampledPair] = []
        rest: list[SampledPair] = []
        drawn: set[frozenset[str]] = set()
        for (first, first_text), (second, second_text) in combinations(written, 2):
            texts = frozenset((first_text, second_text))
            if len(texts) == 1 or texts in drawn:
                identical += 1
            elif rule == "rouge_k_differs" and (None in first.scores or None in second.scores):
                unscored += 1
            elif rule == "rouge_k_differs" and not any(compare_scores(first, second)):
                alike += 1
            else:
                drawn.add(texts)
                stratum = in_conflict if rule == "conflicts" and conflicting(first, second) else rest
                stratum.append(SampledPair(document_id, first.id, second.id))
        conflicts.append(in_conflict)
        others.append(rest)
    return AllowedPairs(conflicts, others, identical, unscored, alike)


def draw_rounds(
    documents: Sequence[Sequence[SampledPair]], count: int | None, per_document: int | None, generator: random.Random
) -> list[SampledPair]:
    """Draw from the pairs of each document, all equally likely."""
    drawn = []
    for pairs in documents:
        if isinstance(pairs, PairsOfMany):  # millions take seconds to be shuffled
            limits = (limit for limit in (per_document, count) if limit is not None)
            places = generator.sample(range(len(pairs)), min([len(pairs), *limits]))
        else:
            places = list(range(len(pairs)))
            generator.shuffle(places)
        drawn.append([pairs[place] for place in places[:per_document]])
    generator.shuffle(drawn)
    # One pair of each document before the second of any, so that a small study spreads over many documents.
    rounds = max(map(len, drawn), default=0)
    pairs = [taken[turn] for turn in range(rounds) for taken in drawn if turn < len(taken)][:count]
    generator.shuffle(pairs)
    return pairs


def draw_strata(
    conflicts: Sequence[Sequence[SampledPair]],
    others: Sequence[Sequence[SampledPair]],
    count: int | None,
    per_document: int | None,
    random_share: float,
    generator: random.Random,
) -> list[SampledPair]:
    """Draw from two strata, each given as the pairs of each document, with the probability of each pair.

    Of a document's m pairs in a stratum, k = `per_document` are kept; of the K kept in a stratum, n are drawn, all at
    random without replacement: a pair is included with probability min(1, k / m) * n / K. `random_share` of `count`
    comes from `others`, at least one pair if there are any; if one stratum is too small, the other fills the gap.
    """
    kept = [draw_per_document(stratum, per_document, generator) for stratum in (conflicts, others)]
    in_conflict, at_random = (sum(len(of.places) for of in stratum) for stratum in kept)
    wanted = in_conflict + at_random if count is None else min(count, in_conflict + at_random)
    if wanted == 1 and in_conflict and at_random:
        raise ValueError(
            "one pair cannot come both from those with and from those without a conflict of metrics; "
            "the number of pairs must be at least 2"
        )
    # Both strata need a pair, whatever the share: no weight makes up for a pair that had no chance of being drawn.
    share = max(1, min(round(wanted * random_share), wanted - 1))
    from_others = min(at_random, max(share, wanted - in_conflict))
    drawn = [
        pair
        for stratum, number in zip(kept, (wanted - from_others, from_others), strict=True)
        for pair in draw_kept(stratum, number, generator)
    ]
    generator.shuffle(drawn)
    return drawn


class KeptPairs(NamedTuple):
    """The pairs of a document that were kept, by their places, and the probability of being kept."""

    pairs: Sequence[SampledPair]
    places: Sequence[int]
    probability: float


def draw_per_document(
    documents: Sequence[Sequence[SampledPair]], per_document: int | None, generator: random.Random
) -> list[KeptPairs]:
    """Draw at most `per_document` pairs of each document at random."""
    kept = []
    for pairs in documents:
        number = len(pairs) if per_document is None else min(per_document, len(pairs))
        every = range(len(pairs))
        all_of_many = number == len(pairs) and isinstance(pairs, PairsOfMany)  # which take seconds to be shuffled
        places = every if all_of_many else generator.sample(every, number)
        kept.append(KeptPairs(pairs, places, number / max(1, len(pairs))))
    return kept


def draw_kept(kept: Sequence[KeptPairs], number: int, generator: random.Random) -> Iterator[SampledPair]:
    """Draw `number` of the kept pairs, each with its probability."""
    ends = list(accumulate(len(of.places) for of in kept))
    size = ends[-1] if ends else 0
    for place in generator.sample(range(size), number):
        document = bisect_right(ends, place)
        pairs, places, probability = kept[document]
        pair = pairs[places[place - ends[document]]]  # counted from the document's end
        yield pair._replace(inclusion=probability * number / size)


def put_in_order(pairs: Sequence[SampledPair], *, most_documents: int, seed: int) -> tuple[SampledPair, ...]:
    """Put pairs in the order in which their documents are to be completed, grouped by document.

    Every order of the documents is equally likely, however many pairs each has: in the order of their first pairs,
    documents with many pairs would come first. Documents beyond `most_documents` are left out.
    """
    documents = sorted({pair.document_id for pair in pairs})
    random.Random(f"documents:{seed}").shuffle(documents)  # noqa: S311  a reproducible draw, not a secret
    place = {document: number for number, document in enumerate(documents[:most_documents])}
    drawn = (pair for pair in pairs if pair.document_id in place)
    return tuple(sorted(drawn, key=lambda pair: place[pair.document_id]))


def draw_checks(
    documents: Sequence[tuple[int, Sequence[PairCandidate]]], *, count: int, seed: int
) -> list[SampledPair]:
    """Draw attention checks: a summary of a document, the expected choice, against one of another document.

    The other one is by the same system if possible, and its text is none of those of the document shown. Documents
    take turns in random order. Raises ValueError if the documents do not give that many different checks.
    """
    generator = random.Random(f"checks:{seed}")  # noqa: S311  a reproducible draw, not a secret
    # A check with a blank text would be a choice between nothing and a wrong summary.
    shown = [
        (document_id, [c for c in candidates if fold_white_space(c.text)]) for document_id, candidates in documents
    ]
    shown = [(document_id, candidates) for document_id, candidates in shown if candidates]
    if count and len(shown) < 2:
        raise ValueError("an attention check shows a summary of another document, so that two documents are needed")
    generator.shuffle(shown)
    checks: list[SampledPair] = []
    used: set[tuple[int, int]] = set()
    before = -1
    while before < len(checks) < count:
        before = len(checks)
        for place, (document_id, candidates) in enumerate(shown):
            if len(checks) == count:
                break
            generator.shuffle(candidates)
            others = [c for _, of_another in shown[place + 1 :] + shown[:place] for c in of_another]
            pair = next(
                (pair for own in candidates if (pair := find_foreign_pair(own, candidates, others, used))), None
            )
            if pair is not None:
                used.add(pair)
                checks.append(SampledPair(document_id, *pair, expected_id=pair[0]))
    if len(checks) < count:
        raise ValueError(f"the summaries give {len(checks)} different attention checks; ask for no more")
    return checks


def find_foreign_pair(
    own: PairCandidate, beside: Sequence[PairCandidate], others: Sequence[PairCandidate], used: set[tuple[int, int]]
) -> tuple[int, int] | None:
    """Pair a summary with one of another document, by the same system if possible."""
    texts = {fold_white_space(candidate.text) for candidate in beside}
    for same_system in (True, False):
        for other in others:
            fits = (other.system == own.system) is same_system and (own.id, other.id) not in used
            if fits and fold_white_space(other.text) not in texts:
                return own.id, other.id
    return None


def fold_white_space(text: str) -> str:
    """Collapse runs of white space into one space."""
    return " ".join(text.split())


def conflicting(first: PairCandidate, second: PairCandidate) -> bool:
    """Tell whether one score prefers the first candidate and another one the second."""
    return {1, -1} <= set(compare_scores(first, second))


def compare_scores(first: PairCandidate, second: PairCandidate) -> list[int]:
    """Return the preference of each score: 1 for the first candidate, -1 for the second, 0 for neither or missing."""
    return [
        0 if x is None or y is None or abs(x - y) <= TIE else 1 if x > y else -1
        for x, y in zip(first.scores, second.scores, strict=True)
    ]


def first_is_left(*, seed: int, annotator_id: int, turn: int) -> bool:
    """Tell whether the pair's first summary is on the left in an annotator's `turn`-th pair, counted from 0.

    Turns come in twos: the side of the first is drawn, the second gets the opposite one. So the counts of an
    annotator's sides never differ by more than one, and at most every other side can be predicted.
    """
    drawn = random.Random(f"{seed}:{annotator_id}:{turn // 2}").random() < 0.5  # noqa: S311
    return drawn == (turn % 2 == 0)
