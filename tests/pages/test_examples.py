"""The Examples page against the functions that it shows: list, filters, its address, and the evidence of a pair."""

import html as markup
import re
import shutil
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from itertools import permutations
from pathlib import Path
from threading import Event
from typing import Any, get_args

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from relevance.annotation.records import StudySpec
from relevance.annotation.results import load_judgments, load_rated_pairs
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect, now
from relevance.data.records import Document, Example, Summary
from relevance.data.store import DataStore, StoredScore
from relevance.metrics import default_metrics, make_metrics
from relevance.metrics.explained import CannotExplain, Explained, explain
from relevance.metrics.from_signature import NOT_MADE_AGAIN, metric_of
from relevance.metrics.registry import label_of
from relevance.metrics.scoring import score_dataset
from relevance.pages.components.examples import pair_list
from relevance.pages.components.examples.pairs import (
    PAIRWISE,
    SHOWN,
    PairFilter,
    Show,
    confusion,
    filter_pairs,
    verdicts,
)
from relevance.pages.components.shared.sources import Source
from tests.pages.listed import list_documents, make_pairs_frame
from tests.pages.opening import address, drawn_until, html, open_page, page_text, pressed, sound, visible
from tests.waiting import until

NAME, ASPECT, STUDY = "set & <b>", "relevance?", "Study #1"
NOVELTY, ALL = "Words not in the source", "All metrics"
METRICS = ["ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-K", "Length"]

SYSTEMS = ("A", "people", "how strongly")
"""Named like columns of the list."""

RATINGS = {"d0": (3, 2, 1), "d1": (1, 2, 3), "d2": (2, 2, 5), "bare": (1, 2, 2)}
TEXTS = {
    "A": "The storm hit the coast.",
    "people": "The storm flooded the town of the coast.",
    "how strongly": "Nobody saw a bridge in the river tonight at all.",
}

opened = partial(open_page, "examples.py")


class RatedStorms:
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
def storms(sqlite_url: str) -> RatedStorms:
    return RatedStorms(sqlite_url)


@pytest.fixture(scope="module")
def known_file(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Path:
    """A database to copy, with the data set, rated and scored."""
    file = shutil.copy(migrated_sqlite, tmp_path_factory.mktemp("known") / "known.db")
    storms = RatedStorms(f"sqlite:///{file}")
    storms.add()
    storms.score()
    storms.data.engine.dispose()
    return file


@pytest.fixture
def known(sqlite_url: str, tmp_path: Path, known_file: Path) -> RatedStorms:
    shutil.copy(known_file, tmp_path / "relevance.db")
    return RatedStorms(sqlite_url)


def list_of(app: AppTest) -> pd.DataFrame:
    """The documents, a row each."""
    (result,) = (d.value for d in app.dataframe if "how strongly" in d.value.columns)
    return result


def counted(app: AppTest) -> tuple[int, int]:
    """How many pairs the filter leaves, of how many."""
    match = re.search(r"([\d,]+) of (\d+) pairs, in \d+ document", page_text(app))
    assert match is not None
    return int(match[1].replace(",", "")), int(match[2])


def table_of(app: AppTest) -> pd.DataFrame:
    (result,) = (d.value for d in app.dataframe if "against" in d.value.columns)
    return result


def pair_table(app: AppTest) -> pd.DataFrame:
    """The table of scores as it is read: Metric, A, B, A minus B, Prefers, Notes."""
    (result,) = re.findall(r'<div class="scores pair-scores".*?</table>', html(app), re.DOTALL)
    lines = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line) for line in re.findall(r"<tr>.*?</tr>", result, re.DOTALL)]
    heads, *rows = [[markup.unescape(re.sub("<[^>]*>", "", cell)) for cell in line] for line in lines]
    return pd.DataFrame(rows, columns=heads).set_index("Metric")


def signatures_of(app: AppTest) -> list[str]:
    """The signatures behind the table of scores."""
    (result,) = re.findall(r'<details class="signatures">.*?</details>', html(app), re.DOTALL)
    return [markup.unescape(item) for item in re.findall("<code>(.*?)</code>", result)]


