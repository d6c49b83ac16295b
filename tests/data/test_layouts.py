"""Where the rows of a table are: in several files, within objects of JSON, beside the texts of documents."""

import csv
import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relevance.data.importers import guess_format, read_documents, read_judgments
from relevance.data.importers.mapping import BadColumns, load_columns, parse_columns, to_columns, write_columns
from relevance.data.importers.opening import list_files, open_table
from relevance.data.importers.pairwise import JudgedPairs
from relevance.data.importers.spreading import flatten, spread_rows
from relevance.data.importers.templates import BadTemplate, check_template, match_path, parse_steps
from relevance.data.importing import fingerprint
from relevance.data.reading import FileLine, say_nothing
from relevance.data.records import BadRecord, Document, Summary
from tests.released import MAPPINGS

PLACE = FileLine(Path("a.json"), 1)


def rows(path: Path, **told: Any) -> list[dict[str, Any]]:
    """The rows of a table that is read by a mapping."""
    return [row for _, row in open_table(path, to_columns(told)).read(None, say_nothing)]


def spread(record: Mapping[str, Any], template: str) -> list[dict[str, Any]]:
    return [row for _, row in spread_rows(PLACE, record, parse_steps(template))]


def write_table(path: Path, records: Sequence[Mapping[str, Any]]) -> None:
    """Write a CSV, TSV or JSON lines file."""
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(records[0]), delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writeheader()
        writer.writerows(records)


# --- templates ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("template", "path", "result"),
    [
        ("sample{} - {annotator} - Sheet1.tsv", "sample2 - A3 - Sheet1.tsv", {"annotator": "A3"}),
        ("sample{} - {annotator} - Sheet1.tsv", "sample2 - A3 - Sheet1.csv", None),
        ("{who}/{part}.csv", "ann/1.csv", {"who": "ann", "part": "1"}),
        ("{who}.csv", "ann/1.csv", None),
        ("{who}.csv", ".csv", None),
        ("a+b (1).json", "a+b (1).json", {}),
        ("{a}_{b}.csv", "x_y_z.csv", {"a": "x", "b": "y_z"}),
        ("{a}{b}c", "xyc", {"a": "x", "b": "y"}),
        ("{a}b{}b", "xbyb", {"a": "x"}),
        ("{a}b{}b", "xb", None),
        ("a{}a", "a", None),
        ("{a}/{b}", "x/y/z", None),
        ("{x}a" + "{}a" * 60, "a" * 255, {"x": "a"}),  # at once, too
    ],
)
def test_what_a_name_stands_for_in_a_path(template: str, path: str, result: dict[str, str] | None) -> None:
    assert match_path(check_template(template), path) == result


@pytest.mark.parametrize("template", ["", " ", "{", "a}", "{a}{a}", "{a b}", "{1}", "{{a}}", "{a}.{a}", "." * 101])
def test_what_is_no_template(template: str) -> None:
    with pytest.raises(BadTemplate):
        check_template(template)
    with pytest.raises(BadColumns, match="files: "):
        to_columns({"files": template})


# --- rows within objects ------------------------------------------------------------------------------------------

NAMES = st.text("abcxyz-/ é", min_size=1, max_size=4)
REVIEW = st.fixed_dictionaries({"rating": st.integers(0, 100), "by": NAMES})
NESTED = st.dictionaries(
    NAMES,
    st.dictionaries(NAMES, st.fixed_dictionaries({"text": NAMES, "reviews": st.lists(REVIEW, max_size=3)}), max_size=3),
    max_size=3,
)


@given(NESTED)
def test_each_object_at_the_end_of_the_way_is_a_row(questions: dict[str, Any]) -> None:
    expected = [
        {
            "story": "s",
            "about.year": 1950,
            "question": question,
            "text": system["text"],
            "number": str(number),
            **review,
        }
        for question, systems in questions.items()
        for system in systems.values()
        for number, review in enumerate(system["reviews"])
    ]
    record = {"story": "s", "about": {"year": 1950}, "questions": questions}
    assert spread(record, "questions.{question}.{}.reviews.{number}") == expected


