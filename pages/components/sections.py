"""Results as tables of cells, once for pages, command line and reports; `formats` writes them down."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from annotation.ranking import Ranking
from annotation.reliability import AnnotatorReliability, Estimate, FleissKappa, Kappa
from metrics.analysis import LEVELS, AgreementAnalysis, CorrelationComparison, CorrelationRow, SystemsAnalysis
from metrics.dataset_statistics import KeywordStatistics, Lengths
from metrics.extractors import Shared
from metrics.keyword_analysis import LONGEST_ASKED, LengthRecall, Recall
from metrics.meta_evaluation import (
    BEATEN,
    PERMUTE_BY_LEVEL,
    RESAMPLE_BY_LEVEL,
    Agreement,
    Discrepancy,
    Evaluation,
    Interval,
    Observed,
    PairedComparison,
    Permute,
    Plan,
    Resample,
    SideShare,
)
from metrics.meta_evaluation.planning import DOCUMENTS_OF_INTERVALS
from metrics.meta_evaluation.significance import MCNEMAR, TWO_WAY, fewest_documents

RULES = {
    "half": "half: (C + T/2) / n, a metric's tie counts half",
    "strict": "strict: C / n, a metric's tie counts as a miss (the ROUGE-K paper's rule)",
    "decided": "decided: C / (C + D), a metric's ties are left out",
}


ALPHA = 0.05
"""At which p values are called significant."""


FEW_SYSTEMS = 4
"""Systems below which intervals that draw systems come with a warning."""


NO_SUMMARIES = "there is no summary, or no document has keywords"
"""Why a table of systems by keywords has no rows."""


class Undefined(NamedTuple):
    """A number that there is not, and why."""

    reason: str


class Range(NamedTuple):
    """Both ends of an interval."""

    low: float
    high: float


class Marked(NamedTuple):
    """A number that is marked, with a sign that the notes of its table explain."""

    value: float
    mark: str


Cell = str | int | float | bool | Range | Undefined | Marked


class Section(NamedTuple):
    """A table under its title."""

    name: str
    """What it is called in files, such as `agreement`."""
    title: str
    rows: Sequence[Mapping[str, Cell]]
    """Every row has the same columns in the same order."""
    notes: Sequence[str] = ()
    """What is to be said under it."""
    empty: str = "there is nothing to count"
    """Why there are no rows, where there are none."""


DAGGER = "†"
"""What marks a system that beats the baselines."""


def known(value: float | None, reason: str | None, otherwise: str = "nothing to count") -> Cell:
    """A number, or that it is undefined."""
    return Undefined(reason or otherwise) if value is None else value


def ratio_intervals_note(level: float, over: str, units: str = "pairs") -> str:
    """How intervals of ratios were made, in the words of all tables that have them."""
    return (
        f"Intervals: {level:.0%}, Clopper and Pearson's, for as many independent {units} as would leave a ratio as "
        f"unsure as the {over} do (Korn and Graubard 1998)."
    )


def interval(found: Interval | Estimate | Any) -> Cell:
    """The ends of an interval, or that it is undefined."""
    if found.low is None or found.high is None:
        return Undefined(found.reason or "no interval")
    return Range(found.low, found.high)


# --- agreement --------------------------------------------------------------------------------------------


def agreement_section(
    analysis: AgreementAnalysis,
    unit: str,
    truncated: Mapping[str, int] | None = None,
    ceiling: Evaluation | None = None,
    notes: Sequence[str] = (),
) -> Section:
    """The rules side by side, a row a metric; people among themselves in the last row.

    `notes` are what else is to be said, such as how the pairs were chosen.
    `truncated` counts, by signature, the scores of texts whose end a model did not see: a column where there are any.
    """
    cut = {row.signature: (truncated or {}).get(row.signature, 0) for row in analysis.rows}
    rows = [agreement_row(row.metric, row.evaluation, row.signature, cut[row.signature]) for row in analysis.rows]
    if ceiling is not None:
        people = agreement_row("people", ceiling, "each judgment against the majority of the others", 0)
        if ceiling.agreement.pairs == 0:
            alone = Undefined("no pair was judged by 2 annotators of whom one sees no tie")
            people |= {name: alone for name, cell in people.items() if isinstance(cell, Undefined)}
        no_scores = Undefined("people choose, and have no scores to be close")
        rows.append(people | dict.fromkeys(("acc_eq", "threshold", "acc_eq 95 %"), no_scores))
    if not any(cut.values()):
        rows = [{name: cell for name, cell in row.items() if name != "truncated"} for row in rows]
    said = [
        "n: pairs on which people and the metric have a say; C: the metric prefers the same summary, D: the other one, "
        "T: neither (within 1e-9).",
        *(f"{rule[0].upper()}{rule[1:]}." for rule in RULES.values()),
        "Coverage: (C + D) / n. acc_eq: ties of people count, too, and differences up to a threshold are ties of the "
        "metric; each document is judged by a threshold fitted on others, the column shows the one fitted on all.",
    ]
    if ceiling is not None:
        said.append(
            "People: each judgment against the majority of the others on its pair. A metric can do better, where "
            "people are noisy."
        )
    if analysis.rows:
        found = analysis.rows[0].evaluation
        said.append(ratio_intervals_note(found.intervals.half.level, found.over))
        if 1 < analysis.documents < DOCUMENTS_OF_INTERVALS:
            said.append(
                f"There are {analysis.documents} documents only: where each has many pairs, such intervals are too "
                "narrow (those of 5 documents of 100 pairs hold the truth in 87 to 92 of 100 studies), and p values "
                "hardly get small."
            )
        if "length" not in labels_of(analysis):
            said.append("There is no row for length, which a metric has to beat: score the summaries by it, too.")
    else:
        said.append("There is no metric: no pair has scores.")
    if analysis.weighed:
        said.append(
            "Pairs were drawn with unequal probability: ratios weigh each by one over it and so estimate those of all "
            "pairs that could have been drawn; n, C, D and T count."
        )
    left_out = f"{analysis.human_ties} human tie{'' if analysis.human_ties == 1 else 's'}" + (
        f", {analysis.split} split" if analysis.split else ""
    )
    title = f"Agreement of metrics with people, per {unit} ({left_out})"
    return Section("agreement", title, rows, [*said, *notes], "no pair has scores")


def sampling_notes(rule: str) -> list[str]:
    """What the rule by which a study's pairs were chosen does to its figures."""
    if rule != "rouge_k_differs":
        return []
    return [
        "Pairs were chosen so that their ROUGE-K differs: it has no ties there, which favours it by strict and half."
    ]


