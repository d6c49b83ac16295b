"""The pages Studies and New study: made, seen going on, changed, shared."""

from datetime import UTC, datetime, timedelta

import pytest
from streamlit.testing.v1 import AppTest

from relevance.analysis.agreement.planning import detectable_difference, find_half_width
from relevance.annotation.protocol.file import EXAMPLE
from relevance.annotation.protocol.pinning import hash_dataset
from relevance.annotation.protocol.records import Judging
from relevance.annotation.protocol.store import ProtocolStore
from relevance.annotation.records import NoPairs, StudyPace, StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect, now
from relevance.data.demo import NAME
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore, StoredScore
from relevance.metrics import default_metrics, metric
from relevance.pages.components.shared.keywords import EXTRACTOR
from relevance.pages.components.studies.cards import describe_pace
from tests.pages.opening import address, html, open_page, page_text, press, pressed, sound


def open_part(part: str, **query: str) -> AppTest:
    app = open_page("studies.py", **query)
    app.session_state.study_part = part
    return sound(app.run())


# --- making a study ---------------------------------------------------------------------------------------------


def create(app: AppTest, name: str) -> AppTest:
    app.text_input(key="new_name").input(name).run()
    return press(app, "create")


@pytest.mark.smoke
def test_a_study_that_was_made_is_shown_and_the_form_is_empty_again(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = open_page("new_study.py")
    app.radio(key="new_rule").set_value("all").run()
    app = create(app, "Mine <b>")
    assert app.title[0].value.replace("\\", "") == "Mine <b>"
    assert address(app) == {"study": "Mine <b>"}
    assert "Created Mine <b>. All pairs: 144 pairs drawn of 144 eligible." in page_text(app)
    assert demo[1].study("Mine <b>").pairs == 144
    assert "Created" not in page_text(sound(app.run()))  # it is said once
    sound(app.switch_page("new_study.py").run())
    assert app.text_input(key="new_name").value == ""
    assert app.radio(key="new_rule").value == "random"
    assert "There is already a study" in page_text(create(app, "Mine <b>"))


def test_suspicious_summaries_are_shown_before_a_study_is_made(demo: tuple[DataStore, AnnotationStore]) -> None:
    records = [
        (
            Document(f"d{n}", "A bridge.", ()),
            [Summary(f"d{n}", "bad", "A summary:"), Summary(f"d{n}", "good", f"B{n}.")],
        )
        for n in range(2)
    ]
    demo[0].add_dataset(name="odd", format="x", sha256="", records=records)
    told = "Suspicious: 2 of 4 summaries only announce a summary (2 by bad), such as"
    app = open_page("new_study.py", dataset="odd")
    assert told in page_text(app)
    app.multiselect(key="new_systems:odd").set_value(["good"]).run()
    assert told not in page_text(sound(app))


def open_form(rule: str) -> AppTest:
    """The form of a new study, with a rule."""
    return sound(open_page("new_study.py").radio(key="new_rule").set_value(rule).run())


def test_pairs_are_counted_while_one_types(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = open_form("rouge_k_differs")
    # of 144 pairs ROUGE-K ties on 37; one of each of 24 documents
    told = page_text(app).replace("*", "")
    assert "24 of 107 eligible pairs will be drawn (at most 1 per document). Left out: 37" in told
    assert "37 on which ROUGE-K gives the same score." in told
    sound(app.number_input(key="new_count:rouge_k_differs").set_value(10).run())
    assert "10 of 107 eligible pairs will be drawn" in page_text(app)
    assert "Not more" not in page_text(app)
    made = page_text(create(open_form("rouge_k_differs"), "Same"))
    assert "drawn of 107 eligible. Left out: 37 on which ROUGE-K gives the same score." in made
    sound(app.radio(key="new_rule").set_value("conflicts").run())
    spec = StudySpec(
        name="x", dataset=NAME, rule="conflicts", signatures=tuple(app.multiselect(key=conflict_key()).value), count=100
    )
    sample = demo[1].sample(spec)
    assert (
        f"{len(sample.pairs)} of 144 eligible pairs will be drawn.** On {sample.conflicts} of them metrics disagree."
        in page_text(app)
    )
    sound(app.number_input(key="new_per_document:conflicts").set_value(1).run())
    assert f"{len(demo[1].sample(spec_with(spec, 1)).pairs)} of 144 eligible pairs will be drawn" in page_text(app)


def conflict_key() -> str:
    return f"new_conflict_metrics:{NAME}"


def spec_with(spec: StudySpec, per_document: int) -> StudySpec:
    return StudySpec(**{**vars(spec), "per_document": per_document})


def test_counting_looks_nothing_up_twice(
    demo: tuple[DataStore, AnnotationStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_form("rouge_k_differs")
    monkeypatch.setattr(AnnotationStore, "count_pairs", lambda *_: pytest.fail("counted again"))
    sound(app.number_input(key="new_count:rouge_k_differs").set_value(10).run())
    assert "10 of 107 eligible pairs will be drawn" in page_text(app)


def test_the_form_says_what_its_pairs_can_show(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = open_page("new_study.py")
    assert app.radio(key="new_rule").value == "random"
    assert detectable_difference(24) == 0.42
    assert "24 pairs can detect a difference of about .42 between two metrics' agreement with people" in page_text(app)
    app.number_input(key="new_judgments").set_value(2)
    app.number_input(key="new_count:random").set_value(5)
    app = sound(app.run())
    assert "5 pairs cannot detect a difference between any two metrics" in page_text(app)  # fewer than 6 documents
    app = press(app, "plan_taken")
    assert app.number_input(key="new_count:random").value == 306
    assert app.number_input(key="new_judgments").value == 1


def test_the_form_suggests_that_two_people_judge_a_part_of_the_pairs(
    demo: tuple[DataStore, AnnotationStore],
) -> None:
    _, annotation = demo
    app = open_page("new_study.py")
    assert "With 1 judgment per pair nothing can be said of the agreement between annotators" in page_text(app)
    assert app.button(key="take_twice").label == "Ask two people about 24 pairs"
    app.number_input(key="new_count:random").set_value(20)
    app = press(sound(app.run()), "take_twice")
    assert app.number_input(key="new_twice").value == 20
    half = find_half_width(0.8, 20)
    known = f"will be known to within about {half:.2f}, if it is".replace("0.", ".")
    assert f"40 judgments in all. The share of pairs on which two people agree {known} .80" in page_text(app)
    app.number_input(key="new_twice").set_value(8)
    app.text_input(key="new_name").set_value("Twice")
    press(sound(app.run()), "create")
    app = open_part("Design", study="Twice")
    assert "Judgments wanted per pair: 1, 2 of each of the first 8" in page_text(app)
    study = annotation.study("Twice")
    assert (study.pairs, study.judged_twice, study.judgments_wanted) == (20, 8, 28)
    # it can be changed while people judge, as no pair and no question changes
    annotation.join(study="Twice", name="Ann")
    app.number_input(key="twice:Twice").set_value(5)
    app = pressed(app, "Save the changes")
    assert "Saved the number of pairs that two people judge of Twice" in page_text(app)
    assert annotation.study("Twice").judgments_wanted == 25


def test_each_pair_with_several_judgments_needs_no_part_with_two(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = press(open_page("new_study.py"), "take_twice")
    app.number_input(key="new_judgments").set_value(3)
    app.text_input(key="new_name").set_value("Thrice")
    app = sound(app.run())
    assert "new_twice" not in [element.key for element in app.number_input]
    press(app, "create")
    study = demo[1].study("Thrice")
    assert (study.judged_twice, study.judgments_wanted, study.can_judge_twice) == (0, 3 * study.pairs, False)


def test_pairs_are_not_counted_before_there_are_scores(sqlite_url: str) -> None:
    store = DataStore(connect(sqlite_url))
    add(store, references=("a river floods the city", "the river is in the city"))
    app = open_form("rouge_k_differs")
    assert "Pairs can be counted once the summaries are scored" in page_text(app)
    assert not store.signatures("one")  # nobody asked for scores
    app = pressed(app, "Score and count now")
    assert "3 of 3 eligible pairs will be drawn" in page_text(app)


def test_a_new_study_of_conflicts_with_checks(demo: tuple[DataStore, AnnotationStore]) -> None:
    example = {key: StoredScore(0.5, None) for key, _ in demo[0].unscored(dataset=NAME, signature="rouge1|mine")}
    demo[0].add_scores(metric="rouge1", signature="rouge1|mine", scores=example)
    app = open_page("new_study.py")
    app.radio(key="new_rule").set_value("conflicts").run()
    offered = app.multiselect(key=conflict_key())
    # the lexical four are chosen; what else is stored is offered, by its signature where a name says too little
    assert offered.value == [metric(name).signature for name in default_metrics() if name != "length"]
    rouge1 = metric("rouge1").signature
    assert offered.options == [rouge1, "ROUGE-2", "ROUGE-L", "ROUGE-K", "Length", "rouge1|mine"]
    offered.set_value([rouge1, metric("length").signature]).run()
    app.number_input(key="new_random_share").set_value(0.4).run()
    app.number_input(key="new_count:conflicts").set_value(20).run()
    app.number_input(key="new_checks").set_value(2).run()
    app = create(app, "Contested")
    study = demo[1].study("Contested")
    assert (study.pairs, study.checks, study.random_share) == (20, 2, 0.4)
    assert study.signatures == (rouge1, metric("length").signature)
    assert "2 attention checks for every annotator." in page_text(app)
    app = open_page("new_study.py")
    app.radio(key="new_rule").set_value("conflicts").run()
    app.multiselect(key=conflict_key()).set_value([rouge1]).run()
    assert "at least two" in page_text(app)
    assert app.button(key="create").disabled


def test_the_form_shows_the_file_that_it_makes_the_study_by(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = open_page("new_study.py")
    app.selectbox(key="new_rationale").set_value("required")
    assert app.checkbox(key="new_both_bad").disabled
    sound(app.checkbox(key="new_ties").check().run())
    app.checkbox(key="new_both_bad").check()
    app.checkbox(key="new_confidence").check()
    app.checkbox(key="new_marks").check()
    app.number_input(key="new_most").set_value(12)
    app.datetime_input(key="new_closes").set_value(datetime(2100, 1, 1, 12))
    app.text_input(key="new_name").input("Asked")
    app.session_state.new_file = True
    sound(app.run())
    (shown,) = (block.value for block in app.code)
    press(app, "create")
    protocols = ProtocolStore(demo[1].engine)
    assert protocols.export("Asked").rstrip() == shown
    protocol = protocols.protocol("Asked")
    assert protocol.judging == Judging(
        ties=True, both_bad=True, most_per_annotator=12, rationale="required", confidence=True, marks=True
    )
    assert protocol.closes == datetime(2100, 1, 1, 12, tzinfo=UTC)
    assert protocol.dataset.sha256 == hash_dataset(demo[0], NAME)


def upload(app: AppTest, text: str) -> AppTest:
    app.file_uploader(key="study_upload").upload("study.toml", text.encode(), "application/toml")
    return sound(app.run())


def test_a_study_file_is_checked_and_applied(demo: tuple[DataStore, AnnotationStore]) -> None:
    text = EXAMPLE.read_text()
    app = upload(open_page("new_study.py"), text.replace("ties =", "tie ="))
    assert "study.toml:48: unknown key 'tie' in [judging]; did you mean 'ties'?" in page_text(app)
    app = upload(open_page("new_study.py"), text)
    assert "This makes the study **Example**. 20 of 144 eligible pairs will be drawn. 4 attention checks." in page_text(
        app
    )
    assert "Example" not in {study.name for study in demo[1].studies()}
    doubtful = text.replace('"Judge summaries"', '"Judge summary"')
    said_of_it = "study.toml:123: the pages of annotators never say 'Judge summary'; did you mean 'Judge summaries'?"
    assert said_of_it in page_text(upload(open_page("new_study.py"), doubtful)).replace("\\", "")
    unknown = text.replace('value:f1|version:0.2.0"\nalpha', 'value:f9|version:0.2.0"\nalpha')
    app = upload(open_page("new_study.py"), unknown)
    assert "first run relevance score demo" in page_text(app)
    assert "score_file" not in [button.key for button in app.button]
    app = press(upload(open_page("new_study.py"), text), "apply_file")
    assert address(app) == {"study": "Example"}
    protocols = ProtocolStore(demo[1].engine)
    assert protocols.export("Example") == text
    app = upload(open_page("new_study.py"), text)
    assert "The study **Example** is as this file says." in page_text(app)
    assert app.button(key="apply_file").disabled
    app = press(upload(open_page("new_study.py"), text.replace("places = 12", "places = 24")), "apply_file")
    assert [item.changed for item in protocols.history("Example")] == [(), ("links",)]


# --- ROUGE-K without keywords -----------------------------------------------------------------------------------


def add(store: DataStore, references: tuple[str, ...] = ("a river floods the city",), title: str | None = None) -> None:
    records = [
        (
            Document(f"d{number}", "A river floods a city and its bridge.", references, title),
            [Summary(f"d{number}", "a", "a river"), Summary(f"d{number}", "b", f"the river is in the city {number}")],
        )
        for number in range(3)
    ]
    store.add_dataset(name="one", format="csv", sha256="0" * 64, records=records)


def test_one_reference_and_no_title_are_explained_and_the_way_out_is_a_button(sqlite_url: str) -> None:
    engine = connect(sqlite_url)
    store, studies = DataStore(engine), AnnotationStore(engine)
    add(store)
    app = open_page("new_study.py")
    assert "ROUGE-K has no keywords in any document" in page_text(app)
    assert "only one of these" in page_text(app)
    assert "`tfidf:K`" in page_text(app)
    assert "rouge_k_differs" not in app.radio(key="new_rule").options
    assert "Pairs on which ROUGE-K differs: not possible here. ROUGE-K has no keywords in any document." in page_text(
        app
    )
    app = pressed(app, "Score ROUGE-K by TF-IDF keywords")
    extracted = metric("rouge_k", keywords=EXTRACTOR).signature
    assert [signature.signature for signature in store.signatures("one")] == [extracted]
    assert "has no keywords" not in page_text(app)
    app.radio(key="new_rule").set_value("rouge_k_differs").run()
    app = create(app, "By TF-IDF")
    assert studies.study("By TF-IDF").pairs == 3


@pytest.mark.parametrize("more", [{"references": ("one text", "another text")}, {"title": "A title"}])
def test_two_texts_are_enough(sqlite_url: str, more: dict[str, object]) -> None:
    add(DataStore(connect(sqlite_url)), **more)  # type: ignore[arg-type]
    app = open_form("rouge_k_differs")
    assert "no keywords" not in page_text(app)
    assert app.radio(key="new_rule").value == "rouge_k_differs"


def test_a_rule_that_allows_no_pair_cannot_be_chosen_to_the_end(sqlite_url: str) -> None:
    engine = connect(sqlite_url)
    add(DataStore(engine), references=("nothing shared", "by these texts"))
    app = pressed(open_form("rouge_k_differs"), "Score and count now")
    assert "0 of 0 eligible pairs will be drawn. Left out: 3 without a ROUGE-K score." in page_text(app).replace(
        "*", ""
    )
    assert app.button(key="create").disabled
    assert "No pair is left to ask about. Choose another rule." in page_text(app)
    spec = StudySpec(name="x", dataset="one", rule="rouge_k_differs", signature=metric("rouge_k").signature)
    with pytest.raises(NoPairs):
        AnnotationStore(engine).create_study(spec)


# --- one study --------------------------------------------------------------------------------------------------


def test_a_card_opens_its_study(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = open_page("studies.py")
    assert "Demo" in page_text(app)
    assert "0 of 72 judgments" in [element.proto.text for element in app.get("progress")]
    app = press(app, f"open:{demo[1].study('Demo').id}")
    assert address(app) == {"study": "Demo"}
    assert app.title[0].value == "Demo"
    app = press(app, "all_studies")
    assert address(app) == {}
    assert app.title[0].value == "Studies"


def test_an_address_of_a_study_that_is_gone_shows_the_others(demo: object) -> None:
    app = open_page("studies.py", study="**gone**")
    assert "There is no study **gone**." in page_text(app)
    assert app.title[0].value == "Studies"


def test_close_and_reopen(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = press(open_page("studies.py", study="Demo"), "close")
    assert demo[1].study("Demo").closed_at is not None
    app = press(app, "close")
    assert demo[1].study("Demo").closed_at is None


def test_a_new_invite_is_in_the_table_at_once(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = open_page("annotators.py", study="Demo")
    app.text_input(key="invite_name").input("Zoë")
    app = pressed(app, "Make a personal link")
    assert list(app.dataframe[0].value["annotator"]) == ["Zoë"]
    (invited,) = demo[1].invited("Demo")
    assert app.code[0].value.endswith(f"/annotate?invite={invited.token}")
    app.text_input(key="invite_name").input("Yan")
    app = pressed(app, "Make a personal link")
    assert list(app.dataframe[0].value["annotator"]) == ["Zoë", "Yan"]
    assert app.code[0].value.endswith(demo[1].invited("Demo")[1].token)


def test_overview_leads_to_judging_the_study_that_it_shows(demo: tuple[DataStore, AnnotationStore]) -> None:
    demo[1].create_study(StudySpec(name="Newer", dataset=NAME, rule="all"))
    for shown in ("Demo", "Newer"):
        app = press(open_page("overview.py", study=shown), "annotate.py")
        assert f"{shown}</h1>" in html(app)


def test_overview_leads_to_the_import_of_a_file(demo: tuple[DataStore, AnnotationStore]) -> None:
    def is_open(app: AppTest) -> bool:
        return next(element.proto.expanded for element in app.expander if element.label == "Import a file")

    assert is_open(press(open_page("overview.py"), "datasets.py"))
    assert not is_open(open_page("datasets.py"))


def test_the_link_of_a_study_leads_to_it(demo: tuple[DataStore, AnnotationStore]) -> None:
    demo[1].create_study(StudySpec(name="Newer", dataset=NAME, rule="all"))
    link = open_page("studies.py", study="Demo").code[0].value
    assert link.endswith("/annotate?study=Demo")
    app = open_page("annotate.py", study="Demo")
    assert "Demo</h1>" in html(app)
    assert not app.selectbox  # no other study is offered


def test_instructions_are_changed(demo: tuple[DataStore, AnnotationStore]) -> None:
    app = open_part("Design", study="Demo")
    assert "Pairs on which ROUGE-K differs: 24 pairs drawn of 107 eligible." in page_text(app)
    app.text_area(key="instructions:Demo").input("Read **twice**.")
    app = pressed(app, "Save the changes")
    assert "Saved the instructions of Demo" in page_text(app)
    assert demo[1].study("Demo").instructions == "Read **twice**."
    app.text_input(key="title:Demo").input("News <b>")
    app.datetime_input(key="closes:Demo").set_value(datetime(2020, 1, 1, 12, 30))
    app = pressed(app, "Save the changes")
    study = demo[1].study("Demo")
    assert (study.title, study.closes) == ("News <b>", datetime(2020, 1, 1, 12, 30, tzinfo=UTC))
    assert "Closes: 2020-01-01 12:30 (UTC)" in page_text(app)
    assert "Version 3" in page_text(app)
    assert "changed: title, closes" in page_text(app)
    assert 'title = "News <b>"' in app.code[0].value
    assert "Nothing was changed." in page_text(pressed(app, "Save the changes"))
    app.session_state.study_part = "Overview"
    assert "closing date of the study 'Demo' has passed" in page_text(press(sound(app.run()), "close"))


@pytest.mark.parametrize(
    ("pace", "message"),
    [
        (StudyPace(0, 0, None, None), "No annotators yet · no judgment yet"),
        (StudyPace(1, 0, None, None), "1 annotator · no judgment yet"),
        # 72 wanted, none there: 72 x 50 s = 60 min, and 72 x 400 s = 8 h
        (StudyPace(2, 24, 50, now()), "2 annotators · 24 in the last 24 hours · about 60 minutes of judging left"),
        (StudyPace(2, 1, 400, now()), "2 annotators · 1 in the last 24 hours · about 8 hours of judging left"),
        (StudyPace(2, 1, None, now()), "2 annotators · 1 in the last 24 hours"),  # judged elsewhere, without times
        (
            StudyPace(2, 0, 50, datetime(2026, 1, 2, tzinfo=UTC)),
            "2 annotators · none in the last 24 hours, the latest on 2026-01-02",
        ),
    ],
)
def test_the_pace_of_a_study(demo: tuple[DataStore, AnnotationStore], pace: StudyPace, message: str) -> None:
    assert describe_pace(demo[1].study("Demo"), pace) == message


def test_the_pace_counts_the_last_day(demo: tuple[DataStore, AnnotationStore]) -> None:
    ana = demo[1].join(study="Demo", name="Ana")
    for hours in (30, 2, 1):
        task = demo[1].next_task(ana)
        assert task is not None
        shown = now() - timedelta(hours=hours)
        demo[1].judge(
            annotator=ana,
            assignment_id=task.assignment_id,
            choice="left",
            presented_at=shown,
            decided_at=shown + timedelta(seconds=9),
        )
    pace = demo[1].pace("Demo")
    assert (pace.annotators, pace.last_day, pace.latest) == (1, 2, shown + timedelta(seconds=9))
    assert "See results" in [button.label for button in open_page("studies.py", study="Demo").button]
