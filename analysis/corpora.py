"""Which metric agrees with people on every corpus: the same comparison, made of each by itself and never pooled."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from relevance.analysis.agreement.evaluation import MetricEvaluation
from relevance.analysis.leaders import Leading, find_leading, without_scarce
from relevance.analysis.metrics_and_people import AgreementAnalysis, MetricRow
from relevance.analysis.study import Inputs, Results, Settings, Unit
from relevance.data.preferences import Preferences
from relevance.data.signatures import distinct, is_given, name_of


class CorpusAgreement(NamedTuple):
    """The agreement of metrics with what people said of one corpus, by judgments or by ratings."""

    dataset: str
    people: str
    """The kind of judgments, such as `ratings of relevance`."""
    sampling: str
    """The rule by which the pairs of a study were drawn; `all` for ratings."""
    agreement: AgreementAnalysis
    ceiling: MetricEvaluation | None
    """People among themselves; None if the preferences are not judgments."""
    leading: Leading | None
    """The best metric and those not significantly worse; None on too few judgments or documents."""

    @property
    def leaders(self) -> tuple[str, ...]:
        """The signatures of the best metric and of those not significantly worse; none if only one has a ratio."""
        if self.leading is None or len(self.rows) < 2:
            return ()
        return self.leading.best.signature, *(rival.row.signature for rival in self.leading.rivals)

    @property
    def rows(self) -> dict[str, MetricRow]:
        """By signature: the metrics that have values on enough pairs for a ratio."""
        return {
            row.signature: row for row in without_scarce(self.agreement) if row.evaluation.agreement.half is not None
        }


class MetricStanding(NamedTuple):
    """On how many corpora a metric leads."""

    signature: str
    corpora: int
    """The number of corpora on which it has a ratio, and some metric leads."""
    leads: int
    """The number of corpora on which it is the best, or not significantly worse."""
    best: int
    """The number of corpora on which its ratio is the highest."""


def compare_on_corpus(
    dataset: str,
    people: str,
    preferences: Preferences,
    unit: Unit = "within-document pair",
    *,
    metrics: Collection[str] = (),
    sampling: str = "all",
) -> CorpusAgreement:
    """Compare metrics with the preferences of people on a corpus, by the rule `half`.

    Without names of `metrics`, all are compared but those whose scores came with the corpus, which no other has, and
    means over several references beside their maximum. `sampling` is the rule by which a study's pairs were drawn.
    """
    kept = keep_scores(preferences, choose_signatures(scored_by(preferences), metrics))
    aspect = None if kept.unlisted is None else next(iter(kept.unlisted.ratings))
    results = Results(Inputs(kept, settings=Settings(human=aspect), unit=unit))
    return CorpusAgreement(
        dataset, people, sampling, results.agreement, results.ceiling, find_leading(results.agreement)
    )


def scored_by(preferences: Preferences) -> tuple[str, ...]:
    """Return the signatures under which pairs have scores."""
    return tuple(preferences.scores if preferences.unlisted is None else preferences.unlisted.scores)


def choose_signatures(known: Sequence[str], metrics: Collection[str] = ()) -> list[str]:
    """Return the signatures of named metrics or, without names, those by which corpora can be compared."""
    return [
        signature
        for signature in distinct(known)
        if (name_of(signature) in metrics if metrics else not is_given(signature))
    ]


def keep_scores(preferences: Preferences, signatures: Collection[str]) -> Preferences:
    """Return preferences with the scores under some signatures alone."""
    cells = preferences.unlisted
    if cells is not None:
        cells = replace(
            cells, scores={signature: column for signature, column in cells.scores.items() if signature in signatures}
        )
    scores = {signature: column for signature, column in preferences.scores.items() if signature in signatures}
    return replace(preferences, scores=scores, unlisted=cells)


def count_leading(corpora: Sequence[CorpusAgreement]) -> list[MetricStanding]:
    """Count on how many corpora each metric leads, those that lead on the most first.

    >>> count_leading([])
    []
    """
    told = [corpus for corpus in corpora if corpus.leaders]
    known = dict.fromkeys(signature for corpus in told for signature in corpus.rows)
    standings = [
        MetricStanding(
            signature,
            sum(signature in corpus.rows for corpus in told),
            sum(signature in corpus.leaders for corpus in told),
            sum(signature == corpus.leaders[0] for corpus in told),
        )
        for signature in known
    ]
    return sorted(standings, key=lambda standing: (-standing.leads, standing.corpora, -standing.best))


def list_columns(corpora: Sequence[CorpusAgreement]) -> list[str]:
    """Return the signatures of the metrics that some corpus was compared by, those of one metric together.

    Metrics come in the order of the corpus that has the most of them.
    """
    fullest = sorted(corpora, key=lambda corpus: -len(corpus.agreement.rows))
    known = list(dict.fromkeys(row.signature for corpus in fullest for row in corpus.agreement.rows))
    places = {name: place for place, name in enumerate(dict.fromkeys(map(name_of, known)))}
    return sorted(known, key=lambda signature: places[name_of(signature)])


def rank_corpora(corpora: Sequence[CorpusAgreement], signature: str) -> list[int]:
    """Return the places of corpora in the order of a metric's agreement, the highest first, without a ratio last."""

    def share(place: int) -> float:
        row = corpora[place].rows.get(signature)
        return -1.0 if row is None else row.evaluation.agreement.half or 0.0

    return sorted(range(len(corpora)), key=share, reverse=True)
