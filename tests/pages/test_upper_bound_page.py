"""The page Upper bound against the functions that it shows, and what it says of texts and tables."""

from __future__ import annotations

import html as markup
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from data.database import connect
from data.demo import FILE as DEMO_FILE
from data.demo import NAME as DEMO
from data.demo import add_demo
from data.importers import read
from data.records import Document, Summary
from data.store import DataStore
from pages.components.oracle_tables import oracle_sections
from pages.components.sections import Undefined
from pages.components.upper_bound import (
    MOST,
    NAMES,
    Asked,
    algorithms_section,
    asked_by,
    called,
    explanation,
    extract_html,
    extract_words,
    spreads,
    standings_section,
    systems_section,
)
from pages.components.upper_bound_charts import distribution_chart, row_names
from summarizers.base import REFERENCE_LENGTH, Length
from summarizers.oracles import ALGORITHMS, Target, find
from summarizers.oracles.evaluation import Row, Task, evaluate, evaluate_stored, rows_of, statistics, stored
from summarizers.oracles.standing import judged, standings
from summarizers.sentences import sentences_of

MAIN = Path(__file__).resolve().parents[2] / "pages" / "main.py"
HOSTILE = "<img src=x onerror=alert(1)> :red[red] **bold** \u202ebidi\u202c"


@pytest.fixture(autouse=True)
def fresh_caches() -> Iterator[None]:
    st.cache_resource.clear()
    st.cache_data.clear()
    yield
    st.cache_resource.clear()
    st.cache_data.clear()


def row(algorithm: str, f1: float, places: tuple[int, ...] = (0,), bound: float | None = None, key: str = "d") -> Row:
    return Row(key, algorithm, f1, places, 0, bound, bound is not None and bound - f1 <= 1e-6, 0.25)


def visible(html: str) -> str:
    return markup.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", "", html, flags=re.DOTALL))


# --- what is asked for ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "asked",
    [
        Asked("a"),
        Asked("b", Target(2, "set", "first"), Length(3)),
        Asked("a", Target(2), Length(100, "words")),
        Asked("b", Target(1, "set"), REFERENCE_LENGTH),
    ],
)
def test_an_address_says_what_is_asked_for(asked: Asked) -> None:
    assert asked_by(asked.address, ["a", "b"]) == asked


@pytest.mark.parametrize(
    "length", ["0", "-1", "3x", "w", "1e3", "٣", str(MOST["sentences"] + 1), "9" * 40, "ref ", "", "reference"]
)
def test_what_an_address_says_wrongly_is_usual(length: str) -> None:
    wrong = {"dataset": "c", "metric": "rouge3", "definition": "x", "references": "mean", "length": length}
    assert asked_by(wrong, ["a", "b"]) == Asked("a")


def test_the_choices_are_explained() -> None:
    assert "as often as both texts have it" in explanation(Asked("a"))
    said = explanation(Asked("a", Target(1, "set", "first"), Length(1)))
    for words in ("counts once", "the first reference counts", "at most 1 sentence;", "inside sentences."):
        assert words in said


# --- an extract -------------------------------------------------------------------------------------------------

CARS = Document("d", ("Red cars stop.", "They are old.", "Red boats."), ("blue ships", "red boats stop here"))


def test_what_is_known_of_better_extracts_is_said() -> None:
    best = row("exact", 0.8, (0, 2), 0.8)
    said = extract_words(best, best, CARS)
    assert said == (
        "F1 0.8000 against reference 1 of 2, 2 sentences, 5 words. Proven optimal in 0.25 s: no extract scores higher."
    )
    cut = row("exact", 0.7, (0,), 0.85)
    said = extract_words(cut, cut, CARS)
    assert "Best found so far" in said
    assert "no extract is above 0.8500" in said
    assert "ptim" not in said
    assert "0.1000 below the proven optimum, 0.8000" in extract_words(row("vns", 0.7), best, CARS)
    assert "as good as the proven optimum" in extract_words(row("vns", 0.8), best, CARS)
    assert "not proven" in extract_words(row("vns", 0.7), cut, CARS)
    assert (called("exact", True), called("exact", False), called("vns", False)) == (
        "Exact",
        "Exact (best found)",
        "VNS",
    )


