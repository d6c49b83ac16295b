"""APES as a whole, with the embedded parts."""

import json
from collections import Counter
from dataclasses import replace
from itertools import compress

import numpy as np
import pytest

from relevance.analysis.agreement.counts import count_agreement, within_document_pairs
from relevance.analysis.correlation.levels import correlate
from relevance.analysis.trials import hold_trials, summarize_trials
from relevance.data.importers import read_documents
from relevance.data.records import ClozeQuestion, Document, Example, Summary, make_examples
from relevance.metrics.apes import Apes
from relevance.metrics.apes.assessors import score_by_assessor
from relevance.metrics.apes.base import BLANK, Answer, Question
from relevance.metrics.apes.conditions import conditions, interchange, shuffle
from relevance.metrics.apes.metric import VALUES, Trace, question_credit, rank, total_credit
from relevance.metrics.apes.questions import make_quiz
from relevance.metrics.base import Score
from relevance.metrics.rouge import RougeN
from relevance.metrics.scoring import NoRatings

pytestmark = pytest.mark.model

REFERENCE = "Paul Merson criticised Andros Townsend in London. Roy Hodgson defended Townsend."
EXAMPLE = Example("d", "s", REFERENCE, (REFERENCE,), None, "")


@pytest.fixture(scope="module")
def apes() -> Apes:
    return Apes()


def score(apes: Apes, **changes: object) -> Score:
    return apes.score([replace(EXAMPLE, **changes)])[0]


def test_a_reference_answers_its_own_questions(apes):
    scored = score(apes)
    assert scored.value == 1
    # Merson, Townsend, London; Hodgson, Townsend
    assert scored.parts == {"questions": 5, "right": 5, "occurs": 1}
    assert [trace.question.answer for trace in scored.evidence.traces] == [
        "Paul Merson", "Andros Townsend", "London", "Roy Hodgson", "Townsend",
    ]  # fmt: skip


def test_interchanged_names_mislead_the_reader_but_occur(apes):
    scored = score(
        apes, candidate="andros townsend criticised paul merson in london . paul merson defended roy hodgson ."
    )
    assert scored.parts["occurs"] == 1
    assert scored.value <= 0.6  # London stands where it stood
    assert not any(trace.is_right for trace in scored.evidence.traces[3:])  # who defended whom


@pytest.mark.parametrize("write", [str, str.lower], ids=["cased", "lower case"])
class TestTextsOfTheFormOfTheFigures:
    """Made texts of the form of the figures of Eyal et al. 2019, which are printed in lower case."""

    def test_six_questions_of_three_sentences(self, apes, write):
        """Figure 3: six questions, each of one sentence and not of the whole text."""
        reference = write(
            "Police in Boston arrested Maria Gomez on Friday . Her brother drove to Denver in the night . "
            "The mayor of Chicago called Tom Reed , who works for Google ."
        )
        scored = score(apes, references=(reference,), candidate=reference)
        first, second, third = (part.strip() + " ." for part in reference[:-1].split(" . "))
        expected = [
            first.replace(write("Boston"), BLANK),
            first.replace(write("Maria Gomez"), BLANK),
            second.replace(write("Denver"), BLANK),
            third.replace(write("Chicago"), BLANK),
            third.replace(write("Tom Reed"), BLANK),
            third.replace(write("Google"), BLANK),
        ]
        assert [trace.question.text for trace in scored.evidence.traces] == expected
        assert scored.value == 1

    @pytest.mark.parametrize(
        ("reference", "candidates"),
        [
            (
                "Maria Lopez beat Anna Berg in Madrid.",
                ["Anna Berg lost in the end.", "Madrid was hot.", "Maria Lopez beat Anna Berg in Madrid by a point."],
            ),
            (
                "Angela Merkel met Barack Obama in Berlin.",
                ["Barack Obama met reporters.", "Berlin welcomed all.", "In Berlin, Angela Merkel met Barack Obama."],
            ),
            (
                "Storms hit Texas on Tuesday. Governor Greg Abbott asked Washington for help.",
                [
                    "Storms hit Kansas on Tuesday. Governor Greg Abbott was asked for help.",
                    "Storms hit Texas on Tuesday. The governor asked for help.",
                    "After storms hit Texas, Governor Greg Abbott asked Washington for help.",
                ],
            ),
        ],
    )
    def test_three_summaries_of_one_third_one_third_and_one(self, apes, write, reference, candidates):
        """Figure 1: two summaries that answer one of three questions, and one that answers all."""
        values = [score(apes, references=(write(reference),), candidate=write(each)).value for each in candidates]
        assert values == pytest.approx([1 / 3, 1 / 3, 1])


