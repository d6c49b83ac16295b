"""Ratings of several people in tables: whose they are, what their values mean, and what is refused."""

import csv
import itertools
import json
import random
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from relevance.data.importers import read_documents
from relevance.data.importers.columns import guess_columns, read_head
from relevance.data.importers.mapping import BadColumns, Columns, parse_columns, read_columns, write_columns
from relevance.data.importers.scored_table import read_cells
from relevance.data.importers.table import OTHER_TEXT
from relevance.data.importing import import_file
from relevance.data.records import BadRecord, Document, Summary
from relevance.data.store import DataStore
from tests.sheets import write_sheet

NAMES = ("document_id", "source", "reference", "system", "summary", "relevance", "fluency", "worker")
ROWS = (
    ("d1", "Text a", "Ref", "BART", "Sum", 4, 5, "w1"),
    ("d1", "Text a", "Ref", "BART", "Sum", 5, 3, "w2"),
    ("d1", "Text a", "Ref", "T5", "Sum two", 2, None, "w2"),
    ("d1", "Text a", "Ref", "T5", "Sum two", 1, 2, "w7"),
    ("d2", "Text b", "Ref b", "T5", "Sum", 3, 1, "w1"),
)
RATED = {
    ("d1", "BART"): {"annotator 1": {"relevance": 4, "fluency": 5}, "annotator 2": {"relevance": 5, "fluency": 3}},
    ("d1", "T5"): {"annotator 2": {"relevance": 2}, "annotator 3": {"relevance": 1, "fluency": 2}},
    ("d2", "T5"): {"annotator 1": {"relevance": 3, "fluency": 1}},
}

Rows = Sequence[Sequence[Any]]
Records = list[tuple[Document, list[Summary]]]


def written(path: Path, rows: Rows, names: Sequence[str] = NAMES) -> Path:
    """Write a table in the format of the path's ending."""
    if path.suffix in (".xlsx", ".ods"):
        return write_sheet(path, [names, *rows])
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in rows]), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows))
    else:
        with path.open("w", newline="") as file:
            csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",").writerows([names, *rows])
    return path


def read(path: Path, columns: Columns | None = None) -> tuple[Records, list[str]]:
    notes: list[str] = []
    return list(read_documents(path, say=notes.append, columns=columns)), notes


def rated(records: Records) -> dict[tuple[str, str], dict[str, dict[str, float]]]:
    """The ratings of each annotator, by document and system; means must be those of these ratings."""
    result = {}
    for document, summaries in records:
        for summary in summaries:
            given = {name: dict(ratings) for name, ratings in summary.annotators.items()}
            aspects = dict.fromkeys(aspect for ratings in given.values() for aspect in ratings)
            if given:
                assert summary.human == {a: fmean(r[a] for r in given.values() if a in r) for a in aspects}
            result[document.id, summary.system] = given
    return result


def refusal(path: Path, columns: Columns | None = None) -> str:
    with pytest.raises(BadRecord) as refused:
        read(path, columns)
    return str(refused.value)


# --- a row for each annotator -----------------------------------------------------------------------------------


def test_a_row_for_each_worker_keeps_each_rating(found_files: Path) -> None:
    records, notes = read(found_files / "11_workers.csv")
    assert [record.human["relevance"] for record in records[0][1]] == [4.5, 1.5]
    assert rated(records) == {
        ("d1", "BART"): {"annotator 1": {"relevance": 4}, "annotator 2": {"relevance": 5}},
        ("d1", "T5"): {"annotator 1": {"relevance": 2}, "annotator 2": {"relevance": 1}},
    }
    assert notes[1].endswith('human.relevance is "human.relevance", annotator is "worker" (guessed)')
    assert notes[2] == "ratings of relevance: 4 by 2 annotators, from 1 to 5; their means count, and each is kept"


SHEETS = [pytest.param(ending, marks=pytest.mark.process) for ending in ("xlsx", "ods")]


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", *SHEETS])
def test_the_ratings_are_the_same_in_any_file(tmp_path: Path, ending: str) -> None:
    records, notes = read(written(tmp_path / f"a.{ending}", ROWS))
    assert rated(records) == RATED
    assert "1 rating is missing (blank, null, NaN or N/A): nobody gave them" in notes
    assert "ratings of fluency: 4 by 3 annotators, from 1 to 5; their means count, and each is kept" in notes


