"""The attentive reader: anonymous texts, a network that learns to read, checkpoints that cannot run code."""

import json
import pickle
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from relevance.data.importers.question import QuestionFile
from relevance.data.records import BadRecord
from relevance.metrics.apes.base import CandidateAnswer, ReadingTask
from relevance.metrics.apes.readers import reader
from relevance.metrics.apes.readers.anonymous import Cloze, cloze_from_file, cloze_from_task, tokenize
from relevance.metrics.apes.readers.attentive import AttentiveReader, Settings, network_class
from relevance.metrics.apes.readers.attentive_training import Hyperparameters, TrainingResult, train
from relevance.metrics.apes.readers.resuming import AnotherTraining
from relevance.metrics.models.files import ModelUnavailable

pytestmark = pytest.mark.model

NAMES = ["Ann Lee", "Bob Roe", "The Cats", "Dr. Dee", "Eve"]


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Networks this small only lose by threads, most of all where tests run beside each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def corpus(folder: Path, count: int, seed: int) -> None:
    """Questions of one rule: of two to four entities in any order, one won and the others lost."""
    folder.mkdir(parents=True)
    chosen = random.Random(seed)
    for number in range(count):
        entities = chosen.sample(range(40), chosen.randint(2, 4))
        winner = chosen.choice(entities)
        passage = " . ".join(f"@entity{e} {'won' if e == winner else 'lost'}" for e in entities)
        question = "@placeholder won it"
        (folder / f"{number}.question").write_text(f"http://x\n\n{passage} .\n\n{question}\n\n@entity{winner}\n\n")


def trained(folder: Path, output: str = "winner.safetensors", *, epochs: int = 12, seed: int = 0) -> TrainingResult:
    sizes = Hyperparameters(epochs, batch_size=8, hidden=32, embedding=16, learning_rate=0.02, patience=3)
    return train(folder, folder / output, sizes, seed=seed)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> TrainingResult:
    folder = tmp_path_factory.mktemp("corpus")
    for seed, (split, count) in enumerate([("training", 80), ("validation", 40), ("test", 40)]):
        corpus(folder / split, count, seed)
    return trained(folder)


def race(*results: tuple[str, str], question: str = "@placeholder won it") -> ReadingTask:
    """A summary such as `Ann Lee won. Bob Roe lost.`, its entities the candidates, in the order of `NAMES`."""
    summary = " ".join(f"{name} {verb}." for name, verb in results)
    named = sorted({name for name, _ in results}, key=NAMES.index)
    starts = {name: [i for i in range(len(summary)) if summary.startswith(name, i)] for name in named}
    return ReadingTask(
        summary, question, tuple(CandidateAnswer(n, tuple((i, i + len(n)) for i in starts[n])) for n in named)
    )


RACES = [
    race((NAMES[0], "lost"), (NAMES[1], "won")),
    race((NAMES[0], "won"), (NAMES[1], "lost")),
    race((NAMES[3], "lost"), (NAMES[4], "lost"), (NAMES[0], "won"), (NAMES[2], "lost")),
    race((NAMES[2], "won"), (NAMES[0], "lost"), (NAMES[1], "lost")),
]
WINNERS = [1, 0, 0, 2]

