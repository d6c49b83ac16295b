"""Training of extractors, from documents with references to a folder of `relevance.summarizers.learned.folder`.

The worth of a sentence is its ROUGE-1 F1 against the best of the references. A penalty or a seed is chosen by the mean
ROUGE-1 of the sentence with the highest score, on the development documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from relevance.data.records import Document, Example
from relevance.metrics.base import check_option
from relevance.metrics.models.files import EMBEDDED
from relevance.metrics.models.threads import one_thread
from relevance.metrics.rouge import RougeN
from relevance.summarizers.base import best_first
from relevance.summarizers.learned import linear, minilm
from relevance.summarizers.learned.folder import KINDS, MINILM, MOST_HEADS, write_about, write_heads, write_ngrams
from relevance.summarizers.output_folder import check_output
from relevance.summarizers.sentences import sentences_of
from relevance.summarizers.training_documents import TrainingDocuments

if TYPE_CHECKING:
    import torch

    from relevance.metrics.models.encoder import Encoder

PENALTIES = (30.0, 100.0, 200.0, 300.0, 400.0, 600.0, 1000.0)
"""Penalties of the ridge regression that are tried."""

SEEDS = 10
"""Seeds of the head that are tried, of which the best `MOST_HEADS` are taken."""

Model = TypeVar("Model")


class TooFewDocuments(ValueError):
    """No document is left for training or choosing."""


class TrainedExtractor(NamedTuple):
    """The result of training."""

    documents: int
    """Documents used for training."""
    dev: int
    """Documents used for choosing."""
    rouge1: float
    """The mean ROUGE-1, in [0, 1], of one-sentence extracts of the documents for choosing."""
    chosen: str
    """The name of the chosen candidate, such as `penalty 300`."""


class Labelled(NamedTuple):
    """A document's sentences with their worth."""

    document: Document
    sentences: list[str]
    rouge: NDArray[np.float64]
    """The ROUGE-1 of each sentence, in [0, 1]."""


def train_extractor(
    documents: Iterable[Document],
    dev: Iterable[Document],
    output: Path,
    kind: str,
    *,
    without: Iterable[Document] = (),
    seeds: int = SEEDS,
    say: Callable[[str], None] = lambda message: None,
) -> TrainedExtractor:
    """Train an extractor on documents and write it into a new folder.

    Documents without a reference or with fewer than two sentences are left out, as they teach nothing, and so are those
    in `dev` or `without`, which would make their figures meaningless. The MiniLM kind has the best three of `seeds`
    heads beside the weights of the linear kind.

    The same documents give the same files on the same machine with the same versions of libraries: training runs in one
    thread, as last digits of sums depend on the number of threads. Raises `OutputInUse`, `TooFewDocuments`, OSError,
    `ModelUnavailable`, and ValueError for an unknown kind.
    """
    check_option("kind", kind, KINDS)
    check_output(output)
    dev = list(dev)
    held = TrainingDocuments.of([*dev, *without])
    given = list(documents)
    train = label([document for document in given if document not in held])
    chosen_on = label(dev)
    say(f"{len(train)} of {len(given)} documents to learn from, {len(chosen_on)} of {len(dev)} to choose on")
    for part, name in ((train, "learn from"), (chosen_on, "choose on")):
        if not part:
            raise TooFewDocuments(f"there is no document to {name}: it needs two sentences, a reference, and to be new")
    output.mkdir(parents=True, exist_ok=True)
    settings: dict[str, object] = {}
    with threadpool_limits(1):
        weights, rouge1, chosen = choose(linear_candidates(train, chosen_on), chosen_on, say)
    write_ngrams(output, weights)
    if kind == MINILM:
        from relevance.metrics.models.encoder import Encoder

        encoder = Encoder(EMBEDDED)
        settings = {"encoder": encoder.signature, "layer": minilm.LAYER, "seeds": seeds, "epochs": minilm.EPOCHS}
        with one_thread():
            heads, rouge1, best_seeds = train_heads(train, chosen_on, encoder, weights, seeds, say)
        chosen = f"{chosen}, {best_seeds}"
        write_heads(output, heads)
    trained = TrainedExtractor(len(train), len(chosen_on), rouge1, chosen)
    known = TrainingDocuments.of(labelled.document for labelled in train)
    write_about(output, kind, known, settings | trained._asdict())
    return trained


