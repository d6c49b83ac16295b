"""Tables of choices: whatever file they are in, whatever their columns and values are called, nothing goes silently."""

import csv
import io
import json
import random
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relevance.data.importers import choice_columns, find_comparisons, guess_format
from relevance.data.importers.mapping import (
    MEANINGS,
    BadColumns,
    Columns,
    parse_columns,
    parse_values,
    read_columns,
    write_columns,
)
from relevance.data.importers.meanings import Meanings
from relevance.data.importers.pairwise import GivenJudgment, JudgedPairs, read_judged
from relevance.data.reading import FileLine
from relevance.data.records import BadRecord
from tests.sheets import write_sheet

HEADER = ("document", "reference", "system_a", "summary_a", "system_b", "summary_b", "choice", "annotator", "comment")
ROWS = (
    ("d1", "The ferry stops.", "bart", "A ferry stops.", "t5", "A bus runs.", "A", "zoe", "short"),
    ("d1", "The ferry stops.", "t5", "A bus runs.", "bart", "A ferry stops.", "A", "max", ""),
    ("d2", "Tickets cost 4.", "bart", "Tickets cost.", "t5", "A ticket is 4.", "Model B is better", "zoe", ""),
    (
        "d3",
        "A bridge opens.",
        "t5",
        "Bridge.",
        "bart",
        "A bridge.",
        "Neither is more accurate (use sparingly)",
        "zoe",
        "",
    ),
    ("d3", "A bridge opens.", "t5", "Bridge.", "bart", "A bridge.", "", "max", "did not know"),
)
JUDGED = [
    ("d1", "bart", "t5", "left", "annotator 1", "short"),
    ("d1", "t5", "bart", "left", "annotator 2", None),
    ("d2", "bart", "t5", "right", "annotator 1", None),
    ("d3", "t5", "bart", "tie", "annotator 1", None),
]


def judge(path: Path, columns: Columns | None = None) -> tuple[JudgedPairs, list[str]]:
    notes: list[str] = []
    return read_judged(find_comparisons("choices", columns, lambda _: None), path, notes.append), notes


def refusal(path: Path, columns: Columns | None = None, error: type[Exception] = BadRecord) -> str:
    with pytest.raises(error) as refused:
        judge(path, columns)
    return str(refused.value)


def told(judged: JudgedPairs) -> list[tuple[Any, ...]]:
    def record(given_judgment: GivenJudgment) -> tuple[Any, ...]:
        return (
            given_judgment.document_id,
            given_judgment.left,
            given_judgment.right,
            given_judgment.choice,
            given_judgment.annotator,
            given_judgment.comment,
        )

    return [record(judgment) for judgment in judged.judgments]


def write_csv(path: Path, header: Sequence[str], rows: Sequence[Sequence[Any]], delimiter: str = ",") -> Path:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows([header, *rows])
    path.write_text(out.getvalue(), encoding="utf-8")
    return path


def as_objects(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(header, row, strict=True)) for row in rows]


# --- files ------------------------------------------------------------------------------------------------------------


def write_lines(path: Path) -> Path:
    path.write_text("".join(json.dumps(item) + "\n" for item in as_objects(HEADER, ROWS)), encoding="utf-8")
    return path


def write_list(path: Path) -> Path:
    """Nested, with null where there is nothing."""
    objects = [
        {
            "data": {name: value for name, value in row.items() if name != "choice"},
            "references": [row["reference"]],
            "choice": row["choice"] or None,
        }
        for row in as_objects(HEADER, ROWS)
    ]
    path.write_text(json.dumps(objects), encoding="utf-8")
    return path


def write_parquet(path: Path) -> Path:
    pq.write_table(pa.table({name: [row[place] for row in ROWS] for place, name in enumerate(HEADER)}), path)
    return path


FILES: dict[str, Callable[[Path], Path]] = {
    "comma.csv": lambda path: write_csv(path, HEADER, ROWS),
    "semicolon.csv": lambda path: write_csv(path, HEADER, ROWS, ";"),
    "tab.tsv": lambda path: write_csv(path, HEADER, ROWS, "\t"),
    "lines.jsonl": write_lines,
    "table.parquet": write_parquet,
}
SHEETS = ("sheet.xlsx", "sheet.ods")