# --- texts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Don’t: it's Ann's", ["do", "n't", ":", "it", "'s", "ann", "'s"]),
        ("a 27-year-old, 1,000.50 at 3:15.", ["a", "27-year-old", ",", "1,000.50", "at", "3:15", "."]),
        ("@placeholder @entity1", ["@", "placeholder", "@", "entity1"]),  # not what stands for blanks and entities
        ("Åsa åt 東京", ["åsa", "åt", "東京"]),
        (" ", []),
    ],
)
def test_words(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens
    assert tokenize(" ".join(tokens)) == tokens  # as the corpus stands in its files


def test_a_task_becomes_anonymous() -> None:
    #       0         1         2         3         4
    #       0123456789012345678901234567890123456789012
    text = "New York met Ann Lee. NEW YORK lost; she won"
    task = ReadingTask(
        text,
        "@placeholder told ann lee of new york, not of new yorkers",
        (CandidateAnswer("Ann Lee", ((13, 20),)), CandidateAnswer("New York", ((22, 30), (0, 8)))),
    )
    cloze, places = cloze_from_task(task)
    assert cloze.passage == (0, "met", 1, ".", 0, "lost", ";", "she", "won")
    # No part of a word is a name.
    assert cloze.question == ("@placeholder", "told", 1, "of", 0, ",", "not", "of", "new", "yorkers")
    assert places == ((2,), (4, 0))


def test_overlapping_mentions_all_stand_in_the_passage() -> None:
    task = ReadingTask(
        "the New York Times",
        "@placeholder",
        (CandidateAnswer("New York", ((4, 12),)), CandidateAnswer("x", ((4, 18),))),
    )
    assert cloze_from_task(task) == (Cloze(("the", 0, 1), ("@placeholder",)), ((1,), (2,)))


def test_a_file_is_numbered_by_occurrence() -> None:
    file = QuestionFile("@entity7 , @entity3 Said @entity7", "@entity9 met @placeholder", "@entity3")
    cloze = Cloze((0, ",", 1, "said", 0), (2, "met", "@placeholder"))
    assert cloze_from_file(file) == (cloze, 1)
    assert cloze_from_file(file._replace(answer="@entity9")) == (cloze, None)


# --- training and reading ------------------------------------------------------------------------------------


def test_training_learns_the_rule_and_not_the_questions(result: TrainingResult) -> None:
    assert (result.training, result.validation) == (80, 40)
    assert result.accuracy == 1.0
    assert result.test_accuracy is not None
    assert result.test_accuracy >= 0.95


def test_a_running_text_is_read(result: TrainingResult) -> None:
    outcome = AttentiveReader.load(result.output).read(RACES)
    assert [answer.chosen for answer in outcome] == WINNERS
    for task, answer in zip(RACES, outcome, strict=True):
        assert answer.span in task.candidates[answer.chosen].mentions
        assert np.exp(answer.scores).sum() == pytest.approx(1, abs=1e-5)


def test_the_answer_is_read_from_the_mention_with_the_most_attention(result: TrainingResult) -> None:
    task = race(("Ann Lee", "lost"), ("Bob Roe", "lost"), ("Ann Lee", "won"))
    cloze, mentions = cloze_from_task(task)
    attention = [0.0] * len(cloze.passage)
    attention[mentions[0][0]], attention[mentions[0][1]], attention[mentions[1][0]] = 0.1, 0.2, 0.7
    answer = AttentiveReader.load(result.output).answer(task, cloze, mentions, [-0.2, -1.7, -9.0, -9.0], attention)
    assert answer[:3] == (0, (-0.2, -1.7), (28, 35))  # Ann Lee, who won


def test_a_task_alone_is_read_as_in_a_batch() -> None:
    """Of random weights, as a trained network may take no notice of what padding would change."""
    torch.manual_seed(0)
    settings = Settings(8, 8, 5, ("won", "lost", "it", "."))
    network = network_class()(settings)
    loaded = AttentiveReader(settings, lambda: network, "random")
    tasks = [*RACES, race((NAMES[0], "won"), (NAMES[1], "won"), question="it was @placeholder that won it, won it")]
    together = loaded.read(tasks)
    for task, answer in zip(tasks, together, strict=True):
        (alone,) = loaded.read([task])
        assert alone.scores == pytest.approx(answer.scores, abs=1e-5)
        assert (alone.chosen, alone.span) == (answer.chosen, answer.span)
    assert loaded.read([]) == []


def test_entities_beyond_the_markers_share_the_last(result: TrainingResult) -> None:
    five = race(*[(name, "lost") for name in NAMES])  # training had at most four
    (answer,) = AttentiveReader.load(result.output).read([five])
    assert answer.scores[3] == answer.scores[4]


def test_the_scores_are_those_of_the_formulas(result: TrainingResult) -> None:
    """Section 3.2 of the paper, and the recurrence of Cho et al. 2014, in numpy and one token at a time."""
    weights = load_file(result.output)
    settings = AttentiveReader.load(result.output).settings
    task = RACES[2]
    cloze, _ = cloze_from_task(task)

    def sigmoid(x: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-x))

    def states(rnn: str, tokens: list[int], way: str) -> np.ndarray:
        w, u, b, c = (weights[f"{rnn}.{way}.{part}_l0"] for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
        state, result = np.zeros(settings.hidden), []
        for token in tokens if way == "onward" else tokens[::-1]:
            x, h = np.split(w @ weights["embedding.weight"][token] + b, 3), np.split(u @ state + c, 3)
            reset, update = sigmoid(x[0] + h[0]), sigmoid(x[1] + h[1])
            state = (1 - update) * np.tanh(x[2] + reset * h[2]) + update * state
            result.append(state)
        return np.array(result if way == "onward" else result[::-1])

    passage, question = (list(map(settings.number, tokens)) for tokens in cloze)
    p = np.hstack([states("passage", passage, "onward"), states("passage", passage, "back")])
    q = np.hstack([states("question", question, "onward")[-1], states("question", question, "back")[0]])
    attention = np.exp(p @ (weights["attention.weight"] @ q))
    o = attention / attention.sum() @ p
    logits = weights["output.weight"] @ o
    # By first occurrence: Dr. Dee 0, Eve 1, Ann Lee 2, The Cats 3; candidates stand in the order of NAMES.
    expected = (logits - np.log(np.exp(logits).sum()))[[2, 3, 0, 1]]
    (answer,) = AttentiveReader.load(result.output).read([task])
    assert answer.scores == pytest.approx(expected, abs=1e-4)


def test_equal_seeds_train_equal_readers(tmp_path: Path) -> None:
    corpus(tmp_path / "corpus", 10, seed=5)
    files = [
        trained(tmp_path / "corpus", f"{name}.safetensors", epochs=2, seed=seed).output.read_bytes()
        for name, seed in [("a", 1), ("b", 1), ("c", 2)]
    ]
    assert files[0] == files[1] != files[2]


class Stopped(Exception):
    pass


@pytest.mark.parametrize("epoch", [1, 2, 4])
def test_a_training_that_was_stopped_goes_on_to_the_same(epoch: int, tmp_path: Path) -> None:
    for seed, (split, count) in enumerate([("training", 20), ("validation", 10), ("test", 5)]):
        corpus(tmp_path / split, count, seed)
    sizes = Hyperparameters(5, batch_size=4, hidden=8, embedding=8, learning_rate=0.02, patience=5)
    whole = train(tmp_path, tmp_path / "whole.safetensors", sizes)
    output, state = tmp_path / "stopped.safetensors", tmp_path / "stopped.safetensors.resume"

    def stop(line: str) -> None:
        if line.startswith(f"epoch {epoch} of"):
            raise Stopped

    with pytest.raises(Stopped):
        train(tmp_path, output, sizes, say=stop)
    assert state.is_file() == (epoch > 1)
    notes: list[str] = []
    resumed = train(tmp_path, output, sizes, resume=True, say=notes.append)
    assert resumed == whole._replace(output=output)
    assert output.read_bytes() == (tmp_path / "whole.safetensors").read_bytes()
    assert [line for line in notes if line.startswith("goes on")] == [f"goes on after epoch {epoch - 1}"] * (epoch > 1)
    assert not state.exists()


def test_a_state_of_another_training_is_refused(tmp_path: Path) -> None:
    for seed, (split, count) in enumerate([("training", 12), ("validation", 4)]):
        corpus(tmp_path / split, count, seed)
    sizes = Hyperparameters(3, batch_size=4, hidden=8, embedding=8)
    output, state = tmp_path / "out.safetensors", tmp_path / "out.safetensors.resume"

    def stop(line: str) -> None:
        if line.startswith("epoch 2 of"):
            raise Stopped

    with pytest.raises(Stopped):
        train(tmp_path, output, sizes, say=stop)
    for changes in ({"seed": 1}, {"sizes": sizes._replace(hidden=4)}, {"sizes": sizes._replace(learning_rate=0.5)}):
        with pytest.raises(AnotherTraining, match="of a training with other questions or settings"):
            train(tmp_path, output, **{"sizes": sizes, "resume": True} | changes)  # type: ignore[arg-type]
    kept = state.read_bytes()
    for damaged in (b"", kept[:-9], b"[]", pickle.dumps({})):
        state.write_bytes(damaged)
        with pytest.raises(AnotherTraining, match="cannot be read, so remove it and train again"):
            train(tmp_path, output, sizes, resume=True)
    state.write_bytes(kept)
    longer = train(tmp_path, output, sizes._replace(epochs=4), resume=True)  # more epochs are no other training
    assert longer.epochs == 4


def test_questions_that_cannot_be_answered_are_left_out_and_told(tmp_path: Path) -> None:
    corpus(tmp_path / "training", 4, seed=5)
    (tmp_path / "training" / "x.question").write_text("u\n\n@entity1 won .\n\n@placeholder won\n\n@entity2\n")
    notes: list[str] = []
    result = train(
        tmp_path,
        tmp_path / "out.safetensors",
        Hyperparameters(epochs=1, hidden=2, embedding=2),
        seed=1,
        say=notes.append,
    )  # the seed holds out one that can be answered
    assert result.training == 3
    assert "1 whose answer the passage does not mention are left out" in notes[0]
    assert "epoch 1 of 1" in notes[1]
    assert result.test_accuracy is None


def test_words_start_from_their_vectors(tmp_path: Path) -> None:
    class OnlyWon:
        signature, dimension = "won", 3

        def vectors(self, words: list[str]) -> tuple[np.ndarray, np.ndarray]:
            known = np.array([word == "won" for word in words])
            return np.where(known[:, None], np.float32([5, 6, 7]), np.float32(0)), known

    corpus(tmp_path / "corpus", 4, seed=5)
    output = tmp_path / "out.safetensors"
    train(tmp_path / "corpus", output, Hyperparameters(epochs=1, hidden=2, learning_rate=1e-9), vectors=OnlyWon())  # type: ignore[arg-type]
    settings = AttentiveReader.load(output).settings
    embedding = load_file(output)["embedding.weight"]
    assert embedding[settings.number("won")] == pytest.approx([5, 6, 7])
    assert abs(embedding[settings.number("lost")]).max() <= 0.0101


def test_training_refuses_before_it_works(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match=r"too few \.question files"):
        train(tmp_path, tmp_path / "out.safetensors")
    with pytest.raises(OSError, match="cannot be written"):
        train(tmp_path, tmp_path / "none" / "out.safetensors")
    with pytest.raises(ValueError, match="at least 1"):
        train(tmp_path, tmp_path / "out.safetensors", Hyperparameters(epochs=0))
    corpus(tmp_path / "corpus", 3, seed=0)
    (tmp_path / "corpus" / "2.question").write_text("http://x\n\n\n")
    with pytest.raises(BadRecord, match=r"2\.question:3: the passage is missing"):
        trained(tmp_path / "corpus")


# --- checkpoints ---------------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_a_checkpoint_gives_the_same_answers(result: TrainingResult, tmp_path: Path) -> None:
    loaded = AttentiveReader.load(result.output)
    copy = tmp_path / "winner.safetensors"
    loaded.save(copy)
    assert [path.name for path in tmp_path.iterdir()] == ["winner.safetensors"]
    again = reader(f"attentive-reader:{copy}")
    assert again.signature == loaded.signature
    assert again.signature.startswith("attentive-reader:winner@")
    assert again.read(RACES) == loaded.read(RACES)


@pytest.mark.smoke
def test_a_pickle_is_refused_and_not_run(tmp_path: Path) -> None:
    trap = tmp_path / "trap"

    class Malicious:
        def __reduce__(self) -> tuple[object, tuple[object, ...]]:
            return Path.touch, (trap,)

    path = tmp_path / "reader.safetensors"
    for write in (lambda: path.write_bytes(pickle.dumps(Malicious())), lambda: torch.save(Malicious(), path)):
        write()
        with pytest.raises(ModelUnavailable, match="not an attentive reader in safetensors"):
            AttentiveReader.load(path)
    assert not trap.exists()


@pytest.mark.parametrize(
    "settings",
    [
        None,
        "{",
        "[]",
        json.dumps({"hidden": 0, "embedding": 1, "entities": 1, "vocabulary": []}),
        json.dumps({"hidden": 1, "embedding": 1 << 60, "entities": 1, "vocabulary": []}),
        json.dumps({"hidden": 1, "embedding": 1, "entities": 1, "vocabulary": [1]}),
        json.dumps({"hidden": 1, "embedding": 1, "entities": 1}),
    ],
)
def test_other_safetensors_files_are_refused(tmp_path: Path, settings: str | None) -> None:
    path = tmp_path / "x.safetensors"
    save_file({"w": np.zeros(1, np.float32)}, path, {"attentive-reader": settings} if settings else None)
    with pytest.raises(ModelUnavailable, match="not an attentive reader in safetensors"):
        AttentiveReader.load(path)


def test_weights_that_do_not_fit_are_refused(result: TrainingResult, tmp_path: Path) -> None:
    weights = load_file(result.output)
    size = {"hidden": 1 << 20, "embedding": 1 << 20, "entities": 4, "vocabulary": []}  # terabytes, were they made
    path = tmp_path / "x.safetensors"
    save_file(weights, path, {"attentive-reader": json.dumps(size)})
    with pytest.raises(ModelUnavailable, match="do not fit its settings"):
        AttentiveReader.load(path).read(RACES)


def test_a_file_that_is_not_there_or_has_changed_is_refused(result: TrainingResult, tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="there is no file"):
        AttentiveReader.load(tmp_path)
    path = tmp_path / "x.safetensors"
    path.write_bytes(result.output.read_bytes())
    loaded = AttentiveReader.load(path)
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(ModelUnavailable, match="has changed"):
        loaded.read(RACES)


def test_unknown_readers_are_refused() -> None:
    for name in ("x", "masked", "masked:", "embedded:x"):
        with pytest.raises(ValueError, match="known are embedded, attentive-reader:FILE, extractive:MODEL"):
            reader(name)
