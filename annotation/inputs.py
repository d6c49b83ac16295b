"""Checks of what annotators type and choose, before it is stored."""

from datetime import datetime, timedelta
from unicodedata import normalize

from annotation.records import TooSoon
from data.store import StoreError, checked_name

SOONEST = timedelta(milliseconds=400)
"""The least time between showing a pair and a choice; sooner is a key held down or pressed twice."""


def person_name(name: str) -> str:
    """Return an annotator's name in NFC, so that one person has one name on every keyboard. Raises `StoreError`."""
    return normalize("NFC", checked_name(name))


def check_times(presented_at: datetime, decided_at: datetime, too_soon: str) -> None:
    """Refuse a choice that was made too soon to be thought about. Raises `TooSoon` with that message, `StoreError`."""
    if presented_at.tzinfo is None or decided_at.tzinfo is None:
        raise StoreError("a time without a time zone cannot be stored")
    if decided_at - presented_at < SOONEST:
        raise TooSoon(too_soon)


def clean_text(text: str) -> str:
    """Strip typed text and drop what a database cannot store: NUL and lone surrogates."""
    return text.replace("\0", "").encode(errors="replace").decode().strip()
