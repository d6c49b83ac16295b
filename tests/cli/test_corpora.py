"""`relevance corpora`: the same figures as of each data set by itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from relevance.annotation.demo import create_made_up_study
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.demo import NAME, add_demo
from relevance.data.store import DataStore
from relevance.metrics import metric
from tests.commands import refused, run, write
from tests.released import import_released

SCORED = "rouge1,rouge2,rougeL,length"


def table(*arguments: Any) -> dict[str, Any]:
    return dict(json.loads(run("corpora", *arguments, "--format", "json").stdout)["tables"]["corpora"])


def alone(*arguments: Any) -> dict[str, dict[str, Any]]:
    answer = json.loads(run("analyze", *arguments, "--tables", "agreement", "--format", "json").stdout)
    return {row["metric"]: row for row in answer["tables"]["agreement"]["rows"]}


@pytest.fixture
def databases(shared_data: Path, sqlite_url: str) -> None:
    """Two corpora with scores, one without."""
    import_released("mslr", shared_data, "m")
    import_released("squality", shared_data, "s")
    import_released("goyal2022", shared_data, "g")
    run("score", "m", "--metrics", SCORED)
    run("score", "s", "--metrics", SCORED)


@pytest.mark.exhaustive
def test_each_row_is_what_analyze_says(databases: None) -> None:
    printed = run("corpora")
    assert "judged, but without scores, and so not here: g" in printed.stderr
    result = table()
    assert [(row["data set"], row["judged by"], row["n"]) for row in result["rows"]] == [
        ("m", "judgments", 363),
        *(("s", f"judgments: {aspect}", 900) for aspect in ("correctness", "overall", "selection")),
        *(
            ("s", f"ratings of {aspect}", n)
            for aspect, n in (("correctness", 300), ("selection", 300), ("overall", 299))
        ),
    ]
    wanted = [("--study", "m"), *(("--study", f"s: {aspect}") for aspect in ("correctness", "overall", "selection"))]
    wanted += [("s", "--metrics", SCORED, "--human", aspect) for aspect in ("correctness", "selection", "overall")]
    for row, arguments in zip(result["rows"], wanted, strict=True):
        expected = alone(*arguments)
        for name in (*SCORED.split(","), *(["people"] if "people" in expected else [])):
            assert row[name] == expected[name]["half"], (row["data set"], name)
            assert row[f"{name} 95 %"] == expected[name]["half 95 %"]
    assert [row["marks"] for row in result["rows"][:2]] == [
        dict.fromkeys(("rouge1", "rouge2", "rougeL"), "*"),
        {"rouge1": "*"},
    ]
    # and columns are chosen by name
    (row, *_) = table("--metrics", "length,rouge2")["rows"]
    assert [name for name in row if name in SCORED.split(",")] == ["rouge2", "length"]
    assert refused("corpora", "--metrics", "rouge1,bleurt") == "no judged data set has scores of bleurt"


def test_nothing_is_judged(sqlite_url: str, tmp_path: Path) -> None:
    summaries = [{"system": "a", "text": "T"}]
    write(tmp_path / "a.jsonl", [{"id": "1", "source": "S", "references": ["R"], "summaries": summaries}])
    run("import", tmp_path / "a.jsonl", "--name", "a")
    assert "nobody has judged or rated a data set that has scores" in run("corpora").stdout


def test_made_up_judgments_are_no_row(sqlite_url: str) -> None:
    data, annotation = DataStore(connect(sqlite_url)), AnnotationStore(connect(sqlite_url))
    add_demo(data)
    run("score", NAME, "--metrics", "rouge1,rouge_k")
    assert create_made_up_study(data, annotation, metric("rouge_k").signature).judgments
    assert [row["judged by"] for row in table("--metrics", "rouge1")["rows"]] == ["author labels"]
