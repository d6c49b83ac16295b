"""What a study file may still say otherwise once people have come, and how two protocols differ."""

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from annotation.protocol.records import Checks, Judging, Pinned, Sampling, StudyProtocol, Surveys

CHANGEABLE = (
    *("title", "closes", "instructions", "texts", "links", "panel"),
    *("judging.most_per_annotator", "judging.idle_minutes"),
)
"""What changes no pair, no question and no condition that somebody agreed to."""

BY_KEY = (Checks, Judging, Pinned, Sampling, Surveys)
"""Tables that are compared key by key; others change as a whole."""


def find_changes(before: StudyProtocol, after: StudyProtocol) -> tuple[str, ...]:
    """The keys in which two protocols differ, such as `judging.ties`, in the order of the file."""
    return tuple(name for name, _ in compare(as_asked(before), as_asked(after), ""))


def as_asked(protocol: StudyProtocol) -> StudyProtocol:
    """A protocol with the question that annotators read, which `texts` may word otherwise, as any text of the pages."""
    return replace(protocol, question=protocol.texts.get(protocol.question, protocol.question))


def compare(before: Any, after: Any, table: str) -> Iterator[tuple[str, Any]]:
    """The keys in which two records of one class differ, each with what it says now."""
    for key in (field.name for field in fields(before)):
        old, new = getattr(before, key), getattr(after, key)
        if isinstance(old, BY_KEY):
            yield from compare(old, new, f"{key}.")
        elif old != new:
            yield f"{table}{key}", new


def may_change(key: str) -> bool:
    """Whether a key may say something else once people have come."""
    return key in CHANGEABLE