def filtered(app: AppTest, show: str, **metrics_of: str) -> AppTest:
    sound(app.selectbox(key="example_show").set_value(show).run())
    for name, value in metrics_of.items():
        sound(app.selectbox(key=f"example_{name}").set_value(value).run())
    return app


def see(app: AppTest, *what: str) -> AppTest:
    return sound(app.button_group(key="evidence").set_value([*what]).run())


def expected(storms: RatedStorms, chosen: PairFilter) -> pd.DataFrame:
    preferences = load_rated_pairs(storms.data, NAME, ASPECT)
    return make_pairs_frame(preferences, chosen)


def name_document(document: str) -> str:
    """What the list calls a document of `RatedStorms`: its title or, where it has none, its opening words."""
    return "A storm hit the coast and the town of bare." if document == "bare" else f"Storm over {document}"


def same(app: AppTest, wanted: pd.DataFrame) -> bool:
    """The page lists the documents of these pairs, and says how many pairs these are."""
    rows = list_documents(wanted)
    rows["document"] = rows["document"].map(name_document)
    pd.testing.assert_frame_equal(list_of(app), rows, check_dtype=False)
    assert counted(app)[0] == len(wanted)
    return True


# --- what there is not ----------------------------------------------------------------------------------------


def test_no_data(storms: RatedStorms) -> None:
    assert "There is no data set yet" in page_text(opened())
    assert "There is no data set yet" in page_text(opened(study="x", show="against", document="d"))


def test_no_judgments(storms: RatedStorms) -> None:
    storms.add(rated_too=False)
    storms.score()
    storms.ask()
    assert "Nobody has judged a pair of this study yet" in page_text(opened())


def test_no_scores(storms: RatedStorms) -> None:
    storms.add()
    assert "have no scores yet" in page_text(opened())


def test_from_a_source_with_nothing_to_one_with_pairs(known: RatedStorms) -> None:
    known.ask()
    app = opened()
    assert f"Ratings of {ASPECT}" in page_text(app)
    ratings, study = app.selectbox(key="source").options
    assert ratings.startswith("Ratings of")
    sound(app.selectbox(key="source").select(study).run())
    assert "Nobody has judged a pair of this study yet" in page_text(app)
    sound(app.selectbox(key="source").select(ratings).run())
    assert counted(app) == (12, 12)
    assert address(app)["dataset"] == NAME


def test_no_pair_is_left(known: RatedStorms) -> None:
    app = opened()
    sound(app.text_input(key="example_search").set_value("no such document").run())
    assert "no pair is left" in page_text(app)
    # a link to it leads there, and not to the example that was open
    assert address(app) == {"dataset": NAME, "aspect": ASPECT, "show": "all", "search": "no such document"}
    sound(app.text_input(key="example_search").set_value("").run())
    assert counted(app) == (12, 12)


# --- the list ----------------------------------------------------------------------------------------------


def test_how_a_summary_was_written_stands_below_it(known: RatedStorms) -> None:
    written = Summary("d0", "model", "A storm.", {ASPECT: 4}, remarks=("source cut", "trained on"))
    known.data.add_summaries(dataset=NAME, summaries=[written])
    known.score()
    remarks = '<p class="remarks">The system did not see all of the document. The system was trained on this document.'
    assert html(opened(dataset=NAME, aspect=ASPECT, document="d0", a="A", b="model")).count(remarks) == 1
    assert remarks not in html(opened(dataset=NAME, aspect=ASPECT, document="d0", a="A", b="people"))


def test_scores_that_came_with_a_data_set_stand_as_they_are_and_show_nothing(known: RatedStorms) -> None:
    summaries = [
        Summary("d", "A", "A storm hit.", {ASPECT: 2}, given=(("js-2", -0.25),)),
        Summary("d", "B", "No storm hit.", {ASPECT: 3}, given=(("js-2", -55.5),)),
    ]
    records = [(Document("d", "A storm.", ()), summaries)]
    known.data.add_dataset(name="given", format="interchange", sha256="0" * 64, records=records)
    app = opened(dataset="given", aspect=ASPECT, document="d", a="A", b="B")
    sound(app)
    table = pair_table(app)
    assert list(table.loc["given: js-2"])[:2] == ["-0.25", "-55.5"]
    assert "its scores came with the data set, which does not say what it saw" in page_text(app)


