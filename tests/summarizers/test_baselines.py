"""What holds for every baseline, and the values of each worked out by hand."""

from collections import Counter
from math import log, sqrt

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relevance.data.importers import read_documents
from relevance.data.records import Document
from relevance.metrics.keywords.overlap import content_words
from relevance.metrics.pagerank import DAMPING
from relevance.metrics.text import count_words
from relevance.summarizers import summarizer
from relevance.summarizers.base import SummaryLength, best_first, within
from relevance.summarizers.lexrank import THRESHOLD, LexRank, ranks, similarities
from relevance.summarizers.lsa import Lsa
from relevance.summarizers.rake import Rake, rank_phrases, split_runs, stop_words
from relevance.summarizers.random_sentences import Random
from relevance.summarizers.registry import BASELINES
from relevance.summarizers.sentences import sentences_of
from relevance.summarizers.sumbasic import SumBasic
from relevance.summarizers.tfidf import TfIdf

EXTRACTS = [name for name in BASELINES if name != "rake"]

# --- all of them ---------------------------------------------------------------------------------------------

words = st.lists(st.sampled_from(["the", "a", "cat", "dogs", "sat", "ran", "7", "Café", "well-known"]), max_size=6)
sources = st.lists(words.map(" ".join) | st.text(max_size=20), max_size=8).map(tuple)


def is_subsequence(chosen, sentences):
    remaining = iter(sentences)
    return all(sentence in remaining for sentence in chosen)  # consumes the iterator


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", EXTRACTS)
@settings(max_examples=60)
@given(source=sources, k=st.integers(1, 5))
def test_an_extract_is_sentences_of_the_source_in_their_order(name, source, k):
    document = Document("d", source, ("some reference",))
    sentences = sentences_of(document)
    system = summarizer(f"{name}-{k}")
    chosen = system.select(document)
    assert is_subsequence(chosen, sentences)
    assert len(chosen) == min(k, len(sentences))
    assert sorted(system.order(sentences, document)) == list(range(len(sentences))) or not sentences
    assert [s.text for s in system.summarize([document])] == ([" ".join(chosen)] if sentences else [])
    assert summarizer(f"{name}-{k}").select(document) == chosen


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", EXTRACTS)
@settings(max_examples=60)
@given(source=sources, budget=st.integers(1, 20))
def test_an_extract_keeps_its_words_but_for_a_single_sentence(name, source, budget):
    document = Document("d", source, (" ".join(["word"] * budget),))
    sentences = sentences_of(document)
    chosen = summarizer(f"{name}-{budget}w").select(document)
    assert is_subsequence(chosen, sentences)
    assert len(chosen) >= (1 if sentences else 0)
    assert sum(map(count_words, chosen)) <= budget or len([s for s in chosen if count_words(s)]) == 1
    assert summarizer(f"{name}-ref").select(document) == chosen


@given(source=sources, budget=st.integers(1, 20))
def test_key_phrases_keep_their_words_but_for_a_single_phrase(source, budget):
    document = Document("d", source, (" ".join(["word"] * budget),))
    chosen = summarizer(f"rake-{budget}w").select(document)
    assert bool(chosen) == bool(rank_phrases(document))
    assert len(set(chosen)) == len(chosen)
    assert set(chosen) <= {" ".join(phrase) for phrase in rank_phrases(document)}
    assert sum(map(count_words, chosen)) <= budget or len(chosen) == 1
    assert summarizer("rake-ref").select(document) == chosen


@pytest.mark.parametrize("name", EXTRACTS)
def test_little_to_choose_from(name):
    system, by_words = summarizer(f"{name}-2"), summarizer(f"{name}-4w")
    for source in ("", " ", (), ("", " ")):
        assert system.summarize([Document("d", source, ())]) == by_words.summarize([Document("d", source, ())]) == []
    assert system.select(Document("d", ("Only one here.",), ())) == ["Only one here."]
    assert by_words.select(Document("d", ("Only one, of seven words in all.",), ())) == [
        "Only one, of seven words in all."
    ]
    same = Document("d", ("Same words.", "Same words.", "Same words."), ())
    assert system.select(same) == by_words.select(same) == ["Same words."] * 2
    assert len(system.select(Document("d", ("the of", "...", "--"), ()))) == 2  # stop words, no words
    assert summarizer(f"{name}-ref").summarize([Document("d", ("No reference.", "At all."), ())]) == []


