"""ROUGE-2 of the extracts for ROUGE-1, and what the length of the optimum goes with."""

import numpy as np
import pytest
import scipy.stats

from relevance.data.importers import read_documents
from relevance.data.records import Document
from relevance.summarizers.base import count_words
from relevance.summarizers.oracles import Problem, Target
from relevance.summarizers.oracles.evaluation import OracleRow, OracleTask, evaluate
from relevance.summarizers.oracles.extracts import FEATURES, look_into
from relevance.summarizers.sentences import sentences_of


def row(document, places, algorithm="exact", reference=0, bound=0.5):
    return OracleRow(document, algorithm, 0.5, places, reference, bound, bound == 0.5, 1.0)


def document(key, sentences, reference="a b c."):
    return Document(key, ("a b c d",) * sentences, (reference, "d a. b"))


def test_rouge_2_is_that_of_the_extract_and_the_reference_of_the_row():
    # the extract a b c d has 3 pairs: of reference 1 (ab, bc) it has 2, F1 = 2 x 2 / (3 + 2); of reference 2 (da, ab:
    # the references' pairs are counted over their whole text) none of da, and ab
    rows = [row("one", (0,), "greedy"), row("one", (0,), "exact", reference=1)]
    extracts = look_into(rows, [document("one", 2)], Target())
    assert extracts.rouge2 == pytest.approx({"greedy": 4 / 5, "exact": 2 * 1 / (3 + 2)})
    assert look_into(rows, [document("one", 2)], Target(2)).rouge2 == {}


def test_lengths_go_with_features():
    documents = [document(str(n), n, "ab cd. " * n) for n in (2, 4, 6)]
    rows = [row("2", (0,)), row("4", (0, 1)), row("6", (0, 1, 2)), row("2", (), "greedy")]
    extracts = look_into(rows, documents, Target())
    assert [relation.feature for relation in extracts.relations] == list(FEATURES)
    assert [relation.mean for relation in extracts.relations] == [4, 16, 4, 8]
    assert [relation.pearson for relation in extracts.relations] == pytest.approx([1] * 4)
    # half a sentence more for one more, an eighth for a word more in the document, a fourth in the reference
    assert [relation.slope for relation in extracts.relations] == pytest.approx([1 / 2, 1 / 8, 1 / 2, 1 / 4])
    assert (extracts.documents, extracts.sentences, extracts.explained) == (3, 2, None)


def test_only_proven_optima_count():
    documents = [document(str(n), n) for n in (2, 4, 6)]
    rows = [row("2", (0,)), row("4", (0, 1)), row("6", (0, 1, 2), bound=0.7)]
    assert look_into(rows, documents, Target()).relations == ()


def test_a_feature_that_is_the_same_everywhere_explains_nothing():
    documents = [document(str(n), n) for n in (2, 4, 6)]
    extracts = look_into([row("2", (0,)), row("4", (0, 1)), row("6", (0, 1, 2))], documents, Target())
    assert [relation.pearson is None for relation in extracts.relations] == [False, False, True, True]


def test_on_real_articles(shared_data):
    documents = [document for document, _ in read_documents(shared_data / "summeval.jsonl", "interchange")][:20]
    target = Target(references="first")
    rows = evaluate(documents, OracleTask(target, ("exact",)), processes=0).rows
    extracts = look_into(rows, documents, target)
    lengths = [len(row.places) for row in rows]
    words = [count_words(document.references[0]) for document in documents]
    peer = scipy.stats.linregress(words, lengths)
    assert extracts.relations[3].pearson == pytest.approx(peer.rvalue)
    assert extracts.relations[3].slope == pytest.approx(peer.slope)
    assert max(relation.pearson**2 for relation in extracts.relations) <= extracts.explained <= 1
    values = [
        Problem(sentences_of(document), document.references[0], 2).f1(row.places)
        for row, document in zip(rows, documents, strict=True)
    ]
    assert extracts.rouge2 == pytest.approx({"exact": np.mean(values)})
