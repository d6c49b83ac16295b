"""Judgments that come with a data set: the study that they make, what it is for, and the way out and in again."""

from pathlib import Path

import numpy as np
import pytest
from alembic import command
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from relevance.annotation.exports import export_pairs
from relevance.annotation.importing import import_any, import_judgments
from relevance.annotation.protocol.store import ProtocolStore
from relevance.annotation.records import NameTaken, StudyClosed, StudyExists, StudySpec
from relevance.annotation.results import export_judgments, load_judgments
from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, JudgmentRow, PairRow, StudyRow
from relevance.bundles.checking import check_bundle
from relevance.bundles.reading import unpack
from relevance.bundles.rerunning import rerun_bundle
from relevance.bundles.writing import write_bundle
from relevance.data.database import migrations, upgrade
from relevance.data.export import export
from relevance.data.importers.mapping import BadColumns, Columns, read_columns
from relevance.data.importing import Reading
from relevance.data.records import BadRecord
from relevance.data.store import DatasetExists, DataStore, StoreError, UnknownDataset
from tests.data.battles import battle, comparison, policies, turns, write

BATTLES = [
    battle("q1"),
    battle("q2", "model_b", model_a="beta", model_b="alpha", judge="arena_user_2"),
    battle(
        "q2",
        "tie",
        judge="arena_user_1",
        conversation_a=turns("What is rain?", "Wet."),
        conversation_b=turns("What is rain?", "Dry."),
        tstamp=None,
    ),
    battle("q1", "model_b", judge="arena_user_3"),
    battle("q3", model_a="gamma"),
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "battles.jsonl", BATTLES)


def test_a_file_of_battles_becomes_a_data_set_and_a_closed_study(
    annotation_store: AnnotationStore, data_store: DataStore, file: Path
) -> None:
    notes: list[str] = []
    told = import_any(data_store, annotation_store, file, name="arena", say=notes.append)
    assert told == (
        "imported 3 documents and 7 summaries of 4 systems as arena, and 5 judgments of 4 pairs as the study arena"
    )
    assert notes == [
        "format: lmarena (guessed)",
        "1 text beside another one by the same system for the same document: named SYSTEM#2, SYSTEM#3 and so on",
    ]
    study = annotation_store.study("arena")
    assert (study.rule, study.state, study.pairs, study.judgments, study.ties) == ("given", "closed", 4, 5, True)
    assert (study.systems, study.eligible) == (("alpha", "beta", "beta#2", "gamma"), 4)
    assert notes[1] in study.instructions
    judged = load_judgments(annotation_store, "arena")
    rows = zip(judged.pair, judged.choices, judged.left, judged.annotators, judged.took, strict=True)
    assert [(str(judged.documents[pair]), choice, str(who)) for pair, choice, _, who, _ in rows] == [
        ("q1", 1.0, "annotator 1"),
        ("q2", 1.0, "annotator 2"),
        ("q1", -1.0, "annotator 3"),
        ("q3", -1.0, "annotator 1"),
        ("q2", 0.0, "annotator 1"),
    ]
    assert np.isnan(judged.left).all()  # nobody drew the sides
    assert not judged.has_sides
    assert all(seconds != seconds for seconds in judged.took)
    progress = annotation_store.annotators("arena")
    assert [
        (annotator.annotator, annotator.judged, annotator.ties, annotator.seconds, annotator.left)
        for annotator in progress
    ] == [
        ("annotator 1", 3, 1, None, None),
        ("annotator 2", 1, 0, None, None),
        ("annotator 3", 1, 0, None, None),
    ]
    record = export_judgments(annotation_store, "arena")[2]
    assert (record["choice"], record["presented_at"], record["decided_at"]) == ("tie", None, None)


def test_nobody_adds_to_judgments_that_came(annotation_store: AnnotationStore, file: Path, engine: Engine) -> None:
    import_judgments(annotation_store, file, name="arena", reading=Reading("lmarena"))
    with pytest.raises(StudyClosed, match="came from a file; nobody can add to them"):
        annotation_store.close_study("arena", closed=False)
    with pytest.raises(StudyClosed):
        annotation_store.join(study="arena", name="Zoe")
    with pytest.raises(NameTaken):
        annotation_store.join(study="arena", name="annotator 1")
    with pytest.raises(StoreError, match="came with their judgments"):
        annotation_store.create_study(StudySpec(name="again", dataset="arena", rule="given"))
    text = ProtocolStore(engine).export("arena")
    assert 'rule = "given"' in text
    with pytest.raises(StoreError, match="cannot be drawn"):
        ProtocolStore(engine).apply(text.replace('name = "arena"', 'name = "other"', 1))


