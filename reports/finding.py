"""The findings of a study or data set about metrics, in sentences."""

from relevance.analysis.agreement.evaluation import ENOUGH_DOCUMENTS, ENOUGH_JUDGMENTS
from relevance.analysis.leaders import Leaders, Rival, Wanting
from relevance.analysis.metrics_and_people import MetricRow
from relevance.analysis.study import BY_ANNOTATORS, Unit
from relevance.reports.escaping import format_count, join_items
from relevance.reports.formats.cells import format_p

MOST_PAIRS = 100_000
"""The most pairs that a plan names: at half a minute each, they take one person five working months."""


TOO_LITTLE = "Too early to say which metric agrees best"
"""The headline where nothing can be called the best."""


def is_chance(leaders: Leaders) -> bool:
    """Tell whether the best metric's interval reaches down to chance."""
    low = leaders.best.evaluation.intervals.half.low
    return low is not None and low <= 0.5


def write_headline(leaders: Leaders, people: str) -> str:
    """Say in a few words which metric is the best, and whether it beats the others and chance significantly."""
    if is_chance(leaders):  # said of the best alone: the interval of one with fewer ties may lie above chance
        return f"{leaders.best.metric} agrees best with {people}, but not significantly more often than chance"
    return f"{leaders.best.metric} agrees best with {people}{', but not clearly' if leaders.rivals else ''}"


def write_finding(leaders: Leaders, people: str, unit: Unit) -> str:
    """Say how often the best metric agrees, which ones cannot be told from it, and how many more pairs would do so.

    `unit` is the unit of the preferences. If the best is not significantly above chance, the others are not mentioned.
    """
    best, rivals, plan = leaders.best, leaders.rivals, leaders.plan
    if is_chance(leaders):
        highest = f"{best.metric} has the highest agreement with {people}: {write_share(best, unit)}."
        return f"{highest} That is not significantly above chance."
    sentences = [f"{best.metric} agrees with {people} on {write_share(best, unit)}."]
    if not rivals:
        return f"{sentences[0]} Every other metric agrees significantly less."
    named = join_items([name_rival(rival) for rival in rivals])
    sentences.append(f"It cannot be told from {named} at the level .05 after Holm's correction.")
    if plan is not None and plan.pairs is not None and plan.pairs > leaders.pairs:
        sentences.append(write_plan(plan.pairs - leaders.pairs, best.metric, rivals[0].row.metric))
    return " ".join(sentences)


def write_wanting(wanting: Wanting, unit: Unit) -> str:
    """Say what there is and what is missing, where there is too little for a finding."""
    one = name_entry(unit)
    missing = [
        format_count(number, f"more {thing}")
        for number, thing in zip(wanting.missing, (one, "document"), strict=True)
        if number
    ]
    there = f"{format_count(wanting.judgments, one)} of {format_count(wanting.documents, 'document')}"
    return (
        f"So far {there} can be counted: people prefer one of the two summaries, and a metric scores both. Naming a "
        f"best metric takes at least {ENOUGH_JUDGMENTS} {one}s of {ENOUGH_DOCUMENTS} documents. Still missing: "
        f"{join_items(missing)}."
    )


def write_plan(more: int, best: str, rival: str) -> str:
    """Say how many more pairs it would take to tell two metrics apart."""
    needed = f"More than {MOST_PAIRS:,}" if more > MOST_PAIRS else f"About {two_digits(more):,}"
    return f"{needed} more pairs would tell {best} from {rival}, if the difference between them stays as it is."


def write_share(row: MetricRow, unit: Unit) -> str:
    """Write a metric's agreement with its interval."""
    counts, ends = row.evaluation.agreement, row.evaluation.intervals.half
    interval = "" if ends.low is None or ends.high is None else f"95 % interval {ends.low:.3f} to {ends.high:.3f}; "
    over = format_count(counts.pairs, name_entry(unit))
    return f"{counts.half or 0:.3f} of {over} ({interval}chance is 0.500)"


def name_entry(unit: Unit) -> str:
    """Return the noun for one of the preferences that are counted."""
    return "judgment" if unit in BY_ANNOTATORS else "pair"


def name_rival(rival: Rival) -> str:
    """Name a rival with its agreement and p value."""
    p = "" if rival.p is None else f", p {'' if rival.p < 0.0005 else '= '}{format_p(rival.p)}"
    return f"{rival.row.metric} ({rival.row.evaluation.agreement.half or 0:.3f}{p})"


def two_digits(number: int) -> int:
    """Round a number of pairs to two digits, as a plan is no more exact than that."""
    return int(float(f"{number:.1e}"))
