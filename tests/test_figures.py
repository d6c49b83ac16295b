"""Figures of the demo corpus are those kept in `golden`: whatever is rebuilt, none of them may move.

    python -m tests.test_figures

writes the files anew. Whoever does so changes figures: the diff shows which, and CHANGELOG.md must name them and say
why.
"""

import json
import re
import tempfile
from pathlib import Path

import pytest

from tests.commands import run

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden"
DEMO = ROOT / "data" / "demo" / "demo.jsonl"

LEXICAL = "rouge1,rouge2,rougeL,rougeLsum,rougeSU4,rouge_k,length"
ANALYZE = ("analyze", "demo.jsonl", "--human", "author", "--format", "json")
ORACLE = ("oracle", "eight.jsonl", "--processes", "1", "--format", "json")

COMMANDS = {
    "analyze.json": (*ANALYZE, "--metrics", LEXICAL, "--coefficients", "pearson"),
    "analyze_settings.json": (
        *(*ANALYZE, "--metrics", "rouge1,rouge_k", "--references", "mean", "--tokenizer", "unicode", "--seed", "3"),
        *("--rule", "strict", "--systems", "fluent,keyword,opening", "--baselines", "opening"),
        *("--resample", "both", "--permute", "cells"),
    ),
    "analyze_texts.json": (*ANALYZE, "--tables", "keywords,dataset"),
    "keywords.jsonl": ("keywords", "demo.jsonl"),
    "keywords_compared.jsonl": ("keywords", "demo.jsonl", "--compare"),
    "oracle.json": ORACLE,
    "oracle_set.json": (
        *(*ORACLE, "--metric", "rouge2", "--definition", "set", "--length", "2", "--references", "first"),
        *("--algorithms", "greedy,vns,genetic,exact"),
    ),
    "apes_conditions.txt": ("apes", "eight.jsonl", "--conditions", "--seeds", "1"),
}
"""What is printed, by the file that keeps it."""

DECIMAL = re.compile(r"-?\d+(?:\.\d+(?:e[-+]?\d+)?|e[-+]?\d+)")
"""A number that is not a count: sums of these end in other digits on another processor."""

OF_THE_MACHINE = {"versions", "seconds", "longest"}
"""What JSON says of the machine and of the time taken."""


def printed(name: str, folder: Path) -> str:
    """What a command prints of the demo corpus, or of eight of its documents, each row of a table in a line."""
    documents = DEMO.read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "demo.jsonl").write_text("".join(documents), encoding="utf-8")
    (folder / "eight.jsonl").write_text("".join(documents[::3]), encoding="utf-8")
    text = run(*(folder / part if part.endswith(".jsonl") else part for part in COMMANDS[name])).stdout
    if not name.endswith(".json"):
        return text
    indented = json.dumps(json.loads(text, object_hook=without_machine), indent=1, ensure_ascii=False) + "\n"
    return re.sub(r"\{[^{}]*\}", lambda row: re.sub(r"\s+", " ", row[0]), indented)


def without_machine(record: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in record.items() if name not in OF_THE_MACHINE}


@pytest.mark.process
@pytest.mark.smoke
@pytest.mark.parametrize("name", COMMANDS)
def test_figures_are_those_that_are_kept(name: str, tmp_path: Path) -> None:
    kept, made = (GOLDEN / name).read_text(encoding="utf-8"), printed(name, tmp_path)
    assert DECIMAL.sub("#", made) == DECIMAL.sub("#", kept)
    # float32 differs by 1e-7 from one processor to another, and is rounded to six decimals
    tolerance = 1e-6 if name.startswith("apes") else 1e-9
    assert decimals(made) == pytest.approx(decimals(kept), rel=tolerance, abs=tolerance)


def decimals(text: str) -> list[float]:
    return [float(result) for result in DECIMAL.findall(text)]


def test_every_figure_that_is_kept_is_made() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == set(COMMANDS)


if __name__ == "__main__":
    for name in COMMANDS:
        with tempfile.TemporaryDirectory() as temporary:
            (GOLDEN / name).write_text(printed(name, Path(temporary)), encoding="utf-8")
