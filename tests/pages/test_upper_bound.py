"""The page Upper bound against the functions that it shows, and what it says of texts and tables."""

import re
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from relevance.data.database import connect
from relevance.data.demo import FILE as DEMO_FILE
from relevance.data.demo import NAME as DEMO
from relevance.data.demo import add_demo
from relevance.data.importers import read_documents
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore, NotSignedIn
from relevance.pages.components.shared import documents as choosing
from relevance.pages.components.shared.result_table import table_height
from relevance.pages.components.upper_bound import evaluated, search
from relevance.pages.components.upper_bound.choice import (
    MOST,
    OPENING,
    ROWS,
    SEARCHES,
    BoundChoice,
    asked_by,
    describe_best_system,
    explanation,
    headline,
    name_documents,
    not_here,
)
from relevance.pages.components.upper_bound.extract import (
    FOLDED,
    extract_html,
    extract_words,
    greedy_words,
    why_nothing,
)
from relevance.pages.components.upper_bound.search import SEARCH
from relevance.reports.charts import distribution_chart, row_names
from relevance.reports.tables.bounds import (
    algorithm_name,
    documents_table,
    score_distributions,
    standings_table,
    systems_table,
)
from relevance.reports.tables.oracles import oracle_tables
from relevance.reports.tables.table import Undefined
from relevance.summarizers.base import REFERENCE_LENGTH, SummaryLength
from relevance.summarizers.oracles import Target
from relevance.summarizers.oracles.evaluation import (
    OracleRow,
    OracleTask,
    evaluate,
    evaluate_stored,
    rows_of,
    summarize_algorithms,
)
from relevance.summarizers.oracles.extracts import look_into
from relevance.summarizers.oracles.standing import SystemScore, judged_all, score_systems, standings_of
from relevance.summarizers.sentences import sentences_of
from tests.pages.opening import address, new_session, open_page, page_text, pressed, sound, visible
from tests.summarizers.oracles.loading import load_evaluation

HOSTILE = "<img src=x onerror=alert(1)> :red[red] **bold** \u202ebidi\u202c"


def row(
    algorithm: str, f1: float, places: tuple[int, ...] = (0,), bound: float | None = None, key: str = "d"
) -> OracleRow:
    return OracleRow(key, algorithm, f1, places, 0, bound, bound is not None and bound - f1 <= 1e-6, 0.25)


# --- what is asked for ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wanted",
    [
        BoundChoice("a"),
        BoundChoice("b", Target(2, "set", "first"), SummaryLength(3)),
        BoundChoice("a", Target(2), SummaryLength(100, "words")),
        BoundChoice("b", Target(1, "set"), REFERENCE_LENGTH),
    ],
)
def test_an_address_says_what_is_asked_for(wanted: BoundChoice) -> None:
    assert asked_by(wanted.address, ["a", "b"]) == wanted


@pytest.mark.parametrize(
    "length", ["0", "-1", "3x", "w", "1e3", "٣", str(MOST["sentences"] + 1), "9" * 40, "ref ", "", "reference"]
)
def test_what_an_address_says_wrongly_is_usual(length: str) -> None:
    wrong = {"dataset": "c", "metric": "rouge3", "definition": "x", "references": "mean", "length": length}
    assert asked_by(wrong, ["a", "b"]) == BoundChoice("a")


def test_the_choices_are_explained() -> None:
    assert "as often as both texts have it" in explanation(BoundChoice("a"))
    text = explanation(BoundChoice("a", Target(1, "set", "first"), SummaryLength(1)))
    for words in ("counts once", "the first reference counts", "at most 1 sentence.", "Ordinary ROUGE"):
        assert words in text
    assert "as ROUGE counts" not in text
    pairs = explanation(BoundChoice("a", Target(2)))
    assert "across sentence ends" in pairs
    assert "may be higher" in pairs
    assert "across sentence ends" not in explanation(BoundChoice("a"))
    assert "ROUGE-2 F1" in headline(BoundChoice("a", Target(2)))


