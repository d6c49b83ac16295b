"""The importer of CNN / Daily Mail `.question` files: one document an address, with names for its entities."""

import hashlib
from pathlib import Path

import pytest

from relevance.data.database import connect
from relevance.data.importers import guess_format, read_documents
from relevance.data.importing import import_file
from relevance.data.records import BadRecord, ClozeQuestion, Document
from relevance.data.store import DataStore
from relevance.metrics.apes import Apes
from relevance.metrics.apes.conditions import conditions

ADDRESS = "http://web.archive.org/web/1/http://cnn.example/story.html"
PASSAGE = "( @entity1 ) @entity0 said that @entity10 left @entity2 . it rained in @entity2 all day ."
NAMES = ["@entity0:Ann Lee", "@entity1:CNN", "@entity2:Oslo", "@entity10:Bo Derek: the actor"]
QUESTIONS = [
    ("@placeholder says @entity10 left @entity2", "@entity0"),
    ("@entity0 says @placeholder left @entity2", "@entity10"),
    ("it rains in @placeholder , rainy @placeholder", "@entity2"),
]


def write(folder: Path, questions: list[tuple[str, str]], address: str = ADDRESS, names: list[str] = NAMES) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for question, answer in questions:
        lines = [address, "", PASSAGE, "", question, "", answer, "", *names]
        (folder / f"{QUESTIONS.index((question, answer))}.question").write_text("\n".join(lines) + "\n")
    return folder


def test_questions_of_one_address_are_one_document(tmp_path: Path) -> None:
    folder = write(tmp_path / "cnn" / "questions" / "test", QUESTIONS)
    write(folder / "more", QUESTIONS[:1], address="http://cnn.example/other.html")
    (first, summaries), (second, _) = read_documents(tmp_path / "cnn")
    assert first == Document(
        id=hashlib.sha1(ADDRESS.encode()).hexdigest(),
        source="( CNN ) Ann Lee said that Bo Derek: the actor left Oslo . it rained in Oslo all day .",
        # the first two questions were made from one sentence
        references=("Ann Lee says Bo Derek: the actor left Oslo\n\nit rains in Oslo , rainy ",),
        questions=(
            ClozeQuestion("@placeholder says Bo Derek: the actor left Oslo", "Ann Lee"),
            ClozeQuestion("Ann Lee says @placeholder left Oslo", "Bo Derek: the actor"),
            ClozeQuestion("it rains in @placeholder , rainy ", "Oslo"),  # one blank a question
        ),
    )
    assert summaries == []
    assert len(second.questions) == 1


def test_a_single_file_and_a_folder_are_told_by_their_names(tmp_path: Path) -> None:
    folder = write(tmp_path / "q", QUESTIONS[:1])
    (file,) = folder.iterdir()
    assert guess_format(folder) == guess_format(file) == "question"
    assert [*read_documents(file)] == [*read_documents(folder)]


def test_a_folder_becomes_a_data_set(tmp_path: Path) -> None:
    store = DataStore(connect(f"sqlite:///{tmp_path / 'r.db'}"))
    folder = write(tmp_path / "q", QUESTIONS)
    assert import_file(store, folder, name="cnn") == "imported 1 document and no summaries as cnn"
    ((document, _),) = store.records("cnn")
    assert document.questions[0].answer == "Ann Lee"


def test_a_passage_that_another_file_has_otherwise_is_said(tmp_path: Path) -> None:
    folder = write(tmp_path / "q", QUESTIONS[:1])
    write(folder, QUESTIONS[1:2], names=[*NAMES[:2], "@entity2:Rome", NAMES[3]])
    notes: list[str] = []
    ((document, _),) = read_documents(folder, "question", notes.append)
    assert "Oslo" in document.source_text
    assert len(document.questions) == 2
    assert any("its passage is not used" in message for message in notes)


@pytest.mark.parametrize("names", [NAMES[1:], NAMES[:3], [*NAMES[:2], "@entity2:", NAMES[3]]])
def test_an_entity_without_a_name_is_refused(tmp_path: Path, names: list[str]) -> None:
    folder = write(tmp_path / "q", QUESTIONS[:1], names=names)
    with pytest.raises(BadRecord, match=r"\.question:3: @entity\d+ has no name"):
        list(read_documents(folder))


def test_a_folder_without_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match=r"there is no file in it that an importer reads \(\*\.question, "):
        list(read_documents(tmp_path))


@pytest.mark.model
def test_apes_asks_the_questions_of_the_files(tmp_path: Path) -> None:
    rows = {row.name: row for row in conditions(Apes(), read_documents(write(tmp_path / "q", QUESTIONS)))}
    assert rows["source"].questions == rows["gold"].questions == 3
    assert rows["gold"].occurs == 1
