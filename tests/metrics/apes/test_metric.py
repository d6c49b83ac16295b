"""APES as a whole, with the embedded parts."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from data.importers import read
from data.records import ClozeQuestion, Document, Example, Summary, examples
from metrics.apes import Apes
from metrics.apes.conditions import conditions, shuffle
from metrics.apes.questions import make_quiz
from metrics.base import Score

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
    assert scored.value < 0.5


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


def test_types_and_options_out_of_range():
    assert [t.question.answer for t in score(Apes(types=("place",))).evidence.traces] == ["London"]
    with pytest.raises(ValueError, match="questions must be one of all, first"):
        Apes("some")
    with pytest.raises(ValueError, match="types must be one of facility, group"):
        Apes(types=("city",))
    with pytest.raises(ValueError, match="unknown reader"):
        Apes(reader="oracle")
    with pytest.raises(ValueError, match="no entity finder"):
        Apes(entities="crystal-ball")


def test_the_signature_names_every_part(apes):
    name, *options, version = apes.signature.split("|")
    assert name == "apes"
    assert [option.split(":")[0] for option in options] == ["questions", "entities", "types", "reader", "sentences"]
    assert version.startswith("version:")
    assert "all-MiniLM-L6-v2@53aa5117" in apes.signature


def test_a_missing_model_is_named_in_the_signature_and_fails_when_asked_for():
    apes = Apes(reader="extractive:/nowhere")
    assert "unavailable" in apes.signature
    with pytest.raises(ValueError, match="/nowhere"):
        apes.score([EXAMPLE])


def test_shuffling_moves_every_name(apes):
    (mentions,) = apes.mentions([REFERENCE])
    quiz = make_quiz([(REFERENCE, mentions)], [], apes.types)
    import random

    for seed in range(20):
        text = shuffle(REFERENCE, quiz, random.Random(seed))
        assert sorted(text.replace(".", "").split()) == sorted(REFERENCE.replace(".", "").split())
        assert not text.startswith("Paul Merson")
        assert "in London." not in text
    assert shuffle("Townsend met Townsend.", quiz, random.Random(0)) is None


def test_conditions_rank_texts_as_they_deserve(shared_data):
    records = list(read(shared_data / "summeval.jsonl", None, lambda message: None))[:12]
    rows = {row.name: row for row in conditions(Apes("first"), records)}
    assert rows["gold"].apes > rows["source"].apes > rows["shuffled gold"].apes
    assert rows["gold"].apes > rows["lead-3"].apes > rows["shuffled gold"].apes
    assert rows["gold"].apes >= 0.85
    assert rows["gold"].occurs > 0.95
    assert len(rows) == 4 + 16
    for row in rows.values():
        assert row.apes <= row.occurs
        assert row.salient <= row.entities


def test_the_value_is_counted_from_the_evidence(shared_data):
    apes = Apes("first")
    records = list(read(shared_data / "summeval.jsonl", None, lambda message: None))[20:23]
    several = [example for document, summaries in records for example in examples(document, summaries)]
    for example, scored in zip(several, apes.score(several), strict=True):
        traces = scored.evidence.traces
        assert scored.value == sum(trace.is_right for trace in traces) / len(traces)
        for name, spans in scored.evidence.mentions:
            assert spans, name
            assert all(example.candidate[a:b].strip() == example.candidate[a:b] != "" for a, b in spans)


def test_a_score_does_not_depend_on_its_batch(shared_data):
    records = list(read(shared_data / "summeval.jsonl", None, lambda message: None))[30:32]
    several = [example for document, summaries in records for example in examples(document, summaries)]
    together = Apes("first").score(several)
    assert [score.value for score in together] == [Apes("first").score([example])[0].value for example in several]


def test_a_document_without_a_source_or_systems_has_its_conditions():
    (row, *others) = conditions(Apes(), [(Document("d", "", (REFERENCE,)), [Summary("d", "x", "Merson .")])])
    assert row.name == "gold"
    assert row.apes == 1
    assert {other.name for other in others} == {"shuffled gold", "x"}
    assert json.dumps(row)
