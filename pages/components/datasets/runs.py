"""Runs that score data sets or add systems to them: how far they are, what they could not do, and their end."""

from collections.abc import Sequence
from contextlib import suppress

import streamlit as st

from data.database import now
from data.store import CANCELLED, DIED, Run, RunGoingOn
from metrics.registry import label_of
from pages.components.shared.database import guard_database
from pages.components.shared.messages import WATCHED, announce, errors_shown
from pages.components.shared.stores import open_stores
from reports.escaping import in_markdown


def watch_runs(names: Sequence[str]) -> None:
    """The runs of some data sets, drawn anew while one is going on."""
    going = any(run.state == "going" for run in last_runs(names))
    with st.container(key="runs"):  # always there, so that a run does not move what stands below and close it
        st.fragment(run_every=0.5 if going else None)(guard_database(show_runs))(names)


def start_scoring(dataset: str) -> None:
    """Begin to score a data set by all metrics. Raises `RunGoingOn`."""
    from metrics import METRICS
    from metrics.background.scoring import start_run

    watch_run(start_run(open_stores().data, dataset, list(METRICS)))


def start_adding(dataset: str, systems: Sequence[str]) -> None:
    """Begin to add systems to a data set. Raises what `summarizers.background.start_run` does."""
    from summarizers.background import start_run

    stores = open_stores()
    watch_run(start_run(stores.data, dataset, systems, studied=stores.annotation.is_studied(dataset)))


def watch_run(run: Run) -> None:
    """Have this session say when a run has ended."""
    st.session_state.setdefault(WATCHED, set()).add(run.id)


def last_runs(names: Sequence[str]) -> list[Run]:
    """The latest run of each data set that has had one."""
    return [run for name in names if (run := open_stores().data.last_run(name))]


def show_runs(names: Sequence[str]) -> None:
    """How far the runs of data sets are, and what the last ones could not do."""
    watched: set[int] = st.session_state.setdefault(WATCHED, set())
    over = []
    for run in last_runs(names):
        if run.state == "going":
            watched.add(run.id)
            show_progress(run)
            continue
        if run.id in watched:
            over.append(run)
        if run.error == CANCELLED:
            continue
        if problems := run_problems(run):
            st.warning(problems)
            if run.systems and may_stop(run):
                offer_resuming(run)
    if over:
        watched.difference_update(run.id for run in over)
        announce(*(said for run in over for said in run_end(run)))


def may_stop(run: Run) -> bool:
    """Whether whoever looks at the page may stop a run, or have it go on: systems are added by a data set's owner."""
    return not run.systems or open_stores().data.may_change(run.dataset)


def show_progress(run: Run) -> None:
    """How far a run is, and the button that stops it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(*run_progress(run))
        kept = "What is written stays. Adding" if run.systems else "What is scored stays. Scoring"
        help_text = f"{kept} again goes on from there."
        if may_stop(run) and st.button("Cancel", key=f"cancel:{run.id}", help=help_text):
            open_stores().data.cancel_run(run.id)
            st.rerun()


def offer_resuming(run: Run) -> None:
    """The button that has a run go on which stopped while it added systems."""
    if st.button("Resume", icon=":material/play_arrow:", key=f"resume:{run.id}"):
        with errors_shown():
            with suppress(RunGoingOn):  # somebody else was faster: the page then shows their run
                start_adding(run.dataset, run.systems)
            st.rerun()


def run_end(run: Run) -> list[str]:
    """What to say of a run that is over, as plain text; nothing where its problems are said anyway."""
    if run.error == CANCELLED:
        if run.systems:
            return [
                f"Adding {', '.join(run.systems)} to {run.dataset} was cancelled. What was written is kept, and adding "
                "again goes on from there."
            ]
        return [f"Scoring {run.dataset} was cancelled. What was scored is kept, and scoring again goes on from there."]
    if run_problems(run):
        return []
    return list(run.said) or [f"Scored {run.dataset}."]


def run_progress(run: Run) -> tuple[float, str]:
    """A run's progress: the fraction done, and a description in Markdown with the time elapsed.

    The clock shows that something moves while a model is loaded, or while a batch takes its time.
    """
    minutes, seconds = divmod(max(0, int((now() - run.started_at).total_seconds())), 60)
    reached = "getting ready" if run.total is None else f"{run.done:,} of {run.total:,}"
    if run.systems and run.total is not None:
        reached += " summaries"
    return run.done / max(1, run.total or 0), f"{name_work(run)}: {reached} · {minutes}:{seconds:02}"


def name_work(run: Run) -> str:
    """What a run does, in Markdown."""
    if run.systems:
        return f"Adding {in_markdown(', '.join(run.systems))} to {in_markdown(run.dataset)}"
    return f"Scoring {in_markdown(run.dataset)}"


def run_problems(run: Run) -> str | None:
    """Why a run that is over did nothing or not all, in Markdown; None where it did all."""
    error = DIED if run.state == "died" else run.error
    if error is not None:
        again = "What was written is kept." if run.systems else "Score again to go on where it stopped."
        return f"{name_work(run)} stopped: {in_markdown(error)}. {again}"
    if run.failed:
        reasons = "".join(f"\n- {in_markdown(label_of(one))}: {in_markdown(why)}" for one, why in run.failed.items())
        return f"Metrics that could not score {in_markdown(run.dataset)}:\n{reasons}"
    return None
