"""The Keywords page against the functions that it shows, and these against counts by hand."""

import json
import re
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from relevance.annotation.keyword_records import FoundKeyword, KeywordAnnotator, MarkCounts, MarkDecisions
from relevance.annotation.keyword_reviews import KeywordReviewStore
from relevance.data.database import connect, now
from relevance.data.demo import NAME as DEMO
from relevance.data.demo import add_demo
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore
from relevance.metrics.keywords.extractors import EXTRACTORS, compared_keywords, shared_keywords
from relevance.metrics.keywords.overlap import Keyword
from relevance.metrics.keywords.recall import by_source, search_keywords
from relevance.pages.components.keywords.lists import (
    LONGEST,
    compared_html,
    document_label,
    merge_keywords,
    no_keywords,
    review_keywords,
    surface,
    task_html,
)
from relevance.reports.charts import discovery_chart
from relevance.reports.formats import as_text
from relevance.reports.tables.keywords import PUBLISHED, discoveries, discovery_tables, published_table
from relevance.reports.tables.table import Range, Undefined
from tests.pages.opening import address, html, open_page, page_text, pressed, sound, visible

MARKUP = "<img src=x onerror=alert(1)> :red[red] **bold** \u202ebidi\u202c"


# --- what the page is made of -----------------------------------------------------------------------------------


def keyword_at(words: str, *places: tuple[int, tuple[int, int]]) -> Keyword:
    return Keyword(tuple(words.split()), places)


STORMS = Document("d", "A source.", ("Storms hit the coast.", "A storm at the coast."), "The storm of the coast")
LISTS = {
    "overlap": [keyword_at("storm", (0, (0, 6)), (1, (2, 7)), (2, (4, 9))), keyword_at("coast", (0, (15, 20)))],
    "tfidf": [keyword_at("coast", (0, (15, 20))), keyword_at("hit", (0, (7, 10)))],
}


def test_the_union_has_each_keyword_once_with_every_place() -> None:
    texts = [*STORMS.references, "The storm of the coast"]
    storm, coast, hit = merge_keywords(LISTS, texts)
    assert (storm.words, storm.extractors) == (("storm",), ("overlap",))
    assert [texts[text][start:end] for text, start, end in storm.places] == ["Storms", "storm", "storm"]
    assert coast.extractors == ("overlap", "tfidf")
    # each extractor named one place only: all are looked up
    assert [text for text, *_ in coast.places] == [0, 1, 2]
    assert hit.places == ((0, 7, 10),)
    assert [surface(keyword, texts) for keyword in (storm, coast, hit)] == ["Storms", "coast", "hit"]
    assert surface(FoundKeyword(("w" * 200,), (), ("tfidf",)), []) == "w" * (LONGEST - 1) + "…"


def test_a_review_takes_the_extractors_that_it_names() -> None:
    other = Document("e", "", ("One text.",))
    texts = [*STORMS.references, "The storm of the coast"]
    assert review_keywords([STORMS, other], {"tfidf": [LISTS["tfidf"], []]}) == {
        "d": merge_keywords({"tfidf": LISTS["tfidf"]}, texts),
        "e": [],
    }


def test_lists_stand_side_by_side_with_shared_ones_marked() -> None:
    html = compared_html(STORMS, LISTS, ["overlap", "tfidf"])
    shown = visible(html)
    for words in ("Overlap: 2 keywords", "TF-IDF: 2 keywords", "coast also TF-IDF", "coast also Overlap"):
        assert words in shown
    assert "hit also" not in shown
    for text in (*STORMS.references, str(STORMS.title)):
        assert text in shown
    # coast: one item in each list and one place in each text, all in one group, each with the line of shared ones
    shared = re.findall(r'<mark class="k-matched k-keyword"[^>]*data-group="(g\d)"', html)
    assert len(shared) == 2 + 3
    assert len(set(shared)) == 1
    only = compared_html(STORMS, LISTS, ["tfidf"])
    assert "Storms</mark> hit" not in only
    assert len(re.findall("<mark", only)) < len(re.findall("<mark", html))


def test_texts_are_never_markup() -> None:
    document = Document("d", "", (f"Storm {MARKUP}", f"storm {MARKUP}"), MARKUP)
    lists = {name: lists[0] for name, lists in compared_keywords([document]).items()}
    assert all(lists.values())
    html = compared_html(document, lists, list(lists))
    assert "<img" not in html
    assert visible(html).count("<img src=x onerror=alert(1)>") >= 3
    assert "[U+202E]" not in surface(merge_keywords(lists, document.references)[0], document.references)


