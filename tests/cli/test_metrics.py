"""The command that lists metrics, and functions of one's own on the command line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from relevance.data.demo import FILE
from relevance.metrics import METRICS
from relevance.metrics.kind import MetricKind
from tests.commands import run

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


def test_all_metrics_are_listed_with_what_they_need_and_show() -> None:
    printed = run("metrics").stdout
    for name, kind in METRICS.items():
        assert f"{name}: {kind.about}\n    from this program; " in printed
    assert (
        "recall of keywords, the n-grams that two or more of references and title share\n    from this program; "
        in printed
    )
    assert "scored by default; shows what it saw\n    --references " in printed
    (bertscore,) = (part for part in printed.split("\nbertscore: ")[1:])
    assert "loads a model; shows what it saw" in bertscore.splitlines()[1]


def test_what_is_left_out_is_said_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(METRICS.plugins.left_out, "theirs", "their-package 1.0: ImportError: no module")
    said = "the metric theirs is left out: their-package 1.0: ImportError: no module"
    assert said in run("metrics").stderr
    score = ("score", FILE, "-o", tmp_path / "out.jsonl", "--metrics")
    assert said not in run(*score, "length").stderr
    refused = run(*score, "theirs", code=2).stderr
    assert said in refused
    assert "unknown metric 'theirs'" in refused


@pytest.mark.process
def test_a_function_in_the_working_folder_is_scored_and_compared(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN)

    def relevance(*arguments: object, code: int = 0) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(
            [sys.executable, "-P", "-m", "relevance", *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "RELEVANCE_DATABASE_URL": "sqlite:///own.db"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done

    listed = relevance("metrics", "own:size").stdout
    assert "own:size: Characters of the summary.\n    from a function; " in listed
    metrics = "own:size,own:sometimes,own:never,length"
    done = relevance("score", FILE, "--metrics", metrics, "-o", "out.jsonl", code=1)
    assert "talking" in done.stderr
    assert "talking" not in done.stdout
    assert "own:never failed: RuntimeError: no luck" in done.stderr
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    texts = {
        (one["id"], summary["system"]): summary["text"]
        for one in map(json.loads, Path(FILE).read_text().splitlines())
        for summary in one["summaries"]
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
