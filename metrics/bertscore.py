"""BERTScore: greedy matching of contextual token vectors (Zhang et al. 2020, section 3).

Equal to the `bert-score` package with the same encoder and layer, to 1e-4. As there, the special tokens that an encoder
adds have no weight, but may be the best match of a word.
"""

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from relevance.data.files import sha256
from relevance.data.reading import lines
from relevance.data.records import REFERENCE, SOURCE, BadRecord, Example
from relevance.data.signatures import signature
from relevance.metrics.base import (
    REFERENCES,
    VERSION,
    Score,
    asked_references,
    check_option,
    round_model_value,
    set_against,
)
from relevance.metrics.kind import MetricKind, Records, option
from relevance.metrics.models.encoder import (
    BATCH_TOKENS,
    DTYPES,
    Encoded,
    Encoder,
    cut_into_parts,
    shared_encoder,
    whole_characters,
)
from relevance.metrics.models.files import EMBEDDED, ModelUnavailable, find_model
from relevance.metrics.text import Span

Array = NDArray[np.float32]

LAYERS = {
    EMBEDDED: 5,
    "bert-base-uncased": 9,
    "bert-large-uncased": 18,
    "distilbert-base-uncased": 5,
    "roberta-base": 10,
    "roberta-large": 17,
    "microsoft/deberta-large-mnli": 18,
    "microsoft/deberta-xlarge-mnli": 40,
}
"""The hidden layer by model: the embedded model's by Pearson's r with relevance on SummEval, the usual ones for
others."""


class Matches(NamedTuple):
    """The comparison of a candidate with a reference."""

    reference: int
    similarity: Array
    """Cosine similarities, shape (candidate tokens, reference tokens), special tokens included."""
    precision: float
    recall: float
    f1: float
    """The F1; it, precision and recall are rescaled if there is a baseline."""
    nearest_to_candidate: tuple[int, ...]
    """The reference token that each candidate token is matched with."""
    nearest_to_reference: tuple[int, ...]
    """The candidate token that each reference token is matched with."""


class Side(NamedTuple):
    """A text's tokens with their weights."""

    spans: tuple[Span, ...]
    """The span of each token; (0, 0) for special tokens."""
    weights: tuple[float, ...]
    """The weight of each token: 0 for special tokens, 1 or the inverse document frequency for others."""
    truncated: bool
    """True if the end of the text was beyond the encoder's limit."""


class BertScoreEvidence(NamedTuple):
    """The texts and comparisons behind a BERTScore value."""

    candidate: Side
    references: tuple[Side, ...]
    matches: tuple[Matches, ...]
    """The comparisons with each reference that has a token."""
    counted: tuple[int, ...]
    """The indices of the `matches` that make the value: of the highest F1, all for `mean`, or the first."""


class Baseline(NamedTuple):
    """The scores of unrelated texts, which rescaling maps to 0; 1 stays 1."""

    precision: float
    recall: float
    f1: float
    name: str
    """The first eight digits of the file's SHA-256."""