def test_documents_without_keywords_say_why() -> None:
    assert "not two texts" in no_keywords(Document("d", "", ("One.",)))
    assert "share no content word" in no_keywords(Document("d", "", ("Storm.",), "Coast"))
    assert "none" in visible(compared_html(Document("d", "", ("Storm.",), "Coast"), {"overlap": []}, ["overlap"]))
    assert document_label("d1", "A  storm\n") == "d1 · A storm"
    assert len(document_label("d1", "w" * 300)) == LONGEST


COUNTS = MarkCounts(
    documents=("d1", "d1", "d2", "d2", "d1", "d1"),
    annotators=("Ann", "Ann", "Ann", "Ann", "Bo", "Bo"),
    extractors=("overlap", "tfidf") * 3,
    keywords=(4, 2, 2, 2, 4, 2),
    wrong=(1, 1, 0, 2, 3, 1),
)
DECISIONS = MarkDecisions(
    # 1: both say wrong, 2: both right, 3: they differ, 4: one annotator only
    keywords=(1, 1, 2, 2, 3, 3, 4),
    annotators=("Ann", "Bo") * 3 + ("Ann",),
    wrong=(True, True, False, False, True, False, True),
)


def test_results_are_counted_by_extractor() -> None:
    errors = discoveries(COUNTS, ["overlap", "tfidf"])
    own, published, agreement = discovery_tables(errors, DECISIONS)
    overlap, tfidf = own.rows
    # overlap: d1 (1 + 3) / 2 = 2 of 4, d2 0 of 2; tfidf: d1 1 of 2, d2 2 of 2
    assert (overlap["extractor"], overlap["wrong per document"]) == ("Overlap", pytest.approx(1))
    assert (overlap["pooled false discovery rate"], overlap["keywords"]) == (pytest.approx(2 / 6), 6)
    assert (tfidf["wrong per document"], tfidf["pooled false discovery rate"]) == (
        pytest.approx(1.5),
        pytest.approx(3 / 4),
    )
    assert (tfidf["marked"], tfidf["documents"], tfidf["annotators"], tfidf["verdicts"]) == (4, 2, 2, 3)
    assert isinstance(overlap["pooled false discovery rate 95 %"], Range)
    # wrong per document over the pooled rate is the number of keywords per document; of the paper's rate it is none
    for row in own.rows:
        assert row["wrong per document"] / row["pooled false discovery rate"] == pytest.approx(
            row["keywords per document"]
        )
    assert "2 documents only" in own.notes[-1]
    assert [row["false discovery rate"] for row in published.rows] == [of.rate for of in PUBLISHED.values()]
    assert "SciTLDR" in published.notes[0]
    assert "The paper's rate is another quantity than ours" in published.notes[1]
    alpha, equal = agreement.rows
    assert (equal["value"], equal["keywords"]) == (pytest.approx(2 / 3), 3)
    # alpha: 3 of 6 decisions are wrong, so chance is 2 * (3 * 2) / (6 * 5) = .4 and alpha (2/3 - .4) / .6
    assert alpha["value"] == pytest.approx((2 / 3 - 0.4) / 0.6)
    table: Any = pd.DataFrame(discovery_chart(errors).to_dict()["datasets"].popitem()[1])
    assert list(table[table["whose"] == "this review, pooled"]["rate"]) == pytest.approx([2 / 6, 3 / 4])
    assert list(table[table["whose"] == "Takeshita et al. 2024, another quantity"]["rate"]) == [0.13, 0.16]


def test_the_figures_of_the_paper_do_not_belong_to_one_number_of_keywords(shared_data: Path) -> None:
    published = json.loads((shared_data / "published_tables.json").read_text())["rouge_k"]["keyword_extraction"]
    names = {"reference_overlap": "overlap", "tfidf": "tfidf", "textrank": "textrank"}
    assert {
        name: (published["wrong_per_summary"][theirs], published["false_discovery_rate"][theirs])
        for theirs, name in names.items()
    } == PUBLISHED
    # .64 / .13, .85 / .16 and .94 / .21, where each extractor gives as many keywords
    assert [f"{row['wrong / rate']:.2f}" for row in published_table().rows] == ["4.92", "5.31", "4.48"]
    assert "4.92 (Overlap), 5.31 (TF-IDF), 4.48 (TextRank)" in published_table().notes[1]


def test_before_anybody_marks_figures_are_undefined() -> None:
    nothing = discoveries(MarkCounts((), (), (), (), ()), ["overlap"])
    own, _, agreement = discovery_tables(nothing, MarkDecisions((), (), ()))
    assert own.rows[0]["pooled false discovery rate"] == Undefined("nobody has marked keywords yet")
    assert isinstance(agreement.rows[0]["value"], Undefined)
    assert "nobody has marked" in as_text(own)