def test_the_list_has_a_row_a_document(known: RatedStorms) -> None:
    app = opened()
    wanted = expected(known, PairFilter())
    assert same(app, wanted)
    assert len(list_of(app)) == len(RATINGS)
    preferences = load_rated_pairs(known.data, NAME, ASPECT)
    pd.testing.assert_frame_equal(table_of(app), confusion(verdicts(preferences)), check_names=False, check_dtype=False)
    # the strongest is open, and systems named like columns are systems
    top = wanted.iloc[0]
    assert [top["A"] in SYSTEMS, top["B"] in SYSTEMS] == [True, True]
    table = pair_table(app)
    assert list(table.columns) == [f"A: {top['A']}", f"B: {top['B']}", "A minus B", "Prefers", "Notes"]
    assert list(table.index) == ["People", *METRICS]
    for letter in "AB":
        assert f'<div class="name" dir="auto">{letter}: {top[letter]} ' in html(app)


def test_the_pairs_of_a_document(known: RatedStorms) -> None:
    app = opened(document="d1", a="A", b="people")
    chooser = app.selectbox(key="example_pair")
    assert len(chooser.options) == 3
    assert all(name.startswith(f"Pair {place} of 3: A ") for place, name in enumerate(chooser.options, 1))
    seen = set()
    for place in range(3):
        sound(app.selectbox(key="example_pair").select_index(place).run())
        seen.add((address(app)["document"], address(app)["a"], address(app)["b"]))
        shown = app.selectbox(key="example_pair").options[place]
        assert shown.endswith(f"A {address(app)['a']}, B {address(app)['b']}")
    assert seen == {("d1", "A", "people"), ("d1", "A", "how strongly"), ("d1", "people", "how strongly")}


def test_the_verdict_in_words(known: RatedStorms) -> None:
    app = opened(document="d0", a="A", b="people")
    table = pair_table(app)
    (verdict,) = (element.value for element in app.markdown if "**People" in element.value)
    assert verdict.replace("\\", "").startswith("**People preferred A.** ")  # rated 3 against 2
    for metric in METRICS:
        assert metric in verdict.replace("\\", "")
        assert table.loc[metric, "Prefers"].split(":")[0] in {"✓ right", "✗ wrong", "= tie"}
    assert "★ preferred" in re.findall(r'<div class="name" dir="auto">A: A .*?</div>', html(app))[0]


@pytest.mark.parametrize("show", get_args(Show))
def test_each_filter(known: RatedStorms, show: Show) -> None:
    preferences = load_rated_pairs(known.data, NAME, ASPECT)
    result = verdicts(preferences)
    app = filtered(opened(), show)
    assert app.selectbox(key="example_show").options == list(SHOWN.values())
    first = {"metric": "ROUGE-K"} if show in PAIRWISE else {}
    other = {"other": "Length"} if show == "rather" else {}
    filtered(app, show, **first, **other)
    chosen = PairFilter(show, **first, **other)
    if not (left := int(filter_pairs(result, chosen).sum())):
        assert "no pair is left" in page_text(app)
        return
    assert counted(app) == (left, 12)
    assert same(app, expected(known, chosen))


@pytest.mark.parametrize("search", ["D1", "people", "how STRONGLY", "are"])
def test_search(known: RatedStorms, search: str) -> None:
    app = opened()
    sound(app.text_input(key="example_search").set_value(search).run())
    assert same(app, expected(known, PairFilter(search=search)))
    assert 0 < counted(app)[0] < 12


def test_the_other_metric_is_never_the_same(known: RatedStorms) -> None:
    app = filtered(opened(), "rather", metric="ROUGE-1", other="ROUGE-2")
    filtered(app, "rather", metric="ROUGE-2")
    assert "ROUGE-2" not in app.selectbox(key="example_other").options


