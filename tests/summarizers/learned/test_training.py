"""Training of extractors: what is learned, what is left out, and the same files from the same documents."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from relevance.data.demo import FILE
from relevance.data.importers import read_documents
from relevance.data.records import Document
from relevance.summarizers.learned import linear, training
from relevance.summarizers.learned.extractor import LearnedExtractor
from relevance.summarizers.learned.training import TooFewDocuments, choose, label, train_extractor
from tests.commands import refused, run

DOCUMENTS = [document for document, _ in read_documents(FILE)]


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


# --- what is learned ----------------------------------------------------------------------------------------


def test_features_are_ngrams_places_and_length() -> None:
    first, second = linear.features(["We propose it.", "Café!"])
    assert first == {
        *("<", "we", "propose", "it", ">", "< we", "we propose", "propose it", "it >"),
        *("< we propose", "we propose it", "propose it >", "@first 0", "@last 1", "@words 0"),
    }
    assert second == {"<", "café", ">", "< café", "café >", "< café >", "@first 1", "@last 0", "@words 0"}
    assert [max(linear.features(["x"] * 30)[20] & {"@first 9", "@last 9"})] == ["@last 9"]


def test_weights_are_those_of_ridge_regression() -> None:
    documents = [item.sentences for item in label(DOCUMENTS[:6])]
    rouge = [item.rouge for item in label(DOCUMENTS[:6])]
    weights = linear.fit(documents, rouge, 30.0)
    # the closed form, (X'X + penalty I) w = X'y, with columns that are centred
    known = [feature for sentences in documents for feature in linear.features(sentences)]
    table = np.array([[name in features for name in weights] for features in known], float)
    table -= table.mean(axis=0)
    target = np.concatenate([values - values.mean() for values in rouge])
    expected = np.linalg.solve(table.T @ table + 30.0 * np.eye(len(weights)), table.T @ target)
    assert list(weights.values()) == pytest.approx(expected, abs=1e-6)
    assert list(weights) == sorted(weights)
    assert all(sum(name in features for features in known) >= 5 for name in weights)


def test_a_sentence_is_worth_its_rouge_against_the_best_reference() -> None:
    references = ("nothing of it", "A red lamp.")
    (result,) = label([Document("d", ("Red lamps shine.", "A lamp.", "…"), references)])
    # red, lamp of 3 and 3 words: 2/3; a, lamp of 2 and 3: precision 1, recall 2/3; no token: 0
    assert result.rouge.tolist() == pytest.approx([2 / 3, 4 / 5, 0.0])
    silent = [
        Document("one", ("One sentence.",), references),
        Document("bare", ("One.", "Two."), ()),
        Document("signs", ("One.", "Two."), ("…",)),
        Document("absent", "", references),
    ]
    assert label(silent) == []


def test_the_best_on_dev_is_chosen_and_of_equals_the_first() -> None:
    dev = label([Document("d", ("Red lamps shine.", "A lamp."), ("A red lamp.",))])
    notes: list[str] = []
    low, high = [[1.0, 0.0]], [[0.0, 1.0]]
    model, rouge1, name = choose([("a", 1, low), ("b", 2, high), ("c", 3, high)], dev, notes.append)
    assert (model, rouge1, name) == (2, pytest.approx(0.8), "b")
    assert notes[0] == "a: ROUGE-1 66.67 on the documents to choose on"


@pytest.mark.model
def test_the_head_learns_which_sentence_is_best() -> None:
    """What its vector has in common with the best ones of other documents says it, and not its place."""
    import torch

    from relevance.summarizers.learned import minilm

    chance = torch.Generator().manual_seed(0)
    sign = torch.randn(minilm.ENCODER_WIDTH, generator=chance)
    best = torch.randint(5, (100,), generator=chance).tolist()
    documents = [torch.randn(5, minilm.ENCODER_WIDTH, generator=chance) for _ in best]
    for vectors, place in zip(documents, best, strict=True):
        vectors[place] += sign
    rouge = [np.where(np.arange(5) == place, 0.6, 0.2) for place in best]
    before = torch.random.get_rng_state()
    head = minilm.fit(documents[:64], rouge[:64], 0)
    assert torch.equal(torch.random.get_rng_state(), before)
    numbers = [int(np.argmax(minilm.score_vectors([head], vectors))) for vectors in documents[64:]]
    assert np.mean(np.equal(numbers, best[64:])) > 0.9, "by chance it would be 0.2"


@pytest.mark.model
def test_a_long_document_is_read_in_stretches() -> None:
    import torch

    from relevance.summarizers.learned import minilm

    with torch.random.fork_rng():
        torch.manual_seed(0)
        head = minilm.head_class()().eval()
        vectors = torch.randn(600, minilm.ENCODER_WIDTH)
    stretches = minilm.stretches_of(vectors)
    assert [len(stretch.vectors) for stretch in stretches] == [256, 256, 88]
    assert [int(stretch.first[0]) for stretch in stretches] == [0, 256, 512]
    assert [int(stretch.last[-1]) for stretch in stretches] == [344, 88, 0]
    alone = minilm.score_vectors([head], vectors)
    assert len(alone) == 600
    with torch.inference_mode():
        together = head(stretches)  # padded: what is beside a stretch does not move it
        expected = together[2, :88].log_softmax(0).tolist()
    assert alone[512:] == pytest.approx(expected, abs=1e-5)
    assert (together[2, 88:] == -1e4).all()


# --- the folder ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["linear", pytest.param("minilm", marks=pytest.mark.model)])
def test_the_same_documents_give_the_same_bytes(kind: str, tmp_path: Path) -> None:
    result = []
    for threads, name in ((1, "one"), (2, "two")):
        if kind == "minilm":
            import torch

            before = torch.get_num_threads()
            torch.set_num_threads(threads)
        result.append(train_extractor(DOCUMENTS[:6], DOCUMENTS[6:8], tmp_path / name, kind, seeds=3))
        if kind == "minilm":
            assert torch.get_num_threads() == threads
            torch.set_num_threads(before)
    assert result[0] == result[1]
    seeds = ", seeds [012], [012], [012]" if kind == "minilm" else ""
    assert re.fullmatch(rf"penalty \d+{seeds}", result[0].chosen)
    left, right = contents(tmp_path / "one"), contents(tmp_path / "two")
    assert left == right
    assert left.keys() >= {"extractor.json", "training_documents.txt", "ngrams.safetensors"}
    first, second = (LearnedExtractor(tmp_path / name) for name in ("one", "two"))
    assert first.signature == second.signature
    assert [document in first.training_documents for document in DOCUMENTS] == [True] * 6 + [False] * 18
    (summary,) = first.summarize(DOCUMENTS[20:21])
    assert summary.text in DOCUMENTS[20].source_text


def test_the_command_leaves_out_what_it_is_measured_by(tmp_path: Path, sqlite_url: str) -> None:
    lines = FILE.read_text().splitlines(keepends=True)
    for name, part in [("train", lines), ("dev", lines[:8]), ("test", lines[8:12])]:
        (tmp_path / f"{name}.jsonl").write_text("".join(part))
    run("import", tmp_path / "test.jsonl", "--name", "held out")
    files = [tmp_path / "train.jsonl", "--dev", tmp_path / "dev.jsonl", "--without", "held out"]
    output = tmp_path / "mine"
    result = run("train", "extractor", *files, "--kind", "linear", "--output", output)
    text = result.stdout.splitlines()
    about = json.loads((output / "extractor.json").read_text())
    assert text[0] == (
        f"wrote {output}: ROUGE-1 {100 * about['rouge1']:.2f} on 8 documents of {tmp_path / 'dev.jsonl'} "
        f"({about['chosen']}), learned from 12"
    )
    assert "12 of 24 documents to learn from, 8 of 8 to choose on" in result.stderr
    assert result.stderr.count("penalty ") == len(training.PENALTIES)
    assert [document in LearnedExtractor(output).training_documents for document in DOCUMENTS] == (
        [False] * 12 + [True] * 12
    )
    assert "mine is not empty: name a new folder" in refused(
        "train", "extractor", *files, "--kind", "linear", "--output", output
    )


def test_too_little_to_learn_from_is_refused(tmp_path: Path, sqlite_url: str) -> None:
    with pytest.raises(TooFewDocuments, match="no document to learn from"):
        train_extractor(DOCUMENTS[:2], DOCUMENTS[:2], tmp_path / "new", "linear")
    with pytest.raises(TooFewDocuments, match="no document to choose on"):
        train_extractor(DOCUMENTS[:2], [], tmp_path / "new", "linear")
    with pytest.raises(ValueError, match="too few documents to learn from"):
        train_extractor([Document("d", ("A b.", "C d."), ("C.",))], DOCUMENTS[2:], tmp_path / "new", "linear")
    assert not (tmp_path / "new" / "extractor.json").exists()
    message = refused("train", "extractor", FILE, "--dev", "none", "--output", tmp_path / "other")
    assert message.startswith("there is no file none")