@pytest.mark.parametrize("taken", ["data set", "study"])
def test_nothing_is_stored_where_a_name_is_taken(
    annotation_store: AnnotationStore, data_store: DataStore, file: Path, tmp_path: Path, engine: Engine, taken: str
) -> None:
    import_judgments(annotation_store, file, name="other", reading=Reading("lmarena"))
    if taken == "data set":
        data_store.add_dataset(name="arena", format="f", sha256="", records=[])
    else:
        with Session(engine) as session:
            session.execute(StudyRow.__table__.update().values(name="arena"))
            session.commit()
    before = count_rows(engine)
    with pytest.raises(DatasetExists if taken == "data set" else StudyExists, match=f"already a {taken} 'arena'"):
        import_judgments(annotation_store, file, name="arena", reading=Reading("lmarena"))
    assert count_rows(engine) == before


def test_a_bad_line_leaves_nothing(
    annotation_store: AnnotationStore, data_store: DataStore, tmp_path: Path, engine: Engine
) -> None:
    file = write(tmp_path / "bad.jsonl", [*BATTLES, battle("q4", "nobody")])
    with pytest.raises(BadRecord, match=r"bad\.jsonl:6: winner"):
        import_any(data_store, annotation_store, file, name="arena")
    assert data_store.datasets() == []
    assert count_rows(engine) == [0] * 5


def count_rows(engine: Engine) -> list[int]:
    with Session(engine) as session:
        tables = (StudyRow, PairRow, AnnotatorRow, AssignmentRow, JudgmentRow)
        return [session.scalar(select(func.count()).select_from(table)) or 0 for table in tables]


def test_a_study_comes_back_as_it_was_exported(
    annotation_store: AnnotationStore, data_store: DataStore, file: Path, tmp_path: Path
) -> None:
    import_judgments(annotation_store, file, name="arena", reading=Reading("lmarena"))
    records, left_out = export_pairs(annotation_store, "arena", "lmarena")
    assert left_out == 0
    again = tmp_path / "again.jsonl"
    again.write_text(export(records, "jsonl"), encoding="utf-8")
    import_judgments(annotation_store, again, name="again", reading=Reading("lmarena"))
    assert data_store.records("again") == data_store.records("arena")
    first, second = (
        [
            {key: value for key, value in record.items() if key not in {"study", "dataset", "assigned_at"}}
            for record in export_judgments(annotation_store, name, names=True)
        ]
        for name in ("arena", "again")
    )
    assert first == second
    assert export_pairs(annotation_store, "again", "lmarena")[0] == records


def test_crowd_kit_has_no_ties(annotation_store: AnnotationStore, file: Path) -> None:
    import_judgments(annotation_store, file, name="arena", reading=Reading("lmarena"))
    records, ties = export_pairs(annotation_store, "arena", "crowd-kit", names=True)
    assert ties == 1
    assert records[1] == {"worker": "annotator 2", "left": "beta", "right": "alpha", "label": "alpha"}
    assert len(records) == 4


@pytest.mark.exhaustive
def test_a_bundle_of_such_a_study_is_checked_and_run_again_but_for_the_draw(
    annotation_store: AnnotationStore, data_store: DataStore, tmp_path: Path
) -> None:
    posts = [
        comparison(f"p{n}", n % 2, worker=f"w{n % 3}", summaries=policies(("a", f"One {n}."), ("b", "Two.")))
        for n in range(6)
    ]
    import_judgments(
        annotation_store, write(tmp_path / "c.jsonl", posts), name="feedback", reading=Reading("human_feedback")
    )
    notes: list[str] = []
    bundle = tmp_path / "feedback.zip"
    write_bundle(data_store, annotation_store, "feedback", bundle)
    (tmp_path / "unpacked").mkdir()
    checked = check_bundle(unpack(bundle, tmp_path / "unpacked"))
    assert any("6 of these pairs by these people" in line for line in checked)
    assert rerun_bundle(bundle, notes.append) == []
    assert "pairs: not drawn again, as they came with their judgments" in notes


def test_an_earlier_schema_keeps_the_judgments(annotation_store: AnnotationStore, file: Path, engine: Engine) -> None:
    import_judgments(annotation_store, file, name="arena", reading=Reading("lmarena"))
    before = export_judgments(annotation_store, "arena")
    with engine.execution_options(writing=True).begin() as connection:
        config = migrations()
        config.attributes["connection"] = connection
        command.downgrade(config, "0012")
    upgrade(engine)
    after = export_judgments(annotation_store, "arena")
    never = "1970-01-01T00:00:00.000000+00:00"
    assert [record["decided_at"] for record in after] == [record["decided_at"] or never for record in before]
    assert {record["presented_at"] for record in after} == {never}
    assert [record["chosen"] for record in after] == [record["chosen"] for record in before]