def not_weighed(section: Section) -> Section:
    """The same table, saying that it describes the pairs that were drawn."""
    note = "Not weighed: this describes the pairs that were drawn, not all pairs that could have been."
    return section._replace(notes=[*section.notes, note])


def labels_of(analysis: AgreementAnalysis) -> set[str]:
    """The names of its metrics, without options."""
    return {row.signature.split("|", maxsplit=1)[0] for row in analysis.rows}


def agreement_row(label: str, found: Evaluation, signature: str, truncated: int) -> dict[str, Cell]:
    """One line of the agreement table."""
    counts, ties = found.agreement, found.ties
    nothing = no_ratio(counts)
    return {
        "metric": label,
        "n": counts.pairs,
        "half": known(counts.half, nothing),
        "half 95 %": interval(found.intervals.half),
        "strict": known(counts.strict, nothing),
        "decided": known(counts.decided, nothing),
        "coverage": known(counts.coverage, nothing),
        "acc_eq": known(ties.accuracy, ties.reason),
        "threshold": known(ties.threshold, ties.reason),
        "C": counts.concordant,
        "D": counts.discordant,
        "T": counts.tied,
        "missing": counts.missing,
        "truncated": truncated,
        "strict 95 %": interval(found.intervals.strict),
        "decided 95 %": interval(found.intervals.decided),
        "coverage 95 %": interval(found.intervals.coverage),
        "acc_eq 95 %": interval(found.ties_interval),
        "signature": signature,
    }


def no_ratio(counts: Agreement) -> str:
    """Why a ratio of an agreement is undefined, where it is."""
    return "no pair that people decide has a value" if counts.pairs == 0 else "the metric decides no pair"


