"""Two sources of preferences side by side: with which of them each metric agrees more often, and where they part.

A source is whatever says which summaries are better: the judgments of a study, ratings, the decisions of adjudicators,
or the verdicts of a language model.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from relevance.analysis.agreement.counts import credit_pairs
from relevance.analysis.agreement.evaluation import MetricEvaluation
from relevance.analysis.agreement.pairs import group_by_document, pairs_by_document
from relevance.analysis.arrays import Floats, Integers, number_by_text
from relevance.analysis.corpora import keep_scores, scored_by
from relevance.analysis.leaders import SCARCE, Leading, find_leading, find_scarce
from relevance.analysis.metrics_and_people import AgreementAnalysis
from relevance.analysis.ratio_differences import RatioDifference, compare_ratios
from relevance.analysis.ratio_intervals import (
    Interval,
    Ratio,
    RatioEstimate,
    agreement_ratios,
    estimate_from_sums,
    estimate_ratio,
    ratio_intervals,
    sampled_annotators,
)
from relevance.analysis.significance import ALPHA, holm
from relevance.analysis.study import Inputs, Results
from relevance.data.cells import Cells
from relevance.data.preferences import Preferences, rated_pairs, to_name_column
from relevance.data.signatures import distinct
from relevance.data.ties import preference_signs

TOO_LITTLE = "too few judgments or documents"
"""The reason why a difference is not computed."""


class MetricDifference(NamedTuple):
    """A metric's agreement with two sources, by the rule `half`."""

    metric: str
    signature: str
    first: MetricEvaluation
    second: MetricEvaluation
    difference: RatioDifference | None
    """Agreement with the first, less agreement with the second; None where there is too little of either."""
    p_holm: float | None
    """Its p, corrected for all metrics that are compared."""
    reason: str | None = None
    """The reason why there is no difference."""

    @property
    def significant(self) -> bool:
        """Whether the metric agrees significantly more often with one of them."""
        return self.p_holm is not None and self.p_holm < ALPHA


class BothSources(NamedTuple):
    """The preferences of two sources on the pairs that both have, by the majority of each."""

    pairs: int
    same: int
    """Pairs on which both prefer the same summary."""
    opposite: int
    """Pairs on which each prefers another one."""
    interval: Interval
    """The interval of same / (same + opposite)."""

    @property
    def decided(self) -> int:
        """The pairs on which both prefer a summary."""
        return self.same + self.opposite


class SourceResult(NamedTuple):
    """The agreement of metrics with one of the sources."""

    agreement: AgreementAnalysis
    ceiling: MetricEvaluation | None
    """People among themselves; None unless several annotators may have judged a pair."""

    @property
    def leading(self) -> Leading | None:
        """The best metric and those not significantly worse; None on too few judgments or documents."""
        return find_leading(self.agreement)


class TwoSources(NamedTuple):
    """Two sources compared."""

    first: SourceResult
    second: SourceResult
    rows: tuple[MetricDifference, ...]
    """The metrics by which both have scores, the largest difference first, those without one last."""
    only_first: tuple[str, ...]
    """Signatures under which only the first has scores."""
    only_second: tuple[str, ...]
    both: BothSources | None
    """None if no pair is in both, or if they are not `listed`."""
    listed: bool = True
    """False if both have too many pairs to be put beside each other."""

    @property
    def parting(self) -> tuple[MetricDifference, ...]:
        """The metrics that agree significantly more often with one of them."""
        return tuple(row for row in self.rows if row.significant)


class SharedPairs(NamedTuple):
    """Two sources with the pairs alone that both have, in the same order."""

    first: Preferences
    second: Preferences
    turned: NDArray[np.bool_]
    """Shape (pairs,): True where the first summary of the one is the second of the other."""


def compare_sources(first: Inputs, second: Inputs, metrics: Collection[str]) -> TwoSources:
    """Compare the agreement of metrics, given by their signatures, with two sources that both have scores by them.

    Documents of the same name are the same document: differences of a metric's agreement are estimated with the
    covariance that comes from them. `name_apart` renames those that are not the same.
    """
    of_first, of_second = (distinct(scored_by(of.preferences)) for of in (first, second))
    common = [signature for signature in of_first if signature in of_second and signature in metrics]
    first, second = (replace(of, preferences=keep_scores(of.preferences, common)) for of in (first, second))
    first_result, second_result = find_result(first), find_result(second)
    return TwoSources(
        first_result,
        second_result,
        rows=tuple(sort_rows(compare_rows(first, second, first_result, second_result))),
        only_first=tuple(signature for signature in of_first if signature not in of_second),
        only_second=tuple(signature for signature in of_second if signature not in of_first),
        both=compare_preferences(first.preferences, second.preferences),
        listed=list_both(first.preferences, second.preferences) is not None,
    )


