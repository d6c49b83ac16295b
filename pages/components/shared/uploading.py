"""The field for a file, which says on a hosted server why a file may not be taken."""

from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from relevance.hosting.settings import is_hosted
from relevance.hosting.uploads import FULL


def ask_for_file(label: str, key: str, **options: Any) -> UploadedFile | None:
    """Ask for a file; `options` are those of `st.file_uploader`. None without a file, or if it was not taken.

    Streamlit marks a file that the gate refuses, without its reason.
    """
    file: UploadedFile | None = st.file_uploader(label, key=key, **options)
    if file is None and is_hosted():
        st.caption(f"If a file turns red, it was not taken. {FULL}")
    return file
