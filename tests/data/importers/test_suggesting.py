"""What the columns of a table are, suggested by names and contents."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from pathlib import Path

import pytest

from relevance.data.demo import FILE
from relevance.data.importers import newsroom, read_documents
from relevance.data.importers.mapping import Columns
from relevance.data.importers.suggesting import suggest_columns, suggest_meanings
from relevance.data.importing import Reading
from relevance.data.previewing import FilePreview, preview_file
from relevance.data.records import UnknownValues
from tests.conftest import SHARED_DATA

RECORDS = list(read_documents(FILE))


def choices(answers: Sequence[str], judges: int = 1) -> Iterator[list[str]]:
    """Rows of two summaries of each document and a choice; `left` and `right` as an answer name the system."""
    text = cycle(answers)
    for number, (document, written) in enumerate(RECORDS):
        first, second = (written[(number + shift) % len(written)] for shift in (0, 1))
        for judge in range(judges):
            named = {"left": first.system, "right": second.system}
            answer = next(text)
            texts = [document.source_text, document.references[0], first.text, second.text, first.system, second.system]
            yield [f"n{number}", *texts, named.get(answer, answer), f"Ann {judge}"]


def summaries(*ratings: str) -> Iterator[list[str]]:
    text = cycle(ratings)
    for document, written in RECORDS:
        for summary in written:
            yield [document.id, document.source_text, document.references[0], summary.system, summary.text, next(text)]


def write(path: Path, names: Sequence[str], rows: Iterator[list[str]], *, keep: Sequence[int] = ()) -> Path:
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(names)
        table.writerows([row[place] for place in keep] if keep else row for row in rows)
    return path


def read(path: Path) -> FilePreview:
    """What a file is read as by everything that is suggested, and nothing else."""
    suggestion = suggest_columns(path)
    assert suggestion is not None
    return preview_file(path, Reading(suggestion.format, Columns(suggestion.roles, guess=False)), lambda _: None)


CHOICE_NAMES = {
    "German": ("Nr", "Beitrag", "Muster", "Text links", "Text rechts", "Verfahren links", "Verfahren rechts", "Urteil"),
    "places": ("n", "x1", "x2", "s1", "s2", "m1", "m2", "x8"),
    "words": ("no", "news piece", "written by us", "option one", "option two", "made by one", "made by two", "picked"),
    "French": ("no", "dépêche", "modèle", "résumé 1", "résumé 2", "système 1", "système 2", "meilleur"),
}


@pytest.mark.parametrize("names", CHOICE_NAMES.values(), ids=CHOICE_NAMES)
@pytest.mark.parametrize("answers", [("A", "B", "tie"), ("1", "2"), ("left", "right"), ("B is better", "A is better")])
def test_choices_under_other_names(tmp_path: Path, names: Sequence[str], answers: Sequence[str]) -> None:
    path = write(tmp_path / "a.csv", [*names, "who"], choices(answers, judges=2))
    suggestion = suggest_columns(path)
    assert suggestion is not None
    assert (suggestion.format, suggestion.kind) == ("choices", "choice")
    wanted = ("source", "reference", "left", "right", "left_system", "right_system", "choice")
    assert {role: suggestion.roles[role] for role in wanted} == dict(zip(wanted, names[1:], strict=True))
    assert read(path).judgments == 2 * len(RECORDS)


@pytest.mark.parametrize("keep", [(2, 3, 4, 7), (1, 2, 3, 4, 7), (1, 3, 4, 7)])
def test_choices_without_systems_and_with_fewer_texts(tmp_path: Path, keep: Sequence[int]) -> None:
    names = [CHOICE_NAMES["German"][place] for place in keep]
    preview = read(write(tmp_path / "a.csv", names, choices(("A", "B")), keep=keep))
    assert (preview.judgments, preview.systems) == (len(RECORDS), ("Text links", "Text rechts"))
    assert (preview.single == preview.documents) or 2 in keep


SUMMARY_NAMES = {
    "German": ("Nummer", "Beitrag", "Muster", "Verfahren", "Kurzfassung", "Note"),
    "versions": ("item", "original", "human version", "engine", "machine version", "mark"),
    "words": ("key", "news article", "target summary", "made by", "generated summary", "q1"),
}


@pytest.mark.parametrize("names", SUMMARY_NAMES.values(), ids=SUMMARY_NAMES)
def test_rated_summaries_under_other_names(tmp_path: Path, names: Sequence[str]) -> None:
    path = write(tmp_path / "a.csv", names, summaries("1", "2", "5", "4", "3"))
    suggestion = suggest_columns(path)
    assert suggestion is not None
    assert (suggestion.format, suggestion.kind) == ("csv", "summary")
    wanted = ("document_id", "source", "reference", "system", "summary", f"human.{names[-1]}")
    assert dict(suggestion.roles) == dict(zip(wanted, names, strict=True))
    preview = read(path)
    assert (preview.documents, sorted(preview.systems)) == (len(RECORDS), ["copycat", "fluent", "keyword", "opening"])


def test_answers_that_say_their_numbers_are_ratings(tmp_path: Path) -> None:
    names = ("key", "article", "target", "made by", "output", "Does it say what matters?")
    path = write(tmp_path / "a.csv", names, summaries("2: Yes--all of it", "1: Partially", "0: No", ""))
    assert read(path).aspects == ("Does it say what matters",)


def test_what_names_say_goes_before_what_contents_say(tmp_path: Path) -> None:
    names = ("id", "source", "reference", "summary_b", "summary_a", "system_b", "system_a", "choice")
    suggestion = suggest_columns(write(tmp_path / "a.csv", [*names, "judge"], choices(("A", "B"))))
    assert suggestion is not None
    assert (suggestion.roles["left"], suggestion.roles["left_system"]) == ("summary_a", "system_a")
    assert suggestion.told == suggestion.roles.keys()


def test_somebody_may_say_that_rows_hold_something_else(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", CHOICE_NAMES["German"], choices(("A", "B")), keep=range(8))
    as_summaries, as_several = (suggest_columns(path, kind) for kind in ("summary", "several"))
    assert as_summaries is not None
    assert as_several is not None
    assert "left" not in {*as_summaries.roles, *as_several.roles}
    assert (as_summaries.format, as_several.format) == ("csv", "csv")


def test_numbers_that_count_something_are_no_ratings_and_no_choices(tmp_path: Path) -> None:
    lengths = (str(len(summary.text)) for _, written in RECORDS for summary in written)
    path = write(tmp_path / "a.csv", SUMMARY_NAMES["German"], summaries(*lengths))
    suggestion = suggest_columns(path)
    assert suggestion is not None
    assert not [role for role in suggestion.roles if role.startswith("human.")]


def test_files_that_are_no_tables(tmp_path: Path) -> None:
    assert suggest_columns(FILE) is None
    fields = dict.fromkeys(newsroom.FIELDS, "Words.")
    (tmp_path / "newsroom.jsonl").write_text(json.dumps(fields) + "\n")
    assert suggest_columns(tmp_path / "newsroom.jsonl") is None
    (tmp_path / "a.txt").write_text("One.\n")
    assert suggest_columns(tmp_path / "a.txt") is None


@pytest.mark.parametrize(
    ("values", "roles", "meant"),
    [
        (["links", "rechts", "egal"], ("Text links", "Text rechts"), {"links": "left", "rechts": "right"}),
        (["Summary X wins", "Y"], ("X", "Y"), {"Summary X wins": "left", "Y": "right"}),
        (["X or Y", "text"], ("text X", "text Y"), {}),
        (["X"], ("", ""), {}),
    ],
)
def test_values_with_a_word_of_one_side(values: list[str], roles: tuple[str, str], meant: Mapping[str, str]) -> None:
    assert suggest_meanings(values, dict(zip(("left", "right"), roles, strict=True))) == meant


def test_unknown_values_are_counted_for_whoever_is_asked(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", CHOICE_NAMES["places"], choices(("oui", "non", "non")), keep=range(8))
    suggestion = suggest_columns(path)
    assert suggestion is not None
    assert suggestion.roles["choice"] == "x8"
    with pytest.raises(UnknownValues) as refused:
        read(path)
    assert (refused.value.column, refused.value.values) == ("x8", {"oui": 8, "non": 16})
    assert "--values" not in refused.value.problem


JUDGED = SHARED_DATA / "judged"


@pytest.mark.skipif(not JUDGED.is_dir(), reason="needs the collected data")
@pytest.mark.parametrize("number", [2, 3, 5, 6, 7])
def test_choices_as_they_were_released(number: int) -> None:
    (path,) = JUDGED.glob(f"mslr/sample{number} *.tsv")
    preview = read(path)
    assert preview.judgments == {2: 99, 3: 49, 5: 101, 6: 98, 7: 103}[number]


@pytest.mark.skipif(not JUDGED.is_dir(), reason="needs the collected data")
def test_facets_as_they_were_released() -> None:
    (path,) = JUDGED.glob("mslr/*A1.tsv")
    suggestion = suggest_columns(path)
    assert suggestion is not None
    assert suggestion.kind == "summary"
    assert (suggestion.roles["reference"], suggestion.roles["summary"]) == ("Target Summary", "Generated Summary")