def comparison_section(analysis: AgreementAnalysis) -> Section:
    """Every two metrics on the pairs that both score."""
    rows: list[dict[str, Cell]] = [
        {
            "first": found.first,
            "second": found.second,
            "difference": known(found.difference, found.reason),
            "n": found.n,
            "documents": found.documents,
            "p": known(found.p, found.reason),
            "p (Holm)": known(found.p_holm, found.reason),
            "test": found.test or "none",
            "p (Wilcoxon)": known(found.wilcoxon_p, found.wilcoxon_reason),
        }
        for found in analysis.comparisons
    ]
    notes = [
        f"Difference: agreement by the rule {analysis.rule} of the first minus that of the second, on the pairs that "
        "both score. p: sign-flip test over documents, exact McNemar where every document gives one pair and no tie "
        "earns half; both hold for other documents that the same people judge. Holm's correction over all "
        "comparisons of the table. Wilcoxon: signed-rank test of the documents' means, uncorrected."
    ]
    if any(found.test == TWO_WAY for found in analysis.comparisons):
        notes.append(
            "Several annotators judged, and are a sample as documents are: p is of a t test whose variance is that of "
            "documents and of annotators, and never below the sign-flip test's. It holds for other documents and other "
            "annotators; few annotators who differ leave it large, and two are too few: where they differ, up to 11 of "
            "100 studies without a difference have p below .05. Wilcoxon's test allows for documents only, as if "
            "everybody judged as these annotators do."
        )
    if analysis.weighed:
        notes.append(
            "Pairs were drawn with unequal probability: difference and p weigh each by one over it. Wilcoxon's test is "
            "not weighed: documents count alike, however probable their pairs were."
        )
    notes += flip_notes(analysis.comparisons)
    return Section(
        "comparisons", "Metric against metric on the same pairs", rows, notes, "there are fewer than 2 metrics"
    )


def flip_notes(comparisons: Sequence[PairedComparison]) -> list[str]:
    """What the p values of sign flips rest on, and whether so few documents can show anything."""
    notes = []
    flipped = next((found for found in comparisons if found.flips is not None), None)
    if flipped is not None and flipped.seed is not None:
        notes.append(f"{flipped.flips} random flips, seed {flipped.seed}.")
    elif flipped is not None:
        notes.append("All flips of the documents are counted, none is drawn.")
    tested = [found for found in comparisons if found.test is not None]
    needed = fewest_documents(comparisons=max(1, len(tested)))
    if tested and max(found.documents for found in tested) < needed:
        corrected = f" after Holm's correction over {len(tested)} comparisons" if len(tested) > 1 else ""
        notes.append(
            f"Nothing here can be significant at .05: that takes {needed} documents or more{corrected}, however large "
            "the difference."
        )
    return notes


def difference_section(analysis: AgreementAnalysis) -> Section:
    """The agreement by how far apart a metric's two scores are."""
    rows: list[dict[str, Cell]] = [
        {
            "metric": row.metric,
            "from": part.low,
            "to": part.high,
            "n": part.n,
            "decided": part.decided,
            "decided 95 %": interval(part.interval),
        }
        for row in analysis.rows
        for part in row.evaluation.bins
    ]
    note = (
        "The pairs that people and the metric decide, in up to five equal parts by the size of the metric's difference."
    )
    notes = [note, "The shares are weighed, n counts."] if analysis.weighed else [note]
    if rows:
        found = analysis.rows[0].evaluation
        notes.append(ratio_intervals_note(found.intervals.half.level, found.over))
    empty = "no pair is decided by both people and a metric"
    return Section("by_difference", "Agreement by the difference of the scores", rows, notes, empty)


def position_section(shares: Sequence[SideShare]) -> Section:
    """How often the summary on the left was chosen."""
    rows: list[dict[str, Cell]] = [
        {
            "annotator": "all annotators" if found.annotator is None else str(found.annotator),
            "left": found.left,
            "n": found.n,
            "share": known(found.share, found.reason),
            "95 %": interval(found),
            "p": known(found.p, found.reason),
            "p (Holm)": known(found.p if found.annotator is None else found.p_holm, found.reason),
        }
        for found in shares
    ]
    note = "Binomial test against one half, Wilson intervals, Holm's correction over annotators; ties are left out."
    return Section("position", "Position check: how often the left summary was chosen", rows, [note])


