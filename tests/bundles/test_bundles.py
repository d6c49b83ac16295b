"""Bundles from end to end: written, verified, run again, opened and registered."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest
from sqlalchemy import Engine, select, update
from sqlalchemy.orm import Session

from relevance.annotation.people import PeopleStore
from relevance.annotation.protocol.file import write_protocol
from relevance.annotation.protocol.pinning import hash_dataset
from relevance.annotation.protocol.records import Stopping
from relevance.annotation.protocol.store import ProtocolStore
from relevance.annotation.protocol.tables import (
    AdjudicationRow,
    ConsentRow,
    EventRow,
    ModelAnnotatorRow,
    ModelJudgmentRow,
    ProtocolRow,
    RegistrationRow,
    SurveyAnswerRow,
    TrainingAnswerRow,
)
from relevance.annotation.records import OpenedFromBundle, StudyClosed, StudyExists, StudySpec
from relevance.annotation.registrations import AlreadyJudged, RegistrationStore
from relevance.annotation.results import load_judgments
from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, JudgmentRow, PairRow, RevisionRow, StudyRow
from relevance.bundles import records
from relevance.bundles.changes import describe_registration
from relevance.bundles.checking import check_bundle
from relevance.bundles.opening import open_bundle
from relevance.bundles.reading import Bundle, unpack
from relevance.bundles.registering import register_study
from relevance.bundles.rerunning import rerun_bundle
from relevance.bundles.writing import make_bundle, write_bundle
from relevance.data.database import Base
from relevance.data.export import format_json_lines
from relevance.data.reading import FileLine
from relevance.data.records import BadRecord, Summary
from relevance.data.store import DatasetExists, DataStore
from relevance.data.tables import BoundRow, DatasetRow, DocumentRow, ScoreRow, SummaryRow, UserRow
from relevance.metrics import make_metrics
from tests.bundles.conftest import NAMES, STUDY, WORDS, Change, bundle_of, lines_of, make_protocol, make_records
from tests.commands import run
from tests.conftest import ROOT

Changed = Callable[..., Path]

KEPT = {
    StudyRow: (records.STUDY, {"id", "owner_id", "dataset_id", "bundle_sha256", "archived_at"}),
    DatasetRow: (records.DATASET, {"id", "owner_id", "archived_at", "trained"}),
    ProtocolRow: (records.PROTOCOL, {"id", "study_id", "text", "user_id"}),
    RegistrationRow: (records.REGISTRATION, {"id", "study_id"}),
    DocumentRow: (
        records.DOCUMENT.keys() | {"key", "reference_texts"},
        {"dataset_id", "position"},  # the order of the lines
    ),
    SummaryRow: (records.SUMMARY, {"id", "document_id", "example"}),
    ScoreRow: (records.SCORE, {"signature_id", "example"}),
    BoundRow: (records.BOUND, {"id"}),
    PairRow: (records.PAIR.keys() | {"first_id", "second_id", "expected_id"}, {"id", "study_id", "judgments"}),
    AnnotatorRow: (records.PERSON, {"id", "study_id", "name", "token", "user_id", "code"}),
    ConsentRow: (records.CONSENT, {"annotator_id"}),
    EventRow: (records.EVENT, {"id", "annotator_id", "user_id"}),
    TrainingAnswerRow: (records.TRAINING, {"id", "annotator_id"}),
    AssignmentRow: (records.ASSIGNMENT.keys() | {"annotator_id", "pair_id", "left_id"}, {"id"}),
    JudgmentRow: (records.JUDGMENT.keys() | {"chosen_id"}, {"id", "assignment_id"}),
    RevisionRow: (records.REVISION.keys() | {"chosen_id"}, {"id", "judgment_id"}),
    SurveyAnswerRow: (records.SURVEY_ANSWER.keys() | {"annotator_id"}, set()),
    AdjudicationRow: (records.ADJUDICATION.keys() | {"pair_id", "chosen_id"}, {"id", "user_id"}),
    ModelAnnotatorRow: (records.MODEL, {"id", "study_id"}),
    ModelJudgmentRow: (records.MODEL_JUDGMENT.keys() | {"model_id", "pair_id"}, set()),
}
"""By table: what a bundle has of its columns, and what it leaves out: numbers, what follows or says nothing of the
study, and who people are."""


@pytest.mark.parametrize("table", KEPT, ids=lambda table: table.__tablename__)
def test_every_column_is_kept_or_left_out_on_purpose(table: type[Base]) -> None:
    kept, left_out = KEPT[table]
    assert {column.name for column in table.__table__.columns} <= {*kept, *left_out}


@pytest.mark.parametrize("field", records.LATER)
def test_bundles_from_before_a_field_are_read(field: str) -> None:
    read = records.read_fields(FileLine(Path("old.jsonl"), 1), {}, {field: lambda _place, value, _name: value})
    assert read == {field: False if field == "both_bad" else None}


def verify(file: Path, folder: Path) -> list[str]:
    folder.mkdir()
    return list(check_bundle(unpack(file, folder)))


def test_a_bundle_is_verified(written: Path, tmp_path: Path) -> None:
    assert verify(written, tmp_path / "a")[2:-1] == [
        "study.toml: the last of 2 versions of the protocol",
        "data.jsonl: 6 documents, 18 summaries of 3 systems",
        "scores.jsonl: 54 of these summaries, under 3 signatures",
        "bounds.jsonl: 1 of these documents",
        "pairs.jsonl: 11 of these summaries, and 2 attention checks",
        "people.jsonl: 3 annotators",
        "judgments.jsonl: 24 of these pairs by these people, 2 of them changed",
        "surveys.jsonl: 6 answers of these people",
        "adjudications.jsonl: 3 of these pairs",
        "models.jsonl: 1 language model, with 3 judgments of these pairs",
    ]


def test_the_same_study_gives_the_same_bytes(studied: Path, written: Path, tmp_path: Path) -> None:
    assert bundle_of(studied, tmp_path / "again.zip").read_bytes() == written.read_bytes()


def test_the_tables_are_those_of_analyze(studied: Path, unpacked: Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", f"sqlite:///{studied}")
    tables = json.loads(unpacked.text("tables.json"))
    adjudicated = tables.pop("adjudicated")
    assert tables == json.loads(run("analyze", "--study", STUDY, "--format", "json").stdout)
    assert adjudicated["facts"]["decisions"].startswith("1 by 1 adjudicator")


def test_nobody_is_named(written: Path) -> None:
    with ZipFile(written) as archive:
        everything = b"".join(map(archive.read, archive.namelist())).decode()
    for secret in (*NAMES, "Dr Judge", "SECRET-CODE"):
        assert secret not in everything
        assert json.dumps(secret)[1:-1] not in everything


def test_adjudicators_of_one_name_are_two(studied_engine: Engine, tmp_path: Path) -> None:
    with Session(studied_engine.execution_options(writing=True)) as session:
        session.add(UserRow(id=1, name="Dr Judge", role="researcher"))
        session.flush()
        last = session.scalars(select(AdjudicationRow).order_by(AdjudicationRow.id.desc()).limit(1)).one()
        last.user_id = 1
        session.commit()
    made = make_bundle(DataStore(studied_engine), AnnotationStore(studied_engine), STUDY, tmp_path / "bundle")
    decided = [line["adjudicator"] for line in lines_of(made, "adjudications.jsonl")]
    assert decided == ["adjudicator 1", "adjudicator 2", "adjudicator 3"]


def test_no_text_is_in_a_bundle_without_texts(without_texts: Path, tmp_path: Path) -> None:
    with ZipFile(without_texts) as archive:
        everything = b"".join(map(archive.read, archive.namelist())).decode()
    texts = ["A secret lesson.", "Secretly good.", "Secretly bad."]
    for document, summaries in make_records():
        source = document.source if isinstance(document.source, tuple) else (document.source,)
        texts += [*source, *document.references, document.title or "", *(summary.text for summary in summaries)]
    for text in filter(None, texts):
        assert text not in everything
    assert not any(f"{first} {second}" in everything for first in WORDS for second in WORDS)
    assert verify(without_texts, tmp_path / "a")[0].endswith("without texts")


def test_without_texts_tables_are_made_of_the_stored_scores(without_texts: Path) -> None:
    notes: list[str] = []
    assert rerun_bundle(without_texts, notes.append) == []
    assert notes[-2:] == [
        "scores, pairs: not made again, as the bundle has no texts; give them with --data FILE",
        "tables: made again, except distinguishability, systems, system_means, systems_published, wilcoxon, "
        "marked_words, marked_words_by_document, which depend on texts: the same",
    ]


def write_texts(file: Path, *, without: str = "", replace: tuple[str, str] = ("", "")) -> Path:
    """The data set as an interchange file, without a system, or with a piece of text in the place of another."""
    lines = format_json_lines(
        {
            "id": document.id,
            "title": document.title,
            "source": document.source,
            "references": document.references,
            "summaries": [
                {"system": summary.system, "text": summary.text} for summary in summaries if summary.system != without
            ],
        }
        for document, summaries in make_records()
    )
    file.write_text("".join(lines).replace(*replace) if replace[0] else "".join(lines), encoding="utf-8")
    return file


def test_texts_are_brought_along(without_texts: Path, tmp_path: Path) -> None:
    notes: list[str] = []
    assert rerun_bundle(without_texts, notes.append, write_texts(tmp_path / "texts.jsonl")) == []
    assert notes[-3:] == ["scores: made again: the same", "pairs: made again: the same", "tables: made again: the same"]


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"without": "far"}, 'texts.jsonl: summaries of the document "d0": not what was hashed'),
        ({"replace": ("Reference 3", "Reference three")}, 'references of the document "d3": not what was hashed'),
        ({"replace": ('"id": "d4"', '"id": "d9"')}, 'texts.jsonl has no document "d4"'),
    ],
)
def test_other_texts_are_refused(without_texts: Path, tmp_path: Path, change: dict[str, str], refusal: str) -> None:
    texts = write_texts(tmp_path / "texts.jsonl", **change)  # type: ignore[arg-type]
    with pytest.raises(BadRecord, match=refusal):
        rerun_bundle(without_texts, print, texts)


def test_pairs_are_drawn_as_the_study_file_came_to_say(studied_engine: Engine, tmp_path: Path) -> None:
    """In the order of its stopping rule, and by another rule than in its first version, before anybody came."""
    data, annotation = DataStore(studied_engine), AnnotationStore(studied_engine)
    annotation.create_study(StudySpec(name="New", dataset="news", rule="random", seed=5))
    store = ProtocolStore(studied_engine)
    first, second = (
        signature.signature for signature in data.signatures("news") if signature.metric in {"rouge1", "rouge_k"}
    )
    drawn = replace(store.protocol("New").sampling, rule="all", per_document=None)
    stopping = Stopping(first=first, second=second, most_documents=4)
    store.apply(write_protocol(replace(store.protocol("New"), sampling=drawn, stopping=stopping)))
    write_bundle(data, annotation, "New", tmp_path / "new.zip")
    assert rerun_bundle(tmp_path / "new.zip", print) == []


# --- another process ------------------------------------------------------------------------------------------


@pytest.mark.process
def test_another_process_comes_to_the_same(written: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "relevance", "bundle", "rerun", str(written)]
    environment = {"RELEVANCE_DATABASE_URL": f"sqlite:///{tmp_path / 'none.db'}", "PATH": "", "PYTHONHASHSEED": "7"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-4:] == [
        "scores: made again: the same",
        "pairs: made again: the same",
        "tables: made again: the same",
        "confirmed: everything that was computed again is the same",
    ]
    assert not (tmp_path / "none.db").exists()


@pytest.mark.process
def test_another_python_comes_to_the_same(written: Path, tmp_path: Path) -> None:
    """Such as Python 3.12 beside 3.11, with the packages of `constraints.txt`."""
    python = os.environ.get("RELEVANCE_OTHER_PYTHON")
    if python is None:
        pytest.skip("no other Python: name one that has the packages in RELEVANCE_OTHER_PYTHON")
    command = [python, "-m", "relevance", "bundle", "rerun", str(written)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "confirmed: everything that was computed again is the same"


# --- tampering ------------------------------------------------------------------------------------------------


def with_record(change: Callable[[dict[str, object]], object], number: int = 0) -> Change:
    """A change of one line of a file of records."""

    def change_text(text: str) -> str:
        lines = text.splitlines()
        record = json.loads(lines[number])
        change(record)
        lines[number] = json.dumps(record, ensure_ascii=False)
        return "\n".join(lines) + "\n"

    return change_text


def judge_otherwise(record: dict[str, object]) -> None:
    judgment = record["judgment"]
    assert isinstance(judgment, dict)
    judgment["chosen"] = {"first": "second", "second": "first", None: "first"}[judgment["chosen"]]


def test_pairs_of_a_stopping_rule_are_drawn_again(studied_engine: Engine, tmp_path: Path) -> None:
    """They stand in the order in which their documents are completed; and a file that was applied twice holds."""
    store = AnnotationStore(studied_engine)
    signature = make_metrics(["rouge_k"])[0].signature
    stopping = Stopping(first=signature, alpha=0.05, most_documents=4)
    for seed in (3, 4):
        protocol = make_protocol(signature)
        pinned = replace(protocol.dataset, sha256=hash_dataset(store, "news"))
        sampling = replace(protocol.sampling, seed=seed)
        changes = {"name": "stopping", "dataset": pinned, "sampling": sampling, "stopping": stopping}
        text = write_protocol(replace(protocol, **changes))
        ProtocolStore(studied_engine).apply(text)
        write_bundle(DataStore(studied_engine), store, "stopping", tmp_path / f"{seed}.zip")
        assert rerun_bundle(tmp_path / f"{seed}.zip", print) == []


def test_a_changed_judgment_is_found(changed: Changed, tmp_path: Path) -> None:
    file = changed({"judgments.jsonl": with_record(judge_otherwise)}, manifest=False)
    with pytest.raises(BadRecord, match=r"^judgments.jsonl: this is not the file that the manifest names"):
        verify(file, tmp_path / "a")


def test_under_another_manifest_the_tables_tell(changed: Changed) -> None:
    result = list(map(str, rerun_bundle(changed({"judgments.jsonl": with_record(judge_otherwise)}), print)))
    assert any(line.startswith("tables.json, agreement, row rouge1, ") and "in the bundle" in line for line in result)


def test_a_changed_score_is_named_with_both_values(changed: Changed) -> None:
    file = changed({"scores.jsonl": with_record(lambda record: record.update(value=0.125))})
    first = str(rerun_bundle(file, print)[0])
    assert first.startswith("scores.jsonl: rouge1|")
    assert ", document d0, system lead-1: 0.125 in the bundle, 0." in first


def test_a_score_of_no_metric_is_named(changed: Changed) -> None:
    file = changed({"scores.jsonl": lambda text: text.replace("stem:porter", "stem:unheard")})
    (result,) = (item for item in rerun_bundle(file, print) if item.place.startswith("scores.jsonl"))
    assert "stem:unheard" in result.place
    assert "cannot make this metric again" in str(result)


def test_scores_that_came_with_the_data_set_are_not_computed_again(changed: Changed) -> None:
    file = changed({"scores.jsonl": lambda text: text.replace("rouge1|", "given: rouge1|")})
    assert not any(item.place.startswith("scores.jsonl") for item in rerun_bundle(file, print))


def test_another_pair_is_named(changed: Changed) -> None:
    file = changed({"pairs.jsonl": with_record(lambda record: record.update(inclusion=0.5))})
    assert "pairs.jsonl: pair 0, inclusion: 0.5 in the bundle, nothing now" in map(str, rerun_bundle(file, print))


def test_a_changed_cell_is_named_by_row_and_column(changed: Changed) -> None:
    def change(text: str) -> str:
        tables = json.loads(text)
        tables["tables"]["agreement"]["rows"][0]["C"] = 99
        return json.dumps(tables)

    (result,) = rerun_bundle(changed({"tables.json": change}), print)
    assert re.fullmatch(r"tables.json, agreement, row rouge1, C: 99 in the bundle, \d+ now", str(result))


@pytest.mark.parametrize(
    ("name", "change", "refusal"),
    [
        ("judgments.jsonl", {"annotator": "P9"}, r"judgments.jsonl:1: people.jsonl has no 'P9'"),
        ("judgments.jsonl", {"pair": 99}, "judgments.jsonl:1: there is no pair 99"),
        ("judgments.jsonl", {"left": "third"}, "judgments.jsonl:1: left must be first or second"),
        ("judgments.jsonl", {"assigned_at": "2026-01-01"}, "judgments.jsonl:1: assigned_at must be a time"),
        ("judgments.jsonl", {"token": "x"}, 'judgments.jsonl:1: the field "token" is not known'),
        ("pairs.jsonl", {"position": 3}, "pairs.jsonl:1: this is the pair 0, not 3"),
        ("pairs.jsonl", {"first": ["d0", "nobody"]}, "pairs.jsonl:1: data.jsonl has no summary of 'd0' by 'nobody'"),
        ("pairs.jsonl", {"expected": "first"}, "pairs.jsonl:1: a pair must be of one document"),
        ("scores.jsonl", {"system": "nobody"}, "scores.jsonl:1: data.jsonl has no summary of 'd0' by 'nobody'"),
        ("scores.jsonl", {"missing": "why"}, "scores.jsonl:1: a score must have a value, or the reason"),
        ("bounds.jsonl", {"document_id": "d9"}, "bounds.jsonl:1: data.jsonl has no document 'd9'"),
        ("people.jsonl", {"annotator": "P2"}, "people.jsonl:2: 'P2' stands twice"),
        ("surveys.jsonl", {"annotator": "nobody"}, "surveys.jsonl:1: people.jsonl has no 'nobody'"),
        ("adjudications.jsonl", {"pair": 13}, "adjudications.jsonl:1: there is no pair 13"),
        ("model_judgments.jsonl", {"model": "huge"}, "model_judgments.jsonl:1: models.jsonl has no 'huge'"),
        ("data.jsonl", {"id": "d1"}, "data.jsonl:2: the document 'd1' stands twice"),
    ],
)
def test_what_names_nothing_is_named(
    changed: Changed, tmp_path: Path, name: str, change: dict[str, object], refusal: str
) -> None:
    with pytest.raises(BadRecord, match=f"^{refusal}"):
        verify(changed({name: with_record(lambda record: record.update(change))}), tmp_path / "a")


def test_another_protocol_is_named(changed: Changed, tmp_path: Path) -> None:
    file = changed({"protocols/1.toml": lambda text: text.replace("seed = 3", "seed = 4")})
    with pytest.raises(BadRecord, match=r"^1.toml:1: its SHA-256 is not the one in study.json"):
        verify(file, tmp_path / "a")


# --- opened ---------------------------------------------------------------------------------------------------


def files_of(bundle: Bundle) -> dict[str, str]:
    return {name: bundle.text(name) for name in bundle.files}


def test_what_is_opened_makes_the_same_bundle(
    data_store: DataStore, annotation_store: AnnotationStore, written: Path, unpacked: Bundle, tmp_path: Path
) -> None:
    assert open_bundle(data_store, written) == (STUDY, "news")
    again = make_bundle(data_store, annotation_store, STUDY, tmp_path / "again")
    assert files_of(again) == files_of(unpacked)
    study = annotation_store.study(STUDY)
    assert study.bundle_sha256 == unpacked.sha256


def test_nobody_judges_in_what_is_opened(
    data_store: DataStore, annotation_store: AnnotationStore, written: Path
) -> None:
    open_bundle(data_store, written, "Here")
    assert annotation_store.study("Here").dataset == "news of Here"
    assert len(load_judgments(annotation_store, "Here")) > 0
    with pytest.raises(OpenedFromBundle, match="'Here' was opened from a bundle and stays as it is"):
        annotation_store.close_study("Here", closed=False)
    with pytest.raises(OpenedFromBundle):
        PeopleStore(data_store.engine).exclude("Here", "P1", "why not")
    with pytest.raises(OpenedFromBundle):
        annotation_store.invite(study="Here", name="Eve")
    with pytest.raises(StudyClosed):
        annotation_store.join(study="Here", name="Eve")
    with pytest.raises(StudyClosed):
        annotation_store.join(study="Here", name="P1")


def test_names_that_are_taken(studied_engine: Engine, written: Path) -> None:
    data = DataStore(studied_engine)
    with pytest.raises(DatasetExists, match="open the bundle with --name NAME"):
        open_bundle(data, written)
    with pytest.raises(StudyExists, match="there is already a study"):
        open_bundle(data, written, STUDY)
    assert [dataset.name for dataset in data.datasets()] == ["news"]
    assert open_bundle(data, written, "Copy") == ("Copy", "news of Copy")


def test_other_scores_of_the_same_texts_are_not_mixed(studied_engine: Engine, changed: Changed) -> None:
    data = DataStore(studied_engine)
    file = changed({"scores.jsonl": with_record(lambda record: record.update(value=0.125))})
    with pytest.raises(ValueError, match=r"this database has other scores of the same texts under rouge1\|"):
        open_bundle(data, file, "Copy")
    assert [dataset.name for dataset in data.datasets()] == ["news"]


# --- registered -----------------------------------------------------------------------------------------------


def test_a_registration_says_what_changed_afterwards(studied_engine: Engine, tmp_path: Path) -> None:
    data, annotation = DataStore(studied_engine), AnnotationStore(studied_engine)
    annotation.create_study(StudySpec(name="New", dataset="news", rule="random", seed=5))
    file = tmp_path / "before.zip"
    before = write_bundle(data, annotation, "New", file)
    kept = tmp_path / "registered.zip"
    registered = register_study(data, annotation, "New", kept)
    assert registered.sha256 == before.sha256
    assert kept.read_bytes() == file.read_bytes()
    assert registered.contents["pairs.jsonl"] == before.files["pairs.jsonl"]
    registration = describe_registration(data, annotation, "New")
    assert f"as the bundle {before.sha256} with version 1 of the protocol" in registration["registered"]
    assert registration["changed since"] == "nothing of the protocol, the data, the pairs and the scores"
    with data.changing("scores") as session:
        session.execute(
            update(ScoreRow).where(ScoreRow.value == ScoreRow.value, ScoreRow.signature_id == 1).values(value=0.5)
        )
    data.add_summaries(dataset="news", summaries=[Summary(f"d{n}", "late", f"Late {n}") for n in range(6)])
    changes = describe_registration(data, annotation, "New")["changed since"].split("; ")
    assert changes[0].startswith("data.jsonl has changed (SHA-256 ")
    assert [change.partition("|")[0] for change in changes[1:]] == ["scores.jsonl: rouge1"]
    assert changes[1].endswith(" have changed")
    later = make_bundle(data, annotation, "New", tmp_path / "later")
    assert before.sha256 in later.text("report.html")
    assert "have changed" in later.text("datasheet.md")
    assert lines_of(later, "judgments.jsonl") == []


def test_what_is_judged_is_registered_no_more(studied_engine: Engine) -> None:
    data, annotation = DataStore(studied_engine), AnnotationStore(studied_engine)
    with pytest.raises(AlreadyJudged, match="has 24 judgments; a study is registered before the first one"):
        register_study(data, annotation, STUDY)
    assert RegistrationStore(studied_engine).registration(STUDY) is None
