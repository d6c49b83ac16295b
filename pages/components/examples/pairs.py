"""Filters of a source's pairs by what people and each metric prefer, and how firmly."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from relevance.data.preferences import Preferences
from relevance.data.signatures import distinct, labels
from relevance.data.ties import preference_signs
from relevance.metrics import METRICS
from relevance.metrics.registry import label_of

Show = Literal["all", "against", "rather", "everybody", "agrees", "ties", "missing", "starred"]

SHOWN: Mapping[Show, str] = {
    "all": "All pairs",
    "against": "A metric and people disagree",
    "rather": "A metric is right where another is wrong",
    "everybody": "No metric right",
    "agrees": "A metric and people agree",
    "ties": "A metric ties where people decide",
    "missing": "A metric has no score",
    "starred": "Starred",
}
"""The filters of pairs, in words."""

PAIRWISE: tuple[Show, ...] = ("against", "rather", "agrees", "ties", "missing")
"""Filters that are about a metric."""


class PairFilter(NamedTuple):
    """A filter of pairs, as the page's address carries it."""

    show: Show = "all"
    metric: str | None = None
    """The metric that it is about, if any."""
    other: str | None = None
    """The metric that is wrong, in `rather`."""
    search: str = ""
    """A text that the document's id, or a system's name, contains."""

    @property
    def address(self) -> dict[str, str]:
        """Its parts in an address, without empty ones."""
        return {name: value for name, value in self._asdict().items() if value}

    @property
    def metrics(self) -> list[str]:
        """The metrics that it names."""
        return [name for name in (self.metric, self.other) if name is not None]


def describe_filter(chosen: PairFilter) -> str:
    """Say what a filter leaves, in plain words without a full stop."""
    filters = {
        "against": f"{chosen.metric} and people disagree",
        "rather": f"{chosen.metric} right where {chosen.other} is wrong",
        "agrees": f"{chosen.metric} and people agree",
        "ties": f"{chosen.metric} ties where people decide",
        "missing": f"{chosen.metric} has no score",
    }
    return filters.get(chosen.show, SHOWN[chosen.show])


def read_filter(address: Mapping[str, str], known: Mapping[str, str]) -> PairFilter:
    """Read the filter from the parts of an address; wrong parts are ignored.

    `known` maps all names that an address may use to the metrics' labels, as `names_of_metrics` returns them.
    """
    names = list(dict.fromkeys(known.values()))
    show: Show = next((show for show in SHOWN if show == address.get("show")), "all")
    if show not in PAIRWISE or not names or (show == "rather" and len(names) < 2):
        return PairFilter(show if show not in PAIRWISE else "all", search=address.get("search", ""))
    metric = known.get(address.get("metric", ""), names[0])
    others = [name for name in names if name != metric]
    other = known.get(address.get("other", ""))
    wrong = None if show != "rather" else other if other in others else others[0]
    return PairFilter(show, metric, wrong, address.get("search", ""))


def names_of_metrics(signatures: Iterable[str]) -> dict[str, str]:
    """Map each label, and the name that files and older addresses use, to the metric's label."""
    known = distinct(signatures)
    of_pages, of_files = labels(known, label_of), labels(known)
    return {of_files[name]: label for name, label in of_pages.items()} | {label: label for label in of_pages.values()}


class Verdicts(NamedTuple):
    """The preferences of people and of each metric on each pair."""

    people: NDArray[np.float64]
    """Shape (pairs,): 1 for the first summary, -1 for the second, 0 for a tie, NaN if people are split."""
    signs: Mapping[str, NDArray[np.float64]]
    """The same for each metric, by label, shape (pairs,); NaN if it has no score."""
    firmness: Mapping[str, NDArray[np.float64]]
    """The difference of the scores as a share of the metric's largest, in [0, 1], by label, shape (pairs,); NaN if it
    has no score.
    """


