"""The pairs that an annotator has judged or skipped, each with a way back to it."""

import streamlit as st

from relevance.annotation.records import CHANGED, JUDGED, SKIPPED, Annotator, AnsweredPair
from relevance.pages.components.annotate.actions import go_on
from relevance.pages.components.annotate.annotator import LISTING, SHOWN, VIEWING, state, store
from relevance.pages.components.annotate.pair import CHOSEN
from relevance.pages.components.annotate.turn import begin_turn, show_heading
from relevance.pages.components.annotate.wording import say
from relevance.reports.escaping import in_markdown

AT_ONCE = 25
"""The number of pairs that are listed at once."""

ALL = "all"
FILTER = "listed_state"  # the session key of the state that is listed
LISTED = "listed_pairs"  # that of the number of pairs that are listed


def list_pairs() -> None:
    """Show the list of judged and skipped pairs in place of the pair; once it is shown, the pair again."""
    if LISTING in state:
        leave_list()
        return
    state[LISTING] = True
    state.pop(SHOWN, None)
    state.pop(LISTED, None)


def show_answered(annotator: Annotator) -> None:
    """Show the judged and the skipped pairs, the latest first, and the way back to the pair to be judged."""
    progress = store().progress(annotator)
    counts = {
        ALL: progress.judged + progress.skipped,
        JUDGED: progress.judged,
        CHANGED: progress.changed,
        SKIPPED: progress.skipped,
    }
    heading = say("Your pairs")
    show_heading(heading, say("{judged} judged, {open} to go", judged=progress.judged, open=progress.open))
    begin_turn(-1, heading)
    st.button(say("Go on"), type="primary", key="leave-list", on_click=leave_list)
    names = {ALL: say("All"), JUDGED: say("Judged"), CHANGED: say("Changed"), SKIPPED: say("Skipped")}
    listed = st.segmented_control(
        say("Pairs"),
        list(names),
        format_func=lambda choice: f"{names[choice]} ({counts[choice]:,})",
        default=ALL,
        required=True,
        key=FILTER,
        label_visibility="collapsed",
    )
    if not counts[listed]:
        st.markdown(say("None so far."))
        return
    shown = state.get(LISTED, AT_ONCE)
    with st.container(key="answered", gap="xsmall"):
        for pair in store().answered(annotator, None if listed == ALL else listed, count=shown):
            st.button(
                in_markdown(describe_pair(pair)),
                key=f"open:{pair.assignment_id}",
                width="stretch",
                wrap=True,
                on_click=open_pair,
                args=(pair.assignment_id,),
            )
    if counts[listed] > shown:
        st.button(say("Show more"), key="more-pairs", on_click=lambda: state.update({LISTED: shown + AT_ONCE}))


def describe_pair(pair: AnsweredPair) -> str:
    """Name a pair, and say what was chosen."""
    label = say(CHOSEN[pair.choice])
    if pair.changed:
        label += f" ({say('changed')})"
    return f"{pair.number} · {pair.name} · {label}"


def open_pair(assignment_id: int) -> None:
    """Show a pair of the list."""
    leave_list()
    state[VIEWING] = assignment_id


def leave_list() -> None:
    """Show the pair to be judged now instead of the list."""
    go_on()
    state.pop(LISTING, None)
