"""Checkpoints in GGUF: a tiny one that is written here, and a real one where it is at hand."""

from dataclasses import replace
from pathlib import Path

import pytest

from relevance.data.records import OUTPUT_CUT, Document
from relevance.llm.asking import Caller, Limits
from relevance.llm.calls import Calls
from relevance.llm.client import Message, Settings
from relevance.llm.embedded import NoEmbeddedModel, find_embedded_model
from relevance.llm.judge import DISAGREE, FIRST, SECOND, Judge, Pair, Question
from relevance.metrics.models.files import BadModel, ModelUnavailable
from relevance.summarizers.checkpoints import CheckpointSummarizer, WritingOptions
from relevance.summarizers.checkpoints.chat import CheckpointClient
from relevance.summarizers.language_model import LanguageModel
from tests.summarizers.checkpoints import DOCUMENTS, save_llama, write_gguf

pytestmark = pytest.mark.model

SHORT = WritingOptions(max_tokens=10, device="cpu")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = save_llama(tmp_path_factory.mktemp("gguf") / "llama")
    return write_gguf(folder, folder.parent / "tiny.gguf")


@pytest.mark.smoke
def test_a_file_of_gguf_writes_what_its_folder_writes(tiny: Path, capfd: pytest.CaptureFixture[str]) -> None:
    system = CheckpointSummarizer("gguf", tiny, SHORT)
    result = system.summarize(DOCUMENTS)
    folder = CheckpointSummarizer("causal", tiny.parent / "llama", replace(SHORT, source_tokens=54), "tiny")
    assert result == folder.summarize(DOCUMENTS)
    assert len({summary.text for summary in result}) == len(DOCUMENTS)
    assert system.signature.startswith(f"gguf|model:{system.files.settings['model']}|prompt:")
    assert capfd.readouterr().err == ""  # the library's progress bar would stand in ours


def test_a_damaged_file_of_gguf_is_refused_in_one_line(tiny: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.gguf"
    for size in (4, 100, 5_000):
        damaged.write_bytes(tiny.read_bytes()[:size])
        with pytest.raises(BadModel, match=r"damaged\.gguf cannot be loaded") as refused:
            CheckpointSummarizer("gguf", damaged, SHORT).summarize(DOCUMENTS)
        assert "\n" not in str(refused.value)


@pytest.fixture(scope="module")
def client() -> CheckpointClient:
    """SmolLM2-135M-Instruct in 4 bits, from a package that only holds the file: weak, but real.

    It takes half a minute to open.
    """
    try:
        file = find_embedded_model()
    except NoEmbeddedModel as error:
        pytest.skip(str(error))
    return CheckpointClient("gguf", file, device="cpu")


TOWER = (
    "The Eiffel Tower in Paris was built for the World's Fair of 1889. It is 330 metres high. "
    "Seven million people visit it each year, more than any other monument that one pays to see."
)


def test_a_real_model_writes_summaries_and_answers(client: CheckpointClient) -> None:
    answer = client.complete([Message("user", "What is the capital of France?")], Settings(max_tokens=12))
    assert "Paris" in answer.text
    file = client.checkpoint.model.files.path
    assert (answer.model, answer.finish_reason) == (file.stem, "stop")
    system = CheckpointSummarizer("gguf", file, replace(SHORT, max_tokens=16))
    system.checkpoint = replace(client.checkpoint, options=system.options)
    (summary,) = system.summarize([Document("d", TOWER, ())])
    assert "Eiffel Tower" in summary.text
    assert summary.remarks == (OUTPUT_CUT,)


def test_a_real_model_is_asked_for_a_summary_once(client: CheckpointClient, tmp_path: Path) -> None:
    calls = Calls(tmp_path / "calls.db")
    caller = Caller(client, calls, limits=Limits(at_once=1))
    system = LanguageModel(caller, settings=Settings(max_tokens=40))
    (summary,) = system.summarize([Document("d", TOWER, ())])
    assert "Eiffel Tower" in summary.text
    assert summary.text.count(". ") == 0  # one sentence
    assert system.estimate([Document("d", TOWER, ())]).recorded == 1
    calls.close()


def test_a_real_model_judges_pairs(client: CheckpointClient, tmp_path: Path) -> None:
    calls = Calls(tmp_path / "calls.db")
    judge = Judge(
        Caller(client, calls, limits=Limits(at_once=1)), "small", Question(ties=False), Settings(max_tokens=12)
    )
    texts = ("The Eiffel Tower is 330 metres high.", "Bananas are yellow.", "It was built for a World's Fair.")
    pairs = [Pair(TOWER, texts[0], texts[1]), Pair(TOWER, texts[1], texts[2])]
    judgments = judge.judge(pairs)
    assert judgments[0].verdict in {FIRST, SECOND, DISAGREE}  # so small a model tends to take the second
    assert {judgment.verdict is None for judgment in judgments} == {
        judgment.reason is not None for judgment in judgments
    }
    assert all(
        judgment.tokens_in and judgment.tokens_out and judgment.models == (client.model,) for judgment in judgments
    )
    verdicts = [order for judgment in judgments for order in judgment.orders]
    assert judge.plan(pairs).recorded == 4 - verdicts.count(None)  # what has no verdict is asked for anew
    assert judge.judge(pairs) == judgments
    calls.close()


def test_what_is_not_installed_is_named(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("relevance.summarizers.checkpoints.files.find_spec", lambda name: None)
    with pytest.raises(ModelUnavailable, match=r"need accelerate and gguf: pip install 'relevance-studies\[neural\]'"):
        CheckpointSummarizer("gguf", tiny)