class BertScore:
    """F1 of greedy matching, with precision and recall as parts; in [-1, 1], mostly above 0 unless rescaled.

    The candidate is compared with the references, or by `references="source"` with the source, as far as the model
    sees it. `model` is `embedded`, a folder or a Hugging Face name; `layer` is its hidden layer, by default from
    `LAYERS`. `idf` are texts, usually all references of a data set, whose inverse document frequencies weigh the
    tokens. `baseline` is a file in the format of the `bert-score` package: a line `LAYER,P,R,F`, then a line for each
    layer. Raises ValueError.
    """

    name = "bertscore"

    def __init__(
        self,
        references: str = "max",
        *,
        model: str = EMBEDDED,
        layer: int | None = None,
        idf: Sequence[str] | None = None,
        baseline: Path | None = None,
        encoder: Encoder | None = None,
    ) -> None:
        self.encoder = encoder or shared_encoder(model)
        if layer is None and self.encoder.name not in LAYERS:
            raise ValueError(f"name the hidden layer of {self.encoder.name!r}: none is customary for it")
        self.layer = LAYERS[self.encoder.name] if layer is None else layer
        self.encoder.want([self.layer])
        check_option("references of BERTScore", references, REFERENCES)
        self.references = references
        self.corpus = None if idf is None else tuple(idf)
        self.baseline = None if baseline is None else read_baseline(baseline, self.layer)

    @cached_property
    def signature(self) -> str:
        """The model, the layer and all settings."""
        corpus = "none" if self.corpus is None else hashlib.sha256(json.dumps(self.corpus).encode()).hexdigest()[:8]
        return signature(
            self.name,
            VERSION,
            refs=self.references,
            model=self.encoder.signature,
            layer=self.layer,
            idf=corpus,
            rescale=self.baseline.name if self.baseline else "no",
            value="f1",
        )

    def score(self, examples: Sequence[Example]) -> list[Score]:
        """Score a batch; each distinct text is encoded once. Raises `ModelUnavailable`."""
        scores: list[Score] = []
        compared = set_against(examples, self.references)
        pairs = ((example.candidate, asked_references(example, self.references)) for example in compared)
        for part in cut_into_parts(pairs, lambda pair: (pair[0], *pair[1])):
            texts = list(dict.fromkeys(text for candidate, references in part for text in (candidate, *references)))
            encoded = dict(zip(texts, self.encoder.encode(texts, [self.layer]), strict=True))
            for references, group in groupby(part, key=itemgetter(1)):
                scores += self.document([candidate for candidate, _ in group], references, encoded)
        return scores

    def document(
        self, candidates: Sequence[str], references: Sequence[str], encoded: dict[str, Encoded]
    ) -> list[Score]:
        """Score a document's candidates against its references, all in one matrix product.

        Texts of the same tokens, such as two that differ in case only, share a row of it, so that they tie.
        """
        alike: dict[tuple[int, ...], str] = {}
        for text in candidates:
            alike.setdefault(encoded[text].ids, text)
        left = [text for text in alike.values() if self.weights(encoded[text]).any()]
        right = [index for index, text in enumerate(references) if self.weights(encoded[text]).any()]
        values: dict[tuple[int, ...], list[tuple[float, float, float]]] = {}
        if left and right:
            table = self.table([encoded[text] for text in left], [encoded[references[index]] for index in right])
            values = dict(zip((encoded[text].ids for text in left), table, strict=True))
        against = SOURCE if self.references == SOURCE else REFERENCE
        scores = []
        for text in candidates:
            if not references:
                scores.append(Score(None, f"there is no {against}"))
            elif not right:
                scores.append(Score(None, f"no {against} has a token{self.that_counts}"))
            elif (ids := encoded[text].ids) not in values:
                scores.append(Score(None, f"the summary has no token{self.that_counts}"))
            else:
                # The package takes the best of each of the three by itself: P and R may be of different references.
                combine = np.mean if self.references == "mean" else np.max
                p, r, f = (round_model_value(float(combine(column))) for column in zip(*values[ids], strict=True))
                scores.append(
                    Score(
                        f,
                        parts={"precision": p, "recall": r},
                        truncated=encoded[text].truncated
                        or any(encoded[references[index]].truncated for index in right),
                        explain=partial(self.evidence, text, tuple(references)),
                    )
                )
        return scores

    def table(self, left: Sequence[Encoded], right: Sequence[Encoded]) -> list[list[tuple[float, float, float]]]:
        """Compute precision, recall and F1 of each candidate against each reference."""
        rows, columns = starts(left), starts(right)
        similarity = self.vectors(left) @ self.vectors(right).T
        by_row = np.maximum.reduceat(similarity, columns, axis=1)  # (candidate tokens, references)
        by_column = np.maximum.reduceat(similarity, rows, axis=0)  # (candidates, reference tokens)
        row_weights = np.concatenate([self.weights(e) for e in left])
        column_weights = np.concatenate([self.weights(e) for e in right])
        precision = np.add.reduceat(by_row * row_weights[:, None], rows, axis=0)
        precision /= np.add.reduceat(row_weights, rows)[:, None]
        recall = np.add.reduceat(by_column * column_weights, columns, axis=1)
        recall /= np.add.reduceat(column_weights, columns)
        return [
            [self.values(float(p), float(r)) for p, r in zip(ps, rs, strict=True)]
            for ps, rs in zip(precision, recall, strict=True)
        ]

    def values(self, precision: float, recall: float) -> tuple[float, float, float]:
        """Return precision, recall and their F1, rescaled if there is a baseline."""
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        if self.baseline is None:
            return precision, recall, f1
        values, floor = (precision, recall, f1), self.baseline
        return tuple((v - b) / (1 - b) for v, b in zip(values, floor[:3], strict=True))  # type: ignore[return-value]

    def vectors(self, texts: Iterable[Encoded]) -> Array:
        """Return the token vectors of several texts stacked as rows, of length 1."""
        stacked: Array = np.concatenate([encoded.vectors[self.layer].numpy() for encoded in texts])
        lengths: Array = np.linalg.norm(stacked, axis=1, keepdims=True)
        stacked /= lengths
        return stacked

    def weights(self, encoded: Encoded) -> NDArray[np.float64]:
        """Return the weight of each token of a text."""
        own: NDArray[np.float64] = 1.0 - np.array(encoded.special)
        if self.corpus is None:
            return own
        unseen = math.log(len(self.corpus) + 1)
        own *= np.array([self.frequencies.get(id, unseen) for id in encoded.ids])
        return own

    @property
    def that_counts(self) -> str:
        """The end of a message on texts without weight: with `idf`, tokens that all texts have weigh 0."""
        return "" if self.corpus is None else " with an inverse document frequency above 0"

    @cached_property
    def frequencies(self) -> dict[int, float]:
        """Inverse document frequencies by token: log((N + 1) / (n + 1)) for n of N texts that have it."""
        self.encoder.load(self.layer)
        corpus = self.corpus or ()
        counts: Counter[int] = Counter()
        for text in corpus:
            tokenized = self.encoder.tokenizer(whole_characters(text), truncation=True, max_length=self.encoder.limit)
            counts.update(set(tokenized["input_ids"]))
        return {token: math.log((len(corpus) + 1) / (count + 1)) for token, count in counts.items()}

    def evidence(self, candidate: str, references: Sequence[str]) -> BertScoreEvidence:
        """Return the comparisons behind a value; texts that are no longer in memory are encoded again."""
        own, *others = self.encoder.encode([candidate, *references], [self.layer])
        matches = []
        for index, other in enumerate(others):
            if not self.weights(other).any():
                continue
            similarity = self.vectors([own]) @ self.vectors([other]).T
            matches.append(
                Matches(
                    index,
                    similarity,
                    *self.table([own], [other])[0][0],
                    tuple(map(int, similarity.argmax(axis=1))),
                    tuple(map(int, similarity.argmax(axis=0))),
                )
            )
        best = max(range(len(matches)), key=lambda place: matches[place].f1)  # the first of equals
        counted = tuple(range(len(matches))) if self.references == "mean" else (best,)
        return BertScoreEvidence(self.side(own), tuple(map(self.side, others)), tuple(matches), counted)

    def side(self, encoded: Encoded) -> Side:
        """Return a text's part of the evidence."""
        return Side(encoded.spans, tuple(map(float, self.weights(encoded))), encoded.truncated)