def test_a_summary_without_an_entity_is_wrong_not_missing(apes):
    scored = score(apes, candidate="somebody criticised somebody")
    assert scored.value == 0
    assert scored.parts["occurs"] == 0
    assert all(trace.chosen is None and not trace.is_right for trace in scored.evidence.traces)


@pytest.mark.parametrize(
    ("references", "reason"),
    [
        ((), "no questions: there is no reference"),
        (("nothing has a name here",), "no questions: the references mention no entity"),
    ],
)
def test_without_questions_the_score_is_missing(apes, references, reason):
    assert score(apes, references=references) == Score(None, reason)


def test_questions_of_the_data_set_take_the_place_of_those_made(apes):
    given = (ClozeQuestion("@placeholder criticised Townsend", "Merson"),)
    scored = score(apes, questions=given)
    assert scored.parts["questions"] == 1
    assert scored.value == 1


def test_the_first_references_questions_alone():
    other = "Ann Lee met Bo Derek in Oslo."
    both = replace(EXAMPLE, references=(REFERENCE, other))
    assert Apes("first").score([both])[0].parts["questions"] == 5
    assert Apes().score([both])[0].parts["questions"] == 8


def test_evidence_tells_where_the_answer_was_read(apes):
    text = "roy hodgson was there . paul merson criticised andros townsend in london ."
    for trace in score(apes, candidate=text).evidence.traces:
        start, end = trace.span
        assert text[start:end] in {"roy hodgson", "paul merson", "andros townsend", "london"}
        assert trace.sentence[0] <= start < end <= trace.sentence[1]
        assert trace.scores[trace.chosen] == max(trace.scores)
        assert trace.is_right == (trace.candidates[trace.chosen] == trace.right)


def test_what_a_question_earns():
    question = Question("@placeholder met Anna in Rome", "Bob")

    def trace(is_right: bool, rank: int | None, words: int = 4, shared: int = 2) -> Trace:
        return Trace(question, "Bob", ("Bob",), (1.0,), 0, None, None, is_right, rank is not None, rank, words, shared)

    # 2 of 4 words are shared; the right answer comes first, third, or is not among the candidates
    for given, credits in {
        trace(True, 1): (1, 0.5, 0.5),
        trace(False, 3): (0, 0.5 / 3, 0),
        trace(False, None): (0, 0, 0),
        trace(True, 1, 0, 0): (1, 1, 1),  # a question of its blank alone
    }.items():
        assert tuple(question_credit(given, value) for value in ("share", "graded", "strict")) == pytest.approx(credits)


def test_graded_and_strict_values_are_counted_from_words_and_ranks():
    # Asked: _ criticised Andros Townsend in London; Paul Merson criticised _ in London; ... in _.
    text = "Merson criticised the coach."
    scores = {value: score(Apes(value=value, types=("person",)), candidate=text) for value in VALUES}
    traces = scores["share"].evidence.traces
    assert [(t.words, t.shared, t.rank) for t in traces] == [
        (5, 1, 1),  # criticised, of: criticised andros townsend in london
        (5, 2, None),  # merson criticised, of: paul merson criticised in london
        (2, 0, None),  # defended townsend
        (3, 0, None),  # roy hodgson defended
    ]
    assert scores["share"].value == 1 / 4
    assert scores["graded"].value == scores["strict"].value == pytest.approx((1 / 5) / 4)
    assert len({Apes(value=value).signature for value in VALUES}) == 3