# --- the page -----------------------------------------------------------------------------------------------------


opened = partial(open_page, "keywords.py")


class PageStores:
    """The stores that the page uses."""

    def __init__(self, url: str) -> None:
        engine = connect(url)
        self.data, self.marks = DataStore(engine), KeywordReviewStore(engine)


@pytest.fixture
def stores(sqlite_url: str) -> PageStores:
    return PageStores(sqlite_url)


@pytest.fixture
def demo(stores: PageStores) -> PageStores:
    add_demo(stores.data)
    return stores


def look_back(app: AppTest) -> AppTest:
    """As if the document had been shown two seconds ago."""
    key, shown = app.session_state["keywords_shown"]
    app.session_state["keywords_shown"] = (key, shown - timedelta(seconds=2))
    return app


def made(app: AppTest, name: str = "R", count: int = 3) -> AppTest:
    """Make a review of the first data set in the view Mark."""
    app.text_input(key="keywords_new_name").set_value(name)
    (number,) = [box for box in app.number_input if box.label == "Documents"]
    number.set_value(count)
    return pressed(app, "Make the review")


def joined(app: AppTest, name: str) -> AppTest:
    app.text_input(key="keywords_join_name").set_value(name)
    return pressed(app, "Start")


def boxes(app: AppTest) -> list[Any]:
    return list(app.checkbox)


def test_an_empty_database_shows_the_way(stores: PageStores) -> None:
    for view in ("compare", "mark", "results", "recall"):
        assert "no documents yet" in page_text(opened(view=view))


def test_the_demo_is_compared_without_any_review(demo: PageStores) -> None:
    app = opened()
    records = demo.data.records(DEMO)
    documents = [document for document, _ in records]
    lists = compared_keywords(documents)
    first = {extractor: result[0] for extractor, result in lists.items()}
    assert compared_html(documents[0], first, list(first)) in [element.proto.body for element in app.get("html")]
    shares = [row.same for row in shared_keywords(lists)]
    assert list(app.dataframe[0].value["same keywords"]) == pytest.approx(shares)
    assert address(app) == {"view": "compare", "dataset": DEMO, "document": documents[0].id}
    pressed(app, "Next")
    assert address(app)["document"] == documents[1].id
    assert documents[1].references[0] in visible(html(app))
    sound(app.button_group(key="keywords_marked").set_value("textrank").run())
    second = {extractor: result[1] for extractor, result in lists.items()}
    assert compared_html(documents[1], second, ["textrank"]) in [element.proto.body for element in app.get("html")]
    again = opened(view="compare", dataset=DEMO, document=documents[5].id)
    assert documents[5].references[0] in visible(html(again))
    nowhere = opened(view="what", dataset="none", document="none")
    assert documents[0].references[0] in visible(html(nowhere))


