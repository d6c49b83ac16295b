"""Systems beside the bound, and what an extract covers: against plain counters, the problem of the searches, others."""

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from relevance.data.demo import FILE
from relevance.data.importers import read_documents
from relevance.data.records import Document, Summary
from relevance.metrics.text import Reading, rouge_words
from relevance.summarizers.base import REFERENCE_LENGTH, SummaryLength
from relevance.summarizers.lead import Lead
from relevance.summarizers.oracles import DEFINITIONS, REFERENCE_RULES, Oracle, Problem, Target, find_extract
from relevance.summarizers.oracles.coverage import coverage
from relevance.summarizers.oracles.evaluation import OracleRow, OracleTask, evaluate
from relevance.summarizers.oracles.standing import (
    Standing,
    bounds_of,
    counted_references,
    has_bound,
    judged_all,
    score_systems,
    score_text,
    sentences_in,
    standings_of,
)
from relevance.summarizers.sentences import sentences_of, split_sentences

ONE = Target()


def text_f1(text, references, target=ONE, source=()):
    return score_text(text, counted_references(references, target), target, source)


TARGETS = [Target(n, definition, rule) for n in (1, 2) for definition in DEFINITIONS for rule in REFERENCE_RULES]


def records():
    return list(read_documents(FILE, "interchange"))


texts = st.lists(st.sampled_from(["a", "b", "Dogs", "dog", "e-f", "ß", "a. B", "!"]), max_size=9).map(" ".join)


def brute(text, references, target):
    """F1 by plain counters of n-grams inside sentences."""

    def ngrams(sentences):
        counts = Counter()
        for sentence in sentences:
            words = rouge_words(sentence, Reading(target.tokenizer))
            counts.update(words[start : start + target.n] for start in range(len(words) - target.n + 1))
        return counts if target.definition == "clipped" else Counter(set(counts))

    wanted = references[:1] if target.references == "first" else references
    kept = [ngrams([item]) for item in wanted if rouge_words(item, Reading(target.tokenizer))]
    if not kept or not rouge_words(text, Reading(target.tokenizer)):
        return None
    ours = ngrams(split_sentences(text))
    return max(
        2 * (ours & theirs).total() / (ours.total() + theirs.total()) if (ours & theirs) else 0.0 for theirs in kept
    )


@given(text=texts, references=st.lists(texts, max_size=3), target=st.sampled_from(TARGETS))
def test_a_text_is_counted_as_by_plain_counters(text, references, target):
    assert text_f1(text, references, target) == pytest.approx(brute(text, references, target), abs=1e-15)


def test_counted_by_hand():
    # "red cars" and "cars red": 2 of 2 and 2 words match; no pair of words does, as they meet in no order
    assert text_f1("Red cars.", ["Cars red."]) == 1
    assert text_f1("Red cars.", ["Cars red."], Target(2)) == 0
    # the pair "cars stop" goes across the end of a sentence, and does not count: 2 pairs of 1 + 3
    assert text_f1("Red cars. Stop there.", ["Red cars stop there."], Target(2)) == pytest.approx(2 * 2 / (2 + 3))
    # red, red, cars: clipped 2 of 3 and 2 words, as a set 2 of 2 and 2
    assert text_f1("Red red cars", ["red cars"]) == pytest.approx(2 * 2 / (3 + 2))
    assert text_f1("Red red cars", ["red cars"], Target(definition="set")) == 1
    assert text_f1("red", ["blue", "red"]) == 1
    assert text_f1("red", ["blue", "red"], Target(references="first")) == 0
    assert text_f1("red", ["red"], Target(2)) == 0  # no pair of words is there to be compared


def test_an_extract_has_the_sentences_of_its_source():
    source = ["He was 27.", "He left", "It rained.", "He was 27."]
    assert sentences_in("He was 27. He left It rained.", source) == source[:3]
    assert sentences_in(" He left He was 27.\n", source) == [source[1], source[3]]
    assert sentences_in("It rained. He left", source) == [source[2], source[1]]  # by rank, say
    assert sentences_in("It rained. He slept", source) == split_sentences("It rained. He slept")
    assert sentences_in("He leftover", source) == ["He leftover"]
    assert sentences_in("", source) == []
    # split as a text it has one sentence, and the pair "left it" across the end of one
    assert text_f1("He left It rained.", ["left it"], Target(2)) > 0
    assert text_f1("He left It rained.", ["left it"], Target(2), source) == 0


def test_sentences_that_begin_like_others():
    source = ("The cat.", "The cat. sat on", "Dr. Smith went home", "to the big house.")
    document = Document("d", source, ("smith went home to the dog the cat sat",))
    optimum = find_extract(document, Target(2))
    assert text_f1(optimum.text, document.references, Target(2), source) == optimum.solution.f1
    for places in permutations(range(4), 3):
        taken = [source[place] for place in places]
        assert sentences_in(" ".join(taken), source) == taken


