"""Runs over seeds: folders `bart#1`, `bart#2` and so on, which together are one system.

`relevance.analysis.systems.combine_runs` gives the mean and the population standard deviation over them.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from relevance.summarizers.training.grid import Grid, search_grid
from relevance.summarizers.training.run import train
from relevance.summarizers.training.task import Task


def train_runs(
    task: Task,
    output: Path,
    seeds: Sequence[int],
    *,
    grid: Grid | None = None,
    resume: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
    say: Callable[[str], None] = lambda line: None,
) -> list[Path]:
    """Train once for each seed, into a folder beside `output` with its name and `#SEED`; return the folders.

    A grid is searched with the first seed, and the best combination is trained with the others. Raises ValueError for a
    seed below 1 or given twice, and what `train` does.
    """
    if not seeds or min(seeds) < 1 or len(set(seeds)) < len(seeds):
        raise ValueError("runs are numbered by their seeds: name each once, from 1 on")
    folders = [output.with_name(f"{output.name}#{seed}") for seed in seeds]
    for seed, folder in zip(seeds, folders, strict=True):
        say(f"run {folder.name}")
        run = replace(task, seed=seed)
        if grid and seed == seeds[0]:
            chosen = search_grid(run, folder, grid, resume=resume, progress=progress, say=say)
            task = replace(chosen, seed=task.seed)
        else:
            train(run, folder, resume=resume, progress=progress, say=say)
    return folders
