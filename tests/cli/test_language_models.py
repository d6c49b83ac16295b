"""`relevance summarize --system llm:MODEL` against a server of the test's own."""

import re
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest

from relevance.data.database import connect
from relevance.data.store import DataStore
from relevance.llm.calls import Calls
from relevance.llm.openai_client import KEY_VARIABLE
from tests.commands import refused, run, write
from tests.conftest import ROOT
from tests.llm.stub import Handler, Stub, fails, hangs_up, says
from tests.running import running_process
from tests.summarizers.checkpoints import save_llama
from tests.waiting import PATIENCE

KEY = "sk-test-0123456789abcdef"


@pytest.fixture
def folder(tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a database that has the data sets `small` and `train`, and a key in the environment."""
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    monkeypatch.chdir(tmp_path)
    for name, texts in {"small": ["The cat sat.", "A dog ran.", "Birds fly."], "train": ["Fish swim."]}.items():
        records = [{"id": f"{name}{i}", "source": text, "references": [f"R{i}."]} for i, text in enumerate(texts)]
        write(tmp_path / f"{name}.jsonl", records)
        run("import", tmp_path / f"{name}.jsonl", "--name", name)
    return tmp_path


def summarize(stub: Stub, *options: object, code: int = 0) -> str:
    arguments = ["summarize", "small", "--system", "llm:some-model", "--base-url", stub.address, *options]
    return str(run(*arguments, code=code).output)


def summaries(sqlite_url: str) -> dict[str, str]:
    engine = connect(sqlite_url)
    by_name = {
        f"{document.id} {item.system}": item.text
        for document, all_ in DataStore(engine).records("small")
        for item in all_
    }
    engine.dispose()
    return by_name


def test_the_record_of_calls_is_closed(stub: Stub, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []
    close = Calls.close

    def note(calls: Calls) -> None:
        closed.append(calls.path.name)
        close(calls)

    monkeypatch.setattr(Calls, "close", note)
    summarize(stub, "--dry-run")
    refused("summarize", "small", "--system", "llm:some-model", "--base-url", stub.address, "--price-in", 1)
    summarize(stub)
    assert len(closed) == 2  # the refused one came before it was opened


def test_summaries_by_a_language_model(stub: Stub, folder: Path, sqlite_url: str) -> None:
    lines = [line for line in summarize(stub).splitlines() if not line.startswith("suspicious: ")]
    assert lines[-2:] == [
        "added 3 summaries of llm:some-model to small",
        "llm:some-model was answered by stub-1.5",
    ]
    assert summaries(sqlite_url) == {f"small{i} llm:some-model": "A summary." for i in range(3)}
    assert (folder / "relevance.calls.db").is_file()
    assert len(stub.requests) == 3
    summarize(stub)
    assert len(stub.requests) == 3
    assert all(KEY.encode() not in file.read_bytes() for file in folder.iterdir())
    assert KEY not in "\n".join(lines)


def test_another_prompt_is_another_system(stub: Stub, folder: Path) -> None:
    summarize(stub)
    error = summarize(stub, "--prompt", "Title for {document}:", code=2)
    assert "a name with --as" in error
    summarize(
        stub, "--prompt", "Title for {document}:", "--as", "titles", "--sentences", 0, "--temperature", 1, "--seed", 5
    )
    assert stub.questions[-1].startswith("Title for <document>\n")
    assert (stub.requests[-1]["temperature"], stub.requests[-1]["seed"]) == (1, 5)
    assert "llm:some-model, titles" in run("datasets").stdout


def test_examples_come_from_a_data_set_or_a_file(stub: Stub, folder: Path) -> None:
    summarize(stub, "--shots", 1, "--shots-from", "train", "--as", "one-shot")
    messages = stub.requests[0]["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    assert "Fish swim." in messages[0]["content"]
    assert messages[1]["content"] == "R0."
    summarize(stub, "--shots", 1, "--shots-from", folder / "train.jsonl", "--as", "same")
    assert len(stub.requests) == 3  # the same requests
    error = summarize(stub, "--shots", 2, "--shots-from", "small", "--as", "leaks", code=2)
    assert "'leaks' was trained on 2 of the 3 documents of 'small'" in error
    summarize(stub, "--shots", 2, "--shots-from", "small", "--as", "leaks", "--trained-on")
    assert len(stub.requests) == 6


def test_a_dry_run_asks_nothing(stub: Stub, folder: Path) -> None:
    prices = ["--price-in", 2, "--price-out", 10]
    # 62 bytes of the prompt and 23 of marks; with documents of 12, 10, 10 that is 25, 24, 24 tokens; 128 come back
    # (73 * 2 + 384 * 10) / 10^6
    assert summarize(stub, "--dry-run", *prices) == (
        "llm:some-model: 3 requests, of which 0 are recorded with an answer; the others have about 73 tokens "
        "(estimated as bytes/4), and their answers at most 384: about 0.003986 if all are that long\n"
    )
    assert stub.requests == []
    stub.replies.extend([says("A."), fails(400, "no"), fails(400, "no")])
    summarize(stub, "--at-once", 1, code=1)
    assert summarize(stub, "--dry-run").startswith("llm:some-model: 2 requests, of which 0 are recorded")
    assert len(stub.requests) == 3


def test_a_dry_run_needs_no_key(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    arguments = ["summarize", "small", "--system", "llm:some-model"]
    assert "3 requests" in run(*arguments, "--dry-run").stdout
    assert "needs a key: set OPENAI_API_KEY" in run(*arguments, code=2).stderr


def test_what_came_to_nothing_is_said_and_tried_by_the_next_run(stub: Stub, folder: Path) -> None:
    stub.replies.extend([says(None, refusal="I\x1b[2J won't"), says("A."), says("", finish="content_filter")])
    lines = summarize(stub, "--at-once", 1, code=1).splitlines()
    assert "added 1 summary of llm:some-model to small; 2 documents have none" in lines
    assert lines[-1] == (
        "Error: without a summary: llm:some-model: 1 document: refused: I[U+001B][2J won't; "
        "llm:some-model: 1 document: held back by the server's content filter"
    )
    assert "added 2 summaries of llm:some-model to small (1 were there)" in summarize(stub)


def test_a_run_ends_before_it_costs_more(stub: Stub, folder: Path) -> None:
    prices = ["--price-in", 1000, "--price-out", 10000]
    # at most 97 + 16 tokens in and 128 out: .113 + 1.28; the stub says 30 and 7: .1
    text = summarize(stub, *prices, "--max-cost", 1.5, code=1)
    assert len(stub.requests) == 2
    assert "llm:some-model was answered by stub-1.5; 0.2 spent" in text
    assert "1 document: 0.2 were spent, and one more call could exceed the limit of 1.5" in text


def test_what_was_spent_is_said_where_no_answer_can_be_used(stub: Stub, folder: Path) -> None:
    stub.usual = says("I'm sorry, but I can't help with that.")
    lines = summarize(stub, "--price-in", 1000, "--price-out", 10000, code=1).splitlines()
    assert "llm:some-model gave no answer that can be used; 0.3 spent" in lines
    refusal = "refused: I'm sorry, but I can't help with that."
    assert lines[-1] == f"Error: without a summary: llm:some-model: 3 documents: {refusal}"
    assert len(stub.requests) == 3  # a refusal is no matter of all documents, and asked for again by the next run
    stub.usual = says("<think>It is short.</think>Sure! Here is a summary of the document: It works.")
    assert "added 3 summaries" in summarize(stub)


def test_reasoning_and_announcement_are_no_part_of_a_summary(stub: Stub, folder: Path, sqlite_url: str) -> None:
    stub.usual = says("<think>It is short. Is it?</think>\n\nHere is a one-sentence summary:\n\nIt works. Well.")
    summarize(stub)
    assert set(summaries(sqlite_url).values()) == {"It works."}


def test_a_wrong_key_ends_it(stub: Stub, folder: Path) -> None:
    stub.usual = fails(401, f"wrong key {KEY}")
    text = summarize(stub, "--at-once", 1, code=1)
    assert f"3 documents: {stub.address} answers 401: wrong key [key]" in text
    assert len(stub.requests) == 1


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--base-url", "ftp://x"], "ftp://x is not an address: it begins with http:// or https:// and a host"),
        (["--base-url", "http://me:pw@x"], "an address has no user, password, query or fragment"),
        (["--base-url", "http://example.org"], "the key would be sent to http://example.org unencrypted"),
        (["--prompt", "no place"], "a prompt has {document} once"),
        (["--temperature", "3"], "a temperature is between 0 and 2, not 3.0"),
        (["--shots", "2"], "--shots goes with --shots-from"),
        (["--shots-from", "train"], "--shots goes with --shots-from"),
        (["--shots", "9", "--shots-from", "train"], "only 1 documents have a source and a reference"),
        (["--shots", "9", "--shots-from", "nowhere"], "there is no file nowhere, and there is no data set 'nowhere'"),
        (["--price-in", "1"], "--price-in goes with --price-out"),
        (["--max-cost", "1"], "--max-cost needs --price-in and --price-out"),
        (["--price-in", "-1", "--price-out", "1"], "prices are at least 0"),
        (["--calls", "small.jsonl"], "the record of calls small.jsonl cannot be used: file is not a database"),
        (["--beams", "2"], "--beams is an option of checkpoints"),
        (["--as", "title"], "the name 'title' is reserved for human-written texts"),
    ],
)  # fmt: skip
def test_options_that_are_refused(options: list[str], error: str, folder: Path, stub: Stub) -> None:
    assert refused("summarize", "small", "--system", "llm:m", "--base-url", stub.address, *options).startswith(error)
    assert stub.requests == []


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["lead", "--base-url", "http://127.0.0.1"], "--base-url is an option of language models (llm:MODEL)"),
        (["lead", "--dry-run"], "--dry-run is an option of language models (llm:MODEL)"),
        (["lead,llm:m", "--dry-run"], "--dry-run says what language models would be asked, and --system names others"),
        (["llm:a|b", "--base-url", "http://127.0.0.1"], "'a|b' has characters that names of models"),
    ],
)
def test_options_that_go_with_others(arguments: list[str], error: str, folder: Path) -> None:
    assert refused("summarize", "small", "--system", *arguments).startswith(error)


def test_without_a_key_openai_is_not_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_VARIABLE)
    assert refused("summarize", "small", "--system", "llm:m") == (
        f"https://api.openai.com/v1 needs a key: set {KEY_VARIABLE}, or use another address (--base-url)"
    )


def test_without_the_package_its_name_is_said(folder: Path, stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    assert refused("summarize", "small", "--system", "llm:m", "--base-url", stub.address) == (
        "openai is not installed: pip install 'relevance-studies[llm]'"
    )


def test_suspicious_summaries_are_said_before_anybody_judges_them(stub: Stub, folder: Path) -> None:
    stub.usual = says("See www.cats.example for more.")
    text = summarize(stub)
    assert (
        "suspicious: 3 of 3 summaries have an address that their document does not have (3 by llm:some-model)" in text
    )
    run("summarize", "small", "--system", "lead")
    made = run("study", "create", "S", "--dataset", "small").stderr
    assert (
        "suspicious: 3 of 6 summaries have an address that their document does not have (3 by llm:some-model)" in made
    )
    of_others = run("study", "create", "T", "--dataset", "small", "--systems", "lead,llm:some-model").stderr
    assert "suspicious: 3 of 6 summaries have an address" in of_others
    file = folder / "u.toml"
    file.write_text(run("study", "export-config", "S").stdout.replace('name = "S"', 'name = "U"', 1))
    assert "suspicious: 3 of 6 summaries have an address" in run("study", "check", file).stderr
    assert "suspicious: 3 of 6 summaries have an address" in run("study", "apply", file).stderr


@pytest.mark.process
def test_a_model_on_this_machine_says_how_long_it_will_take(folder: Path) -> None:
    write(folder / "more.jsonl", [{"id": f"m{i}", "source": f"Cat {i} sat.", "references": ["R."]} for i in range(8)])
    run("import", folder / "more.jsonl", "--name", "more")
    model = f"llm:causal:{save_llama(folder / 'tiny')}"
    options = ["--system", model, "--prompt", "{document}", "--max-tokens", 5, "--device", "cpu"]
    output = run("summarize", "more", *options).stderr
    assert "tiny: asking about the first document, to see how long 8 documents will take" in output
    assert re.search(r"tiny: [0-9.e-]+ seconds a document, so about 1 minute; Ctrl-C stops it", output)
    assert (
        "8 requests, of which 8 are recorded" in run("summarize", "more", *options, "--as", "again", "--dry-run").stdout
    )
    assert "asking about the first" not in run("summarize", "small", *options).stderr  # three are quick


@pytest.mark.process
def test_a_language_model_on_this_machine(folder: Path, sqlite_url: str) -> None:
    model = f"llm:causal:{save_llama(folder / 'tiny')}"
    options = ["summarize", "small", "--system", model, "--prompt", "{document}", "--max-tokens", 5, "--device", "cpu"]
    assert "3 requests, of which 0 are recorded" in run(*options, "--dry-run").stdout
    assert "(estimated" not in run(*options, "--dry-run").stdout  # the model's own tokenizer counts
    assert run(*options).stdout.splitlines()[-1] == "llm:tiny was answered by tiny"
    assert set(summaries(sqlite_url)) == {f"small{i} llm:tiny" for i in range(3)}
    assert "3 requests, of which 3 are recorded" in run(*options, "--as", "same", "--dry-run").stdout
    assert refused(*options, "--base-url", "http://127.0.0.1").startswith("--base-url is the address of a server")
    assert refused(*options, "--beams", 2).startswith("--beams is an option of checkpoints")


@pytest.mark.process
def test_a_killed_run_goes_on(stub: Stub, folder: Path, sqlite_url: str) -> None:
    child: list[subprocess.Popen[bytes]] = []
    started = Event()

    def kill(handler: Handler) -> None:
        assert started.wait(PATIENCE)
        child[0].send_signal(signal.SIGKILL)
        child[0].wait()
        hangs_up(handler)

    stub.replies.extend([says("First."), says("Second."), kill])
    options = ["--system", "llm:some-model", "--base-url", stub.address, "--at-once", "1"]
    with running_process([sys.executable, "-m", "relevance", "summarize", "small", *options], cwd=ROOT) as process:
        child.append(process)
        started.set()
        assert process.wait(PATIENCE) == -signal.SIGKILL
    assert summaries(sqlite_url) == {}
    summarize(stub, "--at-once", 1)
    assert len(stub.requests) == 4  # the third was not answered
    assert set(summaries(sqlite_url).values()) == {"First.", "Second.", "A summary."}
