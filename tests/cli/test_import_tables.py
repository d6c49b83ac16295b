"""`relevance import` of tables with people's choices: what is said, shown, saved, kept and refused."""

import re
from pathlib import Path

import pytest

from tests.commands import refused, run
from tests.data.importers.test_choices import HEADER, ROWS, write_csv

SAID = (
    "format: choices (guessed)\n"
    'columns: document_id is "document", reference is "reference", left is "summary_a", right is "summary_b", '
    'left_system is "system_a", right_system is "system_b", choice is "choice", annotator is "annotator", '
    'comment is "comment" (guessed)\n'
    'choices in "choice": "A" is left (2); "Model B is better" is right (1); "Neither is more accurate (use '
    'sparingly)" is a tie (1); (blank) is not judged and left out (1)\n'
)


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sqlite_url: str) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_csv(tmp_path / "table.csv", HEADER, ROWS)


def test_a_table_is_looked_at_before_it_is_imported(table: Path, tmp_path: Path) -> None:
    result = run("import", table, "--preview", "--save-columns", "columns.toml")
    assert result.stderr == f"{SAID}the columns are in columns.toml; --columns columns.toml reads another file so\n"
    header, first, *others = result.stdout.splitlines()
    names = ["document", "left", "text on the left", "right", "text on the right", "choice", "annotator", "comment"]
    assert [name for name in re.split(r" {2,}", header) if name] == names
    assert first.split(maxsplit=1)[0] == "d1"
    assert all(
        value in first for value in ("bart", "A ferry stops.", "t5", "A bus runs.", "left", "annotator 1", "short")
    )
    assert len(others) == 3
    assert run("datasets").stdout.splitlines()[1:] == []
    assert (tmp_path / "columns.toml").read_text() == (
        '[columns]\ndocument_id = "document"\nreference = "reference"\nleft = "summary_a"\nright = "summary_b"\n'
        'left_system = "system_a"\nright_system = "system_b"\nchoice = "choice"\nannotator = "annotator"\n'
        'comment = "comment"\n\n[values]\nA = "left"\n"Model B is better" = "right"\n'
        '"Neither is more accurate (use sparingly)" = "tie"\n'
    )


def test_a_table_becomes_a_data_set_and_a_study_that_is_analyzed(table: Path, tmp_path: Path) -> None:
    result = run("import", table, "--name", "mine", "--save-columns", tmp_path / "columns.toml")
    assert result.stdout == (
        "imported 3 documents and 6 summaries of 2 systems as mine, and 4 judgments of 3 pairs as the study mine\n"
    )
    assert result.stderr.startswith(SAID)
    assert run("datasets", "--columns", "mine").stdout == (tmp_path / "columns.toml").read_text()
    run("score", "mine", "--metrics", "rouge1")
    assert "rouge1" in run("analyze", "--study", "mine", "--tables", "agreement").stdout


def test_columns_values_and_sheet_are_said_by_options(tmp_path: Path, table: Path) -> None:
    rows = [("A text.", "One.", "Two.", "yes"), ("Another.", "One.", "Two.", "no"), ("A third.", "One.", "Two.", "x")]
    write_csv(table, ("article", "x", "y", "better?"), rows)
    result = run(
        "import",
        table,
        "--name",
        "mine",
        "--columns",
        "left=x,right=3,choice=4",
        "--values",
        "yes=left,no=right,x=skip",
    )
    assert "2 judgments of 2 pairs as the study mine" in result.stdout
    study = run("study", "export", "mine", "--format", "jsonl").stdout
    assert study.count('"choice": "left"') == study.count('"choice": "right"') == 1
    assert "better?" in run("datasets", "--columns", "mine").stdout


def test_a_table_of_summaries_takes_columns_too(tmp_path: Path, table: Path) -> None:
    write_csv(table, ("id", "key facts", "who", "wrote", "points"), [("d1", "R.", "bart", "S.", "4")])
    result = run(
        "import",
        table,
        "--name",
        "mine",
        "--columns",
        "reference=key facts,system=who,summary=4,human.points=5,document_id=id",
    )
    assert result.stdout == "imported 1 document and 1 summary of 1 system as mine\n"
    assert run("datasets", "--columns", "mine").stdout.startswith('[columns]\nreference = "key facts"\n')
    (tmp_path / "f.jsonl").write_text('{"meta": {"k": "d1"}, "gold": ["R.", "Q."], "who": "bart", "wrote": "S."}\n')
    result = run(
        "import", "f.jsonl", "--name", "two", "--columns", "document_id=meta.k,reference=gold,system=who,summary=wrote"
    )
    assert result.stdout == "imported 1 document and 1 summary of 1 system as two\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--columns", "choice=12"), 'there is no column "12" for choice; the columns are 1 "document", 2 "reference"'),
        (("--columns", "nosuch.toml"), "nosuch.toml: cannot be read: No such file or directory"),
        (("--values", "A=first"), '"A" cannot mean "first"; a choice means left, right, tie, bad, skip, system'),
        (
            ("--columns", "system=document,choice=7"),
            "columns of a table of summaries and of one of choices do not go together: system, choice",
        ),
        (("--sheet", "First"), 'table.csv:1: the file is not a spreadsheet, so it has no sheet "First"'),
        (("--save-columns", "no/such.toml"), "no/such.toml cannot be written: there is no folder no"),
        (("--save-columns", "table.csv"), "table.csv is an input; name another --output"),
    ],
)
def test_options_that_are_refused(table: Path, options: tuple[str, ...], message: str) -> None:
    for how in (("--name", "mine"), ("--preview",)):
        assert refused("import", "table.csv", *how, *options).startswith(message)
    assert run("datasets").stdout.splitlines()[1:] == []


def test_columns_of_a_data_set_without_any_are_refused(table: Path) -> None:
    write_csv(table, ("document_id", "reference", "system", "summary"), [("d1", "R.", "bart", "S.")])
    run("import", table, "--name", "mine")
    assert refused("datasets", "--columns", "mine") == "the columns of mine had the usual names, or it was not a table"
    assert refused("datasets", "--columns", "other") == "there is no data set 'other'; there are mine"


def test_choices_are_added_to_a_data_set(table: Path, tmp_path: Path) -> None:
    run("import", table, "--name", "mine")
    write_csv(tmp_path / "votes.csv", ("document", "model_a", "model_b", "winner"), [("d1", "bart", "t5", "t5")])
    result = run("import", "votes.csv", "--of", "mine", "--name", "votes")
    assert result.stdout == "imported 1 judgment of 1 pair as the study votes of mine\n"
    assert refused("import", "votes.csv", "--of", "mine", "--name", "votes") == (
        "there is already a study 'votes'; choose another name"
    )
    assert "--save-columns goes with --preview" in refused(
        *("import", "votes.csv", "--of", "mine", "--name", "again", "--save-columns", "columns.toml")
    )


def test_votes_without_texts_are_analyzed(table: Path) -> None:
    rows = [
        (*pair, winner, f"w{n % 3}")
        for n in range(12)
        for pair, winner in ((("a1", "b1"), "A"), (("b1", "c1"), "left"))
    ]
    write_csv(table, ("model_a", "model_b", "winner", "judge"), rows)
    run("import", table, "--name", "votes")
    result = run("analyze", "--study", "votes")
    assert "a1" in result.stdout
