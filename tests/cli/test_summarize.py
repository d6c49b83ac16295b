"""relevance summarize with checkpoints: what it prints, what it refuses."""

import os
from pathlib import Path

import pytest

from relevance.data.database import connect
from relevance.data.store import DataStore
from tests.commands import refused, run, write
from tests.summarizers.checkpoints import DOCUMENTS, save_bart, save_gpt2

pytestmark = pytest.mark.model

OPTIONS = ("--max-tokens", 10, "--device", "cpu")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("checkpoints")
    save_bart(root / "bart")
    save_gpt2(root / "gpt2")
    return root


@pytest.fixture(autouse=True)
def small(sqlite_url: str, tmp_path: Path, folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The data set `small`, and the folders as relative paths."""
    monkeypatch.chdir(tmp_path)
    for name in ("bart", "gpt2"):
        (tmp_path / name).symlink_to(folders / name)
    write(
        tmp_path / "small.jsonl",
        [{"id": item.id, "source": item.source, "references": list(item.references)} for item in DOCUMENTS],
    )
    run("import", "small.jsonl", "--name", "small")


def stored() -> DataStore:
    return DataStore(connect(os.environ["RELEVANCE_DATABASE_URL"]))


@pytest.mark.smoke
def test_checkpoints_become_systems() -> None:
    arguments = ("summarize", "small", "--system", "seq2seq:bart,lead-1,causal:gpt2", *OPTIONS)
    first = run(*arguments).stdout.splitlines()
    assert [line.partition(";")[0] for line in first] == [
        "added 6 summaries of bart to small",
        "added 6 summaries of lead-1 to small",
        "added 6 summaries of gpt2 to small",
    ]
    assert "outputs cut" in first[0]
    assert [line.partition(";")[0] for line in run(*arguments).stdout.splitlines()] == [
        "added 0 summaries of bart to small (6 were there)",
        "added 0 summaries of lead-1 to small (6 were there)",
        "added 0 summaries of gpt2 to small (6 were there)",
    ]
    assert stored().dataset("small").systems == ("bart", "gpt2", "lead-1")


def test_another_setting_needs_another_name() -> None:
    run("summarize", "small", "--system", "seq2seq:bart", *OPTIONS)
    message = refused("summarize", "small", "--system", "seq2seq:bart", *OPTIONS, "--beams", 2)
    assert "already has summaries of the system 'bart', written as seq2seq|model:bart@" in message
    assert message.endswith("a name with --as")
    line = run("summarize", "small", "--system", "seq2seq:bart", *OPTIONS, "--beams", 2, "--as", "bart-2").stdout
    assert line.startswith("added 6 summaries of bart-2 to small")


def test_cut_sources_are_counted() -> None:
    line = run("summarize", "small", "--system", "seq2seq:bart", *OPTIONS, "--source-tokens", 8).stdout
    assert line.strip().endswith("; 6 sources cut")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lead", "--beams", 2], "--beams is an option of checkpoints (seq2seq:DIR, causal:DIR, gguf:FILE), and"),
        (["lead", "--as", "x"], "--as names a checkpoint, an extractor:DIR or a language model, and --system has none"),
        (["seq2seq:bart,lead", "--as", "x"], "--as is the name of one system, and --system names several"),
        (["seq2seq:bart", "--as", "title"], "the name 'title' is reserved for human-written texts"),
        (["seq2seq:none"], "there is no folder none: a checkpoint is a folder on this machine; nothing is downloaded"),
        (["seq2seq:facebook/bart-large-cnn"], "there is no folder facebook/bart-large-cnn"),
        (["gguf:none.gguf"], "there is no file none.gguf"),
        (["causal:bart"], "bart is an encoder-decoder (bart): ask for seq2seq:bart"),
        (["seq2seq:bart", "--prompt", "Summarize"], "a prompt has {document} in it once"),
        (["seq2seq:bart", "--temperature", "nan"], "temperature must be a number above 0, not nan"),
        (["seq2seq:bart", "--top-p", "0.5"], "top_p goes with a temperature"),
        (["seq2seq:bart", "--min-tokens", 20, "--max-tokens", 10], "min_tokens 20 is more than max_tokens 10"),
        (["seq2seq:bart", "--max-tokens", 100], "bart can write at most 64 tokens, not 100"),
    ],
)
def test_what_is_refused(arguments: list[object], message: str) -> None:
    assert refused("summarize", "small", "--system", *arguments).startswith(message)
    assert stored().dataset("small").systems == ()


def test_help_has_options_under_what_they_are_of() -> None:
    text = run("summarize", "--help").stdout
    places = [
        text.index(part)
        for part in (
            *("Options:", "--as", "Of checkpoints:", "--beams", "Of checkpoints and language models (llm:):"),
            *("--max-tokens", "Of language models (llm:):", "--base-url", "--dry-run"),
        )
    ]
    assert places == sorted(places)
    named = [line.split()[0] for line in text.splitlines() if line.startswith("  --")]
    assert len(named) == len(set(named))


@pytest.mark.parametrize(
    ("system", "words"),
    [
        ("llm:", "llm: is followed by the name of a model, or by causal:DIR or gguf:FILE"),
        ("causal", "such as seq2seq:DIR, gguf:FILE, llm:MODEL (all: --list)"),
        ("seq2seq:gpt2", "gpt2 is not an encoder-decoder (gpt2): ask for causal:gpt2 if it is a language model"),
    ],
)
def test_a_name_that_is_not_whole_is_refused_with_what_is_meant(system: str, words: str) -> None:
    assert refused("summarize", "small", "--system", system).endswith(words)


def test_the_list_names_each_kind_of_system() -> None:
    from relevance.summarizers.checkpoints import KINDS

    listed = run("summarize", "--list").stdout
    assert [kind for kind in KINDS if f"{kind}:" not in listed] == []
