"""A walk through a study as an annotator sees it, on a copy in memory: nothing of it is stored."""

import streamlit as st

from annotation.previewing import copy_study
from annotation.records import Study
from pages.components.annotate.annotator import PREVIEW, leave
from pages.components.shared.stores import Stores, open_stores


def start_preview(study: Study) -> None:
    """Go through a study from its first phase; an earlier walk is forgotten."""
    leave()
    st.session_state[PREVIEW] = Stores.over(copy_study(open_stores().annotation, study.name))
    st.switch_page("annotate.py")
