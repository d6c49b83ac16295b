"""Examples in docstrings: executed as they stand, and there for every function of the public interfaces."""

import doctest
import inspect
from importlib import import_module
from pathlib import Path

import pytest

import relevance
from tests.test_architecture import MAY_IMPORT

ROOT = Path(__file__).resolve().parents[2]

MODULES = sorted(
    "relevance." + path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removeprefix("relevance.")
    for package in MAY_IMPORT
    for path in (ROOT / package).rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)
"""The modules with examples in their docstrings."""


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings_give_what_they_show(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0, capsys.readouterr().out
    assert result.attempted


ENTRY_POINTS = (
    *(f"relevance.{name}" for name in relevance.__all__ if inspect.isfunction(getattr(relevance, name))),
    "relevance.metrics.base.Metric",
    "relevance.metrics.base.Score",
    "relevance.metrics.base.score_candidates",
    "relevance.analysis.agreement.planning.detectable_difference",
    "relevance.analysis.agreement.planning.pairs_to_separate",
    "relevance.analysis.correlation.levels.correlate",
    "relevance.analysis.significance.compare_metrics",
    "relevance.analysis.significance.holm",
    "relevance.analysis.systems.compare_systems",
    "relevance.analysis.people.kappa.cohen_kappas",
    "relevance.analysis.people.ranking.bradley_terry",
    "relevance.analysis.people.reliability.fleiss_kappa",
    "relevance.analysis.people.reliability.krippendorff_alpha",
)
"""What others call first: the Python interface, the interface of metrics, and the functions of the analyses."""


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_entry_points_have_an_example(name: str) -> None:
    module, _, attribute = name.rpartition(".")
    assert ">>> " in (getattr(import_module(module), attribute).__doc__ or "")
