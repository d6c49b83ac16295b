"""Metrics of torchmetrics and of Hugging Face evaluate by their names."""

import pickle
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from relevance.data.records import Example
from relevance.metrics import by_name
from relevance.metrics.by_name import NamedMetric, choose_value, describe_named, is_named, load, try_named
from tests.metrics.corpora import read_examples
from tests.metrics.evaluate_modules import write_module

torch_text = pytest.importorskip("torchmetrics", reason="relevance-studies[torchmetrics] is not installed").text
evaluate = pytest.importorskip("evaluate", reason="relevance-studies[evaluate] is not installed")


@pytest.fixture(autouse=True)
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working folder with modules of evaluate."""
    for name, result, *references in (
        ("lists", "{'scores': shared, 'name': 'a text'}"),
        ("lone", "{'words': sum(shared) / len(shared)}"),
        ("named", "{'named': sum(shared), 'other': 1.0}"),
        ("scored", "{'total': 1, 'score': float(sum(shared))}"),
        ("several", "{'first': sum(shared), 'second': 7}"),
        ("wer", "{'wer': sum(shared)}"),
        ("nested", "{'nested': len(references[0])}", "datasets.Sequence(text)"),
        ("textual", "{'text': 'none'}"),
        ("faulty", "no Python"),
        ("broken", "shared[1]"),
    ):
        write_module(tmp_path, name, result, *references)
    monkeypatch.chdir(tmp_path)
    for variable in by_name.OFFLINE:
        monkeypatch.setenv(variable, "1")
    load.cache_clear()
    yield tmp_path
    load.cache_clear()


@pytest.fixture(scope="module")
def examples(shared_data: Path) -> list[Example]:
    """Summaries with one reference or several."""
    return read_examples(shared_data, 601)


def make_example(candidate: str, *references: str, source: str = "") -> Example:
    return Example("d", "s", candidate, references, None, source)


@pytest.mark.parametrize("name", ["SacreBLEUScore", "BLEUScore", "WordErrorRate", "WordInfoPreserved"])
@pytest.mark.parametrize("references", ["max", "mean", "first", "source"])
def test_values_are_those_of_torchmetrics(examples: list[Example], name: str, references: str) -> None:
    made = NamedMetric(f"torchmetrics:{name}", references)
    sign = 1 if getattr(torch_text, name).higher_is_better else -1
    for example, score in zip(examples, made.score(examples), strict=True):
        texts = {"first": example.references[:1], "source": (example.source,)}.get(references, example.references)
        each = [
            sign * float(getattr(torch_text, name)()([example.candidate], [[text]] if "BLEU" in name else [text]))
            for text in texts
        ]
        assert score.value == pytest.approx(sum(each) / len(each) if references == "mean" else max(each), abs=1e-6)
    assert made.signature == f"torchmetrics:{name}|refs:{references}|version:{version('torchmetrics')}"


@pytest.mark.parametrize(
    ("name", "best", "mean"),
    [
        ("lists", 2.0, 1.5),
        ("lone", 2.0, 1.5),
        ("named", 2.0, 1.5),
        ("scored", 2.0, 1.5),
        ("several:first", 2.0, 1.5),
        ("several:second", 7.0, 7.0),
        ("wer", -1.0, -1.5),
        ("nested", 1.0, 1.0),
    ],
)
def test_values_are_those_of_evaluate_s_modules(name: str, best: float, mean: float) -> None:
    example = make_example("a b c", "a b d", "c e", source="a b c")
    bare = make_example("a b c")
    for rule, wanted in (("max", best), ("mean", mean)):
        metric = NamedMetric(f"evaluate:{name}", rule)
        assert [score.value for score in metric.score([example, bare, example])] == [wanted, None, wanted]
        assert metric.score([bare])[0].missing == "there is no reference"
        assert pickle.loads(pickle.dumps(metric)).score([example])[0].value == wanted
    assert NamedMetric("evaluate:lists", "source").score([example])[0].value == 3.0


def test_signatures_follow_the_code_of_a_module(modules: Path) -> None:
    kind = describe_named("evaluate:lone")
    before = NamedMetric("evaluate:lone").signature
    assert before.startswith("evaluate:lone|refs:max|version:")
    file = modules / "lone" / "lone.py"
    file.write_text(file.read_text().replace("'words'", "'new words'"))
    assert NamedMetric("evaluate:lone").signature != before
    assert kind.metric().signature == before  # it was described before


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("evaluate:several", "it gives first and second: name one of them, as in evaluate:several:first"),
        ("evaluate:several:third", "it gives first and second: name one of them, as in evaluate:several:first"),
        ("evaluate:textual", "evaluate:textual cannot score a summary by a reference: it gives no number"),
        ("evaluate:broken", "evaluate:broken cannot score a summary by a reference: list index out of range"),
        ("evaluate:absent", "there is no module absent.py in the folder absent: put the module of evaluate there"),
        ("evaluate:", "there is no module .py in the folder .: "),
        ("evaluate:faulty", "evaluate:faulty cannot be loaded: SyntaxError: "),
        ("torchmetrics:Perplexity", "torchmetrics:Perplexity cannot score a summary by a reference: "),
        ("torchmetrics:Absent", "torchmetrics.text has no metric 'Absent'; it has BLEUScore, CHRFScore, "),
    ],
)
def test_what_cannot_score_is_refused_before_anything_is_scored(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        try_named(name)


def test_a_description_makes_the_metric_again() -> None:
    kind = describe_named("evaluate:several:second")
    made = kind.metric(references="mean", language="en")
    assert made.signature == NamedMetric("evaluate:several:second", "mean").signature
    assert [item.value for item in made.score([make_example("a", "b")])] == [7.0]
    assert kind.options_of({"refs": "mean"}) == {"references": "mean"}
    for name in ("several", "several:first", "wer", "nested"):
        try_named(f"evaluate:{name}:first" if name == "several" else f"evaluate:{name}")
    assert kind.about == "several by evaluate"
    with pytest.raises(ValueError, match="references of evaluate:lone must be one of"):
        NamedMetric("evaluate:lone", "best")


def test_other_names_are_no_metrics_of_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_named("evaluate:lone")
    assert not is_named("my_module:score")
    monkeypatch.setattr(by_name, "find_spec", lambda library: None)
    assert not is_named("evaluate:lone")  # a module of one's own can have this name
    assert choose_value("torchmetrics:CHRFScore", 0.5) == 0.5
