"""The choice that both summaries are bad: offered where a study says so, kept beside ties, and counted as one."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from relevance.analysis.metrics_and_people import analyze_agreement
from relevance.annotation.adjudication import AdjudicationStore
from relevance.annotation.exports import export_pairs, export_study
from relevance.annotation.importing import import_judgments
from relevance.annotation.protocol.file import write_protocol
from relevance.annotation.protocol.records import Judging, protocol_of
from relevance.annotation.records import BOTH_BAD, CHOICES, JudgmentTask, StudySpec
from relevance.annotation.results import export_judgments, load_judgments
from relevance.annotation.store import AnnotationStore
from relevance.data.database import now
from relevance.data.importing import Reading
from relevance.data.store import DataStore, StoreError
from relevance.reports.tables.agreement import agreement_table
from tests.data.battles import write

Judge = Callable[..., None]

CHOSEN = {"d0": "tie", "d1": BOTH_BAD, "d2": "left", "d3": BOTH_BAD, "d4": "right"}
"""What Ann chooses in the end; of d0 she says first that both are bad."""


def create(store: AnnotationStore, dataset: str, **judging: bool | int) -> None:
    """Create the study `S`, with a pair of a and b of each document."""
    protocol = protocol_of(StudySpec(name="S", dataset=dataset, rule="all", systems=("a", "b"), seed=7))
    protocol = replace(protocol, judging=Judging(**judging))  # type: ignore[arg-type]
    store.create_study(protocol.spec, write_protocol(protocol))


def document_of(task: JudgmentTask) -> str:
    return f"d{task.left[-1]}"


@pytest.fixture
def judged(annotation_store: AnnotationStore, dataset: str, judge: Judge) -> AnnotationStore:
    """The study `S`, judged by Ann as in `CHOSEN`, and by Bob, who always calls both bad."""
    create(annotation_store, dataset, ties=True, both_bad=True, judgments_per_pair=2)
    ann, bob = (annotation_store.join(study="S", name=name) for name in ("Ann", "Bob"))
    while (task := annotation_store.next_task(ann)) is not None:
        judge(ann, task.assignment_id, BOTH_BAD if (document := document_of(task)) == "d0" else CHOSEN[document])
        if document == "d0":
            judge(ann, task.assignment_id, CHOSEN[document], change=True)
        shown = annotation_store.task(ann, task.assignment_id)
        assert shown is not None
        assert shown.choice == CHOSEN[document]
    while (task := annotation_store.next_task(bob)) is not None:
        judge(bob, task.assignment_id, BOTH_BAD)
    return annotation_store


@pytest.mark.parametrize(
    ("judging", "offered"),
    [({}, CHOICES[:2]), ({"ties": True}, CHOICES[:3]), ({"ties": True, "both_bad": True}, CHOICES)],
)
def test_each_choice_is_taken_only_where_the_study_offers_it(
    annotation_store: AnnotationStore, dataset: str, judge: Judge, judging: dict[str, bool], offered: tuple[str, ...]
) -> None:
    create(annotation_store, dataset, **judging)
    assert annotation_store.study("S").both_bad == (BOTH_BAD in offered)
    ann = annotation_store.join(study="S", name="Ann")
    for choice in CHOICES:
        task = annotation_store.next_task(ann)
        assert task is not None
        if choice in offered:
            judge(ann, task.assignment_id, choice)
        else:
            with pytest.raises(StoreError, match=f"'{choice}' is not a choice of this study"):
                judge(ann, task.assignment_id, choice)


def test_it_is_kept_through_changes_and_exported(judged: AnnotationStore, data_store: DataStore) -> None:
    of_ann = {
        judgment["document_id"]: judgment for judgment in export_judgments(judged, "S") if judgment["annotator"] == "P1"
    }
    assert {document: value["choice"] for document, value in of_ann.items()} == CHOSEN
    assert {value["chosen"] for document, value in of_ann.items() if CHOSEN[document] == BOTH_BAD} == {None}
    (earlier,) = of_ann["d0"]["history"]
    assert (earlier["choice"], earlier["chosen"]) == (BOTH_BAD, None)
    people = list(export_study(data_store, judged, "S", "people"))
    assert [(person["ties"], person["both_bad"]) for person in people] == [(3, 2), (5, 5)]


def test_it_counts_as_a_tie_and_is_said(judged: AnnotationStore) -> None:
    judgments = load_judgments(judged, "S")
    assert judgments.both_bad is not None
    assert (judgments.choices[judgments.both_bad] == 0).all()
    assert (judgments.bad_ties, int((judgments.choices == 0).sum())) == (7, 8)
    assert judgments.where(judgments.annotators == "Ann").bad_ties == 2
    assert judgments.by_majority().bad_ties == 0  # a majority is nobody's choice
    scored = replace(judgments, scores={"rouge1|test": np.zeros((len(judgments.documents), 2))})
    assert agreement_table(analyze_agreement(scored), "judgment").title == (
        "Agreement of metrics with people, per judgment (8 human ties, 7 of them “both are bad”)"
    )


def test_adjudicators_read_it_and_choose_between_the_sides_and_equal(judged: AnnotationStore) -> None:
    store = AdjudicationStore(judged.engine)
    pair = next(
        pair.id for pair in store.pairs("S", "Eve") if document_of(store.task("S", pair.id, "Eve").shown) == "d0"
    )

    def decide(choice: str) -> None:
        shown = now() - timedelta(seconds=2)
        store.decide(study="S", pair_id=pair, choice=choice, presented_at=shown, name="Eve")

    with pytest.raises(StoreError, match="not a choice"):
        decide(BOTH_BAD)
    decide("tie")
    assert [vote.choice for vote in store.task("S", pair, "Eve").votes] == ["tie", BOTH_BAD]


def test_battles_bring_it_and_take_it_along(judged: AnnotationStore, tmp_path: Path) -> None:
    records, left_out = export_pairs(judged, "S", "lmarena")
    assert left_out == 0
    assert [record["winner"] for record in records].count("tie (bothbad)") == 7
    import_judgments(judged, write(tmp_path / "b.jsonl", records), name="again", reading=Reading("lmarena"))
    assert judged.study("again").both_bad
    again, _ = export_pairs(judged, "again", "lmarena")
    assert sorted((row["question_id"], row["judge"], row["winner"]) for row in again) == sorted(
        (record["question_id"], record["judge"], record["winner"]) for record in records
    )


def test_tables_of_choices_bring_it(annotation_store: AnnotationStore, tmp_path: Path) -> None:
    table = tmp_path / "choices.csv"
    table.write_text(
        "document,summary_a,summary_b,choice\nOne.,A.,B.,A\nTwo.,C.,D.,both bad\nThree.,E.,F.,tie\n", encoding="utf-8"
    )
    import_judgments(annotation_store, table, name="t", reading=Reading("choices"))
    assert [judgment["choice"] for judgment in export_judgments(annotation_store, "t")] == ["left", BOTH_BAD, "tie"]
    assert [(annotator.ties, annotator.both_bad) for annotator in annotation_store.annotators("t")] == [(2, 1)]
