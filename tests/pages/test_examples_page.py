"""The Examples page against the functions that it shows: list, filters, its address, and the evidence of a pair."""

from __future__ import annotations

import html as markup
import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, get_args

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from annotation.results import judged, rated
from annotation.store import AnnotationStore, StudySpec
from data.database import connect, now
from data.records import Document, Summary
from data.store import DataStore, StoredScore
from metrics import LEXICAL, metrics
from metrics.scoring import score_dataset
from pages.components.pairs import SHOWN, Chosen, Show, confusion, listed, narrowed, verdicts

MAIN = Path(__file__).resolve().parents[2] / "pages" / "main.py"
NAME, ASPECT, STUDY = "set & <b>", "relevance?", "Study #1"
NOVELTY = "words not in the source"
METRICS = ["rouge1", "rouge2", "rougeL", "rouge_k", "length"]

SYSTEMS = ("A", "people", "how strongly")
"""Named like columns of the list."""

RATINGS = {"d0": (3, 2, 1), "d1": (1, 2, 3), "d2": (2, 2, 5), "bare": (1, 2, 2)}
TEXTS = {
    "A": "The storm hit the coast.",
    "people": "The storm flooded the town of the coast.",
    "how strongly": "Nobody saw a bridge in the river tonight at all.",
}


@pytest.fixture(autouse=True)
def fresh_caches() -> Iterator[None]:
    st.cache_resource.clear()
    st.cache_data.clear()
    yield
    st.cache_resource.clear()
    st.cache_data.clear()


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
        score_dataset(self.data, NAME, metrics(LEXICAL))

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


def opened(**query: str | list[str]) -> AppTest:
    """The page at an address, in a session of its own."""
    app = AppTest.from_file(MAIN, default_timeout=30)
    app.switch_page("examples.py")
    for name, value in query.items():
        app.query_params[name] = value
    return sound(app.run())


def sound(app: AppTest) -> AppTest:
    assert not app.exception, app.exception
    return app


def list_of(app: AppTest) -> pd.DataFrame:
    (found,) = (d.value for d in app.dataframe if "how strongly" in d.value.columns)
    return found


def table_of(app: AppTest) -> pd.DataFrame:
    (found,) = (d.value for d in app.dataframe if "against" in d.value.columns)
    return found


def pair_table(app: AppTest) -> pd.DataFrame:
    (found,) = (d.value for d in app.dataframe if "prefers" in d.value.columns)
    return found


def said(app: AppTest) -> str:
    kinds = (app.title, app.markdown, app.caption, app.info, app.warning, app.error, app.subheader)
    return "\n".join(str(element.value) for kind in kinds for element in kind).replace("\\", "")