def test_a_study_by_majority_and_where_people_are_split(known: RatedStorms) -> None:
    known.ask()
    known.judge("Ana", ["left"])
    known.judge("Ben", ["left", "right", "tie"])
    app = opened()
    assert "24 judgments" in page_text(app)
    voted = load_judgments(known.annotation, STUDY).by_majority()
    wanted = make_pairs_frame(voted, PairFilter())
    assert same(app, wanted)
    splits = wanted.query("people == 'split'")
    assert len(splits)
    row = splits.iloc[0]
    app = opened(study=STUDY, document=row["document"], a=row["A"], b=row["B"])
    assert pair_table(app).loc["People", "Prefers"] == "split"
    assert "People were split." in page_text(app)
    assert address(app)["study"] == STUDY


# --- the address ----------------------------------------------------------------------------------------------


def test_the_address_shows_the_same_to_somebody_else(known: RatedStorms) -> None:
    app = filtered(opened(), "rather", metric="Length", other="ROUGE-K")
    rows = expected(known, PairFilter("rather", "Length", "ROUGE-K"))
    assert len(rows) > 1
    link = address(app)
    assert link == {
        **{"dataset": NAME, "aspect": ASPECT, "show": "rather", "metric": "Length", "other": "ROUGE-K"},
        **dict(zip(("document", "a", "b"), rows.iloc[0][["document", "A", "B"]], strict=True)),
    }
    wanted = rows.iloc[-1]
    link |= {"document": wanted["document"], "a": wanted["A"], "b": wanted["B"], "search": wanted["document"]}
    again = opened(**link)
    assert [again.selectbox(key=f"example_{name}").value for name in ("show", "metric", "other")] == [
        "rather",
        "Length",
        "ROUGE-K",
    ]
    assert again.text_input(key="example_search").value == wanted["document"]
    assert list(pair_table(again).columns)[:2] == [f"A: {wanted['A']}", f"B: {wanted['B']}"]
    assert again.header[0].value.replace("\\", "") == f"Storm over {wanted['document']}"
    assert address(again) == link
    assert address(sound(again.run())) == link


def test_an_older_link_calls_metrics_by_their_names(known: RatedStorms) -> None:
    app = opened(dataset=NAME, aspect=ASPECT, show="rather", metric="length", other="rouge_k")
    assert same(app, expected(known, PairFilter("rather", "Length", "ROUGE-K")))
    assert (address(app)["metric"], address(app)["other"]) == ("Length", "ROUGE-K")


def test_what_was_open_stays_open_when_the_filter_still_has_it(known: RatedStorms) -> None:
    rows = expected(known, PairFilter("against", "ROUGE-1"))
    assert len(rows) > 1
    last = rows.iloc[-1]
    app = opened(dataset=NAME, aspect=ASPECT, document=last["document"], a=last["A"], b=last["B"])
    before = address(app)
    filtered(app, "against")
    assert address(app) == before | {"show": "against", "metric": "ROUGE-1"}


def test_leaving_the_page_and_coming_back(known: RatedStorms) -> None:
    app = filtered(opened(), "against", metric="Length")
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
        {"unknown": "\u202e<img src=x onerror=alert(1)>", "search": "", "a": "x" * 10_000},
    ],
)
def test_what_an_address_asks_for_in_vain(known: RatedStorms, query: dict[str, Any]) -> None:
    app = opened(**query)
    assert len(list_of(app)) > 0
    link = address(app)
    ours = {"dataset", "aspect", "show", "metric", "other", "document", "a", "b"}
    assert link.keys() - query.keys() <= ours
    assert (link["dataset"], link["aspect"]) == (NAME, ASPECT)
    assert link["show"] in get_args(Show)


def test_a_search_in_the_address_is_text(known: RatedStorms) -> None:
    app = opened(search="<img src=x onerror=alert(1)> **x** [y](z)")
    assert "no pair is left" in page_text(app)
    assert "<img" not in html(app)


