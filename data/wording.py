"""Parts of sentences: lists and numbers of things."""

import math
from collections.abc import Sequence


def join_items(items: Sequence[str], joint: str = "and") -> str:
    """Join items as in a sentence: `A, B and C`."""
    return f" {joint} ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))


def format_count(number: int, one: str, more: str | None = None) -> str:
    """Write a number of things, such as `1,000 pairs`; `more` is an irregular plural."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"


def format_duration(seconds: float) -> str:
    """Write a duration in minutes, rounded up, or from two hours on in hours: `1 minute`, `15 hours`."""
    minutes = max(1, math.ceil(seconds / 60))
    return format_count(minutes, "minute") if minutes < 120 else format_count(round(minutes / 60), "hour")
