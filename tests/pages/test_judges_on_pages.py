"""Pages of results of a study in which a language model has judged, too."""

import json
from pathlib import Path

import pytest

from relevance.annotation.model_judgments import ModelJudgment, ModelStore
from relevance.pages.components.shared.sources import Source
from relevance.pages.components.shared.stores import open_stores
from tests.commands import refused, run
from tests.pages.opening import html, open_page, page_text, sound, visible
from tests.pages.world import NAME, ROUGE1, World, first, first_but_in_d0, world

__all__ = ["world"]

pytestmark = pytest.mark.page

GPT = "judge: gpt|model:gpt|version:1"
SOURCE = Source(NAME, study="Study")


@pytest.fixture
def judged(world: World) -> World:
    """A study of which GPT prefers a to b; of other pairs its orders disagree, and it refuses those of d3."""
    world.add()
    world.score(ROUGE1, lambda document, system: float(ord(system)))
    world.ask()
    world.judge("Ann", first)
    world.judge("Ben", first_but_in_d0)
    models = ModelStore(world.annotation.engine)
    (result,) = models.pairs("Study")[:1]
    assert result.document.startswith("Source of")
    notes = []
    for pair in models.pairs("Study"):
        a_and_b = pair.first.endswith("by a") and pair.second.endswith("by b")
        orders = ("first", "first") if a_and_b else ("first", "second")
        if "d3" in pair.document:
            notes.append(ModelJudgment(pair.id, None, "first", None, "refused: <b>no</b>"))
        else:
            verdict = orders[0] if a_and_b else "orders disagree"
            notes.append(ModelJudgment(pair.id, verdict, *orders, None, 30, 10, 0.5, "gpt-1"))
    assert models.add("Study", "gpt", GPT, notes) == 9
    return world


@pytest.mark.parametrize(
    "page", ["overview.py", "agreement.py", "correlation.py", "systems.py", "annotators.py", "examples.py"]
)
def test_a_judge_stands_among_metrics_on_pages_of_results(judged: World, page: str) -> None:
    app = open_page(page, study="Study")
    if page == "overview.py":  # of too few documents for a chart of metrics
        assert "Too early to say which metric agrees best" in page_text(app)
    if page == "correlation.py":
        assert "Language models that judge give verdicts on pairs and no scores" in page_text(app)
    if page == "agreement.py":
        tables = [frame.value for frame in app.dataframe]
        ((row,),) = (table.to_dict("records") for table in tables if "judge" in table)
        assert (row["judge"], row["pairs"], row["answered"], row["no verdict"]) == ("gpt", 12, 9, 3)
        assert ["judge: gpt" in list(table["metric"]) for table in tables if {"metric", "C"} <= {*table}] == [True]
    if page == "examples.py":
        assert "judge: gpt" in visible(html(app))


def test_metrics_and_judges_are_chosen_alike(judged: World) -> None:
    app = open_page("agreement.py", study="Study", metrics="judge: gpt")
    (short,) = (frame.value for frame in app.dataframe if list(frame.value.columns)[:2] == ["metric", "agreement"])
    assert list(short["metric"]) == ["judge: gpt", "people"]
    app = open_page("agreement.py", study="Study", metrics="ROUGE-1")
    assert "judge" not in {frame.value.columns[0] for frame in app.dataframe}
    sound(open_page("correlation.py", study="Study", metrics="judge: gpt"))


@pytest.mark.parametrize(
    ("document", "a", "b", "words"),
    [
        ("d0", "a", "b", "With A shown first, it preferred A; with B first, it preferred A."),
        ("d0", "a", "c", "With A shown first, it preferred A; with B first, it preferred B."),
        ("d3", "a", "b", "With A shown first, it preferred A; with B first, it gave no verdict (refused: <b>no</b>)."),
    ],
)
def test_an_example_shows_what_a_judge_said_in_each_order(
    judged: World, document: str, a: str, b: str, words: str
) -> None:
    app = open_page("examples.py", study="Study", show="all", document=document, a=a, b=b)
    app = sound(app.pills(key="evidence").set_value(["judge: gpt"]).run())
    assert words in visible(html(app))
    assert "<b>no</b>" not in html(app)


def test_examples_are_filtered_by_a_judge(judged: World) -> None:
    app = open_page("examples.py", study="Study", show="missing", metric="judge: gpt")
    assert "3 of 12 pairs" in page_text(app)
    app = open_page("disagreements.py", study="Study", show="against", metric="judge: gpt")
    assert not app.exception


def test_a_new_verdict_is_shown_at_once(judged: World) -> None:
    before = SOURCE.read_version()
    models = open_stores().models
    pair = next(pair.id for pair in models.pairs("Study") if "d3" in pair.document)
    models.add("Study", "gpt", GPT, [ModelJudgment(pair, "first", "first", "first", None)])
    assert SOURCE.read_version() != before


def test_commands_print_and_write_what_judges_say(judged: World, tmp_path: Path) -> None:
    text = run("analyze", "--study", "Study", "--tables", "judges,agreement").stdout
    assert "Language models as judges" in text
    assert "judge: gpt" in text
    answer = json.loads(run("analyze", "--study", "Study", "--tables", "agreement", "--format", "json").stdout)
    assert answer["metrics"]["judge: gpt"]["missing"] == 3
    run("report", "Study", "-o", tmp_path / "report")
    records = [json.loads(line) for line in (tmp_path / "report" / "model_judgments.jsonl").read_text().splitlines()]
    assert len(records) == 12
    assert {record["verdict"] for record in records} == {"first", "orders disagree", None}
    report = (tmp_path / "report" / "report.html").read_text()
    assert "Language models (gpt) were asked the same question" in report
    assert "Judging LLM-as-a-Judge" in report
    assert GPT in report
    exported = run("study", "export", "Study", "--what", "models").stdout
    assert [json.loads(line) for line in exported.splitlines()] == records
    assert "judges" in refused("analyze", NAME, "--tables", "judges")
