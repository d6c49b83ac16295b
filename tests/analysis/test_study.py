"""An analysis without its columns keeps what was computed of it."""

import pickle

import numpy as np
import pytest

from relevance.analysis.study import Settings as StudySettings
from relevance.analysis.study import StudyAnalysis, analyze_ratings
from relevance.data.cells import Cells
from relevance.reports.tables.registry import make_table


@pytest.fixture
def analysis() -> StudyAnalysis:
    draw = np.random.default_rng(0)
    documents = tuple(f"d{n:03}" for n in range(300) for _ in range(4))
    ratings = draw.integers(1, 6, len(documents)).astype(float)
    scores = {f"rouge{n}|refs:max": ratings + draw.normal(0, n, len(documents)) for n in (1, 2)}
    cells = Cells(documents, ("a", "b", "c", "d") * 300, {"relevance": ratings}, scores)
    return analyze_ratings(cells, StudySettings(human="relevance"))


def test_what_is_computed_stays_and_is_small(analysis: StudyAnalysis) -> None:
    names = ("agreement", "comparisons", "by_difference", "systems", "wilcoxon", "distinguishability")
    whole = len(pickle.dumps(analysis))
    expected = [make_table(name, analysis) for name in names]
    light = analysis.compute("agreement", "ceiling", "systems", "layout").without_columns()
    assert [make_table(name, light) for name in names] == expected
    assert (light.weighed, light.people, light.settings) == (analysis.weighed, analysis.people, analysis.settings)
    assert light.layout.human == analysis.layout.human
    assert list(light.layout.columns) == list(analysis.layout.columns)
    assert len(pickle.dumps(light)) < whole / 4
    assert len(light.preferences) == len(light.cells) == 0
    assert len(analysis.preferences) == 1800
