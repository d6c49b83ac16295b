"""The rule on the time between showing a pair and choosing: a choice that comes too soon is refused."""

from datetime import datetime, timedelta

from relevance.annotation.records import TooSoon
from relevance.data.store import StoreError

SOONEST = timedelta(milliseconds=400)
"""The least time between showing a pair and a choice; sooner is a key held down or pressed twice."""


def check_times(presented_at: datetime, decided_at: datetime, too_soon: str) -> None:
    """Refuse a choice that was made too soon to be thought about. Raises `TooSoon` with that message, `StoreError`."""
    if presented_at.tzinfo is None or decided_at.tzinfo is None:
        raise StoreError("a time without a time zone cannot be stored")
    if decided_at - presented_at < SOONEST:
        raise TooSoon(too_soon)