def html(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html"))


def visible(app: AppTest) -> str:
    """What the blocks of HTML show."""
    return markup.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", "", html(app), flags=re.DOTALL))


def address(app: AppTest) -> dict[str, str]:
    return {name: value[-1] if isinstance(value, list) else value for name, value in app.query_params.items()}


def filtered(app: AppTest, show: str, **metrics_of: str) -> AppTest:
    sound(app.selectbox(key="example_show").set_value(show).run())
    for name, value in metrics_of.items():
        sound(app.selectbox(key=f"example_{name}").set_value(value).run())
    return app


def see(app: AppTest, what: str) -> AppTest:
    return sound(app.button_group(key="evidence").set_value(what).run())


def expected(world: World, chosen: Chosen) -> pd.DataFrame:
    preferences = rated(world.data, NAME, ASPECT)
    return listed(preferences, verdicts(preferences), chosen)


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
    assert same(list_of(app), expected(known, Chosen()))
    preferences = rated(known.data, NAME, ASPECT)
    pd.testing.assert_frame_equal(table_of(app), confusion(verdicts(preferences)), check_names=False, check_dtype=False)
    assert "12 of 12 pairs" in said(app)
    # the strongest is open, and systems named like columns are systems
    top = list_of(app).iloc[0]
    assert [top["A"] in SYSTEMS, top["B"] in SYSTEMS] == [True, True]
    assert list(pair_table(app).columns) == ["metric", f"A: {top['A']}", f"B: {top['B']}", "prefers"]
    assert list(pair_table(app)["metric"]) == ["people", *METRICS]
    assert f"**A: {top['A']}**" in said(app)


@pytest.mark.parametrize("show", get_args(Show))
def test_each_filter(known: World, show: Show) -> None:
    preferences = rated(known.data, NAME, ASPECT)
    found = verdicts(preferences)
    app = filtered(opened(), show)
    assert [app.selectbox(key="example_show").options[place] for place in range(7)] == list(SHOWN.values())
    one = {"metric": "rouge_k"} if show not in {"all", "everybody"} else {}
    other = {"other": "length"} if show == "rather" else {}
    filtered(app, show, **one, **other)
    chosen = Chosen(show, **one, **other)
    if not (left := int(narrowed(found, chosen).sum())):
        assert "No pair is left" in said(app)
        return
    assert len(list_of(app)) == left
    assert same(list_of(app), expected(known, chosen))


@pytest.mark.parametrize("search", ["D1", "people", "how STRONGLY", "are"])
def test_search(known: World, search: str) -> None:
    app = opened()
    sound(app.text_input(key="example_search").set_value(search).run())
    shown = list_of(app)
    assert same(shown, expected(known, Chosen(search=search)))
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
    voted = judged(known.annotation, STUDY).by_majority()
    assert same(list_of(app), listed(voted, verdicts(voted), Chosen()))
    splits = list_of(app).query("people == 'split'")
    assert len(splits)
    row = splits.iloc[0]
    app = opened(study=STUDY, document=row["document"], a=row["A"], b=row["B"])
    assert pair_table(app).set_index("metric").loc["people", "prefers"] == "split"
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
    assert list(pair_table(again).columns)[1:3] == [f"A: {wanted['A']}", f"B: {wanted['B']}"]
    assert (again.subheader[0].value.replace("\\", "")) == f"Storm over {wanted['document']}"
    assert address(again) == link
    assert address(sound(again.run())) == link


def test_what_was_open_stays_open_when_the_filter_still_has_it(known: World) -> None:
    rows = expected(known, Chosen("against", "rouge1"))
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
    assert app.button_group(key="evidence").options == ["rouge1", "rouge2", "rougeL", "rouge_k", NOVELTY]
    shown = visible(app)
    for system in ("A", "people"):
        # once as it is, once with what the metric saw
        assert shown.count(f"{TEXTS[system]} d1") >= 2
    assert "A storm hit the coast and the town of d1." in shown
    assert "A storm hit the coast near the river (d1)." in shown
    assert "<mark" in html(app)
    assert not app.warning  # what is shown makes the stored score
    assert ("|version:" in said(app)) == (what != NOVELTY)


def test_a_missing_score_shows_its_reason(known: World) -> None:
    app = see(opened(document="bare", a="A", b="people"), "rouge_k")
    assert pair_table(app).set_index("metric").loc["rouge_k", "prefers"] == "missing"
    assert visible(app).count("No evidence: no keywords: ") == 2


@pytest.mark.parametrize("signature", ["rouge1|mine", "carouge|vectors:mine.txt|v:1", "unheard of|[x](y) **z**"])
def test_a_signature_that_cannot_be_made_again(known: World, signature: str) -> None:
    scores = {key: StoredScore(0.5, None) for key, _ in known.data.unscored(dataset=NAME, signature=signature)}
    known.data.add_scores(metric=signature.partition("|")[0], signature=signature, scores=scores)
    app = opened()
    see(app, "rouge1 (mine)" if signature == "rouge1|mine" else signature.partition("|")[0])
    assert "Undefined: its settings cannot be had again from its signature: files, or another version." in said(app)


def test_a_stored_score_that_the_evidence_does_not_make(known: World) -> None:
    (signature,) = (m.signature for m in metrics(["rouge1"]))
    app = opened(document="d1", a="A", b="people")
    key = {(e.document_id, e.system): key for key, e in known.data.examples(NAME).items()}["d1", "A"]
    known.data.add_scores(metric="rouge1", signature=signature, scores={key: StoredScore(0.125, None)})
    sound(app.run())
    if any(abs(value - 0.125) < 1e-9 for value in pair_table(app)["A: A"].dropna()):
        assert "A: the stored score is 0.1250" in said(app)


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
    score_dataset(known.data, "other", metrics(["rouge2"]))
    sound(app.run())
    sound(app.text_input(key="example_search").set_value("").run())
    sound(app.selectbox(key="example_source").select_index(0).run())
    assert address(app)["dataset"] == "other"
    assert app.button_group(key="evidence").value == "rouge2"