def verdicts(preferences: Preferences) -> Verdicts:
    """Compute the verdicts on a source's pairs, with one entry each (a majority, or ratings)."""
    named = labels(distinct(preferences.scores), label_of)
    differences = preferences.differences()
    signs, firmness = {}, {}
    for signature, label in named.items():
        difference = differences[signature]
        signs[label] = preference_signs(difference)
        size = np.abs(difference)
        known = size[~np.isnan(size)]
        firmness[label] = size / known.max() if len(known) and known.max() > 0 else size
    return Verdicts(preference_signs(preferences.choices), signs, firmness)


def confusion(verdicts_found: Verdicts) -> pd.DataFrame:
    """Count how often each metric agrees with people, contradicts them, ties where they decide, or has no score.

    The index is the metric, the columns are the filters `agrees`, `against`, `ties`, `missing`.
    """
    return pd.DataFrame(
        {
            show: {
                metric: int(filter_pairs(verdicts_found, PairFilter(show, metric)).sum())
                for metric in verdicts_found.signs
            }
            for show in ("agrees", "against", "ties", "missing")
        }
    )


def count_sides(verdicts_found: Verdicts) -> pd.DataFrame:
    """Count the pairs on which one metric is right and another one is wrong, as the filter `rather` leaves them.

    The index is the metric that is right, the columns are those that are wrong.
    """
    metrics = list(verdicts_found.signs)
    decided = np.abs(verdicts_found.people) == 1
    signs = np.array(list(verdicts_found.signs.values())).reshape(len(metrics), len(decided))
    right, wrong = (
        (decided & (signs == side)).astype(np.int64) for side in (verdicts_found.people, -verdicts_found.people)
    )
    return pd.DataFrame(right @ wrong.T, index=metrics, columns=metrics)


def filter_pairs(verdicts_found: Verdicts, chosen: PairFilter) -> NDArray[np.bool_]:
    """Tell which pairs a filter leaves, shape (pairs,), apart from its `search`.

    Unknown metrics leave none, and so does `starred`, as verdicts know nothing of stars.
    """
    if chosen.show in ("all", "starred"):
        return np.full(len(verdicts_found.people), chosen.show == "all")
    unknown = np.full(len(verdicts_found.people), -2.0)  # neither a sign nor missing
    decided = np.abs(verdicts_found.people) == 1
    first, second = (verdicts_found.signs.get(name or "", unknown) for name in (chosen.metric, chosen.other))
    if chosen.show == "everybody":
        signs = np.array(list(verdicts_found.signs.values())).reshape(
            len(verdicts_found.signs), len(verdicts_found.people)
        )
        left = (signs == -verdicts_found.people).any(axis=0) & ~(signs == verdicts_found.people).any(axis=0)
    else:
        left = {
            "agrees": first == verdicts_found.people,
            "against": first == -verdicts_found.people,
            "ties": first == 0,
            "missing": np.isnan(first),
            "rather": (first == verdicts_found.people) & (second == -verdicts_found.people),
        }[chosen.show]
    return np.asarray(decided & left)


def firmest(verdicts_found: Verdicts, chosen: PairFilter) -> NDArray[np.float64]:
    """Return how strongly pairs show what the filter is about, shape (pairs,); the mean of several metrics."""
    named = [verdicts_found.firmness[name] for name in chosen.metrics if name in verdicts_found.firmness]
    about = named or list(verdicts_found.firmness.values())
    if not about:
        return np.zeros(len(verdicts_found.people))
    return np.asarray(np.mean([np.nan_to_num(shares) for shares in about], axis=0))


def presets(metrics: Sequence[str]) -> list[PairFilter]:
    """Return the preset filters for the metrics that are there."""

    def first(name: str) -> str | None:
        label = METRICS[name].label
        return next((metric for metric in metrics if metric == label or metric.startswith(f"{label} (")), None)

    strengths = []
    rouge_k, others = first("rouge_k"), [first("bertscore"), first("rouge1")]
    for other in others:
        if rouge_k and other:
            strengths.append(PairFilter("rather", rouge_k, other))
    if others[1]:
        strengths.append(PairFilter("against", others[1]))
    if len(metrics) > 1:
        strengths.append(PairFilter("everybody"))
    return strengths
