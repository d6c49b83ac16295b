"""Judged corpora as they were released: imported by one command, with the values that others computed of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from relevance.data.database import connect
from relevance.data.store import DataStore
from tests.commands import run
from tests.released import FOLDERS, MAPPINGS, import_released

SCORED = "rouge1,rouge2,rougeL,length"
NO_METRICS = {"people"}


def analyze(*arguments: Any) -> dict[str, tuple[int, float]]:
    """By metric: on how many pairs there is a say, and the share of agreement, a tie of the metric as half of one."""
    answer = json.loads(run("analyze", *arguments, "--tables", "agreement", "--format", "json").stdout)
    rows = answer["tables"]["agreement"]["rows"]
    return {row["metric"]: (row["n"], round(row["half"], 4)) for row in rows if row["metric"] not in NO_METRICS}


def test_every_mapping_of_the_documentation_is_tested() -> None:
    assert {path.stem for path in MAPPINGS.glob("*.toml")} == {*FOLDERS}


def test_choices_in_medical_reviews(shared_data: Path, sqlite_url: str) -> None:
    output = import_released("mslr", shared_data, "m")
    assert '"B" is right (203)' in output
    assert '"A" is left (160)' in output
    assert '"Neither is more accurate (use sparingly)" is a tie (89)' in output
    assert "(blank) is not judged and left out (548)" in output
    assert "2 comparisons of a text with itself left out" in output  # of 452 choices of 380 pairs
    assert "450 judgments of 378 pairs as the study m" in output
    run("score", "m", "--metrics", SCORED)
    # rouge-score with stemmer; words are split at spaces
    expected = {"rouge1": (363, 0.5937), "rouge2": (363, 0.5923), "rougeL": (363, 0.5675), "length": (363, 0.4738)}
    assert analyze("--study", "m") == expected
    people = json.loads(run("analyze", "--study", "m", "--tables", "annotators", "--format", "json").stdout)
    assert [row["judgments"] for row in people["tables"]["annotators"]["rows"]] == [99, 49, 101, 98, 103]


def test_facets_of_medical_reviews(shared_data: Path, sqlite_url: str) -> None:
    output = import_released("mslr-facets", shared_data, "f")
    assert "ratings of fluency: 637 by 2 annotators, from 0 to 2; their means count, and each is kept" in output
    assert '"N/A: No outcome in generated summary" is left out (188)' in output
    dataset = DataStore(connect(sqlite_url)).dataset("f")
    assert (dataset.documents, dataset.summaries, len(dataset.systems)) == (277, 600, 6)
    assert dataset.annotated == ("fluency", "population", "intervention", "outcome")


@pytest.mark.exhaustive
def test_the_best_and_the_worst_of_news(shared_data: Path, sqlite_url: str) -> None:
    output = import_released("goyal2022", shared_data, "g")
    assert (
        "18 rows with the same summary best and worst (first: bbc_human.json:row 4 (1.annotators.0)): left out"
        in output
    )
    # 582 rows of three summaries each: every pair is told of, but where two are neither best nor worst
    assert "imported 200 documents and 600 summaries of 3 systems as g, and 1,746 judgments of 600 pairs" in output
    records = DataStore(connect(sqlite_url)).records("g")
    assert {document.id.partition("/")[0] for document, _ in records} == {"bbc", "cnn"}
    assert all(document.source and not document.references for document, _ in records)
    path = shared_data / "judged" / "goyal2022" / "cnn_human.json"
    told = run("import", path, "--columns", MAPPINGS / "goyal2022.toml", "--name", "one of them").stdout
    assert "imported 100 documents and 300 summaries" in told


@pytest.mark.parametrize("together", [True, pytest.param(False, marks=pytest.mark.exhaustive)])
def test_ranks_of_answers_about_stories(shared_data: Path, sqlite_url: str, together: bool) -> None:
    name = "together" if together else "by the file of reviews"
    if together:
        output = import_released("squality", shared_data, name)
    else:
        file = shared_data / "judged" / "squality" / "all-responses.jsonl"
        output = run("import", file, "--columns", MAPPINGS / "squality.toml", "--name", name).output
    assert "imported 100 documents and 300 summaries of 3 systems" in output
    for question in ("correctness", "selection", "overall"):
        assert f"900 judgments of 300 pairs as the study {name}: {question}" in output
    run("score", name, "--metrics", SCORED)
    # rouge-score with stemmer, best of the references without the ranked one, 100 questions, 3 pairs, 3 reviewers
    expected = {"rouge1": (900, 0.7833), "rouge2": (900, 0.6956), "rougeL": (900, 0.6944), "length": (900, 0.5483)}
    assert analyze("--study", f"{name}: overall") == expected
    # and by the mean overall rating
    expected = {"rouge1": (299, 0.8060), "rouge2": (299, 0.7157), "rougeL": (299, 0.6990), "length": (299, 0.5569)}
    assert analyze(name, "--human", "overall", "--metrics", SCORED) == expected