# --- correlation ------------------------------------------------------------------------------------------


HOLDS_FOR: dict[Permute, str] = {
    "documents": "new documents, these systems",
    "systems": "new systems, these documents",
    "both": "new systems and documents",
    "cells": "these systems and documents",
}
"""What a figure says something of, by what was drawn or swapped for it."""


def by_level(names: Mapping[Any, str], chosen: str | None, defaults: Sequence[str]) -> list[str]:
    """The names of what is drawn or swapped: one that was chosen, or the defaults, each with its levels."""
    if chosen is not None:
        return [names[chosen]]
    return [
        f"{names[kind]} ({', '.join(level for level, of in zip(LEVELS, defaults, strict=True) if of == kind)})"
        for kind in dict.fromkeys(defaults)
    ]


def drawn_over(resample: Resample | None) -> str:
    """What intervals of correlations draw."""
    names = {"documents": "documents", "systems": "systems", "both": "documents and systems"}
    return " and ".join(by_level(names, resample, RESAMPLE_BY_LEVEL))


def tests_of(permute: Permute | None) -> str:
    """The permutation tests of correlations."""
    return ", ".join(by_level(PERMUTATION_TESTS, permute, PERMUTE_BY_LEVEL))


def correlation_section(
    name: str, title: str, rows: Sequence[CorrelationRow], resample: Resample | None = None
) -> Section:
    """Coefficients of pairs of columns at three levels, with what each rests on.

    `resample` is what intervals drew, None where it was that of each level.
    """
    notes = [
        "Global: all summaries pooled; input: the mean over documents of the coefficient within each, leaving out "
        "documents where either side is constant or has fewer than two values; system: of the systems' means."
    ]
    if rows:
        found = rows[0].intervals.global_
        notes += [
            f"Intervals: {found.level:.0%}, percentile bootstrap over {drawn_over(resample)}, {found.resamples} "
            f"resamples, seed {found.seed}.",
            f"They hold for {'; '.join(by_level(HOLDS_FOR, resample, RESAMPLE_BY_LEVEL))}.",
        ]
        systems = max(row.levels.system.n for row in rows)
        if 1 < systems < FEW_SYSTEMS and resample != "documents":
            notes.append(
                f"There are {systems} systems only: intervals that draw systems are too narrow (those of 3 systems "
                "hold the truth in 83 of 100 studies, those of 2 in 48)."
            )
    cells = []
    for row in rows:
        line: dict[str, Cell] = {"first": row.first, "second": row.second, "coefficient": row.method}
        for level, found_, ends in zip(LEVELS, row.levels, row.intervals, strict=True):
            line[level] = known(found_.r, found_.reason)
            line[f"{level} 95 %"] = interval(ends) if found_.r is not None else Undefined(found_.reason or "undefined")
        line |= {
            "summaries": row.levels.global_.n,
            "documents": row.levels.input.n,
            "left out": row.levels.input.left_out,
            "systems": row.levels.system.n,
        }
        cells.append(line)
    return Section(name, title, cells, notes, "there are not the two columns of scores that it compares")


def discrepancy_section(found: Sequence[Discrepancy]) -> Section:
    """On how many pairs ROUGE-K and another metric prefer different summaries."""
    rows: list[dict[str, Cell]] = [
        {
            "first": row.first,
            "second": row.second,
            "share": known(row.share, "no pair has scores of both"),
            "share 95 %": interval(row.share_interval),
            "of decided": known(row.decided, "no pair is decided by both"),
            "of decided 95 %": interval(row.decided_interval),
            "part": row.parted,
            "ties": row.tied,
            "n": row.pairs,
            "documents": row.documents,
        }
        for row in found
    ]
    notes = [
        "Part: pairs of summaries of one document of which one metric prefers the one and the other metric the other; "
        "share: of all pairs that both score (n); of decided: of those in which neither ties. People have no say. The "
        "ROUGE-K paper has one such share, 16.7 %, of its own pairs."
    ]
    notes += [ratio_intervals_note(row.share_interval.level, row.over) for row in found[:1]]
    empty = "the summaries are not scored by ROUGE-K and another metric"
    return Section("discrepancies", "Pairs on which ROUGE-K and another metric part", rows, notes, empty)


