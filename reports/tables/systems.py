"""Tables of systems: means beside upper bounds, published figures, distinguishability, and significant differences."""

import math
from collections.abc import Callable, Mapping, Sequence

from relevance.analysis.metrics_and_people import SystemsAnalysis
from relevance.analysis.significance import ALPHA
from relevance.analysis.systems import MOST_COMPARED, GivenMeans, SystemRuns
from relevance.data.signatures import is_length, name_of
from relevance.reports.tables.bounds import READING, reads_references
from relevance.reports.tables.table import DAGGER, GROWS, Cell, Marked, Table, Undefined, interval, number_cell

BOUND = (
    "Best extracts are not systems: they read the references. No choice of sentences of that length has a higher "
    "ROUGE-1."
)

RUNS = (
    "±: standard deviation over the runs of a system, divided by their number and not by one less (ROUGE-K paper, "
    "Table 8); systems called NAME#1, NAME#2 and so on are runs of NAME. Tests take the mean of a document's runs."
)

FEW = 5
"""The most systems that a note names."""

NOT_SCORED = "best extracts are chosen by ROUGE-1, and not scored otherwise"


def spread_table(analyses: Sequence[SystemsAnalysis]) -> Table:
    """Make the table of how well each metric tells systems apart."""
    rows: list[dict[str, Cell]] = [
        {
            "metric": analysis.name,
            "population standard deviation": number_cell(analysis.spread.std, analysis.spread.reason),
            "mean": number_cell(analysis.spread.mean, analysis.spread.reason),
            "systems": analysis.spread.systems,
        }
        for analysis in analyses
    ]
    note = (
        "Standard deviation of the systems' means, divided by their number and not by one less, as in the ROUGE-K "
        "paper's Table 8: large where the metric tells systems apart."
    )
    return Table("distinguishability", "How well metrics distinguish systems", rows, [note])


def system_table(
    analyses: Sequence[SystemsAnalysis], bounds: Sequence[GivenMeans] = (), people: str | None = None
) -> Table:
    """Make the table of systems' means by metric, then of upper bounds; a dagger marks who beats the baselines.

    The column of `people`, if there is one, comes first.
    """
    analyses = sorted(analyses, key=lambda analysis: analysis.name != people)
    documents: dict[str, int] = {}
    for analysis in analyses:
        for of in analysis.runs:
            documents[str(of.system)] = max(of.n, documents.get(str(of.system), 0))
    rows: list[dict[str, Cell]] = [{"system": system, "documents": documents[system]} for system in documents]
    for analysis in analyses:
        runs = {str(of.system): of for of in analysis.runs}
        for system, row in zip(documents, rows, strict=True):
            beats = system in analysis.beating and not reads_references(system)
            row[column_name(analysis)] = mean_cell(runs.get(system), DAGGER if beats else "")
    rows += [
        dict[str, Cell](
            {"system": bound.system, "documents": bound.documents or Undefined("their number is not known")}
        )
        | {column_name(analysis): number_cell(bound.means.get(analysis.signature), NOT_SCORED) for analysis in analyses}
        for bound in bounds
    ]
    notes = [baselines_note(analysis.baselines) for analysis in analyses[:1] if analysis.baselines]
    notes += describe_fewer(analyses)
    notes += [RUNS] if any(of.runs > 1 for analysis in analyses for of in analysis.runs) else []
    notes += [GROWS] if any(map(has_keywords, analyses)) else []
    notes += [BOUND] if bounds else []
    notes += [READING] if any(map(reads_references, documents)) else []
    return Table("systems", "Mean scores of systems", rows, notes)


def mean_table(analyses: Sequence[SystemsAnalysis], only: str | None = None) -> Table:
    """Make the table of systems' means by each metric, or by `only` one, with their intervals, a row each."""
    rows: list[dict[str, Cell]] = [
        {
            "metric": analysis.name,
            "system": str(of.system),
            "mean": number_cell(of.mean, of.reason),
            "95 %": interval(of.interval),
            "documents": of.n,
        }
        for analysis in analyses
        if only in (None, analysis.name)
        for of in analysis.means
    ]
    note = (
        "Intervals by Student's t over documents. Systems sum up the same documents, so overlapping intervals do not "
        "show that two are alike: Wilcoxon's test compares them document by document."
    )
    return Table("system_means", "Means of systems with intervals", rows, [note])