# --- tables of choices ------------------------------------------------------------------------------------------------

TABLE = """article,target,system_a,summary_a,system_b,summary_b,fluency,relevance,worker,notes,time
One.,R1.,bart,A.,t5,B.,A,B is better,zoe,"=SUM(1) & <b>",2026-01-02T03:04:05Z
Two.,R2.,t5,C.,bart,D.,tie,1,max,,
Two.,R2.,t5,C.,bart,D.,,2,zoe,,
"""
ROLES = {"choice.fluency": "fluency", "choice.relevance": "relevance"}


def test_a_table_of_choices_becomes_a_study_for_each_question(
    annotation_store: AnnotationStore, data_store: DataStore, tmp_path: Path
) -> None:
    file = tmp_path / "table.csv"
    file.write_text(TABLE)
    notes: list[str] = []
    reading = Reading(columns=Columns(ROLES))
    assert import_any(data_store, annotation_store, file, name="t", reading=reading, say=notes.append) == (
        "imported 2 documents and 4 summaries of 2 systems as t, and 2 judgments of 2 pairs as the study t: fluency, "
        "and 3 judgments of 2 pairs as the study t: relevance"
    )
    fluency, relevance = (annotation_store.study(f"t: {question}") for question in ("fluency", "relevance"))
    assert (fluency.dataset, fluency.state, fluency.ties) == ("t", "closed", True)
    assert (relevance.dataset, relevance.state, relevance.ties) == ("t", "closed", False)
    assert all(sentence in relevance.instructions for sentence in notes[1:])
    judged = load_judgments(annotation_store, "t: relevance")
    first, *_ = export_judgments(annotation_store, "t: relevance")
    assert [(str(who), choice) for who, choice in zip(judged.annotators, judged.choices, strict=True)] == [
        ("annotator 1", -1.0),  # of bart and t5
        ("annotator 2", -1.0),
        ("annotator 1", 1.0),
    ]
    assert (first["left"], first["rationale"]) == ("bart", "=SUM(1) & <b>")
    assert first["decided_at"] == "2026-01-02T03:04:05.000000+00:00"
    (document, _), _ = data_store.records("t")
    assert (document.source, document.references) == ("One.", ("R1.",))


def test_a_data_set_keeps_how_its_columns_were_read(
    annotation_store: AnnotationStore, data_store: DataStore, tmp_path: Path
) -> None:
    file = tmp_path / "table.csv"
    file.write_text(TABLE)
    import_any(data_store, annotation_store, file, name="t", reading=Reading(columns=Columns(ROLES)))
    again = tmp_path / "columns.toml"
    again.write_text(data_store.dataset("t").columns or "")
    columns = read_columns(again)
    assert columns.roles == {
        **{"source": "article", "reference": "target", "left": "summary_a", "right": "summary_b"},
        **{"left_system": "system_a", "right_system": "system_b", "annotator": "worker", "time": "time"},
        **{"comment": "notes"},
        **ROLES,
    }
    assert columns.values == {"A": "left", "tie": "tie", "B is better": "right", "1": "left", "2": "right"}
    import_any(data_store, annotation_store, file, name="u", reading=Reading(columns=columns))
    first, again_read = (
        [
            {**judgment, "study": "", "dataset": "", "assigned_at": ""}
            for judgment in export_judgments(annotation_store, study)
        ]
        for study in ("t: relevance", "u: relevance")
    )
    assert first == again_read


def test_a_bundle_has_what_came_with_a_table(
    annotation_store: AnnotationStore, data_store: DataStore, tmp_path: Path
) -> None:
    file = tmp_path / "table.csv"
    file.write_text(TABLE)
    import_any(data_store, annotation_store, file, name="t", reading=Reading(columns=Columns(ROLES)))
    bundle = tmp_path / "bundle.zip"
    write_bundle(data_store, annotation_store, "t: relevance", bundle)
    (tmp_path / "unpacked").mkdir()
    content = unpack(bundle, tmp_path / "unpacked")
    check_bundle(content)
    assert content.value("study.json")[1]["dataset"]["columns"] == data_store.dataset("t").columns