def test_taken_sentences_and_covered_words_are_marked() -> None:
    target = Target()
    (best,) = rows_of(Task(target, ("exact",)), CARS)
    html = extract_html(CARS, best, target)
    # "Red cars stop." and "Red boats." have 5 words, the second reference 4: red, stop and boats match
    assert (best.reference, best.places) == (1, (2,)) or best.f1 >= 2 * 3 / (5 + 4)
    assert visible(html).count("taken") == len(best.places) + 1
    lines = re.findall(r"<li( class=\"taken\")?>", html)
    assert [bool(kind) for kind in lines] == [place in best.places for place in range(3)]
    covered = re.findall(r'<mark class="k-matched"[^>]*data-group="(g\d+)"', html)
    assert len(covered) == 2 * len(set(covered))  # each in the source and in the reference
    assert f"= {best.f1:.4f}." in visible(html)
    assert len(set(covered)) == int(re.search(r"(\d+) of the reference's 4 words", visible(html))[1])  # type: ignore[index]
    assert "k-missed" in html
    only = extract_html(CARS, best, target, only_taken=True)
    assert only.count("<li") == len(best.places)
    nothing = extract_html(CARS, row("exact", 0.0, (), 0.0), target)
    assert "0 of 3 sentences taken" in visible(nothing)
    assert 'class="taken"' not in nothing
    assert "No sentence is taken" in extract_html(CARS, row("exact", 0.0, (), 0.0), target, only_taken=True)


@pytest.mark.parametrize("target", [Target(), Target(2, "set")])
def test_texts_are_never_markup(target: Target) -> None:
    document = Document("d", f"Storm {HOSTILE}. The storm {HOSTILE}.", (f"storm {HOSTILE}",))
    (best,) = rows_of(Task(target, ("exact",)), document)
    assert best.f1 > 0
    html = extract_html(document, best, target)
    assert "<img" not in html
    texts = visible(html)
    for sentence in (*sentences_of(document), *document.references):
        assert sentence in texts


# --- tables -----------------------------------------------------------------------------------------------------


def test_algorithms_are_compared_with_the_proven_optimum_only() -> None:
    proven, cut = row("exact", 0.8, (0, 2), 0.8), row("exact", 0.8, (0, 2), 0.9)
    section = algorithms_section([proven, row("greedy", 0.5)])
    assert [line["gap"] for line in section.rows] == [0, pytest.approx(0.3)]
    section = algorithms_section([cut, row("greedy", 0.5)])
    assert [line["algorithm"] for line in section.rows] == ["Exact (best found)", "Greedy"]
    assert [line["gap"] for line in section.rows] == [Undefined("the optimum is not proven")] * 2


def test_systems_stand_beside_the_bound() -> None:
    section = systems_section({"a": 0.2, "b": 0.5, "c": 0.4}, 0.4)
    assert [(line["system"], line["stands"]) for line in section.rows] == [
        ("b", "above the bound"),
        ("c", "at the bound"),
        ("a", "below"),
    ]
    assert [line["share"] for line in section.rows] == pytest.approx([1.25, 1, 0.5])
    assert "words of its own" in " ".join(section.notes)
    assert "words of its own" not in " ".join(systems_section({"a": 0.2}, 0.4).notes)
    assert isinstance(systems_section({"a": 0.0}, 0.0).rows[0]["share"], Undefined)
    assert systems_section({}, 0.4).rows == []


