"""The page When metrics disagree: its examples still show what they are chosen for, and the page shows the evidence."""

import json
import re
from dataclasses import replace
from functools import cache, partial
from html import escape
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from relevance.annotation.results import load_rated_pairs
from relevance.data.database import connect
from relevance.data.demo import AUTHOR, CHOSEN
from relevance.data.one_line import in_one_line
from relevance.data.records import Example
from relevance.data.store import DataStore
from relevance.hosting.rooms import SEVERAL, find_room
from relevance.metrics import METRICS, is_lexical, lexical_metrics, make_metrics
from relevance.metrics.background.explaining import Inspector
from relevance.metrics.explained import CannotExplain, Explained, explain
from relevance.metrics.from_signature import metric_of, signatures
from relevance.metrics.registry import usual_metrics
from relevance.metrics.scoring import score_dataset
from relevance.pages.components.disagreements.examples import MOST, OF_PAPER, find_place, load_chosen_examples
from relevance.pages.components.disagreements.notes import note_slide
from relevance.pages.components.disagreements.presented import presented_html
from relevance.pages.components.disagreements.presenting import Slide
from relevance.pages.components.disagreements.room import code_html
from relevance.pages.components.disagreements.slides import (
    MOST_KEYWORDS,
    MOST_METRICS,
    Votes,
    choose_metrics,
    list_steps,
    slide_html,
)
from relevance.pages.components.examples.pairs import PairFilter
from relevance.pages.components.shared.charts import INK
from relevance.reports.evidence.phrases import figures, preferred_letter
from relevance.reports.evidence.words import explain_scores
from tests.pages.listed import make_pairs_frame
from tests.pages.opening import drawn_until, html, open_page, page_text, sound, visible

pytestmark = pytest.mark.page

