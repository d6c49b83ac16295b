"""From `relevance train METHOD` to summaries in a data set, for methods whose networks are guided, or our own."""

import json
import re
from pathlib import Path

import pytest

from relevance.data.database import connect
from relevance.data.records import NOTHING_GIVEN, OUTPUT_CUT, SOURCE_CUT, TRAINED_ON
from relevance.data.store import DataStore
from relevance.data.training_history import HISTORY, read_history
from tests.commands import refused, run, write
from tests.summarizers.checkpoints import SUMMARIES, TEXTS, save_bart, save_bert

pytestmark = pytest.mark.model

QUICK = ("--batch", 2, "--accumulation", 1, "--epochs", 1)


@pytest.fixture
def data(tmp_path: Path, sqlite_url: str) -> tuple[Path, DataStore]:
    """A file of documents to train on, and a database with a data set of others, all with titles."""
    records = [
        {"id": f"d{place}", "source": text, "references": [summary], "title": summary, "summaries": []}
        for place, (text, summary) in enumerate(zip(TEXTS, SUMMARIES, strict=True))
    ]
    write(tmp_path / "train.jsonl", records[:4])
    write(tmp_path / "test.jsonl", records[4:])
    write(tmp_path / "dev.jsonl", [record | {"source": f"Lately: {record['source']}"} for record in records[:4]])
    run("import", tmp_path / "test.jsonl", "--name", "test")
    run("import", tmp_path / "train.jsonl", "--name", "train")
    return tmp_path, DataStore(connect(sqlite_url))


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("method", "model", "prefix", "options"),
    [
        ("gsum", save_bart, "seq2seq", ("--keywords", 3, "--beams", 2, "--max-tokens", 6)),
        ("tdsum", save_bart, "seq2seq", ("--keys", "tfidf+encoder states", "--max-tokens", 6)),
        ("presumm", save_bert, "presumm", ("--sentences", 1)),
        ("lstm", None, "pointer", ("--embedding", 8, "--width", 8, "--max-tokens", 6)),
        ("pointer", None, "pointer", ("--embedding", 8, "--width", 8, "--min-tokens", 2, "--max-tokens", 6)),
    ],
)
def test_what_is_trained_writes_summaries_of_documents_that_it_does_not_know(
    method: str, model: object, prefix: str, options: tuple[object, ...], data: tuple[Path, DataStore]
) -> None:
    folder, store = data
    start = ("--model", model(folder / "start")) if callable(model) else ()
    file = folder / "train.jsonl"
    run("train", method, file, "--dev", folder / "dev.jsonl", *start, "-o", folder / method, *QUICK, *options)
    assert not {path.suffix for path in (folder / method).iterdir()} - {".json", ".jsonl", ".safetensors", ".txt"}

    system = f"{prefix}:{folder / method}"
    run("summarize", "test", "--system", system)
    written = {document.id: summary for document, summaries in store.records("test") for summary in summaries}
    assert sorted(written) == ["d4", "d5"]
    assert {summary.system for summary in written.values()} == {method}
    assert all(summary.text for summary in written.values())
    assert {remark for summary in written.values() for remark in summary.remarks} <= {SOURCE_CUT, OUTPUT_CUT}
    assert "added 0 summaries" in run("summarize", "test", "--system", system).output
    history = read_history(folder / method / HISTORY)
    assert store.histories("test") == {method: history}
    assert [item.measure for item in history if item.score is not None] == ["rouge1"]

    assert "was trained on 4 of the 4 documents" in refused("summarize", "train", "--system", system)
    run("summarize", "train", "--system", system, "--trained-on")
    assert all(TRAINED_ON in summary.remarks for _, summaries in store.records("train") for summary in summaries)