def test_of_many_documents_one_is_found(demo: PageStores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("relevance.pages.components.shared.documents.MANY", 24)
    documents = [document for document, _ in demo.data.records(DEMO)]
    app = opened()
    assert not [box for box in app.selectbox if box.label == "Document"]
    for result in (pressed(app, "Next"), sound(app.text_input(key="keywords_document_number").input("2").run())):
        assert address(result)["document"] == documents[1].id
        assert documents[1].references[0] in visible(html(result))
    # of another data set, another document
    demo.data.add_dataset(name="few", format="lines", sha256="1", records=[(Document("x", "", ("One text.",)), [])])
    assert address(sound(app.run()))["document"] == documents[1].id
    sound(app.selectbox(key="keywords_dataset").set_value("few").run())
    assert address(app)["document"] == "x"


def test_the_review_that_was_just_made_is_the_one_to_mark(demo: PageStores) -> None:
    app = made(opened(view="mark"), "First")
    app.selectbox(key="keywords_join_review").set_value("First")
    assert made(app, "Second").selectbox(key="keywords_join_review").value == "Second"


def test_a_review_from_making_it_to_its_results(demo: PageStores) -> None:
    app = opened(view="results")
    assert "no review yet" in page_text(app)
    app = made(opened(view="mark"))
    review = demo.marks.review("R")
    assert (review.dataset, review.extractors, review.documents) == (DEMO, tuple(EXTRACTORS), 3)
    assert review.signature.startswith("keywords|")
    assert "|version:" in review.signature
    joined(app, "Ann")
    assert "Marking as **Ann** in **R**" in page_text(app)
    ann = demo.marks.annotator(app.session_state["keywords_marker"])
    assert address(app)["marker"] == ann.token
    task = demo.marks.task(ann, 0)
    assert task_html(task) in [element.proto.body for element in app.get("html")]
    assert len(boxes(app)) == len(task.keywords)

    sound(boxes(app)[1].check().run())
    pressed(look_back(app), f"Save: 1 of {len(task.keywords)} wrong")
    assert demo.marks.task(ann, 0).wrong == {task.keywords[1].id}
    assert "**Document 2 of 3**" in page_text(app)
    pressed(look_back(app), "Save: none is wrong")
    assert demo.marks.progress(ann) == (2, 3)

    again = opened(view="mark", marker=ann.token)  # a reload
    assert "**Document 3 of 3**" in page_text(again)
    pressed(look_back(again), "Save: none is wrong")
    assert "last document" in page_text(again)
    for _ in range(3):
        pressed(again, "Back")
    assert "saved; you may change it" in page_text(again)
    assert [box.value for box in boxes(again)] == [
        keyword.id in demo.marks.task(ann, 0).wrong for keyword in task.keywords
    ]
    sound(boxes(again)[0].check().run())
    pressed(look_back(again), "Save: 2 of")
    assert len(demo.marks.task(ann, 0).wrong) == 2
    assert "last document" in page_text(again)

    result = discoveries(demo.marks.counts("R"), review.extractors)
    results = opened(view="results", review="R")
    table = results.dataframe[0].value
    assert list(table["pooled false discovery rate"]) == pytest.approx([of.rate for of in result.values()])
    assert list(table["wrong per document"]) == pytest.approx([of.per_document for of in result.values()])
    assert table["marked"].sum() == sum(of.wrong for of in result.values()) >= 2
    assert ann.token not in json.dumps(address(results))
    assert "Takeshita et al. 2024" in page_text(results)


def test_nobody_is_shown_who_found_a_keyword(demo: PageStores) -> None:
    app = joined(made(opened(view="mark")), "Ann")
    shown = visible(html(app)) + page_text(app) + "".join(box.label for box in boxes(app))
    assert not [name for name in ("TF-IDF", "TextRank", "Overlap", *EXTRACTORS) if name in shown]


def test_a_press_too_soon_or_from_a_stale_window_saves_nothing(demo: PageStores) -> None:
    app = joined(made(opened(view="mark")), "Ann")
    ann = demo.marks.annotator(app.session_state["keywords_marker"])
    key, _ = app.session_state["keywords_shown"]
    app.session_state["keywords_shown"] = (key, now() + timedelta(seconds=1))
    pressed(app, "Save")
    assert "too soon" in page_text(app)
    assert demo.marks.progress(ann).saved == 0
    task = demo.marks.task(ann, 0)
    demo.marks.save(annotator=ann, task_id=task.id, wrong=[], presented_at=now() - timedelta(seconds=9))
    pressed(look_back(app), "Save")
    assert demo.marks.task(ann, 0).revision == 1
    assert "another window" in page_text(app)


def test_ticks_that_are_not_saved_outlive_another_view(demo: PageStores) -> None:
    app = joined(made(opened(view="mark")), "Ann")
    ann = demo.marks.annotator(app.session_state["keywords_marker"])
    task = demo.marks.task(ann, 0)
    sound(boxes(app)[1].check().run())
    for view in ("Compare", "Mark"):
        sound(app.button_group(key="keywords_view").set_value(view).run())
    assert [box.value for box in boxes(app)] == [place == 1 for place in range(len(task.keywords))]
    pressed(look_back(app), f"Save: 1 of {len(task.keywords)} wrong")
    assert demo.marks.task(ann, 0).wrong == {task.keywords[1].id}
    assert "**Document 2 of 3**" in page_text(app)
    # what was taken away again is not ticked
    sound(boxes(app)[0].check().run())
    sound(boxes(app)[0].uncheck().run())
    for view in ("Results", "Mark"):
        sound(app.button_group(key="keywords_view").set_value(view).run())
    assert not any(box.value for box in boxes(app))


def test_ticks_outlive_turning_to_another_document_which_names_them(demo: PageStores) -> None:
    app = joined(made(opened(view="mark")), "Ann")
    ann = demo.marks.annotator(app.session_state["keywords_marker"])
    first = demo.marks.task(ann, 0)
    pressed(look_back(app), "Save: none is wrong")
    boxes(app)[2].check()  # a tick and at once the press
    pressed(app, "Back")
    assert "ticked in another document is not saved yet" in page_text(app)
    assert "you may change it" in page_text(app)
    sound(boxes(app)[0].check().run())
    assert "your change is not yet" in page_text(app)
    pressed(app, "Go on, save later")
    assert "**Document 2 of 3**" in page_text(app)
    assert [place for place, box in enumerate(boxes(app)) if box.value] == [2]
    assert demo.marks.task(ann, 0).wrong == frozenset()
    pressed(app, "Document 1")
    assert [place for place, box in enumerate(boxes(app)) if box.value] == [0]
    pressed(look_back(app), "Save: 1 of")
    assert demo.marks.task(ann, 0).wrong == {first.keywords[0].id}
    pressed(look_back(app), "Save: 1 of")
    assert len(demo.marks.task(ann, 1).wrong) == 1
    assert "not saved yet" not in page_text(app)
    assert not any(box.value for box in boxes(app))


def test_ticks_give_way_to_what_another_window_saved_and_say_so(demo: PageStores) -> None:
    app = joined(made(opened(view="mark")), "Ann")
    ann = demo.marks.annotator(app.session_state["keywords_marker"])
    sound(boxes(app)[1].check().run())
    sound(app.button_group(key="keywords_view").set_value("Compare").run())
    task = demo.marks.task(ann, 0)
    wrong = [task.keywords[0].id]
    demo.marks.save(annotator=ann, task_id=task.id, wrong=wrong, presented_at=now() - timedelta(seconds=9))
    sound(app.button_group(key="keywords_view").set_value("Mark").run())
    pressed(app, "Document 1")
    assert "saved in another window since" in page_text(app)
    assert [place for place, box in enumerate(boxes(app)) if box.value] == [0]
    sound(app.run())
    assert "another window" not in page_text(app)


def test_a_name_that_is_taken_asks_whether_it_is_you(demo: PageStores) -> None:
    app = joined(made(opened(view="mark")), "Ann")
    ann = demo.marks.annotator(app.session_state["keywords_marker"])
    pressed(app, "Not you?")
    assert "marker" not in address(app)
    joined(app, "Ann")
    assert "has begun this review" in page_text(app)
    assert "keywords_marker" not in app.session_state
    joined(app, "Anna")
    assert "Marking as **Anna**" in page_text(app)
    pressed(app, "Not you?")
    joined(app, "Ann")
    pressed(app, "I am Ann")
    assert app.session_state["keywords_marker"] == ann.token


def test_what_is_refused_is_said(demo: PageStores) -> None:
    app = made(opened(view="mark"))
    made(app)
    assert "already a review 'R'" in page_text(app)
    joined(app, " ")
    assert "printable" in page_text(app)
    wrong = opened(view="mark", marker="nobody")
    assert "not known" in page_text(wrong)
    pressed(wrong, "Start again")
    assert wrong.text_input(key="keywords_join_name")
    sound(app.multiselect(key="keywords_new_extractors").set_value([]).run())
    made(app, "S")
    assert "at least one extractor" in page_text(app)
    assert [review.name for review in demo.marks.reviews()] == ["R"]


def test_keyword_recall_is_that_of_the_analysis(demo: PageStores) -> None:
    app = opened(view="recall")
    rows = by_source(search_keywords(demo.data.records(DEMO)))
    table = app.dataframe[0].value
    assert list(table["system"]) == [row.system for row in rows]
    assert list(table["IN-SRC"]) == pytest.approx([row.in_source.value for row in rows])
    assert len(app.dataframe) == 2
    assert app.get("vega_lite_chart")


def test_views_and_choices_outlive_each_other(demo: PageStores) -> None:
    demo.data.add_dataset(
        name="other & <b>",
        format="interchange",
        sha256="1",
        records=[(STORMS, [Summary("d", "a", "A storm.")]), (Document("bare", "", ("One text.",)), [])],
    )
    app = opened(view="compare", dataset="other & <b>", document="bare")
    assert "not two texts" in page_text(app)
    sound(app.button_group(key="keywords_view").set_value("Keyword recall").run())
    assert address(app) == {"view": "recall", "dataset": "other & <b>"}
    sound(app.button_group(key="keywords_view").set_value("Compare").run())
    assert address(app)["dataset"] == "other & <b>"


def test_a_name_is_shown_literally(demo: PageStores) -> None:
    app = made(opened(view="mark"), name="R " + "**bold** :red[x] <b>")
    joined(app, "Ann <img> :red[x]")
    (header,) = [line.value for line in app.markdown if line.value.startswith("Marking as")]
    assert ":red[" not in header
    assert "\\<img\\>" in header
    annotator: KeywordAnnotator = demo.marks.annotator(app.session_state["keywords_marker"])
    assert annotator.name == "Ann <img> :red[x]"
