"""The pages as scripts: every state that a database can put them in."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta

import pytest
from streamlit.testing.v1 import AppTest

from annotation.records import StudySpec
from annotation.results import load_judgments
from annotation.store import AnnotationStore
from data.database import connect
from data.demo import NAME
from data.store import DataStore, StoredScore
from metrics import METRICS, default_metrics, metric
from tests.conftest import ROOT
from tests.pages.opening import MAIN, drawn_until, new_session, open_page, sound
from tests.waiting import PATIENCE

PAGES = (
    "start.py",
    "annotate.py",
    "agreement.py",
    "correlation.py",
    "reliability.py",
    "examples.py",
    "disagreements.py",
    "playground.py",
    "keywords.py",
    "upper_bound.py",
    "studies.py",
)


@pytest.fixture
def demo(demo_url: str) -> tuple[DataStore, AnnotationStore]:
    engine = connect(demo_url)
    return DataStore(engine), AnnotationStore(engine)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_on_an_empty_database(sqlite_url: str, page: str) -> None:
    open_page(page)


@pytest.mark.smoke
@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_on_the_demo(demo: object, page: str) -> None:
    open_page(page)


def test_the_agreement_page_says_what_it_shows(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = open_page("agreement.py")
    app.selectbox(key="source").select_index(0).run()
    assert "0 judgments of annotators" in app.markdown[0].value
    app = open_page("agreement.py")  # opens where there is something to see
    assert "author labels" in app.markdown[0].value
    assert "not annotators' judgments" in app.markdown[0].value
    table = app.dataframe[0].value.set_index("metric")
    assert list(table.index) == ["rouge1", "rouge2", "rougeL", "rouge_k", "length"]
    # 24 documents x 6 pairs of 4 candidates, no two ranked alike
    assert set(table["n"]) == {144}
    assert (table["C"] + table["D"] + table["T"] == table["n"]).all()
    assert table.loc["rouge_k", "half"] > 0.5 > table.loc["rouge1", "half"]


def judging(demo: tuple[DataStore, AnnotationStore], name: str = "Ana") -> AppTest:
    app = open_page("annotate.py", annotator=demo[1].join(study="Demo", name=name).token)
    assert app.button(key=f"left:{current(app)}")
    return app


def current(app: AppTest) -> int:
    return int(next(b.key for b in app.button if b.key and b.key.startswith("left:")).split(":")[1])


def read_for_a_while(app: AppTest) -> None:
    """Make it as if the pair had been on the screen for ten seconds."""
    assignment, presented = app.session_state.shown
    app.session_state.shown = (assignment, presented - timedelta(seconds=10))


def press(app: AppTest, button: str) -> None:
    read_for_a_while(app)
    app.button(key=f"{button}:{current(app)}").click().run()
    assert not app.exception


@pytest.mark.smoke
def test_choices_are_saved_before_the_next_pair(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = judging(demo)
    first = current(app)
    press(app, "left")
    assert current(app) != first
    assert len(load_judgments(demo[1], "Demo")) == 1
    press(app, "tie")
    assert load_judgments(demo[1], "Demo").choices[1] == 0


def test_a_choice_within_the_blink_of_an_eye_is_not_saved(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = judging(demo)
    first = current(app)
    app.button(key=f"left:{first}").click().run()
    assert "too soon" in app.warning[0].value
    assert current(app) == first
    assert len(load_judgments(demo[1], "Demo")) == 0


def test_back_shows_the_choice_and_changes_it(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = judging(demo)
    first = current(app)
    press(app, "left")
    waiting = current(app)
    app.button(key=f"back:{waiting}").click().run()
    assert current(app) == first
    assert "check" in app.button(key=f"left:{first}").label
    press(app, "right")
    assert current(app) == waiting
    assert app.session_state.shown[0] == waiting
    preferences = load_judgments(demo[1], "Demo")
    assert list(preferences.left) == [0]  # one judgment, of the one on the right


def test_skip_needs_a_reason(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = judging(demo)
    first = current(app)
    app.button(key=f"skip:{first}").click().run()
    assert "say why" in app.warning[0].value
    app.text_input(key=f"reason:{first}").input("both are empty").run()
    app.button(key=f"skip:{first}").click().run()
    assert current(app) != first
    assert demo[1].annotators("Demo")[0].skipped == 1


def test_an_invite_opens_the_work_and_a_wrong_one_is_refused(demo: tuple[DataStore, AnnotationStore]) -> None:
    token = demo[1].invite(study="Demo", name="Cleo").token
    app = sound(new_session(invite=token).run())  # as whoever opens the app's own address
    assert "Cleo" in app.markdown[0].value
    app = sound(new_session(invite="nonsense").run())
    assert "invite is not known" in app.error[0].value


def test_a_study_ends(demo: tuple[DataStore, AnnotationStore]) -> None:
    demo[1].create_study(StudySpec(name="Short", dataset=NAME, rule="random", count=1))
    app = open_page("annotate.py", annotator=demo[1].join(study="Short", name="Ana").token)
    press(app, "left")
    assert "last pair" in app.success[0].value
    app.button(key="back:end").click().run()
    press(app, "right")
    assert len(load_judgments(demo[1], "Short")) == 1


@pytest.mark.smoke
def test_a_new_study_from_the_form(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = open_page("studies.py")
    app.text_input(key="new_name").input("Mine <b>").run()
    app.radio(key="new_rule").set_value("all").run()
    app.button(key="create").click().run()
    assert not app.exception
    assert any("144 pairs" in message.value for message in app.success)
    assert demo[1].study("Mine <b>").pairs == 144
    app.button(key="create").click().run()
    assert any("already a study" in message.value for message in app.error)


def test_a_new_study_of_conflicts_with_checks(demo: tuple[DataStore, AnnotationStore]) -> None:
    example = {key: StoredScore(0.5, None) for key, _ in demo[0].unscored(dataset=NAME, signature="rouge1|mine")}
    demo[0].add_scores(metric="rouge1", signature="rouge1|mine", scores=example)
    app = open_page("studies.py")
    app.text_input(key="new_name").input("Contested").run()
    app.radio(key="new_rule").set_value("conflicts").run()
    offered = app.multiselect(key=f"new_conflict_metrics:{NAME}")
    # the lexical four are chosen; what else is stored is offered, by its signature where a name says too little
    assert offered.value == [metric(name).signature for name in default_metrics() if name != "length"]
    rouge1 = metric("rouge1").signature
    assert offered.options == [rouge1, "rouge2", "rougeL", "rouge_k", "length", "rouge1|mine"]
    offered.set_value([rouge1, metric("length").signature])
    app.number_input(key="new_random_share").set_value(0.4)
    app.number_input(key="new_count:conflicts").set_value(20)
    app.number_input(key="new_checks").set_value(2)
    app.button(key="create").click().run()
    assert not app.exception
    study = demo[1].study("Contested")
    assert (study.pairs, study.checks, study.random_share) == (20, 2, 0.4)
    assert study.signatures == (rouge1, metric("length").signature)
    said = f"Created Contested with 20 pairs; {'; '.join(study.notes)}; left out"
    assert any(message.value.replace("\\", "").startswith(said) for message in app.success)
    offered = app.multiselect(key=f"new_conflict_metrics:{NAME}")
    offered.set_value([rouge1])
    app.text_input(key="new_name").input("Uncontested")
    app.button(key="create").click().run()
    assert any("at least two" in message.value for message in app.error)


def test_close_and_reopen(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = open_page("studies.py")
    app.button(key="close").click().run()
    assert demo[1].study("Demo").closed_at is not None
    app.button(key="close").click().run()
    assert demo[1].study("Demo").closed_at is None


# --- scoring --------------------------------------------------------------------------------------------------


def told(app: AppTest) -> list[str]:
    """What the page says about runs: progress bars, successes, warnings, errors."""
    bars = [element.proto.text for element in app.get("progress")]
    return bars + [said.value for said in (*app.success, *app.warning, *app.error)]


def has(app: AppTest, *parts: str) -> bool:
    return any(all(part in message for part in parts) for message in told(app))


def test_scoring_by_all_metrics_is_a_run_of_its_own(
    demo: tuple[DataStore, AnnotationStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "metrics.METRICS", {name: METRICS[name] for name in default_metrics()}
    )  # the models take their time
    app = open_page("studies.py")
    app.button(key="score").click().run()
    assert not app.exception
    run = demo[0].last_run(NAME)
    assert run is not None
    assert run.metrics == default_metrics()
    drawn_until(app, lambda app: has(app, "scored demo"))
    run = demo[0].run(run.id)
    assert (run.state, run.total) == ("ended", 0)
    app.run()
    assert not has(app, "cored")  # it was said once


def test_a_going_run_is_shown_to_whoever_comes(demo: tuple[DataStore, AnnotationStore]) -> None:
    run = demo[0].start_run(dataset=NAME, metrics=["rouge1"])
    app = open_page("studies.py")
    assert has(app, "Scoring demo: getting ready")
    demo[0].beat(run.id, done=120, total=800)
    app = open_page("studies.py")  # a reload
    assert has(app, "Scoring demo: 120 of 800 · 0:")
    app.button(key="score").click().run()
    assert has(app, "is being scored already")
    assert len(demo[0].runs(NAME)) == 1
    demo[0].end_run(run.id)
    app.run()
    assert has(app, "scored demo")
    assert not has(app, "Scoring")


HOSTILE = "no **model** <b>x</b> [link](http://127.0.0.1:9/)\n# heading"


@pytest.mark.parametrize(
    ("end", "parts"),
    [
        (
            {"failed": {"carouge": HOSTILE, "apes": "too large"}},
            ["could not score demo", "\n- carouge: no", "\n- apes: "],
        ),
        ({"error": HOSTILE}, ["Scoring demo stopped: no", "Score again"]),
    ],
)
def test_what_a_run_could_not_do_stays_on_the_page(
    demo: tuple[DataStore, AnnotationStore], end: dict[str, object], parts: list[str]
) -> None:
    run = demo[0].start_run(dataset=NAME, metrics=["rouge1"])
    app = open_page("studies.py")
    demo[0].end_run(run.id, **end)  # type: ignore[arg-type]
    for page in (app.run(), open_page("studies.py")):
        assert has(page, *parts)
        assert not has(page, "scored demo")
        assert not has(page, "**model**")  # nothing in it is markup
        assert not has(page, "<b>")
        assert not has(page, "\n# ")
    second = demo[0].start_run(dataset=NAME, metrics=["rouge1"])
    demo[0].end_run(second.id)
    assert not has(open_page("studies.py"), "demo")  # the last run counts


def test_a_dead_run_can_be_followed_by_another(
    demo: tuple[DataStore, AnnotationStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    demo[0].start_run(dataset=NAME, metrics=["rouge1"])
    monkeypatch.setattr("data.store.runs.SILENCE", timedelta(seconds=-1))
    app = open_page("studies.py")
    assert has(app, "Scoring demo stopped: its process ended before it was done")


WITHOUT_MODELS = """
import json, sys, time
from streamlit.testing.v1 import AppTest
import app as application
from pages.components.shared.stores import open_stores