@pytest.mark.parametrize(("text", "references"), [("red", []), ("red", ["..."]), ("...", ["red"]), ("", ["red"])])
def test_what_has_no_token_has_no_score(text, references):
    assert text_f1(text, references) is None


def test_clipped_rouge_1_is_that_of_rouge_score():
    scorer = RougeScorer(["rouge1"], use_stemmer=True)
    for document, summaries in records():
        for summary in summaries:
            theirs = max(scorer.score(reference, summary.text)["rouge1"].fmeasure for reference in document.references)
            assert text_f1(summary.text, document.references) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.exhaustive
def test_clipped_rouge_1_of_summeval_is_that_of_rouge_score(shared_data):
    scorer = RougeScorer(["rouge1"], use_stemmer=True)
    for document, summaries in list(read_documents(shared_data / "summeval.jsonl", "interchange"))[:5]:
        for summary in summaries:
            theirs = max(scorer.score(reference, summary.text)["rouge1"].fmeasure for reference in document.references)
            assert text_f1(summary.text, document.references) == pytest.approx(theirs, abs=1e-12)


# --- systems beside the bound -----------------------------------------------------------------------------------


def row(document_id, f1, bound=None, algorithm="exact"):
    return OracleRow(document_id, algorithm, f1, (0,), 0, bound, bound is not None and bound - f1 <= 1e-6, 0.1)


RED = Document("red", "Red cars stop. They are old.", ("red cars",))
BLUE = Document("blue", "Blue boats sail.", ("blue boats sail",))
NONE = Document("none", "Blue boats sail.", ("...",))


def test_standings_by_hand():
    records = [
        (RED, [Summary("red", "own", "red cars"), Summary("red", "copy", "Red cars stop.")]),
        (BLUE, [Summary("blue", "copy", "Blue boats sail."), Summary("blue", "own", "ships")]),
        (NONE, [Summary("none", "lost", "ships")]),
    ]
    rows = (row("red", 0.8, 0.8), row("red", 0.7, algorithm="greedy"), row("blue", 0.5, 1.0))
    standings = standings_of(judged_all(records, ONE), rows)
    # red: the best extract "Red cars stop." has 2 of 3 and 2 words, .8; blue's optimum is not proven, so its bound is 1
    assert standings == [
        Standing(
            "copy", 2, pytest.approx(0.9), pytest.approx(0.9), pytest.approx(1), pytest.approx(0), above=0, words=3
        ),
        Standing(
            "own",
            2,
            pytest.approx(0.5),
            pytest.approx(0.9),
            pytest.approx(5 / 9),
            pytest.approx(0.4),
            above=1,
            words=1.5,
        ),
    ]


def test_only_documents_with_an_exact_row_count():
    records = [(document, [Summary(document.id, "copy", "red")]) for document in (RED, BLUE)]
    (result,) = standings_of(judged_all(records, ONE), [row("red", 0.8, 0.8)])
    assert (result.documents, result.mean) == (1, pytest.approx(2 / 3))  # red: 1 of 1 and 2 words
    assert standings_of(judged_all(records, ONE), [row("red", 0.8, algorithm="greedy")]) == []
    (result,) = standings_of(judged_all(records[:1], ONE), [row("red", 0.0, 0.0)])
    assert (result.share, result.above) == (None, 1)


def test_references_that_stand_as_systems_are_left_out():
    summaries = [Summary("red", "reference:1", "red cars"), Summary("red", "title", "red"), Summary("red", "x", "cars")]
    assert list(score_systems(RED, summaries, Target())) == ["title", "x"]


