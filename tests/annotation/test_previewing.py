"""Copies of studies that researchers walk through."""

from sqlalchemy import Engine, update
from sqlalchemy.orm import Session

from relevance.annotation.previewing import copy_study
from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import StudyRow
from relevance.data.database import now
from tests.annotation.conftest import Create


def test_a_study_that_has_stopped_is_walked_through_as_it_was_before(
    annotation_store: AnnotationStore, engine: Engine, create: Create
) -> None:
    create()
    with Session(engine.execution_options(writing=True)) as session:
        session.execute(update(StudyRow).values(stopped_at=now(), decision={}, in_drawn_order=True))
        session.commit()
    copied = copy_study(annotation_store, "S")
    preview = AnnotationStore(copied)
    assert preview.next_task(preview.join(study="S", name="Preview")) is not None
    copied.dispose()
