"""Systems trained on the command line, and the summaries that they write."""

import importlib.util
import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from relevance.summarizers.methods.published import PUBLISHED, TO_THE_END
from relevance.summarizers.methods.registry import METHODS
from relevance.summarizers.training_documents import TRAINING_DOCUMENTS
from tests.commands import refused, run, write
from tests.summarizers.checkpoints import DOCUMENTS, save_bart, save_gpt2, save_t5

SMALL = ("--epochs", 2, "--accumulation", 3, "--learning-rate", 0.001, "--max-tokens", 8, "--device", "cpu")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Three documents to train on, and three for dev."""
    for name, documents in (("train", DOCUMENTS[:3]), ("dev", DOCUMENTS[3:])):
        records = [
            {
                "id": document.id,
                "source": document.source,
                "references": list(document.references),
                "title": "The bridge",
            }
            for document in documents
        ]
        write(tmp_path / f"{name}.jsonl", records)
    return tmp_path


@pytest.mark.parametrize("name", METHODS)
def test_each_method_says_what_it_is_and_what_is_published(name: str) -> None:
    help = " ".join(run("train", name, "--help").stdout.split())
    assert (METHODS[name].__doc__ or "").partition("\n")[0] in help
    assert f"[default: {PUBLISHED[name].training.learning_rate}]" in help
    for field in fields(METHODS[name]):
        assert f"--{field.name.replace('_', '-')} " in help
    assert name in run("train", "--help").stdout


@pytest.mark.parametrize("name", METHODS)
def test_every_method_takes_the_settings_of_training(name: str) -> None:
    """With its published values as defaults; those of the search only where it writes by one."""
    help = " ".join(run("train", name, "--help").stdout.split())
    training = PUBLISHED[name].training
    for flag, default in (
        ("--weight-decay", training.weight_decay),
        ("--clip", training.clip),
        ("--scheduler", training.scheduler),
        ("--warmup", training.warmup),
        ("--patience", training.patience if training.patience < TO_THE_END else "no limit"),
    ):
        assert re.search(rf"{flag} .*?\[default: {re.escape(str(default))}\]", help), flag
    assert ("--no-repeat" in help) == METHODS[name].searches
    assert ("--from" in help) == bool(METHODS[name].inherits)


@pytest.mark.model
def test_settings_of_training_are_those_that_are_given(corpus: Path) -> None:
    out = corpus / "out"
    files = (corpus / "train.jsonl", "--dev", corpus / "dev.jsonl", "-o", out)
    small = ("--embedding", 8, "--width", 8, "--min-tokens", 1, *SMALL)
    given = ("--patience", 1, "--clip", 0.5, "--scheduler", "linear", "--warmup", 1, "--weight-decay", 0.25)
    run("train", "pointer", *files, *small, *given, "--no-repeat", 2)
    answer = json.loads((out / "method.json").read_text())
    training = {name: answer["training"][name] for name in ("patience", "clip", "scheduler", "warmup", "weight_decay")}
    assert training == {"patience": 1, "clip": 0.5, "scheduler": "linear", "warmup": 1, "weight_decay": 0.25}
    assert answer["decoding"]["no_repeat_ngram_size"] == 2
    assert "a constant learning rate has no warm-up" in refused(
        "train", "pointer", *files[:3], "-o", corpus / "other", *small, "--warmup", 3
    )


@pytest.mark.model
@pytest.mark.parametrize(("name", "options"), [("plain", ()), ("rwenc", ("--layers", 1)), ("rwgen", ("--share", 0.5))])
def test_a_trained_system_writes_summaries(
    name: str, options: tuple[object, ...], corpus: Path, sqlite_url: str
) -> None:
    model, out = save_bart(corpus / "bart"), corpus / "trained"
    files = (corpus / "train.jsonl", "--dev", corpus / "dev.jsonl")
    output = run("train", name, *files, "--model", model, "-o", out, "--seed", 3, *SMALL, *options).stdout
    method = json.loads((out / "method.json").read_text())
    assert output == f"{out}: rouge1 {method['best']['score']:.4f} on dev after {method['best']['step']} updates\n"
    assert (method["seed"], method["training"]["epochs"], method["decoding"]["max_new_tokens"]) == (3, 2, 8)
    assert method["training"]["weight_decay"] == PUBLISHED[name].training.weight_decay

    run("import", corpus / "dev.jsonl", "--name", "dev")
    run("import", corpus / "train.jsonl", "--name", "train")
    assert "added 3 summaries of trained" in run("summarize", "dev", "--system", f"seq2seq:{out}").output
    assert "was trained on 3 of the 3 documents of 'train'" in refused(
        "summarize", "train", "--system", f"seq2seq:{out}"
    )
    assert "added 3 summaries" in run("summarize", "train", "--system", f"seq2seq:{out}", "--trained-on").output
    if name != "plain":
        prompt = ("--prompt", "summarize: {document}", "--as", "other")
        assert "reads the document alone" in refused("summarize", "dev", "--system", f"seq2seq:{out}", *prompt)


@pytest.mark.model
def test_a_data_set_is_trained_on_by_its_name_and_over_seeds(corpus: Path, sqlite_url: str) -> None:
    model, out = save_t5(corpus / "t5"), corpus / "t5-trained"
    run("import", corpus / "train.jsonl", "--name", "small")
    sizes = (*SMALL, "--epochs", 1)
    files = ("small", "--dev", corpus / "dev.jsonl", "--model", model, "-o", out, *sizes)
    output = run("train", "tdmtl", *files, "--seeds", "1-2", "--early-stop", "rouge_k").stdout
    assert [line.partition(": rouge_k ")[0] for line in output.splitlines()] == [f"{out}#1", f"{out}#2"]
    assert "is not empty" in refused("train", "tdmtl", *files, "--seeds", "1-2", "--early-stop", "rouge_k")
    again = run("train", "tdmtl", *files, "--seeds", "1-2", "--early-stop", "rouge_k", "--resume").stdout
    assert again == output
    run("import", corpus / "dev.jsonl", "--name", "dev")
    assert "added 3 summaries of t5-trained#2 to dev" in run("summarize", "dev", "--system", f"seq2seq:{out}#2").output


@pytest.mark.model
def test_what_cannot_be_trained(corpus: Path, sqlite_url: str) -> None:
    t5, out = save_t5(corpus / "t5"), corpus / "out"
    files = (corpus / "train.jsonl", "--dev", corpus / "dev.jsonl", "-o", out, *SMALL)
    assert "rwenc changes layers of bart, and this model is t5" in refused("train", "rwenc", *files, "--model", t5)
    assert not out.exists()
    assert "there is no folder" in refused("train", "plain", *files, "--model", corpus / "none")
    assert "must be from 0 to 1" in refused("train", "mtl", *files, "--model", t5, "--share", 2)
    assert "is not a list of whole numbers" in refused("train", "rwenc", *files, "--model", t5, "--layers", "0-4")
    assert "there is no file nothing" in refused("train", "plain", "nothing", *files[1:], "--model", t5)


def test_accelerate_is_asked_for(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "accelerate" else find(name, *more)
    )
    files = (corpus / "train.jsonl", "--dev", corpus / "dev.jsonl", "-o", corpus / "out", "--model", corpus)
    assert refused("train", "plain", *files) == "training needs accelerate: pip install 'relevance-studies[neural]'"


@pytest.mark.model
def test_documents_of_dev_are_not_learned_from(corpus: Path, sqlite_url: str) -> None:
    model, train, dev = save_t5(corpus / "t5"), corpus / "train.jsonl", corpus / "dev.jsonl"
    options = ("--model", model, "-o", corpus / "out", *SMALL)
    message = refused("train", "plain", train, "--dev", train, *options)
    assert message == f"all documents of {train} are also in {train}: name other documents for --dev"
    both = corpus / "both.jsonl"
    both.write_text(train.read_text() + dev.read_text())
    told = run("train", "plain", both, "--dev", dev, *options, "--epochs", 1).stderr
    assert f"3 of 6 documents are not learned from, as {dev} has them, too" in told
    assert len((corpus / "out" / TRAINING_DOCUMENTS).read_text().split()) == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--seeds", "3-1"), "'3-1' is not a range of 1 to 100 seeds"),
        (("--seeds", "0-999999999"), "is not a range of 1 to 100 seeds"),
        (("--beams", "100000"), "100000 is not in the range 1<=x<=64"),
        (("-o", "train.jsonl"), "Directory 'train.jsonl' is a file"),
    ],
)
def test_options_that_make_no_run_are_refused(
    options: tuple[str, ...], words: str, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(corpus)
    arguments = ("train", "plain", "train.jsonl", "--dev", "dev.jsonl", "--model", "bart", "-o", "out", *options)
    assert words in run(*arguments, code=2).stderr


@pytest.mark.model
def test_a_model_of_another_kind_is_named(corpus: Path) -> None:
    files = (corpus / "train.jsonl", "--dev", corpus / "dev.jsonl", "-o", corpus / "out", "--device", "cpu")
    model = save_gpt2(corpus / "gpt2")
    message = refused("train", "plain", *files, "--model", model)
    assert message == f"the model in {model} is not an encoder-decoder (gpt2), such as BART and T5 are"


def test_a_folder_that_no_training_finished_is_no_system(corpus: Path, sqlite_url: str) -> None:
    run("import", corpus / "dev.jsonl", "--name", "dev")
    (corpus / "run").mkdir()
    message = refused("summarize", "dev", "--system", f"pointer:{corpus / 'run'}")
    assert message == f"{corpus / 'run'} has no method.json, which `relevance train` writes when it has finished"
