"""The date on which a study closes by itself, in the visitor's time zone."""

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import streamlit as st

LIMITS = datetime(2000, 1, 2), datetime(9998, 12, 30)
"""The first and last dates that study files accept in every time zone."""


def ask_closing(closes: datetime | None, key: str) -> datetime | None:
    """Ask for a closing date, by default `closes`; None for none."""
    zone = find_zone()
    shown = None if closes is None else closes.astimezone(zone).replace(tzinfo=None, second=0, microsecond=0)
    given = st.datetime_input(
        "Closing date",
        shown,
        *LIMITS,
        key=key,
        help=f"Empty: it stays open until you close it. Time zone: {zone}.",
    )
    if given is None or given == shown:
        return None if given is None else closes
    return given.replace(tzinfo=zone)


def describe_closing(closes: datetime | None) -> str:
    """Say when a study closes; empty where it does not."""
    return "" if closes is None else f"{closes.astimezone(find_zone()):%Y-%m-%d %H:%M} ({find_zone()})"


def find_zone() -> tzinfo:
    """Return the browser's time zone; UTC where it names none, or an unknown one."""
    try:
        return ZoneInfo(st.context.timezone or "UTC")
    except (ValueError, OSError):  # no valid name, or no known zone
        return UTC
