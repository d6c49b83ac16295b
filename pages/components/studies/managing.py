"""Renaming, archiving and deleting a study."""

import streamlit as st

from relevance.annotation.records import Study
from relevance.annotation.removal import StudyInUse
from relevance.pages.components.shared.archive import offer_archiving
from relevance.pages.components.shared.messages import announce, errors_shown
from relevance.pages.components.shared.stores import open_stores

DELETING = (
    "This deletes all that belongs to the study: pairs, people, links, the study file with its versions. Only a backup "
    "brings it back. Archiving puts the study out of the way, too, and deletes nothing."
)


def manage_study(study: Study) -> None:
    """Offer to rename, archive or delete the study; one opened from a bundle keeps its name."""
    if study.bundle_sha256 is None:
        rename(study)
    offer_archiving(study, "study", open_stores().removal.archive_study)
    with st.expander("Delete", icon=":material/delete:", key="delete_study_part"), errors_shown():
        delete(study)


def rename(study: Study) -> None:
    """Ask for another name, which addresses and files then use."""
    with st.form("rename_study", width=520, border=False), errors_shown():
        help = "Addresses that name the study change with it; personal links stay as they are."
        name = st.text_input("Name", study.name, key=f"rename_study_to:{study.name}", max_chars=200, help=help)
        if st.form_submit_button("Rename", icon=":material/edit:"):
            renamed = open_stores().removal.rename_study(study.name, name)
            st.query_params["study"] = renamed.name
            announce(f"Renamed {study.name} to {renamed.name}.")


def delete(study: Study) -> None:
    """Delete the study once its name has been typed, as nothing brings it back."""
    st.caption(DELETING)
    with st.form("delete_study", width=520, border=False):
        take = st.checkbox("Delete all its judgments, too", key="delete_judgments")
        typed = st.text_input(
            "Type the name of the study", key=f"delete_study_typed:{study.name}", placeholder=study.name
        )
        if st.form_submit_button("Delete the study", icon=":material/delete:"):
            if typed.strip() != study.name:
                raise StudyInUse(f"type {study.name!r} to delete it")
            open_stores().removal.delete_study(study.name, with_judgments=take)
            del st.query_params["study"]
            announce(f"Deleted the study {study.name}.")
