"""A checkpoint that is asked as a language model at an address is."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from relevance.llm.client import CallFailed, CallsRefused, Client, Message, Request, Settings, TokenCounter
from relevance.summarizers.checkpoints.chat import CheckpointClient
from tests.summarizers.checkpoints import TEXTS, save_bart, save_llama

pytestmark = pytest.mark.model

QUESTION = [Message("system", "Be brief."), Message("user", "Who pays for the bridge?")]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> CheckpointClient:
    folder = save_llama(tmp_path_factory.mktemp("chat") / "llama", chat=True, max_position_embeddings=128)
    return CheckpointClient("causal", folder, device="cpu")


def test_it_is_a_client(client: CheckpointClient) -> None:
    wanted: Client = client
    counter: TokenCounter = wanted.tokens
    assert (wanted.model, counter.name) == ("llama", "tokenizer")
    files = client.checkpoint.model.files.settings
    assert dict(wanted.identity) == {**files, "dtype": "float32", "device": "cpu"}


def test_it_answers_messages_by_the_chat_template(client: CheckpointClient) -> None:
    text = client.checkpoint.tokenizer.decode(client.read(QUESTION))
    assert text == "<|system|>Be brief.<|end|><|user|>Who pays for the bridge?<|end|><|assistant|>"
    answer = client.complete(QUESTION, Settings(max_tokens=6))
    assert (answer.model, answer.tokens_in) == ("llama", len(client.read(QUESTION)))
    assert answer.tokens_out == 6 or answer.finish_reason == "stop"
    assert answer == client.complete(QUESTION, Settings(max_tokens=6))._replace(seconds=answer.seconds)


def test_a_model_without_a_chat_template_reads_the_messages(tmp_path: Path) -> None:
    client = CheckpointClient("causal", save_llama(tmp_path / "llama"), device="cpu")
    text = client.checkpoint.tokenizer.decode(client.read(QUESTION))
    assert text == "Be brief.\n\nWho pays for the bridge?"


def test_answers_are_drawn_by_the_seed(client: CheckpointClient) -> None:
    first, again, other = (
        client.complete(QUESTION, Settings(max_tokens=12, temperature=1.0, seed=seed)).text for seed in (1, 1, 2)
    )
    assert first == again != other
    likeliest = client.complete(QUESTION, Settings(max_tokens=12)).text
    for temperature in (0.0, None):
        settings = Settings(max_tokens=12, temperature=temperature, top_p=0.5, seed=3)
        assert client.complete(QUESTION, settings).text == likeliest


def test_the_limit_of_an_answer_is_its_reason_to_end(client: CheckpointClient) -> None:
    answers = [client.complete([Message("user", text)], Settings(max_tokens=3)) for text in TEXTS]
    assert {answer.finish_reason for answer in answers if answer.tokens_out == 3} == {"length"}


def test_threads_are_answered_one_after_the_other(client: CheckpointClient) -> None:
    questions = [[Message("user", text)] for text in TEXTS]
    settings = Settings(max_tokens=8, temperature=1.0, seed=5)
    alone = [client.complete(question, settings).text for question in questions]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda question: client.complete(question, settings).text, questions))
    assert together == alone


def test_messages_that_do_not_fit_fail_and_say_so(client: CheckpointClient) -> None:
    long = [Message("user", " ".join(TEXTS))]
    tokens = len(client.read(long))
    with pytest.raises(CallFailed, match=f"the messages have {tokens} tokens, and the model reads 64 beside an answer"):
        client.complete(long, Settings(max_tokens=30))
    with pytest.raises(CallsRefused, match="can write at most 127 tokens, not 200"):
        client.complete(QUESTION, Settings(max_tokens=200))


def test_an_encoder_decoder_cannot_be_asked(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="ask for seq2seq"):
        CheckpointClient("causal", save_bart(tmp_path / "bart"))
    with pytest.raises(CallsRefused, match="is an encoder-decoder, which cannot be asked"):
        CheckpointClient("seq2seq", tmp_path / "bart")


def test_tokens_are_counted_and_cut(client: CheckpointClient) -> None:
    counter = client.tokens
    assert counter.count(TEXTS[0]) == len(client.checkpoint.tokenizer(TEXTS[0]).input_ids)
    for most in (0, 1, 5, 10_000):
        cut = counter.cut(TEXTS[0], most)
        assert TEXTS[0].startswith(cut)
        assert counter.count(cut) == min(most, counter.count(TEXTS[0]))
    assert counter.count("a \ud800 b") > 0


def test_calls_are_kept_by_the_model_and_what_it_was_asked(client: CheckpointClient) -> None:
    request = Request(tuple(QUESTION), Settings())
    assert request.key(client) != Request(tuple(QUESTION), Settings(seed=1)).key(client)
    assert '"weights"' not in request.canonical(client)
    assert client.checkpoint.model.files.settings["model"] in request.canonical(client)
