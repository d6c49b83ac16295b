"""Decisions of adjudicators on the command line and in reports: a source of their own beside the judgments."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from relevance.annotation.adjudication import AdjudicationStore
from relevance.annotation.store import AnnotationStore
from relevance.data.database import now
from relevance.data.store import DataStore
from relevance.reports.html_report import write_report
from tests.cli.test_analyze import JUDGMENTS, SCORES, add_study
from tests.commands import refused, run

Stores = tuple[DataStore, AnnotationStore]


@pytest.fixture
def study(sqlite_url: str) -> Stores:
    """Ann says a, a, a, a and Bob a, b, a, a tie."""
    data, annotation = add_study(sqlite_url, JUDGMENTS, SCORES)
    return data, annotation


def decide(annotation: AnnotationStore, decisions: dict[str, str | None], name: str = "Ada") -> None:
    """Decide pairs by their documents for a system, None being a tie."""
    store = AdjudicationStore(annotation.engine)
    for pair in store.pairs("S", name):
        shown = store.task("S", pair.id, name).shown
        document = f"d{shown.left[-1]}"
        if document in decisions:
            wanted = decisions[document]
            choice = "tie" if wanted is None else "left" if shown.left[0] == wanted else "right"
            presented = now() - timedelta(seconds=2)
            store.decide(study="S", pair_id=pair.id, choice=choice, presented_at=presented, name=name, change=True)


def analyzed(*arguments: str) -> Any:
    return json.loads(run("analyze", "--study", "S", "--format", "json", *arguments).stdout)


def test_metrics_against_decisions(study: Stores) -> None:
    _, annotation = study
    before = analyzed()
    decide(annotation, {"d0": "a", "d1": "b", "d2": "b", "d3": None})
    result = analyzed("--adjudicated")
    # rouge1 prefers a, a, b, neither; decided are a, b, b and a tie: C D C
    assert result["metrics"]["rouge1"]["agreement"] == {
        "pairs": 3, "human_ties": 1, "concordant": 2, "discordant": 1, "tied": 0,
        "strict": 2 / 3, "half": 2 / 3, "decided": 2 / 3, "coverage": 1.0,
    }  # fmt: skip
    tables = result["tables"]
    assert {"agreement", "human", "ranking", "position"} < set(tables)
    assert {"agreement_by_majority", "reliability", "cohen", "annotators"}.isdisjoint(tables)
    assert "per adjudicated pair" in tables["agreement"]["title"]
    assert result["facts"]["decisions"] == "4 by 1 adjudicator, the latest of each pair; not the judgments"
    assert "judgments" not in result["facts"]
    # Ann and Bob both say a of d0 and d2: confirmed of d0 alone; of d1 and d3 they differ, as a tie is a choice
    message = "4 pairs are decided. One choice led among annotators in 2, and adjudicators confirmed it in 1 (0.500)."
    assert result["facts"]["adjudicated"].startswith(message)
    after = analyzed()
    assert after["facts"].pop("adjudicated").startswith(message)
    assert after == before  # nothing else of the judgments' analysis changes


def test_the_latest_of_two_adjudicators_counts_and_a_difference_is_told(study: Stores) -> None:
    _, annotation = study
    decide(annotation, {"d0": "a"}, "Ada")
    decide(annotation, {"d0": "b", "d1": "a"}, "Ben")
    facts = analyzed("--adjudicated")["facts"]
    assert facts["decisions"].startswith("2 by 1 adjudicator")  # Ben's both
    assert facts["adjudicated"].endswith("Adjudicators differ on 1 pair: the latest decision counts.")


def test_what_is_refused(study: Stores) -> None:
    assert refused("analyze", "--study", "S", "--adjudicated") == "nobody has adjudicated a pair of the study 'S' yet"
    assert refused("analyze", "news", "--adjudicated") == "--adjudicated goes with a --study"


def test_decisions_are_exported_and_reported_with_their_history(study: Stores, tmp_path: Path) -> None:
    data, annotation = study
    write_report(data, annotation, "S", tmp_path / "without")
    assert not (tmp_path / "without" / "adjudications.jsonl").exists()
    decide(annotation, {"d1": "a"})
    decide(annotation, {"d1": "b"})
    lines = run("study", "export", "S", "--what", "adjudications").stdout.splitlines()
    assert [(row["chosen"], row["stands"]) for row in map(json.loads, lines)] == [("a", False), ("b", True)]
    write_report(data, annotation, "S", tmp_path / "with")
    assert (tmp_path / "with" / "adjudications.jsonl").read_text().splitlines() == lines
    assert "1 pair is decided. No choice led among annotators." in (tmp_path / "with" / "report.html").read_text()
