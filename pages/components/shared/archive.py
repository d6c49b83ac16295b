"""The archive of data sets and studies: what it holds is left out of lists."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st

from relevance.annotation.records import Study
from relevance.data.store import Dataset
from relevance.pages.components.shared.messages import announce

T = TypeVar("T", Dataset, Study)


def choose_shown(known: Sequence[T]) -> list[T]:
    """Return the data sets or studies to list; a switch, shown where some are in the archive, adds those."""
    archived = sum(study.archived_at is not None for study in known)
    show = bool(archived) and st.toggle(f"Show archived ({archived})", key="show_archived")
    return [study for study in known if show or study.archived_at is None]


def offer_archiving(shown: Dataset | Study, kind: str, archive: Callable[..., object]) -> None:
    """Offer to put a data set or study into the archive or to take it out, which `archive` does."""
    archived = shown.archived_at is not None
    label, icon = ("Take out of the archive", "unarchive") if archived else ("Archive", "archive")
    help = f"An archived {kind} is left out of lists and results unless it is asked for."
    if st.button(label, icon=f":material/{icon}:", key=f"archive_{kind.replace(' ', '')}", help=help):
        archive(shown.name, archived=not archived)
        announce(f"{shown.name} is {'out of' if archived else 'in'} the archive.")
