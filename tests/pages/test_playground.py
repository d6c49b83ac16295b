"""The playground without a browser: what it begins with, links, files, saving, and an empty database."""

import re
from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from relevance.annotation.results import load_rated_pairs
from relevance.data.database import connect
from relevance.data.demo import FILE, TABLE_1, add_demo
from relevance.data.importers import read_documents
from relevance.data.records import make_examples
from relevance.data.signatures import name_of
from relevance.data.store import PLAYGROUND, DataStore, StoredScore, StoreError, example_hash
from relevance.metrics import default_metrics, lexical_metrics, metric
from relevance.metrics.background.explaining import Inspector
from relevance.metrics.explained import CannotExplain, explain
from relevance.metrics.from_signature import metric_of, signatures
from relevance.pages.components.disagreements.examples import load_chosen_examples
from relevance.pages.components.playground.draft import Draft, examples_of, from_examples, from_records
from relevance.pages.components.playground.forms import PREFERENCE, rename_systems
from relevance.pages.components.playground.sharing import from_link, to_link
from relevance.pages.components.playground.state import Playground
from relevance.pages.components.playground.what_if import MOST_WORDS, most_words
from relevance.reports.evidence.phrases import figures
from tests.pages.opening import html, open_page, page_text, sound

HOSTILE = "<img src=x onerror=alert(1)> **b** [l](http://127.0.0.1:9/) $x$ \u202e"
DRAFT = Draft((f"A storm hit. {HOSTILE}",), "Storm", "A storm.", ("The storm.", f"Rain {HOSTILE}"), ("", "second"))


