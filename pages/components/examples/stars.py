"""The star and the note of an example, and all starred examples of a data set as a file."""

from collections.abc import Collection, Iterable
from functools import partial
from typing import Any, Literal, NamedTuple

import streamlit as st

from relevance.data.export import export
from relevance.data.store import LONGEST_NOTE, DatabaseFailed, StarredExample, StoreError
from relevance.pages.components.shared.database import not_saved
from relevance.pages.components.shared.messages import sentence
from relevance.pages.components.shared.stores import open_stores
from relevance.reports.escaping import in_markdown

# Session keys.
CHANGED = "star_changed"  # set if a star or a note has changed since the whole page was drawn
SAVED = "star_saved"  # the key of the note that was just saved
NOT_SAVED = "star_not_saved"  # why the last change was not saved, and what was typed, by the key of its note
REMOVED = "star_removed"  # the data set and the example whose star was removed last, if it had a note


class OpenExample(NamedTuple):
    """The example that is open, and what is known of its star."""

    dataset: str
    example: StarredExample
    starred: bool

    @property
    def key(self) -> str:
        """The session key of the field with its note."""
        return note_key(self.dataset, self.example)


def find_star(dataset: str, document: str, systems: Iterable[str], starred: Collection[StarredExample]) -> OpenExample:
    """Look an example up among those that are starred."""
    first, second = sorted(systems)
    new = StarredExample(document, (first, second))
    example = next((star for star in starred if star[:2] == new[:2]), None)
    return OpenExample(dataset, example or new, example is not None)


def show_star(shown: OpenExample) -> None:
    """Show a button that stars an example or removes its star."""
    st.button(
        "★ Starred" if shown.starred else "☆ Star",
        key=f"star:{shown.key}",
        shortcut="s",
        help="Starred examples can be found again under Starred, by everybody who uses this database.",
        on_click=save,
        args=(shown.dataset, shown.example, "unstar" if shown.starred else "star"),
    )


def show_note(shown: OpenExample) -> None:
    """Show a field for an example's note, with which it is starred."""
    state, key = st.session_state, shown.key
    if key not in state:
        _, typed = state.get(NOT_SAVED, ("", {}))
        state[key] = typed.get(key, shown.example.note)
    with st.container(horizontal=True, vertical_alignment="center", key="note"):
        st.text_input(
            "Note",
            key=key,
            placeholder="Add a note, and star it",
            max_chars=LONGEST_NOTE,
            label_visibility="collapsed",
            on_change=save,
            args=(shown.dataset, shown.example, "note"),
        )
        if state.pop(SAVED, None) == key:
            st.html('<span role="status">Saved</span>', width="content")


def say_not_saved() -> None:
    """Say why the last change was not saved, if it was not."""
    if problem := st.session_state.get(NOT_SAVED, ("",))[0]:
        st.warning(in_markdown(problem))


def note_key(dataset: str, example: StarredExample) -> str:
    """Return the session key of the field with an example's note."""
    return f"note:{(dataset, *example[:2])!r}"


def save(dataset: str, example: StarredExample, change: Literal["star", "note", "unstar"]) -> None:
    """Save a star with the example's note, or the note that was typed, or remove both."""
    state, data, key = st.session_state, open_stores().data, note_key(dataset, example)
    typed = state.get(key, "")
    for earlier in (SAVED, NOT_SAVED, REMOVED):
        state.pop(earlier, None)
    state[CHANGED] = True  # after a failure, too, as it may be unknown what was saved
    what = {"star": "The star", "note": f"The note on document {example.document}", "unstar": "The change"}[change]
    place: dict[str, Any] = {"dataset": dataset, "document": example.document, "systems": example.systems}
    try:
        if change == "unstar":
            data.unstar(**place)
        else:
            data.star(**place, note=typed if change == "note" else example.note or None)
    except DatabaseFailed as error:
        state[NOT_SAVED] = not_saved(what, error, "It is shown here if it was."), {key: typed}
        return
    except StoreError as error:
        state[NOT_SAVED] = sentence(str(error)), {key: typed}
        return
    if change == "note":
        state[SAVED] = key
        return
    state[key] = example.note if change == "star" else ""
    if change == "unstar" and example.note:
        state[REMOVED] = dataset, example


def read_starred(dataset: str) -> tuple[StarredExample, ...]:
    """Read the starred examples of a data set."""
    st.session_state.pop(CHANGED, None)
    return open_stores().data.starred(dataset)


def draw_changes() -> None:
    """Draw the whole page again if a star or a note has changed, as the list and its filters count them."""
    if CHANGED in st.session_state:
        st.rerun()


def offer_undo(dataset: str) -> None:
    """Say which note was removed with its star, and offer to restore both."""
    removed_from, example = st.session_state.get(REMOVED, (None, None))
    if removed_from != dataset:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="undo"):
        st.markdown(f"Removed the star of document {in_markdown(example.document)}, and its note.", width="content")
        st.button("Undo", icon=":material/undo:", key="undo_star", on_click=save, args=(dataset, example, "star"))


def offer_starred(dataset: str, starred: Collection[StarredExample]) -> None:
    """Offer the starred examples of a data set as a file."""
    st.download_button(
        "Starred examples (CSV)",
        partial(starred_csv, dataset, starred),
        "starred-examples.csv",
        icon=":material/download:",
        key="starred_csv",
        on_click="ignore",
        help="All of this data set, whoever judged them.",
    )


def starred_csv(dataset: str, starred: Collection[StarredExample]) -> str:
    """Return the starred examples of a data set as CSV, one per line."""
    names = "data set", "document", "system 1", "system 2", "note"
    rows = (dict(zip(names, (dataset, star.document, *star.systems, star.note), strict=True)) for star in starred)
    return export(rows, "csv")
