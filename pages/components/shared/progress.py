"""Progress in words."""

from __future__ import annotations

import math

from annotation.records import JudgmentProgress
from data.database import now
from data.store import DIED, Run
from reports.escaping import in_markdown


def progress_text(progress: JudgmentProgress) -> str:
    """What is done and how long the rest takes at the annotator's median pace, in minutes rounded up."""
    total = progress.judged + progress.skipped + progress.open
    text = f"{progress.judged} of {total} judged"
    if progress.skipped:
        text += f", {progress.skipped} skipped"
    if progress.seconds is not None and progress.open:
        minutes = math.ceil(progress.open * progress.seconds / 60)
        text += " · about a minute left" if minutes == 1 else f" · about {minutes} minutes left"
    return text


def run_progress(run: Run) -> tuple[float, str]:
    """How far a run is: the part that is done, and the words for it in Markdown, with minutes and seconds so far.

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
