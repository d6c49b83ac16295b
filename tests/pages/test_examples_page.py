"""The Examples page against the functions that it shows: list, filters, its address, and the evidence of a pair."""

from __future__ import annotations

import html as markup
import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from threading import Event
from typing import Any, get_args

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from annotation.records import StudySpec
from annotation.results import load_judgments, load_rated_pairs
from annotation.store import AnnotationStore
from data.database import connect, now
from data.records import Document, Example, Summary
from data.store import DataStore, StoredScore
from metrics import default_metrics, make_metrics
from metrics.explained import CannotExplain, Explained, explain
from metrics.from_signature import metric_of
from metrics.scoring import score_dataset
from pages.components.examples.pairs import SHOWN, PairFilter, Show, confusion, filter_pairs, make_pairs_frame, verdicts
from pages.components.shared.sources import Source
from tests.pages.opening import address, drawn_until, html, open_page, said, sound, visible
from tests.waiting import until

NAME, ASPECT, STUDY = "set & <b>", "relevance?", "Study #1"
NOVELTY, ALL = "words not in the source", "all metrics"
METRICS = ["rouge1", "rouge2", "rougeL", "rouge_k", "length"]

SYSTEMS = ("A", "people", "how strongly")
"""Named like columns of the list."""

RATINGS = {"d0": (3, 2, 1), "d1": (1, 2, 3), "d2": (2, 2, 5), "bare": (1, 2, 2)}
TEXTS = {
    "A": "The storm hit the coast.",
    "people": "The storm flooded the town of the coast.",
    "how strongly": "Nobody saw a bridge in the river tonight at all.",
}


opened = partial(open_page, "examples.py")


class World:
    """A data set of four documents with three systems each; `bare` has one reference, and so no keywords."""

    def __init__(self, url: str) -> None:
        engine = connect(url)
        self.data, self.annotation = DataStore(engine), AnnotationStore(engine)

    def add(self, rated_too: bool = True) -> None:
        records = [
            (
                Document(
                    name,
                    f"A storm hit the coast and the town of {name}.",
                    (f"Storm hits coast {name}.",)
                    if name == "bare"
                    else (f"A storm hit the coast near the river ({name}).", "The storm flooded the town."),
                    None if name == "bare" else f"Storm over {name}",
                ),
                [
                    Summary(name, system, f"{TEXTS[system]} {name}", {ASPECT: rating} if rated_too else {})
                    for system, rating in zip(SYSTEMS, ratings, strict=True)
                ],
            )
            for name, ratings in RATINGS.items()
        ]
        self.data.add_dataset(name=NAME, format="interchange", sha256="0", records=records)

    def score(self) -> None:
        score_dataset(self.data, NAME, make_metrics(default_metrics()))

    def ask(self) -> None:
        self.annotation.create_study(StudySpec(name=STUDY, dataset=NAME, rule="all", ties=True, judgments_per_pair=2))

    def judge(self, annotator: str, choices: Sequence[str]) -> None:
        """Judge all pairs; the choices are taken in turn."""
        token = self.annotation.join(study=STUDY, name=annotator)
        place = 0
        while (task := self.annotation.next_task(token)) is not None:
            self.annotation.judge(
                annotator=token,
                assignment_id=task.assignment_id,
                choice=choices[place % len(choices)],
                presented_at=now() - timedelta(seconds=5),
            )
            place += 1


@pytest.fixture
def world(sqlite_url: str) -> World:
    return World(sqlite_url)


@pytest.fixture
def known(world: World) -> World:
    world.add()
    world.score()
    return world


def list_of(app: AppTest) -> pd.DataFrame:
    (found,) = (d.value for d in app.dataframe if "how strongly" in d.value.columns)
    words = {name: "object" for name, kind in found.dtypes.items() if kind == "category"}
    return found.astype(words)


def table_of(app: AppTest) -> pd.DataFrame:
    (found,) = (d.value for d in app.dataframe if "against" in d.value.columns)
    return found