def test_what_a_link_names_in_vain_is_said() -> None:
    right = {**BoundChoice("a", Target(2, "set", "first"), SummaryLength(3)).address, "view": "all"}
    assert not_here(right, ["a"]) == []
    assert not_here({}, ["a"]) == []
    wrong = dict.fromkeys(right, f"none {HOSTILE} {'x' * 200}")
    text = not_here(wrong, ["a"])
    assert len(text) == len(right)
    for name in ("data set", "metric", "way of counting", "rule for references", "view", "length"):
        assert any(f"a {name} that is not here (“none <img" in line for line in text), name
    assert all(len(line) < 2 * OPENING + 60 for line in text)
    assert "there is no limit" in text[-1]


def test_documents_are_called_by_their_number_and_title_or_opening_words() -> None:
    documents = [
        Document("a", "Storms  came.\nRain fell.", ("storm",), "A title"),
        Document("b", ("Storms  came.", "Rain fell."), ("storm",)),
        Document("c", "word " * 10_000, ("storm",)),
        Document("d", "", ("storm",)),
        Document("e", HOSTILE, ("storm",)),
    ]
    names = name_documents(documents)
    assert list(names) == list("abcde")
    assert list(names.values())[:2] == ["1 · A title", "2 · Storms came. Rain fell."]
    assert names["c"].endswith("…")
    assert len(names["c"]) <= len("3 · ") + OPENING
    assert names["d"] == "4 · storm"  # there is but the reference
    assert "\u202e" not in names["e"]


# --- an extract -------------------------------------------------------------------------------------------------

CARS = Document("d", ("Red cars stop.", "They are old.", "Red boats."), ("blue ships", "red boats stop here"))


def test_what_is_known_of_better_extracts_is_said() -> None:
    best = row("exact", 0.8, (0, 2), 0.8)
    bound_choice = BoundChoice("a")
    words = extract_words(best, CARS, bound_choice)
    assert words == (
        "F1 0.8000 against reference 1 of 2, 2 sentences, 5 words. Proven optimal in 0.25 s: no extract scores higher."
    )
    cut = row("exact", 0.7, (0,), 0.85)
    words = extract_words(cut, CARS, bound_choice)
    assert "Best found so far" in words
    assert "no extract is above 0.8500" in words
    assert "ptim" not in words
    assert greedy_words(row("greedy", 0.7), best) == "The greedy search reaches 0.7000 with 1 sentence, 0.1000 less."
    assert greedy_words(row("greedy", 0.8), best) == "The greedy search finds one that is as good."
    assert greedy_words(row("greedy", 0.0), row("exact", 0.0, (), 0.0)) == ""
    for target in (Target(2), Target(1, "set")):  # other numbers than the ordinary ROUGE
        assert "no extract scores higher by this count." in extract_words(best, CARS, BoundChoice("a", target))
    assert (algorithm_name("exact", True), algorithm_name("exact", False), algorithm_name("vns", False)) == (
        "exact",
        "exact (best found)",
        "vns",
    )


@pytest.mark.parametrize(
    ("wanted", "references", "why"),
    [
        (BoundChoice("a", length=SummaryLength(1, "words")), ("red",), "no sentence has 1 word or fewer"),
        (
            BoundChoice("a", length=SummaryLength(2, "words")),
            ("old",),
            "no sentence of at most 2 words shares a word with the",
        ),
        (BoundChoice("a", length=REFERENCE_LENGTH), ("old",), "no sentence has 1 word or fewer"),
        (BoundChoice("a", length=SummaryLength(1)), ("ships",), "no sentence shares a word with the reference"),
        (
            BoundChoice("a", length=SummaryLength(100, "words")),
            ("ships", "blue"),
            "no sentence shares a word with a reference",
        ),
        (BoundChoice("a", Target(2)), ("stop they",), "no sentence shares a pair of words with the reference"),
        (
            BoundChoice("a", Target(1, references="first")),
            ("ships", "red"),
            "no sentence shares a word with the reference",
        ),
    ],
)
def test_why_nothing_is_taken_is_said(wanted: BoundChoice, references: tuple[str, ...], why: str) -> None:
    document = Document("d", CARS.source, references)
    (best,) = rows_of(OracleTask(wanted.target, ("exact",), wanted.length), document)
    assert (best.places, best.f1, best.proven) == ((), 0, True)
    assert why_nothing(document, wanted).startswith(why)
    assert why in extract_words(best, document, wanted)