# --- evidence -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-K", NOVELTY])
def test_evidence_has_the_texts(known: RatedStorms, what: str) -> None:
    app = see(opened(document="d1", a="A", b="people", dataset=NAME, aspect=ASPECT), what)
    assert app.button_group(key="evidence").options == ["ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-K", NOVELTY, ALL]
    shown = visible(html(app))
    for system in ("A", "people"):
        # once as it is, once with what the metric saw
        assert shown.count(f"{TEXTS[system]} d1") >= 2
    assert "A storm hit the coast and the town of d1." in shown
    assert "<mark" in html(app)
    assert not app.warning  # what is shown makes the stored score


def sections_of(app: AppTest) -> list[str]:
    return re.findall(r'<section class="saw [^"]*" aria-label="([^"]*)">', html(app))


def test_evidence_opens_on_the_metrics_that_the_filter_names(known: RatedStorms) -> None:
    if len(expected(known, PairFilter("rather", "Length", "ROUGE-K"))):
        assert sections_of(opened(show="rather", metric="length", other="rouge_k")) == ["ROUGE-K"]  # length has none
    named = next(
        [first, second]
        for first, second in permutations(METRICS[:-1], 2)
        if len(expected(known, PairFilter("rather", first, second)))
    )
    app = opened(show="rather", metric=named[0], other=named[1])
    assert sections_of(app) == named
    heads = [visible(head) for head in re.findall(r'<div class="head">.*?</div>', html(app))]
    assert heads[0].startswith(f"{named[0]} ✓ right: ")
    assert heads[1].startswith(f"{named[1]} ✗ wrong: ")
    # what is chosen then is forgotten when the filter names others
    see(app, "ROUGE-2")
    filtered(app, "against", metric="ROUGE-L")
    assert sections_of(app) == ["ROUGE-L"]


def test_all_metrics_on_one_screen(known: RatedStorms) -> None:
    app = see(opened(document="d1", a="A", b="people"), ALL)
    assert sections_of(app) == ["ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-K", NOVELTY]
    scores = pair_table(app)
    for name in sections_of(app)[:-1]:
        (line,) = re.findall(rf"<b>{name}</b> (.*?)</div>", html(app))
        row = scores.loc[name]
        assert visible(line) == f"{row['Prefers']} A {row['A: A']}, B {row['B: people']}"
    assert html(app).count('class="evidence"') >= 2 * len(sections_of(app))
    assert not app.warning


def test_the_references_are_beside_the_source(known: RatedStorms) -> None:
    app = opened(document="d1", a="A", b="people")
    source, references = app.tabs
    assert (source.label, references.label) == ("Source", "References")
    (shown,) = (item.proto.body for item in references.get("html"))
    for text in ("A storm hit the coast near the river (d1).", "The storm flooded the town."):
        assert text in shown


# --- the scores of both ---------------------------------------------------------------------------------------


def test_the_table_of_scores_is_what_is_stored(known: RatedStorms) -> None:
    for document in ("d1", "bare"):
        app = opened(document=document, a="A", b="people")
        table = pair_table(app)
        stored = known.data.stored(dataset=NAME, document_id=document, systems=("A", "people"))
        ratings = RATINGS[document]
        people = "A" if ratings[0] > ratings[1] else "B"
        assert list(table.loc["People"])[:4] == [*map(str, ratings[:2]), f"{ratings[0] - ratings[1]:+d}", people]
        assert signatures_of(app) == list(stored)  # whole
        for row, of in zip(table.index[1:], stored.values(), strict=True):
            first, second = of["A"].value, of["people"].value
            if first is None or second is None:
                assert of["A"].missing == of["people"].missing
                assert list(table.loc[row]) == ["—", "—", "—", "— no score", f"A and B missing: {of['A'].missing}"]
                continue
            assert [float(cell) for cell in list(table.loc[row])[:3]] == pytest.approx(
                [first, second, first - second], abs=5e-4
            )
            prefers = "A" if first > second else "B"
            right = "✓ right" if prefers == people else "✗ wrong"
            assert table.loc[row, "Prefers"] == ("= tie" if abs(first - second) < 1e-9 else f"{right}: {prefers}")
            assert table.loc[row, "Notes"] == ""