@pytest.fixture(autouse=True)
def no_models(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No process for the models: these tests are about the page."""
    monkeypatch.setattr(Inspector, "warm", lambda self: None)


@pytest.fixture
def store(sqlite_url: str) -> DataStore:
    return DataStore(connect(sqlite_url))


opened = partial(open_page, "playground.py")


def playground_of(app: AppTest) -> Playground:
    playground = app.session_state["playground"]
    assert isinstance(playground, Playground)
    return playground


def shown(app: AppTest) -> dict[str, str]:
    parts = re.findall(r'<td data-score="([^"]*)"[^>]*>(.*?)</td>', html(app))
    return {
        name: re.sub(r"<span class=\"moved\">.*?</span>|<[^>]*>|[^0-9.a-z…]|preferred", "", text)
        for name, text in parts
    }


def expected(draft: Draft) -> dict[str, str]:
    cells = {}
    for name in lexical_metrics():
        examples = examples_of(draft)
        values: dict[str, float | None] = {}
        for letter, score in zip(examples, metric(name).score(list(examples.values())), strict=True):
            values[letter] = score.value
        known = [value for value in values.values() if value is not None]
        numbers = iter([f"{value:.0f}" for value in known] if name == "length" else figures(known))
        for letter, value in values.items():
            cells[f"{name}-{letter}"] = "missing" if value is None else next(numbers)
    return cells


def form(app: AppTest, name: str) -> AppTest:
    app.session_state[f"playground_{name}"] = True
    return sound(app.run())


def test_it_begins_with_the_demo_corpus_on_an_empty_database(store: DataStore) -> None:
    app = opened()
    assert playground_of(app).draft == from_examples(load_chosen_examples()[0].examples)
    assert {name: text for name, text in shown(app).items() if name.split("-")[0] in lexical_metrics()} == expected(
        playground_of(app).draft
    )
    assert shown(app)["bertscore-A"] == "computing…"
    assert store.datasets() == []


def test_it_opens_on_an_example_of_which_every_metric_has_something_to_say() -> None:
    examples = examples_of(playground_of(opened()).draft)
    assert len(examples) == 2
    for name in lexical_metrics():
        first, second = (score.value for score in metric(name).score(list(examples.values())))
        assert first is not None
        assert second is not None
        assert abs(first - second) > 1e-9, name


def test_what_was_typed_can_be_undone() -> None:
    app = opened(example=to_link(DRAFT))
    assert not app.button(key="playground_undo").disabled  # what was there before the link
    while not app.button(key="playground_undo").disabled:
        sound(app.button(key="playground_undo").click().run())
    playground = playground_of(app)
    before = playground.draft
    playground.typed(playground.began("summary", 0), "summary", 0, "Typed.", 1)
    sound(app.run())
    assert '<span class="moved">(' in html(app)
    sound(app.button(key="playground_undo").click().run())
    assert playground_of(app).draft == before
    assert not app.button(key="playground_redo").disabled
    assert '<span class="moved">(' not in html(app)


def test_evidence_of_each_metric() -> None:
    app = opened()
    for name in ("rouge1", "rouge2", "rougeL", "rouge_k", "Words not in the source"):
        sound(app.button_group(key="playground_evidence").set_value(name).run())
        assert html(app).count('<div class="evidence">') >= 2
    sound(app.button_group(key="playground_evidence").set_value("bertscore").run())
    assert "The metric is asked when you pause" in page_text(app)


def test_metrics_of_libraries_are_shown_when_they_are_asked_for() -> None:
    pytest.importorskip("sacrebleu")
    app = form(opened(), "metrics")
    assert "bleu-A" not in shown(app)
    sound(app.button_group(key="playground_also").set_value(["bleu", "chrf"]).run())
    assert {"bleu-A", "bleu-B", "chrf-A", "chrf-B"} <= shown(app).keys()
    playground = playground_of(app)
    for signature, example in playground.models.wanted:
        if name_of(signature) == "bleu":
            made = metric_of(signature)
            assert made is not None
            playground.models.kept[signature, example] = explain(made, example)
    sound(app.button_group(key="playground_evidence").set_value("bleu").run())
    assert "n-grams of 1 to 4 words found" in page_text(app)
    sound(app.button_group(key="playground_also").set_value([]).run())
    assert "bleu-A" not in shown(app)


def test_models_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened()
    playground = playground_of(app)
    playground.models.kept = {item: CannotExplain(f"no such model {HOSTILE}") for item in playground.models.wanted}
    sound(app.run())
    assert shown(app)["carouge-A"] == "missing"
    assert "CAROUGE, A, B: missing, no such model &lt;img" in html(app)
    sound(app.button_group(key="playground_evidence").set_value("carouge").run())
    assert "Undefined: no such model <img" in page_text(app)


def test_a_link_brings_its_texts_once() -> None:
    app = opened(example=to_link(DRAFT))
    assert playground_of(app).draft == DRAFT
    assert "<img" not in html(app)
    playground_of(app).typed(playground_of(app).generation, "summary", 0, "Changed.", 1)
    sound(app.run())
    assert playground_of(app).draft.summaries[0] == "Changed."
    for key in (name for name in expected(playground_of(app).draft)):
        assert shown(app)[key] == expected(playground_of(app).draft)[key]


@pytest.mark.parametrize("link", ["", "x", "<script>alert(1)</script>", "A" * 9000, to_link(DRAFT)[:-3]])
def test_a_bad_link_is_said_and_leaves_nothing(link: str) -> None:
    app = opened(example=link)
    assert len(app.error) == 1
    assert app.error[0].value.startswith("The example in the address cannot be opened: ")
    assert playground_of(app).draft == Draft()
    assert "Write a summary to see its scores." in page_text(app)
    assert not shown(app)


def test_more_and_fewer_texts_and_undo() -> None:
    app = opened(example=to_link(DRAFT))
    sound(app.button(key="playground_add_summary").click().run())
    sound(app.button(key="playground_add_reference").click().run())
    assert (len(playground_of(app).draft.summaries), len(playground_of(app).draft.references)) == (3, 2)
    sound(app.button(key="playground_drop_summary").click().run())
    sound(app.button(key="playground_drop_summary").click().run())
    assert playground_of(app).draft.summaries == DRAFT.summaries[:1]
    assert not any(name.endswith("-B") for name in shown(app))
    last = playground_of(app).draft
    for _ in range(4):
        sound(app.button(key="playground_undo").click().run())
    assert playground_of(app).draft == DRAFT
    for _ in range(4):
        sound(app.button(key="playground_redo").click().run())
    assert playground_of(app).draft == last
    assert app.button(key="playground_redo").disabled


def test_what_if_by_the_choice_of_a_word() -> None:
    app = opened(example=to_link(DRAFT))
    sound(app.button_group(key="playground_view").set_value("What if").run())
    assert "falls by" in html(app)
    playground_of(app).choose(1)
    sound(app.run())
    change = playground_of(app).changed
    assert change is not None
    assert change.candidate == "The."
    assert 'data-what-if="rouge1-after"' in html(app)
    sound(app.button(key="playground_apply").click().run())
    assert playground_of(app).draft.summaries[0] == "The."
    assert "data-what-if" not in html(app)


def test_a_long_summary_has_fewer_bars() -> None:
    draft = DRAFT.put("summary", 0, " ".join(str(number * 7919 % 100_003) for number in range(3000)))
    app = opened()
    playground_of(app).lay(draft)
    sound(app.button_group(key="playground_view").set_value("What if").run())
    most = most_words(draft.summaries[0])
    assert most < MOST_WORDS
    assert f"Only the first {most} words have bars" in page_text(app)
    assert html(app).count("without it the score") == most


def test_another_example_is_opened_or_none(store: DataStore) -> None:
    app = form(opened(), "open")
    records = [*read_documents(TABLE_1, "interchange"), *read_documents(FILE, "interchange")]
    assert [document.id for document, _ in records[:2]] == ["rkgj0tNfom", "science-01"]
    sound(app.selectbox(key="playground_demo").select_index(5).run())
    sound(app.button(key="playground_open_it").click().run())
    assert playground_of(app).draft == from_records(*records[5])
    app = form(app, "open")
    sound(app.button(key="playground_empty").click().run())
    assert playground_of(app).draft == Draft()
    app = form(app, "open")
    sound(app.button_group(key="playground_kind").set_value("data set").run())
    assert "There is no data set yet" in page_text(app)
    add_demo(store)
    sound(app.run())
    sound(app.selectbox(key="playground_document:demo").select(records[7][0].id).run())
    sound(app.button(key="playground_open_it").click().run())
    assert playground_of(app).draft == from_records(*records[7])


def test_a_file_is_checked_as_any_import() -> None:
    app = form(opened(), "open")
    sound(app.button_group(key="playground_kind").set_value("file").run())
    sound(app.file_uploader(key="playground_file").upload("bad.jsonl", b'{"id": "x"}\n', "application/json").run())
    assert "bad.jsonl:1: the document has no source, references, summaries or title" in page_text(app)


def fill(app: AppTest, **fields: str) -> AppTest:
    for name, value in fields.items():
        app.text_input(key=f"playground_save_{name}").set_value(value)
    return app


def saved(app: AppTest) -> AppTest:
    (submit,) = (button for button in app.button if button.label == "Save")
    return sound(submit.click().run())


def test_saved_with_a_preference_it_is_an_example_as_any(store: DataStore) -> None:
    app = form(opened(example=to_link(DRAFT)), "save")
    model = signatures()["bertscore"]
    known = playground_of(app).models
    from relevance.metrics.explained import Explained

    known.kept = {item: Explained(0.25, None, True, None) for item in known.wanted if item[0] == model}
    fill(app, dataset="mine & <b>", document="one")
    app.radio(key="playground_prefer").set_value("B")
    saved(app)
    assert "Saved as one in the data set mine & <b>" in page_text(app)
    ((document, summaries),) = store.records("mine & <b>")
    assert (document.id, document.title, document.source) == ("one", "Storm", "A storm.")
    assert {s.system: (s.text, s.human) for s in summaries} == {
        "A": (DRAFT.summaries[0], {PREFERENCE: 0.0}),
        "second": (DRAFT.summaries[1], {PREFERENCE: 1.0}),
    }
    assert store.dataset("mine & <b>").format == PLAYGROUND
    assert {signature.metric for signature in store.signatures("mine & <b>")} == {*default_metrics(), "bertscore"}
    keys = [example_hash(example) for example in make_examples(document, summaries)]
    assert len(set(keys)) == 2
    assert set(store.scores(dataset="mine & <b>", signature=model).values()) == {StoredScore(0.25, None, True)}
    preferences = load_rated_pairs(store, "mine & <b>", PREFERENCE)
    assert len(preferences) == 1

    fill(app, dataset="mine & <b>", document="one")
    saved(app)
    assert "already has a document 'one'; choose another id" in page_text(app)
    assert len(store.records("mine & <b>")) == 1


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"document": ""}, "a name needs 1 to 200"),
        ({"document": "x", "dataset": " "}, "a name needs 1 to 200"),
        ({"document": "x", "dataset": "demo"}, "was imported and stays as its file is"),
        ({"document": "x", "name:1:A": "same", "name:1:B": "same"}, "two summaries are called same"),
        ({"document": "x", "name:1:A": "a\nb"}, "the name of a summary's system needs 1 to 200"),
        ({"document": "x", "name:1:A": "a\u202eb"}, "the name of a summary's system needs 1 to 200"),
    ],
)
def test_what_cannot_be_saved_is_said(store: DataStore, fields: dict[str, str], why: str) -> None:
    add_demo(store)
    before = store.datasets()
    app = form(opened(example=to_link(DRAFT)), "save")
    saved(fill(app, **fields))
    assert why in page_text(app)
    assert store.datasets() == before
    assert from_link(to_link(playground_of(app).draft)) == playground_of(app).draft


def test_no_draft_has_a_name_that_cannot_be_kept() -> None:
    assert rename_systems(DRAFT, {"A": " first ", "B": "B"}).names == ("first", "")
    for name in ("x" * 201, "a\nb", "a\0b", "a\u202eb", "\ud800"):
        with pytest.raises(StoreError, match="the name of a summary's system needs 1 to 200"):
            rename_systems(DRAFT, {"A": name, "B": "second"})


def test_a_link_and_a_file_to_share() -> None:
    app = form(opened(example=to_link(DRAFT)), "share")
    assert app.code[0].value.endswith(f"?example={to_link(DRAFT)}")
    playground_of(app).draft = DRAFT._replace(source="")
    sound(app.run())
    assert "No file is possible: a file needs a source" in page_text(app)
    playground_of(app).draft = DRAFT._replace(source=" ".join(str(number * 7919 % 100_003) for number in range(4000)))
    sound(app.run())
    assert "No link is possible" in page_text(app)


def test_texts_stay_while_other_pages_are_looked_at() -> None:
    app = opened(example=to_link(DRAFT))
    sound(app.switch_page("studies.py").run())
    sound(app.switch_page("playground.py").run())
    assert playground_of(app).draft == DRAFT
