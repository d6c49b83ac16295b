"""The `.question` files of CNN / Daily Mail: read strictly, with file and line in every error; found in splits."""

from pathlib import Path

import pytest

from relevance.data.importers.question import QuestionFile, load, read_question
from relevance.data.reading import say_nothing
from relevance.data.records import BadRecord, ClozeQuestion, Document
from relevance.metrics.apes.question_files import (
    find_splits,
    format_question,
    make_question_files,
    write_question_files,
)
from relevance.metrics.apes.questions import Mention, make_quiz
from relevance.metrics.apes.readers.anonymous import cloze_from_file

GOOD = [
    "http://web.archive.org/web/1/http://cnn.example/story.html",
    "",
    "( @entity1 ) @entity0 said she did n't know .",
    "",
    "@placeholder spoke to @entity1",
    "",
    "@entity0",
    "",
    "@entity0:Ann Lee",
    "@entity1:CNN",
]


def written(path: Path, lines: list[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("lines", [GOOD, GOOD[:8], GOOD[:7], [*GOOD, ""]])
def test_a_file_is_read(tmp_path: Path, lines: list[str]) -> None:
    assert read_question(written(tmp_path / "a.question", lines)) == QuestionFile(
        GOOD[2], GOOD[4], GOOD[6], GOOD[0], {"@entity0": "Ann Lee", "@entity1": "CNN"} if len(lines) > 8 else {}
    )


@pytest.mark.parametrize(
    ("line", "content", "problem"),
    [
        (1, "", "the address is missing"),
        (2, "more", "must be blank"),
        (3, " ", "the passage is missing"),
        (5, "who spoke to @entity1", "no @placeholder"),
        (7, "Ann Lee", "must be @entityN"),
        (7, "@entity", "must be @entityN"),
        (8, "@entity0:Ann Lee", "must be blank"),
        (10, "CNN", "name entities"),
        (3, "nul \0", "NUL"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: int, content: str, problem: str) -> None:
    lines = [*GOOD[: line - 1], content, *GOOD[line:]]
    with pytest.raises(BadRecord, match=rf"bad\.question:{line}: .*{problem}"):
        read_question(written(tmp_path / "bad.question", lines))


@pytest.mark.parametrize("count", [0, 1, 3, 6])
def test_a_file_that_ends_early_is_refused(tmp_path: Path, count: int) -> None:
    path = tmp_path / "short.question"
    path.write_text("".join(f"{line}\n" for line in GOOD[:count]))
    with pytest.raises(BadRecord, match=rf"short\.question:{max(count, 1)}: the file ends early"):
        read_question(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match="cannot be read"):
        read_question(tmp_path / "none.question")


def test_splits_are_folders(tmp_path: Path) -> None:
    for split in ("training", "validation", "test"):
        for name in ("b", "cnn/a"):
            written(tmp_path / split / f"{name}.question", GOOD)
    written(tmp_path / "training" / "notes.txt", GOOD)
    splits = find_splits(tmp_path, seed=0)
    for split, paths in splits._asdict().items():
        assert [str(path.relative_to(tmp_path / split)) for path in paths] == ["b.question", "cnn/a.question"]


@pytest.mark.parametrize("folder", ["", "training"])
def test_without_validation_questions_a_tenth_is_held_out(tmp_path: Path, folder: str) -> None:
    paths = {written(tmp_path / folder / f"{number}.question", GOOD) for number in range(20)}
    splits = find_splits(tmp_path, seed=1)
    assert len(splits.validation) == 2
    assert len(splits.training) == 18
    assert {*splits.training, *splits.validation} == paths
    assert splits == find_splits(tmp_path, seed=1)
    assert splits.validation != find_splits(tmp_path, seed=2).validation
    assert splits.test == []


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_questions_are_refused(tmp_path: Path, count: int) -> None:
    for number in range(count):
        written(tmp_path / f"{number}.question", GOOD)
    with pytest.raises(BadRecord, match=r"too few \.question files"):
        find_splits(tmp_path, seed=0)


# --- written questions ------------------------------------------------------------------------------------------------

SOURCE = "Barack Obama met Ann Lee in Paris.\nObama spoke; @entity9 and @placeholder are no marks. Paris was warm."
REFERENCE = "Barack Obama met Ann Lee. Rome was far."


def quiz_of(source: str, reference: str, names: dict[str, str]) -> list[QuestionFile]:
    """The files of a document whose entities are known."""

    def mentions(text: str) -> list[Mention]:
        results = [
            (text.find(name, at), name) for name in names for at in range(len(text)) if text.startswith(name, at)
        ]
        return [Mention((start, start + len(name)), names[name]) for start, name in sorted(set(results))]

    quiz = make_quiz(
        [(reference, mentions(reference))], [(source, mentions(source))], set(names.values()), (), "entities"
    )
    return list(make_question_files(Document("a\nb", source, (reference,)), quiz))


NAMES = {"Barack Obama": "person", "Ann Lee": "person", "Paris": "place", "Rome": "place"}


def test_questions_are_anonymous_texts() -> None:
    files = quiz_of(SOURCE, REFERENCE, NAMES)
    entities = {name: mark for mark, name in files[0].names.items()}
    obama, lee, rome, paris = (entities[name] for name in ("Barack Obama", "Ann Lee", "Rome", "Paris"))
    passage = (
        f"{obama} met {lee} in {paris} . {obama} spoke; @ entity9 and @ placeholder are no marks. {paris} was warm."
    )
    assert [file.passage.replace(" .", ".") for file in files] == [passage.replace(" .", ".")] * 3
    assert [(file.question.replace(" .", "."), file.answer) for file in files] == [
        (f"@placeholder met {lee}.", obama),
        (f"{obama} met @placeholder.", lee),
        ("@placeholder was far.", rome),
    ]
    assert {file.address for file in files} == {"a\\nb"} or {file.address for file in files} == {"a b"}
    assert [cloze_from_file(file)[1] for file in files] == [0, 1, None]  # the passage does not mention Rome


def test_what_is_written_is_read(tmp_path: Path) -> None:
    for number, file in enumerate(quiz_of(SOURCE, REFERENCE, NAMES)):
        path = tmp_path / f"{number}.question"
        path.write_text(format_question(file))
        assert read_question(path) == file


@pytest.mark.model
def test_a_corpus_of_ones_own_becomes_questions_and_is_read_again(tmp_path: Path) -> None:
    given = (ClozeQuestion("@placeholder met Ann Lee.", "Barack Obama"),)
    documents = [
        Document("one", SOURCE, (REFERENCE,)),
        Document("given", SOURCE, (REFERENCE,), questions=given),
        Document("no source", "", (REFERENCE,)),
        Document("nobody", "It rains.", ("It rains all day.",)),
    ]
    made = write_question_files(documents, tmp_path / "out")
    assert (made.documents, made.unasked) == (2, 2)
    assert made.questions == len(list((tmp_path / "out").iterdir())) >= 4
    assert made.unanswerable >= 1  # Rome
    read = {document.references[0]: document for document, _ in load(tmp_path / "out", say_nothing)}
    assert len(read) == 2
    assert any(item.questions[0].answer == "Barack Obama" and len(item.questions) == 1 for item in read.values())
    assert all("Barack Obama met Ann Lee in Paris" in str(item.source) for item in read.values())