def test_spreads_are_quartiles_over_the_same_documents() -> None:
    rows = [row("exact", f1, (0,), f1, key) for key, f1 in zip("abcde", (0.1, 0.2, 0.3, 0.4, 1.0), strict=True)]
    rows += [row("greedy", 0.1, key=key) for key in "abcde"]
    f1 = {"low": dict.fromkeys("abz", 0.1), "high": dict.fromkeys("ab", 0.2), "other": {"z": 1.0}, "Exact": {"a": 0.1}}
    exact, greedy, *systems = spreads(rows, f1)
    assert exact[:2] == ("Exact", "oracle")
    assert exact[2:] == (5, *(pytest.approx(value) for value in (0.1, 0.2, 0.3, 0.4, 1.0, 0.4)))
    assert greedy.mean == pytest.approx(0.1)
    assert [(found.name, found.documents) for found in systems] == [("high", 2), ("low", 2), ("Exact", 1)]
    assert row_names([exact, greedy, *systems]) == ["Exact", "Greedy", "high", "low", "Exact (system)"]
    rows[0] = row("exact", 0.1, (0,), 0.5, "a")
    assert spreads(rows, {})[0].name == "Exact (best found)"
    table: Any = pd.DataFrame(distribution_chart([exact, *systems]).to_dict()["datasets"].popitem()[1])
    assert {"median", "mean", "lower_quartile"} <= set(table.columns)


# --- the page -----------------------------------------------------------------------------------------------------


@pytest.fixture
def world(sqlite_url: str) -> DataStore:
    return DataStore(connect(sqlite_url))


@pytest.fixture
def demo(world: DataStore) -> DataStore:
    add_demo(world)
    return world


def opened(**query: str) -> AppTest:
    app = AppTest.from_file(MAIN, default_timeout=120)
    app.switch_page("upper_bound.py")
    for name, value in query.items():
        app.query_params[name] = value
    return sound(app.run())


def sound(app: AppTest) -> AppTest:
    assert not app.exception, app.exception
    return app


def said(app: AppTest) -> str:
    kinds = (app.markdown, app.caption, app.info, app.warning, app.error, app.subheader)
    return "\n".join(str(element.value) for kind in kinds for element in kind).replace("\\", "")


def address(app: AppTest) -> dict[str, str]:
    return {name: value[-1] if isinstance(value, list) else value for name, value in app.query_params.items()}


def blocks(app: AppTest) -> list[str]:
    return [element.proto.body for element in app.get("html")]


def pressed(app: AppTest, label: str) -> AppTest:
    (button,) = [button for button in app.button if button.label.startswith(label)]
    return sound(button.click().run())


def chosen(app: AppTest, key: str, value: object) -> AppTest:
    return sound(app.button_group(key=f"bound_{key}").set_value(value).run())


def exact_row(document: Document, target: Target, length: Length | None = None) -> Row:
    (found,) = rows_of(Task(target, ("exact",), length), document)
    return found


def test_an_empty_database_shows_the_way(world: DataStore) -> None:
    for view in ("document", "all"):
        assert "no documents yet" in said(opened(view=view))


def test_the_first_document_is_open_with_its_optimum(demo: DataStore) -> None:
    app = opened()
    (document, summaries), (second, _), *_ = demo.records(DEMO)
    best = exact_row(document, Target())
    assert extract_html(document, best, Target()) in blocks(app)
    assert "Proven optimal" in said(app)
    assert f"F1 {best.f1:.4f}" in said(app)
    systems, algorithms = (frame.value for frame in app.dataframe)
    expected = judged(document, summaries, Target())
    assert dict(zip(systems["system"], systems["F1"], strict=True)) == pytest.approx(expected)
    assert list(systems["F1"]) == sorted(systems["F1"], reverse=True)
    assert list(systems["share"]) == pytest.approx([f1 / best.f1 for f1 in systems["F1"]])
    assert list(algorithms["algorithm"]) == list(NAMES.values())
    for name, f1 in zip(NAMES, algorithms["F1"], strict=True):
        solution = find(document, Target(), name)
        assert solution is not None
        assert f1 == pytest.approx(solution.solution.f1)
    assert address(app) == {
        **Asked(DEMO).address,
        "view": "document",
        "document": document.id,
        "algorithm": "exact",
    }
    pressed(app, "Next")
    assert address(app)["document"] == second.id
    assert extract_html(second, exact_row(second, Target()), Target()) in blocks(app)
    pressed(app, "Previous")
    assert address(app)["document"] == document.id


