"""The files of a study, to be downloaded: made when they are asked for."""

import streamlit as st

from annotation.exports import EXPORTS, NAMED, PAIRWISE, export_file, formats_of, kind_of_file, name_file
from annotation.records import Study
from data.access import Right
from data.export import export
from hosting.exports import export_address
from hosting.settings import is_hosted
from pages.components.shared.stores import open_stores
from pages.components.studies.bundling import show_bundle
from reports.escaping import esc

SAID = (
    "Annotators are called P1, P2 and so on, in the order in which they joined, in all files alike. What they wrote "
    "stays as it is, and may tell who they are. Crowd-Kit knows no ties: its file leaves them out."
)
NAMES = "With names and panel's ids"
NAMES_HELP = "Files with names are for whoever looks after the people, such as paying them; pass on those without."


def show_exports(study: Study) -> None:
    """A download for each file, in each format."""
    st.caption(SAID)
    manages = open_stores().annotation.right(study.name) >= Right.MANAGE
    names = manages and st.checkbox(NAMES, key="export_names", help=NAMES_HELP)
    for what, said in EXPORTS.items():
        st.markdown(f"**{what.capitalize()}:** {said}.")
        with st.container(horizontal=True):
            for format in formats_of(what):
                offer_file(study, what, format, names=names and what in NAMED)
    show_bundle(study)


def offer_file(study: Study, what: str, format: str, *, names: bool) -> None:
    """One file: fetched from the gate of a hosted server, which keeps none in a worker's memory."""
    label = f"{what.capitalize()} ({PAIRWISE[format].label if format in PAIRWISE else format.upper()})"
    if is_hosted():
        address = export_address(study.name, what, format, names=names)
        st.html(f'<a href="{esc(address)}" download target="_self">{esc(label)}</a>')
        return

    def text() -> str:
        stores = open_stores()
        records = export_file(stores.data, stores.annotation, study.name, what, format, names=names)
        return export(records, kind_of_file(format))

    file = name_file(study.name, what, format)
    st.download_button(label, text, file_name=file, key=f"export:{what}.{format}", on_click="ignore")