def test_what_is_to_be_known_of_a_score_is_said(storms: RatedStorms) -> None:
    """The flags of each summary, the reason of the one that is missing, and what was not scored yet."""
    storms.add()
    keys = {(e.document_id, e.system): key for key, e in storms.data.examples(NAME).items()}
    kept = {
        "cut|1": {"A": StoredScore(0.5, None, truncated=True), "people": StoredScore(0.5, None)},
        "both cut|1": {"A": StoredScore(0.5, None, truncated=True), "people": StoredScore(0.25, None, truncated=True)},
        "gone|1": {"A": StoredScore(0.5, None), "people": StoredScore(None, "no words: <i>x</i> **y**")},
        "undone|1": {"people": StoredScore(0.5, None)},
    }
    for signature, scores in kept.items():
        of = {keys["d1", system]: score for system, score in scores.items()}
        storms.data.add_scores(metric=signature.split("|")[0], signature=signature, scores=of)
    table = pair_table(opened(document="d1", a="A", b="people"))
    assert {label: tuple(row[["Prefers", "Notes"]]) for label, row in table.iloc[1:].iterrows()} == {
        "cut": ("= tie", "A truncated"),
        "both cut": ("✗ wrong: A", "A and B truncated"),  # people rated 1 against 2
        "gone": ("— no score", "B missing: no words: <i>x</i> **y**"),
        "undone": ("— no score", "A missing: not scored yet"),
    }


# --- the way through the list ---------------------------------------------------------------------------------


def test_previous_and_next_step_through_the_documents(known: RatedStorms) -> None:
    app = filtered(opened(), "against", metric="ROUGE-1")
    rows = expected(known, PairFilter("against", "ROUGE-1")).drop_duplicates("document")
    assert len(rows) > 2
    seen = []
    for place in range(len(rows)):
        assert f"**{place + 1} of {len(rows)}**" in page_text(app)
        names = dict(zip(("document", "a", "b"), rows.iloc[place][["document", "A", "B"]], strict=True))
        seen.append({name: address(app)[name] for name in names})
        assert seen[-1] == names  # of each document the strongest pair
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
    """The rows of the list that are chosen, of the filter `against` of ROUGE-1."""
    key = f"examples:{Source(NAME, aspect=ASPECT).name}:{PairFilter('against', 'ROUGE-1')}:0"
    return list(app.session_state[key]["selection"]["rows"])


def test_a_long_list_is_shown_in_parts(known: RatedStorms, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_list, "PART", 3)
    wanted = list_documents(expected(known, PairFilter()))
    app = opened()
    assert app.selectbox(key="example_part").options == ["Documents 1 to 3", "Documents 4 to 4"]
    assert list(list_of(app)["document"]) == list(wanted["document"][:3].map(name_document))
    for _ in range(3):
        sound(app.button(key="next").click().run())
    assert address(app)["document"] == wanted["document"][3]
    assert f"**4 of 4** · {wanted['document'][3]}" in page_text(app)
    assert list(list_of(app)["document"]) == list(wanted["document"][3:].map(name_document))
    assert app.selectbox(key="example_part").value == 3
    pressed(app, "☆ Star")
    assert list(list_of(app)["starred"]) == ["★"]
    sound(app.selectbox(key="example_part").select_index(0).run())
    assert address(app)["document"] == wanted["document"][0]
    assert list(list_of(app)["starred"]) == [""] * 3


def test_of_a_document_with_many_pairs_the_strongest_are_offered_and_the_open_one(
    known: RatedStorms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pair_list, "PART", 1)
    rows = expected(known, PairFilter())
    last = rows[rows["document"] == "d1"].iloc[-1]
    options = opened(document="d1", a=last["A"], b=last["B"]).selectbox(key="example_pair").options
    assert [name.partition(":")[0] for name in options] == ["Pair 1 of 3", "Pair 3 of 3"]