def label(documents: Iterable[Document]) -> list[Labelled]:
    """Label the documents that can teach something with the ROUGE-1 of their sentences; unscored ones are worth 0."""
    metric = RougeN(1)
    labelled = []
    for document in documents:
        sentences = sentences_of(document)
        if len(sentences) < 2:
            continue
        examples = [
            Example(document.id, str(place), sentence, document.references, None, "")
            for place, sentence in enumerate(sentences)
        ]
        scores = [score.value for score in metric.score(examples)]
        if any(score is not None for score in scores):
            labelled.append(Labelled(document, sentences, np.array([score or 0.0 for score in scores])))
    return labelled


Candidate = tuple[str, Model, list[list[float]]]
"""The name of a candidate, the model, and its scores of the development documents' sentences."""


def linear_candidates(train: Sequence[Labelled], dev: Sequence[Labelled]) -> Iterable[Candidate[dict[str, float]]]:
    """Yield the weights for each penalty."""
    documents, rouge = [document.sentences for document in train], [document.rouge for document in train]
    for penalty in PENALTIES:
        weights = linear.fit(documents, rouge, penalty)
        yield f"penalty {penalty:g}", weights, [linear.score_sentences(weights, document.sentences) for document in dev]


def train_heads(
    train: Sequence[Labelled],
    dev: Sequence[Labelled],
    encoder: Encoder,
    weights: Mapping[str, float],
    seeds: int,
    say: Callable[[str], None],
) -> tuple[list[Any], float, str]:
    """Train a head for each seed; return the best, at most `MOST_HEADS`, their ROUGE-1 together, and their seeds.

    A head is judged together with the weights of n-grams. Several heads are taken even if the best alone has a higher
    ROUGE-1 on `dev`: of many seeds, that is also the luckiest. In a cross-validation on SciTLDR's training documents,
    three heads together gained .2 points of ROUGE-1 over one.
    """

    def encode(part: Sequence[Labelled], what: str) -> list[torch.Tensor]:
        vectors = []
        for number, document in enumerate(part, 1):
            vectors.append(minilm.encode_sentences(document.sentences, encoder))
            if number % 200 == 0 or number == len(part):
                say(f"encoded {number} of {len(part)} documents to {what}")
        return vectors

    learned, chosen_on = encode(train, "learn from"), encode(dev, "choose on")
    ngrams = [linear.score_sentences(weights, document.sentences) for document in dev]

    def score(heads: Sequence[Any]) -> list[list[float]]:
        return [
            minilm.add_ngrams(minilm.score_vectors(heads, vectors), of)
            for vectors, of in zip(chosen_on, ngrams, strict=True)
        ]

    ranked: list[tuple[float, int, Any]] = []
    for seed in range(seeds):  # sentences are encoded once for all
        head = minilm.fit(learned, [document.rouge for document in train], seed, say=say)
        rouge1 = mean_rouge(dev, score([head]))
        ranked.append((-rouge1, seed, head))
        say(f"seed {seed}: ROUGE-1 {100 * rouge1:.2f} on the documents to choose on")
    best = sorted(ranked, key=lambda entry: entry[:2])[:MOST_HEADS]
    heads = [head for _, _, head in best]
    name = f"seeds {', '.join(str(seed) for _, seed, _ in best)}"
    rouge1 = mean_rouge(dev, score(heads))
    say(f"{name}: ROUGE-1 {100 * rouge1:.2f} on the documents to choose on")
    return heads, rouge1, name


def mean_rouge(documents: Sequence[Labelled], scores: Sequence[Sequence[float]]) -> float:
    """Compute the mean ROUGE-1 of the sentences with the highest scores, in [0, 1]."""
    return float(
        np.mean([document.rouge[best_first(values)[0]] for document, values in zip(documents, scores, strict=True)])
    )


def choose(
    candidates: Iterable[Candidate[Model]], dev: Sequence[Labelled], say: Callable[[str], None]
) -> tuple[Model, float, str]:
    """Choose the candidate with the highest mean ROUGE-1 of its best sentences, the first of equal ones."""
    best: tuple[Model, float, str] | None = None
    for name, model, scores in candidates:
        rouge1 = mean_rouge(dev, scores)
        say(f"{name}: ROUGE-1 {100 * rouge1:.2f} on the documents to choose on")
        if best is None or rouge1 > best[1]:
            best = model, rouge1, name
    if best is None:
        raise ValueError("there is nothing to choose from")
    return best
