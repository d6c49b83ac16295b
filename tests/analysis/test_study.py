"""The results of an analysis: what is asked for is computed, once."""

import numpy as np
import pytest

from relevance.analysis.study import Results, Settings, UnknownSystem, analyze_ratings
from relevance.data.cells import Cells


@pytest.fixture
def results() -> Results:
    draw = np.random.default_rng(0)
    documents = tuple(f"d{n:03}" for n in range(30) for _ in range(4))
    ratings = draw.integers(1, 6, len(documents)).astype(float)
    scores = {f"rouge{n}|refs:max": ratings + draw.normal(0, n, len(documents)) for n in (1, 2)}
    cells = Cells(documents, ("a", "b", "c", "d") * 30, {"relevance": ratings}, scores)
    return analyze_ratings(cells, Settings(human="relevance"))


def test_a_result_is_computed_when_it_is_asked_for_and_once(results: Results) -> None:
    inputs = vars(results).copy()
    agreement = results.agreement
    assert vars(results).keys() - inputs.keys() == {"agreement"}
    assert results.agreement is agreement


def test_one_table_of_correlations_is_that_of_all_of_them(results: Results) -> None:
    everything = results.correlations
    assert everything["human"]
    assert results.correlate("human") == {"human": everything["human"]}
    assert results.correlate("matrix", "human")["human"] == everything["human"]


def test_results_have_the_names_of_files(results: Results) -> None:
    assert [row.metric for row in results.agreement.rows] == ["rouge1", "rouge2"]
    assert results.layout.human == [("human: relevance", "rouge1"), ("human: relevance", "rouge2")]
    assert [system.name for system in results.systems] == ["rouge1", "rouge2", "human: relevance"]


def test_unknown_baselines_are_refused() -> None:
    cells = Cells(("d",), ("a",), {}, {})
    with pytest.raises(UnknownSystem, match="--baselines: there is no system b; there are a"):
        analyze_ratings(cells, Settings(baselines=("b",)))