def test_taken_sentences_and_covered_words_are_marked() -> None:
    target = Target()
    (best,) = rows_of(OracleTask(target, ("exact",)), CARS)
    html = extract_html(CARS, best, target)
    # "Red cars stop." and "Red boats." have 5 words, the second reference 4: red, stop and boats match
    assert (best.reference, best.places) == (1, (2,)) or best.f1 >= 2 * 3 / (5 + 4)
    assert html.count('<span class="badge">taken</span>') == len(best.places)
    lines = re.findall(r"<li( class=\"taken\")?><span", html)
    assert [bool(kind) for kind in lines] == [place in best.places for place in range(3)]
    covered = re.findall(r'<mark class="k-matched"[^>]*data-group="(g\d+)"', html)
    assert len(covered) == 2 * len(set(covered))  # each in the source and in the reference
    assert f"= {best.f1:.4f}." in visible(html)
    assert len(set(covered)) == int(re.search(r"(\d+) of the 4 words that ROUGE counts", visible(html))[1])  # type: ignore[index]
    assert "k-missed" in html
    nothing = extract_html(CARS, row("exact", 0.0, (), 0.0), target)
    assert "0 of 3 sentences taken" in visible(nothing)
    assert 'class="taken"' not in nothing
    assert "<details" not in nothing


def test_sentences_between_those_taken_are_folded() -> None:
    source = tuple(f"Storm {number}." for number in range(9))
    document = Document("d", source, ("storm",))
    html = extract_html(document, row("exact", 0.5, (3, 5)), Target())
    assert re.findall(r"<summary>(.*?)</summary>", html) == [
        "3 sentences not taken (1–3)",
        "3 sentences not taken (7–9)",
    ]
    assert FOLDED == 2  # the fifth, alone between two, is shown
    outside = re.sub(r"<details>.*?</details>", "", html, flags=re.DOTALL)
    assert re.findall(r'<span class="number">(\d)</span>', outside) == ["4", "5", "6"]
    assert re.findall(r'<span class="number">(\d)</span>', html) == [str(number) for number in range(1, 10)]


@pytest.mark.parametrize("target", [Target(), Target(2, "set")])
def test_texts_are_never_markup(target: Target) -> None:
    document = Document("d", f"Storm {HOSTILE}. The storm {HOSTILE}.", (f"storm {HOSTILE}",))
    (best,) = rows_of(OracleTask(target, ("exact",)), document)
    assert best.f1 > 0
    html = extract_html(document, best, target)
    assert "<img" not in html
    texts = visible(html)
    for sentence in (*sentences_of(document), *document.references):
        assert sentence in texts


# --- tables -----------------------------------------------------------------------------------------------------


def scored(f1_of: dict[str, dict[str, float]]) -> dict[str, dict[str, SystemScore]]:
    """The same with the words of summaries, nine of each."""
    return {system: {key: SystemScore(f1, 9) for key, f1 in of.items()} for system, of in f1_of.items()}


