"""Runs that score a data set: `python -m relevance.metrics.background.scoring RUN_ID`."""

import sys
from collections.abc import Sequence

from relevance.data.store import DataStore, Run
from relevance.metrics.registry import make_metrics, usual_options
from relevance.metrics.scoring import Failures, score_dataset
from relevance.processes.runs import Done, Progress, execute, start_process

MODULE = "relevance.metrics.background.scoring"


def start_run(store: DataStore, dataset: str, names: Sequence[str]) -> Run:
    """Start to score a data set by the metrics of these names in a separate process, and return its run at once.

    Raises `UnknownDataset`, `RunGoingOn`, OSError.
    """
    return start_process(store, store.start_run(dataset=dataset, metrics=names), MODULE)


def score(store: DataStore, run: Run, progress: Progress) -> Done:
    """Compute the scores of a run; metrics that fail do not stop the others."""
    failures = Failures()
    options = usual_options(referenced=store.dataset(run.dataset).referenced)
    score_dataset(store, run.dataset, make_metrics(run.metrics, **options), progress, failures)
    return Done(failed=failures)


if __name__ == "__main__":
    execute(int(sys.argv[1]), score)