@pytest.mark.parametrize("name", BASELINES)
def test_the_articles_of_summeval(name, shared_data):
    documents = [document for document, _ in read_documents(shared_data / "summeval.jsonl", "interchange")][:25]
    system = summarizer(f"{name}-ref")
    summaries = system.summarize(documents)
    assert [s.document_id for s in summaries] == [d.id for d in documents]
    assert {s.system for s in summaries} == {f"{name}-ref"}
    assert summarizer(f"{name}-ref").summarize(documents[7:9]) == summaries[7:9]  # no document depends on others
    for document, summary in zip(documents, summaries, strict=True):
        assert count_words(summary.text) <= count_words(document.references[0]) or len(system.select(document)) == 1


@pytest.mark.parametrize("system", [BASELINES[name] for name in EXTRACTS])
@pytest.mark.parametrize("sentences", [0, -1])
def test_an_extract_has_at_least_one_sentence(system, sentences):
    with pytest.raises(ValueError, match=f"a summary has at least 1 sentence, not {sentences}"):
        system(sentences)


def test_lengths_that_are_none():
    with pytest.raises(ValueError, match="a summary has at least 1 word, not 0"):
        TfIdf(SummaryLength(0, "words"))
    with pytest.raises(ValueError, match="the unit of a length must be one of sentences, words, reference, not 'cm'"):
        TfIdf(SummaryLength(1, "cm"))
    with pytest.raises(ValueError, match="rake writes phrases, not sentences"):
        Rake(SummaryLength(3))


def test_what_fits_is_taken_in_order_of_rank():
    texts = ["a b c", "a b c d", "a", "a b"]
    assert within(6, texts, [0, 1, 2, 3]) == [0, 2, 3]  # 3, not 7, 4, 6
    assert within(6, texts, [0, 1, 2, 3], prefix=True) == [0]
    assert within(1, texts, [1, 2]) == [1]


def test_equal_scores_go_by_place_whatever_rounding_did():
    assert best_first([0.1 + 0.2, 0.3, 0.4, 0.3]) == [2, 0, 1, 3]
    assert best_first([0.3, 0.1 + 0.2]) == [0, 1]


# --- random ----------------------------------------------------------------------------------------------------


def test_random_sentences_are_drawn_by_document_and_seed():
    sentences = tuple(f"Sentence {n}." for n in range(5))
    documents = [Document(f"d{number}", sentences, ()) for number in range(1000)]
    drawn = [s.text for s in Random(1).summarize(documents)]
    assert drawn == [s.text for s in Random(1).summarize(documents)]
    assert drawn[500:] == [s.text for s in Random(1).summarize(documents[500:])]
    counts = [drawn.count(sentence) for sentence in sentences]
    assert sum(counts) == 1000
    assert all(140 < count < 260 for count in counts)  # 200 expected, standard deviation 12.6
    other = [s.text for s in Random(1, seed=7).summarize(documents)]
    assert 140 < sum(a == b for a, b in zip(drawn, other, strict=True)) < 260  # independent: one in five agrees


# --- TF-IDF ------------------------------------------------------------------------------------------------------


def test_tfidf():
    # cat and dog stand twice, in 2 of 3 sentences: 2 ln(3/2) = .811; the others once, in one: ln 3 = 1.099. Means:
    # (.811 + 1.099) / 2 = .955; (.811 + 1.099 + .811) / 3 = .907; (.811 + 1.099 + 1.099) / 3 = 1.003.
    source = ("The cats purr.", "Cats chase dogs.", "Dogs bark loudly.")
    document = Document("d", source, ())
    assert TfIdf().order(source, document) == [2, 0, 1]
    assert TfIdf(2).select(document) == ["The cats purr.", "Dogs bark loudly."]
    # A word that all sentences have weighs nothing: all 0, the first one goes first.
    assert TfIdf(1).select(Document("d", ("cat cat", "cat", "the"), ())) == ["cat cat"]


# --- SumBasic ----------------------------------------------------------------------------------------------------