def test_systems_stand_beside_the_bound() -> None:
    section = systems_table({"a": SystemScore(0.2, 9), "b": SystemScore(0.5, 8), "c": SystemScore(0.4, 7)}, 0.4)
    assert [(line["system"], line["gap"]) for line in section.rows] == [
        ("b", pytest.approx(-0.1)),
        ("c", 0),
        ("a", pytest.approx(0.2)),
    ]
    assert [line["share"] for line in section.rows] == pytest.approx([1.25, 1, 0.5])
    assert [line["words"] for line in section.rows] == [8, 7, 9]
    assert "words of its own" in " ".join(section.notes)
    assert "words of its own" not in " ".join(systems_table({"a": SystemScore(0.2, 9)}, 0.4).notes)
    assert isinstance(systems_table({"a": SystemScore(0.0, 9)}, 0.0).rows[0]["share"], Undefined)
    assert systems_table({}, 0.4).rows == []
    assert "read the references" not in " ".join(section.notes)
    assert "read the references" in " ".join(systems_table({"oracle-vns-rouge2": SystemScore(0.4, 9)}, 0.4).notes)


def test_the_verdict_is_of_systems_that_do_not_read_the_references() -> None:
    rows = [row("exact", 0.5, bound=0.5, key="a"), row("exact", 0.3, bound=0.3, key="b"), row("vns", 0.1, key="a")]
    scores = scored(
        {
            "oracle-exact-rouge1": {"a": 0.5, "b": 0.3},
            "worse": {"a": 0.1, "b": 0.1},
            "better": {"a": 0.2, "b": 0.2},
            "rare": {"a": 0.4},
        }
    )
    best_system = describe_best_system(standings_of(scores, rows), rows, BoundChoice("a"))
    assert best_system == "No extracts exceed 0.400 on average; the best system, better, reaches 50% of that (0.200)."
    alone = describe_best_system(
        standings_of({"rare": scores["rare"]}, rows), rows, BoundChoice("a", length=SummaryLength(1))
    )
    assert alone == (
        "No extracts of this length exceed 0.400 on average; the best system, rare, reaches 80% of the bound on its "
        "1 document (0.400)."
    )
    higher = standings_of(scored({"longer": {"a": 0.6, "b": 0.4}}), rows)
    assert describe_best_system(higher, rows, BoundChoice("a", length=SummaryLength(1))) == (
        "No extracts of this length exceed 0.400 on average; the best system, longer, exceeds that (0.500): it is not "
        "limited to extracts of this length."
    )
    rows[1] = row("exact", 0.2, bound=0.4, key="b")
    assert describe_best_system([], rows, BoundChoice("a")) == (
        "Extracts reach at most 0.450 on average (1 of 2 optima are not proven)."
    )
    notes = " ".join(standings_table(standings_of(scores, rows)).notes)
    assert "read the references" in notes
    assert [(distribution.name, distribution.kind) for distribution in score_distributions(rows, scores)[2:]] == [
        ("oracle-exact-rouge1", "oracle"),
        ("rare", "system"),
        ("better", "system"),
        ("worse", "system"),
    ]


def test_documents_are_listed_by_the_gap_of_their_best_system() -> None:
    rows = [
        *(row("exact", 0.5, bound=0.5, key="a"), row("greedy", 0.4, key="a")),
        *(row("exact", 0.6, bound=0.8, key="b"), row("greedy", 0.4, key="b")),
        *(row("exact", 0.5, bound=0.5, key="c"), row("greedy", 0.5, key="c")),
    ]
    f1 = {"one": {"a": 0.6, "b": 0.2}, "two": {"a": 0.55, "b": 0.3}, "oracle-exact-rouge1": {"a": 0.5, "b": 0.7}}
    section = documents_table(rows, scored(f1), {"a": "1 · A", "b": "2 · B", "c": "3 · C"})
    b, a, c = section.rows
    assert (b["document"], b["best system"], b["gap"]) == ("2 · B", "two", pytest.approx(0.5))
    assert (a["document"], a["best system"], a["gap"], a["systems above"]) == ("1 · A", "one", pytest.approx(-0.1), 2)
    assert a["greedy: gap"] == pytest.approx(0.1)
    assert b["greedy: gap"] == Undefined("the optimum is not proven")
    assert (c["greedy: gap"], c["id"]) == (0, "c")
    assert isinstance(c["gap"], Undefined)
    assert table_height(ROWS, ROWS) == table_height(4 * ROWS, ROWS) > table_height(ROWS - 1, ROWS)