def test_a_link_shows_what_was_chosen(demo: DataStore) -> None:
    document = demo.records(DEMO)[5][0]
    asked = Asked(DEMO, Target(2, "set", "first"), Length(1))
    app = opened(**asked.address, view="document", document=document.id, algorithm="greedy")
    (greedy,) = rows_of(Task(asked.target, ("greedy",), asked.length), document)
    assert extract_html(document, greedy, asked.target) in blocks(app)
    assert len(greedy.places) <= 1
    assert explanation(asked) in said(app)
    assert address(app)["length"] == "1"
    chosen(app, "algorithm", "exact")
    assert extract_html(document, exact_row(document, asked.target, Length(1)), asked.target) in blocks(app)
    sound(app.number_input(key="bound_amount_sentences").set_value(2).run())
    assert address(app)["length"] == "2"
    for unit, name in (("words", "100w"), ("reference", "ref"), ("", None)):
        sound(app.selectbox(key="bound_unit").set_value(unit).run())
        assert address(app).get("length") == name
    chosen(app, "n", 1)
    assert address(app)["metric"] == "rouge1"
    # as if the browser went back: what the address says is shown, whatever the widgets said
    for name, value in {**asked.address, "view": "document", "document": document.id, "algorithm": "vns"}.items():
        app.query_params[name] = value
    sound(app.run())
    (vns,) = rows_of(Task(asked.target, ("vns",), asked.length), document)
    assert extract_html(document, vns, asked.target) in blocks(app)
    assert address(app)["algorithm"] == "vns"
    nowhere = opened(dataset="none", document="none", algorithm="none", view="none", length="none")
    assert demo.records(DEMO)[0][0].id == address(nowhere)["document"]


def test_only_the_taken_sentences_can_be_shown(demo: DataStore) -> None:
    app = opened()
    document = demo.records(DEMO)[0][0]
    best = exact_row(document, Target())
    sound(app.toggle(key="bound_only_taken").set_value(True).run())
    assert extract_html(document, best, Target(), only_taken=True) in blocks(app)


def test_all_documents_are_computed_once_and_shown(demo: DataStore) -> None:
    task = Task()
    app = opened(view="all")
    assert "**0 of 24 documents**" in said(app)
    assert not app.dataframe
    pressed(app, "Compute for 24 documents")
    evaluation = stored(demo, DEMO, task)
    assert len(evaluation.rows) == 24 * len(ALGORITHMS)
    assert not [button for button in app.button if button.label.startswith("Compute")]
    expected = standings(demo.records(DEMO), evaluation, task.target)
    table = app.dataframe[0].value
    assert list(table["system"]) == [found.system for found in expected]
    assert list(table["share"]) == pytest.approx([found.share for found in expected])
    titles = [section.title for section in oracle_sections(statistics(evaluation.rows), task, {})]
    assert [header.value for header in app.subheader] == [standings_section(expected).title, *titles]
    assert {row.algorithm for row in evaluation.rows} == set(NAMES)
    again = evaluate([demo.records(DEMO)[0][0]], task, processes=0)
    assert [found.f1 for found in evaluation.rows[: len(ALGORITHMS)]] == pytest.approx([f.f1 for f in again.rows])
    chosen(app, "definition", "set")  # another question, which nobody has asked yet
    assert "**0 of 24 documents**" in said(app)