def test_sumbasic():
    # red 3/7, blue 2/7, green and gold 1/7. Most probable is red: sentence 0 has a mean of (3 + 3 + 1)/21 = .333,
    # sentence 2 .429, and is taken; red becomes 9/49 = .184. Now blue: (2 + 1)/14 = .214 against .286: sentence 3;
    # blue becomes .082. Red again: only sentence 0 has it. (Without squaring, sentence 0 would be second.)
    source = ("red red green", "blue gold", "red", "blue")
    assert SumBasic().order(source, Document("d", source, ())) == [2, 3, 0, 1]
    # Equally probable words: the first in the document, a; sentences without a word last, in their order.
    source = ("the", "apple", "banana", "of")
    assert SumBasic().order(source, Document("d", source, ())) == [1, 2, 0, 3]


def test_sumbasic_says_the_same_word_ever_less():
    # 200 times the same: squared 200 times a probability is not a number any more, but its order stays.
    source = (*["cat"] * 200, "dog")
    assert SumBasic().order(source, Document("d", source, ()))[:2] == [0, 1]
    # cat 200/201 squared stays above dog 1/201 until 2^k ln(201/200) > ln 201, that is k = 11.
    assert SumBasic().order(source, Document("d", source, ())).index(200) == 11


# --- LSA ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        # Rows cat (2 1 0) and dog (0 0 1): singular values sqrt 5 and 1, under half of it: only cat is a topic, and
        # the sentences are 2, 1 and 0 long in it.
        (("cat cat", "cat", "dog"), [0, 1, 2]),
        # dog (0 0 2): 2 is over half of sqrt 5: lengths 2, 1, 2.
        (("cat cat", "cat", "dog dog"), [0, 2, 1]),
        # cat (0 2), dog (1 0): 1 is just half of 2, and a topic.
        (("dog", "cat cat"), [1, 0]),
        (("the", "dog", "dog dog dog"), [2, 1, 0]),
        (("the", "of", "..."), [0, 1, 2]),
    ],
)
def test_lsa(source, expected):
    assert Lsa().order(source, Document("d", source, ())) == expected


def test_lsa_with_all_topics_is_the_length_of_the_sentence(monkeypatch, shared_data):
    """If no topic is left out, V S has the lengths of the table's columns: sqrt(sum of squared counts)."""
    monkeypatch.setattr("relevance.summarizers.lsa.SMALLEST", 0.0)
    document = next(read_documents(shared_data / "summeval.jsonl", "interchange"))[0]
    source = sentences_of(document)
    lengths = [sqrt(sum(n * n for n in Counter(content_words(s).words).values())) for s in source]
    assert Lsa().order(source, document) == best_first(lengths)


# --- LexRank -----------------------------------------------------------------------------------------------------

L = log(2)  # n = 3: a word of one sentence has idf ln(4/1) = 2 L, one of two has ln(4/2) = L


def test_cosines():
    # (2, 1), (1, 1) and (1, 2, 2) times L: lengths sqrt 5, sqrt 2 and 3; each shared word adds 1.
    assert similarities(("a b", "b c", "c d e")) == pytest.approx(
        np.array([[0, 1 / sqrt(10), 0], [1 / sqrt(10), 0, 1 / sqrt(18)], [0, 1 / sqrt(18), 0]])
    )
    # tf counts: (2 x 2, 1) and (1, 2) times L
    assert similarities(("a a b", "b c", "d"))[0, 1] == pytest.approx(1 / sqrt(17 * 5))
    assert similarities(("...", "a"))[0].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        # The middle of a chain passes its rank on by cosine: m = .05 + .85 (1 - m) = .9 / 1.85.
        (
            ("a b", "b c", "c d e"),
            [
                0.05 + 0.85 * (0.9 / 1.85) * sqrt(18) / (sqrt(10) + sqrt(18)),
                0.9 / 1.85,
                0.05 + 0.85 * (0.9 / 1.85) * sqrt(10) / (sqrt(10) + sqrt(18)),
            ],
        ),
        # Two alike and one apart, which passes its rank on to all: apart = .05 / (1 - .85 / 3) = 3 / 43.
        (("a b", "a b", "c d"), [20 / 43, 20 / 43, 3 / 43]),
        # 1 / sqrt(5 x 17) = .108 is an edge, 1 / sqrt(5 x 21) = .098 is none.
        (("x a", "x b c d e", "y"), [20 / 43, 20 / 43, 3 / 43]),
        (("x a", "x b c d e f", "y"), [1 / 3, 1 / 3, 1 / 3]),
        (("...", "--", ""), [1 / 3, 1 / 3, 1 / 3]),
        (("alone",), [1.0]),
    ],
)
def test_lexrank_ranks(sentences, expected):
    assert ranks(sentences) == pytest.approx(expected, abs=1e-9)