def test_values_that_are_no_objects_are_called_like_their_field() -> None:
    record = {"id": 1, "systems": {"A": "Rain.", "B": "Sun."}}
    assert spread(record, "systems.{system}") == [
        {"id": 1, "system": "A", "systems": "Rain."},
        {"id": 1, "system": "B", "systems": "Sun."},
    ]
    assert spread({"A": 1}, "{}") == [{"value": 1}]


def test_where_nothing_lies_there_is_no_row_and_no_field_of_an_object_above_is_lost() -> None:
    assert spread({"a": None, "b": 1}, "a.{}") == spread({"b": 1}, "a.{}") == spread({"a": []}, "a.{}") == []
    assert spread({"x": 1, "y": 2, "a": [{"x": 3}, {}]}, "a.{}") == [{"x": 3, "y": 2}, {"x": 1, "y": 2}]


@pytest.mark.parametrize(
    ("record", "template", "refusal"),
    [
        ({"a": 5}, "a.{}", 'a.json:1: "a" must be an object or a list'),
        ({"a": {"b": [3]}}, "a.b.{}.c", 'a.json:1: "a.b.0" must be an object that has "c"'),
        ({"a": [{"n": 1}]}, "a.{n}", 'a.json:1: "n" is a field, too: call {n} something else'),
        ({"n": 1, "a": [{}]}, "a.{n}", 'a.json:1: "n" is a field, too'),
    ],
)
def test_what_is_not_as_the_template_says_is_refused(record: Any, template: str, refusal: str) -> None:
    with pytest.raises(BadRecord) as refused:
        spread(record, template)
    assert str(refused.value).startswith(refusal)


@pytest.mark.parametrize("indent", [None, 0, 2])
@pytest.mark.parametrize("kind", ["object", "list", "lines"])
def test_json_of_any_layout(tmp_path: Path, indent: int | None, kind: str) -> None:
    records = [{"id": number, "by": {"A": {"t": "x"}, "B": {"t": "y"}}} for number in range(3)]
    path, told = tmp_path / "a.json", "by.{system}"
    if kind == "lines":
        path.write_text("\n".join(json.dumps(record) for record in records))
    elif kind == "list":
        path.write_text(json.dumps(records, indent=indent))
    else:
        path.write_text("\n\n" + json.dumps({"all": records}, indent=indent) + "\n\n")
        told = "all.{}.by.{system}"
    assert rows(path, rows=told) == [
        {"id": number, "system": system, "t": text} for number in range(3) for system, text in (("A", "x"), ("B", "y"))
    ]


def test_an_object_in_several_lines_is_refused_where_it_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for text, refusal in (
        ('{"a":\n[1, 2}', "not valid JSON"),
        ('{"a":\n[]}\n{"a": []}', "something follows the object"),
        ('{"a":\n[]', "not valid JSON"),
    ):
        path.write_text(text)
        with pytest.raises(BadRecord, match=refusal):
            rows(path, rows="a.{}")
    path.write_bytes(b'{"a":\n["\xff"]}')
    with pytest.raises(BadRecord, match="the file is not UTF-8"):
        rows(path, rows="a.{}")
    path.write_text('{"a": []}')
    with pytest.raises(BadRecord, match="no row lies at"):
        rows(path, rows="a.{}")
    csv_file = tmp_path / "a.csv"
    csv_file.write_text("a,b\n1,2\n")
    with pytest.raises(BadRecord, match="the file is not JSON"):
        rows(csv_file, rows="a.{}")


def test_an_object_in_several_lines_is_told_from_lines_without_a_mapping(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"a": {"b": 1}}, indent=1))
    with pytest.raises(BadRecord, match=r"a\.json:1: the file is one JSON object in several lines: write") as refused:
        guess_format(path)
    assert "by rows in a mapping" in str(refused.value)
    path.write_text('{"a": \n')
    with pytest.raises(BadRecord, match="not valid JSON: Expecting value at column"):
        guess_format(path)


