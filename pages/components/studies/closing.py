"""When a study closes by itself, in the time zone of whoever looks at the page."""

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import streamlit as st

LIMITS = datetime(2000, 1, 2), datetime(9998, 12, 30)
"""What a study file takes, in every time zone."""


def ask_closing(closes: datetime | None, key: str) -> datetime | None:
    """Ask for a closing date, by default the one that there is; None for none."""
    zone = find_zone()
    shown = None if closes is None else closes.astimezone(zone).replace(tzinfo=None, second=0, microsecond=0)
    given = st.datetime_input(
        "Closing date", shown, *LIMITS, key=key, help=f"Empty: when you close it. The time zone is {zone}."
    )
    if given is None or given == shown:
        return None if given is None else closes
    return given.replace(tzinfo=zone)


def describe_closing(closes: datetime | None) -> str:
    """When a study closes, in words; empty where it does not."""
    return "" if closes is None else f"{closes.astimezone(find_zone()):%Y-%m-%d %H:%M} ({find_zone()})"


def find_zone() -> tzinfo:
    """The time zone of the browser, as far as it says one that is known; else UTC."""
    try:
        return ZoneInfo(st.context.timezone or "UTC")
    except (ValueError, OSError):  # no name, or none that there is
        return UTC
