"""Frames of each annotator's ratings give the figures that `relevance analyze --by-annotator` prints."""

import json
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import relevance
from relevance.data.records import BadRecord
from tests.commands import run

WORDS = "the ferry to island stops in winter and a bus takes new bridge from monday tickets cost four euros".split()  # noqa: SIM905


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Ratings of 30 documents by three systems, each by two or three of four people."""
    draw = random.Random(3)
    rows = []
    for document in range(30):
        reference = " ".join(draw.choices(WORDS, k=12))
        for system in ("bart", "t5", "pegasus"):
            summary = " ".join(draw.choices(WORDS, k=8))
            rows += [
                {
                    **{"doc_id": f"d{document}", "reference": reference, "model": system, "summary": summary},
                    **{"relevance": draw.randint(1, 5), "fluency": draw.choice([1, 2, None]), "worker": who},
                }
                for who in draw.sample(["w1", "w2", "w3", "w4"], draw.randint(2, 3))
            ]
    path = tmp_path / "rated.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("human", ["relevance", "fluency"])
def test_agreement_is_that_of_the_command(table: Path, human: str) -> None:
    arguments = ("--human", human, "--metrics", "rouge1", "--by-annotator", "--tables", "agreement", "--format", "json")
    rows = json.loads(run("analyze", table, *arguments).stdout)["tables"]["agreement"]["rows"]
    scored = relevance.score(relevance.load(table), ["rouge1", "length"])
    agreement = relevance.agreement(scored.drop(columns=human), human, ratings=relevance.load_ratings(table))
    for row, message in zip(agreement.to_dict("records"), rows, strict=False):
        assert (row["metric"], row["pairs"], row["metric ties"]) == (message["metric"], message["n"], message["T"])
        assert row["agreement"] == pytest.approx(message["half"])
        assert [row["low"], row["high"]] == pytest.approx(message["half 95 %"])


@pytest.mark.filterwarnings("ignore")
def test_a_file_of_ratings_is_loaded_with_a_row_for_each_annotator(table: Path, tmp_path: Path) -> None:
    given = pd.read_csv(table)
    ratings = relevance.load_ratings(table)
    assert list(ratings.columns) == ["document", "system", "annotator", "relevance", "fluency"]
    people = {who: f"annotator {number}" for number, who in enumerate(dict.fromkeys(given["worker"]), 1)}
    expected = given.assign(annotator=given["worker"].map(people))[["doc_id", "model", "annotator", "relevance"]]
    keys = ["document", "system", "annotator"]
    expected.columns = pd.Index([*keys, "relevance"])
    pd.testing.assert_frame_equal(
        ratings[[*keys, "relevance"]].sort_values(keys, ignore_index=True),
        expected.sort_values(keys, ignore_index=True),
        check_dtype=False,
    )
    renamed = tmp_path / "other.csv"
    given.rename(columns={"worker": "who", "relevance": "Q"}).drop(columns="fluency").to_csv(renamed, index=False)
    with pytest.raises(BadRecord, match="stands twice"):
        relevance.load_ratings(renamed)
    mapped = relevance.load_ratings(renamed, columns={"annotator": "who", "human.relevance": "Q"})
    pd.testing.assert_frame_equal(mapped, ratings.drop(columns="fluency"))


def frame() -> pd.DataFrame:
    return pd.DataFrame({"document": ["d1", "d1"], "system": ["a", "b"], "mine": [0.1, 0.4]})


def rate(*rows: tuple[Any, ...]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=["document", "system", "annotator", "relevance"])


@pytest.mark.parametrize(
    ("ratings", "human", "message"),
    [
        (
            rate(("d1", "c", "Ann", 3)),
            "relevance",
            "row 0 of ratings: the frame has no summary of document 'd1' by",
        ),
        (
            rate(("d1", "a", "Ann", 3), ("d1", "a", "Ann", 3)),
            "relevance",
            "row 1 of ratings: 'Ann' rates document 'd1' by 'a' twice",
        ),
        (rate(("d1", "a", None, 3)), "relevance", "row 0 of ratings has no document, system or annotator"),
        (rate(("d1", "a", "Ann", None)), "relevance", "column 'relevance' of ratings has no ratings"),
        (rate(("d1", "a", "Ann", "good")), "relevance", "column 'relevance' holds something that is not a number"),
        (rate(("d1", "a", "Ann", 3)), "fluency", "the frame has no column fluency"),
        (rate(("d1", "a", "Ann", 3)), None, "name the column of ratings in `human`"),
    ],
)
def test_ratings_that_are_refused(ratings: pd.DataFrame, human: str | None, message: str) -> None:
    with pytest.raises(relevance.BadFrame) as refused:
        relevance.agreement(frame(), human, ["mine"], ratings=ratings)
    assert str(refused.value).startswith(message)


def test_a_file_that_does_not_say_who_rated(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("document_id,reference,system,summary,human.relevance\nd1,R,a,S,4\n")
    with pytest.raises(relevance.BadFrame, match="has no ratings of single annotators"):
        relevance.load_ratings(path)
