"""Adjudicating as a script: what is shown before and after a decision, and what follows from it on other pages."""

from datetime import timedelta

import pytest
from streamlit.testing.v1 import AppTest

from relevance.annotation.adjudication import AdjudicationStore
from relevance.annotation.results import export_judgments
from relevance.data.rights import Right
from relevance.pages.components.results import report
from relevance.reports.report import Report
from tests.pages.hosted import Server, server
from tests.pages.opening import address, html, open_page, page_text, press, sound, visible
from tests.pages.world import World, known, known_file

__all__ = ["known", "known_file", "server"]


@pytest.fixture
def store(known: World) -> AdjudicationStore:
    return AdjudicationStore(known.annotation.engine)


def begin(name: str = "Ada") -> AppTest:
    app = open_page("adjudicate.py", study="Study")
    return sound(app.text_input(key="adjudicate_name").input(name).run())


def decide(app: AppTest, choice: str) -> int:
    """Press a button of the pair, as if it had been on the screen for ten seconds; returns the pair."""
    pair, shown = app.session_state.adjudicate_shown
    app.session_state.adjudicate_shown = (pair, shown - timedelta(seconds=10))
    (key,) = (b.key for b in app.button if b.key and b.key.startswith(f"decide:{choice}:{pair}:"))
    press(app, key)
    return int(pair)


def test_who_adjudicates_says_who_they_are(known: World) -> None:
    app = open_page("adjudicate.py", study="Study")
    assert "Enter your name to begin" in page_text(app)
    assert not [b for b in app.button if b.key and b.key.startswith("decide:")]
    app = sound(app.text_input(key="adjudicate_name").input("a" * 199 + "\u202e").run())
    assert "1 to 200 printable characters" in app.error[0].value


def test_the_pair_of_the_lowest_agreement_comes_first_without_names(known: World) -> None:
    app = begin()
    shown = visible(html(app))
    assert "Pair 1 of 12" in shown
    assert "0 decided; annotators differ on 6 of the 12 pairs" in shown
    assert "set d0 by a" in shown  # a, b and a tie of a and b in d0: agreement 1/3
    assert "set d0 by b" in shown
    assert not any(name in page_text(app) + shown for name in ("Ana", "Ben", "Cleo"))
    assert not app.expander


def test_a_decision_is_kept_and_the_votes_are_shown_afterwards(known: World, store: AdjudicationStore) -> None:
    before = export_judgments(known.annotation, "Study")
    app = begin()
    pair = app.session_state.adjudicate_shown[0]
    app.text_input(key=f"adjudicate_reason:{pair}:0").input("a has the <b>point</b>").run()
    assert decide(app, "left") == pair
    (result,) = store.adjudications("Study")
    assert (result.adjudicator, result.choice, result.reason) == ("Ada", "left", "a has the <b>point</b>")
    assert "Pair 2 of 12" in visible(html(app))
    assert "Pair 1: you decided **Summary 1**." in page_text(app)
    assert "1 pair is decided. No choice led among annotators." in page_text(app)
    press(app, f"look:{pair}")
    assert "Pair 1 of 12" in visible(html(app))
    assert "Your choice" in html(app)
    (votes,) = (element for element in app.expander if element.label == "What annotators chose")
    written = "\n".join(str(element.value) for element in votes.markdown).replace("\\", "")
    assert "Summary 1: 1 · Equal: 1 · Summary 2: 1 (3 judgments)" in written
    assert "Ada: Summary 1: a has the <b>point</b>" in written
    assert "Ben" not in written
    decide(app, "tie")
    assert [adjudication.choice for adjudication in store.adjudications("Study")] == ["left", "tie"]
    assert export_judgments(known.annotation, "Study") == before


def test_two_adjudicators_who_differ(known: World, store: AdjudicationStore) -> None:
    app = begin("Ada")
    decide(app, "left")
    app = sound(app.text_input(key="adjudicate_name").input("Ben Adjudicates").run())
    assert "Ada" not in page_text(app).replace("Adjudicate", "")
    decide(app, "right")
    (table,) = (element.value for element in app.dataframe)
    assert table.to_dict("records") == [
        {
            "pair": 1,
            "your decision": "Summary 2",
            "annotators": "Summary 1: 1 · Equal: 1 · Summary 2: 1 (3 judgments)",
            "other adjudicators": "Ada: Summary 1 (differs)",
        }
    ]
    assert "Adjudicators differ on 1 pair: the latest decision counts." in page_text(app)
    sound(app.selectbox(key="adjudicate_again").select(1).run())
    assert "Pair 1 of 12" in visible(html(app))


def test_a_press_counts_once_and_not_at_once(known: World, store: AdjudicationStore) -> None:
    app = begin()
    pair = app.session_state.adjudicate_shown[0]
    press(app, f"decide:left:{pair}:0")
    assert "too soon" in app.warning[0].value
    assert store.version("Study") == 0


def test_decisions_are_a_source_of_their_own(known: World) -> None:
    assert "Adjudicated in Study" not in open_page("overview.py").selectbox(key="source").options
    app = begin()
    for choice in ("left", "right", "left"):
        decide(app, choice)
    app = open_page("agreement.py", study="Study")
    assert app.selectbox(key="source").options == [
        "Annotators in Study",
        "Adjudicated in Study",
        "Ratings of relevance",
    ]
    assert app.selectbox(key="source").value.name == "Annotators in Study"
    sound(app.selectbox(key="source").select_index(1).run())
    assert address(app) == {"study": "Study", "source": "adjudicated"}
    assert "**3 decisions** of 1 adjudicator, the latest of each pair" in page_text(app)
    for page in ("overview.py", "systems.py", "correlation.py", "examples.py", "disagreements.py"):
        app = open_page(page, study="Study", source="adjudicated")
        assert app.selectbox(key="source").value.name == "Adjudicated in Study"
        assert "3 decisions" in page_text(app)
    app = open_page("compare.py", study="Study", with_study="Study", with_source="adjudicated")
    assert "it is the same one on" in page_text(app)
    assert "Adjudicated in Study" in page_text(app)
    again = begin()
    decide(again, "left")  # the fourth pair: what is kept of three is not shown any more
    assert "**4 decisions**" in page_text(open_page("overview.py", study="Study", source="adjudicated"))


def test_the_report_by_adjudicators_says_so(known: World, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[Report, str]] = []
    monkeypatch.setattr(report, "report_html", lambda contents, methods: made.append((contents, methods)) or "")
    decide(begin(), "left")
    app = open_page("overview.py", study="Study", source="adjudicated")
    (button,) = (element for element in app.button if str(element.key).startswith("report:"))
    sound(button.click().run())
    ((contents, methods),) = made
    assert contents.heading == "Metrics against adjudicators: Study"
    assert contents.facts["decisions"] == "1 by 1 adjudicator, the latest of each pair; not the judgments"
    assert "reliability" not in contents.names
    assert "Figures rest not on these but on 1 pair that adjudicators decided" in methods


def test_readers_see_why_they_cannot(server: Server) -> None:
    rita = server.add("rita")
    server.accounts.grant(server.study(), "rita", Right.READ)
    server.visit(rita)
    app = open_page("adjudicate.py", study=server.study())
    assert "You may read this study, but not adjudicate" in app.info[0].value
    server.accounts.grant(server.study(), "rita", Right.ADJUDICATE)
    app = open_page("adjudicate.py", study=server.study())
    assert "nothing to adjudicate" in app.info[0].value  # nobody has judged; the name is that of the account
    assert not app.text_input
