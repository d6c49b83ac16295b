"""The pairs of a source as a list that can be filtered: what people prefer, what each metric prefers, how firmly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.one_line import in_one_line
from data.preferences import Preferences, preference_signs
from data.signatures import distinct, labels

Show = Literal["all", "against", "rather", "everybody", "agrees", "ties", "missing"]


SHOWN: Mapping[Show, str] = {
    "all": "all pairs",
    "against": "a metric and people disagree",
    "rather": "a metric is right where another is wrong",
    "everybody": "all metrics that decide are against people",
    "agrees": "a metric and people agree",
    "ties": "a metric ties where people decide",
    "missing": "a metric has no score",
}
"""What a list of pairs can be narrowed to, in words."""


class PairFilter(NamedTuple):
    """A filter of pairs, as the page's address carries it."""

    show: Show = "all"
    metric: str | None = None
    """The metric that it is about, where it is about one."""
    other: str | None = None
    """The metric that is wrong, of `rather`."""
    search: str = ""
    """A text that the document's id, or a system's name, contains."""


class Verdicts(NamedTuple):
    """What each metric says of each pair."""

    people: NDArray[np.float64]
    """Shape (pairs,): 1 for the first, -1 for the second, 0 for a tie, NaN where people are split."""
    signs: Mapping[str, NDArray[np.float64]]
    """By label, shape (pairs,): the same for a metric; NaN where it has no score."""
    firmness: Mapping[str, NDArray[np.float64]]
    """By label, shape (pairs,): the difference of the scores as a share of the metric's largest, in [0, 1]; NaN."""
    differences: Mapping[str, NDArray[np.float64]]
    """By label, shape (pairs,): the score of the first summary minus that of the second; NaN."""


def verdicts(preferences: Preferences) -> Verdicts:
    """Judge a source's pairs, one entry each (a majority, or ratings)."""
    named = labels(distinct(preferences.scores))
    differences = preferences.differences()
    signs, firmness = {}, {}
    for signature, label in named.items():
        difference = differences[signature]
        signs[label] = preference_signs(difference)
        size = np.abs(difference)
        known = size[~np.isnan(size)]
        firmness[label] = size / known.max() if len(known) and known.max() > 0 else size
    people = preference_signs(preferences.choices)
    return Verdicts(people, signs, firmness, {label: differences[signature] for signature, label in named.items()})


def confusion(found: Verdicts) -> pd.DataFrame:
    """How often each metric agrees with people, contradicts them, ties where they decide, or has no score.

    A row a metric (the index), a column one of the filters `agrees`, `against`, `ties`, `missing`.
    """
    return pd.DataFrame(
        {
            show: {metric: int(filter_pairs(found, PairFilter(show, metric)).sum()) for metric in found.signs}
            for show in ("agrees", "against", "ties", "missing")
        }
    )


def filter_pairs(found: Verdicts, chosen: PairFilter) -> NDArray[np.bool_]:
    """The pairs that a filter leaves, shape (pairs,); its `search` is not looked at. Unknown metrics leave none."""
    if chosen.show == "all":
        return np.ones(len(found.people), dtype=bool)
    unknown = np.full(len(found.people), -2.0)  # neither a sign nor missing
    decided = np.abs(found.people) == 1
    one, other = (found.signs.get(name or "", unknown) for name in (chosen.metric, chosen.other))
    if chosen.show == "everybody":
        signs = np.array(list(found.signs.values())).reshape(len(found.signs), len(found.people))
        left = (signs == -found.people).any(axis=0) & ~(signs == found.people).any(axis=0)
    else:
        left = {
            "agrees": one == found.people,
            "against": one == -found.people,
            "ties": one == 0,
            "missing": np.isnan(one),
            "rather": (one == found.people) & (other == -found.people),
        }[chosen.show]
    return np.asarray(decided & left)


