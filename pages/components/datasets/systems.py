"""Adding systems to a data set: human texts, baselines, learned extractors, oracles."""

from collections.abc import Mapping
from contextlib import suppress

import streamlit as st

from relevance.data.one_line import in_one_line
from relevance.data.store import Dataset, RunGoingOn
from relevance.pages.components.datasets.progress import start_adding
from relevance.pages.components.shared.languages import ask_language
from relevance.pages.components.shared.stores import open_stores
from relevance.reports.escaping import in_markdown
from relevance.summarizers.registry import BASELINES, LEARNED, NUMBERED, ORACLES, SUMMARIZERS, in_language, summarizer

FIRST = ("lead", "textrank")
"""Systems that are chosen at first."""

HELP = (
    "Choose systems, or type a name and press Enter. lead, random, textrank, lexrank, tfidf, sumbasic and lsa take 3 "
    "sentences; -K after a name takes K, -Kw as many words, -ref as many words as the first reference has; rake-ref "
    "and rake-Kw write key phrases. tldr-linear and tldr-minilm were trained on one-sentence summaries of papers, and "
    "take 1 sentence. Oracles read the references: oracle-exact-rouge1 is the best extract by ROUGE-1. "
    "title and reference:N make a text that people wrote a system; it then no longer judges the others."
)


def add_form(dataset: Dataset) -> None:
    """Show which systems a data set has, and offer to add more."""
    store = open_stores()
    written = store.data.written_by(dataset.name)
    if written:
        st.markdown(f"Systems: {in_markdown(', '.join(written))}.")
    if lacking := incomplete(written, dataset.documents):
        st.caption(lacking)
    if not store.data.may_change(dataset.name):
        st.caption(
            "This data set belongs to somebody else; only they can add systems. Import a copy of your own for that."
        )
        return
    names = choose_systems()
    run = store.data.last_run(dataset.name)
    if run is not None and run.state == "going":
        st.caption("Another run is going on: systems can be added when it has ended.")
        return
    if st.button("Add systems", key="add"):
        if not names:
            st.error("Name a system first.")
            return
        with suppress(RunGoingOn):  # somebody else was faster: the page then shows their run
            start_adding(dataset.name, names)
        st.rerun()
    st.caption("You can leave this page: adding goes on. If it stops, the summaries written so far are kept.")


def system_names() -> list[str]:
    """Return the systems to choose from: baselines, learned extractors, human texts, oracles."""
    own = [name for name in SUMMARIZERS if name not in {**BASELINES, **LEARNED, **ORACLES}]
    return [
        *(summarizer(name).name for name in BASELINES),
        *LEARNED,
        *own,
        *(f"{name}1" for name in NUMBERED),
        *ORACLES,
    ]


def choose_systems() -> list[str]:
    """Ask for the systems to add, chosen or typed, and the language; return names that include the language."""
    chosen = st.multiselect(
        "Systems to add",
        system_names(),
        FIRST,
        key="add_systems",
        accept_new_options=True,
        filter_mode="contains",  # else Enter after lead-1 would choose a name spelt like it
        select_all=False,  # else it would choose all names that contain what was typed
        format_func=in_one_line,
        placeholder="Choose systems, or type a name such as lexrank-100w",
        help=HELP,
    )
    language = ask_language("add_language")
    return [in_language(name.strip(), language) for typed in chosen for name in typed.split(",") if name.strip()]


def incomplete(written: Mapping[str, int], documents: int) -> str:
    """Say which systems have not summarised all documents, in Markdown; empty where all have."""
    lacking = [f"{in_markdown(name)}: {count} of {documents}" for name, count in written.items() if count < documents]
    if not lacking:
        return ""
    return f"Not all documents have a summary by {'; '.join(lacking)}. Adding a system again writes what it can."