def test_what_is_stored_is_shown_and_the_rest_is_offered(demo: DataStore) -> None:
    evaluate_stored(demo, DEMO, Task(), first=3, processes=0)
    app = opened(view="all")
    assert "**3 of 24 documents**" in said(app)
    assert [button.label for button in app.button if button.label.startswith("Compute")] == ["Compute for 21 documents"]
    assert set(app.dataframe[0].value["documents"]) == {3}


def test_documents_without_a_bound_are_said(world: DataStore) -> None:
    name, system = f"set {HOSTILE}".replace("\u202e", "").replace("\u202c", ""), f"system {HOSTILE}"
    records = [
        (Document("no source", "", ("red",)), [Summary("no source", system, "red")]),
        (Document("no word", "Red cars.", ("...",)), []),
        (Document("good", f"Red {HOSTILE}.", ("red cars",)), [Summary("good", system, f"red {HOSTILE}")]),
    ]
    world.add_dataset(name=name, format="interchange", sha256="0", records=records)
    app = opened(view="document")
    assert "No upper bound: the document has no sentence" in said(app)
    pressed(app, "Next")
    assert "No upper bound: it has no reference with a word" in said(app)
    pressed(app, "Next")
    assert "Proven optimal" in said(app)
    assert not [block for block in blocks(app) if "<img" in block]
    app = pressed(chosen(app, "view", "all"), "Compute for 1 document")
    assert set(app.dataframe[0].value["documents"]) == {1}
    assert "1 document is left out: the document has no sentence." in said(app)
    # the way back leads to the document that was open
    chosen(app, "view", "document")
    assert address(app)["document"] == "good"


def test_where_the_time_ends_nothing_is_called_optimal(world: DataStore, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [document for document, _ in read(DEMO_FILE, "interchange")]
    whole = Document(
        "whole",
        tuple(sentence for document in documents for sentence in sentences_of(document)),
        (" ".join(document.references[0] for document in documents),),
    )
    records = [(whole, [Summary("whole", "lead", whole.source[0])])]
    world.add_dataset(name="long", format="interchange", sha256="0", records=records)
    monkeypatch.setattr("pages.components.upper_bound_data.WAIT", 0.0)
    app = opened(definition="set")
    assert "Best found so far, the time was over" in said(app)
    assert "ptimal" not in said(app)
    stated = re.search(r"no extract is above (\d\.\d{4})", said(app))
    assert stated is not None
    bound = float(stated[1])
    target = Target(definition="set")
    best = exact_row(whole, target)
    assert best.proven
    assert bound >= best.f1 - 5e-5
    systems, algorithms = (frame.value for frame in app.dataframe)
    assert algorithms["algorithm"][0] == "Exact (best found)"
    assert algorithms["gap"].isna().all()
    assert "the optimum is not proven" in said(app)
    assert systems["share"][0] == pytest.approx(systems["F1"][0] / bound, abs=1e-4)
    # what a longer search has proven is better, and taken
    evaluate_stored(world, "long", Task(target, ("exact",)), processes=0)
    sound(app.run())
    assert f"F1 {best.f1:.4f}" in said(app)
    assert "Proven optimal" in said(app)


@pytest.mark.parametrize(("name", "count"), [("summeval.jsonl", 4), ("scitldr/dev.jsonl", 6)])
def test_real_documents(world: DataStore, shared_data: Path, name: str, count: int) -> None:
    format = "interchange" if name.startswith("summeval") else "scitldr"
    records = [record for _, record in zip(range(count), read(shared_data / name, format), strict=False)]
    world.add_dataset(name="real", format=format, sha256="0", records=records)
    app = opened(dataset="real", metric="rouge2", definition="set")
    for place, (document, _) in enumerate(records):
        best = exact_row(document, Target(2, "set"))
        assert extract_html(document, best, Target(2, "set")) in blocks(app)
        if place < count - 1:
            pressed(app, "Next")
