"""The findings of a study or data set about metrics, in sentences."""

from collections.abc import Sequence

from relevance.analysis.agreement.counts import Agreement
from relevance.analysis.agreement.evaluation import ENOUGH_DOCUMENTS, ENOUGH_JUDGMENTS
from relevance.analysis.leaders import Leaders, Wanting
from relevance.analysis.significance import ALPHA
from relevance.analysis.study import BY_ANNOTATORS, Unit
from relevance.data.wording import format_count, join_items
from relevance.reports.formats.cells import format_p

MOST_PAIRS = 100_000
"""The most pairs that a plan names: at half a minute each, they take one person five working months."""

MOST_NAMED = 3
"""The most metrics that a sentence names, such as those beside the best in a headline."""

CORRECTED = f"(Holm, alpha = {format_p(ALPHA, 2)})"
"""Text after a statement about significance."""

TOO_LITTLE = "Too early to say which metric agrees best"
"""The headline where nothing can be called the best."""


def is_chance(leaders: Leaders) -> bool:
    """Tell whether the best metric's interval reaches down to chance."""
    low = leaders.best.evaluation.intervals.half.low
    return low is not None and low <= 0.5


def write_headline(leaders: Leaders, people: str, unit: Unit) -> str:
    """Say in two sentences how often the best metric agrees with people, and whether the others are as good.

    `unit` is the unit of the preferences. If the best is not significantly above chance, the others are not mentioned.
    """
    best, counts = leaders.best, leaders.best.evaluation.agreement
    as_often = [rival.row.metric for rival in leaders.rivals if rival.row.evaluation.agreement == counts]
    agree = "agree" if as_often else "agrees"
    names = join_items([best.metric, *as_often])
    first = f"{names} {agree} most often with {people}: on {write_share(counts, unit)}."
    if is_chance(leaders):  # said of the best alone: the interval of one with fewer ties may lie above chance
        return f"{first} That is not significantly more often than chance."
    others = [rival.row.metric for rival in leaders.rivals if rival.row.metric not in as_often]
    return first if as_often and not others and not leaders.worse else f"{first} {write_others(others, leaders.worse)}"


def write_others(rivals: Sequence[str], worse: int) -> str:
    """Say which other metrics are not significantly worse than the best, and how many are; up to three are named."""
    if not rivals and not worse:
        return "No other metric has enough scores to be compared with it."
    if not rivals:
        return f"{'All other metrics are' if worse > 1 else 'The other metric is'} significantly worse {CORRECTED}."
    if not worse and len(rivals) > 1:
        return f"No other metric is significantly worse {CORRECTED}."
    rest = f"; the other {f'{worse} metrics are' if worse > 1 else 'metric is'}" if worse else ""
    return f"{write_rivals_of(rivals)}{rest} {CORRECTED}."


def write_rivals_of(rivals: Sequence[str]) -> str:
    """Say that metrics, named or, if they are many, counted, are not significantly worse."""
    others = join_items(rivals) if len(rivals) <= MOST_NAMED else f"{len(rivals)} other metrics"
    return f"{others} {'are' if len(rivals) > 1 else 'is'} not significantly worse"


def write_details(leaders: Leaders, unit: Unit) -> str:
    """Give the best metric's interval, and how many more pairs would tell it from the nearest other one."""
    best, rivals, plan = leaders.best, leaders.rivals, leaders.plan
    counts, ends = best.evaluation.agreement, best.evaluation.intervals.half
    sentences = []
    if ends.low is not None and ends.high is not None:
        low, high = (format_percent(end, counts.pairs) for end in (ends.low, ends.high))
        sentences.append(f"The 95 % interval of {best.metric} is {low} to {high} %; chance is 50 %.")
    if counts.weighed is not None:
        sentences.append(f"Percentages weigh each {name_entry(unit)}, as pairs were drawn with unequal probability.")
    if not is_chance(leaders) and plan is not None and plan.pairs is not None and plan.pairs > leaders.pairs:
        sentences.append(write_plan(plan.pairs - leaders.pairs, best.metric, rivals[0].row.metric))
    return " ".join(sentences)


def write_wanting(wanting: Wanting, unit: Unit) -> str:
    """Say what there is and what is missing, where there is too little for a finding."""
    entry = name_entry(unit)
    missing = [
        format_count(number, f"more {thing}")
        for number, thing in zip(wanting.missing, (entry, "document"), strict=True)
        if number
    ]
    there = f"{format_count(wanting.judgments, entry)} of {format_count(wanting.documents, 'document')}"
    return (
        f"So far {there} can be counted: people prefer one of the two summaries, and a metric scores both. Naming a "
        f"best metric takes at least {ENOUGH_JUDGMENTS} {entry}s of {ENOUGH_DOCUMENTS} documents. Still missing: "
        f"{join_items(missing)}."
    )


def write_plan(more: int, best: str, rival: str) -> str:
    """Say how many more pairs it would take to tell two metrics apart."""
    needed = f"more than {MOST_PAIRS:,}" if more > MOST_PAIRS else f"about {two_digits(more):,}"
    return (
        f"Telling {best} and {rival} apart would take {needed} more pairs, if the difference between them stays as it "
        "is."
    )


def write_share(counts: Agreement, unit: Unit) -> str:
    """Write how often a metric agrees: a count, and the percentage of the rule half."""
    ties = f", counting {'its tie' if counts.tied == 1 else f'its {counts.tied:,} ties'} half" if counts.tied else ""
    return (
        f"{counts.concordant:,} of {format_count(counts.pairs, name_entry(unit))} "
        f"({format_percent(counts.half or 0, counts.pairs)} %{ties})"
    )


def format_percent(share: float, n: int) -> str:
    """Write a share of `n` as a percentage: whole below a thousand, and never 0 or 100 where it is neither.

    >>> format_percent(31 / 39, 39), format_percent(0.6174, 20_000), format_percent(249 / 250, 250)
    ('79', '61.7', '99.6')
    """
    digits = 0 if n < 1000 else 1
    while digits < 6 and float(f"{share:.{digits + 2}f}") in (0, 1) and share not in (0, 1):
        digits += 1
    return f"{100 * share:.{digits}f}"


def name_entry(unit: Unit) -> str:
    """Return the noun for one of the preferences that are counted."""
    return "judgment" if unit in BY_ANNOTATORS else "pair"


def two_digits(number: int) -> int:
    """Round a number of pairs to two digits, as a plan is no more exact than that."""
    return int(float(f"{number:.1e}"))