@pytest.mark.parametrize("name", FILES)
def test_a_table_is_the_same_in_any_file(tmp_path: Path, name: str) -> None:
    check_same(FILES[name](tmp_path / name))


@pytest.mark.process
@pytest.mark.parametrize("name", SHEETS)
def test_a_table_is_the_same_in_a_spreadsheet(tmp_path: Path, name: str) -> None:
    check_same(write_sheet(tmp_path / name, [HEADER, *ROWS]))


def check_same(path: Path) -> None:
    assert guess_format(path) == "choices"
    judged, notes = judge(path)
    assert told(judged) == JUDGED
    assert [(document.id, document.references, len(written)) for document, written in judged.records] == [
        ("d1", ("The ferry stops.",), 2),
        ("d2", ("Tickets cost 4.",), 2),
        ("d3", ("A bridge opens.",), 2),
    ]
    assert notes[-2:] == [
        'columns: document_id is "document", reference is "reference", left is "summary_a", right is "summary_b", '
        'left_system is "system_a", right_system is "system_b", choice is "choice", annotator is "annotator", comment '
        'is "comment" (guessed)',
        'choices in "choice": "A" is left (2); "Model B is better" is right (1); "Neither is more accurate (use '
        'sparingly)" is a tie (1); (blank) is not judged and left out (1)',
    ]


def test_fields_within_objects_go_by_their_path(tmp_path: Path) -> None:
    path = write_list(tmp_path / "list.json")
    columns = parse_columns(
        "document_id=data.document,left=data.summary_a,right=data.summary_b,left_system=data.system_a,"
        "right_system=data.system_b,annotator=data.annotator,comment=data.comment"
    )
    judged, _ = judge(path, columns)
    assert told(judged) == JUDGED
    assert judged.records[0][0].references == ("The ferry stops.",)


# --- names of columns -------------------------------------------------------------------------------------------------

NAMES = [
    (["id", "article", "gold", "A", "B", "sys_a", "sys_b", "preference"], "left=A right=B choice=preference"),
    (["Review ID", "target", "Summary A", "Summary B", "Winner"], "document_id=Review ID left=Summary A choice=Winner"),
    (
        ["text", "text1", "text2", "label", "preferred", "worker"],
        "source=text left=text1 choice=preferred annotator=worker",
    ),
    (
        ["document", "response_0", "response_1", "best", "rater_id"],
        "left=response_0 right=response_1 annotator=rater_id",
    ),
    (["instruction", "output_1", "output_2", "generator_1", "generator_2", "preference"], "left_system=generator_1"),
    (
        ["post_id", "left", "right", "model_left", "model_right", "verdict", "time"],
        "left=left left_system=model_left time=time",
    ),
    (
        ["source", "first_summary", "second_summary", "choice", "Reason"],
        "left=first_summary right=second_summary comment=Reason",
    ),
]


@pytest.mark.parametrize(("names", "expected"), NAMES)
@pytest.mark.parametrize("change", [str, str.upper, str.title, lambda name: f" {name} "])
def test_names_that_people_use_are_recognized(names: list[str], expected: str, change: Callable[[str], str]) -> None:
    choice_roles = choice_columns.find_choice_roles([change(name) for name in names])
    for role, name in (
        part.split("=") for part in expected.replace("Review ID", "Review_ID").replace("Summary A", "Summary_A").split()
    ):
        assert choice_roles[role] == change(name.replace("_", " ") if name in {"Review_ID", "Summary_A"} else name)


@pytest.mark.parametrize(
    "names",
    [
        ["document_id", "source", "reference", "system", "summary", "choice"],
        ["document", "reference", "summary_a", "summary_b"],
        ["document", "reference", "summary_a", "summary_b", "label"],
        ["data", "schema", "agenda", "choice"],
    ],
)
def test_other_tables_are_not_taken_for_choices(names: list[str]) -> None:
    assert not choice_columns.fits(names)