def pair_table(app: AppTest) -> pd.DataFrame:
    """The table of scores as it is read: of, A, B, difference, prefers, notes, signature."""
    (found,) = re.findall(r'<div class="scores pair-scores".*?</table>', html(app), re.DOTALL)
    lines = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line) for line in re.findall(r"<tr>.*?</tr>", found, re.DOTALL)]
    heads, *rows = [[markup.unescape(re.sub("<[^>]*>", "", cell)) for cell in line] for line in lines]
    return pd.DataFrame(rows, columns=heads).set_index("of")


def filtered(app: AppTest, show: str, **metrics_of: str) -> AppTest:
    sound(app.selectbox(key="example_show").set_value(show).run())
    for name, value in metrics_of.items():
        sound(app.selectbox(key=f"example_{name}").set_value(value).run())
    return app


def see(app: AppTest, what: str) -> AppTest:
    return sound(app.button_group(key="evidence").set_value(what).run())


def expected(world: World, chosen: PairFilter) -> pd.DataFrame:
    preferences = load_rated_pairs(world.data, NAME, ASPECT)
    return make_pairs_frame(preferences, verdicts(preferences), chosen)


def same(shown: pd.DataFrame, wanted: pd.DataFrame) -> bool:
    pd.testing.assert_frame_equal(shown.reset_index(drop=True), wanted.reset_index(drop=True), check_dtype=False)
    return True


# --- what there is not ----------------------------------------------------------------------------------------


def test_no_data(world: World) -> None:
    assert "nothing to look at yet" in said(opened())
    assert "nothing to look at yet" in said(opened(study="x", show="against", document="d"))


def test_no_judgments(world: World) -> None:
    world.add(rated_too=False)
    world.score()
    world.ask()
    assert "No judgments yet" in said(opened())


def test_no_scores(world: World) -> None:
    world.add()
    assert "have no scores yet" in said(opened())


def test_from_a_source_with_nothing_to_one_with_pairs(known: World) -> None:
    known.ask()
    app = opened()
    assert "imported human ratings" in said(app)
    first, second = app.selectbox(key="example_source").options
    assert first.startswith(STUDY)
    sound(app.selectbox(key="example_source").select_index(0).run())
    assert "No judgments yet" in said(app)
    sound(app.selectbox(key="example_source").select_index(1).run())
    assert len(list_of(app)) == 12
    assert address(app)["dataset"] == NAME
    assert second.startswith(NAME)


def test_no_pair_is_left(known: World) -> None:
    app = opened()
    sound(app.text_input(key="example_search").set_value("no such document").run())
    assert "No pair is left" in said(app)
    # a link to it leads there, and not to the example that was open
    assert address(app) == {"dataset": NAME, "aspect": ASPECT, "show": "all", "search": "no such document"}
    sound(app.text_input(key="example_search").set_value("").run())
    assert len(list_of(app)) == 12


# --- the list ----------------------------------------------------------------------------------------------


def test_the_list_is_that_of_the_functions(known: World) -> None:
    app = opened()
    assert same(list_of(app), expected(known, PairFilter()))
    preferences = load_rated_pairs(known.data, NAME, ASPECT)
    pd.testing.assert_frame_equal(table_of(app), confusion(verdicts(preferences)), check_names=False, check_dtype=False)
    assert "12 of 12 pairs" in said(app)
    # the strongest is open, and systems named like columns are systems
    top = list_of(app).iloc[0]
    assert [top["A"] in SYSTEMS, top["B"] in SYSTEMS] == [True, True]
    table = pair_table(app)
    assert list(table.columns) == [f"A: {top['A']}", f"B: {top['B']}", "A minus B", "prefers", "notes", "signature"]
    assert list(table.index) == ["people", *METRICS]
    for letter in "AB":
        assert f'<div class="name" dir="auto">{letter}: {top[letter]}</div>' in html(app)


