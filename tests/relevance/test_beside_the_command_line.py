"""A frame of a file gives the figures of `relevance analyze`."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import relevance
from relevance.cli import main
from relevance.data.demo import FILE

METRICS = ["rouge1", "rouge2", "rougeL", "rouge_k", "length"]


@pytest.fixture(scope="module")
def analyzed() -> dict[str, Any]:
    """What the command prints of the demo corpus."""
    line = ["analyze", str(FILE), "--human", "author", "--tables", "agreement,human", "--format", "json"]
    result = CliRunner().invoke(main, line)
    assert result.exit_code == 0, result.output
    return dict(json.loads(result.stdout))


@pytest.mark.parametrize("rule", ["half", "strict", "decided"])
def test_agreement_is_that_of_the_command(analyzed: dict[str, Any], rule: Any) -> None:
    agreement = relevance.agreement(relevance.score(relevance.load(FILE), METRICS), "author", rule=rule)
    assert agreement["metric"].tolist() == METRICS
    rows = {row["metric"]: row for row in analyzed["tables"]["agreement"]["rows"]}
    for row in agreement.to_dict("records"):
        text = rows[row["metric"]]
        assert [row["low"], row["high"]] == text[f"{rule} 95 %"]
        assert [row["agreement"], row["metric ties"], row["missing"]] == [text[rule], text["T"], text["missing"]]
        assert row["pairs"] == text["n"]
        assert agreement.attrs["signatures"][row["metric"]] == text["signature"]


def test_correlations_are_those_of_the_command(analyzed: dict[str, Any]) -> None:
    table = relevance.correlate(relevance.score(relevance.load(FILE), METRICS), "author")
    counted = {"global": "summaries", "input": "documents", "system": "systems"}
    by_name = {(row["second"], row["coefficient"]): row for row in analyzed["tables"]["human"]["rows"]}
    assert len(table) == 3 * len(by_name) == 3 * 3 * len(METRICS)
    for row in table.to_dict("records"):
        of = by_name[row["metric"], row["method"]]
        assert row["r"] == of[row["level"]]
        assert [row["low"], row["high"]] == pytest.approx(of[f"{row['level']} 95 %"], abs=1e-12)
        assert row["n"] == of[counted[row["level"]]]


def test_a_file_becomes_a_frame_with_its_ratings(tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    first = {"id": "a", "source": ["It rained.", "Then it snowed."], "references": ["Rain."], "title": "May"}
    summaries = [{"system": "x", "text": "It rained.", "human": {"fluency": 4}}, {"system": "y", "text": "Snow."}]
    path.write_text(json.dumps({**first, "summaries": summaries}) + "\n", encoding="utf-8")
    frame = relevance.load(path)
    assert frame[["document", "system", "summary", "title"]].values.tolist() == [
        ["a", "x", "It rained.", "May"],
        ["a", "y", "Snow.", "May"],
    ]
    assert frame["source"][0] == ["It rained.", "Then it snowed."]
    assert frame["fluency"][0] == 4
    assert np.isnan(frame["fluency"][1])
    assert relevance.score(frame, ["rouge1"])["rouge1"].notna().all()


def test_a_file_that_makes_no_frame_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bare.jsonl"
    path.write_text('{"id": "a", "source": "It rained.", "references": ["Rain."], "summaries": []}\n', encoding="utf-8")
    with pytest.raises(relevance.BadFrame, match="no summaries"):
        relevance.load(path)
    rated = {
        "id": "a",
        "source": "It rained.",
        "references": ["R."],
        "summaries": [{"system": "x", "text": "S.", "human": {"title": 1}}],
    }
    path.write_text(json.dumps(rated) + "\n", encoding="utf-8")
    with pytest.raises(relevance.BadFrame, match="the rating 'title' has the name"):
        relevance.load(path)
