"""The findings of a comparison of two sources of preferences, in sentences."""

from relevance.analysis.agreement.evaluation import MetricEvaluation
from relevance.analysis.two_sources import MetricDifference, TwoSources
from relevance.data.wording import format_count, join_items
from relevance.reports.findings import CORRECTED, MOST_NAMED, format_percent, write_rivals_of
from relevance.reports.presentation import Names, name_agreement


def name_metrics(comparison: TwoSources, names: Names) -> TwoSources:
    """Return the same comparison with the metrics under other names."""
    first, second = (
        result._replace(agreement=name_agreement(result.agreement, names))
        for result in (comparison.first, comparison.second)
    )
    shown = {row.signature: row.metric for row in first.agreement.rows}
    rows = tuple(row._replace(metric=shown[row.signature]) for row in comparison.rows)
    return comparison._replace(first=first, second=second, rows=rows)


def write_headline(comparison: TwoSources, first: str, second: str) -> str:
    """Say which metric agrees most often with each source; `first` and `second` are the names of these."""
    bests = [
        None if result.leading is None else result.leading.best.metric
        for result in (comparison.first, comparison.second)
    ]
    if not comparison.rows:
        return "The two have scores by no metric in common"
    if None in bests:
        early = [f"“{name}”" for name, best in zip((first, second), bests, strict=True) if best is None]
        return f"Too early to say which metric agrees best with {join_items(early)}"
    first_best, second_best = bests
    if first_best == second_best:
        return f"{first_best} agrees most often with both"
    return f"{first_best} agrees most often with “{first}”, {second_best} with “{second}”"


def write_rivals(comparison: TwoSources, first: str, second: str) -> str:
    """Say which metrics may be as good as the best of each source; empty where there is no best."""
    both = ((first, comparison.first.leading), (second, comparison.second.leading))
    if all(leading is not None and leading.rivals and not leading.worse for _, leading in both):
        return "By neither of them is any other metric significantly worse than the best."
    sentences = []
    for name, leading in both:
        if leading is not None and leading.rivals:
            rivals = write_rivals_of([rival.row.metric for rival in leading.rivals])
            sentences.append(f"By “{name}”, {rivals} than {leading.best.metric}.")
    return " ".join(sentences)


def write_both(comparison: TwoSources, first: str, second: str) -> str:
    """Say on how many pairs the two sources prefer the same summary."""
    both = comparison.both
    if not comparison.listed:
        return f"“{first}” and “{second}” have too many pairs to say on how many they prefer the same summary."
    if both is None:
        return f"“{first}” and “{second}” have no pair of summaries in common."
    shared = format_count(both.pairs, "pair")
    if not both.decided:
        return f"They have {shared} in common, and on none of these do both prefer a summary."
    share = format_percent(both.same / both.decided, both.decided)
    ends = [format_percent(end, both.decided) for end in (both.interval.low, both.interval.high) if end is not None]
    interval = f", 95 % interval {' to '.join(ends)} %" if ends else ""
    rest = both.pairs - both.decided
    undecided = f" On {rest:,} more, at least one of them prefers neither." if rest else ""
    return (
        f"Where both prefer a summary, it is the same one on {both.same:,} of {format_count(both.decided, 'pair')} "
        f"({share} %{interval}).{undecided}"
    )


def write_differences(comparison: TwoSources, first: str, second: str) -> str:
    """Say which metrics agree significantly more often with one of the two."""
    compared = [row for row in comparison.rows if row.difference is not None]
    if not compared:
        return "No metric has enough pairs in both for a difference to be tested." if comparison.rows else ""
    if not comparison.parting:
        largest = f" The largest difference is that of {write_row(compared[0])}." if compared[0].difference else ""
        return f"No metric agrees significantly more often with one than with the other {CORRECTED}.{largest}"
    more = [
        (
            name,
            [row for row in comparison.parting if (row.difference is not None) and (row.difference.value > 0) is above],
        )
        for name, above in ((first, True), (second, False))
    ]
    sentences = [
        f"{name_parting(rows)} significantly more often with “{name}” than with “{other}”"
        for (name, rows), other in zip(more, (second, first), strict=True)
        if rows
    ]
    return f"{join_items(sentences)} {CORRECTED}."


def name_parting(rows: list[MetricDifference]) -> str:
    """Name metrics with their figures, or count them, as the subject of agreeing."""
    if len(rows) > MOST_NAMED:
        return f"{len(rows)} metrics agree"
    return f"{join_items([write_row(row) for row in rows])} {'agrees' if len(rows) == 1 else 'agree'}"


def write_row(row: MetricDifference) -> str:
    """Write a metric with its agreement with the first source and with the second."""
    return f"{row.metric} ({write_percent(row.first)} and {write_percent(row.second)})"


def write_percent(evaluation: MetricEvaluation) -> str:
    """Write a ratio of the rule `half` as a percentage of the pairs or judgments that count."""
    counts = evaluation.agreement
    return f"{format_percent(counts.half or 0, counts.pairs)} % of {counts.pairs:,}"


def write_people(comparison: TwoSources, first: str, second: str) -> str:
    """Say how often people agree among themselves in each source, where several judged the same pairs."""
    sentences = [
        f"In “{name}”, {write_percent(result.ceiling)} judgments agree with the majority of the others on their pair."
        for name, result in ((first, comparison.first), (second, comparison.second))
        if result.ceiling is not None and result.ceiling.agreement.half is not None
    ]
    return " ".join(sentences)