@pytest.mark.parametrize("show", get_args(Show))
def test_each_filter(known: World, show: Show) -> None:
    preferences = load_rated_pairs(known.data, NAME, ASPECT)
    found = verdicts(preferences)
    app = filtered(opened(), show)
    assert [app.selectbox(key="example_show").options[place] for place in range(7)] == list(SHOWN.values())
    one = {"metric": "rouge_k"} if show not in {"all", "everybody"} else {}
    other = {"other": "length"} if show == "rather" else {}
    filtered(app, show, **one, **other)
    chosen = PairFilter(show, **one, **other)
    if not (left := int(filter_pairs(found, chosen).sum())):
        assert "No pair is left" in said(app)
        return
    assert len(list_of(app)) == left
    assert same(list_of(app), expected(known, chosen))


@pytest.mark.parametrize("search", ["D1", "people", "how STRONGLY", "are"])
def test_search(known: World, search: str) -> None:
    app = opened()
    sound(app.text_input(key="example_search").set_value(search).run())
    shown = list_of(app)
    assert same(shown, expected(known, PairFilter(search=search)))
    assert 0 < len(shown) < 12


def test_the_other_metric_is_never_the_same(known: World) -> None:
    app = filtered(opened(), "rather", metric="rouge1", other="rouge2")
    filtered(app, "rather", metric="rouge2")
    assert "rouge2" not in app.selectbox(key="example_other").options


def test_a_study_by_majority_and_where_people_are_split(known: World) -> None:
    known.ask()
    known.judge("Ana", ["left"])
    known.judge("Ben", ["left", "right", "tie"])
    app = opened()
    assert "24 judgments of annotators" in said(app)
    voted = load_judgments(known.annotation, STUDY).by_majority()
    assert same(list_of(app), make_pairs_frame(voted, verdicts(voted), PairFilter()))
    splits = list_of(app).query("people == 'split'")
    assert len(splits)
    row = splits.iloc[0]
    app = opened(study=STUDY, document=row["document"], a=row["A"], b=row["B"])
    assert pair_table(app).loc["people", "prefers"] == "split"
    assert address(app)["study"] == STUDY


# --- the address ----------------------------------------------------------------------------------------------


def test_the_address_shows_the_same_to_somebody_else(known: World) -> None:
    app = filtered(opened(), "rather", metric="length", other="rouge_k")
    wanted = list_of(app).iloc[-1]
    assert len(list_of(app)) > 1
    link = address(app)
    assert link == {
        **{"dataset": NAME, "aspect": ASPECT, "show": "rather", "metric": "length", "other": "rouge_k"},
        **dict(zip(("document", "a", "b"), list_of(app).iloc[0][["document", "A", "B"]], strict=True)),
    }
    link |= {"document": wanted["document"], "a": wanted["A"], "b": wanted["B"], "search": wanted["document"]}
    again = opened(**link)
    assert [again.selectbox(key=f"example_{name}").value for name in ("show", "metric", "other")] == [
        "rather",
        "length",
        "rouge_k",
    ]
    assert again.text_input(key="example_search").value == wanted["document"]
    assert list(pair_table(again).columns)[:2] == [f"A: {wanted['A']}", f"B: {wanted['B']}"]
    assert (again.subheader[0].value.replace("\\", "")) == f"Storm over {wanted['document']}"
    assert address(again) == link
    assert address(sound(again.run())) == link


def test_what_was_open_stays_open_when_the_filter_still_has_it(known: World) -> None:
    rows = expected(known, PairFilter("against", "rouge1"))
    assert len(rows) > 1
    last = rows.iloc[-1]
    app = opened(dataset=NAME, aspect=ASPECT, document=last["document"], a=last["A"], b=last["B"])
    before = address(app)
    filtered(app, "against")
    assert address(app) == before | {"show": "against", "metric": "rouge1"}


def test_leaving_the_page_and_coming_back(known: World) -> None:
    app = filtered(opened(), "against", metric="length")
    shown = address(app)
    sound(app.switch_page("agreement.py").run())
    app.query_params.clear()  # as the browser does
    sound(app.switch_page("examples.py").run())
    assert address(app) == shown
    assert app.selectbox(key="example_show").value == "against"


