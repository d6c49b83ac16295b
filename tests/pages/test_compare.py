"""The page Compare: two sources side by side, the address that names what is shown, and the pairs where they part."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from relevance.annotation.model_judgments import ModelJudgment, ModelStore
from relevance.annotation.removal import StudyRemovalStore
from tests.pages.opening import html, open_page, page_text, sound, turn_to
from tests.pages.world import ROUGE1, ROUGE2, World, first, world

__all__ = ["world"]

pytestmark = pytest.mark.page

DOCUMENTS = tuple(f"d{number}" for number in range(10))
GPT = "judge: gpt|model:gpt|version:1"


def last(_document: str, _one: str, other: str) -> str:
    return other


@pytest.fixture
def compared(world: World) -> World:
    """Ten documents with ratings, two studies of all their 30 pairs of which the second contradicts, and a model's.

    ROUGE-1 prefers what the ratings and `Study` prefer, and ROUGE-2 so in five of the documents.
    """
    world.add(documents=DOCUMENTS, ratings={"a": 3, "b": 2, "c": 1})
    world.score(ROUGE1, lambda _, system: {"a": 0.9, "b": 0.5, "c": 0.1}[system])
    world.score(ROUGE2, lambda document, system: float((system == "a") == (int(document[1:]) < 5)))
    world.ask(judgments_per_pair=2)
    world.judge("Ann", first)
    world.judge("Ben", first)
    world.ask("Crowd", judgments_per_pair=1)
    world.judge("Dora", last, study="Crowd")
    models = ModelStore(world.annotation.engine)
    verdicts = []
    for number, pair in enumerate(models.pairs("Study")):
        (left, right) = sorted(text.rpartition(" ")[2] for text in (pair.first, pair.second))
        better = "first" if pair.first.endswith(left if number % 3 else right) else "second"
        verdicts.append(ModelJudgment(pair.id, better, better, better, None))
    models.add("Study", "gpt", GPT, verdicts)
    return world


def table(app: AppTest) -> dict[str, dict[str, object]]:
    """The table of metrics, by metric."""
    return {row["metric"]: row for row in app.dataframe[0].value.to_dict("records")}


def address(app: AppTest) -> dict[str, str]:
    """The address, each part once (AppTest gives a part as it was set)."""
    return {name: "".join(app.query_params[name]) for name in app.query_params}


def test_two_studies_side_by_side(compared: World) -> None:
    app = open_page("compare.py", study="Study", with_study="Crowd")
    assert "ROUGE-1 agrees most often with “Annotators in Study”, ROUGE-2 with “Annotators in Crowd”" in page_text(app)
    rows = table(app)
    assert (rows["ROUGE-1"]["first"], rows["ROUGE-1"]["second"], rows["ROUGE-1"]["difference"]) == (1, 0, 1)
    assert (rows["ROUGE-1"]["first n"], rows["ROUGE-1"]["second n"]) == (60, 30)
    assert rows["ROUGE-1"]["p (Holm)"] < 0.001  # type: ignore[operator]
    assert (
        "ROUGE-1 (100 % of 60 and 0 % of 30) agrees significantly more often with “Annotators in Study”"
        in page_text(app)
    )
    assert "it is the same one on 0 of 30 pairs (0 %" in page_text(app)
    assert "Compared on the 30 pairs that both have, of 30 and 30." in page_text(app)
    assert (
        "In “Annotators in Study”, 100 % of 60 judgments agree with the majority of the others on their pair"
        in page_text(app)
    )


def test_what_is_chosen_stands_in_the_address_and_comes_back(compared: World) -> None:
    app = open_page("compare.py")
    named = address(app)
    assert {name: named[name] for name in ("study", "with_study")} == {"study": "Study", "with_study": "Crowd"}
    app = sound(app.selectbox(key="compare_second").set_value(source(app, "compare_second", "gpt in Study")).run())
    app = sound(app.pills(key="metrics").set_value(["ROUGE-2"]).run())
    app = sound(app.toggle(key="compare_shared").set_value(False).run())
    named = address(app)
    assert {name: named[name] for name in ("study", "with_study", "with_judge", "metrics", "pairs")} == {
        "study": "Study",
        "with_study": "Study",
        "with_judge": "gpt",
        "metrics": "ROUGE-2",
        "pairs": "all",
    }
    again = open_page("compare.py", **named)
    assert [frame.value.to_dict() for frame in again.dataframe] == [frame.value.to_dict() for frame in app.dataframe]
    assert list(table(again)) == ["ROUGE-2"]
    assert address(again) == named


def source(app: AppTest, key: str, name: str) -> object:
    """The source of a name that a list offers; AppTest knows the options by their labels."""
    return next(label for label in app.selectbox(key=key).options if label.endswith(name))


def test_people_beside_a_language_model(compared: World) -> None:
    app = open_page("compare.py", study="Study", with_study="Study", with_judge="gpt")
    assert "it is the same one on 20 of 30 pairs" in page_text(app)
    assert set(table(app)) == {"ROUGE-1", "ROUGE-2"}  # a judge is not a metric beside itself
    assert table(app)["ROUGE-1"]["second"] == pytest.approx(2 / 3)
    pairs = app.dataframe[1].value
    assert len(pairs) == 10
    assert {*pairs["first"] + pairs["second"]} <= {"AB", "BA"}
    assert all("ROUGE-1" in with_first for with_first in pairs["with first"])
    # the other way round, the model's mark leads nowhere, and people's to its examples
    app = open_page("compare.py", study="Study", judge="gpt", with_study="Study")
    assert app.selectbox(key="compare_first").value.model == "gpt"
    assert app.selectbox(key="compare_second").value.model is None
    assert table(app)["ROUGE-1"]["first"] == pytest.approx(2 / 3)


def test_a_source_of_another_page_is_its_people(compared: World) -> None:
    app = open_page("compare.py", study="Study", judge="gpt", with_study="Crowd")
    assert app.selectbox(key="compare_first").value.model == "gpt"
    turn_to(app, "overview.py").run()
    turn_to(app, "compare.py")
    app.query_params.clear()
    app = sound(app.run())  # by the navigation, which names nothing, to what was compared before
    assert app.selectbox(key="compare_first").value.model == "gpt"
    turn_to(app, "compare.py")
    app.query_params.clear()
    app.query_params["study"] = "Study"
    app = sound(app.run())
    assert app.selectbox(key="compare_first").value.model is None
    assert app.selectbox(key="compare_second").value.study == "Crowd"


def test_a_pair_where_they_part_is_opened_with_what_metrics_saw(compared: World) -> None:
    app = open_page("compare.py", study="Study", with_study="Crowd", document="d3", a="a", b="c")
    assert address(app) | {"document": "d3", "a": "a", "b": "c"} == address(app)
    assert "“Annotators in Study”: **A**. “Annotators in Crowd”: **B**." in page_text(app)
    assert "People preferred A." in page_text(app)
    assert "d3 by a" in html(app)
    assert "d3 by c" in html(app)
    # an address that names no such pair opens the first one
    app = open_page("compare.py", study="Study", with_study="Crowd", document="no", a="a", b="c")
    assert address(app)["document"] == "d0"


def test_ratings_that_share_their_pairs_with_a_study_are_counted_on_these(compared: World) -> None:
    compared.ask("Few", count=25, per_document=3, rule="random", seed=3, judgments_per_pair=1)
    compared.judge("Emil", first, study="Few")
    app = open_page("compare.py", study="Few", with_dataset="set", with_aspect="relevance")
    assert {row["second n"] for row in table(app).values()} == {25}
    app = sound(app.toggle(key="compare_shared").set_value(False).run())
    assert {row["second n"] for row in table(app).values()} == {30}
    assert "All pairs of each count, 25 and 30: a difference may come from the pairs" in page_text(app)


def test_few_pairs_in_common_do_not_decide_unless_they_are_asked_for(compared: World) -> None:
    compared.ask("Few", count=4, rule="random", seed=3, judgments_per_pair=1)
    compared.judge("Emil", first, study="Few")
    app = open_page("compare.py", study="Few", with_study="Crowd")
    assert "Both have only 4 pairs in common. All pairs of each count, 4 and 30" in page_text(app)
    assert "Too early to say which metric agrees best with “Annotators in Few”" in app.header[0].value
    app = sound(app.toggle(key="compare_shared").set_value(True).run())
    assert "Compared on the 4 pairs that both have, of 4 and 30." in page_text(app)
    assert address(app)["pairs"] == "shared"


def test_two_data_sets_share_the_summaries_of_the_same_text(compared: World) -> None:
    compared.add("other", DOCUMENTS, ratings={"a": 1, "b": 2, "c": 3})  # the texts name their data set
    compared.score(ROUGE1, lambda *_: 0.5, "other")
    app = open_page("compare.py", dataset="set", aspect="relevance", with_dataset="other", with_aspect="relevance")
    assert (
        "“set: Ratings of relevance” and “other: Ratings of relevance” have no pair of summaries in common."
        in page_text(app)
    )
    assert len(app.dataframe) == 1
    assert "Not compared, as only the first has scores: ROUGE-2." in page_text(app)
    records = [
        (document, [summary for summary in summaries if summary.system != "c"])
        for document, summaries in compared.data.records("set")
    ]
    compared.data.add_dataset(name="copy", format="interchange", sha256="1", records=records)
    app = open_page("compare.py", dataset="set", aspect="relevance", with_dataset="copy", with_aspect="relevance")
    assert "10 of 10 pairs" in page_text(app)
    assert "On no pair that both have does each prefer another summary." in page_text(app)


def test_the_same_summaries_of_two_data_sets(compared: World) -> None:
    (document, summaries), *rest = compared.data.records("set")
    compared.data.add_dataset(
        name="part",
        format="interchange",
        sha256="1",
        records=[(document, [summaries[0], replace(summaries[1], text="New.")])],
    )
    assert compared.data.same_summaries("set", "part") == {("d0", "a")}
    assert compared.data.same_summaries("part", "set") == {("d0", "a")}
    assert len(compared.data.same_summaries("set", "set")) == 30
    assert rest


def test_an_address_brings_a_study_of_the_archive_back(compared: World) -> None:
    StudyRemovalStore(compared.annotation.engine).archive_study("Crowd")
    assert "Annotators in Crowd" not in " ".join(open_page("compare.py").selectbox(key="compare_second").options)
    app = open_page("compare.py", study="Study", with_study="Crowd")
    assert app.selectbox(key="compare_second").value.study == "Crowd"


def test_one_source_alone_is_told_what_a_comparison_takes(world: World) -> None:
    world.add(ratings={"a": 3, "b": 2, "c": 1})
    app = open_page("compare.py")
    assert "A comparison takes two" in app.info[0].value
    assert not app.dataframe


def test_an_empty_database_has_nothing_to_compare(sqlite_url: str) -> None:
    assert "There is no data set yet" in open_page("compare.py").info[0].value


def test_sources_without_a_metric_in_common_say_so(world: World) -> None:
    for name, signature in (("one", ROUGE1), ("two", ROUGE2)):
        world.add(name, ratings={"a": 3, "b": 2, "c": 1})
        world.score(signature, lambda _, system: float(ord(system)), name)
    app = open_page("compare.py")
    assert app.header[0].value == "The two have scores by no metric in common"
    assert not app.dataframe