@pytest.mark.parametrize("taken", ["t: relevance", "t: fluency"])
def test_no_question_is_stored_where_the_name_of_one_is_taken(
    annotation_store: AnnotationStore, data_store: DataStore, file: Path, tmp_path: Path, engine: Engine, taken: str
) -> None:
    import_judgments(annotation_store, file, name=taken, reading=Reading("lmarena"))
    before = count_rows(engine)
    table = tmp_path / "table.csv"
    table.write_text(TABLE)
    with pytest.raises(StudyExists, match=f"already a study '{taken}'"):
        import_judgments(annotation_store, table, name="t", reading=Reading(columns=Columns(ROLES)))
    assert count_rows(engine) == before


def test_columns_of_what_is_no_table_are_refused(
    annotation_store: AnnotationStore, data_store: DataStore, file: Path
) -> None:
    with pytest.raises(BadColumns, match="a file of lmarena has its own columns"):
        import_any(data_store, annotation_store, file, name="t", reading=Reading("lmarena", Columns(ROLES)))


VOTES = """doc,model_a,model_b,winner,who
1,bart,t5,bart,zoe
2,t5,bart,model_b,zoe
2,t5,bart,tie,max
"""


def test_choices_are_added_to_summaries_that_are_here(
    annotation_store: AnnotationStore, data_store: DataStore, tmp_path: Path, engine: Engine
) -> None:
    table, votes = tmp_path / "table.csv", tmp_path / "votes.csv"
    table.write_text(TABLE)
    votes.write_text(VOTES)
    import_any(data_store, annotation_store, table, name="t", reading=Reading(columns=Columns(ROLES)))
    told = import_any(data_store, annotation_store, votes, name="more", of="t")
    assert told == "imported 3 judgments of 2 pairs as the study more of t"
    study = annotation_store.study("more")
    assert (study.dataset, study.state, study.ties, study.systems) == ("t", "closed", True, ("bart", "t5"))
    judged = load_judgments(annotation_store, "more")
    assert [
        (str(judged.documents[pair]), choice) for pair, choice in zip(judged.pair, judged.choices, strict=True)
    ] == [
        ("1", 1.0),
        ("2", 1.0),
        ("2", 0.0),
    ]
    assert [dataset.name for dataset in data_store.datasets()] == ["t"]
    before = count_rows(engine)
    votes.write_text(VOTES + "3,t5,bart,tie,max\n")
    with pytest.raises(
        BadRecord, match=r'votes\.csv:5: the data set t has no summary of "3" by "t5": correct the names'
    ):
        import_any(data_store, annotation_store, votes, name="again", of="t")
    with pytest.raises(UnknownDataset):
        import_any(data_store, annotation_store, votes, name="again", of="nosuch")
    votes.write_text("model_a,model_b,winner\nbart,t5,bart\n")
    with pytest.raises(BadRecord, match="which documents of t the judgments are of is not known without their ids"):
        import_any(data_store, annotation_store, votes, name="again", of="t")
    votes.write_text("document_id,reference,system,summary\n1,R.,bart,S.\n")
    with pytest.raises(BadRecord, match="a file of csv has no choices that could be of t"):
        import_any(data_store, annotation_store, votes, name="again", of="t")
    assert count_rows(engine) == before


def test_votes_without_texts_rank_systems(
    annotation_store: AnnotationStore, data_store: DataStore, tmp_path: Path
) -> None:
    votes = tmp_path / "votes.csv"
    votes.write_text(VOTES.replace("doc,", "n,"))
    assert import_any(data_store, annotation_store, votes, name="votes") == (
        "imported 3 documents and 6 summaries of 2 systems as votes, and 3 judgments of 3 pairs as the study votes"
    )
    assert list(load_judgments(annotation_store, "votes").choices) == [1.0, 1.0, 0.0]


@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_judgments_that_were_exported_come_back(
    annotation_store: AnnotationStore, data_store: DataStore, tmp_path: Path, format: str
) -> None:
    table, exported = tmp_path / "table.csv", tmp_path / f"exported.{format}"
    table.write_text(TABLE)
    import_any(data_store, annotation_store, table, name="t", reading=Reading(columns=Columns(ROLES)))
    before = export_judgments(annotation_store, "t: relevance")
    assert [(row["left"], row["choice"]) for row in before] == [("bart", "right"), ("t5", "left"), ("t5", "right")]
    exported.write_text(export(before, format), encoding="utf-8")
    import_any(data_store, annotation_store, exported, name="again", of="t")
    after = export_judgments(annotation_store, "again")
    kept = ("document_id", "left", "choice", "chosen", "annotator", "rationale", "decided_at")
    assert [[item[name] for name in kept] for item in after] == [[item[name] for name in kept] for item in before]
