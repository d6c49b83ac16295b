"""What both readers of local models do, on tiny models of the real architectures: batches, signatures, refusals."""

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from relevance.metrics.apes.base import CandidateAnswer, ReadingTask
from relevance.metrics.apes.readers import reader
from relevance.metrics.apes.readers.pretrained import UNSEEN
from relevance.metrics.models.files import ModelUnavailable
from tests.metrics.apes.tiny import ARCHITECTURES, TASKS, save, without_safetensors

pytestmark = [pytest.mark.model, pytest.mark.parametrize("kind", ["extractive", "masked"])]

HEADS = {"extractive": "ForQuestionAnswering", "masked": "ForMaskedLM"}

LACKS = {"extractive": r"qa_outputs\.bias", "masked": "cls"}
"""What the weights of a model without a head lack."""


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_task_alone_is_read_as_in_a_batch(kind: str, architecture: str, tmp_path: Path) -> None:
    loaded = reader(f"{kind}:{save(tmp_path / architecture, architecture, HEADS[kind])}")
    for item, together in zip(TASKS, loaded.read(TASKS), strict=True):
        (alone,) = loaded.read([item])
        assert alone.scores == pytest.approx(together.scores, abs=1e-4)
        assert (alone.chosen, alone.span) == (together.chosen, together.span)
    assert loaded.read([]) == []


def test_a_mention_that_the_tokens_leave_out_is_never_the_answer(kind: str, tmp_path: Path) -> None:
    hidden = ReadingTask(
        "\u200b and Ann", "@placeholder won", (CandidateAnswer("\u200b", ((0, 1),)), CandidateAnswer("Ann", ((6, 9),)))
    )
    answer = reader(f"{kind}:{save(tmp_path / 'bert', 'bert', HEADS[kind])}").read([hidden])[0]
    assert answer.chosen == 1
    assert answer.scores[0] == UNSEEN


def test_the_signature_names_the_weights(kind: str, tmp_path: Path) -> None:
    folder = save(tmp_path / "bert", "bert", HEADS[kind])
    digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    assert reader(f"{kind}:{folder}").signature == f"{kind}:bert@{digest[:8]}"


@pytest.mark.process
def test_making_a_reader_loads_no_torch(kind: str, tmp_path: Path) -> None:
    folder = save(tmp_path / "bert", "bert", HEADS[kind])
    made = f"from relevance.metrics.apes.readers import reader; reader('{kind}:{folder}')"
    code = f"import sys; {made}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"torch", "transformers"} & set(loaded)


@pytest.mark.smoke
@pytest.mark.parametrize("architecture", ["bert", "roberta"])
def test_pickled_weights_are_refused(kind: str, architecture: str, tmp_path: Path) -> None:
    folder = save(tmp_path / "old", architecture, HEADS[kind])
    without_safetensors(folder)
    with pytest.raises(ModelUnavailable, match=r"has no model\.safetensors.*convert it"):
        reader(f"{kind}:{folder}")


@pytest.mark.parametrize("name", ["no-one/no-such-model", "/no/such/folder"])
def test_a_model_that_is_not_here_is_refused(kind: str, name: str) -> None:
    with pytest.raises(ModelUnavailable, match=f"{name}' is not on this machine: name a folder, or download it"):
        reader(f"{kind}:{name}")


def test_a_model_for_something_else_is_refused(kind: str, tmp_path: Path) -> None:
    """transformers would fill the missing head with random numbers."""
    folder = save(tmp_path / "base", "bert", "Model")
    with pytest.raises(ModelUnavailable, match=f"was not trained for this: its weights lack {LACKS[kind]}"):
        reader(f"{kind}:{folder}").read(TASKS[:1])


def test_broken_folders_are_refused(kind: str, tmp_path: Path) -> None:
    folder = save(tmp_path / "broken", "bert", HEADS[kind])
    (folder / "tokenizer.json").write_text("{")
    with pytest.raises(ModelUnavailable, match="has no tokenizer that can be loaded"):
        reader(f"{kind}:{folder}").read(TASKS[:1])
    save(folder, "bert", HEADS[kind])
    (folder / "config.json").write_text("{}")
    with pytest.raises(ModelUnavailable, match="cannot be loaded"):
        reader(f"{kind}:{folder}").read(TASKS[:1])
