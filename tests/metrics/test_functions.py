"""Functions of one's own as metrics: what they are given, what they may give, and how they are named."""

import math
import pickle
import sys
from pathlib import Path

import pytest

from relevance.data.records import Example
from relevance.metrics import metric
from relevance.metrics.base import Metric, Score, score_candidates
from relevance.metrics.functions import Function, FunctionMetric, load_function, name_function
from relevance.metrics.scoring import Failures

EXAMPLE = Example("d", "s", "a b c", ("b c d", "c"), None, "the source")

OWN = '''
"""A module of somebody's own."""

def shared(candidate, references):
    """Count the words that a reference has, too.

    Further lines say more."""
    return len(set(candidate.split()) & set(references[0].split()))

def released(candidate, references):
    return 1

released.version = "2.1"

def broken(a, b, c):
    return 1

nothing = None
'''


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module `own_metrics` in the working folder, which is not on the path."""
    file = tmp_path / "own_metrics.py"
    file.write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [item for item in sys.path if item])
    monkeypatch.delitem(sys.modules, "own_metrics", raising=False)
    return file


def candidate_alone(candidate: str) -> float:
    return len(candidate)


def with_references(candidate: str, references: list[str]) -> float:
    return len(candidate) + len(references)


def from_source(candidate: str, source: str) -> float:
    return len(source)


def source_first(source: str, summary: str, others: list[str], weight: float = 2.0) -> float:
    return weight * len(source) + len(summary) + len(others)


def by_keyword(candidate: str, *, references: list[str], source: str = "") -> float:
    return len(source) + len(references)


@pytest.mark.parametrize(
    ("function", "value"),
    [(candidate_alone, 5), (with_references, 7), (from_source, 10), (source_first, 27), (by_keyword, 12)],
)
def test_a_function_gets_the_texts_that_it_asks_for(function: Function, value: float) -> None:
    made = FunctionMetric("own", function)
    assert [score.value for score in made.score([EXAMPLE, EXAMPLE])] == [value, value]


@pytest.mark.parametrize(
    ("function", "example", "missing"),
    [
        (with_references, Example("d", "s", "a", (), None, ""), "there are no references"),
        (candidate_alone, Example("d", "s", "a", (), None, ""), None),
        (from_source, Example("d", "s", "a", ("b",), None, ""), "there is no source"),
        (lambda candidate, references: None, EXAMPLE, "the function gives no value"),
        (lambda candidate, references: math.nan, EXAMPLE, "the metric gave no number"),
        (lambda candidate, references: math.inf, EXAMPLE, "the metric gave no number"),
        (lambda candidate, references: True, EXAMPLE, None),
        (with_references, Example("d", "s", " ", ("b",), None, ""), "the summary is empty"),
    ],
)
def test_what_cannot_be_scored_is_missing_with_its_reason(
    function: Function, example: Example, missing: str | None
) -> None:
    (score,) = score_candidates(FunctionMetric("own", function), [example])
    assert score.missing == missing
    assert (score.value is None) == (missing is not None)


def raises(candidate: str, references: list[str]) -> float:
    raise RuntimeError("no luck")


def gives_text(candidate: str, references: list[str]) -> str:
    return "much"


@pytest.mark.parametrize(
    ("function", "reason"),
    [(raises, "RuntimeError: no luck"), (gives_text, "could not convert string to float: 'much'")],
)
def test_a_function_that_fails_fails_as_our_metrics_do(function: Function, reason: str) -> None:
    made, failures = FunctionMetric("own", function), Failures()
    assert failures.score(made, [EXAMPLE]) is None
    assert failures == {"own": reason}


@pytest.mark.parametrize("function", [lambda: 1, lambda source: 1, lambda a, b, c: 1, lambda *texts: 1])
def test_a_function_of_other_texts_is_refused(function: Function) -> None:
    with pytest.raises(ValueError, match="own must be a function of a summary and its references"):
        FunctionMetric("own", function)


def test_a_function_is_found_in_the_working_folder(own: Path) -> None:
    kind = load_function("own_metrics:shared")
    assert kind.about == "Count the words that a reference has, too."
    made = kind.metric()
    assert made.score([EXAMPLE]) == [Score(2.0)]
    assert sys.path[-1] == str(own.parent)  # where it hides no module of anybody else
    assert pickle.loads(pickle.dumps(made)).score([EXAMPLE]) == [Score(2.0)]


def test_the_signature_follows_the_source_file_or_the_version_that_is_said(own: Path) -> None:
    loaded = load_function("own_metrics:shared")
    before = loaded.metric().signature
    assert before.startswith("own_metrics:shared|version:sha256-")
    assert load_function("own_metrics:released").metric().signature == "own_metrics:released|version:2.1"
    own.write_text(f"{OWN}\n# another line\n")
    assert load_function("own_metrics:shared").metric().signature != before
    assert loaded.metric().signature == before  # whose function is the one of the file as it was
    sys.modules["own_metrics"].__version__ = "7"  # type: ignore[attr-defined]
    assert load_function("own_metrics:shared").metric().signature == "own_metrics:shared|version:7"
    assert load_function("own_metrics:released").metric().signature == "own_metrics:released|version:2.1"


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        ("no_such_module_here:f", "no_such_module_here cannot be imported: ModuleNotFoundError"),
        ("own_metrics:absent", "own_metrics has no function 'absent'"),
        ("own_metrics:nothing", "own_metrics has no function 'nothing'"),
        ("own_metrics:broken", "it asks for a, b, c"),
        (":f", "cannot be imported"),
    ],
)
def test_what_is_no_metric_is_refused_with_the_reason(own: Path, named: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        load_function(named)


def test_a_function_without_a_source_needs_a_version(own: Path) -> None:
    load_function("own_metrics:shared")
    own.unlink()
    with pytest.raises(ValueError, match=r"own_metrics:shared has no source that can be read: set .*version"):
        load_function("own_metrics:shared")
    assert load_function("own_metrics:released").metric().signature == "own_metrics:released|version:2.1"


def test_a_function_is_passed_as_it_is() -> None:
    def overlap(candidate: str, references: list[str]) -> float:
        return len(set(candidate.split()) & set(references[0].split()))

    assert metric(overlap).name == "overlap"  # no other process could import it from here
    assert metric(overlap).score([EXAMPLE])[0].value == 2
    made = metric(with_references)
    assert made.name == name_function(with_references) == "tests.metrics.test_functions:with_references"
    assert made.score([EXAMPLE])[0].value == 7


def test_a_function_without_a_name_is_refused() -> None:
    with pytest.raises(ValueError, match="'<lambda>' cannot be a name"):
        metric(lambda candidate: 1)


def test_a_function_of_a_notebook_has_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(with_references, "__module__", "__main__")
    made: Metric = metric(with_references)
    assert made.signature.startswith("with_references|version:sha256-")
    monkeypatch.setattr(with_references, "__qualname__", "length")
    with pytest.raises(ValueError, match="the name 'length' is taken"):
        metric(with_references)