@pytest.mark.parametrize(
    ("values", "role"),
    [
        (("d1", "d2"), "document_id"),
        (("A text.", "d2 d"), "source"),
        (("One.", "2."), "source"),
        (("T", "U"), "source"),
        (("猫2が好き", "d1"), "source"),
        ((7, 8), "document_id"),
    ],
)
def test_a_column_called_document_has_ids_or_texts(tmp_path: Path, values: tuple[Any, ...], role: str) -> None:
    rows = [(value, "Ref.", "One.", "Two.", "A") for value in values]
    path = tmp_path / "f.jsonl"
    objects = as_objects(("document", "reference", "summary_a", "summary_b", "choice"), rows)
    path.write_text("\n".join(map(json.dumps, objects)), encoding="utf-8")
    (document, _), _ = judge(path)[0].records
    assert (document.id, document.source) == ((str(values[0]), "") if role == "document_id" else ("1", values[0]))


WORDS = ["A", "B is better", "", "Neither is good"]


def test_a_column_that_holds_choices_is_one_whatever_it_is_called(tmp_path: Path) -> None:
    header = ("review", "target", "sys_a", "A", "sys_b", "B", "Which of A or B is more faithful?", "Remarks on it")
    rows = [(f"r{n}", f"R{n}.", "x", "One.", "y", "Two.", value, "A lot") for n, value in enumerate(WORDS)]
    path = write_csv(tmp_path / "f.csv", header, rows)
    assert guess_format(path) == "choices"
    judged, _ = judge(path)
    assert [judgment.choice for judgment in judged.judgments] == ["left", "right", "both_bad"]
    assert {judgment.question.wording for judgment in judged.judgments} == {"Which of A or B is more faithful?"}


@pytest.mark.parametrize(
    "columns",
    [
        {"pick": ["1", "2", "1", "2"]},  # numbers may be anything
        {"pick": ["tie", "", "tie", ""]},  # nobody prefers anything
        {"pick": [*WORDS[:3], "maybe"]},
        {"pick": WORDS, "other pick": WORDS},
    ],
)
def test_what_may_be_something_else_is_not_taken_for_a_choice(tmp_path: Path, columns: dict[str, list[str]]) -> None:
    rows = [
        (f"Text {n}.", "R.", "One.", "Two.", *values) for n, values in enumerate(zip(*columns.values(), strict=True))
    ]
    path = write_csv(tmp_path / "f.csv", ("document", "reference", "summary_a", "summary_b", *columns), rows)
    assert guess_format(path) == "csv"


VOTES = [("gpt", "llama", "model_a", "u1"), ("llama", "gpt", "llama", "u1"), ("gpt", "pi", "tie", "u2")]


def test_votes_without_texts_are_of_a_document_each(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "f.csv", ("model_a", "model_b", "winner", "judge"), VOTES)
    assert guess_format(path) == "choices"
    judged, notes = judge(path)
    assert [
        (judgment.document_id, judgment.left, judgment.right, judgment.choice, judgment.annotator)
        for judgment in judged.judgments
    ] == [
        ("1", "gpt", "llama", "left", "annotator 1"),
        ("2", "llama", "gpt", "left", "annotator 1"),
        ("3", "gpt", "pi", "tie", "annotator 2"),
    ]
    assert any(item.startswith("the file has no texts: its judgments rank systems, and metrics have") for item in notes)
    assert [summary.text for _, written in judged.records for summary in written] == [""] * 6


def test_votes_without_texts_name_their_documents(tmp_path: Path) -> None:
    rows = [("d1", *VOTES[0]), ("d1", *VOTES[1]), ("d1", "gpt", "gpt", "A", "u3")]
    judged, _ = judge(write_csv(tmp_path / "f.csv", ("doc_id", "model_a", "model_b", "winner", "judge"), rows))
    assert [(judgment.document_id, judgment.left, judgment.annotator) for judgment in judged.judgments] == [
        ("d1", "gpt", "annotator 1")
    ]
    assert judged.notes == (
        "1 comparison of a text with itself left out",
        "1 comparison left out where somebody had already judged the same pair: the first judgment counts",
    )


