"""The tab Data sets: the list of them, files to import, systems to add, and runs that score."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from data.database import now
from data.importers import IMPORTERS, LINES, guess_format
from data.importing import import_file
from data.one_line import in_one_line
from data.store import DIED, Dataset, DataStore, Run
from pages.components.shared.database import guard_database
from pages.components.shared.stores import open_stores
from pages.components.studies.messages import WATCHED, announce, errors_shown
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


def datasets() -> None:
    """The data sets, and what can be done with them: import, add systems, score."""
    known = open_stores().data.datasets()
    imported = st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm")
    st.dataframe(dataset_table(known), hide_index=True, column_config={"imported": imported}, key="datasets")
    names = [data.name for data in known]
    going = any(run.state == "going" for run in last_runs(names))
    with st.container(key="runs"):  # always there, so that a run does not move the expanders and close them
        st.fragment(run_every=0.5 if going else None)(guard_database(show_runs))(names)
    with st.expander("Import a file", expanded=not known), errors_shown():
        import_form()
    if known:
        with st.expander("Add systems and score"), errors_shown():
            work_form({data.name: data for data in known})


def dataset_table(datasets: Sequence[Dataset]) -> pd.DataFrame:
    """What the list of data sets shows."""
    return pd.DataFrame(
        {
            "data set": in_one_line(dataset.name),
            "format": dataset.format,
            "documents": dataset.documents,
            "summaries": dataset.summaries,
            "systems": in_one_line(", ".join(dataset.systems)),
            "human ratings": in_one_line(", ".join(dataset.aspects)),
            "imported": dataset.imported_at,
        }
        for dataset in datasets
    )


# --- runs that score ------------------------------------------------------------------------------------------


def last_runs(names: Sequence[str]) -> list[Run]:
    """The latest run of each data set that has had one."""
    return [run for name in names if (run := open_stores().data.last_run(name))]


def show_runs(names: Sequence[str]) -> None:
    """How far the runs are that score data sets, and what the last ones could not do."""
    watched: set[int] = st.session_state.setdefault(WATCHED, set())
    over = []
    for run in last_runs(names):
        if run.state == "going":
            watched.add(run.id)
            st.progress(*run_progress(run))
            continue
        if run.id in watched:
            over.append(run)
        if problems := run_problems(run):
            st.warning(problems)
    if over:
        watched.difference_update(run.id for run in over)
        announce(*(f"scored {run.dataset}" for run in over if not run_problems(run)))


def run_progress(run: Run) -> tuple[float, str]:
    """A run's progress: the fraction done, and a description in Markdown with the time elapsed.

    The clock shows that something moves while a model is loaded, or while a batch takes its time.
    """
    minutes, seconds = divmod(max(0, int((now() - run.started_at).total_seconds())), 60)
    reached = "getting ready" if run.total is None else f"{run.done} of {run.total}"
    return run.done / max(1, run.total or 0), f"Scoring {in_markdown(run.dataset)}: {reached} · {minutes}:{seconds:02}"


def run_problems(run: Run) -> str | None:
    """Why a run that is over scored nothing or not all, in Markdown; None where it did all."""
    name = in_markdown(run.dataset)
    error = DIED if run.state == "died" else run.error
    if error is not None:
        return f"Scoring {name} stopped: {in_markdown(error)}. Score again to go on where it stopped."
    if run.failed:
        reasons = "".join(f"\n- {in_markdown(metric)}: {in_markdown(why)}" for metric, why in run.failed.items())
        return f"Metrics that could not score {name}:\n{reasons}"
    return None


# --- importing ------------------------------------------------------------------------------------------------


def import_form() -> None:
    """A file into a data set."""
    file = st.file_uploader("JSON lines, CSV, TSV, Parquet, or a text file with one summary a line", key="file")
    format = st.selectbox("Format", ["guess", *IMPORTERS, LINES], key="import_format")
    name = st.text_input(
        "Name of the data set (for a file of lines: the one it joins)",
        key="import_name",
        placeholder="that of the file, if left empty",
    )
    system = st.text_input("System (for a file of lines)", key="import_system")
    if not st.button("Import", key="import"):
        return
    if file is None:
        st.error("Choose a file first.")
        return
    said: list[str] = []
    with tempfile.TemporaryDirectory() as folder, st.spinner("Importing", show_time=True):
        path = Path(folder) / Path(file.name).name
        path.write_bytes(file.getbuffer())
        known = None if format == "guess" else format
        imported = import_file(
            open_stores().data,
            path,
            name=dataset_name(name, path, known),
            format=known,
            system=system.strip() or None,
            say=said.append,
        )
    announce(*said, imported)


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


# --- adding systems and scoring -------------------------------------------------------------------------------


def work_form(known: dict[str, Dataset]) -> None:
    """Systems for a data set, and its scores."""
    store = open_stores()
    dataset = known[st.selectbox("Data set", list(known), format_func=in_one_line, key="work_dataset")]
    if lacking := incomplete(store.data.written_by(dataset.name), dataset.documents):
        st.caption(lacking)
    names = choose_systems()
    with st.container(horizontal=True):
        add, compute = st.button("Add systems", key="add"), st.button("Score by all metrics", key="score")
    st.caption(
        "Scoring goes on when you leave. Adding systems stops when you leave this page or use another control: what "
        "was written is kept, and pressing again goes on from there."
    )
    if add:
        if not names:
            st.error("Name a system first.")
            return
        announce(*add_chosen_systems(store.data, dataset.name, names, store.annotation.studies_of(dataset.name)))
    if compute:
        from metrics import METRICS
        from metrics.background.scoring import start_run

        st.session_state.setdefault(WATCHED, set()).add(start_run(store.data, dataset.name, list(METRICS)).id)
        st.rerun()


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
