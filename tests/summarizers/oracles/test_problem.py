"""The problem and its extracts: counted by hand, and by plain counters after random changes."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relevance.data.importers import read_documents
from relevance.data.records import Example
from relevance.metrics.rouge import RougeN
from relevance.metrics.text import Reading, rouge_words
from relevance.summarizers.oracles.problem import DEFINITIONS, Extract, Limits, Problem, solution
from relevance.summarizers.sentences import sentences_of

texts = st.lists(st.sampled_from(["a", "b", "c", "dogs", "dog", "e-f", "The", "ß"]), max_size=7).map(" ".join)


def recounted(sentences, reference, chosen, n, definition):
    """F1 by plain counters of n-grams inside sentences."""

    def ngrams(text):
        words = rouge_words(text, Reading("ascii"))
        return Counter(words[start : start + n] for start in range(len(words) - n + 1))

    have = sum((ngrams(sentences[place]) for place in chosen), Counter())
    wanted = ngrams(reference)
    if definition == "set":
        have, wanted = Counter(set(have)), Counter(set(wanted))
    matched = (have & wanted).total()
    return 2 * matched / (have.total() + wanted.total()) if matched else 0.0


@given(
    sentences=st.lists(texts, min_size=1, max_size=6),
    reference=texts,
    flips=st.lists(st.integers(0, 5), max_size=25),
    n=st.integers(1, 3),
    definition=st.sampled_from(DEFINITIONS),
)
def test_the_running_count_is_the_count_from_scratch(sentences, reference, flips, n, definition):
    problem = Problem(sentences, reference, n, definition)
    extract = Extract(problem)
    chosen = set()
    rows = []
    for flip in flips:
        extract.flip(flip % len(sentences))
        chosen ^= {flip % len(sentences)}
        assert extract.chosen == chosen
        assert extract.f1 == pytest.approx(recounted(sentences, reference, chosen, n, definition), abs=1e-15)
        rows.append([place in chosen for place in range(len(sentences))])
    if rows:
        table = np.array(rows)
        scored = problem.f1_of_all(table)
        assert scored.tolist() == pytest.approx([problem.f1(np.flatnonzero(row).tolist()) for row in table], abs=1e-15)


@pytest.mark.parametrize(
    ("n", "definition", "chosen", "expected"),
    [
        # Reference a a b. Sentences "a a a" and "b c": a counts twice, b once: 3 of 5 and of 3.
        (1, "clipped", (0, 1), 2 * 3 / (5 + 3)),
        (1, "clipped", (0,), 2 * 2 / (3 + 3)),
        (1, "set", (0, 1), 2 * 2 / (3 + 2)),
        (1, "set", (0,), 2 * 1 / (1 + 2)),
        # Bigrams: "a a" twice and "b c", against "a a" and "a b"; none is made of "a" and "b" where they meet.
        (2, "clipped", (0, 1), 2 * 1 / (3 + 2)),
        (2, "set", (0, 1), 2 * 1 / (2 + 2)),
        (3, "clipped", (0, 1), 0.0),
        (1, "clipped", (), 0.0),
    ],
)
def test_f1(n, definition, chosen, expected):
    assert Problem(["a a a", "b c"], "a a b", n, definition).f1(chosen) == pytest.approx(expected, abs=1e-15)


def test_clipped_rouge1_is_rouge_of_the_joined_text(shared_data):
    rouge = RougeN(1, "first")
    for document, _ in list(read_documents(shared_data / "summeval.jsonl", "interchange"))[:20]:
        sentences = sentences_of(document)
        problem = Problem(sentences, document.references[0])
        for chosen in ([0], [1, 2], list(range(0, len(sentences), 3))):
            text = " ".join(sentences[place] for place in chosen)
            example = Example(document.id, "s", text, document.references, None, "")
            assert problem.f1(chosen) == pytest.approx(rouge.score([example])[0].value, abs=1e-12)


def test_joined_sentences_have_more_bigrams_than_the_sentences():
    problem = Problem(["red fish", "blue sky"], "fish blue", 2)
    assert problem.f1([0, 1]) == 0.0
    example = Example("d", "s", "red fish blue sky", ("fish blue",), None, "")
    assert RougeN(2, "first").score([example])[0].value == pytest.approx(0.5)  # 1 of 3, 1 of 1


def test_what_can_be_of_use():
    sentences = ["a b", "x y", "", "b c d e", "z a"]
    assert Problem(sentences, "a b c").useful == (0, 3, 4)
    assert Problem(sentences, "a b c", limits=Limits(words=3)).useful == (0, 4)
    assert Problem(sentences, "a b c", 2).useful == (0, 3)
    assert Problem(sentences, "...").useful == ()
    assert Problem([], "a").useful == ()


def test_limits():
    problem = Problem(["a b", "c d e", "é"], "a", limits=Limits(sentences=2, words=5))
    assert problem.words == (2, 3, 1)  # words of any script, whatever ROUGE takes for a token
    assert problem.fits([])
    assert problem.fits([0, 1])
    assert not problem.fits([0, 1, 2])
    assert not Problem(["a b", "c d e"], "a", limits=Limits(words=4)).fits([0, 1])
    assert Problem(["a b", "c d e"], "a").fits([0, 1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"definition": "recall"}, "definition must be one of clipped, set, not 'recall'"),
        ({"n": 0}, "an n-gram has at least 1 word, not 0"),
        ({"limits": Limits(words=0)}, "the limit of words must be at least 1, not 0"),
        ({"limits": Limits(sentences=-1)}, "the limit of sentences must be at least 1, not -1"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Problem(["a"], "a", **options)


def test_proven_means_that_the_bound_is_reached():
    problem = Problem(["a b", "c"], "a c")
    assert solution(problem, [1, 0]).sentences == (0, 1)
    assert not solution(problem, [0]).proven
    assert not solution(problem, [0], bound=0.6).proven
    assert solution(problem, [0], bound=0.5 + 1e-7).proven
