"""The number of a new study's pairs that two people judge, with what it shows of their agreement."""

from functools import cache

import streamlit as st

from relevance.analysis.agreement.planning import find_half_width, pairs_for_interval
from relevance.data.wording import format_count
from relevance.reports.formats.cells import without_zero

TWICE = "Pairs that two people judge"

ABOUT_TWICE = "They are asked first, and are a random part of the pairs. How far people agree is known from them alone."

KEY = "new_twice"

AGREEMENT = 0.8
"""The share of pairs on which two people are taken to choose the same summary."""
HALF_WIDTH = 0.15
"""The half width of its interval for which a number of pairs is suggested."""


def ask_twice(judgments: int, drawn: int | None) -> int:
    """Ask how many pairs two people are to judge, where the study wants one judgment of each, and suggest a number.

    `drawn` is the number of the study's pairs, None where it is unknown. Return the number; 0 where each pair has
    several judgments anyway, or there is no pair.
    """
    if judgments > 1 or drawn == 0:
        return 0
    left, right = st.columns(2, vertical_alignment="bottom")
    twice = left.number_input(TWICE, 0, None, 0, key=KEY, help=ABOUT_TWICE)
    if drawn is not None:
        twice = min(twice, drawn)
    with right:
        if twice:
            st.caption(describe_twice(twice, drawn))
        else:
            suggested = find_suggested()
            suggest_twice(suggested if drawn is None else min(suggested, drawn))
    return twice


@cache
def find_suggested() -> int:
    """Find the number of pairs to suggest; it takes longer than the rest of the form, which is drawn at each change."""
    return pairs_for_interval(AGREEMENT, HALF_WIDTH).pairs or 0


def describe_twice(twice: int, drawn: int | None) -> str:
    """Say how well agreement is known from so many pairs, and how many judgments the study wants with them."""
    half, assumed = (without_zero(share, 2) for share in (find_half_width(AGREEMENT, twice), AGREEMENT))
    known = f"The share of pairs on which two people agree will be known to within about {half}, if it is {assumed}."
    return known if drawn is None else f"{format_count(drawn + twice, 'judgment')} in all. {known}"


def suggest_twice(pairs: int) -> None:
    """Say what one judgment of each pair leaves open, and offer two judgments of so many."""
    st.caption("With 1 judgment per pair nothing can be said of the agreement between annotators.")
    st.button(
        f"Ask two people about {format_count(pairs, 'pair')}",
        key="take_twice",
        on_click=lambda: st.session_state.update({KEY: pairs}),
        help=describe_twice(pairs, None),
    )
