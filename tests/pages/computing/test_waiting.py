"""A page of a large data set is computed elsewhere; what it can be drawn without, it is drawn without at first."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.runtime.scriptrunner import StopException
from streamlit.testing.v1 import AppTest

from relevance.data.demo import AUTHOR, NAME
from relevance.hosting.settings import BadSettings
from relevance.pages.components.shared.stores import TextVersion
from relevance.pages.computing import waiting
from relevance.pages.computing.computed import LARGE_VARIABLE, is_large
from relevance.pages.computing.page_pool import open_pool
from tests.pages.opening import drawn_until, open_page, page_text, sound
from tests.pages.test_examples import RatedStorms
from tests.pages.test_queries import counts_scores, queries
from tests.waiting import PATIENCE, until

pytestmark = pytest.mark.page


@pytest.fixture
def everything_is_large(demo_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[RatedStorms]:
    """The demo with scores, where any data set is large."""
    world = RatedStorms(demo_url)
    world.add()
    world.score()
    monkeypatch.setenv(LARGE_VARIABLE, "1")
    open_pool.cache_clear()  # its processes know the database of when they began
    yield world
    open_pool().end()
    open_pool.cache_clear()


def is_whole(app: AppTest) -> bool:
    return not app.status


@pytest.mark.usefixtures("everything_is_large")
def test_the_page_does_not_count_scores_itself() -> None:
    with queries() as seen:
        app = open_page("datasets.py", dataset=NAME)
        assert "Counting the scores" in [element.label.partition(" (")[0].partition(":")[0] for element in app.status]
        assert set(app.dataframe[0].value["scored by"]) == {"…"}
        assert app.text_input(key=f"search:{NAME}")  # the rest of the page is there
        drawn_until(app, is_whole)
    assert not any(map(counts_scores, seen)), seen
    assert "…" not in app.dataframe[0].value["scored by"].tolist()
    assert "Scored by" in page_text(app)


@pytest.mark.usefixtures("everything_is_large")
def test_the_page_does_not_read_scores_itself() -> None:
    with queries() as seen:
        app = drawn_until(open_page("examples.py", dataset=NAME, aspect=AUTHOR), is_whole)
    assert not [item for item in seen if counts_scores(item) or "scores.signature_id, scores.example" in item], seen
    assert "Author labels" in page_text(app)
    assert app.dataframe


OTHERS = [
    ("overview.py", {}, "Author labels"),
    ("agreement.py", {}, "Author labels"),
    ("correlation.py", {}, "Author labels"),
    ("systems.py", {}, "Author labels"),
    ("disagreements.py", {}, "The strongest of each document is shown"),
    ("keywords.py", {"view": "compare"}, "How much the extractors have in common"),
    ("upper_bound.py", {"view": "document"}, "Proven optimal"),
    ("new_study.py", {}, "eligible"),
]


@pytest.mark.usefixtures("everything_is_large")
def test_all_pages_become_whole() -> None:
    for page, query, shown in OTHERS:
        app = drawn_until(open_page(page, dataset=NAME, aspect=AUTHOR, show="everybody", **query), is_whole)
        assert shown in page_text(app), page


@pytest.mark.usefixtures("everything_is_large")
def test_the_planner_looks_at_earlier_judgments_elsewhere() -> None:
    with queries() as seen:
        app = drawn_until(open_page("new_study.py", dataset=NAME), is_whole)
        box = app.selectbox(key="plan_source")
        drawn_until(box.set_value(box.options[-1]).run(), is_whole)
    assert "pairs per document" in app.dataframe[-1].value
    assert not [item for item in seen if "scores.signature_id, scores.example" in item], seen


def test_what_is_large_is_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LARGE_VARIABLE, "many")
    with pytest.raises(BadSettings, match='RELEVANCE_LARGE_DATASET is "many"; it must be a number of summaries'):
        is_large((TextVersion("", 1, 1),))
    monkeypatch.setenv(LARGE_VARIABLE, "2")
    assert not is_large(("set", TextVersion("", 1, 1)))
    assert is_large(("set", TextVersion("", 1, 2)))


def page(file: str) -> None:
    """A page that shows what it read, and what is computed of it."""
    from pathlib import Path

    import streamlit as st

    from relevance.pages.components.shared.stores import TextVersion
    from relevance.pages.computing.waiting import if_ready, page_run, read_at_first
    from tests.pages.slow_work import wait_beside

    with page_run():
        st.text(read_at_first("version", lambda: Path(f"{file}.version").read_text("ascii")))
        st.text(f"found {if_ready(lambda: wait_beside(file, TextVersion('', 1, 1)))}")


@pytest.mark.usefixtures("everything_is_large")
def test_a_page_is_of_one_version_until_it_is_whole(tmp_path: Path) -> None:
    version = tmp_path / "go.version"
    version.write_text("first", "ascii")
    app = AppTest.from_function(page, default_timeout=PATIENCE, kwargs={"file": str(tmp_path / "go")}).run()
    version.write_text("second", "ascii")
    assert [element.value for element in sound(app.run()).text] == ["first", "found None"]
    assert len(app.status) == 1
    until((tmp_path / "go.begun").exists)
    (tmp_path / "go").touch()
    drawn_until(app, is_whole)
    assert app.text[0].value == "first"
    assert int(app.text[1].value.removeprefix("found ")) != os.getpid()
    assert sound(app.run()).text[0].value == "second"


def failing_page(file: str) -> None:
    """A page that needs what is refused."""
    import streamlit as st

    from relevance.pages.components.shared.stores import TextVersion
    from relevance.pages.computing.waiting import page_run
    from tests.pages.slow_work import fail_beside

    with page_run():
        try:
            fail_beside(file, TextVersion("", 1, 1))
        except ValueError as error:
            st.error(str(error))


@pytest.mark.usefixtures("everything_is_large")
def test_what_fails_is_said_once_and_tried_again(tmp_path: Path) -> None:
    app = AppTest.from_function(failing_page, default_timeout=PATIENCE, kwargs={"file": str(tmp_path / "calls")}).run()
    for call in ("call 1", "call 2"):
        drawn_until(app, is_whole)
        assert [element.value for element in app.error] == [f"{call} is refused"]
        app.run()


def waiting_page(file: str) -> None:
    """A page that cannot be drawn without what is computed."""
    import streamlit as st

    from relevance.pages.components.shared.stores import TextVersion
    from relevance.pages.computing.waiting import page_run
    from tests.pages.slow_work import wait_beside

    with page_run():
        st.title("Slow")
        st.text(f"found {wait_beside(file, TextVersion('', 1, 1))}")


@pytest.mark.usefixtures("everything_is_large")
def test_a_run_that_waits_gives_way_and_waits_for_nothing_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit ends a run, when another one is asked for, where the session's state is read."""
    arguments: list[int] = []

    def end_run() -> None:
        (job,) = open_pool().jobs.values()
        arguments.append(job.waiting)
        raise StopException

    monkeypatch.setattr(waiting, "end_if_superseded", end_run)
    app = AppTest.from_function(waiting_page, default_timeout=PATIENCE, kwargs={"file": str(tmp_path / "go")}).run()
    assert ([element.value for element in app.title], len(app.text), arguments) == (["Slow"], 0, [1])
    assert [job.waiting for job in open_pool().jobs.values()] == [0]
