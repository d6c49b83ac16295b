"""Metrics that installed packages bring: found by their entry points, held to the contract, left out with a reason."""

import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import relevance
from relevance.data.demo import FILE
from relevance.data.plugins import OURS
from relevance.data.records import Example
from relevance.metrics import METRICS, MetricKind, Score, default_metrics, lexical_metrics, make_metrics, metric
from relevance.metrics.background.explaining import Inspector
from relevance.metrics.explained import CannotExplain
from relevance.metrics.from_signature import metric_of, signatures
from relevance.metrics.plugins import OWN_METRICS, MetricRegistry
from relevance.metrics.registry import is_lexical, label_of, options
from relevance.metrics.scoring import Failures
from tests.waiting import PATIENCE

EXAMPLE = Example("d", "s", "a b c", ("b c d",), None, "")

MODULE = """
from dataclasses import dataclass

from relevance.metrics import MetricKind, Score, option

class Vowels:
    name = "vowels"

    def __init__(self, letters="aeiou"):
        self.letters = letters
        self.signature = f"vowels|letters:{letters}|version:1.0"

    def score(self, examples):
        print("a library talks")
        return [Score(float(sum(map(one.candidate.count, self.letters)))) for one in examples]

@dataclass(frozen=True)
class Options:
    letters: str = option("aeiou", "Letters that are counted.")

KIND = MetricKind("vowels", "Vowels", "vowels of the summary", make=Vowels, options=Options,
                  options_of=lambda settings: {"letters": settings["letters"]}, by_default=True)

class Wrong(Vowels):
    def __init__(self, name, signature=None, scores=None):
        self.name, self.signature, self.scores = name, signature or f"{name}|version:1", scores

    def score(self, examples):
        return self.scores(examples)

def wrong(name, **settings):
    return MetricKind(name, name, "goes wrong", make=lambda: Wrong(name, **settings))

unsigned = wrong("unsigned", signature="unsigned")
another = wrong("another", signature="others|version:1")
fewer = wrong("fewer", scores=lambda examples: [])
more = wrong("more", scores=lambda examples: [Score(1.0)] * (len(examples) + 1))
floats = wrong("floats", scores=lambda examples: [1.0 for _ in examples])
rouge1 = wrong("rouge1")
called = wrong("something")
number = 5

nought = wrong("nought", scores=lambda examples: [0.0 for _ in examples])

def leave(examples):
    raise SystemExit(3)

leaving = wrong("leaving", scores=leave)

def seed(examples):
    import random
    import numpy
    random.seed(7)
    numpy.random.seed(7)
    return [Score(1.0) for _ in examples]

seeding = wrong("seeding", scores=seed)

def unmade():
    raise RuntimeError("no file")

broken_maker = MetricKind("broken_maker", "Broken", "goes wrong", make=unmade)
"""


@pytest.fixture
def bring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., MetricRegistry]]:
    """Install a package with these entry points, as pip would leave it, and look at all metrics anew."""

    def bring(**entries: str) -> MetricRegistry:
        (tmp_path / "brought_metrics.py").write_text(MODULE)
        (tmp_path / "exiting_metrics.py").write_text("raise SystemExit(2)\n")
        about = tmp_path / "brought_metrics-3.2.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: brought-metrics\nVersion: 3.2\n")
        lines = [f"{name} = {place}" for name, place in entries.items()]
        (about / "entry_points.txt").write_text("\n".join(["[relevance.metrics]", *lines, ""]))
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
        return look_again()

    def look_again() -> MetricRegistry:
        METRICS.__dict__.pop("plugins", None)
        signatures.cache_clear()
        return METRICS

    monkeypatch.delenv(OWN_METRICS, raising=False)
    monkeypatch.setattr("relevance.metrics.plugins.find_libraries", list)
    look_again()
    yield bring
    monkeypatch.undo()
    for module in ("brought_metrics", "named_metrics"):
        sys.modules.pop(module, None)
    look_again()


def test_a_metric_of_a_package_is_one_of_all(bring: Callable[..., MetricRegistry]) -> None:
    metrics = bring(vowels="brought_metrics:KIND")
    assert list(metrics)[-1] == "vowels"
    assert metrics.origin("vowels") == "brought-metrics 3.2"
    assert metrics.origin("rouge1") == OURS
    assert not metrics.left_out
    assert len(metrics) == len(list(metrics))
    assert label_of("vowels|version:1.0") == "Vowels"
    assert options()["letters"].help == "Letters that are counted."
    made = metric("vowels", letters="a")
    assert made.signature == "vowels|letters:a|version:1.0"
    again = metric_of(made.signature)
    assert again is not None
    assert again.signature == made.signature
    assert not is_lexical(made.signature)  # pages have it computed elsewhere: nobody knows what it does
    # what is installed changes no figure of anybody who does not ask for it
    assert "vowels" not in (*default_metrics(), *lexical_metrics())
    assert signatures()["vowels"] == "vowels|letters:aeiou|version:1.0"


def test_what_a_metric_prints_is_not_among_results(
    bring: Callable[..., MetricRegistry], capsys: pytest.CaptureFixture[str]
) -> None:
    bring(vowels="brought_metrics:KIND")
    assert Failures().score(metric("vowels"), [EXAMPLE]) == [Score(1.0)]
    assert capsys.readouterr() == ("", "a library talks\n")