COEFFICIENTS = {"pearson": "Pearson's r", "spearman": "Spearman's rho", "kendall": "Kendall's tau-b"}


PERMUTATION_TESTS: dict[Permute, str] = {
    "systems": "Perm-Systems",
    "documents": "Perm-Inputs",
    "both": "Perm-Systems + Perm-Inputs",
    "cells": "PERM-BOTH",
}
"""Permutation tests by what swaps, as Deutsch et al. 2021 call them."""

WHAT_SWAPS: dict[Permute, str] = {
    "systems": "Perm-Systems (Deutsch et al. 2021) swaps all summaries of a system together.",
    "documents": "Perm-Inputs (Deutsch et al. 2021) swaps all summaries of a document together.",
    "both": "Perm-Systems + Perm-Inputs adds what swapping systems and what swapping documents does to the difference, "
    "scaled to the variance of clusters in two ways.",
    "cells": "PERM-BOTH (Deutsch et al. 2021) swaps each summary by itself: it takes these systems and documents as "
    "fixed, and finds far too many differences where other systems or documents would differ.",
}


def out_of_reach(comparisons: Sequence[CorrelationComparison]) -> list[str]:
    """Say at which levels no p can be significant after Holm's correction, because too little can swap."""
    notes = []
    for level in LEVELS:
        tested = [found for found in comparisons if found.level == level and found.p is not None]
        found = min(tested, key=lambda found: found.least, default=None)
        if found is None or found.least * found.comparisons <= ALPHA:
            continue
        units = fewest_documents(ALPHA, found.comparisons)  # as many as a sign-flip test
        swapped = {"both": "systems and documents", "cells": "summaries"}.get(found.permuted, found.permuted)
        drawn = found.least <= 1 / (found.permutations + 1)
        least = min(1.0, found.least * found.comparisons)
        corrected = (
            f", or {least:.2g} after Holm's correction over {found.comparisons} comparisons"
            if found.comparisons > 1
            else ""
        )
        notes.append(
            f"No difference at the {level} level can be significant at {ALPHA:g}: the smallest p that this test can "
            f"give here is {found.least:.2g}{corrected}. It takes "
            f"{'more permutations' if drawn else f'{units} {swapped}'}"
            f"{', or fewer metrics' if found.comparisons > 1 else ''}."
        )
    return notes


def correlation_test_section(
    comparisons: Sequence[CorrelationComparison], human: str, method: str = "pearson"
) -> Section:
    """Which of two metrics correlates better with people."""
    rows: list[dict[str, Cell]] = [
        {
            "first": found.first,
            "second": found.second,
            "level": found.level,
            "difference": known(found.difference, found.reason),
            "n": found.n,
            "p": known(found.p, found.reason),
            "p (Holm)": known(found.p_holm, found.reason),
            "test": PERMUTATION_TESTS[found.permuted] + (", exact" if found.exact else ""),
            "permutations": found.permutations,
            "holds for": HOLDS_FOR[found.permuted],
            "p (Williams)": known(found.williams_p, found.williams_reason),
        }
        for found in comparisons
    ]
    notes = [
        f"Difference of {COEFFICIENTS[method]} with {human}, first minus second. p: a permutation test, which swaps "
        "the standardised scores of both metrics at random; Holm's correction over the comparisons of a level. "
        "Williams' test takes summaries, or systems, to be independent.",
        *(WHAT_SWAPS[permuted] for permuted in dict.fromkeys(found.permuted for found in comparisons)),
    ]
    if any(found.permutations and not found.exact for found in comparisons):
        notes.append(f"Exact tests make all permutations, the others draw them with seed {comparisons[0].seed}.")
    notes += out_of_reach(comparisons)
    return Section(
        "correlation_tests", "Metric against metric by correlation", rows, notes, "there are fewer than 2 metrics"
    )


# --- systems ----------------------------------------------------------------------------------------------