def firmest(found: Verdicts, chosen: PairFilter) -> NDArray[np.float64]:
    """How strongly the pairs show what the filter is about, shape (pairs,); the mean of several metrics."""
    chosen_ones = (name for name in (chosen.metric, chosen.other) if name is not None)
    named = [found.firmness[name] for name in chosen_ones if name in found.firmness]
    about = named or list(found.firmness.values())
    if not about:
        return np.zeros(len(found.people))
    return np.asarray(np.mean([np.nan_to_num(shares) for shares in about], axis=0))


def make_pairs_frame(preferences: Preferences, found: Verdicts, chosen: PairFilter) -> pd.DataFrame:
    """The list of pairs that a filter leaves, the strongest first; `pair` is the index.

    Where the filter is about a metric, `difference` is its score of A minus that of B.
    """
    keep = filter_pairs(found, chosen)
    columns = preferences.document, preferences.first, preferences.second
    lines = {name: in_one_line(name) for column in columns for name in set(column)}  # a name stands in many pairs
    documents, firsts, seconds = ([lines[name] for name in column] for column in columns)
    if chosen.search:
        wanted = in_one_line(chosen.search).casefold()
        keep &= [
            any(wanted in text.casefold() for text in texts) for texts in zip(documents, firsts, seconds, strict=True)
        ]
    strength = firmest(found, chosen)
    entries = np.flatnonzero(keep)
    entries = entries[np.argsort(-strength[entries], kind="stable")]

    def prefers(signs: NDArray[np.float64], unknown: str) -> list[str]:
        words = np.array(["B", "tie", "A", unknown])
        return [str(word) for word in words[np.where(np.isnan(signs), 2, signs)[entries].astype(int) + 1]]

    columns_of_pairs: dict[str, object] = {
        "document": [documents[entry] for entry in entries],
        "A": [firsts[entry] for entry in entries],
        "B": [seconds[entry] for entry in entries],
        "people": prefers(found.people, "split"),
        **{metric: prefers(signs, "missing") for metric, signs in found.signs.items()},
    }
    if chosen.metric is not None and chosen.metric in found.differences:
        columns_of_pairs["difference"] = found.differences[chosen.metric][entries]
    return pd.DataFrame(columns_of_pairs | {"how strongly": strength[entries]}, index=preferences.pair[entries])


def compact(rows: pd.DataFrame) -> pd.DataFrame:
    """The list with each word kept once, and few digits of what is drawn as a bar: it is sent with every example."""
    words = {name: "category" for name in rows if name not in {"difference", "how strongly"}}
    return rows.astype({**words, "how strongly": np.float32})


def find_place(rows: pd.DataFrame, preferences: Preferences, named: tuple[str | None, str | None, str | None]) -> int:
    """Where in a list the pair of this document and these two systems stands, the first place if it does not."""
    columns = preferences.documents, preferences.firsts, preferences.seconds
    same = np.logical_and.reduce([column == name for column, name in zip(columns, named, strict=True)])
    places = np.flatnonzero(rows.index.isin(np.flatnonzero(same)))
    return int(places[0]) if len(places) else 0


def presets(metrics: Sequence[str]) -> dict[str, PairFilter]:
    """Filters to begin with, by what they show, of the metrics that are there."""

    def first(name: str) -> str | None:
        return next((metric for metric in metrics if metric.split(" ")[0] == name), None)

    found: dict[str, PairFilter] = {}
    rouge, rouge_k, others = first("rouge1"), first("rouge_k"), {"BERTScore": "bertscore", "ROUGE-1": "rouge1"}
    if rouge:
        found["ROUGE-1 and people disagree"] = PairFilter("against", rouge)
    for name, other in ((name, first(other)) for name, other in others.items()):
        if rouge_k and other:
            found[f"ROUGE-K right where {name} is wrong"] = PairFilter("rather", rouge_k, other)
    if len(metrics) > 1:
        found["all metrics against the majority"] = PairFilter("everybody")
    return found
