"""Parts of sentences: lists and numbers of things."""

import math
from collections.abc import Sequence


def join_items(items: Sequence[str], joint: str = "and") -> str:
    """Join items as in a sentence: `A, B and C`."""
    return f" {joint} ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))


def format_count(number: int, single: str, more: str | None = None) -> str:
    """Write a number of things, such as `1,000 pairs`; `more` is an irregular plural."""
    return f"{number:,} {single if number == 1 else more or single + 's'}"


def round_duration(seconds: float) -> tuple[int, str]:
    """Round a duration up to minutes, or from two hours on to hours; the second is `minute` or `hour`."""
    minutes = max(1, math.ceil(seconds / 60))
    return (minutes, "minute") if minutes < 120 else (round(minutes / 60), "hour")


def format_duration(seconds: float) -> str:
    """Write a duration in minutes or hours: `1 minute`, `15 hours`."""
    return format_count(*round_duration(seconds))