def test_spreads_are_quartiles_over_the_same_documents() -> None:
    rows = [row("exact", f1, (0,), f1, key) for key, f1 in zip("abcde", (0.1, 0.2, 0.3, 0.4, 1.0), strict=True)]
    rows += [row("greedy", 0.1, key=key) for key in "abcde"]
    f1 = {"low": dict.fromkeys("abz", 0.1), "high": dict.fromkeys("ab", 0.2), "other": {"z": 1.0}, "exact": {"a": 0.1}}
    exact, greedy, *systems = score_distributions(rows, scored(f1))
    assert exact[:2] == ("exact", "oracle")
    assert exact[2:] == (5, *(pytest.approx(value) for value in (0.1, 0.2, 0.3, 0.4, 1.0, 0.4)))
    assert greedy.mean == pytest.approx(0.1)
    assert [(system.name, system.documents) for system in systems] == [("high", 2), ("low", 2), ("exact", 1)]
    assert row_names([exact, greedy, *systems]) == ["exact", "greedy", "high", "low", "exact (system)"]
    rows[0] = row("exact", 0.1, (0,), 0.5, "a")
    assert score_distributions(rows, {})[0].name == "exact (best found)"
    table: Any = pd.DataFrame(distribution_chart([exact, *systems]).to_dict()["datasets"].popitem()[1])
    assert {"median", "mean", "lower_quartile"} <= set(table.columns)


# --- the page -----------------------------------------------------------------------------------------------------


opened = partial(open_page, "upper_bound.py")


@pytest.fixture
def world(sqlite_url: str) -> DataStore:
    return DataStore(connect(sqlite_url))


@pytest.fixture
def demo(world: DataStore) -> DataStore:
    add_demo(world)
    return world


def blocks(app: AppTest) -> list[str]:
    return [element.proto.body for element in app.get("html")]


def chosen(app: AppTest, key: str, value: object) -> AppTest:
    return sound(app.button_group(key=f"bound_{key}").set_value(value).run())


def exact_row(document: Document, target: Target, length: SummaryLength | None = None) -> OracleRow:
    (result,) = rows_of(OracleTask(target, ("exact",), length), document)
    return result


def test_an_empty_database_shows_the_way(world: DataStore) -> None:
    for view in ("document", "all"):
        assert "no documents yet" in page_text(opened(view=view))


def test_a_long_text_of_one_sentence_is_said(world: DataStore) -> None:
    long = Document("long", "red cars drive and " * 40, ("red cars",))
    short = Document("short", "Red cars. They drive.", ("red cars",))
    world.add_dataset(name="long", format="interchange", sha256="0" * 64, records=[(long, []), (short, [])])
    assert "This document is one sentence of over 100 words, as no sentence end was found" in page_text(opened())
    assert "no sentence end" not in page_text(opened(dataset="long", document="short"))
    assert "1 of 2 documents are one sentence of over 100 words each" in page_text(opened(view="all"))


def test_the_first_document_is_open_with_its_optimum(demo: DataStore) -> None:
    app = opened()
    (document, summaries), (second, _), *_ = demo.records(DEMO)
    best = exact_row(document, Target())
    assert extract_html(document, best, Target()) in blocks(app)
    assert "Proven optimal" in page_text(app)
    assert f"F1 {best.f1:.4f}" in page_text(app)
    (greedy,) = rows_of(OracleTask(Target(), ("greedy",)), document)
    assert greedy_words(greedy, best) in page_text(app)
    (systems,) = (frame.value for frame in app.dataframe)
    expected = score_systems(document, summaries, Target())
    assert dict(zip(systems["system"], systems["F1"], strict=True)) == pytest.approx(
        {system: score.f1 for system, score in expected.items()}
    )
    assert dict(zip(systems["system"], systems["words"], strict=True)) == {
        summary.system: len(summary.text.split()) for summary in summaries
    }
    assert list(systems["F1"]) == sorted(systems["F1"], reverse=True)
    assert list(systems["share"]) == pytest.approx([f1 / best.f1 for f1 in systems["F1"]])
    assert address(app) == {**BoundChoice(DEMO).address, "view": "document", "document": document.id}
    pressed(app, "Next")
    assert address(app)["document"] == second.id
    assert extract_html(second, exact_row(second, Target()), Target()) in blocks(app)
    pressed(app, "Previous")
    assert address(app)["document"] == document.id