@pytest.mark.parametrize(
    "query",
    [
        {"study": "no such study"},
        {"dataset": NAME},
        {"dataset": NAME, "aspect": "another"},
        {"show": "<script>alert(1)</script>"},
        {"show": "against", "metric": "no such metric"},
        {"show": "rather", "metric": "rouge1", "other": "rouge1"},
        {"document": "no such document", "a": "A", "b": "B"},
        {"document": "d0", "a": "people", "b": "people"},
        {"show": ["all", "against"], "metric": ["rouge1", "length"]},
        {"unknown": "\u202e<img src=x onerror=alert(1)>", "search": "", "annotator": "x", "a": "x" * 10_000},
    ],
)
def test_what_an_address_asks_for_in_vain(known: World, query: dict[str, Any]) -> None:
    app = opened(**query)
    assert len(list_of(app)) > 0
    link = address(app)
    assert link.keys() <= {"dataset", "aspect", "show", "metric", "other", "document", "a", "b"}
    assert (link["dataset"], link["aspect"]) == (NAME, ASPECT)
    assert link["show"] in get_args(Show)


def test_a_search_in_the_address_is_text(known: World) -> None:
    app = opened(search="<img src=x onerror=alert(1)> **x** [y](z)")
    assert "No pair is left" in said(app)
    assert "<img" not in html(app)


# --- evidence -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["rouge1", "rouge2", "rougeL", "rouge_k", NOVELTY])
def test_evidence_has_the_texts(known: World, what: str) -> None:
    app = see(opened(document="d1", a="A", b="people", dataset=NAME, aspect=ASPECT), what)
    assert app.button_group(key="evidence").options == ["rouge1", "rouge2", "rougeL", "rouge_k", NOVELTY, ALL]
    shown = visible(html(app))
    for system in ("A", "people"):
        # once as it is, once with what the metric saw
        assert shown.count(f"{TEXTS[system]} d1") >= 2
    assert "A storm hit the coast and the town of d1." in shown
    assert "<mark" in html(app)
    assert not app.warning  # what is shown makes the stored score
    # once in the table of scores, and once above what the metric saw
    assert shown.count(f"{what}|") == (0 if what == NOVELTY else 2)


def test_all_metrics_on_one_screen(known: World) -> None:
    app = see(opened(document="d1", a="A", b="people"), ALL)
    sections = re.findall(r'<section class="saw" aria-label="([^"]*)">', html(app))
    assert sections == ["rouge1", "rouge2", "rougeL", "rouge_k", NOVELTY]
    scores = pair_table(app)
    for name in sections[:-1]:
        (line,) = re.findall(rf"<b>{name}</b> <span class=\"said\">(.*?)</span>", html(app))
        row = scores.loc[name]
        assert line == f"A {row['A: A']}, B {row['B: people']}; prefers: {row['prefers']}"
    assert html(app).count('class="evidence"') >= 2 * len(sections)
    assert not app.warning


def test_the_references_stand_beside_the_summaries_when_asked(known: World) -> None:
    app = opened(document="d1", a="A", b="people")
    assert 'aria-label="References"' not in html(app)
    sound(app.button_group(key="beside").set_value("references").run())
    beside = re.findall(r'<div class="beside">.*?aria-label="Summary A"', html(app), re.DOTALL)[0]
    assert "References (2)" in beside
    for text in ("A storm hit the coast near the river (d1).", "The storm flooded the town."):
        assert text in beside
    sound(app.button(key="next").click().run())
    assert app.button_group(key="beside").value == "references"  # as one goes on


# --- the scores of both ---------------------------------------------------------------------------------------