def find_result(inputs: Inputs) -> SourceResult:
    """Compute the agreement of metrics with one source."""
    results = Results(inputs)
    return SourceResult(results.agreement, results.ceiling)


def compare_rows(
    first: Inputs, second: Inputs, first_result: SourceResult, second_result: SourceResult
) -> list[MetricDifference]:
    """Compare each metric's agreement with both, with Holm's correction over the metrics."""
    of_first, of_second = ({row.signature: row for row in of.agreement.rows} for of in (first_result, second_result))
    scarce = {row.signature for of in (first_result, second_result) for row in find_scarce(of.agreement).values()}
    compared = [
        signature
        for signature, row in of_first.items()
        if signature not in scarce and row.evaluation.is_enough and of_second[signature].evaluation.is_enough
    ]
    differences = {
        signature: compare_ratios(of_one, of_other)
        for signature, of_one, of_other in estimate_both(first.preferences, second.preferences, compared)
    }
    corrected = dict(zip(differences, holm([difference.p for difference in differences.values()]), strict=True))
    return [
        MetricDifference(
            row.metric,
            signature,
            row.evaluation,
            of_second[signature].evaluation,
            differences.get(signature),
            corrected.get(signature),
            None if signature in differences else SCARCE if signature in scarce else TOO_LITTLE,
        )
        for signature, row in of_first.items()
    ]


def sort_rows(rows: Sequence[MetricDifference]) -> list[MetricDifference]:
    """Sort rows by the size of their difference, the largest first."""
    return sorted(rows, key=lambda row: -1.0 if row.difference is None else abs(row.difference.value), reverse=True)


def estimate_both(
    first: Preferences, second: Preferences, signatures: Sequence[str]
) -> Iterator[tuple[str, RatioEstimate, RatioEstimate]]:
    """Estimate the agreement of metrics with both, over the documents of both, which are numbered alike."""
    names = [list_documents(of) for of in (first, second)]
    number, size = number_by_text([*names[0], *names[1]])
    of_first, of_second = np.split(number, [len(names[0])])
    for signature, estimate, other_estimate in zip(
        signatures,
        estimate_agreement(first, signatures, of_first, size),
        estimate_agreement(second, signatures, of_second, size),
        strict=True,
    ):
        if estimate is not None and other_estimate is not None:
            yield signature, estimate, other_estimate


def list_documents(preferences: Preferences) -> Sequence[str]:
    """Return the document of each entry or, where the pairs are not listed, of each rated summary."""
    cells = preferences.unlisted
    return list(preferences.document) if cells is None else list(cells.documents)


def estimate_agreement(
    preferences: Preferences, signatures: Sequence[str], documents: Integers, size: int
) -> list[RatioEstimate | None]:
    """Estimate the agreement of metrics with one source; `documents` number `list_documents`, below `size`."""
    cells = preferences.unlisted
    if cells is not None:
        return [estimate_unlisted(cells, signature, documents, size) for signature in signatures]
    differences = preferences.differences()
    people = sampled_annotators(preferences.annotators)
    annotator, many = number_by_text(np.zeros_like(documents) if people is None else people)
    estimates = []
    for signature in signatures:
        half = agreement_ratios(preferences.choices, differences[signature], preferences.weights)[1]
        estimates.append(estimate_ratio(half, documents, size, annotator, many))
    return estimates


def estimate_unlisted(cells: Cells, signature: str, documents: Integers, size: int) -> RatioEstimate | None:
    """Estimate a metric's agreement with ratings whose pairs are not listed."""
    (ratings,), scores = cells.ratings.values(), cells.scores[signature]
    part, whole = np.zeros(size), np.zeros(size)
    for first, second, _ in pairs_by_document(group_by_document(cells.documents, ~np.isnan(ratings))):
        earned = credit_pairs(ratings[first] - ratings[second], scores[first] - scores[second])
        counted = ~np.isnan(earned)
        place = documents[first[counted]]
        part += np.bincount(place, weights=earned[counted], minlength=size)
        whole += np.bincount(place, minlength=size)
    return estimate_from_sums(part, whole)


# --- pairs of both ----------------------------------------------------------------------------------------


