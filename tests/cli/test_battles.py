"""Battles imported, analysed and exported by the commands that people type."""

import json
from pathlib import Path

import pytest

from tests.commands import refused, run
from tests.data.battles import battle, turns, write

pytestmark = pytest.mark.exhaustive


def test_battles_in_and_out(sqlite_url: str, tmp_path: Path) -> None:
    battles = [
        battle(
            f"q{n}",
            ("model_a", "model_b", "tie")[n % 3],
            judge=f"u{n % 2}",
            conversation_a=turns("Why does it rain so often here?", f"Rain falls {'often ' * n}here."),
            conversation_b=turns("Why does it rain so often here?", "Clouds."),
        )
        for n in range(9)
    ]
    file = write(tmp_path / "battles.jsonl", battles)
    output = run("import", file, "--name", "arena").output
    assert "imported 9 documents and 18 summaries of 2 systems as arena" in output
    assert "9 judgments of 9 pairs as the study arena" in output
    assert "already a study 'arena'" in refused("import", file, "--name", "arena")
    run("score", "arena", "--metrics", "length")
    analysed = run("analyze", "--study", "arena").output
    assert "Agreement of metrics with people, per judgment (3 human ties)" in analysed
    assert "length" in analysed
    out = tmp_path / "out.jsonl"
    run("study", "export", "arena", "--format", "lmarena", "-o", out)
    written = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [summary["winner"] for summary in written] == [battle["winner"] for battle in battles]
    run("import", out, "--name", "again")
    again = run("analyze", "--study", "again").output
    assert again.partition("\nstudy: ")[0] == analysed.partition("\nstudy: ")[0]
    crowd = run("study", "export", "arena", "--format", "crowd-kit").output
    assert "3 ties left out" in crowd
    assert "worker,left,right,label" in crowd
    assert "P1,alpha,beta,alpha" in crowd
    assert "--format crowd-kit is for judgments" in refused(
        "study", "export", "arena", "--what", "people", "--format", "crowd-kit"
    )
    run("report", "arena", "-o", tmp_path / "report")
    report = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "The 9 judgments were published with these pairs" in report