def loaded():
    return sorted({name.split(".")[0] for name in sys.modules} & {"torch", "transformers", "statsmodels"})

found = {"app": loaded()}
page = AppTest.from_file(sys.argv[1], default_timeout=300)
for name in json.loads(sys.argv[2]):
    page.run() if name == "start.py" else page.switch_page(name).run()
    assert not page.exception, page.exception
    found[name] = loaded()
page.button(key="score").click().run()
assert not page.exception, page.exception
(run,) = open_stores().data.runs("demo")
found["pressed"] = loaded()
while open_stores().data.run(run.id).total is None:  # its process is at work
    time.sleep(0.1)
page.run()
found["scoring"] = loaded()
page.text_input(key="new_name").input("Another").run()
page.button(key="create").click().run()
assert not page.exception, page.exception
open_stores().annotation.study("Another")
found["created"] = loaded()
print(json.dumps(found))
"""


@pytest.mark.page
def test_no_page_loads_the_libraries_of_models(demo: object) -> None:
    """Streamlit collects garbage after every click, and goes through all that is loaded; statsmodels is the tests'."""
    command = [sys.executable, "-c", WITHOUT_MODELS, str(MAIN), json.dumps(PAGES)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout.splitlines()[-1])
    assert {moment: len(modules) for moment, modules in found.items()} == dict.fromkeys(found, 0), found
    assert list(found) == ["app", *PAGES, "pressed", "scoring", "created"]
