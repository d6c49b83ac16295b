"""Renaming, archiving and deleting a data set, and bringing it back while the session lasts."""

import streamlit as st

from relevance.data.store import Dataset, DatasetInUse, DeletedDataset
from relevance.pages.components.datasets.choice import show_dataset
from relevance.pages.components.shared.archive import offer_archiving
from relevance.pages.components.shared.messages import announce, errors_shown
from relevance.pages.components.shared.stores import open_stores
from relevance.reports.escaping import in_markdown

DELETED = "deleted"
"""Session key: the data set that was deleted last."""


def manage(dataset: Dataset) -> None:
    """Offer to rename, archive or delete the data set, where it is the visitor's."""
    if not open_stores().data.may_change(dataset.name):
        st.caption("This data set belongs to somebody else; only they can rename or delete it.")
        return
    with st.form("rename", width=520), errors_shown():
        name = st.text_input("Name", dataset.name, key=f"rename_to:{dataset.name}", max_chars=200)
        if st.form_submit_button("Rename"):
            open_stores().data.rename_dataset(dataset.name, name)
            show_dataset(name.strip(" "))
            if name.strip(" ") != dataset.name:
                announce(f"Renamed {dataset.name} to {name.strip(' ')}.")
    offer_archiving(dataset, "data set", open_stores().data.archive_dataset)
    reason = why_it_stays(dataset.name)
    with st.form("delete", width=520), errors_shown():
        take = False
        if reason:
            st.caption(f"It cannot be deleted by itself: {in_markdown(reason)}")
            take = st.checkbox(
                "Delete these, too, with all judgments. This cannot be undone.", key=f"delete_studies:{dataset.name}"
            )
        typed = st.text_input(
            "Delete: type the name of the data set", key=f"delete_typed:{dataset.name}", placeholder=dataset.name
        )
        if st.form_submit_button("Delete", icon=":material/delete:"):
            if typed.strip() != dataset.name:
                raise DatasetInUse(f"type {dataset.name!r} to delete it")
            delete(dataset, take=take)


def delete(dataset: Dataset, *, take: bool) -> None:
    """Delete the data set, and with `take` everything that was made from it."""
    if take:
        open_stores().removal.delete_dataset(dataset.name, with_judgments=True)
        announce(f"Deleted {dataset.name} and all that was made from it.")
    st.session_state[DELETED] = open_stores().data.delete_dataset(dataset.name)
    st.rerun()


def why_it_stays(dataset: str) -> str:
    """Say what depends on a data set, as plain text; empty where nothing does."""
    stores = open_stores()
    studies = stores.annotation.studies_of(dataset)
    reviews = [review.name for review in stores.keyword_reviews.reviews() if review.dataset == dataset]
    if not studies and not reviews:
        return ""
    kinds = [("study", "studies", studies), ("review of keywords", "reviews of keywords", reviews)]
    named = [f"the {single if len(names) == 1 else more} {', '.join(names)}" for single, more, names in kinds if names]
    return f"{' and '.join(named)} {'is' if len(studies) + len(reviews) == 1 else 'are'} made from it."


def offer_undo() -> None:
    """Say which data set was deleted, and offer to bring it back."""
    deleted: DeletedDataset | None = st.session_state.get(DELETED)
    if deleted is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="undo"), errors_shown():
        st.markdown(f"Deleted **{in_markdown(deleted.name)}**. It can be brought back until you close this page.")
        if st.button("Undo", icon=":material/undo:", key="undo_delete"):
            with st.spinner("Bringing it back"):
                open_stores().data.restore_dataset(deleted)
            del st.session_state[DELETED]
            show_dataset(deleted.name)
            announce(f"Brought back {deleted.name}.")