def test_a_link_shows_what_was_chosen(demo: DataStore) -> None:
    document = demo.records(DEMO)[5][0]
    bound_choice = BoundChoice(DEMO, Target(2, "set", "first"), SummaryLength(1))
    app = opened(**bound_choice.address, view="document", document=document.id)
    first = exact_row(document, bound_choice.target, SummaryLength(1))
    assert len(first.places) == 1
    assert extract_html(document, first, bound_choice.target) in blocks(app)
    assert explanation(bound_choice) in page_text(app)
    assert address(app)["length"] == "1"
    sound(app.number_input(key="bound_amount_sentences").set_value(2).run())
    assert address(app)["length"] == "2"
    for unit, name in (("words", "100w"), ("reference", "ref"), ("", None)):
        sound(app.selectbox(key="bound_unit").set_value(unit).run())
        assert address(app).get("length") == name
    chosen(app, "n", 1)
    assert address(app)["metric"] == "rouge1"
    # as if the browser went back: what the address says is shown, whatever the widgets page_text
    for name, value in {**bound_choice.address, "view": "document", "document": document.id}.items():
        app.query_params[name] = value
    sound(app.run())
    assert extract_html(document, first, bound_choice.target) in blocks(app)
    assert address(app)["length"] == "1"
    nowhere = opened(dataset="none", document="none", view="none", length="none")
    assert demo.records(DEMO)[0][0].id == address(nowhere)["document"]
    for name in ("data set", "document", "view", "length"):
        assert f"a {name} that is not here (“none”)" in page_text(nowhere)
    assert "not here" not in page_text(sound(nowhere.run()))  # the address is right by now
    assert "not here" not in page_text(app)


def test_all_documents_are_computed_once_and_shown(demo: DataStore) -> None:
    task = BoundChoice(DEMO).task
    app = opened(view="all")
    assert "**0 of 24 documents**" in page_text(app)
    assert not app.dataframe
    pressed(app, "Compute for 24 documents")
    evaluation = load_evaluation(demo, DEMO, task)
    assert len(evaluation.rows) == 24 * len(SEARCHES)
    assert not [button for button in app.button if button.label.startswith("Compute")]
    expected = standings_of(judged_all(demo.records(DEMO), task.target), evaluation.rows)
    table = app.dataframe[0].value
    assert list(table["system"]) == [result.system for result in expected]
    assert list(table["share"]) == pytest.approx([result.share for result in expected])
    assert list(table["words"]) == pytest.approx([result.words for result in expected])
    known = look_into(evaluation.rows, [document for document, _ in demo.records(DEMO)], task.target)
    titles = [section.title for section in oracle_tables(summarize_algorithms(evaluation.rows), task, {}, known)]
    assert [header.value for header in app.header] == [
        standings_table(expected).title,
        "Document by document",
        *titles,
    ]
    bound_choice = BoundChoice(DEMO)
    assert describe_best_system(expected, evaluation.rows, bound_choice) in page_text(app)
    assert list(app.dataframe[2].value["algorithm"]) == list(SEARCHES)
    assert not [frame for frame in app.dataframe if "signature" in frame.value]
    command, signatures = app.code
    assert command.value == f"relevance oracle {DEMO}"
    assert set(signatures.value.splitlines()) == set(task.signatures.values())
    gaps = app.dataframe[1].value["gap"]
    assert list(gaps) == sorted(gaps, reverse=True)
    assert set(app.dataframe[1].value["id"]) == {document.id for document, _ in demo.records(DEMO)}
    again = evaluate([demo.records(DEMO)[0][0]], task, processes=0)
    assert [row.f1 for row in evaluation.rows[: len(SEARCHES)]] == pytest.approx([f.f1 for f in again.rows])
    chosen(app, "definition", "set")  # another question, which nobody has asked yet
    assert "**0 of 24 documents**" in page_text(app)


