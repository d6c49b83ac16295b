"""Tables of agreement between annotators, and of the systems that they prefer."""

from collections.abc import Mapping, Sequence

from relevance.analysis.people.annotators import AnnotatorReliability
from relevance.analysis.people.kappa import Kappa
from relevance.analysis.people.ranking import Ranking
from relevance.analysis.people.ratings import RatingAnnotator
from relevance.analysis.people.reliability import Estimate, FleissKappa
from relevance.reports.tables.table import Cell, Table, Undefined, interval, number_cell, ratio_intervals_note


def reliability_table(alpha: Estimate, fleiss: FleissKappa, raw: Estimate) -> Table:
    """Make the table of coefficients of agreement between all annotators."""
    judgments = "" if fleiss.judgments_per_pair is None else f", pairs with {fleiss.judgments_per_pair} judgments"
    rows: list[dict[str, Cell]] = [
        {
            "coefficient": label,
            "value": number_cell(coefficient.value, coefficient.reason),
            "95 %": interval(coefficient),
            "pairs": coefficient.n,
            "documents": coefficient.documents,
        }
        for label, coefficient in (
            ("Krippendorff's alpha (nominal)", alpha),
            (f"Fleiss' kappa{judgments}", fleiss.estimate),
            ("raw agreement", raw),
        )
    ]
    notes = [
        "Categories: the first summary, by the order of the systems' names, the second, a tie. Pairs with one judgment "
        "are left out.",
        f"{ratio_intervals_note(alpha.level, 'documents')} Those of alpha and kappa are made of the agreement that "
        "they rest on, by their own variance, and corrected by the same chance.",
    ]
    return Table("reliability", "Agreement between annotators", rows, notes)


def rating_reliability_table(alphas: Mapping[str, Estimate]) -> Table:
    """Make the table of alpha of ratings, by level of measurement."""
    rows: list[dict[str, Cell]] = [
        {
            "coefficient": f"Krippendorff's alpha ({scale})",
            "value": number_cell(alpha.value, alpha.reason),
            "95 %": interval(alpha),
            "summaries": alpha.n,
            "documents": alpha.documents,
        }
        for scale, alpha in alphas.items()
    ]
    notes = [
        "Of the ratings of each annotator. Ordinal: ratings are ranks; interval: their differences count. Summaries "
        "with one rating are left out.",
        "Intervals: 95%, by the variance of the logarithm of 1 - alpha over documents.",
    ]
    return Table("rating_reliability", "Agreement between annotators' ratings", rows, notes)


def rating_annotators_table(annotators: Sequence[RatingAnnotator]) -> Table:
    """Make the table of annotators who rated, a row each."""
    rows: list[dict[str, Cell]] = [
        {
            "annotator": annotator.annotator,
            "ratings": annotator.ratings,
            "mean": number_cell(annotator.mean, None),
            "standard deviation": number_cell(annotator.deviation, None),
            "above others": number_cell(annotator.difference, annotator.reason),
            "Pearson with others": number_cell(annotator.pearson, annotator.reason),
            "of": annotator.shared,
        }
        for annotator in annotators
    ]
    note = (
        "Others: the mean of the other annotators' ratings of the same summaries. Above others: how much higher the "
        "annotator's mean is than theirs, over the summaries that others rated, too."
    )
    return Table("rating_annotators", "Annotators who rated", rows, [note])


def cohen_table(kappas: Sequence[Kappa]) -> Table:
    """Make the table of Cohen's kappa for every two annotators."""
    rows: list[dict[str, Cell]] = [
        {
            "first": kappa.first,
            "second": kappa.second,
            "kappa": number_cell(kappa.kappa, kappa.reason),
            "95 %": interval(kappa),
            "raw agreement": number_cell(kappa.agreement, kappa.reason),
            "n": kappa.n,
        }
        for kappa in kappas
    ]
    note = (
        "Pairs that both judged. Intervals: 95%, those of the agreement, by kappa's own variance over documents, and "
        "corrected by the same chance."
    )
    return Table(
        "cohen", "Cohen's kappa for each pair of annotators", rows, [note], "no two annotators judged the same pair"
    )


def annotators_table(annotators: Sequence[AnnotatorReliability]) -> Table:
    """Make the table of annotators, a row each."""
    rows: list[dict[str, Cell]] = [
        {
            "annotator": annotator.annotator,
            "judgments": annotator.judgments,
            "median seconds": number_cell(annotator.median_seconds, annotator.reasons.get("median_seconds")),
            "ties": annotator.ties,
            "chose left": number_cell(annotator.left_share, annotator.reasons.get("left_share")),
            "agrees with others": number_cell(annotator.agreement, annotator.reasons.get("agreement")),
            "of": annotator.agreement_n,
            "checks passed": annotator.checks_passed,
            "checks": annotator.checks,
        }
        for annotator in annotators
    ]
    note = (
        "Agrees with others: the share of decided judgments that are what the majority of the others says, where it is "
        "decided. Checks: pairs with a known answer; they count nowhere else."
    )
    return Table("annotators", "Annotators", rows, [note])


def ranking_table(ranking: Ranking) -> Table:
    """Make the table of systems by Bradley-Terry strength."""
    rows: list[dict[str, Cell]] = [
        {
            "system": row.system,
            "rank": number_cell(row.rank, ranking.reason),
            "strength": number_cell(row.strength, ranking.reason),
            "95 %": interval(row) if row.low is not None else Undefined(ranking.reason or "no interval"),
            "wins": row.wins,
            "comparisons": row.comparisons,
            "win share": number_cell(row.win_share, "never compared"),
        }
        for row in ranking.rows
    ]
    notes = [
        f"Bradley-Terry strengths on the log-odds scale, summing to 0; a tie is half a win for each; penalty "
        f"{ranking.penalty:g}. Intervals: {ranking.level:.0%}, percentile bootstrap over {ranking.documents:,} "
        f"documents, {ranking.resamples:,} resamples, seed {ranking.seed}."
    ]
    notes += [note for note in (ranking.reason, ranking.note) if note]
    return Table("ranking", "Systems ranked by people's choices", rows, notes, ranking.reason or "nobody judged")