@pytest.mark.parametrize("name", ["annotator", "Worker ID", "rater", "WorkerId", "participant_id", "Judge"])
def test_columns_of_annotators_go_by_usual_names(tmp_path: Path, name: str) -> None:
    assert rated(read(written(tmp_path / "a.csv", ROWS, (*NAMES[:-1], name)))[0]) == RATED


RATINGS = st.dictionaries(
    st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.sampled_from(["Ann", "Ben", "7", "annotator 9"])),
    st.sampled_from([1, 2.5, 5, None]),
    min_size=1,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RATINGS, st.randoms(use_true_random=False), st.sampled_from(["csv", "jsonl"]))
def test_ratings_do_not_depend_on_the_order_of_rows(
    tmp_path: Path, ratings: dict[tuple[str, str, str], float | None], draw: random.Random, ending: str
) -> None:
    rows = [(document, f"R {document}", system, "S", value, who) for (document, system, who), value in ratings.items()]
    names = ("document_id", "reference", "system", "summary", "human.quality", "annotator")
    ways = []
    for order in (rows, draw.sample(rows, len(rows))):
        given = rated(read(written(tmp_path / f"a.{ending}", order, names))[0])
        people = dict.fromkeys(who for *_, value, who in order if value is not None)
        called: dict[str, str] = {}
        for who in people:
            free = (f"annotator {number}" for number in itertools.count(len(called) + 1))
            called[who] = who if who == "annotator 9" else next(item for item in free if item not in called.values())
        ways.append(
            {
                (document, system, who): given[document, system][called[who]]["quality"]
                for document, _, system, _, value, who in order
                if value is not None
            }
        )
    assert ways[0] == ways[1] == {key: value for key, value in ratings.items() if value is not None}


def test_a_row_for_each_aspect(tmp_path: Path) -> None:
    names = ("doc_id", "reference", "model", "summary", "criterion", "score", "worker_id")
    rows = [
        ("d1", "Ref", "BART", "Sum", "relevance", 4, "w1"),
        ("d1", "Ref", "BART", "Sum", "fluency", 5, "w1"),
        ("d1", "Ref", "BART", "Sum", "relevance", 2, "w2"),
    ]
    given = {"annotator 1": {"relevance": 4, "fluency": 5}, "annotator 2": {"relevance": 2}}
    assert rated(read(written(tmp_path / "a.csv", rows, names))[0]) == {("d1", "BART"): given}
    of_nobody = [row[:-1] for row in rows[:2]]
    ((_, (first,)),), _ = read(written(tmp_path / "b.csv", of_nobody, names[:-1]))
    assert (first.human, first.annotators) == ({"relevance": 4, "fluency": 5}, {})
    assert 'the system "BART" stands twice for "d1", in line 2, too' in refusal(
        written(tmp_path / "c.csv", [*of_nobody, (*of_nobody[1][:-1], 1)], names[:-1])
    )


