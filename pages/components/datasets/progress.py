"""Runs that score data sets or add systems to them: their progress, their problems and their end."""

import math
from collections.abc import Sequence
from contextlib import suppress

import streamlit as st

from relevance.data.database import now
from relevance.data.store import CANCELLED, DIED, Run, RunGoingOn
from relevance.data.wording import format_count, join_items
from relevance.metrics.registry import label_of, usual_metrics
from relevance.pages.components.shared.counts import say_missing
from relevance.pages.components.shared.database import guard_database
from relevance.pages.components.shared.messages import WATCHED, announce, errors_shown, kept_messages
from relevance.pages.components.shared.stores import open_stores
from relevance.reports.escaping import in_markdown

MOST_NAMED = 3
"""The most metrics of a run that are named."""

SETTLED = 3
"""Seconds of a run before which its pace says nothing."""

DRAWN = "runs_drawn"
"""Session key: by run, the tenths that were done when the page was last drawn for it."""


def watch_runs(names: Sequence[str], *, redraw: bool = False) -> None:
    """Show the runs of some data sets, and update them while one is going on.

    With `redraw`, the page is drawn again whenever a tenth of a run is done.
    """
    going = any(run.state == "going" for run in last_runs(names))
    with st.container(key="runs"):  # always there: else a new run would move what is below, and close it
        st.fragment(run_every=0.5 if going else None)(guard_database(show_runs))(names, redraw=redraw)


def watch_scoring(dataset: str) -> None:
    """Show on a page of results that its data set is being scored, and draw it again as scores arrive."""
    run = open_stores().data.last_run(dataset)
    if run is None or not (run.state == "going" or run.id in st.session_state.get(WATCHED, ())):
        return
    watch_runs([dataset], redraw=True)
    if run.state == "going" and run.metrics:
        st.caption("The figures below are of the scores that are there so far.")


def start_scoring(dataset: str, metrics: Sequence[str] = ()) -> None:
    """Start to score a data set by the usual metrics, or by others. Raises `RunGoingOn`."""
    from relevance.metrics.background.scoring import start_run

    watch_run(start_run(open_stores().data, dataset, metrics or usual_metrics()))


def start_adding(dataset: str, systems: Sequence[str]) -> None:
    """Start to add systems to a data set. Raises what `relevance.summarizers.adding_run.start_run` does."""
    from relevance.summarizers.adding_run import start_run

    stores = open_stores()
    watch_run(start_run(stores.data, dataset, systems, studied=stores.annotation.is_studied(dataset)))


def watch_run(run: Run) -> None:
    """Announce the end of a run in this session."""
    st.session_state.setdefault(WATCHED, set()).add(run.id)


def last_runs(names: Sequence[str]) -> list[Run]:
    """Return the latest run of each data set that has had one."""
    return [run for name in names if (run := open_stores().data.last_run(name))]


def show_runs(names: Sequence[str], *, redraw: bool = False) -> None:
    """Show the progress of the data sets' runs, or the problems of those that are over; see `watch_runs`."""
    watched: set[int] = st.session_state.setdefault(WATCHED, set())
    over = []
    for run in last_runs(names):
        if run.state == "going":
            watched.add(run.id)
            show_progress(run)
            if redraw and has_advanced(run):
                kept_messages().show_again()
                st.rerun()
            continue
        if run.id in watched:
            over.append(run)
        if run.error == CANCELLED:
            continue
        if problems := run_problems(run):
            st.warning(problems)
            if run.systems and open_stores().data.may_change(run.dataset):
                offer_resuming(run)
    if over:
        watched.difference_update(run.id for run in over)
        if redraw:
            kept_messages().show_again()
        announce(*(note for run in over for note in [*run_end(run), *name_scarce(run)]))


def has_advanced(run: Run) -> bool:
    """Tell whether another tenth of a run is done since this was last asked in this session."""
    drawn: dict[int, int] = st.session_state.setdefault(DRAWN, {})
    before, drawn[run.id] = drawn.get(run.id, 0), 10 * run.done // max(1, run.total or 1)
    return drawn[run.id] > before


