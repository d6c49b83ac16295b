"""The forms that make data sets and add systems to them."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st

from data.importers import LINES, guess_format
from data.one_line import in_one_line
from data.store import DataStore
from reports.escaping import in_markdown
from summarizers import add_systems
from summarizers.registry import BASELINES, NUMBERED, ORACLES, SUMMARIZERS, summarizer

AT_ONCE = max(1, min(8, (os.cpu_count() or 1) - 1))
"""Processes that summarise: one processor stays with those who serve pages."""


FIRST = ("lead", "textrank")
"""Systems that nobody has to look for."""


HELP = (
    "Choose systems, or type a name and press Enter. lead, random, textrank, lexrank, tfidf, sumbasic and lsa take 3 "
    "sentences; -K after a name takes K, -Kw as many words, -ref as many words as the first reference has; rake-ref "
    "and rake-Kw write key phrases. Oracles read the references: oracle-exact-rouge1 is the best extract by ROUGE-1. "
    "title and reference:N let a text that people wrote stand as a system, which then no longer judges the others."
)


def system_names() -> list[str]:
    """The systems to choose from: the baselines, texts that people wrote, the oracles."""
    own = [name for name in SUMMARIZERS if name not in ORACLES and name not in BASELINES]
    return [*(summarizer(name).name for name in BASELINES), *own, *(f"{name}1" for name in NUMBERED), *ORACLES]


def choose_systems() -> list[str]:
    """The names of the systems to add, of which any may be typed."""
    chosen = st.multiselect(
        "Systems to add",
        system_names(),
        FIRST,
        key="add_systems",
        accept_new_options=True,
        filter_mode="contains",  # or Enter after lead-1 would choose what is spelt like it
        select_all=False,  # or it would choose all whose names contain what was typed
        format_func=in_one_line,
        placeholder="Choose systems, or type a name such as lexrank-100w",
        help=HELP,
    )
    return [name.strip() for typed in chosen for name in typed.split(",") if name.strip()]


def add_chosen_systems(store: DataStore, dataset: str, names: Sequence[str], studies: Sequence[str]) -> list[str]:
    """Add systems to a data set, showing how far it is; returns what to say of it.

    Raises what `add_systems` refuses. Leaving the page, or using it, ends the work; pressing again goes on.
    """
    started = time.monotonic()
    bar = st.progress(0.0, text="Summarizing")
    going = ""

    def starting(system: str) -> None:
        nonlocal going
        going = f" by {in_markdown(system)}"

    def progress(done: int, total: int) -> None:
        minutes, seconds = divmod(int(time.monotonic() - started), 60)
        clock = f"{minutes}:{seconds:02}"
        bar.progress(done / max(1, total), text=f"Summarizing{going}: {done} of {total} summaries in all · {clock}")

    try:
        added = add_systems(
            store, dataset, names, studies=studies, processes=AT_ONCE, progress=progress, starting=starting
        )
        return [one.words(dataset) for one in added]
    finally:
        bar.empty()


def incomplete(written: Mapping[str, int], documents: int) -> str:
    """Which systems have not summarised all documents, in Markdown; empty where all have."""
    lacking = [f"{in_markdown(name)}: {count} of {documents}" for name, count in written.items() if count < documents]
    if not lacking:
        return ""
    return f"Not all documents have a summary by {'; '.join(lacking)}. Adding a system again writes what it can."


def dataset_name(typed: str, path: Path, format: str | None) -> str:
    """What an imported data set is called: as was typed, or like its file.

    A file of lines joins a data set, which has to be named: raises ValueError where it is not. Raises `BadRecord` where
    the format, if None, cannot be guessed.
    """
    if typed.strip():
        return typed
    if (format or guess_format(path)) == LINES:
        raise ValueError("give the name of the data set that the file of lines joins")
    return path.stem