def test_what_is_stored_is_shown_and_the_rest_is_offered(demo: DataStore) -> None:
    evaluate_stored(demo, DEMO, BoundChoice(DEMO).task, first=3, processes=0)
    app = opened(view="all")
    assert "**3 of 24 documents**" in page_text(app)
    assert [button.label for button in app.button if button.label.startswith("Compute")] == ["Compute for 21 documents"]
    assert set(app.dataframe[0].value["documents"]) == {3}


class LateSearch(Event):
    """A search that somebody has stopped, and that stores three documents before it ends."""

    def __init__(self, data: DataStore) -> None:
        super().__init__()
        self.data = data

    def wait(self, timeout: float | None = None) -> bool:
        evaluate_stored(self.data, DEMO, BoundChoice(DEMO).task, first=3, processes=0)
        self.set()
        return True


def test_many_documents_are_listed_a_page_at_a_time(demo: DataStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluated, "PER_PAGE", 2)
    monkeypatch.setattr("relevance.pages.components.upper_bound.all_documents.PER_PAGE", 2)
    evaluate_stored(demo, DEMO, BoundChoice(DEMO).task, first=3, processes=0)
    app = opened(view="all")
    first = app.dataframe[1].value
    app.session_state[f"bound_page:{DEMO}:3"] = 2
    second = sound(app.run()).dataframe[1].value
    assert [len(first), len(second)] == [2, 1]
    assert list(pd.concat([first, second])["gap"]) == sorted([*first["gap"], *second["gap"]], reverse=True)


def test_of_many_documents_one_is_found_by_number_id_or_title(demo: DataStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "MANY", 24)
    documents = [document for document, _ in demo.records(DEMO)]
    titles = [" ".join((document.title or "").split()) for document in documents]
    app = opened(document=documents[2].id)

    def field() -> str:
        return str(app.text_input(key="bound_document_number").value)

    def shows(place: int) -> bool:
        document = documents[place]
        return (
            address(app)["document"] == document.id
            and field() == str(place + 1)
            and extract_html(document, exact_row(document, Target()), Target()) in blocks(app)
            and document.id in visible(page_text(app))
        )

    assert shows(2)
    assert not [box for box in app.selectbox if box.label == "Document"]
    pressed(app, "Next")
    assert shows(3)
    for wanted, place in (("24", 23), (documents[5].id, 5), (titles[7].upper(), 7), (" 1 ", 0)):
        sound(app.text_input(key="bound_document_number").input(wanted).run())
        assert shows(place), wanted
    assert next(button for button in app.button if button.label == "Previous").disabled
    sound(app.text_input(key="bound_document_number").input("nothing of the *kind*").run())
    assert shows(0)
    assert "No document has the number or id “nothing of the *kind*”" in visible(page_text(app))
    sound(app.run())
    assert "No document has" not in page_text(app)
    assert "a document that is not here (“none”)" in page_text(opened(document="none"))


def test_what_a_stopped_search_stores_last_is_shown(demo: DataStore) -> None:
    app = new_session(dataset=DEMO, view="all")
    app.session_state[SEARCH] = LateSearch(demo)
    sound(app.switch_page("upper_bound.py").run())
    assert "**3 of 24 documents**" in page_text(app)