def starts(texts: Sequence[Encoded]) -> NDArray[np.intp]:
    """Return the row at which each text begins when the tokens of all are stacked."""
    return np.cumsum([0, *(len(encoded.ids) for encoded in texts[:-1])])


def read_baseline(path: Path, layer: int) -> Baseline:
    """Read a layer's line of a baseline file. Raises `BadRecord`, naming the line."""
    for place, line in lines(path):
        first, *others = line.split(",")
        if first.strip() != str(layer):
            continue
        try:
            precision, recall, f1 = map(float, others)
        except ValueError:
            place.refuse("a line must be LAYER,P,R,F with four numbers")
        if not all(math.isfinite(value) and value < 1 for value in (precision, recall, f1)):
            place.refuse("a baseline is below 1")
        return Baseline(precision, recall, f1, sha256(path)[:8])
    raise BadRecord(f"{path} has no line for layer {layer}")


def read_idf(source: str, records: Records | None, _language: str) -> tuple[str, ...]:
    """Read the option `--idf`: the lines of a file, or all references or sources of the records. Raises ValueError."""
    together = records() if records is not None and source in ("references", "sources") else ()
    if source == "references":
        texts = sorted({text for document, _ in together for text in document.references})
        if records is not None and not texts:
            raise ValueError("--idf references: no document has a reference; take --idf sources")
        return tuple(texts)
    if source == "sources":
        return tuple(sorted({document.source_text for document, _ in together}))
    if not Path(source).is_file():
        raise ValueError(f"--idf names no file: {source}")
    return tuple(line for _, line in lines(Path(source)))