def test_flattening_keeps_lists() -> None:
    assert flatten({"a": {"b": {"c": [1, {"d": 2}]}}, "e": None}) == {"a.b.c": [1, {"d": 2}], "e": None}


# --- several files ------------------------------------------------------------------------------------------------


def choices(number: int, seed: int) -> list[dict[str, Any]]:
    """Made-up choices of somebody, each with its texts."""
    draw = random.Random(seed)
    return [
        {
            "doc": f"d{number}",
            "reference": f"R {number}",
            "A": f"Left {number}.",
            "B": f"Right {number}.",
            "choice": draw.choice("AB"),
        }
        for number in range(number)
    ]


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl"])
def test_files_of_several_people_are_as_one_table(tmp_path: Path, ending: str) -> None:
    people = {"ann": choices(7, 1), "bob": choices(5, 2), "zoë k.": choices(9, 3)}
    for who, given_by in people.items():
        write_table(tmp_path / f"choices of {who}{ending}", given_by)
    write_table(tmp_path / f"another{ending}", [{"x": 1}])
    whole = tmp_path / "whole.jsonl"
    write_table(whole, [{**row, "annotator": who} for who, given_by in people.items() for row in given_by])
    told = {"document_id": "doc", "left": "A", "right": "B", "choice": "choice", "annotator": "annotator"}
    several = to_columns({"files": f"choices of {{annotator}}{ending}", "columns": told})
    assert guess_format(tmp_path, several) == "choices"
    judgments = read_judgments(tmp_path, "choices", several, say_nothing)
    expected = read_judgments(whole, "choices", to_columns({"columns": told}), say_nothing)
    assert judgments == expected
    assert len(judgments.judgments) == 21
    assert str(judgments.judgments[-1].place).startswith("choices of zoë k.")
    # a file alone is one of them, and has its annotator by its name
    (alone,) = list_files(tmp_path / f"choices of bob{ending}", several)
    assert len(read_judgments(alone, "choices", several, say_nothing).judgments) == 5


def test_a_column_that_some_file_lacks_is_said(tmp_path: Path) -> None:
    write_table(tmp_path / "1.csv", [{"a": "x", "b": "y"}])
    write_table(tmp_path / "2.csv", [{"a": "z"}])
    notes: list[str] = []
    table = open_table(tmp_path, to_columns({"files": "{part}.csv"}))
    assert table.names == ("part", "a", "b")
    assert [row for _, row in table.read(["a", "b"], notes.append)] == [{"a": "x", "b": "y"}, {"a": "z", "b": None}]
    assert notes == ['2.csv has no column "b"']
    assert [str(place) for place, _ in table.read(None, say_nothing)] == ["1.csv:2", "2.csv:2"]


def test_files_are_refused_that_are_not_there_or_have_a_column_twice(tmp_path: Path) -> None:
    write_table(tmp_path / "1.csv", [{"part": "x"}])
    with pytest.raises(BadColumns, match=r'1\.csv has a column "part": call {part} something else in files'):
        rows(tmp_path, files="{part}.csv")
    with pytest.raises(BadRecord, match="no file in the folder is called"):
        rows(tmp_path, files="{part}.tsv")
    with pytest.raises(BadRecord, match="it is not called"):
        rows(tmp_path / "1.csv", files="{part}.tsv")
    with pytest.raises(BadRecord, match="say in the mapping which of its files have the rows"):
        guess_format(tmp_path, parse_columns("choice=c"))


def test_a_repeated_row_is_told_by_its_file(tmp_path: Path) -> None:
    row = {"document_id": "d", "reference": "R", "system": "A", "summary": "S", "human.x": "3"}
    write_table(tmp_path / "1.csv", [row])
    write_table(tmp_path / "2.csv", [row])
    with pytest.raises(BadRecord, match=r'2\.csv:2: the system "A" stands twice for "d", in 1\.csv:2, too'):
        list(read_documents(tmp_path, columns=to_columns({"files": "{}.csv"})))