def describe_fewer(analyses: Sequence[SystemsAnalysis]) -> list[str]:
    """Say which systems have fewer documents than others, and in which columns: do not compare those means."""
    columns: dict[tuple[str, ...], list[str]] = {}
    for analysis in analyses:
        most = max((of.n for of in analysis.runs), default=0)
        fewer = tuple(f"{of.system} ({of.n} of {most})" for of in analysis.runs if 0 < of.n < most)
        columns.setdefault(fewer, []).append(column_name(analysis))
    columns.pop((), None)
    notes = []
    for fewer, names in columns.items():
        of_all = len(names) == len(analyses)
        more = f" and {len(fewer) - FEW} more" if len(fewer) > FEW else ""
        notes.append(f"{'' if of_all else ', '.join(names) + ' of '}{', '.join(fewer[:FEW])}{more}")
    return [f"Means of fewer documents than others have, not to be compared: {'; '.join(notes)}."] if notes else []


def mean_cell(runs: SystemRuns | None, mark: str) -> Cell:
    """Return a system's mean by a metric, marked, with its standard deviation over runs if there are several."""
    if runs is None or runs.mean is None:
        return Undefined("no summary of this system has a score")
    return Marked(runs.mean, mark, runs.std) if mark or runs.std is not None else runs.mean


def column_name(analysis: SystemsAnalysis) -> str:
    """Return the heading of a metric's column; length is called `words`, as it is not a score."""
    return "words" if is_length(analysis.signature) else analysis.name


def has_keywords(analysis: SystemsAnalysis) -> bool:
    """Tell whether a column is recall of keywords."""
    return name_of(analysis.signature) == "rouge_k"


def baselines_note(baselines: Sequence[str]) -> str:
    """Explain the dagger."""
    each = f"each of {', '.join(baselines)}" if len(baselines) > 1 else baselines[0]
    return (
        f"{DAGGER}: beats {each}: a higher mean, and p below {ALPHA:g} by Wilcoxon's signed-rank test, two-sided, "
        "over the documents that both sum up. p is not corrected: a system has to beat all baselines, which keeps the "
        "level however many they are; the number of systems and metrics is not accounted for."
    )


PUBLISHED_NOTE = (
    "Quoted, not computed here: metrics may be set up otherwise, and nothing is tested against these figures. Keyword "
    "recall grows with length, and how long the summaries were is not published. GSum is guided by keywords of the "
    "references, so it reads them. Takeshita et al. 2024: ROUGE-K: Do Your Summaries Have Keywords? *SEM."
)


def published_table(published: Sequence[GivenMeans], label_of: Callable[[str], str]) -> Table:
    """Make the table of published figures for the same data set; `label_of` gives a metric's name."""
    columns = dict.fromkeys(name for of in published for name in of.means)
    rows: list[dict[str, Cell]] = [
        {"system": of.system}
        | {label_of(name): number_cell(of.means.get(name), "the paper does not report it") for name in columns}
        | {"source": of.source}
        for of in published
    ]
    return Table("systems_published", "As published", rows, [PUBLISHED_NOTE])


def wilcoxon_table(analyses: Sequence[SystemsAnalysis], only: str | None = None) -> Table:
    """Compare every two systems by each metric, or by `only` one, and by their length."""
    longer = words_apart(analyses)
    shown = [analysis for analysis in analyses if only in (None, analysis.name)]
    rows: list[dict[str, Cell]] = [
        {
            "metric": comparison.name,
            "first": str(two.first),
            "second": str(two.second),
            "difference": number_cell(two.difference, two.reason),
            "documents": two.n,
            "p": number_cell(two.p, two.reason),
            "p (Holm)": number_cell(two.p_holm, two.reason),
            "words apart": longer.get((str(two.first), str(two.second)), Undefined("their lengths are not compared")),
        }
        for comparison in shown
        for two in comparison.comparisons
    ]
    notes = [
        "Wilcoxon's signed-rank test over the documents that both systems summarize; Holm's correction over the "
        "systems of a metric. Difference: of the means, first minus second. Words apart: how many words longer the "
        "first is on average."
    ]
    notes += [GROWS] if any(map(has_keywords, shown)) else []
    systems = max((len(analysis.means) for analysis in analyses), default=0)
    if systems > MOST_COMPARED:
        notes.append(
            f"{systems:,} systems make {math.comb(systems, 2):,} pairs: only the {MOST_COMPARED} systems with the "
            "highest means by a metric are compared, and corrected for. --systems compares others."
        )
    return Table("wilcoxon", "System against system", rows, notes, "there are fewer than 2 systems")


def words_apart(analyses: Sequence[SystemsAnalysis]) -> Mapping[tuple[str, str], Cell]:
    """Return by two systems how many words longer the first is on average; empty if no lengths are known."""
    return {
        (str(two.first), str(two.second)): number_cell(two.difference, two.reason)
        for analysis in analyses
        if is_length(analysis.signature)
        for two in analysis.comparisons
    }
