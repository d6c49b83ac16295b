"""The study over the demo corpus."""

from __future__ import annotations

from annotation.store import AnnotationStore, Study, StudySpec
from data.demo import NAME

STUDY = "Demo"


def create_demo_study(store: AnnotationStore, signature: str) -> Study:
    """Create the demo study unless it is there already; `signature` names the ROUGE-K scores to draw pairs by."""
    if STUDY not in {study.name for study in store.studies()}:
        store.create_study(
            StudySpec(name=STUDY, dataset=NAME, signature=signature, judgments_per_pair=3, ties=True, seed=1)
        )
    return store.study(STUDY)
