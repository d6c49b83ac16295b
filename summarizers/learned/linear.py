"""The linear extractor: a sentence's score is the sum of the weights of its n-grams, its position and its length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from relevance.metrics.text import find_words

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

LEAST_SENTENCES = 5
"""The fewest training sentences with a feature."""

ITERATIONS = 300
"""The most iterations of the solver; on two thousand abstracts it converges within half of them."""


def features(sentences: Sequence[str]) -> list[set[str]]:
    """Compute the features of each sentence of a document: its 1- to 3-grams, its position, its length.

    N-grams are lower-cased words joined by a space, with `<` and `>` for the sentence's ends; positions are counted
    from both ends of the document and lengths in fours of words, written as `@first 0`, `@last 3`, `@words 5`.
    """
    results = []
    for place, sentence in enumerate(sentences):
        words = find_words(sentence)
        ends = ["<", *words, ">"]
        ngrams = {" ".join(ends[start : start + n]) for n in (1, 2, 3) for start in range(len(ends) - n + 1)}
        from_end = len(sentences) - 1 - place
        results.append(
            ngrams | {f"@first {min(place, 9)}", f"@last {min(from_end, 9)}", f"@words {min(len(words) // 4, 12)}"}
        )
    return results


def score_sentences(weights: Mapping[str, float], sentences: Sequence[str]) -> list[float]:
    """Score each sentence; unknown features have no weight."""
    # fsum: the order of a set's items must not change a score
    return [fsum(weights.get(feature, 0.0) for feature in known) for known in features(sentences)]


def fit(documents: Sequence[Sequence[str]], rouge: Sequence[NDArray[np.float64]], penalty: float) -> dict[str, float]:
    """Fit the weights by ridge regression; return them by feature, sorted, in float32.

    The target is the difference of a sentence's ROUGE from the mean of its document, as a document's difficulty says
    nothing about its sentences. `rouge` has one value per sentence. Raises ValueError if no feature is frequent enough.
    """
    from scipy.sparse.linalg import LinearOperator, lsqr

    known = [feature for sentences in documents for feature in features(sentences)]
    counts = Counter(feature for each in known for feature in each)
    vocabulary = sorted(feature for feature, count in counts.items() if count >= LEAST_SENTENCES)
    if not vocabulary:
        raise ValueError(f"no n-gram occurs in {LEAST_SENTENCES} sentences: there are too few documents to learn from")
    table = incidence(known, vocabulary)
    target = np.concatenate([values - values.mean() for values in rouge])
    means = np.asarray(table.mean(axis=0)).ravel()  # centred, so that no intercept is needed
    centred = LinearOperator(
        table.shape,
        matvec=lambda weights: table @ weights - means @ weights,
        rmatvec=lambda errors: table.T @ errors - means * errors.sum(),
        dtype=np.float64,
    )
    solution = lsqr(centred, target, damp=penalty**0.5, iter_lim=ITERATIONS, atol=1e-8, btol=1e-8)[0]
    return dict(zip(vocabulary, solution.astype(np.float32).tolist(), strict=True))


def incidence(known: Iterable[set[str]], vocabulary: Sequence[str]) -> csr_matrix[np.float64]:
    """Make the table of features by sentence: 1 or 0, shape (sentences, vocabulary)."""
    from scipy.sparse import csr_matrix

    columns = {feature: column for column, feature in enumerate(vocabulary)}
    rows = [sorted(columns[feature] for feature in each if feature in columns) for each in known]
    ends = np.cumsum([0, *map(len, rows)])
    places = np.array([column for row in rows for column in row], np.int64)
    return csr_matrix((np.ones(len(places)), places, ends), shape=(len(rows), len(vocabulary)))