def test_the_table_of_scores_is_what_is_stored(known: World) -> None:
    for document in ("d1", "bare"):
        app = opened(document=document, a="A", b="people")
        table = pair_table(app)
        stored = known.data.stored(dataset=NAME, document_id=document, systems=("A", "people"))
        ratings = RATINGS[document]
        assert list(table.loc["people"])[:4] == [
            *map(str, ratings[:2]),
            f"{ratings[0] - ratings[1]:+d}",
            "A" if ratings[0] > ratings[1] else "B",
        ]
        assert list(table["signature"][1:]) == list(stored)  # whole
        for row, of in zip(table.index[1:], stored.values(), strict=True):
            one, other = of["A"].value, of["people"].value
            if one is None or other is None:
                assert of["A"].missing == of["people"].missing
                assert list(table.loc[row])[:5] == ["", "", "", "missing", f"A and B missing: {of['A'].missing}"]
                continue
            assert [float(cell) for cell in list(table.loc[row])[:3]] == pytest.approx(
                [one, other, one - other], abs=5e-5
            )
            tied = abs(one - other) < 1e-9
            assert table.loc[row, "prefers"] == ("a tie" if tied else "A" if one > other else "B")
            assert table.loc[row, "notes"] == ("tie" if tied else "")


def test_what_is_to_be_known_of_a_score_is_said(world: World) -> None:
    """The flags of each summary, the reason of the one that is missing, and what was not scored yet."""
    world.add()
    keys = {(e.document_id, e.system): key for key, e in world.data.examples(NAME).items()}
    kept = {
        "cut|1": {"A": StoredScore(0.5, None, truncated=True), "people": StoredScore(0.5, None)},
        "both cut|1": {"A": StoredScore(0.5, None, truncated=True), "people": StoredScore(0.25, None, truncated=True)},
        "gone|1": {"A": StoredScore(0.5, None), "people": StoredScore(None, "no words: <i>x</i> **y**")},
        "undone|1": {"people": StoredScore(0.5, None)},
    }
    for signature, scores in kept.items():
        of = {keys["d1", system]: score for system, score in scores.items()}
        world.data.add_scores(metric=signature.split("|")[0], signature=signature, scores=of)
    table = pair_table(opened(document="d1", a="A", b="people"))
    assert {label: tuple(row[["prefers", "notes"]]) for label, row in table.iloc[1:].iterrows()} == {
        "cut": ("a tie", "A truncatedtie"),
        "both cut": ("A", "A and B truncated"),
        "gone": ("missing", "B missing: no words: <i>x</i> **y**"),
        "undone": ("missing", "A missing: not scored yet"),
    }


# --- the way through the list ---------------------------------------------------------------------------------


def test_previous_and_next_step_through_what_the_filter_left(known: World) -> None:
    app = filtered(opened(), "against", metric="rouge1")
    rows = list_of(app)
    assert len(rows) > 2
    seen = []
    for place in range(len(rows)):
        assert f"**{place + 1} of {len(rows)}**" in said(app)
        names = dict(zip(("document", "a", "b"), rows.iloc[place][["document", "A", "B"]], strict=True))
        seen.append({name: address(app)[name] for name in names})
        assert seen[-1] == names
        assert list(pair_table(app).columns)[:2] == [f"A: {names['a']}", f"B: {names['b']}"]
        assert chosen_rows(app) == [place]
        assert (app.button(key="previous").disabled, app.button(key="next").disabled) == (
            place == 0,
            place == len(rows) - 1,
        )
        if place < len(rows) - 1:
            sound(app.button(key="next").click().run())
    sound(app.button(key="previous").click().run())
    assert {name: address(app)[name] for name in seen[-2]} == seen[-2]
    assert address(app)["show"] == "against"


def chosen_rows(app: AppTest) -> list[int]:
    """The rows of the list that are chosen, of the filter `against` of rouge1."""
    key = f"examples:{Source(NAME, aspect=ASPECT).name}:{PairFilter('against', 'rouge1')}"
    return list(app.session_state[key]["selection"]["rows"])


