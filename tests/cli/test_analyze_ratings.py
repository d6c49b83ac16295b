"""`analyze` of ratings whose annotators are known: SQuALITY, by mean, by annotator and by majority."""

import json
from pathlib import Path
from typing import Any

import pytest

from relevance.data.database import connect
from relevance.data.store import DataStore
from tests.commands import run
from tests.released import import_released


def tables(*arguments: Any) -> dict[str, Any]:
    return json.loads(run("analyze", *arguments, "--format", "json").stdout)["tables"]


def figures(table: dict[str, Any]) -> dict[str, tuple[int, float]]:
    return {row["metric"]: (row["n"], row["half"] and round(row["half"], 4)) for row in table["rows"]}


METRICS = ("--human", "overall", "--metrics", "rouge1,rouge2,rougeL")


@pytest.mark.exhaustive
def test_squality_by_mean_by_annotator_and_by_majority(shared_data: Path, sqlite_url: str) -> None:
    import_released("squality", shared_data, "sq")
    of_means = tables("sq", *METRICS, "--tables", "agreement,rating_reliability,rating_annotators")
    # rouge-score with stemmer, best of the references without the rated one, pairs by mean overall rating
    expected = {"rouge1": (299, 0.8060), "rouge2": (299, 0.7157), "rougeL": (299, 0.6990), "length": (299, 0.5569)}
    assert figures(of_means["agreement"]) == expected
    alphas = {row["coefficient"]: row for row in of_means["rating_reliability"]["rows"]}
    assert [alpha["summaries"] for alpha in alphas.values()] == [300, 300]
    assert [round(alpha["value"], 4) for alpha in alphas.values()] == [0.7218, 0.7983]
    people = of_means["rating_annotators"]["rows"]
    assert [(row["annotator"], row["ratings"], row["of"]) for row in people] == [
        (f"annotator {number}", 225, 225) for number in range(1, 5)
    ]
    wanted = "agreement,agreement_by_majority,reliability,cohen,annotators,ranking,rating_annotators"
    by_annotator = tables("sq", *METRICS, "--by-annotator", "--tables", wanted)
    result = figures(by_annotator["agreement"])
    # 100 questions, 3 pairs, 3 reviewers: 900 less 17 rated alike
    assert {name: n for name, (n, _) in result.items()} == {**dict.fromkeys(expected, 883), "people": 801}
    assert result["rouge1"][1] < expected["rouge1"][1] < result["people"][1]
    assert by_annotator["agreement_by_majority"]["rows"][0]["n"] == 296
    assert [row["n"] for row in by_annotator["cohen"]["rows"]] == [150] * 6
    assert {row["judgments"] for row in by_annotator["annotators"]["rows"]} == {225}
    assert by_annotator["ranking"]["rows"][0]["system"] == "human"
    assert by_annotator["rating_annotators"] == of_means["rating_annotators"]


@pytest.mark.parametrize("where", ["file", "data set"])
def test_a_file_and_its_data_set_say_the_same(found_files: Path, sqlite_url: str, where: str) -> None:
    path: Any = found_files / "11_workers.csv"
    if where == "data set":
        run("import", path, "--name", "w")
        path = "w"
    made = tables(path, "--metrics", "rouge1", "--by-annotator", "--tables", "agreement,rating_annotators")
    assert made["agreement"]["rows"][0]["n"] == 2
    assert [row["mean"] for row in made["rating_annotators"]["rows"]] == [3, 3]


def test_ratings_are_asked_for_that_nobody_knows_by_annotator(sqlite_url: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("document_id,reference,system,summary,human.relevance\nd1,R,a,S,4\nd1,R,b,T,3\n")
    refused = run("analyze", path, "--metrics", "rouge1", "--by-annotator", code=2).stderr
    assert "the ratings of relevance are not known by annotator; no ratings here are" in refused
    assert "--by-annotator goes with ratings" in run("analyze", "--study", "any", "--by-annotator", code=2).stderr


def test_ratings_of_annotators_are_stored_exported_and_read_again(
    found_files: Path, sqlite_url: str, tmp_path: Path
) -> None:
    data_store = DataStore(connect(sqlite_url))
    run("import", found_files / "11_workers.csv", "--name", "w")
    assert data_store.dataset("w").annotated == ("relevance",)
    out = tmp_path / "w.jsonl"
    run("convert", found_files / "11_workers.csv", "--to", "interchange", out)
    run("import", out, "--name", "again")
    assert data_store.records("again") == data_store.records("w")
    first, _ = data_store.records("w")[0][1]
    assert first.annotators == {"annotator 1": {"relevance": 4}, "annotator 2": {"relevance": 5}}
    lost = run("convert", found_files / "11_workers.csv", "--to", "csv", tmp_path / "w.csv").stderr
    assert "csv has no place for these, which are not written: ratings of each annotator (4)" in lost