def test_columns_are_said_by_name_by_place_and_in_a_file(tmp_path: Path) -> None:
    header = ("article", "x", "y", "", "question, with a comma = sign", "who", "who")
    rows = [("A text.", "One.", "Two.", "1", "y", "a", "zoe"), ("A text.", "One.", "Two.", "2", "x", "b", "max")]
    path = write_csv(tmp_path / "f.csv", header, rows)
    assert guess_format(path) == "csv"
    columns = parse_columns("source=article,left=x,right=3,choice=5,annotator=7,comment=4")
    assert guess_format(path, columns) == "choices"
    judged, notes = judge(path, columns)
    assert [
        (judgment.left, judgment.right, judgment.choice, judgment.annotator, judgment.comment)
        for judgment in judged.judgments
    ] == [
        ("x", "y", "right", "annotator 1", "1"),
        ("x", "y", "left", "annotator 2", "2"),
    ]
    assert 'columns passed over: "6"' in notes
    assert 'no columns name the systems: the texts are by the systems "x" and "y", as their columns are called' in notes
    kept: list[Columns] = []
    read_judged(find_comparisons("choices", columns, kept.append), path)
    file = tmp_path / "columns.toml"
    file.write_text(write_columns(kept[0]), encoding="utf-8")
    assert told(judge(path, parse_columns(str(file)))[0]) == told(judged)


def test_what_columns_say_goes_before_what_is_guessed(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "f.csv", (*HEADER, "second choice"), [(*row, "B") for row in ROWS])
    judged, notes = judge(path, parse_columns("choice=second choice,comment=annotator"))
    assert [judgment.choice for judgment in judged.judgments] == ["right"] * 5
    assert {judgment.comment for judgment in judged.judgments} == {"zoe", "max"}
    assert "unknown 1" in {judgment.annotator for judgment in judged.judgments}
    assert any(
        item.endswith("(guessed: document_id, reference, left, right, left_system, right_system)") for item in notes
    )


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("choice=9", 'there is no column "9" for choice; the columns are 1 "id", 2 "one", 3 "two", 4 "pick"'),
        ("choise=pick", 'there is no role "choise" for a column; there are document_id, reference, system'),
        ("choice", "choice: cannot be read"),
        ("choice=4,left", '--columns must be like a=b,c=d, and "left" is not'),
        (
            "left=one,right=two,choice=pick,system=id",
            "columns of a table of summaries and of one of choices do not go together: left, right, choice, system",
        ),
    ],
)
def test_columns_that_are_refused(tmp_path: Path, columns: str, message: str) -> None:
    path = write_csv(tmp_path / "f.csv", ("id", "one", "two", "pick"), [("d", "One.", "Two.", "two")])
    with pytest.raises(BadColumns) as refused:
        judge(path, parse_columns(columns))
    assert str(refused.value).startswith(message)


def test_columns_that_are_lacking_are_named(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "f.csv", ("x", "y", "pick"), [("One.", "Two.", "two")])
    assert refusal(path, parse_columns("choice=pick")) == (
        "f.csv:1: it is not known which column is left and which is right and which is document_id, source or "
        'reference; there are "x", "y", "pick"; say it by --columns left=COLUMN,...'
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[columns]\nchoice = 1.5\n", "columns.choice must be the name of a column or its place"),
        ("[columns]\nchoice = [1]\n", "columns.choice must be"),
        ("[roles]\n", 'unknown key "roles"; known are columns, values, scales, system, sheet'),
        ("[values]\nA = 'first'\n", '"A" cannot mean "first"; a choice means left, right, tie, bad, skip, system'),
        ("columns = 4\n", "columns must be a table"),
        ("x\n", "not a mapping in TOML"),
    ],
)
def test_files_of_columns_that_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "columns.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadColumns) as refused:
        read_columns(path)
    assert str(refused.value).startswith(f"{path}: {message}")


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1).filter(str.strip)


@given(
    roles=st.dictionaries(st.sampled_from(["source", "left", "choice.fluency", "human.x y", "annotator"]), TEXT),
    values=st.dictionaries(TEXT, st.sampled_from(MEANINGS)),
    sheet=st.none() | TEXT,
)
def test_a_file_of_columns_comes_back(
    tmp_path_factory: pytest.TempPathFactory, roles: dict[str, str], values: dict[str, str], sheet: str | None
) -> None:
    columns = Columns(roles, values, sheet=sheet)
    path = tmp_path_factory.mktemp("columns") / "columns.toml"
    path.write_text(write_columns(columns), encoding="utf-8")
    assert read_columns(path) == columns


# --- values -----------------------------------------------------------------------------------------------------------

PLACE = FileLine(Path("f.csv"), 2)