# What each example is shown for: whom the author prefers, and the metrics that prefer A, prefer B, or are tied.
OVERLAP = {"rouge1", "rouge2", "rougeL", "rougeLsum", "rougeSU4"}
EXPECTED = {
    # Table 1: ROUGE-1 and BERTScore against keywords; beside them, longer n-grams and questions are right
    "rkgj0tNfom": (
        "B",
        {"rouge1", "bertscore", "carouge", "length"},
        {"rouge2", "rougeL", "rougeLsum", "rougeSU4", "rouge_k", "apes"},
        set(),
    ),
    # like it: overlap and embeddings against keywords and questions
    "science-10": ("B", OVERLAP | {"bertscore", "carouge", "length"}, {"rouge_k", "apes"}, set()),
    # the copy with the facts turned round has every keyword: no metric is right
    "news-04": ("A", set(), OVERLAP | {"bertscore", "carouge", "length"}, {"rouge_k", "apes"}),
    # ROUGE-K is wrong as well; only the questions notice
    "news-03": ("A", {"apes"}, OVERLAP | {"bertscore", "carouge", "length"}, {"rouge_k"}),
    # ROUGE-K alone is wrong
    "news-11": ("A", OVERLAP | {"bertscore", "carouge", "length"}, {"rouge_k"}, {"apes"}),
    # ROUGE-1 and ROUGE-L contradict each other, and so do the two by embeddings
    "news-06": (
        "B",
        {"rougeL", "rougeLsum", "rougeSU4", "carouge", "length"},
        {"rouge1", "rouge2", "rouge_k", "bertscore", "apes"},
        set(),
    ),
}


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models answer in this process: what the other one does is tested with it."""

    def answer(self: Inspector, signature: str, example: Example, **_: object) -> Explained:
        return explained(signature, example)

    monkeypatch.setattr(Inspector, "explain", answer)


opened = partial(open_page, "disagreements.py")


@cache
def explained(signature: str, example: Example) -> Explained:
    metric = metric_of(signature)
    assert metric is not None
    return explain(metric, example)


def scored(place: int) -> dict[str, list[Explained]]:
    """The scores of one example by all metrics."""
    return {
        signature: [explained(signature, example) for example in load_chosen_examples()[place].examples]
        for signature in signatures().values()
    }


def ready(app: AppTest) -> AppTest:
    """The page when every model has answered."""
    return drawn_until(app, lambda app: "waiting" not in sections(app))


def sections(app: AppTest) -> str:
    """The examples that are shown, without the styles."""
    return "".join(re.findall(r"<section.*?</section>", html(app), re.DOTALL))


def camps(fragment: str) -> dict[str, list[str]]:
    """The metrics of each camp, by what it is called."""
    parts = re.findall(r'<div class="camp (?:right|wrong|tie|missing)"><b>(.*?)</b>(.*?)</div>', fragment)
    return {
        visible(name): [visible(chip) for chip in re.findall(r'"chip">(.*?) <small>', chips)] for name, chips in parts
    }


def numbers(app: AppTest) -> list[int]:
    """The numbers of the examples that are shown."""
    return [int(number) for number in re.findall(r'<p class="why">(\d+)\.', sections(app))]


# --- the examples ---------------------------------------------------------------------------------------------


def test_every_chosen_example_has_its_claim() -> None:
    assert [chosen_example.document_id for chosen_example in load_chosen_examples()] == list(EXPECTED)
    assert [item.document_id for item in CHOSEN] == list(EXPECTED)[1:]
    assert set(signatures()) == set(usual_metrics())


@pytest.mark.parametrize("document", EXPECTED)
def test_the_metrics_still_disagree_as_claimed(document: str) -> None:
    place = find_place(document, load_chosen_examples())
    choice, prefer_a, prefer_b, tied = EXPECTED[document]
    assert prefer_a | prefer_b | tied == set(usual_metrics())
    result = scored(place)
    sides = {
        name: preferred_letter([item.value for item in result[signature]], "AB")
        for name, signature in signatures().items()
    }
    assert sides == dict.fromkeys(prefer_a, "A") | dict.fromkeys(prefer_b, "B") | dict.fromkeys(tied, "tie")
    assert load_chosen_examples()[place].prefers == choice
    assert prefer_a if choice == "B" else prefer_b  # somebody contradicts the author


def test_table_1_has_the_papers_figures_and_texts(shared_data: Path) -> None:
    table = json.loads((shared_data / "rouge_k_table1.json").read_text())
    shown = load_chosen_examples()[0]
    assert [example.candidate for example in shown.examples] == [row["text"] for row in table["hypotheses"]]
    assert (shown.examples[0].title, shown.examples[0].references) == (table["title"], (table["reference"],))
    rouge1, *_ = scored(0).values()
    assert [f"{item.value:.4f}" for item in rouge1] == [
        f"{row['published']['rouge1_f1']:.4f}" for row in table["hypotheses"]
    ]
    with (shared_data / "scitldr" / "dev.jsonl").open() as lines:
        paper = next(record for record in map(json.loads, lines) if record["paper_id"] == shown.document_id)
    assert shown.examples[0].source == " ".join(paper["source"])
    first, second = (hypothesis["published"] for hypothesis in table["hypotheses"])
    for metric in ("rouge1_f1", "bertscore_f1"):
        assert first[metric] > second[metric]
        assert f"({first[metric]:.4f} against {second[metric]:.4f}" in OF_PAPER
    assert "“Hawaiian”" in OF_PAPER


@pytest.mark.parametrize(
    ("wanted", "place"),
    [
        (None, 0),
        ("", 0),
        ("news-03", 3),
        ("3", 2),
        ("1", 0),
        ("6", 5),
        ("7", 0),
        ("0", 0),
        ("-1", 0),
        ("²", 0),
        ("9" * 5000, 0),
        ("<b>", 0),
        ("news-01", 0),  # of the corpus, but not among the chosen
    ],
)
def test_addresses(wanted: str | None, place: int) -> None:
    assert find_place(wanted, load_chosen_examples()) == place


# --- one example as HTML --------------------------------------------------------------------------------------


def test_an_example_shows_scores_preferences_and_words() -> None:
    for place, shown in enumerate(load_chosen_examples()):
        result = scored(place)
        fragment = presented_html(shown, place + 1, result, detailed=True)
        text = visible(fragment)
        for example in shown.examples:
            assert example.candidate in text
        for reference in shown.examples[0].references:
            assert reference in text
        rows = [visible(row) for row in re.findall(r"<tr.*?</tr>", fragment)]
        assert len(rows) == 1 + len(usual_metrics())  # the heads
        for line, (name, signature) in zip(rows[1:], signatures().items(), strict=True):
            both = result[signature]
            values = [item.value for item in both if item.value is not None]
            shown_values = [f"{value:.0f}" for value in values] if name == "length" else figures(values)
            assert all(value in line for value in shown_values)
            assert line.endswith(in_one_line(" ".join(explain_scores(signature, shown.examples, both, "AB"))))
            choice, side = EXPECTED[shown.document_id][0], preferred_letter([item.value for item in both], "AB")
            assert ("= tie" in line) == (side == "tie")
            assert ("✗ wrong" in line) == (side not in ("tie", choice))
        for signature in result:
            assert signature in text


def test_the_camps_are_chips() -> None:
    for place, shown in enumerate(load_chosen_examples()):
        choice, prefer_a, prefer_b, tied = EXPECTED[shown.document_id]
        sides = {"A": prefer_a, "B": prefer_b}
        other = "AB".replace(choice, "")
        judges = "the author" if place else "the paper's annotators"
        wanted = {f"✓ Prefer {choice}, as {judges} did:": sides[choice], f"✗ Prefer {other}:": sides[other]}
        wanted = {name: metrics for name, metrics in (wanted | {"= Tied:": tied}).items() if metrics}
        fragment = presented_html(shown, place + 1, scored(place))
        assert {name: set(camp) for name, camp in camps(fragment).items()} == {
            name: {METRICS[metric].label for metric in metrics} for name, metrics in wanted.items()
        }
        assert "Signatures" not in fragment  # details on demand


def test_keywords_are_told_apart_without_colour() -> None:
    shown = load_chosen_examples()[1]
    fragment = presented_html(shown, 2, scored(1))
    assert 'class="k-missed k-keyword"' in fragment
    assert 'class="k-matched k-keyword"' in fragment
    keyword_list = visible(re.findall(r'<ul class="keywords.*?</ul>', fragment)[0])
    assert keyword_list == "code-mixed Tamil A ✗ B ✓sarcasm A ✗ B ✓Context A ✗ B ✗"
    assert "keyword “sarcasm”, in B and not in A" in fragment


NO_VOTES = Votes({"A": 0, "B": 0})


def slides_of(place: int) -> list[str]:
    """What the slides of a chosen example say, in order."""
    shown, result = load_chosen_examples()[place], scored(place)
    return [slide_html(shown, result, step, Votes({"A": 3, "B": 2})) for step in list_steps(choose_metrics(shown))]


def test_slides_come_in_the_order_in_which_one_thinks() -> None:
    shown = load_chosen_examples()[0]
    document, summaries, vote, people, rouge1, bertscore, rouge_k, everything = slides_of(0)
    reference, (a, b) = shown.examples[0].references[0], (example.candidate for example in shown.examples)
    verdict = "The paper's annotators preferred B."
    for slide in (document, summaries, vote, people, rouge1, bertscore, rouge_k):
        assert reference in visible(slide)
    for text in (a, b):
        assert text not in visible(document)
        assert text in visible(summaries)
    for slide in (document, summaries, vote):  # nothing tells before the room has voted
        assert "preferred" not in slide
        assert "ROUGE" not in slide
        assert "<mark" not in slide
        assert shown.why not in slide
    assert "3 votes" in visible(vote)
    assert verdict in visible(people)
    assert "This room: A 3 votes · B 2 votes" in visible(people)
    assert "<mark" not in people
    assert "ROUGE-1 prefers A: 0.275 against 0.261 ✗ unlike the paper's annotators" in visible(rouge1)
    assert 'class="k-matched"' in rouge1
    assert "BERTScore prefers A" in visible(bertscore)
    assert "ROUGE-K prefers B: 0.000 against 1.000 ✓ as the paper's annotators did" in visible(rouge_k)
    assert 'class="k-missed k-keyword"' in rouge_k
    assert escape(shown.why) in everything
    assert sum(map(len, camps(everything).values())) == len(usual_metrics())


def test_each_metric_marks_its_evidence_in_the_same_texts() -> None:
    for place, shown in enumerate(load_chosen_examples()):
        result = scored(place)
        for name, signature in signatures().items():
            (step,) = (step for step in list_steps([signature]) if step.signature)
            slide = slide_html(shown, result, step, NO_VOTES)
            for example in shown.examples:
                assert example.candidate in visible(slide)
            assert ("<mark" in slide.partition('class="legend')[0]) == (name != "length")


def test_the_metrics_of_slides_are_those_asked_for_or_those_that_show_it_best() -> None:
    shown = load_chosen_examples()[2]
    named = {METRICS[name].label: signature for name, signature in signatures().items()}
    assert choose_metrics(shown) == [named[label] for label in ("ROUGE-K", "ROUGE-1", "APES")]
    assert choose_metrics(shown, ["APES", "nobody's"]) == [named["APES"]]
    assert choose_metrics(shown, list(named)) == list(named.values())[:MOST_METRICS]
    assert choose_metrics(shown._replace(metrics=())) == [named[label] for label in ("ROUGE-1", "BERTScore", "ROUGE-K")]


def test_the_code_to_vote_takes_the_place_of_the_reference() -> None:
    shown = load_chosen_examples()[0]
    votes = NO_VOTES._replace(code=code_html("https://lab.example/vote/abc", "Vote by phone"))
    reference = shown.examples[0].references[0]
    for step in list_steps(choose_metrics(shown)):
        slide = slide_html(shown, scored(0), step, votes)
        assert ("Vote by phonelab.example/vote/abc" in visible(slide)) == (step.shows == "vote")
        assert (reference not in visible(slide)) == (step.shows in {"vote", "all"})


def test_notes_say_what_to_say_and_what_follows() -> None:
    examples = load_chosen_examples()
    steps = list_steps(choose_metrics(examples[0]))
    notes = [note_slide(examples, Slide(0, at), scored(0)) for at in range(len(steps))]
    names = ["The document", "Both summaries", "The room votes", "What people preferred"]
    assert [note.slide for note in notes] == [*names, "ROUGE-1", "BERTScore", "ROUGE-K", "All metrics"]
    assert [note.follows for note in notes] == [note.slide for note in notes[1:]] + [
        f"The document of {examples[1].name}"
    ]
    assert [note.votes for note in notes] == [step.shows == "vote" for step in steps]
    assert notes[0].notes == (
        "Table 1 of the ROUGE-K paper: the keyword “Hawaiian” decides.",
        "The paper's annotators preferred B.",
    )
    assert notes[4].notes[0] == "ROUGE-1 prefers A: 0.275 against 0.261 ✗ unlike the paper's annotators"
    assert "only A has" in " ".join(notes[4].notes)
    last = len(examples) - 1
    assert note_slide(examples, Slide(last, len(steps) - 1), scored(last)).follows == ""
    waiting = dict.fromkeys(examples[0].signatures, (None, None))
    assert note_slide(examples, Slide(0, 4), waiting).notes == ("ROUGE-1: being computed.",)


def test_a_slide_shows_what_fits() -> None:
    words = [f"word{place}" for place in range(10)]
    texts = ("word9 and " + "other words " * 30, "word8 and word9")
    shown = load_chosen_examples()[0]
    shown = shown._replace(
        examples=tuple(
            replace(
                example,
                candidate=text,
                references=(" ".join(words), " ".join(words[::-1])),
                title=None,
                source="It opens so.",
            )
            for text, example in zip(texts, shown.examples, strict=True)
        )
    )
    rouge_k = signatures()["rouge_k"]
    result = {rouge_k: [explained(rouge_k, example) for example in shown.examples]}
    (step,) = (step for step in list_steps([rouge_k]) if step.signature)
    slide, page = slide_html(shown, result, step, NO_VOTES), presented_html(shown, 1, result)
    assert '--letters: 0.77"' in slide  # which are smaller for long texts
    assert slide.index("It opens so.") < slide.index("Reference 1 of 2") < slide.index("Summary A")
    named = [re.findall(r"<li.*?</li>", html) for html in (slide, page)]
    assert [visible(item) for item in named[0][:2]] == ["word8 A ✗ B ✓", "word0 A ✗ B ✗"]
    assert [len(items) for items in named] == [MOST_KEYWORDS + 1, len(words)]
    assert visible(named[0][-1]) == f"+{len(words) - MOST_KEYWORDS} more"


def test_what_has_not_arrived_or_cannot_be_had_is_said() -> None:
    shown, result = load_chosen_examples()[0], dict(scored(0))
    first, second, *_ = shown.with_models
    scores = result | {first: [None, None], second: [CannotExplain("no <b>memory")] * 2}
    waiting = presented_html(shown, 1, scores, detailed=True)
    assert "The model is being asked." in waiting
    assert "Not available: no &lt;b&gt;memory." in waiting
    assert "BERTScore: being computed." in visible(waiting)
    assert camps(waiting)["— No score:"] == ["CAROUGE"]
    assert not any("BERTScore" in names for names in camps(waiting).values())  # it has not said yet


def test_a_document_without_keywords_and_texts_that_look_like_markup() -> None:
    hostile = "<img src=x onerror=alert(1)> </section> <script>alert(1)</script> & “x” -->"
    texts = tuple(
        replace(example, candidate=f"{letter} {hostile}", references=(hostile,), title=None, source=hostile)
        for letter, example in zip("AB", load_chosen_examples()[0].examples, strict=True)
    )
    shown = load_chosen_examples()[0]._replace(examples=texts, why=hostile)
    by_name = {
        signature: [explain(metric, text) for text in texts]
        for name, signature in signatures().items()
        if name in lexical_metrics() and (metric := metric_of(signature)) is not None
    }
    fragment = presented_html(shown, 1, by_name, detailed=True)
    assert not re.search(r"<(?:img|script)", fragment)
    assert fragment.count("</section>") == 1
    assert "ROUGE-K has no score for A or B (no keywords: " in visible(fragment)
    assert visible(fragment).count(hostile) >= 4


# --- the page -------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("here", "sqlite_url")
def test_turning_the_pages_on_an_empty_database() -> None:
    app = ready(opened())
    assert numbers(app) == [1]
    assert app.button(key="previous").disabled
    for number in range(2, len(EXPECTED) + 1):
        sound(app.button(key="next").click().run())
        assert numbers(app) == [number]
        assert list(EXPECTED)[number - 1] in app.query_params["example"]
        assert f"{number} of {len(EXPECTED)}" in [element.value for element in app.markdown]
    assert app.button(key="next").disabled
    sound(app.button(key="previous").click().run())
    assert numbers(app) == [len(EXPECTED) - 1]


@pytest.mark.usefixtures("here", "sqlite_url")
def test_the_address_opens_an_example_and_everything_is_shown_at_once() -> None:
    app = ready(opened(example="news-03"))
    assert numbers(app) == [4]
    assert visible(sections(app)).startswith(visible(presented_html(load_chosen_examples()[3], 4, scored(3)))[:2000])
    sound(app.toggle(key="everything").set_value(True).run())
    ready(app)
    assert numbers(app) == list(range(1, len(EXPECTED) + 1))
    assert app.button(key="next").disabled
    sound(app.toggle(key="everything").set_value(False).run())
    assert numbers(app) == [4]


@pytest.mark.usefixtures("sqlite_url")
def test_without_models_the_lexical_metrics_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Inspector.explain

    def refuse(self: Inspector, signature: str, example: Example, **options: Any) -> Explained:
        if is_lexical(signature):
            return real(self, signature, example, **options)
        raise CannotExplain("no process for the models could be started")

    monkeypatch.setattr(Inspector, "explain", refuse)
    app = ready(opened())
    assert camps(sections(app))["— No score:"] == ["BERTScore", "CAROUGE", "APES"]
    sound(app.toggle(key="detailed").set_value(True).run())
    text = visible(sections(app))
    assert text.count("Not available: no process for the models could be started.") == 3


@pytest.mark.usefixtures("here", "sqlite_url")
def test_slides_are_turned_and_the_room_votes() -> None:
    app = ready(opened(slide="1"))
    shown = ["document", "summaries", "vote", "people", "metric", "metric", "metric", "all"]
    assert app.button(key="previous").disabled
    for place, what in enumerate(shown):
        assert f'data-shows="{what}"' in sections(app)
        if what == "vote":
            for letter in "ABA":
                sound(app.button(key=f"vote_{letter}").click().run())
            assert "A 2 votes · B 1 vote" in visible(sections(app))
        if what == "people":
            assert "This room: A 2 votes · B 1 vote" in visible(sections(app))
        assert int(app.query_params.get("step", "1")) == place + 1
        sound(app.button(key="next").click().run())
    assert app.query_params["example"] == list(EXPECTED)[1]
    assert 'data-shows="document"' in sections(app)
    sound(app.button(key="previous").click().run())
    assert 'data-shows="all"' in sections(app)
    assert app.query_params["example"] == "rkgj0tNfom"
    sound(app.button(key="end").click().run())
    assert numbers(ready(app)) == [1]
    assert "step" not in app.query_params
    sound(app.multiselect(key="explained").set_value(["APES"]).run())
    sound(app.button(key="slides").click().run())
    for _ in range(4):
        sound(app.button(key="next").click().run())
    assert "APES prefers B" in visible(sections(ready(app)))
    sound(app.button(key="all").click().run())
    assert 'data-shows="all"' in sections(app)


@pytest.mark.usefixtures("here", "sqlite_url")
def test_a_server_with_several_workers_has_no_code_for_phones(monkeypatch: pytest.MonkeyPatch) -> None:
    app = ready(opened())
    sound(app.toggle(key="phones").set_value(True).run())
    key = app.query_params["room"]
    assert find_room(key) is not None
    assert 'class="code"' in html(app)
    monkeypatch.setenv(SEVERAL, "1")
    sound(app.run())
    assert 'class="code"' not in html(app)
    assert "this server has several workers" in app.info[0].value
    sound(app.toggle(key="phones").set_value(False).run())
    assert "room" not in app.query_params
    assert find_room(key) is None


@pytest.mark.usefixtures("here", "sqlite_url")
def test_a_room_that_has_ended_leaves_the_address() -> None:
    app = ready(opened(room="nobodys"))
    assert not app.toggle(key="phones").value
    assert "room" not in app.query_params


# --- a source of one's own --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("here")
def test_examples_of_a_source_the_strongest_first(demo_url: str) -> None:
    data = DataStore(connect(demo_url))
    score_dataset(data, "demo", make_metrics(["rouge1", "rouge_k"]))
    app = opened(dataset="demo", aspect=AUTHOR, show="rather", metric="rouge_k", other="rouge1")
    preferences = load_rated_pairs(data, "demo", AUTHOR)
    rows = make_pairs_frame(preferences, PairFilter("rather", "ROUGE-K", "ROUGE-1"))
    strongest = rows.drop_duplicates("document").iloc[0]
    assert numbers(app) == [1]
    assert "1. ROUGE-K right where ROUGE-1 is wrong" in visible(sections(app))
    assert f"1 of {min(MOST, rows['document'].nunique())}" in page_text(app)
    right, wrong = (camps(sections(app))[name] for name in camps(sections(app)) if name[0] in "✓✗")
    assert "ROUGE-K" in right
    assert "ROUGE-1" in wrong
    (document,) = (item for item, _ in data.records("demo") if item.id == strongest["document"])
    assert str(document.title) in visible(sections(app))
    *_, chart = app.get("arrow_vega_lite_chart") or app.get("vega_lite_chart")
    assert json.loads(chart.proto.spec)["config"]["text"]["color"] == INK["light"]  # else black on a dark page
    sound(app.button(key="next").click().run())
    assert numbers(app) == [2]
    # without a word of examples, the chosen ones are shown of the demo corpus
    assert numbers(opened(dataset="demo", aspect=AUTHOR)) == [1]
    assert "Table 1 of the ROUGE-K paper" in visible(sections(opened()))


@pytest.mark.usefixtures("here", "sqlite_url")
def test_slides_have_nothing_beside_the_example() -> None:
    app = opened()
    sound(app.button(key="slides").click().run())
    assert app.query_params["slide"] in ("1", ["1"])
    assert not app.title
    assert not app.toggle
    assert 'class="presented slide"' in html(app)
    sound(app.button(key="end").click().run())
    assert "slide" not in app.query_params
    assert app.title