def find_shared(first: Preferences, second: Preferences) -> SharedPairs | None:
    """Find the judged or rated pairs that are in both, whose summaries have the same document and systems.

    None if there are none, or if they are too many to be listed.
    """
    listed = list_both(first, second)
    if listed is None:
        return None
    judged = [np.unique(of.pair) for of in listed]
    columns = [
        np.concatenate([getattr(of, name)[pairs] for of, pairs in zip(listed, judged, strict=True)])
        for name in ("documents", "firsts", "seconds")
    ]
    document, _ = number_by_text(columns[0].tolist())
    system, systems = number_by_text(np.concatenate(columns[1:]).tolist())
    first_system, second_system = np.split(system, 2)
    codes = (document * systems + np.minimum(first_system, second_system)) * systems + np.maximum(
        first_system, second_system
    )
    in_first, in_second = np.split(codes, [len(judged[0])])
    _, of_first, of_second = np.intersect1d(in_first, in_second, return_indices=True)
    if not len(of_first):
        return None
    turned = (first_system < second_system)[of_first] != (first_system < second_system)[of_second + len(judged[0])]
    return SharedPairs(listed[0].of_pairs(judged[0][of_first]), listed[1].of_pairs(judged[1][of_second]), turned)


def list_both(first: Preferences, second: Preferences) -> tuple[Preferences, Preferences] | None:
    """List the pairs of both on the documents of both; None if those of one are too many.

    Rated pairs that are too many to be listed are listed on the documents of the other source.
    """
    if first.unlisted is not None and second.unlisted is not None:
        return None
    first, second = list_on(first, second), list_on(second, first)
    return None if first.unlisted is not None or second.unlisted is not None else (first, second)


def list_on(preferences: Preferences, other: Preferences) -> Preferences:
    """List rated pairs that are not listed on the documents of another source."""
    cells = preferences.unlisted
    if cells is None:
        return preferences
    wanted = set(other.documents.tolist())
    among = [place for place, document in enumerate(cells.documents) if document in wanted]
    return rated_pairs(cells.at(among), *cells.ratings)


class Votes(NamedTuple):
    """The preferences of two sources on the pairs of both, by the majority of each.

    1 is the first summary, -1 the second, 0 neither; NaN is a source whose judgments are split.
    """

    preferences: Preferences
    """The choices of the first source, an entry for each pair."""
    first: Floats
    second: Floats

    @property
    def opposite(self) -> NDArray[np.bool_]:
        """Shape (pairs,): True where each prefers another summary."""
        return np.asarray((self.first * self.second) == -1)


def find_votes(first: Preferences, second: Preferences) -> Votes | None:
    """Find what both prefer on the pairs of both; None if there are none, or too many to be listed."""
    shared = find_shared(first, second)
    if shared is None:
        return None
    first_votes, second_votes = (
        replace(of, choices=preference_signs(of.choices)).by_majority() for of in (shared.first, shared.second)
    )
    return Votes(first_votes, first_votes.choices, np.where(shared.turned, -1, 1) * second_votes.choices)


def compare_preferences(first: Preferences, second: Preferences) -> BothSources | None:
    """Count on how many pairs of both the two prefer the same summary; None if there are none that can be listed."""
    votes = find_votes(first, second)
    if votes is None:
        return None
    decided = np.abs(votes.first * votes.second) == 1
    same = decided & ~votes.opposite
    (interval,) = ratio_intervals([Ratio(same.astype(float), decided.astype(float))], votes.preferences.documents)
    return BothSources(
        pairs=len(same),
        same=int(same.sum()),
        opposite=int(votes.opposite.sum()),
        interval=interval,
    )


def name_apart(preferences: Preferences, same: Collection[tuple[str, str]], dataset: str) -> Preferences:
    """Rename the documents and systems of another data set that are not the first one's.

    `same` are the summaries, by document and system, with the same text in both. A document that has none of them
    becomes another document, and any other summary one of another system.
    """
    documents = {document for document, _ in same}

    def rename(names: Sequence[str], systems: Sequence[str]) -> tuple[list[str], list[str]]:
        pairs = list(zip(names, systems, strict=True))
        return (
            [name if name in documents else f"{dataset}: {name}" for name, _ in pairs],
            [system if (name, system) in same else f"{system} ({dataset})" for name, system in pairs],
        )

    cells = preferences.unlisted
    if cells is not None:
        own, systems = rename(cells.documents, cells.systems)
        return replace(preferences, unlisted=replace(cells, documents=tuple(own), systems=tuple(systems)))
    own, firsts = rename(list(preferences.documents), list(preferences.firsts))
    _, seconds = rename(list(preferences.documents), list(preferences.seconds))
    return replace(
        preferences,
        documents=to_name_column(own),
        firsts=to_name_column(firsts),
        seconds=to_name_column(seconds),
    )