# --- joined columns -----------------------------------------------------------------------------------------------


def test_columns_are_joined(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    write_table(path, [{"story": "s", "n": "1", "t": "x"}, {"story": "s", "n": "", "t": "y"}])
    columns = parse_columns("document_id=story+n,summary=t")
    table = open_table(path, columns)
    assert table.names == ("story+n", "t")  # what is joined is not passed over
    assert [row for _, row in table.read(None, say_nothing)] == [
        {"story+n": "s/1", "t": "x"},
        {"story+n": None, "t": "y"},
    ]
    assert open_table(path, parse_columns("document_id=story+n,title=n")).names == ("story+n", "n", "t")
    assert open_table(path, parse_columns("document_id=story+m")).names == ("story", "n", "t")
    write_table(path, [{"story+n": "whole", "story": "s", "n": "1"}])
    assert rows(path, columns={"document_id": "story+n"}) == [{"story+n": "whole", "story": "s", "n": "1"}]


# --- texts of documents -------------------------------------------------------------------------------------------

TEXTS = [
    {"id": "d1", "story": "S1", "human": "R1"},
    {"id": "d1", "story": "S1", "human": "R2"},
    {"id": "d2", "story": "S2", "human": ""},
    {"id": "d3", "story": "S3", "human": "R3"},
]
OF_TEXTS = {
    "files": "texts.csv",
    "columns": {"document_id": "id", "source": "story", "reference": "human"},
}
TOLD = {
    "files": "{}.jsonl",
    "guess": False,
    "columns": {"document_id": "doc", "system": "by", "summary": "text"},
    "documents": OF_TEXTS,
}


def place_texts(folder: Path, texts: Sequence[Mapping[str, Any]] = TEXTS) -> None:
    write_table(folder / "texts.csv", texts)
    summaries = [{"doc": doc, "by": by, "text": f"{by} of {doc}"} for doc in ("d1", "d2") for by in ("A", "B")]
    write_table(folder / "summaries.jsonl", summaries)


@pytest.mark.parametrize("path", ["", "summaries.jsonl"])
def test_texts_of_documents_come_from_their_own_file(tmp_path: Path, path: str) -> None:
    place_texts(tmp_path)
    notes: list[str] = []
    records = list(read_documents(tmp_path / path, columns=to_columns(TOLD), say=notes.append))
    assert records == [
        (Document("d1", "S1", ("R1", "R2")), [Summary("d1", item, f"{item} of d1") for item in "AB"]),
        (Document("d2", "S2", ()), [Summary("d2", item, f"{item} of d2") for item in "AB"]),
    ]
    assert "documents of which no row says anything, left out: 1" in notes


def test_texts_of_documents_may_lie_in_the_file_of_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    summaries = [{"doc": "d1", "by": "A", "text": "T"}]
    texts = {"d1": {"story": "S", "human": ["R1", "R2"]}}
    path.write_text(json.dumps({"summaries": summaries, "texts": texts}, indent=1))
    documents = {
        "rows": "texts.{id}",
        "columns": {"document_id": "id", "source": "story", "reference": "human"},
    }
    told = {"rows": "summaries.{}", "guess": False, "columns": TOLD["columns"], "documents": documents}
    assert list(read_documents(path, columns=to_columns(told))) == [
        (Document("d1", "S", ("R1", "R2")), [Summary("d1", "A", "T")])
    ]


def test_rows_of_documents_that_have_no_texts_or_several_are_refused(tmp_path: Path) -> None:
    place_texts(tmp_path, TEXTS[:2])
    with pytest.raises(BadRecord, match=r'summaries\.jsonl:3: the document "d2" is not among those'):
        list(read_documents(tmp_path, columns=to_columns(TOLD)))
    place_texts(tmp_path, [*TEXTS, {"id": "d2", "story": "another", "human": ""}])
    with pytest.raises(BadRecord, match=r'texts\.csv:6: the source of "d2" is another one than in line 4'):
        list(read_documents(tmp_path, columns=to_columns(TOLD)))


def test_the_hash_of_a_data_set_is_of_all_its_files(tmp_path: Path) -> None:
    place_texts(tmp_path)
    columns = to_columns(TOLD)
    first = fingerprint(tmp_path, "json", columns)
    assert fingerprint(tmp_path / "summaries.jsonl", "json", columns) == first
    write_table(tmp_path / "other.csv", TEXTS)  # which is not read
    assert fingerprint(tmp_path, "json", columns) == first
    place_texts(tmp_path, TEXTS[:-1])
    assert fingerprint(tmp_path, "json", columns) != first


# --- mappings -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(MAPPINGS.glob("*.toml")), ids=lambda path: path.stem)
def test_mappings_of_released_corpora_come_back(path: Path) -> None:
    columns = load_columns(path.read_bytes(), path.name)
    assert load_columns(write_columns(columns).encode(), "again") == columns


@pytest.mark.parametrize(
    ("told", "refusal"),
    [
        ({"files": 3}, "files must be a text"),
        ({"documents": "a.csv"}, "documents must be a table"),
        ({"columns": {"document_id": "a"}, "documents": {"values": {}}}, 'documents: unknown key "values"'),
        ({"columns": {"document_id": "a"}, "documents": {"files": "{"}}, "documents: files: "),
        (
            {"columns": {"document_id": "a"}, "documents": {"files": "b", "columns": {"summary": "s"}}},
            'documents have the roles document_id, title, source, reference, not "summary"',
        ),
        ({"documents": {"files": "b", "columns": {"document_id": "s"}}}, "columns must have document_id"),
        ({"columns": {"document_id": "a"}, "documents": {"files": "b"}}, "documents.columns must have document_id"),
        (
            {"columns": {"document_id": "a"}, "documents": {"columns": {"document_id": "s"}}},
            "documents must have files",
        ),
        (
            {
                "columns": {"document_id": "a", "source": "s"},
                "documents": {"files": "b", "columns": {"document_id": "s", "source": "t"}},
            },
            "source is among the columns and those of documents",
        ),
    ],
)
def test_what_a_mapping_cannot_say(told: dict[str, Any], refusal: str) -> None:
    with pytest.raises(BadColumns) as refused:
        to_columns(told)
    assert refusal in str(refused.value)


# --- rows that share a line ---------------------------------------------------------------------------------------


def judged(path: Path, records: Sequence[Mapping[str, Any]], *, lines: bool) -> JudgedPairs:
    between = "\n" if lines else " "
    path.write_text(f"[{f',{between}'.join(map(json.dumps, records))}]")
    return read_judgments(path, "ranks", None, say_nothing)


def test_rows_in_one_line_are_as_many_as_in_several(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    ranks = [
        {"document_id": doc, "reference": "R", "system": system, "summary": system, "rank": rank, "annotator": who}
        for doc in "de"
        for who in "xy"
        for system, rank in (("A", 1), ("B", 2), ("C", 3))
    ]
    result = judged(path, ranks, lines=False)
    assert len(result.judgments) == 12
    assert result == judged(path, ranks, lines=True)
    row = {"document_id": "d", "reference": "R", "system": "A", "summary": "S"}
    for unnamed in ({}, {"annotator": ""}):
        rated = [{**row, **unnamed, "human.x": number} for number in (1, 5)]
        answers = []
        for between in ("", "\n"):
            path.write_text(f"[{f',{between}'.join(map(json.dumps, rated))}]")
            try:
                answers.append([item.human for _, (item,) in read_documents(path, "json")])
            except BadRecord as error:
                answers.append(error.problem.partition(": ")[2].replace("line 2", "line 1"))
        assert answers[0] == answers[1]
