"""Judging as a script: what is shown, saved, refused, and said at the end."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from relevance.analysis.agreement.counts import count_agreement
from relevance.annotation.people import PeopleStore
from relevance.annotation.protocol.file import write_protocol
from relevance.annotation.protocol.records import Judging, Pinned, StudyProtocol, SurveyQuestion, Surveys, protocol_of
from relevance.annotation.records import JudgingProgress, JudgmentTask, StudySpec
from relevance.annotation.results import load_judgments
from relevance.annotation.store import AnnotationStore
from relevance.data.cells import Cells
from relevance.data.database import connect
from relevance.data.demo import AUTHOR, NAME
from relevance.data.preferences import Preferences, to_name_column
from relevance.data.records import Document, Summary
from relevance.data.rights import LOCAL_VISITOR
from relevance.data.signatures import find_signature
from relevance.data.store import DataStore
from relevance.pages.components.annotate.annotator import judging_only
from relevance.pages.components.annotate.end import Agreed, count_agreed, describe_best
from relevance.pages.components.annotate.start import describe_length, describe_pauses, describe_stored
from relevance.pages.components.annotate.turn import describe_progress
from tests.pages.opening import html, is_there, new_session, open_page, open_work, page_text, pressed, sound, visible
from tests.pages.opening import press as press_key


@pytest.fixture
def store(demo_url: str) -> AnnotationStore:
    return AnnotationStore(connect(demo_url))


def judging(store: AnnotationStore, study: str = "Demo") -> AppTest:
    return open_work(annotator=store.join(study=study, name="Ana").token)


def current(app: AppTest) -> int:
    return int(next(b.key for b in app.button if b.key and b.key.startswith("left:")).split(":")[1])


def press(app: AppTest, button: str) -> None:
    """Press a button of the pair, as if it had been on the screen for ten seconds."""
    assignment, presented = app.session_state.shown
    app.session_state.shown = (assignment, presented - timedelta(seconds=10))
    sound(app.button(key=f"{button}:{current(app)}").click().run())


def test_the_page_speaks_the_language_of_the_study_that_the_address_names(store: AnnotationStore) -> None:
    protocol = protocol_of(StudySpec(name="Deutsch", dataset=NAME, rule="random", count=4))
    store.create_study(protocol.spec, write_protocol(replace(protocol, language="de")))
    app = open_page("annotate.py", study="Deutsch")
    assert app.text_input(key="join_name").label == "Ihr Name"
    app.text_input(key="join_name").input("Ana")
    app = pressed(app, "Starten")
    assert "Paar 1 von 4" in html(app)
    app = sound(app.button(key="leave").click().run())
    app = sound(app.selectbox(key="join_study").select("Demo").run())
    assert app.text_input(key="join_name").label == "Your name"


@pytest.mark.smoke
def test_choices_are_saved_before_the_next_pair(store: AnnotationStore) -> None:
    app = judging(store)
    first = current(app)
    press(app, "left")
    assert current(app) != first
    assert len(load_judgments(store, "Demo")) == 1
    press(app, "tie")
    assert load_judgments(store, "Demo").choices[1] == 0


def test_a_choice_within_the_blink_of_an_eye_is_not_saved(store: AnnotationStore) -> None:
    app = judging(store)
    first = current(app)
    app.button(key=f"left:{first}").click().run()
    assert "too soon" in app.warning[0].value
    assert current(app) == first
    assert len(load_judgments(store, "Demo")) == 0


def test_back_shows_the_choice_and_changes_it(store: AnnotationStore) -> None:
    app = judging(store)
    first = current(app)
    assert app.button(key=f"back:{first}").disabled  # nothing lies before it
    press(app, "left")
    waiting = current(app)
    assert app.session_state.panel == "Document"  # each new pair begins there on a small screen
    app.button(key=f"back:{waiting}").click().run()
    assert current(app) == first
    assert app.session_state.panel == "Summaries"  # where the choice is
    assert "You chose summary 1." in html(app)
    assert html(app).count("Your choice") == 1
    assert "check" in app.button(key=f"left:{first}").proto.icon
    press(app, "right")
    assert current(app) == waiting
    assert app.session_state.panel == "Document"
    assert app.session_state.shown[0] == waiting
    preferences = load_judgments(store, "Demo")
    assert list(preferences.left) == [0]  # one judgment, of the one on the right


def test_the_time_left_is_told_once_a_pace_is_known() -> None:
    told = [describe_progress(JudgingProgress(judged, 0, 10, 30.0)) for judged in (0, 2, 3)]
    assert told == ["0 of 10 judged", "2 of 12 judged", "3 of 13 judged · about 5 minutes left"]
    assert describe_progress(JudgingProgress(3, 1, 2, 30.0)) == "3 of 6 judged, 1 skipped · about a minute left"


def test_a_pair_is_unread_until_a_small_screen_has_shown_its_summaries(store: AnnotationStore) -> None:
    def unread() -> bool:
        return "Read the summaries" in [button.label for button in app.button]

    app = judging(store)
    assert unread()
    for shown in ("Summaries", "Document"):
        app.session_state.panel = shown
        sound(app.run())
        assert not unread()
    press(app, "left")
    assert unread()
    app.button(key=f"back:{current(app)}").click().run()
    assert not unread()  # it was judged


def test_skip_needs_a_reason_and_asks_for_it_where_one_is(store: AnnotationStore) -> None:
    app = judging(store)
    first = current(app)
    app.button(key=f"skip:{first}").click().run()
    assert not app.warning
    (error,) = app.error
    assert error.value.startswith("Say why")
    app.text_input(key=f"reason:{first}").input("both are empty")
    app.button(key=f"skip:{first}").click().run()
    assert current(app) != first
    assert not app.error
    assert store.annotators("Demo")[0].skipped == 1


def test_an_invite_opens_the_work_and_a_wrong_one_is_refused(store: AnnotationStore) -> None:
    token = store.invite(study="Demo", name="Cleo").token
    app = sound(new_session(invite=token).run())  # as whoever opens the app's own address
    assert "Cleo" in app.markdown[0].value
    assert not [button for button in app.button if button.label == "Leave"]
    app = sound(new_session(invite="nonsense").run())
    assert "This link is not known" in html(app)
    assert "Open the link as it was sent to you" in html(app)
    assert not app.button


@pytest.mark.parametrize(
    ("state", "heading", "way_out"),
    [
        ("unknown", "There is no study “Other”", "Open the link as it was sent to you"),
        ("paused", "The study is paused", "Come back later"),
        ("closed", "The study is closed", "It takes no more answers"),
    ],
)
def test_an_address_never_leads_to_another_study(
    store: AnnotationStore, state: str, heading: str, way_out: str
) -> None:
    if state != "unknown":
        store.create_study(StudySpec(name="Other", dataset=NAME, rule="random"))
        PeopleStore(store.engine).pause_study("Other") if state == "paused" else store.close_study("Other")
    app = open_page("annotate.py", study="Other")
    assert f"{heading}</h1>" in html(app)
    assert way_out in html(app)
    assert not app.text_input
    if state == "unknown":
        app = press_key(app, "open-studies")
        assert "Demo</h1>" in html(app)
        assert "study" not in app.query_params


def test_before_the_start_one_is_told_what_awaits_one(store: AnnotationStore) -> None:
    ann = store.invite(study="Demo", name="Ann")
    app = open_page("annotate.py", invite=ann.token)
    assert "Before you start</h1>" in html(app)
    told = page_text(app)
    assert "Which summary is more relevant to the document?" in told
    assert "24 pairs at most." in told
    assert "Reading them takes about" in told  # nobody has judged yet
    assert "You can stop at any time" in told
    assert "This link brings you back" in told
    assert "the name in your link, your choices with their times and the reasons that you write." in told
    press(pressed(app, "Start"), "left")
    assert "Pair 2 of 24" in html(open_page("annotate.py", invite=ann.token))  # who has begun goes on at once
    other = page_text(open_page("annotate.py", study="Demo"))
    # the other one took a bit more than ten seconds for a pair: 24 x 10 s
    assert "24 pairs at most. At the pace of the others, this takes about 5 minutes." in other
    assert "The same name brings you back" in other


def test_what_is_stored_follows_from_what_is_asked() -> None:
    study_protocol = StudyProtocol(
        name="S",
        dataset=Pinned(name="D"),
        judging=Judging(confidence=True, marks=True, idle_minutes=20),
        surveys=Surveys(before=(SurveyQuestion(name="age", ask="How old?", kind="number"),)),
    )
    stored = describe_stored(study_protocol, invited=False)
    for item in ("your name", "how sure you are", "the words that you mark", "your answers to the questionnaires"):
        assert item in stored
    assert "after 20 minutes without a choice" in describe_pauses(study_protocol, invited=False)


@pytest.mark.parametrize(
    ("pairs", "seconds", "told"),
    [
        (1, 30.0, "one pair at most. At the pace of the others, this takes about a minute."),
        (10, 60.5, "10 pairs at most. At the pace of the others, this takes about 11 minutes."),
        (400, 60.0, "400 pairs at most. At the pace of the others, this takes about 7 hours."),
        # 119 words a pair are half a minute of reading
        (10, None, "10 pairs at most. Reading them takes about 5 minutes: a pair has about 120 words."),
    ],
)
def test_how_long_a_study_takes(pairs: int, seconds: float | None, told: str) -> None:
    sample = [JudgmentTask(0, 1, None, "word " * 100, "word " * 9, "word " * 10, None, None)]
    assert describe_length(pairs, seconds, sample) == told


def test_judged_and_skipped_pairs_are_listed_and_opened(store: AnnotationStore) -> None:
    app = judging(store)
    for _ in range(2):
        press(app, "left")
    app.text_input(key=f"reason:{current(app)}").input("empty")
    press(app, "skip")
    app = press_key(app, "list-pairs")
    assert "Your pairs</h1>" in html(app)
    rows = [button.label.replace("\\", "") for button in app.button if str(button.key).startswith("open:")]
    assert [row.split(" ")[0] for row in rows] == ["3", "2", "1"]
    assert rows[0].endswith("You skipped this pair.")
    assert rows[1].endswith("You chose summary 1.")
    assert app.button_group(key="listed_state").options == ["All (3)", "Judged (2)", "Changed (0)", "Skipped (1)"]
    first = next(button for button in app.button if button.label.startswith("1 "))
    sound(first.click().run())
    assert "Pair 1 of 24" in html(app)
    press(app, "right")
    assert "Pair 4 of 24" in html(app)
    app = press_key(app, "list-pairs")
    sound(app.button_group(key="listed_state").set_value("changed").run())
    (row,) = (button.label.replace("\\", "") for button in app.button if str(button.key).startswith("open:"))
    assert row.endswith("You chose summary 2. (changed)")
    app = press_key(app, "list-pairs")  # once more: back to the pair
    assert "Pair 4 of 24" in html(app)


def test_whoever_gave_a_name_sees_other_pages_after_leaving(store: AnnotationStore) -> None:
    app = open_page("annotate.py")
    app.text_input(key="join_name").input("Ana")
    pressed(app, "Start")
    assert "Pair 1 of 24" in html(app)
    assert app.query_params["annotator"]
    pressed(app, "Leave")
    assert app.text_input(key="join_name").value == ""
    assert "annotator" not in app.query_params
    assert "annotator" not in app.session_state


@pytest.mark.parametrize(
    ("query", "session", "only"),
    [
        ({}, {}, False),
        ({"study": "Demo"}, {}, False),
        ({"annotator": "x"}, {}, True),
        ({"invite": "x"}, {}, True),
        ({}, {"annotator": "x"}, True),
        ({}, {"invite": "x"}, True),
    ],
)
def test_who_came_to_judge_sees_nothing_else(
    monkeypatch: pytest.MonkeyPatch, query: dict[str, str], session: dict[str, str], only: bool
) -> None:
    monkeypatch.setattr(st, "query_params", query)
    monkeypatch.setattr("relevance.pages.components.annotate.annotator.state", session)
    assert judging_only(LOCAL_VISITOR) is only
    assert session.get("invite") == query.get("invite", session.get("invite"))


def test_only_a_question_of_relevance_is_answered_by_it(store: AnnotationStore) -> None:
    app = judging(store)
    assert app.button(key=f"left:{current(app)}").label == "1 is more relevant"
    store.create_study(StudySpec(name="Style", dataset=NAME, rule="random", ties=True, question="Which reads better?"))
    app = judging(store, "Style")
    labels = [app.button(key=f"{choice}:{current(app)}").label for choice in ("left", "tie", "right")]
    assert labels == ["Summary 1", "Equal", "Summary 2"]


def test_both_are_bad_where_the_study_offers_it(store: AnnotationStore) -> None:
    protocol = protocol_of(StudySpec(name="Bad", dataset=NAME, rule="random", count=3))
    protocol = replace(protocol, judging=Judging(ties=True, both_bad=True))
    store.create_study(protocol.spec, write_protocol(protocol))
    app = judging(store)
    assert not is_there(app, f"both_bad:{current(app)}")
    app = judging(store, "Bad")
    first = current(app)
    labels = [button.label for button in app.button if button.key and button.key.endswith(f":{first}")]
    assert [label for label in labels if label not in {"Back", "Skip this pair"}] == [
        "1 is more relevant",
        "Equally relevant",
        "Both are bad",
        "2 is more relevant",
    ]
    press(app, "both_bad")
    assert load_judgments(store, "Bad").bad_ties == 1
    app = sound(app.button(key=f"back:{current(app)}").click().run())
    button = app.button(key=f"both_bad:{first}")
    assert (button.icon, current(app)) == (":material/check:", first)


# --- the end --------------------------------------------------------------------------------------------------


def test_a_study_ends_and_says_how_much_was_done(store: AnnotationStore) -> None:
    store.create_study(StudySpec(name="Short", dataset=NAME, rule="random", count=2))
    app = judging(store, "Short")
    press(app, "left")
    app.text_input(key=f"reason:{current(app)}").input("empty")
    press(app, "skip")
    assert "That was the last pair" in html(app)
    (took,) = load_judgments(store, "Short").took  # the ten seconds, and what the machine took
    assert took >= 10
    assert f"You judged one pair. Each took about {took:.0f} seconds. You skipped one. Everything is saved." in html(
        app
    )
    app.button(key="back:end").click().run()
    assert "You skipped this pair." in html(app)
    press(app, "right")
    assert len(load_judgments(store, "Short")) == 2
    store.close_study("Short")
    assert "The study is closed" in html(app.run())


def test_whoever_finds_nothing_to_judge_is_told_so(store: AnnotationStore) -> None:
    store.create_study(StudySpec(name="Short", dataset=NAME, rule="random", count=1))
    store.next_task(store.join(study="Short", name="Ben"))
    app = judging(store, "Short")
    assert "There is no pair to judge now" in html(app)
    assert not [button for button in app.button if button.label.startswith("Back")]


def test_the_demo_reveals_with_which_metrics_one_agreed(store: AnnotationStore) -> None:
    store.create_study(StudySpec(name="Short", dataset=NAME, rule="random", count=5, ties=True))
    app = judging(store, "Short")
    for choice in ("left", "right", "left", "tie", "left"):
        assert "ROUGE-K" not in html(app)
        press(app, choice)
    judged = load_judgments(store, "Short")
    differences = judged.differences()
    signature = find_signature("rouge_k", differences)
    assert signature is not None
    count = count_agreement(judged.choices, differences[signature])
    shown = visible(html(app))
    assert f"ROUGE-K{count.concordant} of 4" in shown
    assert "Author labels" in shown
    assert "One pair that you called equal is left out." in shown
    assert "overview?study=Short" in html(app)


def test_other_data_reveal_nothing(store: AnnotationStore) -> None:
    record = (Document("d", "A text of five words.", ("A text.",)), [Summary("d", s, f"{s} text") for s in "ab"])
    DataStore(store.engine).add_dataset(name="mine", format="interchange", sha256="0" * 64, records=[record])
    store.create_study(StudySpec(name="Mine", dataset="mine", rule="random"))
    app = judging(store, "Mine")
    press(app, "left")
    assert "That was the last pair" in html(app)
    assert "agree" not in html(app)


def test_agreement_at_the_end_is_counted_by_metric_and_label() -> None:
    """Pairs a-b of four documents: a is chosen in d1 and d2, b in d3, neither in d4."""
    own = Preferences(
        documents=to_name_column(["d1", "d2", "d3", "d4"]),
        firsts=to_name_column(["a"] * 4),
        seconds=to_name_column(["b"] * 4),
        inclusion=np.full(4, np.nan),
        scores={
            # agrees on d1 and d3, ties on d2
            "rouge1|refs:max": np.array([[0.5, 0.25], [0.5, 0.5], [0.25, 0.5], [1, 0]]),
            # is missing on d1, agrees on d2, disagrees on d3
            "rouge_k|refs:max": np.array([[np.nan, 1], [1, 0], [1, 0], [1, 0]]),
            # the longer one was never chosen
            "length": np.array([[1, 2], [1, 2], [2, 1], [1, 2]]),
        },
        pair=np.arange(4),
        choices=np.array([1.0, 1.0, -1.0, 0.0]),
        annotators=to_name_column(["Ana"] * 4),
        left=np.full(4, np.nan),
        took=np.full(4, np.nan),
    )
    # the author ranks a higher in d1 and d2, b in d3; d4 does not count
    cells = Cells(
        documents=("d1", "d1", "d2", "d2", "d3", "d3"),
        systems=("a", "b") * 3,
        ratings={AUTHOR: np.array([4.0, 1, 3, 2, 1, 2])},
        scores={},
    )
    rows = count_agreed(own, cells)
    assert rows == [
        Agreed("Author labels", 3, 0, 3, is_metric=False),
        Agreed("ROUGE-1", 2, 1, 3),
        Agreed("ROUGE-K", 1, 0, 2),
        Agreed("Longer summary", 0, 0, 3, is_metric=False),
    ]
    assert describe_best(rows, equal=0) == (
        "You agree most with ROUGE-1: on 2 of 3 pairs. Choosing at random would give about half."
    )


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("A", "with A: on"),
        ("AB", "with A and B: on"),
        ("ABC", "with A, B and C: on"),
        ("ABCD", "with A, B and 2 other metrics: on"),
    ],
)
def test_metrics_that_agree_alike_are_named_together(names: str, message: str) -> None:
    assert message in describe_best([*(Agreed(name, 2, 0, 3) for name in names), Agreed("Z", 1, 0, 3)], equal=2)