def spread_section(analyses: Sequence[SystemsAnalysis]) -> Section:
    """How well each metric tells systems apart."""
    rows: list[dict[str, Cell]] = [
        {
            "metric": found.name,
            "population standard deviation": known(found.spread.std, found.spread.reason),
            "mean": known(found.spread.mean, found.spread.reason),
            "systems": found.spread.systems,
        }
        for found in analyses
    ]
    note = (
        "Standard deviation of the systems' means, divided by their number and not by one less, as in the ROUGE-K "
        "paper's Table 8: large where systems are told apart."
    )
    return Section("distinguishability", "How far metrics tell systems apart", rows, [note])


def system_section(analyses: Sequence[SystemsAnalysis]) -> Section:
    """Mean scores of the systems, a column a metric; those that beat the baselines have a dagger."""
    systems = list(dict.fromkeys(mean.system for found in analyses for mean in found.means))
    means = {found.name: {mean.system: mean.mean for mean in found.means} for found in analyses}
    rows: list[dict[str, Cell]] = [
        {"system": system}
        | {name: known(values.get(system), "no summary of this system has a score") for name, values in means.items()}
        for system in systems
    ]
    for found in analyses:
        for row in rows:
            if row["system"] in found.beating:
                row[found.name] = Marked(means[found.name][row["system"]] or 0.0, DAGGER)
    notes = [baselines_note(found.baselines) for found in analyses[:1] if found.baselines]
    return Section("systems", "Mean scores of systems", rows, notes)


def baselines_note(baselines: Sequence[str]) -> str:
    """What a dagger says."""
    each = f"each of {', '.join(baselines)}" if len(baselines) > 1 else baselines[0]
    return (
        f"{DAGGER}: beats {each}: a higher mean, and p below {BEATEN:g} by Wilcoxon's signed-rank test, two-sided, "
        "over the documents that both sum up. p is not corrected: a system has to beat all baselines, which keeps the "
        "level however many they are; the number of systems and metrics is not accounted for."
    )


def drawn_pairs_not_weighed(section: Section, people: str) -> Section:
    """A table of systems, saying which of its figures describe the pairs that were drawn."""
    note = (
        f"Not weighed: {people} describes the pairs that were drawn, not all pairs that could have been. Figures of "
        "metrics are of all summaries, and need no weights."
    )
    return section._replace(notes=[*section.notes, note])


def wilcoxon_section(analyses: Sequence[SystemsAnalysis]) -> Section:
    """Every two systems by each metric."""
    rows: list[dict[str, Cell]] = [
        {
            "metric": found.name,
            "first": two.first,
            "second": two.second,
            "difference": known(two.difference, two.reason),
            "n": two.n,
            "p": known(two.p, two.reason),
            "p (Holm)": known(two.p_holm, two.reason),
        }
        for found in analyses
        for two in found.comparisons
    ]
    note = (
        "Wilcoxon's signed-rank test over the documents that both systems sum up; Holm's correction over the systems "
        "of a metric. Difference: of the means, first minus second."
    )
    return Section("wilcoxon", "System against system", rows, [note], "there are fewer than 2 systems")


# --- reliability ------------------------------------------------------------------------------------------


