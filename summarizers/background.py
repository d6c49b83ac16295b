"""Runs that add systems to a data set: `python -m summarizers.background RUN_ID [studied]`."""

import os
import sys
from collections.abc import Sequence
from functools import partial

from data.store import DataStore, Run
from metrics.background.processes import Done, execute, start_process
from metrics.scoring import ProgressCallback
from summarizers.adding import add_systems
from summarizers.registry import summarizer

MODULE = "summarizers.background"

STUDIED = "studied"
"""The argument that says that studies use the data set."""

AT_ONCE = max(1, min(8, (os.cpu_count() or 1) - 1))
"""Processes that summarize: one processor stays with those who serve pages."""

PATIENCE = 5.0
"""Seconds in which a run that was cancelled may store what it has written."""


def start_run(store: DataStore, dataset: str, names: Sequence[str], *, studied: bool) -> Run:
    """Add the systems of these names to a data set, in a process of its own; returns before that is done.

    `studied` is that of `add_systems`, whose other refusals the run records. Raises `UnknownSummarizer`,
    `SystemExists`, `UnknownDataset`, `NotAllowed`, `RunGoingOn`, OSError.
    """
    for system in map(summarizer, names):
        store.summarized(dataset=dataset, system=system.name, signature=system.signature)
    run = store.start_run(dataset=dataset, systems=names)
    return start_process(store, run, MODULE, *([STUDIED] if studied else []))


def add(store: DataStore, run: Run, progress: ProgressCallback, *, studied: bool) -> Done:
    """Write the summaries that a run is for; it goes on where another one stopped."""
    added = add_systems(store, run.dataset, run.systems, studied=studied, processes=AT_ONCE, progress=progress)
    return Done(said=tuple(one.words(run.dataset) for one in added))


if __name__ == "__main__":
    execute(int(sys.argv[1]), partial(add, studied=STUDIED in sys.argv[2:]), patience=PATIENCE)
