"""The import on the page Data sets: what rows hold, what columns and values are, and where it ends."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Selectbox

from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.importers.mapping import load_columns, read_columns
from relevance.data.store import DataStore
from tests.pages.import_form import of_column, of_columns, upload
from tests.pages.opening import address, open_page, page_text, press, sound
from tests.released import MAPPINGS, find_released, read_mapping
from tests.sheets import write_sheet
from tests.waiting import until

pytestmark = pytest.mark.page

LONG = "of a text that is long enough to be taken for one and goes on for a while"


@pytest.fixture
def store(sqlite_url: str) -> DataStore:
    return DataStore(connect(sqlite_url))


def hold(app: AppTest, kind: str) -> AppTest:
    """Say what a row holds."""
    (held,) = (element for element in app.get("button_group") if str(element.key).startswith("import_kind:"))
    return sound(held.set_value(kind).run())  # type: ignore[attr-defined]


def of_value(app: AppTest, value: str) -> Selectbox:
    (box,) = (box for box in app.selectbox if str(box.key).startswith(f"import_value:{value}:"))
    return box


def buttons(app: AppTest) -> list[str | None]:
    return [button.key for button in app.button if str(button.key).startswith("import")]


def german(*answers: str, rows: int = 9) -> str:
    """Choices under names that nobody knows."""
    header = "Beitrag,Muster,Text links,Text rechts,Verfahren links,Verfahren rechts,Urteil\n"
    return header + "".join(
        f"Beitrag {n} {LONG} {LONG},Muster {n} {LONG},Links {n} {LONG},Rechts {n} {LONG},bart,t5,"
        f"{answers[n % len(answers)]}\n"
        for n in range(rows)
    )


def test_columns_that_nobody_knows_are_told_from_their_contents(store: DataStore, sqlite_url: str) -> None:
    app = upload("mine.csv", german("A", "B", "tie"))
    assert "Please check the columns." in page_text(app)
    assert (of_column(app, "source").value, of_column(app, "left").value) == ("Beitrag", "Text links")
    assert of_columns(app, "choice.").value == ["Urteil"]
    (shown,) = (element.value for element in app.dataframe if "is read as" in element.value)
    assert list(shown["is read as"])[:3] == ["Source", "Reference", "Left summary"]
    assert buttons(app) == ["import_and_score", "import"]
    press(app, "import")
    study = AnnotationStore(connect(sqlite_url)).study("mine")
    assert (study.judgments, study.pairs, study.state) == (9, 9, "closed")
    kept = store.dataset("mine").columns
    assert kept is not None
    assert "guess = false" in kept


def test_values_that_nobody_knows_are_asked(store: DataStore, sqlite_url: str) -> None:
    app = upload("mine.csv", german("links", "rechts", "egal"))
    assert 'Choose what the values of "Urteil" mean.' in page_text(app)
    assert [of_value(app, value).value for value in ("links", "rechts", "egal")] == ["left", "right", None]
    assert of_value(app, "egal").label.replace("\\", "") == "egal (3)"
    assert not buttons(app)
    app = sound(of_value(app, "egal").select("tie").run())
    assert "9 judgments of 9 pairs" in page_text(app)
    app = sound(of_value(app, "egal").select("skip").run())
    assert "6 judgments of 6 pairs" in page_text(app)
    press(app, "import")
    assert AnnotationStore(connect(sqlite_url)).study("mine").judgments == 6


def test_a_meaning_that_was_found_can_be_changed(store: DataStore) -> None:
    app = upload("mine.csv", german("A", "B"))
    assert (of_value(app, "A").value, of_value(app, "B").value) == ("left", "right")
    sound(of_value(app, "A").select("right").run())
    app = sound(of_value(app, "B").select("left").run())
    (shown,) = (element.value for element in app.dataframe if "choice" in element.value)
    assert list(shown["choice"]) == ["right", "left", "right", "left", "right"]


def test_very_many_values_are_not_all_asked(store: DataStore) -> None:
    app = upload("mine.csv", german(*(f"quux {n}!" for n in range(45)), rows=90))
    app = hold(app, "choice")
    app = sound(of_columns(app, "choice.").set_value(["Urteil"]).run())
    assert "5 more values are not asked here" in page_text(app)


def test_answers_get_their_numbers(store: DataStore) -> None:
    rows = "".join(
        f"d,A text.,R.,{name},{name} wrote.,{message}\n" for name, message in (("a", "gut"), ("b", "schlecht"))
    )
    app = upload("mine.csv", f"document_id,source,reference,system,summary,human.Urteil\n{rows}")
    assert 'Choose what the values of "human.Urteil" mean.' in page_text(app)
    sound(of_value(app, "gut").select("5").run())
    app = sound(of_value(app, "schlecht").select("skip").run())
    press(app, "import")
    ((_, written),) = store.records("mine")
    assert [summary.human for summary in written] == [{"Urteil": 5}, {}]


def test_whoever_imports_says_what_rows_hold(store: DataStore) -> None:
    app = upload("mine.csv", german("A", "B"))
    app = hold(app, "several")
    assert "Choose the columns of two summaries" in page_text(app)
    app = sound(of_columns(app, "summary.").set_value(["Text links", "Text rechts"]).run())
    app = sound(of_column(app, "reference").select("Muster").run())
    assert "18 summaries by 2 systems" in page_text(app)
    press(app, "import")
    assert store.dataset("mine").systems == ("Text links", "Text rechts")


def test_nothing_is_guessed_that_somebody_took_away(store: DataStore) -> None:
    text = "id,article,gold,model,output,relevance,worker\nd,A text.,R.,a,Words.,4,zoe\n"
    app = upload("mine.csv", text)
    assert of_columns(app, "human.").value == ["relevance"]
    sound(of_column(app, "annotator").select("(none)").run())
    app = sound(of_columns(app, "human.").set_value([]).run())
    press(app, "import")
    dataset = store.dataset("mine")
    assert (dataset.aspects, dataset.annotated) == ((), None)


def test_columns_of_json_can_be_changed(store: DataStore) -> None:
    row = {"key": "d", "article": "A text.", "gold": "R.", "model": "a", "output": "Words.", "other": "Else."}
    app = upload("mine.jsonl", json.dumps(row) + "\n")
    app = sound(of_column(app, "summary").select("other").run())
    app = sound(of_column(app, "source").select("(none)").run())
    press(app, "import")
    ((document, (first,)),) = store.records("mine")
    assert (document.source, first.text) == ("", "Else.")


def test_ranks_keep_their_annotator_where_columns_are_changed(store: DataStore, sqlite_url: str) -> None:
    ranks = "".join(f"d,R.,{name},{name} wrote.,{rank},zoe\n" for rank, name in enumerate("ab", 1))
    app = upload("mine.csv", f"document_id,reference,system,summary,rank,worker\n{ranks}")
    assert of_column(app, "annotator").value == "worker"
    app = sound(of_column(app, "document_id").select("(none)").run())
    press(app, "import")
    counts = AnnotationStore(connect(sqlite_url)).study("mine")
    assert (counts.judgments, counts.pairs) == (1, 1)


def test_ratings_by_people_whom_no_column_names(store: DataStore) -> None:
    rows = "".join(f"d,A text.,R.,a,Words.,{rating}\n" for rating in (1, 4))
    app = upload("mine.csv", f"document_id,source,reference,system,summary,relevance\n{rows}")
    assert (
        'the system "a" stands twice for "d", in line 2, too. Correct it, or choose other columns above.'
        in page_text(app)
    )
    app = sound(of_column(app, "annotator").select("(somebody, not named)").run())
    press(app, "import")
    ((_, (first,)),) = store.records("mine")
    assert (first.human, len(first.annotators)) == ({"relevance": 2.5}, 2)


@pytest.mark.parametrize("indent", [None, 1])
def test_rows_within_objects_are_read_by_a_mapping(store: DataStore, shared_data: Path, indent: int | None) -> None:
    file = find_released("goyal2022", shared_data) / "cnn_human.json"
    content = json.dumps(json.loads(file.read_bytes()), indent=indent).encode()
    app = open_page("datasets.py")
    app = app.file_uploader(key="file:0").upload(file.name, content, "application/json").run()
    assert ("the file is one JSON object" if indent else "format cannot be told") in app.error[0].value
    assert "Where rows lie within objects" in app.error[0].value
    mapping = (MAPPINGS / "goyal2022.toml").read_bytes()
    app = sound(app.file_uploader(key="import_mapping").upload("goyal2022.toml", mapping, "application/toml").run())
    assert "Columns and values are read as the mapping goyal2022.toml says." in page_text(app)
    press(app, "import")
    dataset = store.dataset("cnn_human")
    assert (dataset.documents, dataset.systems) == (100, ("brio", "gpt3", "t0"))
    assert load_columns((dataset.columns or "").encode(), "kept") == read_mapping("goyal2022")


def test_a_saved_mapping_is_used_again(store: DataStore, tmp_path: Path) -> None:
    press(upload("mine.csv", german("A", "B")), "import")
    kept = store.dataset("mine").columns
    assert kept is not None
    (tmp_path / "mine.toml").write_text(kept)
    assert read_columns(tmp_path / "mine.toml").roles["choice"] == "Urteil"
    app = upload("other.csv", german("B", "A", "A"))
    app = sound(app.file_uploader(key="import_mapping").upload("mine.toml", kept.encode(), "application/toml").run())
    assert not [box for box in app.selectbox if "import_column:" in str(box.key)]
    assert "Columns and values are read as the mapping mine.toml says." in page_text(app)
    press(app, "import")
    assert store.dataset("other").columns == kept
    app = upload("third.csv", german("A"))
    app = sound(app.file_uploader(key="import_mapping").upload("bad.toml", b"columns = 3", "application/toml").run())
    assert "bad.toml: columns must be a table." in page_text(app)


VOTES = "document_id,system_a,system_b,winner\n1,bart,t5,A\n2,bart,t5,B\n"


def test_judgments_without_texts_are_of_a_data_set_that_is_here(store: DataStore, sqlite_url: str) -> None:
    rows = "".join(f"{n},Text {n}.,R {n}.,{name},{name} {n}.\n" for n in (1, 2) for name in ("bart", "t5"))
    press(upload("texts.csv", f"document_id,source,reference,system,summary\n{rows}"), "import")
    app = upload("votes.csv", VOTES)
    assert app.selectbox(key="import_of").value == "texts"
    assert buttons(app) == ["import_and_score", "import"]
    press(app, "import")
    study = AnnotationStore(connect(sqlite_url)).study("votes")
    assert (study.dataset, study.judgments) == ("texts", 2)


def test_judgments_of_nothing_that_is_here_only_rank_systems(store: DataStore) -> None:
    app = upload("votes.csv", VOTES)
    assert "No data set here has summaries by these systems" in page_text(app)
    assert buttons(app) == ["import"]
    app = press(app, "import")
    assert "Without texts, no metric has scores." in page_text(app)
    assert "score" not in [button.key for button in app.button]


def test_the_import_ends_at_the_agreement_of_metrics(store: DataStore) -> None:
    app = press(upload("mine.csv", german("A", "B", "A")), "import_and_score")
    assert app.title[0].value == "Agreement"
    assert address(app)["study"] == "mine"
    assert "Imported 9 documents" in page_text(app)
    until(lambda: (run := store.last_run("mine")) is not None and run.state != "going", "the scores")
    app = open_page("agreement.py", study="mine")
    table = next(element.value for element in app.dataframe if "metric" in element.value)
    assert "ROUGE-1" in set(table["metric"])


def test_several_questions_are_announced_as_their_studies(store: DataStore) -> None:
    rows = "".join(f"d{n},R.,One {n}.,Two {n}.,A,B\n" for n in range(3))
    text = f"document,reference,summary_a,summary_b,choice,choice.style\n{rows}"
    app = upload("mine.csv", text)
    app = sound(of_columns(app, "choice.").set_value(["choice", "choice.style"]).run())
    assert "6 judgments of 3 pairs by 1 annotator, which become 2 closed studies" in page_text(app)


@pytest.mark.process
def test_a_sheet_is_chosen(store: DataStore, tmp_path: Path) -> None:
    rows = [["document_id", "reference", "system", "summary"], ["d", "R.", "a", "Words."]]
    path = write_sheet(tmp_path / "a.xlsx", rows, second=[*rows, ["e", "R.", "a", "Others."]])
    app = upload("a.xlsx", path.read_bytes())
    assert "1 document" in page_text(app)
    (box,) = (box for box in app.selectbox if str(box.key).startswith("import_sheet:"))
    assert "second" in box.options
    app = sound(box.select("second").run())
    assert "2 documents" in page_text(app)


@pytest.mark.parametrize(
    "text",
    [
        "document,reference,summary_a,summary_b,choice\nd,R.,A.,B.,quux\n",
        "document_id,reference,system,summary,relevance\nd,R.,a,Words.,4\nd,R.,a,Words.,2\n",
        "document,reference,summary_a,summary_b,summary_c,best,worst\nd,R.,A.,B.,C.,quux,A\n",
        "document,reference,summary_a,system_a,summary_b,system_b,choice\nd,R.,A.,b,B.,a,a\n",
        '{"x": {"y": 1}}\n',
    ],
)
def test_no_error_speaks_of_options_of_the_command_line(store: DataStore, text: str) -> None:
    app = upload("mine.jsonl" if text.startswith("{") else "mine.csv", text)
    shown = page_text(app)
    assert "--" not in shown
    assert "import" not in buttons(app)