@pytest.mark.parametrize(
    ("name", "place", "reason"),
    [
        ("gone", "brought_metrics:gone", "AttributeError"),
        ("exits", "exiting_metrics:KIND", "RuntimeError: it ended its program"),
        ("gone", "no_such_module_here:KIND", "ModuleNotFoundError: No module named 'no_such_module_here'"),
        ("number", "brought_metrics:number", "it is a int, not a relevance.metrics.MetricKind"),
        ("called", "brought_metrics:called", "it is called 'something' in its description"),
        ("rouge1", "brought_metrics:rouge1", "the name 'rouge1' is taken"),
    ],
)
def test_a_metric_that_cannot_be_used_is_left_out_with_the_reason(
    bring: Callable[..., MetricRegistry], name: str, place: str, reason: str
) -> None:
    metrics = bring(vowels="brought_metrics:KIND", **{name: place})
    assert list(metrics.others) == ["vowels"]
    assert reason in metrics.left_out[name]
    assert metrics.left_out[name].startswith("brought-metrics 3.2: ")
    assert "rouge1" in metrics
    assert metrics.origin("rouge1") == OURS


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("unsigned", "has the signature 'unsigned'; it must begin with its name"),
        ("another", "has the signature 'others.version:1'"),
        ("broken_maker", "the metric broken_maker cannot be made: RuntimeError: no file"),
    ],
)
def test_a_metric_that_cannot_be_made_says_why_and_stops_no_other(
    bring: Callable[..., MetricRegistry], name: str, reason: str
) -> None:
    bring(vowels="brought_metrics:KIND", **{name: f"brought_metrics:{name}"})
    with pytest.raises(ValueError, match=reason):
        metric(name)
    assert metric_of(f"{name}|version:1") is None
    assert {"rouge1", "vowels"} <= signatures().keys()
    assert name not in signatures()


def test_a_metric_that_sets_seeds_changes_no_figure_of_others(bring: Callable[..., MetricRegistry]) -> None:
    bring(seeding="brought_metrics:seeding")
    frame = relevance.load(FILE)
    alone, beside = (
        relevance.score(frame, names) for names in (["rouge1", "rouge_k"], ["seeding", "rouge1", "rouge_k"])
    )
    random.seed(1)
    before = relevance.agreement(alone, "author", ["rouge1", "rouge_k"])
    random.seed(2)
    pd.testing.assert_frame_equal(relevance.agreement(beside, "author", ["rouge1", "rouge_k"]), before)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("fewer", "it gave 0 scores for 2 summaries"),
        ("more", "it gave 3 scores for 2 summaries"),
        ("floats", "it gave a float, which is not a relevance.metrics.Score"),
        ("nought", "it gave a float, which is not a relevance.metrics.Score"),
        ("leaving", "RuntimeError: it ended its program"),
    ],
)
def test_scores_are_held_to_the_contract(bring: Callable[..., MetricRegistry], name: str, reason: str) -> None:
    bring(**{name: f"brought_metrics:{name}"})
    failures = Failures()
    ours, theirs = make_metrics(["rouge1", name])
    assert failures.score(theirs, [EXAMPLE, EXAMPLE]) is None
    assert failures == {name: reason}
    assert failures.score(ours, [EXAMPLE, EXAMPLE]) is not None


def test_functions_that_the_environment_names_are_metrics(
    bring: Callable[..., MetricRegistry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "named_metrics.py").write_text("def size(candidate): return len(candidate)\n")
    monkeypatch.setenv(OWN_METRICS, " named_metrics:size,, named_metrics:absent ")
    metrics = bring(vowels="brought_metrics:KIND")
    assert list(metrics.others) == ["vowels", "named_metrics:size"]
    assert metrics.left_out["named_metrics:absent"] == (
        f"{OWN_METRICS}: named_metrics:absent: named_metrics has no function 'absent'"
    )
    assert metric("named_metrics:size").score([EXAMPLE]) == [Score(5.0)]
    metrics.add_named(["rouge1", "named_metrics:size"])
    assert len(metrics.others) == 2


def test_a_function_that_is_added_is_known_to_children(
    bring: Callable[..., MetricRegistry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "named_metrics.py").write_text("def size(candidate): return len(candidate)\n")
    metrics = bring()
    monkeypatch.setenv(OWN_METRICS, "")
    metrics.add_named(["rouge1", "named_metrics:size"])
    assert "named_metrics:size" in METRICS
    assert metrics.origin("named_metrics:size") == "a function"
    assert MetricRegistry(METRICS.ours).others.keys() == {"named_metrics:size"}  # as in a child process


@pytest.mark.process
def test_a_metric_that_takes_too_long_keeps_nobody_waiting(
    bring: Callable[..., MetricRegistry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = "import time\ndef slow(candidate):\n    time.sleep(60 if candidate == 'slow' else 0)\n    return 1.0\n"
    (tmp_path / "slow_metrics.py").write_text(slow)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH")))))
    bring().add_named(["slow_metrics:slow"])
    signature = metric("slow_metrics:slow").signature
    inspector = Inspector()
    try:
        assert inspector.explain(signature, EXAMPLE, PATIENCE).value == 1.0
        began = time.monotonic()
        with pytest.raises(CannotExplain, match=r"it took more than 0\.5 s"):
            inspector.explain(signature, replace(EXAMPLE, candidate="slow"), 0.5)
        assert time.monotonic() - began < 30
        assert inspector.explain(signature, EXAMPLE, PATIENCE).value == 1.0  # by the next process
    finally:
        inspector.close()


def test_ours_are_found_without_a_look_at_those_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = MetricRegistry(METRICS.ours)
    monkeypatch.setattr("relevance.data.plugins.entry_points", lambda **_: pytest.fail("looked"))
    assert "rouge1" in ours
    assert isinstance(ours["rouge1"], MetricKind)
