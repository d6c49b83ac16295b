"""A study's decisions: how often they confirm annotators, and the caller's own."""

from collections.abc import Sequence

import streamlit as st

from relevance.annotation.adjudication_records import ContestedPair
from relevance.pages.components.adjudicate.deciding import LABELS, LAST, LOOKING, describe_votes, look_at, state, store
from relevance.reports.adjudication import describe_confirmation
from relevance.reports.escaping import in_markdown
from relevance.reports.tables.table import Cell, Table

CHOOSE = "adjudicate_again"  # session key: the pair that is chosen from the list


def say_what_was_decided(study: str) -> None:
    """Show how often most annotators were confirmed, and a link to the results by adjudicators."""
    confirmation = store().confirmation(study)
    if not confirmation.decided:
        return
    st.markdown(in_markdown(describe_confirmation(confirmation)))
    st.page_link(
        "overview.py",
        label="Results by adjudicators",
        icon=":material/arrow_forward:",
        query_params={"study": study, "source": "adjudicated"},
    )


def offer_last(pairs: Sequence[ContestedPair]) -> None:
    """Offer to return to the pair decided last, and to see what annotators chose."""
    last = next((pair for pair in pairs if pair.id == state.get(LAST) and pair.choice is not None), None)
    if last is None or state.get(LOOKING) == last.id:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="adjudicated_last"):
        st.markdown(f"Pair {last.number}: you decided **{LABELS[last.choice or '']}**.", width="content")
        st.button("See what annotators chose", key=f"look:{last.id}", shortcut="b", on_click=look_at, args=(last.id,))


def show_decided(pairs: Sequence[ContestedPair]) -> None:
    """Show the caller's decisions in a table to unfold; each pair can be looked at again."""
    decided = {pair.number: pair for pair in pairs if pair.choice is not None}
    if not decided:
        return

    def look_again() -> None:
        if (number := state.get(CHOOSE)) is not None:
            look_at(decided[number].id)

    with st.expander(f"Your decisions: {len(decided)}", key="adjudicate_decided"):
        state[CHOOSE] = None
        st.selectbox(
            "Look at a pair again, or change its decision",
            list(decided),
            format_func=lambda number: f"Pair {number}",
            key=CHOOSE,
            placeholder="Choose a pair",
            on_change=look_again,
        )
        table = decided_table(list(decided.values()))
        st.dataframe(list(table.rows), hide_index=True, key="adjudicate_table")
        st.caption(in_markdown(" ".join(table.notes)))


def decided_table(pairs: Sequence[ContestedPair]) -> Table:
    """Make the table of the caller's decisions beside annotators' votes and other adjudicators' decisions."""
    rows: list[dict[str, Cell]] = [
        {
            "pair": pair.number,
            "your decision": LABELS[pair.choice or ""],
            "annotators": describe_votes(pair.votes) if pair.votes else "no judgment counts",
            "other adjudicators": ", ".join(
                f"{other.adjudicator}: {LABELS[other.choice]}{'' if other.choice == pair.choice else ' (differs)'}"
                for other in pair.others
            )
            or "none",
        }
        for pair in pairs
    ]
    return Table("decided", "Your decisions", rows, ["Where adjudicators differ, the latest decision counts."])
