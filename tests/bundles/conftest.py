"""A small study in which everything has happened that a bundle can tell, and its bundles."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sqlalchemy import Engine, select

from relevance.annotation.phases import JUDGING
from relevance.annotation.protocol.current import add_version, find_protocol
from relevance.annotation.protocol.file import write_protocol
from relevance.annotation.protocol.records import (
    Consent,
    StudyProtocol,
    SurveyQuestion,
    Surveys,
    Training,
    TrainingPair,
    protocol_of,
)
from relevance.annotation.protocol.tables import (
    AdjudicationRow,
    ConsentRow,
    EventRow,
    ModelAnnotatorRow,
    ModelJudgmentRow,
    SurveyAnswerRow,
    TrainingAnswerRow,
)
from relevance.annotation.records import Annotator, StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import AnnotatorRow, AssignmentRow, PairRow, StudyRow
from relevance.bundles.reading import Bundle, unpack
from relevance.bundles.writing import list_files, pack, write_bundle
from relevance.data.database import connect
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore, StoredBound
from relevance.metrics import make_metrics
from relevance.metrics.scoring import score_dataset

STUDY = "Ünïcode / study"
SHOWN = datetime(2026, 1, 1, 12, 0, 0, 250_000, tzinfo=UTC)
NAMES = ("Ann Smith", "Bob Jones", "Cem Öz")
WORDS = ("ocean", "river", "mountain", "village", "winter", "summer", "teacher", "doctor", "engine", "market", "letter")


def sentence(seed: int, length: int = 9) -> str:
    """A sentence of words that follow from a number."""
    return " ".join(WORDS[(seed * 7 + place * (seed + 3)) % len(WORDS)] for place in range(length)) + "."


def make_records() -> list[tuple[Document, list[Summary]]]:
    """Six documents with three systems, one of which lacks a title, one has sentences, one an empty summary."""
    result = []
    for n in range(6):
        source = (
            tuple(sentence(n + place) for place in range(4)) if n == 1 else " ".join(map(sentence, range(n, n + 4)))
        )
        references = (f"Reference {n}: {sentence(n)}", f"Another {n}: {sentence(n + 1)}")
        document = Document(f"d{n}", source, references, None if n == 2 else f"Title {n} {sentence(n, 3)}")
        texts = {
            "lead-1": f"Lead {n}: {sentence(n)}",
            "far": f"Far {n}: {sentence(n + 5)}",
            "near": "" if n == 5 else f"Near {n}: {sentence(n + 1, 7)}",
        }
        summaries = [Summary(f"d{n}", name, text, {"relevance": float(len(name))}) for name, text in texts.items()]
        result.append((document, summaries))
    return result


def make_protocol(signature: str) -> StudyProtocol:
    """A study of two judgments a pair, with everything before and after them."""
    spec = StudySpec(
        name=STUDY,
        dataset="news",
        rule="rouge_k_differs",
        signature=signature,
        judgments_per_pair=2,
        ties=True,
        seed=3,
        checks=2,
        per_document=2,
    )
    pair = TrainingPair(document="A secret lesson.", better="Secretly good.", worse="Secretly bad.", explanation="Why.")
    arguments = (SurveyQuestion(name="age", ask="How old are you?", kind="number"),)
    plain = protocol_of(spec)
    return replace(
        plain,
        judging=replace(plain.judging, both_bad=True),
        consent=Consent(text="I agree."),
        training=Training(pairs=(pair,), pass_mark=1),
        surveys=Surveys(
            before=arguments, after=(SurveyQuestion(name="more", ask="More?", kind="checkbox", options=("a", "b")),)
        ),
    )


def judge_all(store: AnnotationStore, annotator: Annotator, step: int) -> None:
    """Judge everything that is given: mostly the longer summary, a tie now and then; one pair is skipped."""
    number = 0
    while (task := store.next_task(annotator)) is not None:
        shown = SHOWN + timedelta(minutes=number)
        if number == 4:
            store.skip(annotator=annotator, assignment_id=task.assignment_id, reason=f"because of {task.left}")
        else:
            choice = (
                ("tie" if number % 2 else "both_bad")
                if number % 5 == 3
                else "left"
                if (len(task.left) > len(task.right)) == (number % step > 0)
                else "right"
            )
            store.judge(
                annotator=annotator,
                assignment_id=task.assignment_id,
                choice=choice,
                presented_at=shown,
                decided_at=shown + timedelta(seconds=3),
                rationale=f"I read {task.right}" if number == 1 else None,
            )
        if number == 2:
            store.judge(
                annotator=annotator,
                assignment_id=task.assignment_id,
                choice="left",
                presented_at=shown,
                decided_at=shown + timedelta(seconds=9),
                change=True,
            )
        number += 1


def let_everything_happen(engine: Engine) -> None:
    """What annotators, adjudicators, models and researchers do beside judging."""
    store = AnnotationStore(engine)
    with store.writing() as session:
        study = session.scalars(select(StudyRow).where(StudyRow.name == STUDY)).one()
        study.closed_at = SHOWN + timedelta(days=9)
        protocol = find_protocol(session, study)
        add_version(session, study, write_protocol(replace(protocol, instructions="Read twice.")), None)
        people = session.scalars(select(AnnotatorRow).order_by(AnnotatorRow.id)).all()
        for place, person in enumerate(people):
            session.add(ConsentRow(annotator_id=person.id, sha256="ab" * 32, agreed=place < 2))
            session.add(EventRow(annotator_id=person.id, event="consent", detail=None))
            session.add(EventRow(annotator_id=person.id, event="warned", detail="a check"))
            session.add(TrainingAnswerRow(annotator_id=person.id, attempt=1, place=0, choice="left", right=place == 0))
            session.add(SurveyAnswerRow(annotator_id=person.id, survey="before", question="age", answer=30.5 + place))
            session.add(SurveyAnswerRow(annotator_id=person.id, survey="after", question="more", answer=["a", "b"]))
        people[1].excluded_at, people[1].exclusion_reason = SHOWN, "failed checks"
        people[2].phase, people[2].erased_at, people[2].code = "withdrawn", SHOWN, "SECRET-CODE"
        pairs = session.scalars(select(PairRow).order_by(PairRow.position)).all()
        first = pairs[0]
        quoted = f"as {first.first.text} says"
        for name, chosen in (("Dr Judge", first.second_id), ("Dr Other", None), ("Dr Judge", first.first_id)):
            session.add(AdjudicationRow(pair_id=first.id, adjudicator=name, chosen_id=chosen, reason=quoted))
        model = ModelAnnotatorRow(study_id=study.id, name="tiny", signature="model:tiny|prompt:1")
        session.add(model)
        session.flush()
        for pair in pairs[:3]:
            columns = {
                "verdict": "orders disagree",
                "straight": "first",
                "swapped": "second",
                "reason": quoted,
                "cost": 0.25,
            }
            session.add(ModelJudgmentRow(model_id=model.id, pair_id=pair.id, tokens_in=9, tokens_out=1, **columns))
        given = session.scalars(select(AssignmentRow).order_by(AssignmentRow.id)).all()
        judged = next(judgment.judgment for judgment in given if judgment.judgment is not None)
        judged.confidence, judged.marks = 4, [("first", 0, 5), ("document", 3, 9)]


def make_study(engine: Engine) -> None:
    """The study, judged by two people and begun by a third."""
    data, store = DataStore(engine), AnnotationStore(engine)
    data.add_dataset(name="news", format="interchange", sha256="cd" * 32, records=make_records())
    metrics = make_metrics(["rouge1", "rouge_k", "length"])
    score_dataset(data, "news", metrics)
    data.add_bounds(dataset="news", signature="exact|test", bounds={"d1": StoredBound(0.5, (0, 2), 0, None, 1.5)})
    protocol = make_protocol(metrics[1].signature)
    store.create_study(protocol.spec, write_protocol(protocol))
    for step, name in enumerate(NAMES, 2):
        annotator = store.join(study=STUDY, name=name)
        with store.writing() as session:  # what comes before the judging is told below
            session.get_one(AnnotatorRow, annotator.id).phase = JUDGING
        if name == NAMES[2]:
            store.next_task(annotator)
        else:
            judge_all(store, annotator, step)
    let_everything_happen(engine)


@pytest.fixture(scope="session")
def studied(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Path:
    """An SQLite database with the study, to copy."""
    file = Path(shutil.copy(migrated_sqlite, tmp_path_factory.mktemp("studied") / "studied.db"))
    engine = connect(f"sqlite:///{file}")
    make_study(engine)
    engine.dispose()
    return file


@pytest.fixture
def studied_engine(studied: Path, tmp_path: Path) -> Iterator[Engine]:
    """A copy of that database."""
    engine = connect(f"sqlite:///{shutil.copy(studied, tmp_path / 'studied.db')}")
    yield engine
    engine.dispose()


def bundle_of(database: Path, file: Path, **settings: bool) -> Path:
    engine = connect(f"sqlite:///{database}")
    write_bundle(DataStore(engine), AnnotationStore(engine), STUDY, file, **settings)
    engine.dispose()
    return file


@pytest.fixture(scope="session")
def written(studied: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study's bundle."""
    return bundle_of(studied, tmp_path_factory.mktemp("written") / "study.zip")