def test_a_reader_that_saw_no_candidate_gives_no_rank():
    assert rank(Answer(1, (0.5, 0.9, 0.5), (0, 1)), 0) == 2  # equal scores share the better place
    assert rank(Answer(1, (0.5, 0.9, 0.5), (0, 1)), 1) == 1
    assert rank(Answer(0, (-4.0, -4.0), (0, 1), seen=False), 0) is None


def test_graded_values_of_summeval(shared_data):
    """First reference, 1,600 summaries.

    By the entity finder before it learned teams: share .228 / .165 / .738, .543; graded .286 / .253 / .658, .589, ties
    .10; strict .271 / .222 / .696, .579, ties .17.
    """
    records = list(read_documents(shared_data / "summeval.jsonl", None, lambda message: None))
    several = [example for document, summaries in records for example in make_examples(document, summaries)]
    relevance = [summary.human["relevance"] for _, summaries in records for summary in summaries]
    documents, systems = zip(*((example.document_id, example.system) for example in several), strict=True)
    traces = [scored.evidence.traces for scored in Apes("first").score(several)]
    first, second = within_document_pairs(documents)
    human = np.array(relevance)
    for value, pearson, half, tied in (
        ("share", (0.201, 0.146, 0.725), 0.536, 0.479),
        ("graded", (0.268, 0.248, 0.644), 0.591, 0.106),
        ("strict", (0.252, 0.217, 0.680), 0.581, 0.172),
    ):
        values = np.array([total_credit(each, value) / len(each) for each in traces])
        levels = correlate(relevance, values, documents, systems)
        assert [level.r for level in levels] == pytest.approx(pearson, abs=1.5e-3)
        counts = count_agreement(human[first] - human[second], values[first] - values[second])
        assert counts.half == pytest.approx(half, abs=1e-3)
        assert counts.tied / counts.pairs == pytest.approx(tied, abs=6e-3)


def test_an_entity_is_asked_for_once_a_sentence():
    reference = "Townsend said that Townsend had left. Townsend left."
    answers = [t.question.span for t in score(Apes(), references=(reference,)).evidence.traces]
    once = [t.question.span for t in score(Apes(ask="entities"), references=(reference,)).evidence.traces]
    assert answers == [(0, 8), (19, 27), (38, 46)]
    assert once == [(0, 8), (38, 46)]
    assert "|ask:entities|" in Apes(ask="entities").signature


def test_types_and_options_out_of_range():
    assert [t.question.answer for t in score(Apes(types=("place",))).evidence.traces] == ["London"]
    with pytest.raises(ValueError, match="questions must be one of all, first"):
        Apes("some")
    with pytest.raises(ValueError, match="types must be one of facility, group"):
        Apes(types=("city",))
    with pytest.raises(ValueError, match="value must be one of share, graded, strict"):
        Apes(value="mean")
    with pytest.raises(ValueError, match="ask must be one of mentions, entities"):
        Apes(ask="nobody")
    with pytest.raises(ValueError, match="unknown reader"):
        Apes(reader="oracle")
    with pytest.raises(ValueError, match="no entity finder"):
        Apes(entities="crystal-ball")


def test_the_signature_names_every_part(apes):
    name, *options, version = apes.signature.split("|")
    assert name == "apes"
    assert [option.split(":")[0] for option in options] == [
        "questions", "entities", "types", "ask", "reader", "credit",
    ]  # fmt: skip
    assert version.startswith("version:")
    assert "all-MiniLM-L6-v2@53aa5117" in apes.signature


def test_a_missing_model_is_named_in_the_signature_and_fails_when_asked_for():
    apes = Apes(reader="extractive:/nowhere")
    assert "unavailable" in apes.signature
    with pytest.raises(ValueError, match="/nowhere"):
        apes.score([EXAMPLE])


