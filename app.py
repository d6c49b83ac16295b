"""The application: `relevance serve`, `uvicorn app:app --lifespan on` or `streamlit run app.py` serve it."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[dict[str, object]]:
    """Bring the schema up to date and import what pages need, before anybody waits for it.

    Streamlit collects garbage after every script run; what is loaded here is then no longer looked through, which
    takes a quarter off the time from a key to its numbers on the playground.
    """
    import altair  # noqa: F401
    import pandas  # noqa: F401

    import pages.components.playground.forms  # noqa: F401  with all metrics and evidence
    from data.database import connect
    from metrics.text import lemma, stem

    connect().dispose()
    for load in (lemma, stem):  # the dictionaries that the playground needs with the first letter
        load("dictionaries")
    gc.collect()
    gc.freeze()
    yield {}


app = st.App(Path(__file__).resolve().parent / "pages" / "main.py", lifespan=lifespan)
