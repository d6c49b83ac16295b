"""Evidence on a page: the texts unchanged, the counts those of the score, nothing of a text runs, reasons said."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relevance.data.importers import read_documents
from relevance.data.records import Example, make_examples
from relevance.metrics import METRICS, metric
from relevance.metrics.apes import Apes
from relevance.metrics.apes.base import Question
from relevance.metrics.apes.metric import ApesEvidence, Trace
from relevance.metrics.background.wire import decode_record, encode
from relevance.metrics.base import Score
from relevance.metrics.bertscore import BertScore, BertScoreEvidence
from relevance.metrics.carouge import Carouge, CarougeEvidence
from relevance.metrics.evidence import MatchedEvidence, TextMatch, check_evidence
from relevance.metrics.explained import Explained
from relevance.metrics.rouge import RougeEvidence
from relevance.metrics.rouge_k import RougeKEvidence
from relevance.pages.components.evidence.views import evidence_html
from relevance.reports.evidence.apes import apes_html
from relevance.reports.evidence.bertscore import LARGEST, bertscore_block, bertscore_html, bertscore_matrix
from relevance.reports.evidence.carouge import carouge_html
from relevance.reports.evidence.highlighting import GROUPS, HIGHLIGHT_STYLE
from relevance.reports.evidence.matched import describe_matched, matched_html, matched_passages
from relevance.reports.evidence.novelty import novelty_html
from relevance.reports.evidence.phrases import Seen
from relevance.reports.evidence.rouge import rouge_html
from relevance.reports.evidence.rouge_k import rouge_k_html

ROUGES = [name for name, kind in METRICS.items() if kind.renderer == "rouge"]

pytestmark = pytest.mark.page

pytestmark = pytest.mark.page

HOSTILE = (
    'Anna <img src=x onerror="alert(1)"> met </div></mark><script>alert(1)</script> Bob Dylan in Paris &lt;b&gt; '
    '\u202eabc\u2066 שלום e\u0301 👩‍👧 " onclick="x" @placeholder --> end.\n\nNew \r\n line'
)
TAGS = {
    "b", "br", "details", "div", "li", "mark", "ol", "p", "span", "style", "summary", "table", "tbody", "td", "th",
    "thead", "tr", "ul",
}  # fmt: skip
ATTRIBUTES = {
    "aria-hidden", "aria-label", "class", "data-ends", "data-group", "data-mark", "data-says", "dir", "role", "scope",
    "tabindex", "title",
}  # fmt: skip


class Page(HTMLParser):
    """The texts of a fragment, all of it and those in blocks of their own, by their names."""

    def __init__(self, fragment: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.visible = ""
        self.texts: list[tuple[str, str]] = []
        self.depth = 0
        self.groups: list[set[str]] = []
        self.kinds: list[tuple[str, set[str], set[str]]] = []
        self.rows: list[tuple[str, ...]] = []
        self.lit: list[str] = []
        self.feed(fragment)
        self.close()
        assert not self.open
        self.lit = [group for row, group in zip(self.rows, self.lit, strict=True) if row]
        self.rows = [row for row in self.rows if row]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        assert tag in TAGS
        assert set(attributes) <= ATTRIBUTES
        self.open.append(tag)
        if tag == "td":
            self.rows[-1] += ("",)
        elif tag == "tr":
            self.rows.append(())
            self.lit.append(attributes.get("data-group", ""))
        if "data-group" in attributes:
            assert attributes["tabindex"] == "-1"  # a tap reaches it, the Tab key does not stop at it
        if attributes.get("class") == "text":
            self.texts.append((attributes["aria-label"], ""))
            self.groups.append(set())
            self.depth = len(self.open)
        if tag == "mark":
            groups = set(attributes.get("data-group", "").split())
            where = self.texts[-1][0] if self.depth else ""
            self.kinds.append((where, set(attributes["class"].split()), groups))
            if self.depth:
                self.groups[-1] |= groups

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if len(self.open) < self.depth:
            self.depth = 0

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            return
        self.visible += data
        if "td" in self.open:
            self.rows[-1] = (*self.rows[-1][:-1], self.rows[-1][-1] + data)
        if self.depth:
            name, text = self.texts[-1]
            self.texts[-1] = (name, text + data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


@pytest.fixture(scope="module")
def summeval(shared_data: Path) -> list[Example]:
    records = read_documents(shared_data / "summeval.jsonl", "interchange")
    return [e for document, summaries in records for e in make_examples(document, summaries)]


@pytest.fixture(scope="module")
def batch(summeval: list[Example]) -> list[Example]:
    """A pair of each of 40 documents, of all systems in turn."""
    some = summeval[::41]
    assert len({e.document_id for e in some}) == len(some) == 40
    return some


def example(candidate: str, *references: str, title: str | None = None, source: str = "") -> Example:
    return Example("d", "s", candidate, references, title, source)


# --- lexical metrics ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ROUGES)
@pytest.mark.parametrize("rule", ["max", "mean", "first"])
def test_rouge(batch: list[Example], name: str, rule: str) -> None:
    """F1 follows from the counts on the page, and as many matches are marked in both texts as are counted."""
    for e, score in zip(batch, metric(name, references=rule).score(batch), strict=True):
        evidence: RougeEvidence = score.evidence
        page = Page(rouge_html(evidence, e))
        counts = said_counts(page.visible)

        def matches_of(place: int, evidence: RougeEvidence = evidence, e: Example = e) -> list[tuple[str, str]]:
            counted = evidence.counted[place]
            text = e.references[evidence.compared[counted].reference]
            return [
                (e.candidate[slice(*match.candidate)], text[slice(*match.reference)])
                for match in evidence.matches[counted]
            ]

        shown = [int(number) - 1 for number in re.findall(r"Reference (\d+): \d", page.visible)]
        # Behind the first, each line stands twice: it is also the name by which its block is opened.
        counts, shown = counts[:1] + counts[1::2], shown[:1] + shown[1::2]
        values = [2 * matched / (ours + theirs) for matched, theirs, _, ours in counts]
        assert score.value == pytest.approx(sum(values) / len(values), abs=1e-9)
        assert [compared.reference for compared in (evidence.compared[i] for i in evidence.counted)] == shown
        beside = [(f"Reference {index + 1}", e.references[index]) for index in shown]
        assert page.texts == [text for pair in beside for text in (("Summary", e.candidate), pair)]
        for place, (matched, _, again, _) in enumerate(counts):
            ours, theirs = page.groups[2 * place : 2 * place + 2]
            assert ours == theirs
            words = sum(" " not in label(ours) or name != "rougeSU4" for ours, _ in matches_of(place))
            assert (len(ours), matched) == (words, again)
        assert ("The score is the mean over these" in page.visible) == (rule == "mean" and len(shown) > 1)
        assert ("The best of" in page.visible) == (rule == "max" and len(evidence.compared) > 1)
        pairs = [pair for place in range(len(counts)) for pair in matches_of(place)]
        assert page.rows == [tuple(map(label, pair)) for pair in pairs]  # every match is there as text, too


def label(text: str) -> str:
    shown = " ".join(text.split())
    return f"“{shown if len(shown) <= 60 else shown[:59] + '…'}”"


def said_counts(text: str) -> list[tuple[int, ...]]:
    parts = re.findall(r"(\d+) of (\d+) \w+ of the reference, (\d+) of (\d+) of the summary", text)
    return [tuple(map(int, counts)) for counts in parts]


def test_rouge_says_what_it_left_out() -> None:
    e = example("a cat", "!", "a cat")
    (score,) = metric("rougeL").score([e])
    page = Page(rouge_html(score.evidence, e))
    assert "Reference 2: 2 of 2 words of the reference, 2 of 2 of the summary, in the same order." in page.visible
    assert "Not compared, for lack of a word to compare: reference 1." in page.visible


def test_more_matches_than_can_be_lit_are_said() -> None:
    text = " ".join(f"word{number}" for number in range(GROUPS + 1))
    for e, message in ((example(text, text), True), (example("a cat", text + " cat"), False)):
        (score,) = metric("rouge1").score([e])
        shown = rouge_html(score.evidence, e)
        assert ("for the first 200 matches only" in shown) == message


def test_rouge_k(batch: list[Example]) -> None:
    for e, score in zip(batch, metric("rouge_k").score(batch), strict=True):
        evidence: RougeKEvidence = score.evidence
        page = Page(rouge_k_html(evidence, e))
        hits, total = map(int, re.findall(r"(\d+) of (\d+) keywords? in the summary", page.visible)[0])
        assert score.value == hits / total
        assert (page.visible.count("✓ matched"), page.visible.count("✗ missed")) == (hits, total - hits)
        assert page.texts == [
            ("Summary", e.candidate),
            *((f"Reference {n}", text) for n, text in enumerate(e.references, 1)),
            *([("Title", e.title)] if e.title is not None else []),
        ]
        assert len(page.groups[0]) == hits
        assert len(set().union(*page.groups[1:])) == total


def test_rouge_k_tells_the_title_and_missed_keywords() -> None:
    e = example("Cats purr.", "Cats sleep.", title="Sleep of a cat")
    (score,) = metric("rouge_k").score([e])
    page = Page(rouge_k_html(score.evidence, e))
    assert [name for name, _ in page.texts] == ["Summary", "Reference 1", "Title"]
    assert "✓ matched: cat (Reference 1 and Title)" in page.visible
    assert "✗ missed: sleep (Reference 1 and Title)" in page.visible
    assert [kinds for where, kinds, _ in page.kinds if where == "Title"] == [
        {"k-missed", "k-keyword"},
        {"k-matched", "k-keyword"},
    ]


def test_novelty(batch: list[Example]) -> None:
    for e in [replace(e, source=e.source or " ".join(e.references)) for e in batch]:
        page = Page(novelty_html(e.source, e.candidate))
        new, total = map(int, re.findall(r"(\d+) of (\d+) words of the summary are not", page.visible)[0])
        assert page.texts == [("Summary", e.candidate), ("Source", e.source)]
        words = re.findall(r"[^\W_]+", e.candidate.lower())
        assert total == len(words)
        assert new == sum(word not in re.findall(r"[^\W_]+", e.source.lower()) for word in words)


def test_novelty_by_hand() -> None:
    # cats: no, SAT: in the source, everywhere: no. Of the source's the, cat, sat, down only sat is there.
    page = Page(novelty_html("The cat sat down.", "Cats SAT everywhere"))
    assert "2 of 3 words of the summary are not in the source." in page.visible
    assert "does not have 3 of its 4 distinct words" in page.visible
    assert "No evidence: there is no source" in novelty_html("", "a")
    assert "No evidence: there are no words to compare" in novelty_html("a", "?")


# --- metrics with models ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def few(summeval: list[Example]) -> list[Example]:
    return [replace(e, references=e.references[:3]) for e in summeval[3:800:160]]


def test_bertscore(few: list[Example]) -> None:
    for e, score in zip(few, BertScore().score(few), strict=True):
        evidence: BertScoreEvidence = score.evidence
        page = Page(bertscore_html(evidence, e))
        assert f"The best of {len(e.references)} references makes the score; it is shown." in page.visible
        ((number, f1),) = re.findall(r"Reference (\d+): .*? F1 (\d\.\d+)", page.visible)
        assert float(f1) == pytest.approx(score.value, abs=5e-5)
        assert page.texts == [("Summary", e.candidate), (f"Reference {number}", e.references[int(number) - 1])]
        matrix = bertscore_matrix(evidence, e)
        assert matrix.beside == f"reference {number}"
        for column, by in (("matched", "candidate place"), ("matched back", "reference place")):
            frame = matrix.frame
            assert frame.groupby(by)[column].sum().max() <= 1
            # What is matched is the best of what is shown; the best may be out of sight, or an encoder's own token.
            best = frame.groupby(by)["similarity"].transform("max")
            assert (frame["similarity"][frame[column]] == best[frame[column]]).all()


@pytest.mark.parametrize("rule", ["mean", "first"])
def test_bertscore_shows_every_reference_that_counted(few: list[Example], rule: str) -> None:
    for e, score in zip(few, BertScore(rule).score(few), strict=True):
        evidence: BertScoreEvidence = score.evidence
        page = Page(bertscore_html(evidence, e))
        shown = re.findall(r"Reference (\d+): precision .*? F1 (\d\.\d+)", page.visible)
        shown = shown[:1] + shown[1::2]  # behind the first, the line is also the name of its block
        assert [int(number) for number, _ in shown] == ([1, 2, 3] if rule == "mean" else [1])
        assert score.value == pytest.approx(np.mean([float(f1) for _, f1 in shown]), abs=5e-5)
        assert ("The score is the mean over these 3 references." in page.visible) == (rule == "mean")
        assert [name for name, _ in page.texts[1::2]] == [f"Reference {number}" for number, _ in shown]
        assert len(page.rows) == len(page.lit) == len(shown) * len([s for s in evidence.candidate.spans if s[0] < s[1]])


def test_bertscore_precision_follows_from_the_matrix() -> None:
    e = example("The dog sat on the mat.", "A cat sat on a mat.")
    (score,) = BertScore().score([e])
    matrix = bertscore_matrix(score.evidence, e)
    frame = matrix.frame
    assert matrix.note == ""
    assert len(frame) == 7 * 7
    assert frame["candidate token"][frame["reference place"] == 1].tolist() == [
        "The", "dog", "sat", "on", "the", "mat", "."
    ]  # fmt: skip
    (matches,) = score.evidence.matches
    best = frame[frame["matched"]]["similarity"]
    assert len(best) == 7  # no word is nearest to one of the encoder's own tokens here
    assert best.mean() == pytest.approx(matches.precision, abs=1e-6)
    page = Page(bertscore_html(score.evidence, e))
    lit = {where: groups for where, kinds, groups in page.kinds if kinds == {"k-matched"}}
    assert lit["Summary"] == lit["Reference 1"]


def test_bertscore_matrix_is_capped_and_says_so() -> None:
    e = example("word " * 70, "a cat sat")
    (score,) = BertScore().score([e])
    matrix = bertscore_matrix(score.evidence, e)
    assert len(matrix.frame) == LARGEST * 3
    assert matrix.note == "The first 60 of 70 tokens of the summary."


def test_bertscore_of_a_chosen_reference_and_of_cut_texts() -> None:
    e = example("A cat sat.", "A cat sat.", "Dogs run.", "")
    (score,) = BertScore().score([e])
    page = Page(bertscore_block(score.evidence, score.evidence.matches[1], e))
    assert page.texts[1] == ("Reference 2", "Dogs run.")
    long = example("word " * 600, "a cat")
    (score,) = BertScore().score([long])
    assert "The end of the summary is beyond the model" in bertscore_html(score.evidence, long)


@pytest.mark.parametrize("norm", ["summary", "reference", "paper"])
@pytest.mark.parametrize("important", ["references", "tfidf:10"])
def test_carouge(few: list[Example], norm: str, important: str) -> None:
    few = [replace(e, source=e.source or " ".join(e.references)) for e in few]
    for n in (1, 2):
        for e, score in zip(few, Carouge(norm, n=n, important=important).score(few), strict=True):
            evidence: CarougeEvidence = score.evidence
            texts = e.references if important == "references" else [e.source]
            page = Page(carouge_html(evidence, e))
            text = float(re.findall(r"that is (-?\d+\.\d+)", page.visible)[0])
            assert text == pytest.approx(score.value, abs=5.1e-5)
            (place,) = evidence.counted
            compared = evidence.compared[place]
            name = "Source" if compared.reference is None else f"Reference {compared.reference + 1}"
            assert page.texts == [("Summary", e.candidate), (name, texts[compared.reference or 0])]
            assert page.groups[0] == page.groups[1]
            cells = re.findall(r"<td>(-?\d+\.\d{3})</td>", carouge_html(evidence, e))
            similarities = [float(cell) for cell in cells]
            assert len(similarities) == len(compared.nearest)
            total = sum(result.similarity for result in compared.nearest)
            assert np.sum(similarities) == pytest.approx(total, abs=5.1e-4 * len(similarities))


def test_carouge_marks_words_without_a_vector(tmp_path: Path) -> None:
    from relevance.metrics.models.vectors import FileVectors

    (tmp_path / "vectors.txt").write_text("north 0 1\neast 1 0\n")
    e = example("North zebra, east", "north okapi")
    (score,) = Carouge(references="mean", vectors=FileVectors(tmp_path / "vectors.txt")).score([e])
    page = Page(carouge_html(score.evidence, e))
    assert "similarities add up to 1.500; divided by the summary's 2 words, that is 0.7500." in page.visible
    assert "1 word of the summary without a vector." in page.visible
    kinds = [(where, kinds) for where, kinds, _ in page.kinds if where]
    assert kinds[:3] == [("Summary", {"k-matched"}), ("Summary", {"k-unknown"}), ("Summary", {"k-nearest"})]
    assert kinds[-1] == ("Reference 1", {"k-unknown"})


@pytest.fixture(scope="module")
def apes() -> Apes:
    return Apes("first")


def test_apes(few: list[Example], apes: Apes) -> None:
    for e, score in zip(few, apes.score(few), strict=True):
        if score.value is None:
            assert score.missing is not None
            assert score.missing in evidence_html("apes", e, Explained(None, score.missing, False, None))
            continue
        evidence: ApesEvidence = score.evidence
        page = Page(apes_html(evidence, e))
        right, total, occurs = map(
            int,
            re.findall(r"(\d+) of (\d+) questions? answered .* mentions (\d+) of the right answers", page.visible)[0],
        )
        assert score.value == right / total
        assert score.parts["occurs"] == occurs / total
        assert (page.visible.count("✓ right"), page.visible.count("✗ wrong")) == (right, total - right)
        assert page.texts == [("Summary", e.candidate)]
        for trace in evidence.traces:
            assert trace.question.text.replace("@placeholder", "_____") in page.visible
            assert trace.sentence is None or e.candidate[slice(*trace.sentence)] in page.visible


def test_apes_says_what_became_of_a_question() -> None:
    candidate = "Bob met Anna. Carl left."
    names, carl = ("Bob", "Carl"), Question("@placeholder left.", "Carl", 0)
    doras = [Question("It is @placeholder.", "Dora"), Question("And @placeholder?", "Dora")]
    traces = (
        Trace(carl, "Carl", names, (1.5, 2.5), 1, (14, 18), (14, 24), True, True, 1, 1, 1),
        Trace(doras[0], "Dora", names, (1.0, 0.5), 0, (0, 3), (0, 13), False, False, None, 2, 0),
        Trace(doras[1], "Dora", (), (), None, None, None, False, False, None, 1, 0),
    )
    page = Page(apes_html(ApesEvidence(traces, (), "share"), example(candidate)))
    assert "credit" not in page.visible.lower()
    assert "1 of 3 questions answered rightly; the summary mentions 1 of the right answers." in page.visible
    for name in (
        "_____ left.✓ right: Carlright answer: Carl (from reference 1)read from: Carl left.",
        "It is _____.✗ wrong: Bobright answer: Dora, which the summary does not mention (a question of the data set)",
        "✗ wrong: no answer, the summary mentions no name of the document",
        "candidatescoreCarl2.500Bob1.500",
    ):
        assert name in page.visible
    assert [(kinds, groups) for where, kinds, groups in page.kinds if where] == [
        ({"k-sentence", "k-answer"}, {"g1"}),
        ({"k-sentence"}, {"g1"}),
        ({"k-sentence", "k-answer"}, {"g0"}),
        ({"k-sentence"}, {"g0"}),
    ]


@pytest.mark.parametrize("value", ["graded", "strict"])
def test_credits_count_back_to_the_value(few: list[Example], value: str) -> None:
    shown = 0
    for e, score in zip(few, Apes("first", value=value).score(few), strict=True):
        if score.value is None:
            continue
        page = Page(apes_html(score.evidence, e))
        (total, questions) = re.findall(r"Their credit is ([\d.]+) of (\d+)\.", page.visible)[0]
        credits = list(map(float, re.findall(r"credit (\d[\d.]*):", page.visible)))
        assert len(credits) == int(questions)
        assert sum(credits) == pytest.approx(float(total), abs=5.1e-4 * (len(credits) + 1))
        assert float(total) / len(credits) == pytest.approx(score.value, abs=5.1e-4)
        # each from the counts that stand beside it
        pattern = (
            r"credit ([\d.]+): (?:the right answer is number (\d+) of \d+, and )?the summary has (\d+) of the (\d+)"
        )
        for credit, number, had, words in re.findall(pattern, page.visible):
            assert float(credit) == pytest.approx(int(had) / int(words) / int(number or 1), abs=5.1e-4)
            shown += 1
    assert shown


# --- everything ---------------------------------------------------------------------------------------------


def test_hostile_texts_are_shown_letter_for_letter() -> None:
    e = example(HOSTILE, HOSTILE + " more", HOSTILE, title=HOSTILE, source=HOSTILE)
    for name in ROUGES:
        (score,) = metric(name, references="mean").score([e])
        page = Page(rouge_html(score.evidence, e))
        assert [text for _, text in page.texts] == [HOSTILE, HOSTILE + " more", HOSTILE, HOSTILE]
    (score,) = metric("rouge_k").score([e])
    page = Page(rouge_k_html(score.evidence, e))
    assert [text for _, text in page.texts] == [HOSTILE, HOSTILE + " more", HOSTILE, HOSTILE]
    (score,) = BertScore().score([e])
    page = Page(bertscore_block(score.evidence, score.evidence.matches[1], e))
    assert [text for _, text in page.texts] == [HOSTILE, HOSTILE]
    assert not bertscore_matrix(score.evidence, e).frame.empty
    for important, texts in (("references", e.references), ("tfidf:5", [e.source])):
        (score,) = Carouge(important=important).score([e])
        page = Page(carouge_html(score.evidence, e))
        assert page.texts[0][1] == HOSTILE
        assert page.texts[1][1] in texts
    named = f"Paul Merson criticised Andros Townsend in London. {HOSTILE}"
    (score,) = Apes().score([example(named, named)])
    assert score.value is not None
    page = Page(apes_html(score.evidence, example(named)))
    assert page.texts == [("Summary", named)]
    question = Question(f"{HOSTILE} @placeholder", HOSTILE)
    trace = Trace(question, HOSTILE, (HOSTILE,), (1.0,), 0, (0, 9), (0, 90), False, True, 1, 2, 1)
    page = Page(apes_html(ApesEvidence((trace,), (), "graded"), example(HOSTILE)))
    assert HOSTILE.replace("@placeholder", "_____", 1) in page.visible
    assert Page(novelty_html(HOSTILE, HOSTILE)).texts == [("Summary", HOSTILE), ("Source", HOSTILE)]


words = st.sampled_from(
    ["the", "cats", "cat", "İstanbul", "ﬁn", "e\u0301t", "<b>", "&amp;", "\u202e", "שלום", "👩‍👧", "猫が", "\n"]
)
texts = st.text() | st.lists(words, max_size=8).map(" ".join)


def shown(name: str, e: Example, score: Score) -> str:
    return evidence_html(name, e, Explained(score.value, score.missing, score.truncated, score.evidence))


@given(texts, texts, texts)
@settings(max_examples=300)
def test_any_texts_are_shown_letter_for_letter(candidate: str, reference: str, title: str) -> None:
    e = example(candidate, reference, title=title, source=reference)
    for name in ROUGES:
        for tokenizer in ("ascii", "unicode"):
            (score,) = metric(name, tokenizer=tokenizer).score([e])
            page = Page(shown(name, e, score))
            assert [text for _, text in page.texts] in ([candidate, reference], [])
            assert bool(page.texts) == (score.value is not None)
    (score,) = metric("rouge_k").score([e])
    page = Page(shown("rouge_k", e, score))
    assert [text for _, text in page.texts] in ([candidate, reference, title], [])
    assert [text for _, text in Page(novelty_html(reference, candidate)).texts] in ([candidate, reference], [])


@pytest.mark.parametrize("name", [*METRICS, "unheard_of"])
def test_missing_evidence_is_said_with_its_reason(name: str) -> None:
    page = Page(shown(name, example("a", "b"), Score(None, f"no keywords: {HOSTILE}")))
    assert page.visible.startswith("No evidence: no keywords: Anna <img src=x")
    assert page.texts == []


def test_what_the_blocks_are_laid_out_by() -> None:
    for name in ("evidence", "whole", "name", "legend", "wide", "blank"):
        assert f".{name}" in HIGHLIGHT_STYLE


# --- metrics of others --------------------------------------------------------------------------------------


@st.composite
def matched(draw: st.DrawFn) -> tuple[Example, MatchedEvidence]:
    """An example and evidence that may lie anywhere in its texts."""
    text = st.text(min_size=1, max_size=30) | st.just(HOSTILE)
    first = example(draw(text), *draw(st.lists(text, max_size=3)), source=draw(text))
    there = [None, *range(len(first.references))]

    def span(text: str) -> tuple[int, int]:
        start = draw(st.integers(0, len(text) - 1))
        return start, draw(st.integers(start + 1, len(text)))

    matches = []
    for reference in draw(st.lists(st.sampled_from(there), max_size=6)):
        other = first.source if reference is None else first.references[reference]
        matches.append(TextMatch(span(first.candidate), span(other), reference))
    return first, MatchedEvidence(tuple(matches), draw(st.sampled_from(["", "2 of 5 words", HOSTILE])))


@given(matched())
def test_what_a_metric_of_others_matched_is_marked_in_both_texts(found_files: tuple[Example, MatchedEvidence]) -> None:
    first, evidence = found_files
    check_evidence(evidence, MatchedEvidence, first)
    assert decode_record(MatchedEvidence, json.loads(json.dumps(encode(evidence)))) == evidence
    page = Page(matched_html(evidence, first))
    names = {None: "Source"} | {place: f"Reference {place + 1}" for place in range(len(first.references))}
    texts = {"Summary": first.candidate, "Source": first.source}
    texts |= {names[place]: text for place, text in enumerate(first.references)}
    assert all(text == texts[name] for name, text in page.texts)
    shown = {name for name, _ in page.texts} - {"Summary"}
    assert shown == {names[match.reference] for match in evidence.matches}
    assert ("Nothing was matched" in page.visible) == (not evidence.matches and not evidence.sentence)
    assert len(page.rows) == len(evidence.matches)
    assert ("2 of 5 words." in page.visible) == (evidence.sentence == "2 of 5 words")
    passages = matched_passages(evidence, first)
    most = max((sum(m.reference == place for m in evidence.matches) for place in names), default=0)
    assert [len(marks) for _, marks, _ in passages] == ([most, most] if most else [0])


@pytest.mark.parametrize(
    ("evidence", "wanted", "reason"),
    [
        ((1, 2), MatchedEvidence, "its evidence is a tuple, and a MatchedEvidence is promised"),
        (MatchedEvidence(()), None, "its evidence is a MatchedEvidence, and none is promised"),
        (TextMatch((0, 3), (0, 1), 2), MatchedEvidence, "in reference 2 of 2"),
        (TextMatch((0, 3), (0, 1), -1), MatchedEvidence, "in reference -1 of 2"),
        (TextMatch((0, 4), (0, 1)), MatchedEvidence, "from 0 to 4 in the summary, which has 3 characters"),
        (TextMatch((2, 2), (0, 1)), MatchedEvidence, "from 2 to 2 in the summary"),
        (TextMatch((0, 1), (0, 9), 1), MatchedEvidence, "from 0 to 9 in reference 1, which has 2 characters"),
        (TextMatch((0, 1), (3, 9), None), MatchedEvidence, "from 3 to 9 in the source, which has 6 characters"),
    ],
)
def test_evidence_outside_the_texts_or_of_another_type_is_refused(
    evidence: object, wanted: type | None, reason: str
) -> None:
    first = example("abc", "x", "yz", source="source")
    with pytest.raises(ValueError, match=re.escape(reason)):
        check_evidence(MatchedEvidence((evidence,)) if isinstance(evidence, TextMatch) else evidence, wanted, first)


def test_what_summaries_have_is_said_in_the_metrics_own_words() -> None:
    first = example("a b", "a")
    counted, silent = MatchedEvidence((), "1 of 2 words"), MatchedEvidence((TextMatch((0, 1), (0, 1)),))
    assert describe_matched([Seen("A", first, counted), Seen("B", first, silent)]) == ["A: 1 of 2 words; B: 1 match."]
    assert describe_matched([Seen("A", first, silent), Seen("B", first, silent)]) == [
        "A has 1 match and B has 1 match."
    ]
    assert describe_matched([Seen("A", first, None)]) == []