def test_what_is_open_stays_open_when_it_stands_elsewhere_in_the_list(known: World) -> None:
    app = opened()
    sound(app.button(key="next").click().run())
    names = {name: address(app)[name] for name in ("document", "a", "b")}
    sound(app.text_input(key="example_search").set_value(names["document"]).run())
    assert {name: address(app)[name] for name in names} == names
    rows = list_of(app)
    place = next(
        place for place, row in enumerate(rows[["document", "A", "B"]].to_numpy().tolist()) if row == [*names.values()]
    )
    assert f"**{place + 1} of {len(rows)}**" in said(app)


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        ("ROUGE-1 and people disagree", PairFilter("against", "rouge1")),
        ("ROUGE-K right where ROUGE-1 is wrong", PairFilter("rather", "rouge_k", "rouge1")),
        ("all metrics against the majority", PairFilter("everybody")),
    ],
)
def test_filters_to_begin_with(known: World, name: str, chosen: PairFilter) -> None:
    app = opened()
    assert not any("BERTScore" in button.label for button in app.button)  # there are no scores of it
    sound(app.button(key=f"preset:{name}").click().run())
    assert app.selectbox(key="example_show").value == chosen.show
    wanted = expected(known, chosen)
    if wanted.empty:
        assert "No pair is left" in said(app)
    else:
        assert same(list_of(app), wanted)


# --- evidence of models ---------------------------------------------------------------------------------------


