"""The keys of a study file that may change once people have come, and the differences of two protocols."""

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from relevance.annotation.protocol.records import Checks, Judging, Pinned, Sampling, StudyProtocol, Surveys

CHANGEABLE = (
    *("title", "closes", "instructions", "texts", "links", "panel"),
    *("judging.judged_twice", "judging.most_per_annotator", "judging.idle_minutes"),
)
"""Keys that change no pair, no question and no condition that somebody agreed to."""

BY_KEY = (Checks, Judging, Pinned, Sampling, Surveys)
"""Tables that are compared key by key; others change as a whole."""


def find_changes(before: StudyProtocol, after: StudyProtocol) -> tuple[str, ...]:
    """Return the keys in which two protocols differ, such as `judging.ties`, in the order of the file."""
    return tuple(name for name, _ in compare(as_asked(before), as_asked(after), ""))


def as_asked(protocol: StudyProtocol) -> StudyProtocol:
    """Return a protocol with the question that annotators read: `texts` may reword it like any text of the pages."""
    return replace(protocol, question=protocol.texts.get(protocol.question, protocol.question))


def compare(before: Any, after: Any, table: str) -> Iterator[tuple[str, Any]]:
    """Yield the keys in which two records of one class differ, each with its new value."""
    for key in (field.name for field in fields(before)):
        old, new = getattr(before, key), getattr(after, key)
        if isinstance(old, BY_KEY):
            yield from compare(old, new, f"{key}.")
        elif old != new:
            yield f"{table}{key}", new


def may_change(key: str) -> bool:
    """Tell whether a key may change once people have come."""
    return key in CHANGEABLE
