"""Downloads of a study's files, each made when it is asked for."""

import streamlit as st

from relevance.annotation.exports import EXPORTS, NAMED, PAIRWISE, export_file, formats_of, kind_of_file, name_file
from relevance.annotation.records import Study
from relevance.data.export import export
from relevance.hosting.exports import export_address
from relevance.hosting.settings import is_hosted
from relevance.pages.components.shared.stores import may_manage, open_stores
from relevance.pages.components.studies.bundling import show_bundle
from relevance.reports.escaping import esc

SAID = (
    "All files call annotators P1, P2 and so on, in the order in which they joined. What annotators wrote stays as it "
    "is, and may tell who they are. Crowd-Kit has no ties: its file leaves them out."
)
NAMES = "With names and panel ids"
NAMES_HELP = "Files with names are for whoever takes care of the people, such as paying them; share those without."


def show_exports(study: Study) -> None:
    """Offer each file in each format."""
    st.caption(SAID)
    names = may_manage(study) and st.checkbox(NAMES, key="export_names", help=NAMES_HELP)
    for what, value in EXPORTS.items():
        st.markdown(f"**{what.capitalize()}:** {value}.")
        with st.container(horizontal=True):
            for format in formats_of(what):
                offer_file(study, what, format, names=names and what in NAMED)
    show_bundle(study)


def offer_file(study: Study, what: str, format: str, *, names: bool) -> None:
    """Offer one file; on a hosted server the gate sends it, so that no worker keeps it in memory."""
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