@pytest.mark.parametrize(
    "names",
    [
        ("relevance_1", "relevance_2", "fluency_1", "fluency_2"),
        ("Rater 1 relevance", "Rater 2 relevance", "Rater 1 Fluency", "Rater 2 Fluency"),
        ("human.relevance@Ann", "human.relevance@Ben", "human.fluency@Ann", "human.fluency@Ben"),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_column_for_each_annotator(tmp_path: Path, names: tuple[str, ...], ending: str) -> None:
    rows = [("d1", "R", "a", "A.", 4, 5, 3, None), ("d1", "R", "b", "B.", 2, 1, 1, 1)]
    path = written(tmp_path / f"a.{ending}", rows, ("document_id", "reference", "system", "summary", *names))
    assert rated(read(path)[0]) == {
        ("d1", "a"): {"annotator 1": {"relevance": 4, "fluency": 3}, "annotator 2": {"relevance": 5}},
        ("d1", "b"): {"annotator 1": {"relevance": 2, "fluency": 1}, "annotator 2": {"relevance": 1, "fluency": 1}},
    }
    two = written(tmp_path / f"b.{ending}", [*rows, rows[0]], ("document_id", "reference", "system", "summary", *names))
    assert 'the system "a" stands twice for "d1", in line' in refusal(two)


def test_columns_of_annotators_without_an_aspect_and_what_goes_with_none(tmp_path: Path) -> None:
    names = ("document_id", "reference", "system", "summary", "annotator_a", "annotator_b")
    path = written(tmp_path / "a.csv", [("d1", "R", "a", "A.", 4, 5)], names)
    assert rated(read(path)[0]) == {("d1", "a"): {"annotator 1": {"rating": 4}, "annotator 2": {"rating": 5}}}
    told = parse_columns("human.x@Ann=annotator_a,human.x@Ben=annotator_b,human.y=summary")
    assert '"human.x@Ann" and "human.y" do not go together: a table has a row for each annotator' in refusal(path, told)
    of_one = ("document_id", "reference", "system", "summary", "relevance_1", "note")
    records, notes = read(written(tmp_path / "b.csv", [("d1", "R", "a", "A.", 4, "x")], of_one))
    assert rated(records) == {("d1", "a"): {}}
    assert 'columns passed over: "relevance_1", "note"' in notes


def test_several_references_are_no_further_ratings(tmp_path: Path) -> None:
    in_rows = [(*row[:2], reference, *row[3:]) for row in ROWS for reference in (row[2], f"{row[2]} too")]
    assert rated(read(written(tmp_path / "a.csv", in_rows))[0]) == RATED
    in_lists = [(*row[:2], [row[2], f"{row[2]} too"], *row[3:]) for row in ROWS]
    records, notes = read(written(tmp_path / "a.jsonl", in_lists))
    assert rated(records) == RATED
    assert records[0][0].references == ("Ref", "Ref too")
    assert "1 rating is missing (blank, null, NaN or N/A): nobody gave them" in notes
    other = [*in_rows, (*ROWS[0][:2], "Third", *ROWS[0][3:5], 1, 5, "w1")]
    assert 'in line 2, too, both rated by "w1"' in refusal(written(tmp_path / "b.csv", other))


def test_raters_whom_no_column_names(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", [row[:-1] for row in ROWS], NAMES[:-1])
    assert refusal(path) == (
        'a.csv:3: the system "BART" stands twice for "d1", in line 2, too; if several people rated it, name the column '
        "that says who by --columns annotator=COLUMN, or leave COLUMN out if there is none"
    )
    records, notes = read(path, parse_columns("annotator="))
    assert rated(records)["d1", "T5"] == {
        "unknown 1": {"relevance": 2, "fluency": 2},  # the first of each aspect
        "unknown 2": {"relevance": 1},
    }
    assert notes[-1] == (
        "9 ratings without an annotator in the file: the first of each summary are by 'unknown 1', the second by "
        "'unknown 2' and so on, whoever gave them"
    )


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (ROWS[0], 'a.csv:7: the system "BART" stands twice for "d1", in line 2, too, both rated by "w1"'),
        (
            (*ROWS[0][:4], "Other", 1, 1, "w9"),
            f'a.csv:7: the system "BART" stands twice for "d1", in line 2, too{OTHER_TEXT}',
        ),
        ((*ROWS[0][:5], 1, 1, "w" * 201), "a.csv:7: annotator is over 200 characters long"),
    ],
)
def test_bad_rows_of_annotators(tmp_path: Path, row: tuple[Any, ...], message: str) -> None:
    assert refusal(written(tmp_path / "a.csv", [*ROWS, row])) == message


def test_a_column_of_scores_by_a_judge_says_nothing_of_who_rated(tmp_path: Path) -> None:
    names = ("document_id", "reference", "system", "summary", "human.relevance", "judge")
    rows = [("d1", "R", "a", "S", 4, 0.73), ("d1", "R", "b", "T", 3, 0.5)]
    records, notes = read(written(tmp_path / "a.csv", rows, names))
    assert rated(records) == {("d1", "a"): {}, ("d1", "b"): {}}
    assert 'columns passed over: "judge"' in notes


def test_annotators_of_no_rating_change_nothing(tmp_path: Path) -> None:
    names = ("document_id", "reference", "system", "summary", "annotator")
    rows = [("d1", "R", "a", "S", "Ann"), ("d1", "R", "b", "T", "Ben")]
    records, _ = read(written(tmp_path / "a.csv", rows, names))
    assert rated(records) == {("d1", "a"): {}, ("d1", "b"): {}}
    assert "stands twice" in refusal(written(tmp_path / "b.csv", [*rows, ("d1", "R", "b", "T", "Cem")], names))


def test_a_database_keeps_the_ratings_of_each(found_files: Path, data_store: DataStore) -> None:
    import_file(data_store, found_files / "11_workers.csv", name="w")
    assert data_store.dataset("w").annotated == ("relevance",)
    assert rated(data_store.records("w")) == rated(read(found_files / "11_workers.csv")[0])
    single = data_store.cells("w").single["relevance"]
    rows = zip(single.cell.tolist(), single.annotator.tolist(), single.value.tolist(), strict=True)
    assert sorted((cell, single.names[who], value) for cell, who, value in rows) == [
        (0, "annotator 1", 4),
        (0, "annotator 2", 5),
        (1, "annotator 1", 2),
        (1, "annotator 2", 1),
    ]
    of_nobody = [(document, [Summary(document.id, "a", "S", {"x": 1})]) for document, _ in data_store.records("w")]
    plain = data_store.add_dataset(name="plain", format="csv", sha256="", records=of_nobody)
    assert (plain.annotated, data_store.cells("plain").single) == (None, {})


# --- what values mean -------------------------------------------------------------------------------------------

SAID = ("2: Yes--there are no errors", "1: Partially", "2: Yes--there are no errors", "0: No", "N/A")


def test_numbers_with_what_they_stand_for(tmp_path: Path) -> None:
    rows = [(f"d{number}", "R", "a", "S", value) for number, value in enumerate(SAID)]
    path = written(tmp_path / "a.csv", rows, ("document_id", "reference", "system", "summary", "fluency"))
    records, notes = read(path)
    assert [item.human.get("fluency") for _, (item,) in records] == [2, 1, 2, 0, None]
    assert notes[2:] == [
        'ratings in "human.fluency": "2: Yes--there are no errors" is 2 (2); "1: Partially" is 1 (1); "0: No" is 0 (1)',
        "1 rating is missing (blank, null, NaN or N/A): nobody gave them",
    ]


def test_values_that_are_said(tmp_path: Path) -> None:
    rows = [(f"d{number}", "R", "a", "S", value) for number, value in enumerate(["Agree", "Hm", "Disagree", "Agree"])]
    path = written(tmp_path / "a.csv", rows, ("document_id", "reference", "system", "summary", "Q1"))
    columns = Columns({"human.relevance": "Q1"}, {"Agree": "4", "Disagree": "2"})
    assert refusal(path, columns) == (
        'a.csv:3: human.relevance must be a number such as 4 or 3.5, not "Hm" (1); say what values mean by --values '
        "VALUE=NUMBER,... or in a file of --columns (skip for no rating)"
    )
    complete = columns._replace(values={**columns.values, "Hm": "skip"})
    records, notes = read(path, complete)
    assert [item.human.get("relevance") for _, (item,) in records] == [4, None, 2, 4]
    assert notes[-1] == 'ratings in "human.relevance": "Agree" is 4 (2); "Hm" is left out (1); "Disagree" is 2 (1)'
    saved = tmp_path / "saved.toml"
    saved.write_text(write_columns(complete))
    assert read(path, read_columns(saved))[0] == records


def test_ratings_off_their_scale_are_refused(tmp_path: Path) -> None:
    saved = tmp_path / "saved.toml"
    saved.write_text("[columns]\n[scales]\nrelevance = [1, 5]\n")
    columns = read_columns(saved)
    assert write_columns(columns) == "[columns]\n\n[scales]\nrelevance = [1.0, 5.0]\n"
    assert rated(read(written(tmp_path / "a.csv", ROWS), columns)[0]) == RATED
    rows = [*ROWS, ("d3", "Text", "Ref", "T5", "Sum", 55, 1, "w1")]
    assert refusal(written(tmp_path / "b.csv", rows), columns) == (
        "b.csv:7: human.relevance is 55, and its scale goes from 1 to 5: correct it, or leave it blank"
    )


@pytest.mark.parametrize("ends", ["5", "[1]", "[5, 1]", '["1", "5"]', "[true, 5]", "[1, 3, 5]"])
def test_bad_scales(tmp_path: Path, ends: str) -> None:
    (tmp_path / "a.toml").write_text(f"[scales]\nfluency = {ends}\n")
    with pytest.raises(BadColumns, match=r"scales\.fluency must be a list of its lowest and its highest number"):
        read_columns(tmp_path / "a.toml")


def test_a_table_of_choices_has_no_values_of_ratings(tmp_path: Path) -> None:
    names = ("document_id", "reference", "system_a", "summary_a", "system_b", "summary_b", "choice")
    path = written(tmp_path / "a.csv", [("d1", "R", "a", "S", "b", "T", "A")], names)
    with pytest.raises(BadColumns, match="do not go together"):
        list(read_documents(path, "choices", columns=Columns({}, {"A": "4"})))


# --- without texts ----------------------------------------------------------------------------------------------


def test_ratings_without_texts(tmp_path: Path) -> None:
    names = ("document_id", "system", "relevance", "mine", "worker")
    rows = [("d1", "a", 4, 0.5, "w1"), ("d1", "a", 5, 0.5, "w2"), ("d1", "b", 3, 0.4, "w2"), ("d2", "a", None, 1, "w1")]
    notes: list[str] = []
    cells = read_cells(written(tmp_path / "a.csv", rows, names), notes.append)
    assert (cells.documents, cells.systems) == (("d1", "d1", "d2"), ("a", "b", "a"))
    assert cells.ratings["relevance"].tolist()[:2] == [4.5, 3]
    single = cells.single["relevance"]
    assert single.cell.tolist() == [0, 0, 1]
    assert [single.names[item] for item in single.annotator] == ["annotator 1", "annotator 2", "annotator 2"]
    assert single.value.tolist() == [4, 5, 3]
    twice = [*rows, ("d1", "b", 1, 0.4, "w2")]
    with pytest.raises(
        BadRecord, match=r'a\.csv:6: the system "b" stands twice for "d1", in line 4, too, both by "w2"'
    ):
        read_cells(written(tmp_path / "a.csv", twice, names), notes.append)
    other = [*rows, ("d1", "b", 1, 0.3, "w1")]
    with pytest.raises(BadRecord, match=r'a\.csv:6: the system "b" stands twice for "d1", in line 4, too'):
        read_cells(written(tmp_path / "a.csv", other, names), notes.append)


def test_ratings_without_texts_in_a_column_for_each_annotator(tmp_path: Path) -> None:
    names = ("document_id", "system", "relevance_1", "relevance_2", "mine")
    rows = [("d1", "a", 4, 5, 0.5), ("d1", "b", 3, "", 0.4)]
    cells = read_cells(written(tmp_path / "a.csv", rows, names), lambda _: None)
    assert (cells.ratings["relevance"].tolist(), len(cells.scores)) == ([4.5, 3], 1)
    single = cells.single["relevance"]
    assert (single.cell.tolist(), single.value.tolist()) == ([0, 0, 1], [4, 5, 3])
    with pytest.raises(BadRecord, match='the system "b" stands twice for "d1", in line 3, too'):
        read_cells(written(tmp_path / "b.csv", [*rows, rows[1]], names), lambda _: None)


def test_numbers_in_a_column_called_judge_are_scores_where_a_summary_has_one_row(tmp_path: Path) -> None:
    names = ("document_id", "system", "relevance", "judge")
    once = [("d1", "a", 4, 3), ("d1", "b", 2, 5)]
    cells = read_cells(written(tmp_path / "a.csv", once, names), lambda _: None)
    assert (len(cells.scores), cells.single) == (1, {})
    cells = read_cells(written(tmp_path / "b.csv", [*once, ("d1", "a", 2, 5)], names), lambda _: None)
    assert (len(cells.scores), cells.ratings["relevance"].tolist()) == (0, [3, 2])


def test_a_page_finds_the_annotators_too(found_files: Path) -> None:
    assert guess_columns(read_head(found_files / "11_workers.csv"))["human.relevance"] == "human.relevance"