def mean(value: Any, names: tuple[str, str] = ("summary_a", "summary_b"), **values: str) -> str:
    return Meanings(values, names).find(PLACE, value, ("bart", "t5"), ("One text.", "Another text."))


LEFT = (
    *(
        "A",
        "a",
        "left",
        "Left",
        "1",
        1,
        1.0,
        "first",
        "summary_a",
        "Summary A",
        "model_a",
        "Model A is better",
        "A wins",
    ),
    *("The first summary", "a is slightly better", "bart", "BART", "One text.", "one  text.", "A is more relevant."),
)
RIGHT = (
    *("B", "right", "2", 2, "second", "summary_b", "response 2", "option b", "Model B is better", "t5"),
    "Another text.",
)
TIE = (
    *("tie", "Tie", "equal", "both", "Neither", "neither is better", "no preference", "about the same"),
    "Neither is more accurate (use sparingly)",
)
SAID = {
    "left": LEFT,
    "right": RIGHT,
    "tie": TIE,
    "bad": ("both_bad", "both bad", "tie (bothbad)", "Both are bad"),
    "skip": ("", None, " ", "N/A", "-", "null", float("nan")),
    "": ("c", "3", "0", "maybe", "none", "A or B", "AB", "summary", "not A", "5", "yes", True, "both bart"),
}


@pytest.mark.parametrize(
    ("meaning", "value"), [(meaning, value) for meaning, values in SAID.items() for value in values]
)
def test_what_values_mean(meaning: str, value: Any) -> None:
    assert mean(value) == meaning


def test_values_are_numbered_as_the_columns_are() -> None:
    from_zero = ("response_0", "response_1")
    assert [mean(value, from_zero) for value in (0, 1, "0", "1", 2)] == ["left", "right", "left", "right", ""]
    assert [mean(value, ("response_1", "response_2")) for value in (0, 1, 2)] == ["", "left", "right"]


def test_what_is_said_of_a_value_goes_first() -> None:
    assert mean("A", A="right") == "right"
    assert mean("B", B="system") == ""
    assert mean("t5", t5="left") == "left"
    assert mean("nobody", nobody="skip") == "skip"


def test_a_value_that_names_a_side_and_the_system_on_the_other_is_refused(tmp_path: Path) -> None:
    rows = [("d1", "Ref.", "B", "One.", "A", "Two.", "A", "zoe", "")]
    path = write_csv(tmp_path / "f.csv", HEADER, rows)
    assert refusal(path) == (
        'f.csv:2: the choice "A" may mean the text on the left, or that of the system "A" on the right: say which by '
        "--values A=left or A=system"
    )
    for meaning, expected in (("left", "left"), ("system", "right")):
        columns = Columns({}, parse_values(f"A={meaning}"))
        ((_, _, _, choice, *_),) = told(judge(path, columns)[0])
        assert choice == expected


def test_an_unknown_value_refuses_the_file_with_all_of_them_counted(tmp_path: Path) -> None:
    rows = [(*ROWS[n % 2][:6], value, f"w{n}", "") for n, value in enumerate(["A", "Hmm", "C", "Hmm", "B", "C", "C"])]
    path = write_csv(tmp_path / "f.csv", HEADER, rows)
    assert refusal(path) == (
        'f.csv:3: it is not known what these values of "choice" mean: "Hmm" (2), "C" (3); say it by --values '
        "VALUE=MEANING,... or in a file of --columns; meanings are left, right, tie, bad, skip, system (skip leaves "
        "the row out)"
    )
    judged, notes = judge(path, Columns({}, parse_values("Hmm=skip,C=tie,D=left")))
    assert [judgment.choice for judgment in judged.judgments] == ["left", "tie", "right", "tie", "tie"]
    assert 'values that were explained, and that no row has: "D"' in notes


def test_names_of_systems_and_texts_are_counted_together(tmp_path: Path) -> None:
    rows = [
        (*row[:6], value, "", "")
        for row, value in zip(ROWS, ["bart", "bart", "A ticket is 4.", "T5", "tie"], strict=True)
    ]
    judged, notes = judge(write_csv(tmp_path / "f.csv", HEADER, rows))
    assert [judgment.choice for judgment in judged.judgments] == ["left", "right", "right", "left", "tie"]
    assert notes[-1] == (
        'choices in "choice": "(the system on the left)" is left (2); "(the system on the right)" is right (1); '
        '"(the text on the right)" is right (1); "tie" is a tie (1)'
    )


