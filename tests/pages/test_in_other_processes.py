"""Pages of a hosted server leave to other processes what grows with a data set."""

import pickle
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from relevance.annotation.protocol.tables import AdjudicationRow
from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import JudgmentRow
from relevance.data.cells import Cells
from relevance.data.demo import AUTHOR, NAME
from relevance.data.preferences import Preferences
from relevance.data.rights import LOCAL
from relevance.data.store import DataStore
from relevance.pages.components.examples.pairs import PairFilter
from relevance.pages.components.shared import sources
from relevance.pages.components.shared.stores import version_of
from relevance.pages.components.upper_bound.choice import BoundChoice
from relevance.pages.components.upper_bound.evaluated import tables_as
from relevance.pages.computing import computed, waiting
from relevance.pages.computing.page_pool import NOT_HOSTED
from relevance.processes.pool import Call, Pool
from relevance.summarizers.oracles.evaluation import OracleTask, evaluate_stored
from tests.pages.hosted import Server, server
from tests.pages.opening import address, open_page, page_text, press, pressed, sound
from tests.pages.test_examples import STUDY, RatedStorms

__all__ = ["server"]


@pytest.fixture
def nothing_read_here(server: Server, demo_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server with the demo and a study, whose process neither reads nor receives all judgments or scores."""
    world = RatedStorms(demo_url)
    world.add()
    world.score()
    world.ask()
    world.judge("Ana", ["left", "right"])
    with Session(world.annotation.engine) as session, session.begin():
        for row in session.scalars(select(JudgmentRow)):
            row.marks = [("first", 0, 5)]
        session.add(AdjudicationRow(pair_id=row.assignment.pair_id, adjudicator="Ada", chosen_id=row.chosen_id))

    def refuse(*_: Any) -> None:
        raise AssertionError("a whole data set is read in the web process")

    for name in ("load_judgments", "load_adjudications", "load_rated_pairs"):
        monkeypatch.setattr(sources, name, refuse)
    evaluate_stored(world.data, NAME, OracleTask(), first=3, processes=0)
    for name in ("cells", "records", "examples", "bounds", "scores"):
        monkeypatch.setattr(DataStore, name, refuse)
    monkeypatch.setattr(AnnotationStore, "count_pairs", refuse)
    processes = Pool(1, NOT_HOSTED)
    monkeypatch.setattr(waiting, "open_pool", lambda: processes)
    await_result = waiting.await_result

    def receive(call: Call, saying: str) -> Any:
        result = await_result(call, saying)
        sent = pickle.dumps(result)
        assert not any(columns.__module__.encode() in sent for columns in (Preferences, Cells)), call.function
        return result

    monkeypatch.setattr(computed, "await_result", receive)
    server.visit(LOCAL)
    yield
    processes.end()


@pytest.mark.usefixtures("nothing_read_here")
def test_examples() -> None:
    app = open_page("examples.py", dataset=NAME, aspect=AUTHOR)
    first = address(app)["document"]
    press(app, "next")
    assert address(app)["document"] != first
    assert "**2 of " in page_text(app)
    pressed(app, "☆ Star")
    sound(app.button_group(key="example_preset").set_value(PairFilter("starred")).run())
    assert "Starred: 1 of " in page_text(app)
    study = open_page("examples.py", study=STUDY)
    assert "12 judgments" in page_text(study)
    press(study, "next")
    assert "**2 of 4**" in page_text(study)


@pytest.mark.usefixtures("nothing_read_here")
def test_what_adjudicators_decided_and_what_annotators_marked() -> None:
    assert "**1 decision** of 1 adjudicator" in page_text(open_page("examples.py", study=STUDY, source="adjudicated"))
    assert "Marked words against keywords" in page_text(open_page("keywords.py", view="marked", study=STUDY))


@pytest.mark.usefixtures("nothing_read_here")
def test_when_metrics_disagree() -> None:
    app = open_page("disagreements.py", dataset=NAME, aspect=AUTHOR, show="everybody")
    assert "The strongest of each document is shown" in page_text(app)
    press(app, "next")
    assert "2 of " in page_text(app)


PAGES = [
    ("upper_bound.py", {"view": "document"}, "Proven optimal"),
    ("upper_bound.py", {"view": "all"}, "No extracts exceed"),
    ("keywords.py", {"view": "compare"}, "How much the extractors have in common"),
    ("keywords.py", {"view": "recall"}, "ROUGE-K by"),
    ("datasets.py", {}, "24 documents"),
    ("new_study.py", {}, "eligible"),
    ("compare.py", {"aspect": AUTHOR, "with_study": STUDY}, "have no pair of summaries in common"),
]


@pytest.mark.usefixtures("nothing_read_here")
def test_pages_read_what_they_show() -> None:
    for page, query, shown in PAGES:
        assert shown in page_text(open_page(page, dataset=NAME, **query)), (page, query)
    app = open_page("datasets.py", dataset=NAME)
    sound(app.text_input(key=f"search:{NAME}").input("MUSSELS salt").run())
    assert "1 of 24 documents" in page_text(app)
    app.session_state.part = "Scores"
    assert "undefined" in sound(app.run()).dataframe[-1].value


@pytest.mark.usefixtures("nothing_read_here")
def test_the_search_over_all_documents_runs_in_a_process_of_its_own() -> None:
    app = open_page("upper_bound.py", dataset=NAME, view="all")
    assert "**3 of 24 documents**" in page_text(app)
    pressed(app, "Compute for 21 documents")
    assert "No extracts exceed" in page_text(app)
    assert not [button for button in app.button if button.label.startswith("Compute")]


@pytest.mark.usefixtures("nothing_read_here")
def test_files_are_made_where_no_page_is_drawn(server: Server) -> None:
    """Streamlit asks for a file in a thread that belongs to no session."""
    data = DataStore(server.engine)
    arguments = "csv", BoundChoice(NAME), version_of(data.dataset(NAME)), 3
    with ThreadPoolExecutor() as thread:
        assert "best F1" in thread.submit(tables_as, *arguments).result()