def show_progress(run: Run) -> None:
    """Show a run's progress, or the number of runs that it waits for, with a button that cancels it."""
    data = open_stores().data
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(*run_progress(run, data.count_before(run.id)))
        kept = "What is written stays. Adding" if run.systems else "What is scored stays. Scoring"
        help = f"{kept} again continues from there."
        if data.may_cancel(run.id) and st.button("Cancel", key=f"cancel:{run.id}", help=help):
            data.cancel_run(run.id)
            st.rerun()


def offer_resuming(run: Run) -> None:
    """Offer to resume a run that stopped while it was adding systems."""
    if st.button("Resume", icon=":material/play_arrow:", key=f"resume:{run.id}"):
        with errors_shown():
            with suppress(RunGoingOn):  # somebody else was faster: the page then shows their run
                start_adding(run.dataset, run.systems)
            st.rerun()


def run_end(run: Run) -> list[str]:
    """Return what to say about a run that is over, as plain text; nothing where its problems are shown anyway."""
    if run.error == CANCELLED:
        work, done, again = f"Scoring {run.dataset}", "scored", "scoring"
        if run.systems:
            work, done, again = f"Adding {', '.join(run.systems)} to {run.dataset}", "written", "adding"
        return [f"{work} was cancelled. What was {done} is kept, and {again} again continues from there."]
    if run_problems(run):
        return []
    return list(run.notes) or [f"Scored {run.dataset}."]


def name_scarce(run: Run) -> list[str]:
    """Say by which of its metrics most summaries have no score, and why, if a run is over that scored."""
    if run.systems or run.error is not None:
        return []
    stored = open_stores().data.signatures(run.dataset)
    scarce = [
        signature.signature
        for signature in stored
        if signature.metric in run.metrics and 2 * signature.undefined > signature.scored
    ]
    return say_missing(run.dataset, scarce)


def run_progress(run: Run, before: int = 0) -> tuple[float, str]:
    """Return a run's progress: the fraction done, and a description in Markdown with the pace and the time elapsed.

    `before` is the number of runs that it waits for.

    The clock shows that something is happening while a model is loaded or a long batch is computed.
    """
    elapsed = max(0, int((now() - run.started_at).total_seconds()))
    if before:
        notes = [f"waiting for {format_count(before, 'other run')}"]
    elif run.total is None:
        notes = ["getting ready"]
    else:
        notes = [f"{run.done:,} of {run.total:,} {'summaries' if run.systems else 'scores'}"]
        if run.done and elapsed >= SETTLED:
            notes += describe_pace(run.done / elapsed, run.total - run.done)
    notes.append(f"{elapsed // 60}:{elapsed % 60:02}")
    return run.done / max(1, run.total or 0), f"{name_work(run)}{name_metrics(run)}: {' · '.join(notes)}"


def name_metrics(run: Run) -> str:
    """Say by which metrics a run scores, in Markdown; three are named, more are counted."""
    if not run.metrics:
        return ""
    named = join_items([label_of(name) for name in run.metrics])
    return f" by {in_markdown(named) if len(run.metrics) <= MOST_NAMED else f'{len(run.metrics)} metrics'}"


def describe_pace(rate: float, left: int) -> list[str]:
    """Say how many a second, or a minute, are done, and about how long the others take."""
    pace = f"{rate:,.0f} a second" if rate >= 1 else f"{60 * rate:,.0f} a minute"
    minutes = left / rate / 60
    time = f"{math.ceil(6 * minutes) * 10} s" if minutes < 1.5 else f"{math.ceil(minutes):,} min"
    return [pace, *([f"about {time} left"] if left else [])]


def name_work(run: Run) -> str:
    """Say what a run does, in Markdown."""
    if run.systems:
        return f"Adding {in_markdown(', '.join(run.systems))} to {in_markdown(run.dataset)}"
    return f"Scoring {in_markdown(run.dataset)}"


def run_problems(run: Run) -> str | None:
    """Say why a run that is over did not do everything, in Markdown; None where it did."""
    error = DIED if run.state == "died" else run.error
    if error is not None:
        again = "What was written is kept." if run.systems else "Score again to continue where it stopped."
        return f"{name_work(run)} stopped: {in_markdown(error)}. {again}"
    if run.failed:
        reasons = "".join(f"\n- {in_markdown(label_of(name))}: {in_markdown(why)}" for name, why in run.failed.items())
        return f"Metrics that could not score {in_markdown(run.dataset)}:\n{reasons}"
    return None