@dataclass(frozen=True)
class BertScoreOptions:
    """Options of BERTScore and of its encoder: see `BertScore`, `relevance.metrics.models.encoder.Encoder`."""

    references: str = "max"
    model: str = option(EMBEDDED, "Encoder of BERTScore: embedded, a folder, or a Hugging Face name.")
    layer: int | None = option(None, "BERTScore: hidden layer.  [default: 5 of embedded's 6]", given_as=int, least=0)
    dtype: str = option(
        "float32",
        "BERTScore: precision of the encoder; bfloat16 is faster on processors that support it.",
        choices=DTYPES,
    )
    idf: tuple[str, ...] | None = option(
        None,
        "BERTScore, and tfidf of ROUGE-K and CAROUGE: weight by rarity among the lines of a file, or among all "
        "`references` or `sources`.",
        read=read_idf,
    )
    baseline: Path | None = option(None, "BERTScore: rescale by a baseline file of lines LAYER,P,R,F.", given_as=Path)
    batch_tokens: int = option(BATCH_TOKENS, "Tokens encoded at once.", given_as=int, least=1, most=2**31 - 1)
    download: bool = option(False, "Fetch --model from the Hugging Face hub if it is not here.", given_as=bool)


def make_bertscore(*, model: str, dtype: str, batch_tokens: int, download: bool, **options: Any) -> BertScore:
    """Make BERTScore with the encoder that all metrics with these settings share."""
    encoder = shared_encoder(model, dtype=dtype, batch_tokens=batch_tokens, download=download)
    return BertScore(**options, encoder=encoder)


def options_of(settings: Mapping[str, str]) -> dict[str, Any]:
    """Return the options of a signature's settings. Raises ValueError."""
    layer = int(settings["layer"])
    # Otherwise the metrics' common encoder would be asked for this layer from now on, and refuse every text.
    if layer not in range(embedded_layers() + 1):
        raise ValueError(f"the embedded encoder has no layer {layer}")
    dtype = "bfloat16" if settings["model"].endswith("@bfloat16") else "float32"
    return {"references": settings["refs"], "layer": layer, "dtype": dtype}


@cache
def embedded_layers() -> int:
    """Return the number of layers of the embedded encoder. Raises `ModelUnavailable`."""
    file = find_model(EMBEDDED).folder / "config.json"
    try:
        return int(json.loads(file.read_text(encoding="utf-8"))["num_hidden_layers"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelUnavailable(f"{file} cannot be read") from error


BERTSCORE = MetricKind(
    "bertscore",
    "BERTScore",
    "F1 of greedily matched token vectors",
    make=make_bertscore,
    options=BertScoreOptions,
    options_of=options_of,
    evidence=BertScoreEvidence,
    renderer="bertscore",
    needs_model=True,
    source="Zhang, Kishore, Wu, Weinberger, Artzi (2020). BERTScore: Evaluating Text Generation with BERT. ICLR",
)