def test_a_gsum_guided_by_overlap_keywords_reads_the_references(data: tuple[Path, DataStore]) -> None:
    """Its name says so, and summaries where references and title share nothing have a remark."""
    folder, store = data
    dev = ("--dev", folder / "dev.jsonl", "--model", save_bart(folder / "bart"))
    out, small = folder / "gsum", ("--max-tokens", 6, "--guidance", "overlap")
    run("train", "gsum", folder / "train.jsonl", *dev, "-o", out, *QUICK, *small)
    lines = [json.loads(line) for line in (folder / "test.jsonl").read_text().splitlines()]
    lines[0]["title"] = "Nothing alike"
    write(folder / "mixed.jsonl", lines)
    run("import", folder / "mixed.jsonl", "--name", "mixed")
    output = run("summarize", "mixed", "--system", f"seq2seq:{out}").output
    assert "added 2 summaries of oracle-gsum to mixed" in output
    assert "1 document whose references had nothing to give" in output
    given = [NOTHING_GIVEN not in summary.remarks for _, summaries in store.records("mixed") for summary in summaries]
    assert given == [False, True]
    assert "reads the references, and its name has to say so: oracle-gsum2" in refused(
        "summarize", "test", "--system", f"seq2seq:{out}", "--as", "gsum2"
    )
    run("summarize", "test", "--system", f"seq2seq:{out}", "--as", "oracle-gsum2")


TINY = ("--embedding", 8, "--width", 8, "--vocabulary", 60, "--min-tokens", 2, "--max-tokens", 6)


def test_the_summarizer_for_apes_goes_on_from_a_baseline(data: tuple[Path, DataStore]) -> None:
    """As in the paper: the baseline first, then the entities' loss, then the positions of the entities given."""
    folder, store = data
    baseline, out = folder / "baseline", folder / "apes"
    lines = (folder / "train.jsonl").read_text().splitlines(keepends=True)
    (folder / "first.jsonl").write_text("".join(lines[:2]))
    (folder / "second.jsonl").write_text("".join(lines[1:]))
    dev = ("--dev", folder / "dev.jsonl")
    run("train", "pointer", folder / "first.jsonl", *dev, "-o", baseline, *QUICK, *TINY)
    arguments = (
        "train",
        "pointer-apes",
        folder / "second.jsonl",
        "-o",
        out,
        *QUICK,
        "--min-tokens",
        2,
        "--max-tokens",
        6,
    )
    told = run(*arguments, *dev, "--from", baseline, "--entity-loss", "sum").stderr
    assert "the references of 3 of 3 documents ask for no entity, so that entities are not learned from them" in told
    settings = json.loads((out / "method.json").read_text())["settings"]
    assert [settings[name] for name in ("embedding", "width", "vocabulary")] == [8, 8, 60]  # those of the baseline
    assert (settings["delta"], settings["entity_loss"]) == (0.01, "sum")

    assert "was trained on 4 of the 4 documents" in refused("summarize", "train", "--system", f"pointer:{out}")
    output = run("summarize", "test", "--system", f"pointer:{out}", "--gold-entities").output
    assert "added 2 summaries of oracle-apes to test; 2 documents whose references had nothing to give" in output
    remarks = [summary.remarks for _, summaries in store.records("test") for summary in summaries]
    assert all(NOTHING_GIVEN in remark for remark in remarks)
    assert len(remarks) == 2

    assert "Missing option '--from'" in run(*arguments, *dev, code=2).stderr
    again = (*arguments[:4], folder / "other", *arguments[5:], "--from", baseline)
    assert "width is 8 in the folder to go on from, and cannot be 16" in refused(*again, *dev, "--width", 16)
    assert (
        f"{baseline} was trained on 1 of the 3 documents of {folder / 'second.jsonl'}: name other documents"
        in refused(*again, "--dev", folder / "second.jsonl")
    )
    assert "gold_entities, which is one of systems that find entities" in refused(
        "summarize", "test", "--system", f"seq2seq:{save_bart(folder / 'bart')}", "--gold-entities"
    )
    assert "pointer has no option gold_entities" in refused(
        "summarize", "test", "--system", f"pointer:{baseline}", "--gold-entities"
    )


