"""The studies over the demo corpus: one to judge in, and one judged by a program."""

import math
import random
from datetime import timedelta

from relevance.annotation.records import JudgmentTask, Study, StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.data.database import now
from relevance.data.demo import AUTHOR, NAME
from relevance.data.store import DataStore

STUDY = "Demo"
MADE_UP = "Demo with made-up judgments"
"""The study that a program judged; it is closed, so that real and made-up judgments never mix."""

ANNOTATORS = {"made-up annotator 1": 1.5, "made-up annotator 2": 1.2, "made-up annotator 3": 0.5}
"""The annotators, each with the slope of a logistic choice by the difference of the author's labels."""

Labels = dict[tuple[str | None, str], float]
"""The author's label of a summary, by its document's title and its text."""

TIES = 0.15
"""The probability that they call two summaries of neighbouring ranks equal."""


def create_demo_study(store: AnnotationStore, signature: str) -> Study:
    """Create the demo study unless it is there already; `signature` names the ROUGE-K scores to draw pairs by."""
    if STUDY not in {study.name for study in store.studies(archived=True)}:
        store.create_study(
            StudySpec(
                name=STUDY,
                dataset=NAME,
                rule="rouge_k_differs",
                signature=signature,
                judgments_per_pair=3,
                ties=True,
                seed=1,
            )
        )
    return store.study(STUDY)


def create_made_up_study(data: DataStore, store: AnnotationStore, signature: str) -> Study:
    """Create the study of made-up judgments and judge it, unless it is closed; resume it if it was interrupted.

    Each annotator prefers the summary that the corpus's author ranked higher, with a probability that depends on the
    distance of the ranks. The choices are random with a seed: they show what the pages do, and measure nothing.
    """
    ranked = [
        (document.title, summary)
        for document, summaries in data.records(NAME)
        for summary in summaries
        if AUTHOR in summary.human  # systems that somebody added have no labels
    ]
    if MADE_UP not in {study.name for study in store.studies(archived=True)}:
        store.create_study(
            StudySpec(
                name=MADE_UP,
                dataset=NAME,
                systems=tuple(sorted({summary.system for _, summary in ranked})),
                rule="rouge_k_differs",
                signature=signature,
                judgments_per_pair=len(ANNOTATORS),
                ties=True,
                seed=2,
                instructions="A program judged this study to show what pages say of judgments. They measure nothing.",
            )
        )
    if store.study(MADE_UP).closed_at is None:
        labels = {(title, summary.text): summary.human[AUTHOR] for title, summary in ranked}
        for name, slope in ANNOTATORS.items():
            annotator = store.join(study=MADE_UP, name=name)
            while (task := store.next_task(annotator)) is not None:
                chance = random.Random(f"{name} {task.assignment_id}")  # noqa: S311  no secret
                store.judge(
                    annotator=annotator,
                    assignment_id=task.assignment_id,
                    choice=made_up_choice(task, labels, slope, chance),
                    presented_at=now() - timedelta(seconds=chance.uniform(8, 60)),
                )
        store.close_study(MADE_UP)
    return store.study(MADE_UP)


def made_up_choice(task: JudgmentTask, labels: Labels, slope: float, chance: random.Random) -> str:
    """Draw a choice that mostly follows the author's labels."""
    difference = labels[task.title, task.left] - labels[task.title, task.right]
    if abs(difference) == 1 and chance.random() < TIES:
        return "tie"
    return "left" if chance.random() < 1 / (1 + math.exp(-slope * difference)) else "right"