def test_a_search_has_ended_however_it_ends(demo: DataStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("stopped")

    monkeypatch.setattr(search, "WorkerProcess", fail)
    app = open_page("upper_bound.py", dataset=DEMO, view="all")
    app.button(key="bound_compute").click().run()
    assert app.exception
    assert app.session_state[SEARCH].is_set()


def test_a_search_ends_when_whoever_asked_for_it_may_not_go_on(
    demo: DataStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise NotSignedIn("you are not signed in")

    app = open_page("upper_bound.py", dataset=DEMO, view="all")
    monkeypatch.setattr(search, "open_stores", refuse)
    app.button(key="bound_compute").click().run()
    assert app.session_state[SEARCH].is_set()
    assert demo.count_bounds(dataset=DEMO, signatures=BoundChoice(DEMO).task.signatures.values()) < 24


def test_documents_without_a_bound_are_said(world: DataStore) -> None:
    name, system = f"set {HOSTILE}".replace("\u202e", "").replace("\u202c", ""), f"system {HOSTILE}"
    records = [
        (Document("no source", "", ("red",)), [Summary("no source", system, "red")]),
        (Document("no word", "Red cars.", ("...",)), []),
        (Document("good", f"Red {HOSTILE}.", ("red cars",)), [Summary("good", system, f"red {HOSTILE}")]),
    ]
    world.add_dataset(name=name, format="interchange", sha256="0", records=records)
    app = opened(view="document")
    assert "No upper bound: the document has no sentence" in page_text(app)
    pressed(app, "Next")
    assert "No upper bound: it has no reference with a word" in page_text(app)
    pressed(app, "Next")
    assert "Proven optimal" in page_text(app)
    assert not [block for block in blocks(app) if "<img" in block]
    app = pressed(chosen(app, "view", "all"), "Compute for 1 document")
    assert set(app.dataframe[0].value["documents"]) == {1}
    assert "1 document is left out: the document has no sentence." in page_text(app)
    # the way back leads to the document that was open
    chosen(app, "view", "document")
    assert address(app)["document"] == "good"


def test_where_the_time_ends_nothing_is_called_optimal(world: DataStore, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [document for document, _ in read_documents(DEMO_FILE, "interchange")]
    whole = Document(
        "whole",
        # every other word of each sentence: many short ones are hard to choose from
        tuple(
            " ".join(sentence.split()[start::2])
            for document in documents
            for sentence in sentences_of(document)
            for start in (0, 1)
        ),
        (" ".join(document.references[0] for document in documents),),
    )
    records = [(whole, [Summary("whole", "lead", whole.source[0])])]
    world.add_dataset(name="long", format="interchange", sha256="0", records=records)
    monkeypatch.setattr("relevance.pages.components.upper_bound.cached.WAIT", 0.0)
    app = opened()
    assert "Best found so far, the time was over" in page_text(app)
    assert "ptimal" not in page_text(app)
    stated = re.search(r"no extract is above (\d\.\d{4})", page_text(app))
    assert stated is not None
    bound = float(stated[1])
    target = Target()
    best = exact_row(whole, target)
    assert best.proven
    assert bound >= best.f1 - 5e-5
    (systems,) = (frame.value for frame in app.dataframe)
    assert systems["share"][0] == pytest.approx(systems["F1"][0] / bound, abs=1e-4)
    # what a longer search has proven is better, and taken
    evaluate_stored(world, "long", OracleTask(target, ("exact",)), processes=0)
    sound(app.run())
    assert f"F1 {best.f1:.4f}" in page_text(app)
    assert "Proven optimal" in page_text(app)


@pytest.mark.parametrize(("name", "count"), [("summeval.jsonl", 4), ("scitldr/dev.jsonl", 6)])
def test_real_documents(world: DataStore, shared_data: Path, name: str, count: int) -> None:
    format = "interchange" if name.startswith("summeval") else "scitldr"
    records = [record for _, record in zip(range(count), read_documents(shared_data / name, format), strict=False)]
    world.add_dataset(name="real", format=format, sha256="0", records=records)
    app = opened(dataset="real", metric="rouge2", definition="set")
    for place, (document, _) in enumerate(records):
        best = exact_row(document, Target(2, "set"))
        assert extract_html(document, best, Target(2, "set")) in blocks(app)
        if place < count - 1:
            pressed(app, "Next")
