"""The command that lists metrics, and functions of one's own on the command line."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from relevance.data.demo import FILE
from relevance.metrics import METRICS
from relevance.metrics.kind import MetricKind
from relevance.metrics.libraries import find_lacking
from tests.commands import run
from tests.metrics.evaluate_modules import write_module
from tests.metrics.wordnet import write_wordnet

OWN = '''
def size(candidate):
    """Characters of the summary."""
    print("talking")
    return len(candidate)

def sometimes(candidate, references):
    return float("nan") if len(candidate) % 2 else 1

def never(candidate, references):
    raise RuntimeError("no luck")
'''


def refused(name: str) -> str:
    """Return what is said where a metric is asked for that there is none of."""
    return " ".join(run("analyze", FILE, "--human", "author", "--metrics", name, code=2).stderr.split())


def test_all_metrics_are_listed_with_what_they_need_and_show() -> None:
    printed = run("metrics").stdout
    for name, kind in METRICS.items():
        assert f"{name}: {kind.about}\n    from {METRICS.origin(name)}; " in printed
    for name, needed in find_lacking().items():
        assert f"\n{name}: not at hand; needs {needed}\n" in printed
        assert f"unknown metric {name!r}: it needs {needed}; known are rouge1" in refused(name)
    assert (
        "recall of keywords, the n-grams that two or more of references and title share\n    from this program; "
        in printed
    )
    assert "\nrouge1: " in f"\n{printed}"
    assert "\nbleu: " in printed  # at hand or not
    assert "\nmeteor: " in printed
    assert "scored by default; shows what it saw\n    --references " in printed
    (bertscore,) = (part for part in printed.split("\nbertscore: ")[1:])
    assert "loads a model; shows what it saw" in bertscore.splitlines()[1]


def test_what_is_left_out_is_said_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(METRICS.plugins.left_out, "theirs", "their-package 1.0: ImportError: no module")
    message = "the metric theirs is left out: their-package 1.0: ImportError: no module"
    assert message in run("metrics").stderr
    score = ("score", FILE, "-o", tmp_path / "out.jsonl", "--metrics")
    assert message not in run(*score, "length").stderr
    refused = run(*score, "theirs", code=2).stderr
    assert message in refused
    assert "unknown metric 'theirs'" in refused


Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def relevance(tmp_path: Path) -> Command:
    """Run the command in a folder, with a database and a WordNet there."""
    write_wordnet(tmp_path / "nltk", noun=[("car", "auto")])
    told = {"RELEVANCE_DATABASE_URL": "sqlite:///own.db", "NLTK_DATA": str(tmp_path / "nltk")}

    def relevance(*arguments: object, code: int = 0) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            [sys.executable, "-P", "-m", "relevance", *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, **told},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done

    return relevance


@pytest.mark.process
def test_metrics_of_libraries_are_scored_and_compared(tmp_path: Path, relevance: Command) -> None:
    for library in ("sacrebleu", "evaluate", "torchmetrics"):
        pytest.importorskip(library)
    write_module(tmp_path / "modules", "lone", "{'words': float(shared[0])}")
    names = ["bleu", "chrf", "meteor", "torchmetrics:BLEUScore", "evaluate:modules/lone", "length"]
    listed = relevance("metrics", names[3], names[4]).stdout
    assert "\nevaluate:modules/lone: modules/lone by evaluate\n    from evaluate " in listed
    assert "\nmeteor: words that match" in listed
    relevance("score", FILE, "--metrics", ",".join(names), "--references", "mean", "-o", "out.jsonl")
    signatures = json.loads((tmp_path / "out.signatures.json").read_text())
    assert all("|refs:mean|" in signatures[name] for name in names[:-1])
    rows = [json.loads(line)["metrics"] for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert len(rows) == 96
    assert all(isinstance(row[name], float | int) for row in rows for name in names)
    assert len({row["evaluate:modules/lone"] for row in rows}) > 5
    relevance("import", FILE, "--name", "news")
    assert (
        "meteor: 96 computed  meteor|refs:max|wordnet:3.0|" in relevance("score", "news", "--metrics", "meteor").stdout
    )
    refused = relevance("score", FILE, "--metrics", "evaluate:lone", "-o", "new.jsonl", code=2).stderr
    assert "there is no module lone.py in the folder lone" in refused
    refused = relevance("score", FILE, "--metrics", "torchmetrics:Perplexity", "-o", "new.jsonl", code=2).stderr
    assert "torchmetrics:Perplexity cannot score a summary by a reference" in refused
    assert not (tmp_path / "new.jsonl").exists()


@pytest.mark.process
def test_a_function_in_the_working_folder_is_scored_and_compared(tmp_path: Path, relevance: Command) -> None:
    (tmp_path / "own.py").write_text(OWN)
    listed = relevance("metrics", "own:size").stdout
    assert "own:size: Characters of the summary.\n    from a function; " in listed
    metrics = "own:size,own:sometimes,own:never,length"
    done = relevance("score", FILE, "--metrics", metrics, "-o", "out.jsonl", code=1)
    assert "talking" in done.stderr
    assert "talking" not in done.stdout
    assert "own:never failed: RuntimeError: no luck" in done.stderr
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    texts = {
        (row["id"], summary["system"]): summary["text"]
        for row in map(json.loads, Path(FILE).read_text().splitlines())
        for summary in row["summaries"]
    }
    for row in rows:
        text = texts[row["instance_id"], row["summarizer_id"]]
        assert row["metrics"]["own:size"] == len(text)
        assert row["metrics"]["own:sometimes"] == (None if len(text) % 2 else 1)
        assert row["missing"]["own:never"] == "failed: RuntimeError: no luck"
    signatures = json.loads((tmp_path / "out.signatures.json").read_text())
    assert signatures["own:size"].startswith("own:size|version:sha256-")
    # in the database, too, where a changed function is another metric
    relevance("import", FILE, "--name", "news")
    relevance("score", "news", "--metrics", "own:size")
    assert "own:size: 0 computed" in relevance("score", "news", "--metrics", "own:size").stdout
    (tmp_path / "own.py").write_text(f"{OWN}\n# changed\n")
    again = relevance("score", "news", "--metrics", "own:size").stdout
    assert "own:size: 96 computed" in again
    assert signatures["own:size"] not in again
    printed = relevance("analyze", FILE, "--metrics", "own:size", "--human", "author", "--format", "json").stdout
    assert "own:size" in [row["metric"] for row in json.loads(printed)["tables"]["agreement"]["rows"]]


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        ("no_such_module_here:f", "no_such_module_here cannot be imported"),
        ("json:nothing", "json has no function 'nothing'"),
    ],
)
def test_a_function_that_is_none_is_refused(tmp_path: Path, named: str, reason: str) -> None:
    refused = run("score", FILE, "-o", tmp_path / "out.jsonl", "--metrics", named, code=2).stderr
    assert named in refused
    assert isinstance(METRICS["rouge1"], MetricKind)
