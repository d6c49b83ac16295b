"""The page Data sets: imported, browsed, scored, renamed, deleted and brought back."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect, now
from relevance.data.demo import NAME, add_demo
from relevance.data.importers.columns import TEMPLATE
from relevance.data.records import SOURCE_CUT, TRAINED_ON, Summary
from relevance.data.store import CANCELLED, DataStore
from relevance.metrics import default_metrics, make_metrics
from relevance.metrics.libraries import OF_LIBRARIES
from relevance.metrics.registry import available_of_libraries, label_of, usual_metrics
from relevance.metrics.scoring import score_dataset
from relevance.pages.components.datasets.progress import name_scarce, run_progress
from tests.pages.import_form import of_column, of_columns, upload
from tests.pages.opening import address, drawn_until, html, open_page, page_text, press, pressed, sound, visible


@pytest.fixture
def store(sqlite_url: str) -> DataStore:
    return DataStore(connect(sqlite_url))


def open_part(part: str, **query: str) -> AppTest:
    app = open_page("datasets.py", **query)
    app.session_state.part = part
    return sound(app.run())


# --- importing --------------------------------------------------------------------------------------------------


def test_the_template_can_be_imported(store: DataStore) -> None:
    app = upload("mine.csv", TEMPLATE)
    assert "In the file: 2 documents, 4 summaries by 2 systems, ratings of relevance." in page_text(app).replace(
        "*", ""
    )
    assert "ROUGE-K has no keywords in 1 of 2 documents" in page_text(app)  # the other one has a title
    assert store.datasets() == []
    app = press(app, "import")
    assert store.dataset("mine").aspects == ("relevance",)
    assert "Imported 2 documents and 4 summaries of 2 systems as mine." in page_text(app)
    assert address(app) == {"dataset": "mine"}
    assert "score the summaries" in page_text(app)  # what comes next


SEMICOLONS = (
    "id;article;gold;model;output;relevance\n"
    "d1;A text.;A reference.;a;Some words.;4\n"
    "d1;A text.;A reference.;b;Others.;2.5\n"
)


def test_columns_of_other_names_and_semicolons_are_read_as_one_says(store: DataStore) -> None:
    app = upload("mine.csv", SEMICOLONS)
    # what they are is guessed by what people call them
    chosen = {str(box.key).split(":")[2]: box.value for box in app.selectbox if "import_column:" in str(box.key)}
    assert chosen == {
        "document_id": "id",
        "title": "(none)",
        "source": "article",
        "reference": "gold",
        "system": "model",
        "summary": "output",
        "annotator": "(none)",
        "aspect": "(none)",
    }
    assert of_columns(app, "human.").value == ["relevance"]
    assert "In the file: 1 document, 2 summaries by 2 systems, ratings of relevance." in page_text(app).replace("*", "")
    sound(of_column(app, "source").select("output").run())
    assert "The column output is chosen twice." in page_text(app)
    sound(of_column(app, "source").select("(none)").run())
    sound(of_column(app, "reference").select("(none)").run())
    assert "Choose the columns of the reference." in page_text(app)
    sound(of_column(app, "reference").select("gold").run())
    sound(of_column(app, "source").select("article").run())
    press(app, "import")
    ((document, summaries),) = store.records("mine")
    assert (document.source, document.references) == ("A text.", ("A reference.",))
    assert [(summary.system, summary.human) for summary in summaries] == [
        ("a", {"relevance": 4}),
        ("b", {"relevance": 2.5}),
    ]


def test_summaries_without_a_document_s_id_and_a_system(store: DataStore) -> None:
    app = upload("bart.csv", "document,reference,summary\nOne.,R one.,S one.\nTwo.,R two.,S two.\n")
    (named,) = (box for box in app.text_input if str(box.key).startswith("import_system:"))
    assert named.value == "bart"
    sound(named.input("BART").run())
    press(app, "import")
    assert [(document.id, written[0].system) for document, written in store.records("bart")] == [
        ("1", "BART"),
        ("2", "BART"),
    ]


def test_a_column_of_summaries_for_each_system(store: DataStore) -> None:
    app = upload("mine.csv", "document,reference,summary_a,summary_b,third\nOne.,R one.,A one.,B one.,C one.\n")
    assert of_columns(app, "summary.").value == ["summary_a", "summary_b"]
    sound(of_columns(app, "summary.").set_value([]).run())
    assert "Choose the columns of two summaries." in page_text(app)
    sound(of_columns(app, "summary.").set_value(["summary_a", "third"]).run())
    press(app, "import")
    ((_, written),) = store.records("mine")
    assert [(summary.system, summary.text) for summary in written] == [("a", "A one."), ("third", "C one.")]


def test_a_column_of_ratings_without_its_prefix_is_offered(store: DataStore) -> None:
    text = "document_id,source,reference,system,summary,relevance\nd,A text.,A reference.,a,Some words.,4\n"
    app = upload("mine.csv", text)
    assert of_columns(app, "human.").value == ["relevance"]
    press(app, "import")
    assert store.dataset("mine").aspects == ("relevance",)


def test_a_table_with_a_row_for_each_annotator_keeps_each_rating(store: DataStore) -> None:
    rows = "".join(f"d,A text.,R.,{system},Some words.,{n},w{n}\n" for system in "ab" for n in (1, 4))
    app = upload("mine.csv", f"document_id,source,reference,system,summary,relevance,worker\n{rows}")
    assert of_column(app, "annotator").value == "worker"
    assert "their means count, and each is kept" in page_text(app)
    press(app, "import")
    assert store.dataset("mine").annotated == ("relevance",)
    ((_, (first, _)),) = store.records("mine")
    assert (first.human, len(first.annotators)) == ({"relevance": 2.5}, 2)


def test_a_table_of_the_best_becomes_a_study(store: DataStore, sqlite_url: str) -> None:
    rows = "".join(f"d{n},R.,One {n}.,Two {n}.,Three {n}.,{'ABC'[n % 3]},{'BCA'[n % 3]},zoe\n" for n in range(4))
    app = upload("mine.csv", f"document,reference,summary_a,summary_b,summary_c,best,worst,annotator\n{rows}")
    assert "In the file: 12 judgments of 12 pairs by 1 annotator, which become a closed study." in page_text(
        app
    ).replace("*", "")
    press(app, "import")
    study = AnnotationStore(connect(sqlite_url)).study("mine")
    assert (study.judgments, study.pairs, study.state) == (12, 12, "closed")


def test_a_table_of_choices_becomes_a_study(store: DataStore, sqlite_url: str) -> None:
    rows = "".join(f"d{n},R.,bart,One {n}.,t5,Two {n}.,{'AB'[n % 2]},zoe\n" for n in range(7))
    app = upload("mine.csv", f"document,reference,system_a,summary_a,system_b,summary_b,choice,annotator\n{rows}")
    assert "In the file: 7 judgments of 7 pairs by 1 annotator, which become a closed study." in page_text(app).replace(
        "*", ""
    )
    assert 'Choices in "choice": "A" is left (4); "B" is right (3)' in page_text(app)
    (frame,) = (element.value for element in app.dataframe if "choice" in element.value)
    assert list(frame["choice"]) == ["left", "right", "left", "right", "left"]
    assert store.datasets() == []
    press(app, "import")
    study = AnnotationStore(connect(sqlite_url)).study("mine")
    assert (study.judgments, study.pairs, study.state) == (7, 7, "closed")


def test_what_is_wrong_with_a_file_is_said_before_it_is_imported(store: DataStore) -> None:
    app = upload("mine.csv", "document_id,source,reference,system,summary\nd,A text.,R,,Some words.\n")
    assert "mine.csv:2: system must be a string or a whole number, not null." in page_text(app)
    assert "import" not in [button.key for button in app.button]


def test_a_file_of_lines_joins_a_data_set(store: DataStore) -> None:
    app = upload("bart.txt", "One.\nTwo.\n")
    assert "import its documents first" in page_text(app)
    press(upload("mine.csv", TEMPLATE), "import")
    app = upload("bart.txt", "One.\nTwo.\n")
    press(app, "import")
    assert store.dataset("mine").systems == ("bart", "system A", "system B")


def test_json_lines_are_shown_before_they_are_taken(store: DataStore) -> None:
    record = {"id": "d <b>", "source": "A b.", "references": ["a", "b"], "summaries": []}
    app = upload("news 2024.jsonl", json.dumps(record) + "\n")
    assert list(app.dataframe[0].value["document"]) == ["d <b>"]
    press(app, "import")
    assert store.has_dataset("news 2024")


# --- browsing ---------------------------------------------------------------------------------------------------


MARKED = {
    "id": "d",
    "source": "Divers say that the reef is safe.",
    "references": ["the reef is safe<q>divers are happy"],
    "summaries": [{"system": "a", "text": "divers &amp; <unk> fish"}, {"system": "b", "text": "a reef"}],
}


def test_marks_of_other_programs_are_said_and_removed_only_where_that_is_asked(store: DataStore) -> None:
    app = upload("marked.jsonl", json.dumps(MARKED))
    assert "Marks of other programs stand in 2 of 4 texts" in page_text(app)
    app = sound(app.checkbox(key="import_clean").check().run())
    assert "Marks of other programs were removed from 2 of 4 texts" in page_text(app)
    app = press(app, "import")
    assert "Marks of other programs were removed from 2 of 4 texts" in page_text(app)
    ((document, summaries),) = store.records("marked")
    assert document.references == ("the reef is safe\ndivers are happy",)
    assert summaries[0].text == "divers & fish"
    assert app.dataframe[0].value["format"].tolist() == ["interchange, cleaned"]
    app = upload("c.txt", "one<q>two\n")
    assert (
        "The texts of this data set were cleaned of marks of other programs, and so are those of the file."
        in page_text(app)
    )
    assert not [element for element in app.checkbox if element.key == "import_clean"]
    press(app, "import")
    assert [summary.text for _, written in store.records("marked") for summary in written if summary.system == "c"] == [
        "one\ntwo"
    ]
    store.restore_dataset(store.delete_dataset("marked"))
    assert store.dataset("marked").cleaned == "1"


def test_results_say_what_stands_in_the_texts(store: DataStore) -> None:
    rated = [item | {"human": {"relevance": number}} for number, item in enumerate(MARKED["summaries"])]
    app = upload("marked.jsonl", json.dumps(MARKED | {"summaries": rated}))
    press(app, "import")
    score_dataset(store, "marked", make_metrics(["rouge1", "rougeLsum"]))
    for page in ("overview.py", "agreement.py", "correlation.py"):
        app = drawn_until(open_page(page, dataset="marked"), lambda app: "Marks of other programs" in page_text(app))
        assert "ROUGE-Lsum: no summary or reference has a line break" in page_text(app)
        assert "Marks of other programs stand in 2 of 4 texts" in page_text(app)
        assert "<q>" not in html(app)


def test_documents_are_browsed_and_searched(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = open_page("datasets.py")
    assert "24 documents" in page_text(app)
    assert len(listed(app)) == 10
    app.session_state["page:demo:"] = 3
    sound(app.run())
    assert len(listed(app)) == 4
    sound(app.text_input(key="search:demo").input("MUSSELS salt").run())
    assert "1 of 24 documents" in page_text(app)
    (label,) = listed(app)
    assert "Road Salt" in label
    app.session_state["document:demo:1"] = True
    sound(app.run())
    document, summaries = demo[0].records(NAME)[1]
    for text in (*document.references, *(summary.text for summary in summaries)):
        assert text in visible(html(app))
    sound(app.text_input(key="search:demo").input("zzyzx").run())
    assert "0 of 24 documents" in page_text(app)


def listed(app: AppTest) -> list[str]:
    return [box.label for box in app.expander if box.label.startswith("**")]


def test_by_how_many_metrics_a_data_set_is_scored(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = open_page("datasets.py")
    assert list(app.dataframe[0].value["scored by"]) == [f"{len(default_metrics())} of {len(usual_metrics())}"]
    assert f"Scored by {len(default_metrics())} of {len(usual_metrics())} metrics" in page_text(app)
    rows = open_part("Scores").dataframe[-1].value.set_index("metric")
    assert rows.loc["ROUGE-K", "summaries"] == "96 of 96"
    assert rows.loc["ROUGE-K", "undefined"] == 0
    assert rows.loc["BERTScore", "summaries"] == "0 of 96"
    assert np.isnan(rows.loc["BERTScore", "undefined"])  # nobody has asked, which is not 0


def test_missing_scores_are_said_with_their_reasons(store: DataStore) -> None:
    press(upload("mine.csv", TEMPLATE), "import")  # one reference and no title
    score_dataset(store, "mine", make_metrics(["rouge1", "rouge_k"]))
    summaries = store.dataset("mine").summaries
    missing = f"ROUGE-K: {summaries} of {summaries} scores are missing: no keywords: there are not two texts"
    assert missing in page_text(open_part("Scores"))
    run = store.start_run(dataset="mine", metrics=["rouge1", "rouge_k"])
    (scarce,) = name_scarce(run)
    assert scarce.startswith(missing)
    assert name_scarce(replace(run, metrics=("rouge1",))) == []
    assert name_scarce(replace(run, error="it broke")) == []


def test_the_next_step_is_offered(store: DataStore) -> None:
    press(upload("mine.csv", TEMPLATE), "import")
    score_dataset(store, "mine", make_metrics(default_metrics()))
    app = press(open_page("datasets.py"), "next_study")
    assert app.title[0].value == "New study"
    assert app.selectbox(key="new_dataset").value == "mine"


# --- scoring ----------------------------------------------------------------------------------------------------


def told(app: AppTest) -> list[str]:
    """What the page says about runs: progress bars, successes, warnings, errors."""
    bars = [element.proto.text for element in app.get("progress")]
    return bars + [message.value for message in (*app.success, *app.warning, *app.error)]


def has(app: AppTest, *parts: str) -> bool:
    return any(all(part in message for part in parts) for message in told(app))


def test_scoring_by_all_metrics_is_a_run_of_its_own(
    demo: tuple[DataStore, AnnotationStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    # the models take their time
    monkeypatch.setattr("relevance.pages.components.datasets.progress.usual_metrics", default_metrics)
    app = press(open_page("datasets.py"), "score")
    run = demo[0].last_run(NAME)
    assert run is not None
    assert run.metrics == default_metrics()
    drawn_until(app, lambda app: has(app, "Scored demo"))
    run = demo[0].run(run.id)
    assert (run.state, run.total) == ("ended", 0)
    app.run()
    assert not has(app, "Scored demo")  # it was said once


def test_metrics_of_libraries_are_scored_when_they_are_asked_for(demo: tuple[DataStore, AnnotationStore]) -> None:
    pytest.importorskip("sacrebleu")
    app = open_part("Scores")
    assert set(OF_LIBRARIES) & set(usual_metrics()) == set()
    assert app.button(key="score_by_others").disabled
    listed = {row["metric"] for row in app.dataframe[-1].value.to_dict("records")}
    assert "chrF" not in listed
    sound(app.button_group(key="score_others").set_value(["bleu", "chrf"]).run())
    sound(app.button(key="score_by_others").click().run())
    run = demo[0].last_run(NAME)
    assert run is not None
    assert run.metrics == ("bleu", "chrf")
    drawn_until(app, lambda app: has(app, "Scored demo"))
    (signature,) = (signature.signature for signature in demo[0].signatures(NAME) if signature.metric == "chrf")
    assert len(demo[0].scores(dataset=NAME, signature=signature)) == 96
    app.run()
    assert {"BLEU", "chrF"} <= {row["metric"] for row in app.dataframe[-1].value.to_dict("records")}
    assert list(app.button_group(key="score_others").options) == [
        label_of(name) for name in available_of_libraries() if name not in {"bleu", "chrf"}
    ]
    assert app.button(key="score").label == "Score by all metrics"  # the models have not scored it


def test_a_going_run_is_shown_to_whoever_comes(demo: tuple[DataStore, AnnotationStore]) -> None:
    run = demo[0].start_run(dataset=NAME, metrics=["rouge1"])
    app = open_page("datasets.py")
    assert has(app, "Scoring demo by ROUGE", "1: getting ready")
    demo[0].beat(run.id, done=120, total=800)
    app = open_page("datasets.py")  # a reload
    assert has(app, "Scoring demo by ROUGE", "1: 120 of 800 scores · ")
    assert "score" not in [button.key for button in app.button]  # not twice at a time
    demo[0].end_run(run.id)
    app.run()
    assert has(app, "Scored demo")
    assert not has(app, "Scoring")


@pytest.mark.parametrize(
    ("seconds", "done", "total", "expected"),
    [
        (2, 100, 800, "100 of 800 scores · 0:02"),  # too early for a pace
        (10, 200, 800, "200 of 800 scores · 20 a second · about 30 s left · 0:10"),
        (100, 20, 80, "20 of 80 scores · 12 a minute · about 5 min left · 1:40"),
        (100, 80, 80, "80 of 80 scores · 48 a minute · 1:40"),
        (100, 0, 80, "0 of 80 scores · 1:40"),
        (100, 0, None, "getting ready · 1:40"),
    ],
)
def test_progress_says_pace_and_time_left(
    demo: tuple[DataStore, AnnotationStore], seconds: int, done: int, total: int | None, expected: str
) -> None:
    run = demo[0].start_run(dataset=NAME, metrics=["rouge1", "rouge2", "rougeL", "rouge_k"])
    run = replace(run, started_at=now() - timedelta(seconds=seconds), done=done, total=total)
    assert run_progress(run)[1] == f"Scoring demo by 4 metrics: {expected}"


def test_scoring_is_cancelled(demo: tuple[DataStore, AnnotationStore]) -> None:
    run = demo[0].start_run(dataset=NAME, metrics=["rouge1"])
    app = press(open_page("datasets.py"), f"cancel:{run.id}")
    assert demo[0].run(run.id).error == CANCELLED
    assert "Scoring demo was cancelled. What was scored is kept" in page_text(app)
    assert not app.get("progress")
    app = open_page("datasets.py")  # it is said once, and is no problem
    assert not app.warning
    assert "score" in [button.key for button in app.button]


HOSTILE = "no **model** <b>x</b> [link](http://127.0.0.1:9/)\n# heading"


@pytest.mark.parametrize(
    ("end", "parts"),
    [
        (
            {"failed": {"carouge": HOSTILE, "apes": "too large"}},
            ["could not score demo", "\n- CAROUGE: no", "\n- APES: "],
        ),
        ({"error": HOSTILE}, ["Scoring demo stopped: no", "Score again"]),
    ],
)
def test_what_a_run_could_not_do_stays_on_the_page(
    demo: tuple[DataStore, AnnotationStore], end: dict[str, object], parts: list[str]
) -> None:
    run = demo[0].start_run(dataset=NAME, metrics=["rouge1"])
    app = open_page("datasets.py")
    demo[0].end_run(run.id, **end)  # type: ignore[arg-type]
    for page in (app.run(), open_page("datasets.py")):
        assert has(page, *parts)
        assert not has(page, "Scored demo")
        assert not has(page, "**model**")  # nothing in it is markup
        assert not has(page, "<b>")
        assert not has(page, "\n# ")
    second = demo[0].start_run(dataset=NAME, metrics=["rouge1"])
    demo[0].end_run(second.id)
    assert not has(open_page("datasets.py"), "demo")  # the last run counts


def test_a_dead_run_can_be_followed_by_another(
    demo: tuple[DataStore, AnnotationStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    demo[0].start_run(dataset=NAME, metrics=["rouge1"])
    monkeypatch.setattr("relevance.data.store.runs.SILENCE", timedelta(seconds=-1))
    app = open_page("datasets.py")
    assert has(app, "Scoring demo stopped: its process ended before it was done")
    assert "score" in [button.key for button in app.button]


# --- renaming and deleting ------------------------------------------------------------------------------------


def test_a_data_set_is_renamed(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = open_part("Rename or delete")
    app.text_input(key="rename_to:demo").input("Mine *")
    app = pressed(app, "Rename")
    assert "Renamed demo to Mine *." in page_text(app)
    assert address(app) == {"dataset": "Mine *"}
    assert demo[1].study("Demo").dataset == "Mine *"


def test_what_studies_are_made_of_is_not_deleted(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = open_part("Rename or delete")
    assert "It cannot be deleted by itself: the study Demo is made from it." in page_text(app)
    app.text_input(key="delete_typed:demo").input("demo")
    app = pressed(app, "Delete")
    assert "it stays" in app.error[0].value
    assert [dataset.name for dataset in demo[0].datasets()] == ["demo"]


def test_a_data_set_is_deleted_by_its_name_and_brought_back(store: DataStore) -> None:
    add_demo(store)
    before = store.dataset(NAME), store.records(NAME)
    app = open_part("Rename or delete")
    app = pressed(app, "Delete")
    assert "Type 'demo' to delete it." in page_text(app)
    app.text_input(key="delete_typed:demo").input("demo")
    app = pressed(app, "Delete")
    assert store.datasets() == []
    assert "Deleted **demo**" in page_text(app)
    app = press(app, "undo_delete")
    assert "Brought back demo." in page_text(app)
    assert (store.dataset(NAME), store.records(NAME)) == before


def test_who_imports_into_the_place_of_a_deleted_one_is_told(store: DataStore, tmp_path: Path) -> None:
    add_demo(store)
    app = open_part("Rename or delete")
    app.text_input(key="delete_typed:demo").input("demo")
    app = pressed(app, "Delete")
    add_demo(store)
    app = press(app, "undo_delete")
    assert "There is a data set 'demo' again; rename that first." in page_text(app)


def test_how_a_summary_was_written_is_said_where_it_is_read(demo: tuple[DataStore, AnnotationStore]) -> None:
    document = demo[0].records(NAME)[0][0]
    written = Summary(document.id, "model", "Its text", remarks=(SOURCE_CUT, TRAINED_ON))
    demo[0].add_summaries(dataset=NAME, summaries=[written])
    app = open_page("datasets.py", dataset=NAME)
    app.session_state[f"document:{NAME}:0"] = True
    remarks = "The system did not see all of the document. The system was trained on this document."
    assert [caption.value for caption in sound(app.run()).caption].count(remarks) == 1