def test_interchanging_moves_every_name(apes):
    (mentions,) = apes.mentions([REFERENCE])
    quiz = make_quiz([(REFERENCE, mentions)], [], apes.types)
    import random

    for seed in range(20):
        text = interchange(REFERENCE, quiz, random.Random(seed))
        assert sorted(text.replace(".", "").split()) == sorted(REFERENCE.replace(".", "").split())
        assert not text.startswith("Paul Merson")
        assert "in London." not in text
    assert interchange("Townsend met Townsend.", quiz, random.Random(0)) is None


def test_shuffling_keeps_the_words_and_their_counts():
    import random

    shuffled = {shuffle(REFERENCE, random.Random(seed)) for seed in range(5)}
    assert len(shuffled) == 5
    assert all(Counter(text.split()) == Counter(REFERENCE.split()) for text in shuffled)


def test_conditions_rank_texts_as_they_deserve(shared_data):
    records = list(read_documents(shared_data / "summeval.jsonl", None, lambda message: None))[:12]
    rows = {row.name: row for row in conditions(Apes("first"), records)}
    # interchanged names are the harsher control: what is said of each is wrong, where words without order still help
    assert rows["gold"].apes > rows["source"].apes > rows["shuffled gold"].apes > rows["interchanged gold"].apes
    assert rows["gold"].apes > rows["lead-3"].apes > rows["interchanged gold"].apes
    assert rows["gold"].apes >= 0.85
    assert rows["gold"].occurs > 0.95
    assert len(rows) == 5 + 16
    for row in rows.values():
        assert row.apes <= row.occurs
        assert row.salient <= row.entities
        assert row.density == pytest.approx(row.salient / row.entities)
        assert 0 <= row.zero <= 1 - row.perfect
        assert row.sd is None
        assert 0 <= row.rouge2 <= row.rouge1 <= 1
    # a reference against itself, and with its words in another order
    assert rows["gold"][-3:] == (1, 1, 1)
    assert rows["shuffled gold"].rouge1 == 1 > rows["shuffled gold"].rougeL > rows["shuffled gold"].rouge2
    assert rows["interchanged gold"].rouge1 == 1 > rows["interchanged gold"].rougeL


def test_columns_of_the_conditions_are_counted_from_scores():
    """Two documents with 1 and 4 questions: means of the documents' shares, and shares of all questions, differ."""
    document = Document("one", "", ("Ann Lee lives in a house.",))  # asks for Ann Lee
    four = Document("four", "", (REFERENCE,))  # asks for Merson, Townsend, Hodgson and Townsend, of types=person
    notes = [Summary("one", "s", "Ann Lee lives in a house."), Summary("four", "s", "Somebody was criticised.")]
    rows = conditions(Apes(types=("person",)), [(document, notes[:1]), (four, notes[1:])])
    (row,) = (row for row in rows if row.name == "s")
    assert (row.n, row.apes, row.micro, row.perfect, row.zero) == (2, 1 / 2, 1 / 5, 1 / 2, 1 / 2)
    assert (row.questions, row.entities, row.salient, row.density) == (2.5, 0.5, 0.5, 1)


def test_conditions_of_several_seeds_are_means_with_their_spread(shared_data):
    records = list(read_documents(shared_data / "summeval.jsonl", None, lambda message: None))[:4]
    records = [(document, []) for document, _ in records]
    apes = Apes("first")
    single = [{row.name: row for row in conditions(apes, records, seed)} for seed in (3, 4, 5)]
    together = {row.name: row for row in conditions(apes, records, seed=3, seeds=3)}
    for name in ("shuffled gold", "interchanged gold"):
        values = [rows[name].apes for rows in single]
        assert together[name].apes == pytest.approx(np.mean(values))
        assert together[name].sd == pytest.approx(np.std(values, ddof=1))
        assert together[name].sd > 0
    for name in ("source", "gold", "lead-3"):
        assert together[name] == single[0][name]


