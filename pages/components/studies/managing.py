"""A study renamed, archived, and deleted."""

import streamlit as st

from annotation.records import Study
from annotation.removal import StudyInUse
from pages.components.shared.messages import announce, errors_shown
from pages.components.shared.stores import open_stores

DELETING = (
    "All that belongs to the study goes: pairs, people, links, the study file with its versions. Nothing brings it "
    "back but a backup. An archived study is out of the way, too, and keeps all of it."
)


def manage_study(study: Study) -> None:
    """What becomes of a study as a whole."""
    if study.bundle_sha256 is None:
        rename(study)
    archive(study)
    with st.expander("Delete", icon=":material/delete:", key="delete_study_part"), errors_shown():
        delete(study)


def rename(study: Study) -> None:
    """Another name, by which addresses and files call the study."""
    with st.form("rename_study", width=520, border=False), errors_shown():
        help = "Addresses that name the study change with it; personal links stay as they are."
        name = st.text_input("Name", study.name, key=f"rename_study_to:{study.name}", max_chars=200, help=help)
        if st.form_submit_button("Rename", icon=":material/edit:"):
            renamed = open_stores().removal.rename_study(study.name, name)
            st.query_params["study"] = renamed.name
            announce(f"Renamed {study.name} to {renamed.name}.")


def archive(study: Study) -> None:
    """Leave the study out of lists, or bring it back."""
    archived = study.archived_at is not None
    label, icon = ("Take out of the archive", "unarchive") if archived else ("Archive", "archive")
    help = "An archived study stands in no list and is no source of results, unless it is asked for."
    if st.button(label, icon=f":material/{icon}:", key="archive_study", help=help):
        open_stores().removal.archive_study(study.name, archived=not archived)
        announce(f"{study.name} is out of the archive." if archived else f"{study.name} is in the archive.")


def delete(study: Study) -> None:
    """Delete the study; its name is asked for, as nothing brings it back."""
    st.caption(DELETING)
    with st.form("delete_study", width=520, border=False):
        take = st.checkbox("Delete all that was judged in it, too", key="delete_judgments")
        typed = st.text_input(
            "Type the name of the study", key=f"delete_study_typed:{study.name}", placeholder=study.name
        )
        if st.form_submit_button("Delete the study", icon=":material/delete:"):
            if typed.strip() != study.name:
                raise StudyInUse(f"type {study.name!r} to delete it")
            open_stores().removal.delete_study(study.name, with_judgments=take)
            del st.query_params["study"]
            announce(f"Deleted the study {study.name}.")
