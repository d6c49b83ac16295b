"""`relevance analyze` of tables with scores and ratings, and no texts."""

import json
from pathlib import Path

import pandas as pd
import pytest

import relevance
from relevance.data.demo import FILE
from tests.commands import refused, run
from tests.data.importers.test_choices import write_csv

METRICS = ["rouge1", "rouge2", "length"]


def figures(*arguments: object) -> dict[str, list[object]]:
    tables = json.loads(run("analyze", *arguments, "--tables", "agreement,human", "--format", "json").stdout)["tables"]
    rows = [*tables["agreement"]["rows"], *tables["human"]["rows"]]
    return {
        name: [value for row in rows for key, value in row.items() if key == name] for name in ("half", "C", "r", "n")
    }


@pytest.fixture(scope="module")
def scored() -> pd.DataFrame:
    return relevance.score(relevance.load(FILE), METRICS)


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_the_figures_are_those_of_the_texts(tmp_path: Path, scored: pd.DataFrame, ending: str) -> None:
    table = scored[["document", "system", "author", *METRICS]].rename(columns={"author": "human.author"})
    path = tmp_path / f"scored{ending}"
    shuffled = table.sample(frac=1, random_state=1)
    if ending == ".parquet":
        shuffled.to_parquet(path, index=False)
    elif ending == ".jsonl":
        shuffled.to_json(path, orient="records", lines=True)
    else:
        shuffled.to_csv(path, sep="\t" if ending == ".tsv" else ",", index=False)
    expected = figures(FILE, "--metrics", "rouge1,rouge2", "--human", "author")
    assert expected["C"]
    assert figures(path, "--human", "author") == expected


def test_what_is_read_is_said(found_files: Path) -> None:
    result = run("analyze", found_files / "42_scores_only.csv", "--tables", "agreement")
    assert result.stderr.splitlines()[:2] == [
        'columns: document_id is "document_id", system is "system" (guessed)',
        'ratings: relevance is "human.relevance"; scores: "rouge1"',
    ]
    assert "rouge1" in result.stdout


ROWS = [("d1", "bart", "4", "0.5", "x", ""), ("d1", "t5", "n/a", "1", "y", "2"), ("d2", "bart", "3", "", "z", "1e-3")]


def test_missing_numbers_are_missing_and_other_columns_are_said(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "f.csv", ("doc", "model", "Relevance", "rouge1", "note", "mine"), ROWS)
    result = run("analyze", path, "--human", "relevance", "--tables", "agreement", "--metrics", "mine")
    assert 'columns passed over: "note"' in result.stderr.splitlines()
    assert 'ratings: relevance is "Relevance"; scores: "rouge1", "mine"' in result.stderr
    assert "rouge1" not in result.stdout


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([*ROWS, ROWS[0]], (), 'f.csv:5: the system "bart" stands twice for "d1", in line 2, too'),
        (ROWS, ("--metrics", "nosuch"), "f.csv: there are no scores by nosuch; there are rouge1, mine"),
        (ROWS, ("--human", "fluency"), "there are no human ratings of 'fluency'; there are relevance"),
        (ROWS, ("--tables", "keywords"), "keywords_by_source, keywords_by_length: a table of scores has no texts"),
        (ROWS, ("--systems", "nosuch"), "--systems"),
        ([*ROWS] * 40 + [("d3", "t5", "?", "high", "", "")], (), "f.csv:5: the system"),
    ],
)
def test_tables_that_are_refused(
    tmp_path: Path, rows: list[tuple[str, ...]], options: tuple[str, ...], message: str
) -> None:
    path = write_csv(tmp_path / "f.csv", ("doc", "model", "Relevance", "rouge1", "note", "mine"), rows)
    assert refused("analyze", path, *options).startswith(message)


def test_a_late_value_that_is_no_number_is_refused(tmp_path: Path) -> None:
    rows = [(f"d{n}", "bart", "4", "0.5") for n in range(120)]
    path = write_csv(tmp_path / "f.csv", ("doc", "model", "relevance", "mine"), [*rows, ("e", "bart", "4", "high")])
    assert refused("analyze", path).startswith('f.csv:122: mine must be a number such as 4 or 3.5, not "high"')