def test_conditions_ask_the_questions_of_the_data_set():
    given = (ClozeQuestion("@placeholder criticised Townsend", "Merson"),)
    rows = conditions(Apes(), [(Document("d", REFERENCE, (REFERENCE,), questions=given), [])])
    assert {row.name: (row.questions, row.apes) for row in rows}["gold"] == (1, 1)


def test_trials_take_one_reference_at_a_time(shared_data):
    records = list(read_documents(shared_data / "summeval.jsonl", None, lambda message: None))[:6]
    apes = Apes()
    result = hold_trials(score_by_assessor(apes, records, "relevance"), "relevance")
    assert len(result) == 11 * 4
    # the same by hand: the fourth reference alone, through the metrics themselves
    several = [replace(e, references=e.references[3:4]) for d, s in records for e in make_examples(d, s)]
    relevance = [summary.human["relevance"] for _, summaries in records for summary in summaries]
    questions = [score.value is not None for score in apes.score(several)]  # some references name nobody
    several, relevance = (list(compress(column, questions)) for column in (several, relevance))
    documents, systems = zip(*((e.document_id, e.system) for e in several), strict=True)
    for metric in (apes, RougeN(2)):
        (own,) = (trial for trial in result if trial.metric == metric.name and trial.reference == 4)
        assert own.n == len(several)
        levels = correlate(relevance, [each.value for each in metric.score(several)], documents, systems)
        assert own[3:6] == pytest.approx([level.r for level in levels])
    for spread in summarize_trials(result):
        pooled = [trial.pooled for trial in result if trial.metric == spread.metric]
        assert (spread.trials, spread.means[0], spread.sds[0]) == pytest.approx(
            (11, np.mean(pooled), np.std(pooled, ddof=1))
        )
    with pytest.raises(NoRatings, match="there are no human ratings of 'beauty'; there are "):
        next(score_by_assessor(apes, records, "beauty"))


def test_a_reference_that_stands_as_a_system_judges_no_trial():
    texts = (REFERENCE, "Merson criticised Townsend.")
    systems = {"reference:1": REFERENCE, "s": "Townsend was criticised."}
    summaries = [Summary("d", name, text, {"relevance": 1.0}) for name, text in systems.items()]
    result = hold_trials(score_by_assessor(Apes(), [(Document("d", "", texts), summaries)], "relevance"), "relevance")
    assert {trial.reference for trial in result} == {2}


@pytest.mark.smoke
def test_the_value_is_counted_from_the_evidence(shared_data):
    apes = Apes("first")
    records = list(read_documents(shared_data / "summeval.jsonl", None, lambda message: None))[20:23]
    several = [example for document, summaries in records for example in make_examples(document, summaries)]
    for example, scored in zip(several, apes.score(several), strict=True):
        traces = scored.evidence.traces
        assert scored.value == sum(trace.is_right for trace in traces) / len(traces)
        for name, spans in scored.evidence.mentions:
            assert spans, name
            assert all(example.candidate[a:b].strip() == example.candidate[a:b] != "" for a, b in spans)


def test_a_score_does_not_depend_on_its_batch(shared_data):
    records = list(read_documents(shared_data / "summeval.jsonl", None, lambda message: None))[30:32]
    several = [example for document, summaries in records for example in make_examples(document, summaries)]
    together = Apes("first").score(several)
    assert [score.value for score in together] == [Apes("first").score([example])[0].value for example in several]


def test_a_document_without_a_source_or_systems_has_its_conditions():
    (row, *others) = conditions(Apes(), [(Document("d", "", (REFERENCE,)), [Summary("d", "x", "Merson .")])])
    assert row.name == "gold"
    assert row.apes == 1
    assert {other.name for other in others} == {"shuffled gold", "interchanged gold", "x"}
    assert json.dumps(row)
