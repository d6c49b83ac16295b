"""Signatures of metrics: what tells two of them apart, and which of them are of one metric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

MEAN, MAXIMUM = "|refs:mean|", "|refs:max|"
"""What the signatures of two ways to take several references differ in."""


def labels(signatures: Sequence[str]) -> dict[str, str]:
    """By signature: the metric's name, with the options in which it differs from another signature of that name."""
    split = [signature.split("|") for signature in signatures]
    names = Counter(name for name, *_ in split)
    found = {}
    for signature, (name, *options) in zip(signatures, split, strict=True):
        others = [set(other) for other_name, *other in split if other_name == name]
        own = [option for option in options if not all(option in other for other in others)]
        found[signature] = f"{name} ({', '.join(own)})" if names[name] > 1 else name
    return found


def distinct(signatures: Iterable[str]) -> list[str]:
    """The signatures without those by the mean over references that are there by the maximum, too.

    They are asked for in the table with ROUGE-K; elsewhere every metric would stand twice, and be tested twice.
    """
    known = list(signatures)
    return [one for one in known if one.replace(MEAN, MAXIMUM) == one or one.replace(MEAN, MAXIMUM) not in known]


def find_signature(name: str, signatures: Iterable[str]) -> str | None:
    """The first of the signatures that belongs to a metric, None where none does."""
    return next((signature for signature in signatures if signature.split("|")[0] == name), None)