def test_options_and_folders_that_do_not_fit_are_refused(data: tuple[Path, DataStore]) -> None:
    folder, store = data
    file, out = folder / "train.jsonl", folder / "out"
    small = ("--embedding", 8, "--width", 8, "--max-tokens", 4)
    run("train", "pointer", file, "--dev", folder / "dev.jsonl", "-o", out, *QUICK, *small, "--min-tokens", 1)
    assert "pointer has no option temperature" in refused(
        "summarize", "test", "--system", f"pointer:{out}", "--temperature", 0.5
    )
    assert "by the method 'pointer', which is not a presumm" in refused(
        "summarize", "test", "--system", f"presumm:{out}"
    )
    (out / "method.json").rename(out / "method")
    assert "has no method.json, which `relevance train` writes when it has finished" in refused(
        "summarize", "test", "--system", f"pointer:{out}"
    )
    (out / "method").rename(out / "method.json")
    (out / "model.safetensors").rename(out / "model")
    assert "has no model.safetensors" in refused("summarize", "test", "--system", f"pointer:{out}")
    (out / "model").rename(out / "model.safetensors")
    run("summarize", "test", "--system", f"pointer:{out}", "--min-tokens", 3, "--max-tokens", 3, "--as", "three")
    lengths = {len(summary.text.split()) for _, summaries in store.records("test") for summary in summaries}
    assert lengths <= {1, 2, 3}  # marks are words here


def test_a_damaged_history_is_refused_before_anything_is_written(data: tuple[Path, DataStore]) -> None:
    folder, store = data
    small = ("--embedding", 8, "--width", 8, "--max-tokens", 4, "--min-tokens", 1)
    files = (folder / "train.jsonl", "--dev", folder / "dev.jsonl")
    output = run("train", "pointer", *files, "-o", folder / "out", *QUICK, *small).stderr
    assert re.search(
        r"update 2 of 2 \(epoch 1\.00\), loss [0-9.]+, learning rate 0\.15, rouge1 on dev 0\.\d{4}", output
    )
    path = folder / "out" / HISTORY
    path.write_text(path.read_text().replace('"loss": ', '"loss": "'))
    told = refused("summarize", "test", "--system", f"pointer:{folder / 'out'}")
    assert "history.jsonl:1" in told
    assert store.written_by("test") == {}
    assert store.histories("test") == {}
    path.unlink()  # an earlier version wrote none
    run("summarize", "test", "--system", f"pointer:{folder / 'out'}")
    assert (sum(store.written_by("test").values()), store.histories("test")) == (2, {})


@pytest.mark.parametrize("file", ["model.safetensors", "vocabulary.json"])
def test_a_damaged_folder_is_refused(file: str, data: tuple[Path, DataStore]) -> None:
    folder, _ = data
    small = ("--embedding", 8, "--width", 8, "--max-tokens", 4, "--min-tokens", 1)
    run(
        "train", "pointer", folder / "train.jsonl", "--dev", folder / "test.jsonl", "-o", folder / "out", *QUICK, *small
    )
    damaged = (folder / "out" / file).read_bytes()[:-20]
    (folder / "out" / file).write_bytes(damaged)
    told = refused("summarize", "test", "--system", f"pointer:{folder / 'out'}")
    assert f"the model in {folder / 'out'} cannot be loaded" in told


def test_titles_are_asked_for_where_they_are_learned(data: tuple[Path, DataStore]) -> None:
    folder, _ = data
    lines = [json.loads(line) for line in (folder / "train.jsonl").read_text().splitlines()]
    write(folder / "untitled.jsonl", [{**line, "title": None} for line in lines])
    file = folder / "untitled.jsonl"
    assert "lstm learns titles, which 4 of 4 documents do not have" in refused(
        "train", "lstm", file, "--dev", file, "-o", folder / "out"
    )
