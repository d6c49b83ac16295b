"""A pair to decide: its texts, the buttons and, once it is decided, annotators' votes and all decisions."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

import streamlit as st

from relevance.annotation.adjudication import AdjudicationStore
from relevance.annotation.adjudication_records import AdjudicationTask, AlreadyDecided
from relevance.annotation.records import BOTH_BAD, Study, TooSoon
from relevance.data.database import now
from relevance.data.store import DatabaseFailed, StoreError
from relevance.data.wording import format_count
from relevance.pages.components.annotate.pair import pair_html
from relevance.pages.components.shared.database import not_saved
from relevance.pages.components.shared.stores import open_stores
from relevance.reports.escaping import in_markdown, without_pictures

state = st.session_state

# Session keys.
NOTICE = "adjudicate_notice"  # what to say about the last choice if it was not simply saved
LOOKING = "adjudicate_looking"  # the decided pair to show again
SHOWN = "adjudicate_shown"  # the pair on the screen, and when it was shown
LAST = "adjudicate_last"  # the pair that was decided last

LABELS = {"left": "Summary 1", "tie": "Equal", BOTH_BAD: "Both bad", "right": "Summary 2"}
"""The names of the choices; adjudicators do not have the one that both are bad, which counts as equal."""

STICKY = (
    "<style>[data-testid=stLayoutWrapper]:has(> .st-key-deciding) { position: sticky; bottom: 0; z-index: 1; } "
    ".st-key-deciding { background: light-dark(#ffffff, #171614); padding-block: .25rem; gap: .5rem; } "
    "@media (max-width: 60rem) { .st-key-deciding kbd { display: none; } }</style>"
)
"""The style that keeps the buttons in sight, however long the texts are."""

KEYS = {"left": "1", "tie": "0", "right": "2"}


def store() -> AdjudicationStore:
    """Return the store of decisions."""
    return open_stores().adjudication


# --- what buttons do, before the page is drawn again ----------------------------------------------------------


def decide(study: str, name: str, task: AdjudicationTask, choice: str) -> None:
    """Save a decision, unless its key is held down or its pair is no longer the one shown."""
    shown: tuple[int, datetime] | None = state.get(SHOWN)
    if shown is None or shown[0] != task.pair_id:
        return
    try:
        store().decide(
            study=study,
            pair_id=task.pair_id,
            choice=choice,
            presented_at=shown[1],
            name=name,
            reason=state.get(reason_key(task)),
            change=task.shown.choice is not None,
        )
    except TooSoon:
        state[NOTICE] = "That came too soon after the pair was shown, so it was not saved. Take your time."
        return
    except DatabaseFailed as error:
        state[NOTICE] = not_saved("Your decision", error)
        return
    except StoreError as error:
        state[NOTICE] = str(error)
        if not isinstance(error, AlreadyDecided):  # in another window: the next pair comes
            return
    state[LAST] = task.pair_id
    look_at(None)


def look_at(pair_id: int | None) -> None:
    """Show a decided pair again; with None, the next undecided one."""
    state.pop(SHOWN, None)
    state[LOOKING] = pair_id


# --- what is shown --------------------------------------------------------------------------------------------


def reason_key(task: AdjudicationTask) -> str:
    """Return the key of the field of a pair's reason; each decision changes it, so that the saved reason is shown."""
    return f"adjudicate_reason:{task.pair_id}:{len(task.decisions)}"


def show_task(study: Study, name: str, task: AdjudicationTask) -> None:
    """Show the question, the texts, the reason and the buttons."""
    if state.get(SHOWN, (None,))[0] != task.pair_id:
        state[SHOWN] = (task.pair_id, now())
    st.markdown(f"**{without_pictures(study.question)}**")
    with st.container(key="previewed"):
        st.html(pair_html(task.shown))
    if task.decisions:
        show_votes(task)
    with st.container(key="deciding"):
        st.text_input(
            "Reason",
            task.shown.rationale or "",
            key=reason_key(task),
            max_chars=5000,
            placeholder="Reason (optional), saved with your decision",
            label_visibility="collapsed",
        )
        show_choices(study, name, task)


def show_choices(study: Study, name: str, task: AdjudicationTask) -> None:
    """Show the buttons that decide; their keys belong to the pair, so that a press counts once."""
    with st.container(horizontal=True, key="decisions"):
        for choice, key in KEYS.items():
            if choice == "tie" and not study.ties:
                continue
            # The decision stands out, or before there is one, both sides.
            stands_out = choice in (task.shown.choice or ("left", "right"))
            st.button(
                LABELS[choice],
                key=f"decide:{choice}:{task.pair_id}:{len(task.decisions)}",
                shortcut=key,
                icon=":material/check:" if choice == task.shown.choice else None,
                type="primary" if stands_out else "secondary",
                width="stretch",
                on_click=decide,
                args=(study.name, name, task, choice),
            )
        if task.shown.choice is not None:
            st.button("Keep and go on", key=f"keep:{task.pair_id}", shortcut="n", on_click=look_at, args=(None,))


def show_votes(task: AdjudicationTask) -> None:
    """Show annotators' choices and reasons, and all decisions, for a decided pair, in a part to unfold."""
    with st.expander("What annotators chose", key=f"adjudicate_votes:{task.pair_id}"):
        counts = Counter(vote.choice for vote in task.votes)
        st.markdown(f"**{describe_votes(counts)}**")
        reasons = [f"- {LABELS[vote.choice]}: {in_markdown(vote.rationale)}" for vote in task.votes if vote.rationale]
        st.markdown("\n".join(reasons) or "Nobody gave a reason.")
        decisions = [
            f"- {in_markdown(decision.adjudicator)}: {LABELS[decision.choice]}"
            f"{'' if decision.stands else ', changed since'}"
            f"{f': {in_markdown(decision.reason)}' if decision.reason else ''}"
            for decision in task.decisions
        ]
        st.markdown("\n".join(["**Decisions**", "", *decisions]))


def describe_votes(counts: Mapping[str, int]) -> str:
    """Say how many annotators chose each side."""
    counted = [f"{label}: {counts[choice]}" for choice, label in LABELS.items() if counts.get(choice)]
    return f"{' · '.join(counted)} ({format_count(sum(counts.values()), 'judgment')})"
