"""Parts of sentences: lists of words, names of metrics, verdicts."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from relevance.data.records import SOURCE, Example
from relevance.data.ties import TIE
from relevance.data.wording import join_items
from relevance.metrics.explained import Explained
from relevance.metrics.keywords.overlap import STOP_WORDS
from relevance.reports.evidence.blocks import quote_span

MOST = 4
"""The most quotations in one sentence; further ones are counted."""

UNDECIDED = {"tie": "had no preference", "missing": "gave no preference", "split": "were split"}
"""The preferences that are for no summary, in words."""


def join_first_items(items: Iterable[str], joint: str = "and") -> str:
    """Join the first `MOST` distinct items, and the number of further ones."""
    distinct = list(dict.fromkeys(items))
    more = len(distinct) - MOST
    return join_items(distinct, joint) if more <= 0 else join_items([*distinct[:MOST], f"{more} more"])


def is_content(word: str) -> bool:
    """Tell whether a word, in any case, is not a function word."""
    return word.casefold() not in STOP_WORDS


def figures(values: Sequence[float]) -> list[str]:
    """Format values with three decimals, or as many as tell apart those that are not tied."""
    ordered = sorted(values)
    for digits in range(3, 10):
        if all(b - a <= TIE or f"{a:.{digits}f}" != f"{b:.{digits}f}" for a, b in pairwise(ordered)):
            break
    return [f"{value:.{digits}f}" for value in values]


def reference_name(index: int | None, example: Example) -> str:
    """Return the name of a compared text; `None` is the source."""
    if index is None or example.against == SOURCE:
        return "the source"
    return "the reference" if len(example.references) == 1 else f"reference {index + 1}"


def reference_heading(index: int | None, example: Example) -> str:
    """Return the heading of a compared text; `None` is the source."""
    return "Source" if index is None or example.against == SOURCE else f"Reference {index + 1}"


def rank_letters(values: Sequence[float | None], letters: Sequence[str]) -> list[list[str]]:
    """Return the letters of the summaries that have a value, the best first, ties together."""
    have = sorted(
        ((value, letter) for value, letter in zip(values, letters, strict=False) if value is not None),
        key=lambda pair: -pair[0],
    )
    result: list[list[str]] = []
    last = 0.0
    for value, letter in have:
        if result and last - value <= TIE:
            result[-1].append(letter)
        else:
            result.append([letter])
        last = value
    return [sorted(same) for same in result]


def preferred_letter(values: Sequence[float | None], letters: Sequence[str]) -> str:
    """Return the preferred letter, `tie` if several are best, or `missing` if there are no two values to compare."""
    order = rank_letters(values, letters)
    if sum(map(len, order)) < min(2, len(values)) or not order:
        return "missing"
    return order[0][0] if len(order[0]) == 1 else "tie"


def verdict_sentence(name: str, values: Sequence[float | None], letters: Sequence[str]) -> str:
    """Say which summary is preferred, with the values, in one sentence; empty without any value."""
    order = rank_letters(values, letters)
    have = {letter: value for letter, value in zip(letters, values, strict=False) if value is not None}
    shown = dict(zip(have, figures(list(have.values())), strict=True))
    if not order:
        return ""
    if len(have) == 1:
        ((letter, value),) = shown.items()
        return f"{name} gives {letter} {value}."
    if len(order) == 1:
        whole = "both" if len(have) == 2 else "all"
        return f"{name} is tied: {join_items(order[0])} {whole} score {shown[order[0][0]]}."
    if len(have) == 2:
        (first,), (second,) = order
        return f"{name} prefers {first}: {shown[first]} against {shown[second]}."
    steps = [f"{join_items(same)} ({shown[same[0]]}{' each' if len(same) > 1 else ''})" for same in order]
    return f"{name} puts {steps[0]} first, then {', then '.join(steps[1:])}."


def missing_sentences(name: str, scores: Sequence[Explained], letters: Sequence[str]) -> list[str]:
    """Write a sentence for each reason why scores are missing."""
    reasons: dict[str, list[str]] = {}
    for letter, phrases in zip(letters, scores, strict=False):
        if phrases.value is None:
            reasons.setdefault(phrases.missing or "no reason is known", []).append(letter)
    return [f"{name} has no score for {' or '.join(of)} ({reason})." for reason, of in reasons.items()]


def say_preference(judges: str, choice: str) -> str:
    """Say what judges preferred, in a clause: a letter, or one of `UNDECIDED`.

    Example: `say_preference("The author", "B")` is `The author preferred B`.
    """
    return f"{judges} {UNDECIDED.get(choice, f'preferred {choice}')}"


def overview(judges: tuple[str, str], metrics: Mapping[str, str]) -> list[str]:
    """Say who sides with whom: `judges` are a name and a preference, `metrics` maps names to preferences.

    The name is a sentence's subject, such as `The author`. A preference is a letter, `tie`, `missing` or, for people,
    `split`, as `preferred_letter` returns it.
    """
    who, choice = judges
    groups: dict[str, list[str]] = {}
    for name, prefers in metrics.items():
        groups.setdefault(prefers, []).append(name)
    clauses = []
    if groups and choice not in (*UNDECIDED, *groups):
        clauses.append("no metric agrees")
    for prefers in sorted(
        groups, key=lambda prefers: (prefers == "missing", prefers == "tie", prefers != choice, prefers)
    ):
        single = len(groups[prefers]) == 1
        verb = {
            choice: "agrees" if single else "agree",
            "tie": "is tied" if single else "are tied",
            "missing": "has no score" if single else "have no score",
        }.get(prefers, f"{'prefers' if single else 'prefer'} {prefers}")
        clauses.append(f"{join_items(groups[prefers])} {verb}")
    sentences = [f"{say_preference(who, choice)}."]
    return [*sentences, sentence("; ".join(clauses))] if clauses else sentences


class Seen(NamedTuple):
    """One summary with a metric's evidence."""

    letter: str
    example: Example
    evidence: object


def sentence(words: str) -> str:
    """Make a sentence of words: with a capital and a full stop."""
    return f"{words[:1].upper()}{words[1:]}."


def quote(name: str) -> str:
    """Return a name in quotation marks, cut if it is long."""
    return quote_span(name, (0, len(name)))
