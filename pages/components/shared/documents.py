"""The choice of a document, and the way to its neighbours, however many documents a data set has."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import streamlit as st

from relevance.data.one_line import cut
from relevance.data.store import Dataset
from relevance.pages.components.shared.records import opening_of
from relevance.pages.components.shared.stores import open_stores
from relevance.reports.escaping import in_markdown

MANY = 1000
"""From this many documents on, none are listed: a list of 50,000 sends the browser megabytes with every run."""

OPENING = 60
"""Characters of a document's opening that are shown."""


class Choice(NamedTuple):
    """Settings of a page's choice of a document."""

    key: str
    """Session key of the document's id."""
    wanted: str | None
    """The id of the document to open first, if it exists."""
    used: Callable[[], None] = lambda: None
    """Called when somebody uses the choice."""
    shortcuts: tuple[str | None, str | None] = (None, None)
    """Keyboard shortcuts of the two buttons."""


class Opened(NamedTuple):
    """The ids of the open document and of its neighbours."""

    key: str
    before: str | None
    after: str | None
    notes: tuple[str, ...] = ()
    """Lines in Markdown: the document that is open, if no list shows it, and a search that failed."""


def choose_document(dataset: Dataset, names: Callable[[], Mapping[str, str]], choice: Choice) -> str:
    """Ask for a document, in a list or by its number, id or title, with buttons to its neighbours; return its id.

    `names` returns the documents' names in the list by id, in order; it is not called for `MANY` documents or more.
    """
    opened = choose_in_list(names(), choice) if dataset.documents < MANY else find_document(dataset, choice)
    for label, to, shortcut in zip(("Previous", "Next"), (opened.before, opened.after), choice.shortcuts, strict=True):
        st.button(
            label,
            key=f"turn:{label}",
            shortcut=shortcut,
            disabled=to is None,
            on_click=open_document,
            args=(choice, opened.key if to is None else to),
        )
    for line in opened.notes:
        st.markdown(line, width="content")
    return opened.key


def open_document(choice: Choice, key: str) -> None:
    """Open another document."""
    choice.used()
    st.session_state[choice.key] = key


def choose_in_list(names: Mapping[str, str], choice: Choice) -> Opened:
    """Ask for a document in a list of all."""
    ids, state = list(names), st.session_state
    if state.get(choice.key) not in names:
        state[choice.key] = choice.wanted if choice.wanted in names else ids[0]
    key = st.selectbox("Document", ids, format_func=names.__getitem__, key=choice.key, on_change=choice.used)
    place = ids.index(key)
    return Opened(key, ids[place - 1] if place else None, ids[place + 1] if place + 1 < len(ids) else None)


def find_document(dataset: Dataset, choice: Choice) -> Opened:
    """Ask for a document's number, its id, or words of its title; the field then shows the number."""
    data, state = open_stores().data, st.session_state
    field, asked_key = f"{choice.key}_number", f"{choice.key}_asked"
    known = (data.position_of(dataset.name, key) for key in (state.get(choice.key), choice.wanted) if key is not None)
    place = next((position for position in known if position is not None), 0)
    words = state.pop(asked_key, "")
    by_words = data.find_position(dataset.name, words)

    def ask() -> None:
        choice.used()
        state[asked_key] = state[field]

    place = by_words if by_words is not None else place
    state[field] = str(place + 1)
    st.text_input(
        f"Document (1 to {dataset.documents:,})",
        key=field,
        on_change=ask,
        help="Its number, its id, or words of its title.",
        width=200,
    )
    beside = {listed.position: listed.document for listed in data.listed(dataset.name, range(place - 1, place + 2))}
    key, ids = beside[place].id, {position: document.id for position, document in beside.items()}
    state[choice.key] = key
    parts = [in_markdown(f"{opening_of(beside[place], OPENING)} · {key}")]
    if words.strip() and by_words is None:
        parts.append(
            in_markdown(f"No document has the number or id “{cut(words, OPENING)}”, or these words in its title.")
        )
    return Opened(key, ids.get(place - 1), ids.get(place + 1), tuple(parts))
