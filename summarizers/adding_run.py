"""Runs that add systems to a data set: `python -m relevance.summarizers.adding_run RUN_ID [studied]`."""

import os
import sys
from collections.abc import Sequence
from functools import partial

from relevance.data.store import DataStore, Run
from relevance.processes.runs import Done, Progress, execute, start_process
from relevance.summarizers.adding import add_systems
from relevance.summarizers.registry import summarizer

MODULE = "relevance.summarizers.adding_run"

STUDIED = "studied"
"""The argument for a data set that studies use."""

AT_ONCE = max(1, min(8, (os.cpu_count() or 1) - 1))
"""Processes that summarize; one processor is left for serving pages."""

PATIENCE = 5.0
"""Seconds in which a cancelled run may store the summaries that it has written."""


def start_run(store: DataStore, dataset: str, names: Sequence[str], *, studied: bool) -> Run:
    """Start a process that adds the named systems to a data set; return before it has finished.

    `studied` is that of `add_systems`, whose other refusals the run records. Raises `UnknownSummarizer`,
    `SystemExists`, `UnknownDataset`, `NotAllowed`, `RunGoingOn`, OSError.
    """
    for system in map(summarizer, names):
        store.summarized(dataset=dataset, system=system.name, signature=system.signature)
    run = store.start_run(dataset=dataset, systems=names)
    return start_process(store, run, MODULE, *([STUDIED] if studied else []))


def add(store: DataStore, run: Run, progress: Progress, *, studied: bool) -> Done:
    """Write the summaries of a run, continuing where an earlier run stopped."""
    added = add_systems(store, run.dataset, run.systems, studied=studied, processes=AT_ONCE, progress=progress)
    return Done(notes=tuple(system.words(run.dataset) for system in added))


if __name__ == "__main__":
    execute(int(sys.argv[1]), partial(add, studied=STUDIED in sys.argv[2:]), patience=PATIENCE)
