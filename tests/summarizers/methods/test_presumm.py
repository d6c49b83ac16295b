"""PreSumm's extractive classifier: what it reads, its labels, loss and choice, and that it learns."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from relevance.data.records import Document
from relevance.metrics.models.files import BadModel
from relevance.summarizers.checkpoints.files import UnsafeCheckpoint
from relevance.summarizers.methods.base import Decoding, Network, UnsuitableModel
from relevance.summarizers.methods.presumm import PreSumm, choose, cut_tokens, mark_sentences, place_vectors
from relevance.summarizers.methods.published import PUBLISHED, Training
from relevance.summarizers.training.run import train
from relevance.summarizers.training.task import Task
from tests.summarizers.checkpoints import TEXTS, save_gpt2

pytestmark = pytest.mark.model

DOCUMENTS = [Document(f"d{place}", text, (text.split(". ")[place % 3],)) for place, text in enumerate(TEXTS)]
"""Documents of three sentences, of which the summary is one."""


def start(bert: Path, method: PreSumm | None = None) -> Network:
    torch.manual_seed(1)
    network = (method or PreSumm()).start(bert, DOCUMENTS)
    network.model.eval()
    return network


def test_each_sentence_stands_between_cls_and_sep_and_segments_alternate(bert: Path) -> None:
    tokenizer = start(bert).tokenizer
    read = cut_tokens(tokenizer, ["the town", "the bridge", "the car"], 64)
    words = tokenizer.convert_ids_to_tokens(read.ids)
    assert words == ["[CLS]", "the", "town", "[SEP]", "[CLS]", "the", "bridge", "[SEP]", "[CLS]", "the", "car", "[SEP]"]
    assert read.segments == (0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0)
    assert read.places == (0, 4, 8)
    assert not read.cut


@pytest.mark.parametrize(
    ("limit", "words", "places"),
    [
        (8, "[CLS] the town [SEP] [CLS] the bridge [SEP]", (0, 4)),
        (7, "[CLS] the town [SEP] [CLS] the [SEP]", (0, 4)),
        (6, "[CLS] the town [SEP]", (0,)),
    ],
)
def test_what_does_not_fit_is_not_read(bert: Path, limit: int, words: str, places: tuple[int, ...]) -> None:
    tokenizer = start(bert).tokenizer
    read = cut_tokens(tokenizer, ["the town", "the bridge", "the car"], limit)
    assert " ".join(tokenizer.convert_ids_to_tokens(read.ids)) == words
    assert read.places == places
    assert read.cut


@pytest.mark.parametrize(
    ("sentences", "reference", "labels"),
    [
        # b c has 2 of 3 words and 1 of 2 bigrams, then a completes the words: (2*3/6) + (2*1/3) > .8 + .67
        (["a", "b c", "x y"], "a b c", [1, 1, 0]),
        (["x", "a b c", "a b c"], "a b c", [0, 1, 0]),  # the earlier of equals; the other raises nothing
        (["x", "y"], "a b c", [0, 0]),
        (["a", "b", "c", "d"], "a b c d", [1, 1, 1, 0]),  # three at most
    ],
)
def test_labels_are_the_greedy_extract(sentences: list[str], reference: str, labels: list[int]) -> None:
    assert mark_sentences(sentences, reference, 3) == labels


@pytest.mark.smoke
def test_the_loss_of_three_sentences_by_hand(bert: Path) -> None:
    network, method = start(bert), PreSumm()
    batch = method.batch(network, DOCUMENTS[:2], labels=True)
    assert batch["labels"].tolist() == [[1, 0, 0], [0, 1, 0]]
    batch["sentences"][1, 1:] = 0  # four sentences are left
    scores = network.model(batch)
    p = torch.sigmoid(scores).tolist()
    by_hand = -(math.log(p[0][0]) + math.log(1 - p[0][1]) + math.log(1 - p[0][2]) + math.log(1 - p[1][0])) / 4
    assert method.loss(network.model, batch).item() == pytest.approx(by_hand, rel=1e-5)


def test_a_document_s_scores_do_not_depend_on_the_others_of_its_batch(bert: Path) -> None:
    network, method = start(bert), PreSumm()
    short = Document("short", "The car.", ("The car.",))
    together = network.model(method.batch(network, [DOCUMENTS[0], short], labels=False))
    for row, document in enumerate((DOCUMENTS[0], short)):
        alone = network.model(method.batch(network, [document], labels=False))[0]
        assert torch.allclose(together[row, : len(alone)], alone, atol=1e-5)


def test_sentences_are_told_apart_by_their_place(bert: Path) -> None:
    """Their places are sines and cosines; without them two equal sentences of equal segment have one score."""
    assert place_vectors(2, 4)[1].tolist() == pytest.approx([math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)])
    network = start(bert)
    document = Document("d", ("the town", "the car", "the town"), ("the town",))
    first, _, third = network.model(PreSumm().batch(network, [document], labels=False))[0].tolist()
    assert first != pytest.approx(third, abs=1e-3)


def test_no_sentence_shares_a_trigram_with_one_before() -> None:
    sentences = ["we met the old man", "he saw the old man there", "the old man there", "rain fell"]
    assert choose(sentences, [0.1, 0.9, 0.8, 0.2], 3) == ["he saw the old man there", "rain fell"]
    assert choose(sentences, [0.1, 0.9, 0.8, 0.2], 1) == ["he saw the old man there"]
    assert choose(["b", "a"], [0.5, 0.9], 2) == ["b", "a"]  # in the order of the document


def test_an_encoder_that_is_none_is_refused(bert: Path, tmp_path: Path) -> None:
    with pytest.raises(UnsuitableModel, match=r"needs an encoder that knows \[CLS\] and \[SEP\].*gpt2"):
        PreSumm().start(save_gpt2(tmp_path / "gpt2"), DOCUMENTS)
    with pytest.raises(UnsuitableModel, match="--model"):
        PreSumm().start(None, DOCUMENTS)
    (tmp_path / "bad").mkdir()
    for file in bert.iterdir():
        (tmp_path / "bad" / file.name).write_bytes(file.read_bytes())
    (tmp_path / "bad" / "config.json").write_text("{}")
    with pytest.raises(BadModel, match="holds no encoder"):
        PreSumm().start(tmp_path / "bad", DOCUMENTS)


def test_a_trained_folder_that_asks_for_code_of_the_hub_is_refused(bert: Path, tmp_path: Path) -> None:
    """Its config is checked as that of any checkpoint is, before transformers reads it."""
    method = PreSumm()
    method.save(start(bert), tmp_path, Decoding())
    config = json.loads((tmp_path / "config.json").read_text()) | {"attn_implementation": "somebody/else"}
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(UnsafeCheckpoint, match=r"asks for code of the hub \(somebody/else\), which is not run"):
        method.load(tmp_path)


def test_it_learns_which_sentences_make_a_summary(bert: Path, tmp_path: Path) -> None:
    """Trained and judged on dev by the real trainer, written into a folder and read again."""
    method = PreSumm(sentences=1)
    training = Training(learning_rate=2e-3, batch=6, accumulation=1, epochs=3, clip=0, weight_decay=0)
    task = Task(method, bert, tuple(DOCUMENTS) * 20, tuple(DOCUMENTS), training, Decoding())
    assert train(task, tmp_path / "out")
    network = method.load(tmp_path / "out")
    texts = method.write(network, [*DOCUMENTS, Document("empty", "", ())], Decoding())
    wanted = [document.references[0].rstrip(".") for document in DOCUMENTS]
    assert [text.rstrip(".") for text in texts] == [*wanted, ""]
    assert {file.suffix for file in (tmp_path / "out").iterdir()} == {".json", ".jsonl", ".safetensors", ".txt"}


def test_published_settings() -> None:
    """Noam's 2e-3 min(step^-.5, step 10,000^-1.5) rises to 2e-5 at 10,000 and falls with the root of the steps."""
    training: Any = PUBLISHED["presumm"].training
    assert training.learning_rate == pytest.approx(2e-3 * 10_000**-0.5)
    assert (training.scheduler, training.warmup, training.updates) == ("inverse_sqrt", 10_000, 50_000)
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=training.learning_rate)
    schedule = transformers.get_scheduler(training.scheduler, optimizer, num_warmup_steps=training.warmup)
    for step in (1, 5_000, 10_000, 40_000):
        noam = 2e-3 * min(step**-0.5, step * 10_000**-1.5)
        assert training.learning_rate * schedule.lr_lambdas[0](step) == pytest.approx(noam)
    assert PreSumm().sentences == 3