def reliability_section(alpha: Estimate, fleiss: FleissKappa, raw: Estimate) -> Section:
    """Coefficients of agreement between all annotators."""
    judgments = "" if fleiss.judgments_per_pair is None else f", pairs with {fleiss.judgments_per_pair} judgments"
    rows: list[dict[str, Cell]] = [
        {
            "coefficient": label,
            "value": known(found.value, found.reason),
            "95 %": interval(found),
            "pairs": found.n,
            "documents": found.documents,
        }
        for label, found in (
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
    return Section("reliability", "Agreement between annotators", rows, notes)


def cohen_section(kappas: Sequence[Kappa]) -> Section:
    """Cohen's kappa of every two annotators."""
    rows: list[dict[str, Cell]] = [
        {
            "first": found.first,
            "second": found.second,
            "kappa": known(found.kappa, found.reason),
            "95 %": interval(found),
            "raw agreement": known(found.agreement, found.reason),
            "n": found.n,
        }
        for found in kappas
    ]
    note = (
        "Pairs that both judged. Intervals: 95%, those of the agreement, by kappa's own variance over documents, and "
        "corrected by the same chance."
    )
    return Section(
        "cohen", "Cohen's kappa of every two annotators", rows, [note], "no two annotators judged the same pair"
    )


def annotators_section(annotators: Sequence[AnnotatorReliability]) -> Section:
    """What is known of each annotator."""
    rows: list[dict[str, Cell]] = [
        {
            "annotator": found.annotator,
            "judgments": found.judgments,
            "median seconds": known(found.median_seconds, found.reasons.get("median_seconds")),
            "ties": found.ties,
            "chose left": known(found.left_share, found.reasons.get("left_share")),
            "agrees with others": known(found.agreement, found.reasons.get("agreement")),
            "of": found.agreement_n,
            "checks passed": found.checks_passed,
            "checks": found.checks,
        }
        for found in annotators
    ]
    note = (
        "Agrees with others: the share of decided judgments that are what the majority of the others says, where it is "
        "decided. Checks: pairs with a known answer; they count nowhere else."
    )
    return Section("annotators", "Annotators", rows, [note])


def ranking_section(ranking: Ranking) -> Section:
    """Systems by Bradley-Terry strength."""
    rows: list[dict[str, Cell]] = [
        {
            "system": row.system,
            "rank": known(row.rank, ranking.reason),
            "strength": known(row.strength, ranking.reason),
            "95 %": interval(row) if row.low is not None else Undefined(ranking.reason or "no interval"),
            "wins": row.wins,
            "comparisons": row.comparisons,
            "win share": known(row.win_share, "never compared"),
        }
        for row in ranking.rows
    ]
    notes = [
        f"Bradley-Terry strengths on the log-odds scale, summing to 0; a tie is half a win for each; penalty "
        f"{ranking.penalty:g}. Intervals: {ranking.level:.0%}, percentile bootstrap over {ranking.documents} "
        f"documents, {ranking.resamples} resamples, seed {ranking.seed}."
    ]
    notes += [note for note in (ranking.reason, ranking.note) if note]
    return Section("ranking", "Systems ranked by people's choices", rows, notes, ranking.reason or "nobody judged")


# --- data sets ---------------------------------------------------------------------------------------------


def keyword_statistics_section(found: KeywordStatistics) -> Section:
    """How many references and keywords documents have."""
    no_keyword = "no document has keywords"
    rows: list[dict[str, Cell]] = [
        {
            "documents": found.documents,
            "references per document": known(found.references, "there are no documents"),
            "keywords per document": known(found.keywords, "there are no documents"),
            "words per keyword": known(found.words, no_keyword),
            "documents without keywords": found.without,
        }
    ]
    notes = [
        "As in the ROUGE-K paper's Table 4: the title is one of the references, keywords are the n-grams that two of "
        "them share, their length is in words without stop words. Texts that stand as systems are counted here."
    ]
    return Section("dataset_keywords", "References and keywords of the data set", rows, notes)


def length_statistics_section(found: Sequence[Lengths]) -> Section:
    """How long texts are."""
    rows: list[dict[str, Cell]] = [
        {
            "text": row.of,
            "unit": row.unit,
            "n": row.n,
            "mean": row.mean,
            "std": known(row.std, "there is only one"),
            "min": row.minimum,
            "25%": row.lower,
            "50%": row.median,
            "75%": row.upper,
            "max": row.maximum,
        }
        for row in found
    ]
    notes = [
        "Words as the metric length counts them. Source : reference: how many words of the source there are for one of "
        "a reference. Standard deviation with n - 1 as divisor."
    ]
    return Section("dataset_lengths", "Lengths of the texts", rows, notes, "there are no documents")


# --- planning ---------------------------------------------------------------------------------------------


def plan_section(plan: Plan) -> Section:
    """What a study needs."""
    rows: list[dict[str, Cell]] = [
        {
            "pairs": known(plan.pairs, plan.reason),
            "judgments": known(plan.judgments, plan.reason),
            "documents": known(plan.documents, plan.reason),
            "independent pairs": known(plan.independent_pairs, plan.reason),
            "design effect": plan.design_effect,
        }
    ]
    notes = [
        *plan_notes(plan),
        "Independent pairs: so many would do if each came from a document of its own. Design effect: 1 + (m - 1) ICC "
        "of m pairs a document.",
    ]
    return Section("plan", "What the study needs", rows, notes)


def plan_notes(plan: Plan) -> list[str]:
    """What a plan is for, how sure it is, and why it takes so many documents."""
    if plan.method is None:
        return []
    if plan.test is None:
        return [
            f"Planned for the {plan.method}, of the pairs divided by the design effect. There are at least "
            f"{plan.fewest_documents} documents: with fewer, intervals over documents do not hold their level, however "
            "many pairs each gives."
        ]
    why = "as each document gives one pair" if plan.test == MCNEMAR else "as documents give several pairs"
    power = "Number of pairs by" if plan.power is None else f"Power {plan.power:.1%}:"
    fewest = f"With fewer than {plan.fewest_documents} documents it cannot reach alpha, however many pairs each gives"
    if plan.documents == plan.fewest_documents:
        fewest += "; that is why it takes so many"
    return [
        f"Planned for the test that will compare the two: {plan.test}, {why}. {fewest}. {power} {plan.method}.",
        "Of several judgments of a pair the majority counts. Where annotators differ, a comparison that is to hold for "
        "other annotators, too, needs more than this.",
    ]


def observed_section(first: str, second: str, found: Observed) -> Section:
    """What a planned study can be reckoned from."""
    rows: list[dict[str, Cell]] = [
        {
            "first": first,
            "second": second,
            "agreement of the first": known(found.first, found.reason),
            "agreement of the second": known(found.second, found.reason),
            "phi": known(found.phi, found.reason),
            "ICC": known(found.icc, found.reason),
            "pairs per document": known(found.pairs_per_document, found.reason),
            "n": found.n,
        }
    ]
    return Section("observed", "What was observed", rows)


# --- keywords ---------------------------------------------------------------------------------------------


def by_source_section(found: Sequence[Recall]) -> Section:
    """Mean ROUGE-K of the systems over keywords inside and outside of the source."""
    rows: list[dict[str, Cell]] = [
        {
            "system": row.system,
            "ROUGE-K": known(row.everywhere.value, row.everywhere.reason),
            "documents": row.everywhere.documents,
            "IN-SRC": known(row.in_source.value, row.in_source.reason),
            "IN-SRC documents": row.in_source.documents,
            "OUT-SRC": known(row.out_source.value, row.out_source.reason),
            "OUT-SRC documents": row.out_source.documents,
        }
        for row in found
    ]
    notes = [
        "IN-SRC: only keywords that occur in the source, as whole lemmatised words in order; OUT-SRC: only those that "
        "do not (ROUGE-K paper, Table 9).",
        "Means over documents; one that has no such keyword, or no source, is left out of that column.",
    ]
    return Section("keywords_by_source", "ROUGE-K by where the keywords occur", rows, notes, NO_SUMMARIES)


def by_length_section(found: Sequence[LengthRecall]) -> Section:
    """Mean ROUGE-K of the systems over keywords of each length."""
    rows: dict[str, dict[str, Cell]] = {}
    for part in found:
        label = words_label(part.words)
        row = rows.setdefault(part.system, {"system": part.system})
        row[label] = known(part.recall.value, part.recall.reason)
        row[f"{label}: n"] = part.recall.documents
    notes = [
        "Length in words without stop words (ROUGE-K paper, Figure 2). Means over documents; n: those that have "
        "keywords of that length.",
    ]
    title = "ROUGE-K by the length of the keywords"
    return Section("keywords_by_length", title, list(rows.values()), notes, NO_SUMMARIES)


def words_label(words: int) -> str:
    """What keywords of a length are called: `1 word`, `2 words`, `10+ words`."""
    return f"{words}{'+' if words == LONGEST_ASKED else ''} word{'s' if words > 1 else ''}"


def extractors_section(found: Sequence[Shared], called: Callable[[str], str] = str) -> Section:
    """How far extractors find the same keywords; `called` says what an extractor is called."""
    rows: list[dict[str, Cell]] = [
        {
            "first": called(row.first),
            "second": called(row.second),
            "same keywords": known(row.same, "no document has keywords of both"),
            "documents": row.documents,
        }
        for row in found
    ]
    note = "Same keywords: mean over documents of the share that both find, out of the extractor that finds more."
    return Section("extractors", "How much the extractors have in common", rows, [note])
