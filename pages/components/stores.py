"""The stores that all sessions share."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from annotation.keyword_marks import KeywordMarkStore
from annotation.store import AnnotationStore
from data.database import connect
from data.store import DataStore


class Stores(NamedTuple):
    """The stores over one engine."""

    data: DataStore
    annotation: AnnotationStore
    keyword_marks: KeywordMarkStore


@st.cache_resource(show_spinner=False)
def stores() -> Stores:
    """Open the database once a process."""
    engine = connect()
    return Stores(DataStore(engine), AnnotationStore(engine), KeywordMarkStore(engine))