@pytest.fixture(scope="session")
def without_texts(studied: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study's bundle with hashes in the place of texts."""
    return bundle_of(studied, tmp_path_factory.mktemp("written") / "bare.zip", texts=False)


Change = Callable[[str], str]


@pytest.fixture
def changed(written: Path, tmp_path: Path) -> Callable[..., Path]:
    """The bundle with other texts of some files, under a manifest that names them; or under the one of before."""

    def change(changes: Mapping[str, Change], *, manifest: bool = True) -> Path:
        folder = tmp_path / "unpacked"
        folder.mkdir()
        bundle = unpack(written, folder)
        for name, of_text in changes.items():
            text = (folder / name).read_text(encoding="utf-8")
            new = of_text(text)
            assert new != text
            (folder / name).write_text(new, encoding="utf-8")
        if manifest:
            bundle = list_files(folder, bundle.study, texts=bundle.texts)
        pack(bundle, tmp_path / "changed.zip")
        return tmp_path / "changed.zip"

    return change


@pytest.fixture
def unpacked(written: Path) -> Iterator[Bundle]:
    """The bundle's files."""
    with TemporaryDirectory() as folder:
        yield unpack(written, Path(folder))


def lines_of(bundle: Bundle, name: str) -> list[dict[str, object]]:
    """The records of a bundle's file as they stand there."""
    return [json.loads(line) for line in bundle.text(name).splitlines()]