def test_a_summary_that_is_one_of_several_references_is_left_out():
    document = Document("d", "Red cars. Blue cars.", ("Red cars.", "Blue cars."))
    summaries = [Summary("d", "human", "red cars"), Summary("d", "x", "cars")]
    assert list(score_systems(document, summaries, Target())) == ["x"]
    assert list(score_systems(Document("d", "Red cars.", ("Red cars.",)), summaries, Target())) == ["human", "x"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("target", TARGETS)
def test_no_extract_is_above_the_bound_and_the_oracle_is_at_it(target):
    documents = [document for document, _ in records()][:8]
    oracle = Oracle("exact", target)
    summaries = {item.document_id: item for item in oracle.summarize(documents)}
    leads = {item.document_id: item for item in Lead(SummaryLength(2)).summarize(documents)}
    both = [
        (document, [result[document.id] for result in (summaries, leads) if document.id in result])
        for document in documents
    ]
    evaluation = evaluate(documents, OracleTask(target, ("exact",)), processes=0)
    scores_of = judged_all(both, target)
    best, lead = standings_of(scores_of, evaluation.rows)
    assert (best.system, lead.system) == (oracle.name, "lead-2")
    assert best.share == pytest.approx(1, abs=1e-9)
    assert best.above == lead.above == 0
    assert best.documents == lead.documents == len(documents)
    # each as the problem of the searches scores it
    for row in evaluation.rows:
        (document,) = [document for document in documents if document.id == row.document_id]
        assert scores_of[oracle.name][document.id].f1 == pytest.approx(row.f1, abs=1e-12)
        sentences = sentences_of(document)
        references = document.references[:1] if target.references == "first" else document.references
        scores = [
            Problem(sentences, item, target.n, target.definition).f1(range(min(2, len(sentences))))
            for item in references
        ]
        assert scores_of["lead-2"][document.id].f1 == pytest.approx(max(scores), abs=1e-12)


def test_a_bound_is_the_proven_optimum_or_what_is_not_exceeded():
    rows = [row("a", 0.5, 0.5 + 1e-7), row("b", 0.5, 0.75), row("a", 0.4, algorithm="vns")]
    assert bounds_of(rows) == {"a": 0.5, "b": 0.75}


@pytest.mark.parametrize(
    ("document", "target", "length", "has"),
    [
        (RED, Target(), None, True),
        (NONE, Target(), None, False),
        (Document("d", (" ", ""), ("red",)), Target(), None, False),
        (Document("d", ("Red.",), ("...", "red")), Target(), SummaryLength(1), True),
        (Document("d", ("Red.",), ("...", "red")), Target(references="first"), None, False),
        (Document("d", ("Red.",), ("...", "red")), Target(), REFERENCE_LENGTH, True),
    ],
)
def test_who_has_a_bound_is_whom_the_searches_answer(document, target, length, has):
    assert has_bound(document, target, length) is has
    assert bool(evaluate([document], OracleTask(target, ("greedy",), length), processes=0).rows) is has


# --- what an extract covers -------------------------------------------------------------------------------------


@given(
    sentences=st.lists(texts, min_size=1, max_size=4),
    reference=texts,
    chosen=st.sets(st.integers(0, 3)),
    n=st.integers(1, 2),
    definition=st.sampled_from(DEFINITIONS),
)
def test_the_f1_is_counted_back_from_what_is_covered(sentences, reference, chosen, n, definition):
    places = sorted(place for place in chosen if place < len(sentences))
    result = coverage(sentences, places, reference, Target(n, definition))
    sizes = result.in_extract + result.in_reference
    f1 = 2 * result.matched / sizes if result.matched else 0.0
    assert f1 == pytest.approx(Problem(sentences, reference, n, definition).f1(places), abs=1e-15)
    ours = [place for of_sentence in result.extract.values() for place in of_sentence]
    assert list(result.extract) == places
    words = rouge_words(reference, Reading("ascii"))
    assert len(result.covered) + len(result.missed) == max(0, len(words) - n + 1)
    if definition == "clipped":
        assert len(ours) == len(result.covered) == result.matched
        assert Counter(place.ngram for place in ours) == Counter(place.ngram for place in result.covered)
    else:
        assert len({place.ngram for place in ours}) == len({place.ngram for place in result.covered}) == result.matched
        assert not {place.ngram for place in result.covered} & {place.ngram for place in result.missed}


def test_places_are_those_of_the_words():
    sentences = ["Dogs bark.", "A dog, a cat."]
    result = coverage(sentences, [1], "a dog a bird", Target())
    assert [sentences[1][slice(*place.span)] for place in result.extract[1]] == ["A", "dog", "a"]
    assert ["a dog a bird"[slice(*place.span)] for place in result.missed] == ["bird"]
    result = coverage(sentences, [1], "a dog a bird", Target(2))
    assert [sentences[1][slice(*place.span)] for place in result.extract[1]] == ["A dog", "dog, a"]
    # set: both occurrences of "a" are places, and count once
    result = coverage(sentences, [1], "a dog a bird", Target(definition="set"))
    assert [sentences[1][slice(*place.span)] for place in result.extract[1]] == ["A", "dog", "a"]
    assert (result.matched, result.in_extract, result.in_reference) == (2, 3, 3)


@pytest.mark.exhaustive
def test_what_an_optimum_covers_is_its_f1():
    for document, _ in records():
        for target in TARGETS:
            result = find_extract(document, target)
            chosen, reference = result.solution.sentences, document.references[result.reference]
            covered = coverage(sentences_of(document), chosen, reference, target)
            f1 = 2 * covered.matched / (covered.in_extract + covered.in_reference) if covered.matched else 0.0
            assert f1 == pytest.approx(result.solution.f1, abs=1e-15)
