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
    found = doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0, capsys.readouterr().out
    assert found.attempted


ENTRY_POINTS = (
    *(f"relevance.{name}" for name in relevance.__all__ if inspect.isfunction(getattr(relevance, name))),
    *(f"relevance.metrics.base.{name}" for name in ("Metric", "Score", "score_candidates")),
    *(f"relevance.analysis.{name}" for name in ("agreement.planning.detectable_difference", "systems.compare_systems")),
    *(
        f"relevance.analysis.{name}"
        for name in ("agreement.planning.pairs_to_separate", "correlation.levels.correlate")
    ),
    *(f"relevance.analysis.significance.{name}" for name in ("compare_metrics", "holm")),
    *(f"relevance.analysis.people.reliability.{name}" for name in ("krippendorff_alpha", "fleiss_kappa")),
    *("relevance.analysis.people.kappa.cohen_kappas", "relevance.analysis.people.ranking.bradley_terry"),
)
"""What others call first: the Python interface, the interface of metrics, and the functions of the analyses."""


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_entry_points_have_an_example(name: str) -> None:
    module, _, attribute = name.rpartition(".")
    assert ">>> " in (getattr(import_module(module), attribute).__doc__ or "")
