"""Progress in words."""

from __future__ import annotations

import math

from annotation.store import Progress


def progress_text(progress: Progress) -> str:
    """What is done and how long the rest takes at the annotator's median pace, in minutes rounded up."""
    total = progress.judged + progress.skipped + progress.open
    text = f"{progress.judged} of {total} judged"
    if progress.skipped:
        text += f", {progress.skipped} skipped"
    if progress.seconds is not None and progress.open:
        minutes = math.ceil(progress.open * progress.seconds / 60)
        text += " · about a minute left" if minutes == 1 else f" · about {minutes} minutes left"
    return text