# --- judgments --------------------------------------------------------------------------------------------------------


def test_several_questions_are_told_apart(tmp_path: Path) -> None:
    header = ("id", "summary_a", "summary_b", "Which is more fluent?", "q2", "worker")
    rows = [("d1", "One.", "Two.", "A", "B", "zoe"), ("d2", "One.", "Two.", "", "tie", "zoe")]
    columns = parse_columns("choice.fluency=4,choice.relevance=q2")
    judged, _ = judge(write_csv(tmp_path / "f.csv", header, rows), columns)
    assert [
        (judgment.question.name, judgment.question.wording, judgment.document_id, judgment.choice)
        for judgment in judged.judgments
    ] == [
        ("fluency", "Which is more fluent?", "d1", "left"),
        ("relevance", None, "d1", "right"),
        ("relevance", None, "d2", "tie"),
    ]


def test_times_are_kept_and_those_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    times = ["2024-01-02T03:04:05Z", "1704164645", "Mon Jan 02 2023", "", "99"]
    rows = [(f"d{n}", "One.", "Two.", "A", time) for n, time in enumerate(times)]
    path = write_csv(tmp_path / "f.csv", ("id", "summary_a", "summary_b", "choice", "timestamp"), rows)
    judged, notes = judge(path)
    first, second, *others = [judgment.decided_at for judgment in judged.judgments]
    assert first is not None
    assert first.isoformat() == "2024-01-02T03:04:05+00:00"
    assert second == first
    assert others == [None] * 3
    assert notes[-1] == '2 times that cannot be read, such as "Mon Jan 02 2023": left out'


def test_documents_without_ids_go_by_their_texts_and_references_come_together(tmp_path: Path) -> None:
    header = ("article", "reference", "summary_a", "summary_b", "choice")
    rows = [("One.", "R1.", "a", "b", "A"), ("Two.", "R2.", "a", "b", "B"), ("One.", "R3.", "b", "c", "A")]
    judged, _ = judge(write_csv(tmp_path / "f.csv", header, rows))
    assert [(document.id, document.references) for document, _ in judged.records] == [
        ("1", ("R1.", "R3.")),
        ("2", ("R2.",)),
    ]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [("d1", "S.", "a", "b", "A"), ("d1", "T.", "a", "b", "A")],
            'f.csv:3: the document "d1" has another text or title',
        ),
        ([("", "S.", "a", "b", "A")], "f.csv:2: id is empty"),
        ([("d", "S.", "a", "b", "")], "f.csv:1: the file holds no judgments"),
        ([("d", "S.", "a", "b")], "f.csv:2: 4 fields where the header has 5"),
        (
            [("d", "S.", "same", "same", "A")],
            "f.csv:1: the file holds no judgments (1 comparison of a text with itself",
        ),
    ],
)
def test_tables_that_are_refused(tmp_path: Path, rows: list[tuple[str, ...]], message: str) -> None:
    path = write_csv(tmp_path / "f.csv", ("id", "source", "summary_a", "summary_b", "choice"), rows)
    assert refusal(path).startswith(message)


@pytest.mark.parametrize("seed", range(20))
def test_judgments_are_independent_of_the_order_of_columns_and_the_sides(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    documents, systems = [f"d{n}" for n in range(5)], ["bart", "t5", "peg"]
    rows, expected = [], []
    for document, who in product(documents, ["zoe", "max"]):
        left, right = draw.sample(systems, 2)
        value = draw.choice(["left", "right", "tie"])
        rows.append({"doc_id": document, "model_left": left, "model_right": right, "text_left": f"{left} of {document}",
                     "text_right": f"{right} of {document}", "vote": value, "user": who})  # fmt: skip
        expected.append((document, left, right, value, who))
    header = list(rows[0])
    draw.shuffle(header)
    judged, _ = judge(write_csv(tmp_path / "f.csv", header, [[row[name] for name in header] for row in rows]))
    people = {"annotator 1": "zoe", "annotator 2": "max"}
    assert [
        (judgment.document_id, judgment.left, judgment.right, judgment.choice, people[judgment.annotator])
        for judgment in judged.judgments
    ] == expected
