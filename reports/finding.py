"""What a study or a data set says of metrics, in sentences."""

from analysis.leaders import Leaders, Rival
from analysis.metrics_and_people import MetricRow
from analysis.study import WON, Unit
from annotation.demo import MADE_UP
from data.demo import AUTHOR
from reports.escaping import format_count, join_items
from reports.formats import format_p

MOST_PAIRS = 100_000
"""Pairs beyond which a plan is no plan: at half a minute each, that is five working months of one person."""


def name_people(study: str | None, aspect: str | None, *, adjudicated: bool = False) -> str:
    """Whose preferences a study, what was `adjudicated` in it, or ratings hold, as the object of a sentence."""
    if adjudicated:
        return "adjudicators"
    if study == MADE_UP:
        return "the made-up judgments"
    if study is not None:
        return "annotators"
    return "the author's labels" if aspect == AUTHOR else f"ratings of {aspect}"


def name_ratings(aspect: str) -> str:
    """Ratings as a column of a table or an axis of a chart is called."""
    if aspect == WON:
        return WON
    return "author labels" if aspect == AUTHOR else f"ratings of {aspect}"


def is_chance(leaders: Leaders) -> bool:
    """Whether the best metric's interval does not lie above chance."""
    low = leaders.best.evaluation.intervals.half.low
    return low is not None and low <= 0.5


def write_headline(leaders: Leaders, people: str) -> str:
    """Which metric is the best, in a few words, and whether others may be as good, or chance."""
    if is_chance(leaders):  # said of the best alone: the interval of one with fewer ties may lie above chance
        return f"{leaders.best.metric} agrees best with {people}, but not significantly more often than chance"
    return f"{leaders.best.metric} agrees best with {people}{', but not clearly' if leaders.rivals else ''}"


def write_finding(leaders: Leaders, people: str, unit: Unit) -> str:
    """How often the best metric agrees, which ones cannot be told from it, and how many more pairs would do that.

    `unit` is what the preferences are. Where the best does not lie above chance, nothing is said of the others.
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


def write_plan(more: int, best: str, rival: str) -> str:
    """What it would take to tell two metrics apart."""
    needed = f"More than {MOST_PAIRS:,}" if more > MOST_PAIRS else f"About {two_digits(more):,}"
    return f"{needed} more pairs would tell {best} from {rival}, if the difference between them stays as it is."


def write_share(row: MetricRow, unit: Unit) -> str:
    """A metric's agreement with its interval."""
    counts, ends = row.evaluation.agreement, row.evaluation.intervals.half
    interval = "" if ends.low is None or ends.high is None else f"95 % interval {ends.low:.3f} to {ends.high:.3f}; "
    over = format_count(counts.pairs, "judgment" if unit == "judgment" else "pair")
    return f"{counts.half or 0:.3f} of {over} ({interval}chance is 0.500)"


def name_rival(rival: Rival) -> str:
    """A rival with its agreement and p value."""
    p = "" if rival.p is None else f", p {'' if rival.p < 0.0005 else '= '}{format_p(rival.p)}"
    return f"{rival.row.metric} ({rival.row.evaluation.agreement.half or 0:.3f}{p})"


def two_digits(number: int) -> int:
    """A number of pairs with the two digits that a plan can be held to."""
    return int(float(f"{number:.1e}"))
