"""`analyze` on the SummEval file gives the reference table, to four decimals."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.importers import read
from metrics import Options, metrics
from metrics.analysis import NoRatings, analyze, as_json

# ../shared/data/README.md: made with public libraries only, against the first reference.
REFERENCE = {
    "rouge1": (0.3373, 0.2804, 0.1970, 0.6135, 6086, 3919, 138, 0.6000, 0.6068),
    "rouge2": (0.2470, 0.2257, 0.1389, 0.6397, 5750, 4220, 173, 0.5669, 0.5754),
    "rougeL": (0.2642, 0.2092, 0.1411, 0.6084, 5782, 4236, 125, 0.5700, 0.5762),
    "length": (0.2599, 0.1432, 0.1025, 0.2402, 5515, 4387, 241, 0.5437, 0.5556),
}


def test_the_reference_table(shared_data: Path) -> None:
    records = list(read(shared_data / "summeval.jsonl", "interchange"))
    chosen = metrics(["rouge1", "rouge2", "rougeL"], Options(references="first"))
    found = as_json(analyze(records, "relevance", chosen))["metrics"]
    assert list(found) == ["rouge1", "rouge2", "rougeL", "length"]
    for name, row in found.items():
        agreement = row["agreement"]
        assert agreement["pairs"] == 10_143
        assert agreement["human_ties"] == 12_000 - 10_143
        assert row["missing"] == 0
        figures = (
            row["pearson"]["global"],
            row["pearson"]["input"],
            row["kendall"]["input"],
            row["pearson"]["system"],
            *(agreement[key] for key in ("concordant", "discordant", "tied", "strict", "half")),
        )
        assert tuple(round(figure, 4) for figure in figures) == REFERENCE[name]


def test_an_unknown_aspect_names_those_there_are(shared_data: Path) -> None:
    records = list(read(shared_data / "summeval.jsonl", "interchange"))[:1]
    with pytest.raises(NoRatings, match=r"no human ratings of 'beauty'; there are .*relevance"):
        analyze(records, "beauty", metrics(["length"]))