class Answering:
    """Stands for the process with the models: the real metrics, here."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, str]] = []
        """Metric, document, system."""
        self.may = Event()
        self.may.set()

    def warm(self) -> None:
        pass

    def explain(self, signature: str, example: Example, given_up: Callable[[], bool]) -> Explained:
        self.may.wait(30)
        if given_up():  # by the view before, whose question waited, too
            raise CannotExplain("nobody asks any more")
        self.asked.append((signature.partition("|")[0], example.document_id, example.system))
        if signature.startswith("apes"):
            raise CannotExplain("the models are still being loaded: try again in a moment")
        metric = metric_of(signature)
        assert metric is not None
        return explain(metric, example)


@pytest.fixture
def answering(world: World, monkeypatch: pytest.MonkeyPatch) -> Answering:
    """Scores of a metric with a model, of one that cannot answer now, and of two without."""
    answering = Answering()
    monkeypatch.setattr("pages.components.examples.inspector.inspector", lambda: answering)
    world.add()
    score_dataset(world.data, NAME, make_metrics(["bertscore", "rouge1", "rouge2"]))
    (apes,) = (m.signature for m in make_metrics(["apes"]))
    scores = {key: StoredScore(0.5, None) for key, _ in world.data.unscored(dataset=NAME, signature=apes)}
    world.data.add_scores(metric="apes", signature=apes, scores=scores)
    return answering


def answered(app: AppTest) -> AppTest:
    """The page when no model is waited for any more."""
    return drawn_until(app, lambda app: "its model is looking at both summaries" not in said(app))


def test_models_come_after_what_is_there_at_once(answering: Answering) -> None:
    answering.may.clear()
    app = see(opened(document="d1", a="A", b="people"), ALL)
    sections = re.findall(r'<section class="saw" aria-label="([^"]*)">', html(app))
    assert sections == ["rouge1", "rouge2", NOVELTY]  # there while the models are still looking
    assert said(app).count("its model is looking at both summaries") == 2
    answering.may.set()
    answered(app)
    sections = re.findall(r'<section class="saw" aria-label="([^"]*)">', html(app))
    assert sections == ["rouge1", "rouge2", NOVELTY, "bertscore", "apes"]
    asked = [name for name, document, _ in answering.asked if document == "d1"]
    assert asked[-4:] == ["bertscore"] * 2 + ["apes"] * 2
    assert "Undefined: the models are still being loaded: try again in a moment." in said(app)
    assert "is looking at both summaries" not in said(app)  # what stood there while they were waited for
    assert not app.warning
    assert visible(html(app)).count("The best of 2 references makes the score; it is shown.") >= 2
    assert len(app.get("arrow_vega_lite_chart") or app.get("vega_lite_chart")) == 2


def test_a_model_that_failed_is_asked_again(answering: Answering) -> None:
    app = opened(document="d1", a="A", b="people")
    for times in (2, 4):
        answered(see(app, "apes"))
        assert sum(asked[:2] == ("apes", "d1") for asked in answering.asked) == times
        see(app, "rouge1")


def test_what_nobody_waits_for_is_not_asked(answering: Answering) -> None:
    answering.may.clear()
    app = see(opened(document="d1", a="A", b="people"), "bertscore")
    assert "its model is looking" in said(app)
    see(app, "rouge1")
    assert "its model is looking" not in said(app)
    assert visible(html(app)).count("unigrams of the reference") == 2
    answering.may.set()
    answered(see(app, "apes"))
    assert sum(name == "bertscore" for name, _, _ in answering.asked) <= 1  # the one that was begun


def test_models_look_at_the_next_example_while_one_reads(answering: Answering) -> None:
    app = answered(see(opened(), "bertscore"))
    until(lambda: len(answering.asked) >= 4)
    (rows,) = (frame.value for frame in app.dataframe if "how strongly" in frame.value)
    assert answering.asked == [
        ("bertscore", rows["document"].iloc[place], rows[side].iloc[place]) for place in (0, 1) for side in ("A", "B")
    ]
    answering.may.clear()  # nobody answers any more
    sound(app.button(key="next").click().run())
    assert "2 of" in said(app)
    assert "is looking at both summaries" not in said(app)
    answering.may.set()


# --- evidence that cannot be had --------------------------------------------------------------------------------


def test_a_missing_score_shows_its_reason(known: World) -> None:
    app = see(opened(document="bare", a="A", b="people"), "rouge_k")
    assert pair_table(app).loc["rouge_k", "prefers"] == "missing"
    assert visible(html(app)).count("No evidence: no keywords: ") == 2


@pytest.mark.parametrize("signature", ["rouge1|mine", "carouge|vectors:mine.txt|v:1", "unheard of|[x](y) **z**"])
def test_a_signature_that_cannot_be_made_again(known: World, signature: str) -> None:
    scores = {key: StoredScore(0.5, None) for key, _ in known.data.unscored(dataset=NAME, signature=signature)}
    known.data.add_scores(metric=signature.partition("|")[0], signature=signature, scores=scores)
    app = opened()
    answered(see(app, "rouge1 (mine)" if signature == "rouge1|mine" else signature.partition("|")[0]))
    assert "Undefined: its settings cannot be had again from its signature: files, or another version." in said(app)


def test_a_stored_score_that_the_evidence_does_not_make(world: World) -> None:
    world.add()
    (signature,) = (m.signature for m in make_metrics(["rouge1"]))
    key = {(e.document_id, e.system): key for key, e in world.data.examples(NAME).items()}["d1", "A"]
    world.data.add_scores(metric="rouge1", signature=signature, scores={key: StoredScore(0.125, None)})
    world.score()
    app = opened(document="d1", a="A", b="people")
    assert pair_table(app).loc["rouge1", "A: A"] == "0.1250"
    assert "A: the stored score is 0.1250, what is shown here makes 0." in said(app)
    assert "B: the stored score" not in said(app)


def test_the_evidence_asked_for_is_kept_from_pair_to_pair_and_source_to_source(known: World) -> None:
    app = see(opened(), "rouge_k")
    sound(app.text_input(key="example_search").set_value("d2").run())
    assert app.button_group(key="evidence").value == "rouge_k"
    known.data.add_dataset(
        name="other",
        format="interchange",
        sha256="1",
        records=[(Document("x", "A text.", ("A text.",)), [Summary("x", s, f"text {s}", {"r": ord(s)}) for s in "ab"])],
    )
    score_dataset(known.data, "other", make_metrics(["rouge2"]))
    sound(app.run())
    sound(app.text_input(key="example_search").set_value("").run())
    sound(app.selectbox(key="example_source").select_index(0).run())
    assert address(app)["dataset"] == "other"
    assert app.button_group(key="evidence").value == "rouge2"