def test_lexrank():
    document = Document("d", ("a b", "b c", "c d e", "y"), ())
    assert LexRank(1).select(document) == ["b c"]
    assert LexRank(3).select(Document("d", ("x", "y", "z", "w"), ())) == ["x", "y", "z"]  # no edges: the lead


def test_lexrank_solves_its_equation(shared_data):
    """Rank r = (1 - d)/n + d P'r, solved directly and by networkx over edges written out one by one."""
    for document, _ in list(read_documents(shared_data / "scitldr" / "dev.jsonl"))[:50]:
        sentences = sentences_of(document)
        n = len(sentences)
        weights = similarities(sentences)
        weights[weights < THRESHOLD] = 0
        out = weights.sum(axis=1, keepdims=True)
        passed = np.divide(weights, out, out=np.full((n, n), 1 / n), where=out > 0)
        solved = np.linalg.solve(np.eye(n) - DAMPING * passed.T, np.full(n, (1 - DAMPING) / n))
        assert ranks(sentences) == pytest.approx(solved.tolist(), abs=2e-9)
        graph = networkx.Graph()
        graph.add_nodes_from(range(n))
        graph.add_weighted_edges_from((a, b, weights[a, b]) for a in range(n) for b in range(a) if weights[a, b])
        peer = networkx.pagerank(graph, alpha=DAMPING, tol=1e-12, max_iter=1000)
        assert ranks(sentences) == pytest.approx([peer[place] for place in range(n)], abs=2e-9)


# --- RAKE --------------------------------------------------------------------------------------------------------

# Phrases: deep learning | deep networks | learning | fun. Degree over frequency: deep (2 + 2) / 2 = 2, learning
# (2 + 1) / 2 = 1.5, networks 2, fun 1. Sums: 3.5, 4, 1.5, 1.
DEEP = Document("d", "Deep learning of deep networks. Learning is fun.", ("three words here",))


def test_rake():
    assert rank_phrases(DEEP) == [("deep", "networks"), ("deep", "learning"), ("learning",), ("fun",)]
    assert [s.text for s in Rake().summarize([DEEP])] == ["deep networks, learning"]  # 2 words, not 4, 3
    assert [s.text for s in Rake(SummaryLength(9, "words")).summarize([DEEP])] == [
        "deep networks, deep learning, learning, fun"
    ]
    assert [s.text for s in Rake(SummaryLength(1, "words")).summarize([DEEP])] == ["deep networks"]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Red cars, blue trucks", [("red", "cars"), ("blue", "trucks")]),
        ("well-known methods (of proof)", [("well-known", "methods"), ("proof",)]),
        ("the of and", []),
        ("", []),
        ("We propose a new graph for parsing", [("propose",), ("graph",), ("parsing",)]),  # SMART: we, a, new, for
        ("Straße und Café", [("straße", "und", "café")]),
    ],
)
def test_runs(sentence, expected):
    assert split_runs(sentence) == expected


def test_long_phrases_are_cut():
    document = Document("d", "Big red cars drive home. Dogs.", ("three words here",))
    assert rank_phrases(document, 2) == [("big", "red"), ("cars", "drive"), ("home",), ("dogs",)]
    assert Rake(SummaryLength(3, "words"), 2).select(document) == ["big red", "home"]
    with pytest.raises(ValueError, match="a phrase has at least 1 word, not 0"):
        Rake(longest=0)


def test_the_stop_words_are_those_of_smart():
    assert len(stop_words()) == 570  # 571 with one twice
    assert {"a", "novel", "zero"} <= stop_words()
    assert not {"paper", "propose", "#"} & stop_words()  # ROUGE-K's


@pytest.mark.parametrize("document", [Document("d", "The of.", ("r",)), Document("d", "", ("r",))])
def test_without_a_phrase_there_is_no_summary(document):
    assert Rake().summarize([document]) == []
    assert Rake().summarize([Document("d", "Deep learning.", ())]) == []
