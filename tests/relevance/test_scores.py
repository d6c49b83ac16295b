"""The Python interface gives the figures of the parts below it."""

import numpy as np
import pandas as pd
import pytest

import relevance
from relevance.analysis.correlation.levels import correlate
from relevance.metrics import make_metrics

METRICS = ["rouge1", "length"]


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "document": ["a", "a", "a", "b", "b", "b"],
            "system": ["one", "two", "three"] * 2,
            "summary": ["The cat sat.", "A dog ran away.", "", "Rain fell in May.", "It rained.", "Snow."],
            "references": [["The cat sat down."]] * 3 + ["Rain fell."] * 3,
            "rating": [5, 2, 1, 4, 3, np.nan],
        }
    )


def test_scores_are_those_of_the_metrics_and_missing_ones_have_a_reason() -> None:
    scored = relevance.score(frame(), METRICS)
    assert scored["rouge1"].tolist()[:2] == pytest.approx([6 / 7, 0])
    assert np.isnan(scored["rouge1"][2])
    assert scored["rouge1 missing"][2] == "the summary is empty"
    assert scored.attrs["signatures"] == {m.name: m.signature for m in make_metrics(METRICS)}
    assert "rouge1" not in frame().columns


def test_agreement_counts_pairs_by_the_rule() -> None:
    given = frame().assign(mine=[3, 2, 2, 1, 2, 9])
    (row,) = relevance.agreement(given, "rating", ["mine"], rule="strict").to_dict("records")
    assert (row["metric"], row["pairs"], row["metric ties"]) == ("mine", 4, 1)
    assert row["agreement"] == 0.5
    assert relevance.agreement(given, "rating", ["mine"])["agreement"][0] == 0.625


def test_correlations_are_those_of_the_analysis() -> None:
    given = frame().assign(mine=[3, 2, 2.5, 1, 2, 9])
    table = relevance.correlate(given, "rating", ["mine"], methods=["kendall"], resamples=20).set_index("level")
    levels = correlate(given["rating"], given["mine"], given["document"], given["system"], method="kendall")
    assert table["r"].tolist() == pytest.approx([levels.global_.r, levels.input.r, levels.system.r])
    assert table["n"].tolist() == [5, 2, 3]


def test_the_order_of_rows_changes_nothing() -> None:
    scored = relevance.score(frame(), METRICS)
    turned = relevance.score(frame().iloc[::-1], METRICS)
    pd.testing.assert_frame_equal(relevance.agreement(scored, "rating"), relevance.agreement(turned, "rating"))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (frame().drop(columns="references"), "no column references"),
        (frame().assign(document="a"), "rows 0 and 3 are both"),
        (frame().assign(references=list("uvwxyz")), "row 1: document 'a' has other references"),
        (frame().assign(summary=[1] * 6), "row 0: summary must be a text"),
        (frame().assign(rouge1=1), "already has the column rouge1"),
    ],
)
def test_frames_that_cannot_be_scored_are_refused(wrong: pd.DataFrame, message: str) -> None:
    with pytest.raises(relevance.BadFrame, match=message):
        relevance.score(wrong, METRICS)


def test_ratings_must_be_numbers_and_there() -> None:
    with pytest.raises(relevance.BadFrame, match="no scores"):
        relevance.agreement(frame(), "rating")
    with pytest.raises(relevance.BadFrame, match="not a number"):
        relevance.agreement(frame().assign(mine=1, rating="good"), "rating", ["mine"])
    with pytest.raises(relevance.BadFrame, match="has no ratings"):
        relevance.correlate(frame().assign(mine=1, rating=np.nan), "rating", ["mine"])