def test_what_is_open_stays_open_when_it_stands_elsewhere_in_the_list(known: RatedStorms) -> None:
    app = opened()
    sound(app.button(key="next").click().run())
    names = {name: address(app)[name] for name in ("document", "a", "b")}
    sound(app.text_input(key="example_search").set_value(names["document"]).run())
    assert {name: address(app)[name] for name in names} == names
    assert "**1 of 1**" in page_text(app)


@pytest.mark.parametrize(
    "chosen",
    [PairFilter("against", "ROUGE-1"), PairFilter("rather", "ROUGE-K", "ROUGE-1"), PairFilter("everybody")],
)
def test_filters_to_begin_with(known: RatedStorms, chosen: PairFilter) -> None:
    app = opened()
    chips = app.button_group(key="example_preset")
    assert not any("BERTScore" in name for name in chips.options)  # there are no scores of it
    wanted = expected(known, chosen)
    assert any(name.endswith(f"({len(wanted)})") for name in chips.options)
    sound(chips.set_value(chosen).run())
    assert app.selectbox(key="example_show").value == chosen.show
    if wanted.empty:
        assert "no pair is left" in page_text(app)
    else:
        assert same(app, wanted)


# --- evidence of models ---------------------------------------------------------------------------------------


class Answering:
    """Stands for the process with the models: the real metrics, here."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, str]] = []
        """Metric, document, system."""
        self.may = Event()
        self.may.set()

    def warm(self) -> None:
        pass

    def explain(self, signature: str, example: Example, given_up: Callable[[], bool]) -> Explained:
        self.may.wait(30)
        if given_up():  # by the view before, whose question waited, too
            raise CannotExplain("nobody asks any more")
        self.requests.append((signature.partition("|")[0], example.document_id, example.system))
        if signature.startswith("apes"):
            raise CannotExplain("the models are still being loaded: try again in a moment")
        metric = metric_of(signature)
        assert metric is not None
        return explain(metric, example)


@pytest.fixture
def answering(storms: RatedStorms, monkeypatch: pytest.MonkeyPatch) -> Answering:
    """Scores of a metric with a model, of one that cannot answer now, and of two without."""
    answering = Answering()
    monkeypatch.setattr("relevance.pages.components.examples.inspector.inspector", lambda: answering)
    storms.add()
    score_dataset(storms.data, NAME, make_metrics(["bertscore", "rouge1", "rouge2"]))
    (apes,) = (m.signature for m in make_metrics(["apes"]))
    scores = {key: StoredScore(0.5, None) for key, _ in storms.data.unscored(dataset=NAME, signature=apes)}
    storms.data.add_scores(metric="apes", signature=apes, scores=scores)
    return answering


def answered(app: AppTest) -> AppTest:
    """The page when no model is waited for any more."""
    return drawn_until(app, lambda app: "is being computed" not in page_text(app))


def test_models_come_after_what_is_there_at_once(answering: Answering) -> None:
    answering.may.clear()
    app = see(opened(document="d1", a="A", b="people"), ALL)
    assert sections_of(app) == ["ROUGE-1", "ROUGE-2", NOVELTY]  # there while the models are still looking
    assert page_text(app).count("is being computed") == 2
    answering.may.set()
    answered(app)
    assert sorted(sections_of(app)) == sorted(["ROUGE-1", "ROUGE-2", NOVELTY, "BERTScore", "APES"])
    questions = [name for name, document, _ in answering.requests if document == "d1"]
    assert sorted(questions[-4:]) == ["apes"] * 2 + ["bertscore"] * 2
    assert "Undefined: the models are still being loaded: try again in a moment." in page_text(app)
    assert "is being computed" not in page_text(app)  # what stood there while they were waited for
    assert not app.warning
    assert visible(html(app)).count("The best of 2 references makes the score; it is shown.") >= 2
    assert len(app.get("arrow_vega_lite_chart") or app.get("vega_lite_chart")) == 2


def test_a_model_that_failed_is_asked_again(answering: Answering) -> None:
    app = opened(document="d1", a="A", b="people")
    for times in (2, 4):
        answered(see(app, "APES"))
        assert sum(item[:2] == ("apes", "d1") for item in answering.requests) == times
        see(app, "ROUGE-1")


def test_what_nobody_waits_for_is_not_asked(answering: Answering) -> None:
    answering.may.clear()
    app = see(opened(document="d1", a="A", b="people"), "BERTScore")
    assert "is being computed" in page_text(app)
    see(app, "ROUGE-1")
    assert "is being computed" not in page_text(app)
    assert visible(html(app)).count("unigrams of the reference") == 2
    answering.may.set()
    answered(see(app, "APES"))
    assert sum(name == "bertscore" for name, _, _ in answering.requests) <= 1  # the one that was begun


def test_models_look_at_the_next_example_while_one_reads(storms: RatedStorms, answering: Answering) -> None:
    app = answered(see(opened(), "BERTScore"))
    until(lambda: len(answering.requests) >= 4)
    preferences = load_rated_pairs(storms.data, NAME, ASPECT)
    rows = make_pairs_frame(preferences, PairFilter()).drop_duplicates("document")
    assert answering.requests == [
        ("bertscore", rows["document"].iloc[place], rows[side].iloc[place]) for place in (0, 1) for side in ("A", "B")
    ]
    answering.may.clear()  # nobody answers any more
    sound(app.button(key="next").click().run())
    assert "2 of" in page_text(app)
    assert "is being computed" not in page_text(app)
    answering.may.set()


# --- evidence that cannot be had --------------------------------------------------------------------------------


def test_a_missing_score_shows_its_reason(known: RatedStorms) -> None:
    app = see(opened(document="bare", a="A", b="people"), "ROUGE-K")
    assert pair_table(app).loc["ROUGE-K", "Prefers"] == "— no score"
    assert visible(html(app)).count("No evidence: no keywords: ") == 2


@pytest.mark.parametrize("signature", ["rouge1|mine", "carouge|vectors:mine.txt|v:1", "unheard of|[x](y) **z**"])
def test_a_signature_that_cannot_be_made_again(known: RatedStorms, signature: str) -> None:
    scores = {key: StoredScore(0.5, None) for key, _ in known.data.unscored(dataset=NAME, signature=signature)}
    known.data.add_scores(metric=signature.partition("|")[0], signature=signature, scores=scores)
    app = opened()
    answered(see(app, "ROUGE-1 (mine)" if signature == "rouge1|mine" else label_of(signature)))
    assert f"Undefined: {NOT_MADE_AGAIN}." in page_text(app)


def test_a_stored_score_that_the_evidence_does_not_make(storms: RatedStorms) -> None:
    storms.add()
    (signature,) = (m.signature for m in make_metrics(["rouge1"]))
    key = {(e.document_id, e.system): key for key, e in storms.data.examples(NAME).items()}["d1", "A"]
    storms.data.add_scores(metric="rouge1", signature=signature, scores={key: StoredScore(0.125, None)})
    storms.score()
    app = opened(document="d1", a="A", b="people")
    assert pair_table(app).loc["ROUGE-1", "A: A"] == "0.125"
    assert "A: the stored score is 0.1250, the evidence shown here gives 0." in page_text(app)
    assert "B: the stored score" not in page_text(app)


def test_the_evidence_asked_for_is_kept_from_pair_to_pair_and_source_to_source(known: RatedStorms) -> None:
    app = see(opened(), "ROUGE-K")
    sound(app.text_input(key="example_search").set_value("d2").run())
    assert app.button_group(key="evidence").value == ["ROUGE-K"]
    known.data.add_dataset(
        name="other",
        format="interchange",
        sha256="1",
        records=[(Document("x", "A text.", ("A text.",)), [Summary("x", s, f"text {s}", {"r": ord(s)}) for s in "ab"])],
    )
    score_dataset(known.data, "other", make_metrics(["rouge2"]))
    sound(app.run())
    sound(app.text_input(key="example_search").set_value("").run())
    sound(app.selectbox(key="dataset").select("other").run())
    assert address(app)["dataset"] == "other"
    assert app.button_group(key="evidence").value == ["ROUGE-2"]
