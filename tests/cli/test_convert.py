"""Converting files and data sets, and scores that came with a corpus, on the command line."""

import json
from pathlib import Path

import pytest

from relevance.data.database import connect
from relevance.data.importers import read_documents
from relevance.data.store import DataStore
from tests.commands import refused, run, write

DOCUMENTS = [
    {
        "id": f"d{number}",
        "source": f"Rain fell on day {number}. It was cold.",
        "references": ["Rain fell."],
        "summaries": [
            {
                "system": system,
                "text": f"{system} says that rain fell on day {number}.",
                "human": {"relevance": (number * size) % 5},
                "scores": {"old|metric": (number * size) % 5 + number / 100, "other": float(size)},
            }
            for size, system in enumerate(("a", "b", "c"), 1)
        ],
    }
    for number in range(8)
]
SIGNATURE = "given: old_metric|corpus:interchange-"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sqlite_url: str) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "x.jsonl", DOCUMENTS)
    return tmp_path


def agreement(*arguments: str) -> dict[str, tuple[int, int]]:
    """By metric, pairs on which people and the metric agree and disagree."""
    told = json.loads(run("analyze", *arguments, "--tables", "agreement", "--format", "json").stdout)
    by_name = {name: value["agreement"] for name, value in told["metrics"].items()}
    return {name: (value["concordant"], value["discordant"]) for name, value in by_name.items()}


def test_a_file_is_converted_and_nothing_overwritten(folder: Path) -> None:
    result = run("convert", "x.jsonl", "x.csv", "--to", "csv")
    assert result.stdout == "wrote 8 documents and 24 summaries to x.csv\n"
    assert result.stderr.splitlines()[1:] == [
        "csv has no place for these, which are not written: scores of metrics (48)"
    ]
    assert (
        refused("convert", "x.jsonl", "x.csv", "--to", "csv")
        == "x.csv is there already; name another, or remove it first"
    )
    run("convert", "x.csv", "y.jsonl", "--to", "interchange", "--input-format", "csv")
    assert [json.loads(line)["id"] for line in (folder / "y.jsonl").read_text().splitlines()] == [
        document["id"] for document in DOCUMENTS
    ]
    assert refused("convert", "y", "z", "--to", "csv").startswith("there is no file y, and there is no data set 'y'")
    assert refused("convert", "y", "z", "--to", "csv", "--input-format", "csv").startswith(
        "--input-format goes with a file"
    )


def test_shards_of_parquet_have_whole_documents_and_come_back_as_they_were(folder: Path) -> None:
    arguments = ("convert", "x.jsonl", "shards", "--to", "parquet")
    assert "--rows-per-shard goes with --to parquet" in refused(*arguments[:-1], "csv", "--rows-per-shard", 7)
    result = run(*arguments, "--rows-per-shard", 7)
    assert result.stdout == "wrote 8 documents and 24 summaries to 3 files in shards\n"
    assert "which are not written: scores of metrics (48)" in result.stderr
    assert refused(*arguments, "--rows-per-shard", 7).startswith("shards is there already")
    parts = sorted((folder / "shards").iterdir())
    assert [[len(written) for _, written in read_documents(part)] for part in parts] == [[3] * 3, [3] * 3, [3] * 2]

    run("convert", "shards/*.parquet", "back.jsonl", "--to", "interchange")
    run("convert", "x.jsonl", "one.parquet", "--to", "parquet")
    run("convert", "one.parquet", "wanted.jsonl", "--to", "interchange")
    assert (folder / "back.jsonl").read_bytes() == (folder / "wanted.jsonl").read_bytes()
    run("convert", "back.jsonl", "again", "--to", "parquet", "--rows-per-shard", 7)
    for before, after in zip(parts, sorted((folder / "again").iterdir()), strict=True):
        assert before.read_bytes() == after.read_bytes()

    run("convert", parts[0], "shards/twin.parquet", "--to", "parquet")
    message = refused("convert", "shards/*.parquet", "twice", "--to", "parquet", "--rows-per-shard", 7)
    assert (
        message == "the document 'd0' is in shards/part-00000.parquet and again in shards/twin.parquet: ids must differ"
    )
    assert "there is no file none/*.parquet" in refused("convert", "none/*.parquet", "n", "--to", "interchange")
    assert not [path for path in folder.iterdir() if path.name.startswith((".", "twice"))]


def test_scores_that_came_with_a_file_are_kept_analysed_and_written(folder: Path, sqlite_url: str) -> None:
    output = run("import", "x.jsonl", "--name", "x").stderr
    assert "metrics whose scores came with the file, kept under names that begin with 'given: ': 2" in output
    store = DataStore(connect(sqlite_url))
    (signature,) = (
        signature.signature for signature in store.signatures("x") if signature.signature.startswith(SIGNATURE)
    )
    assert store.scores(dataset="x", signature=signature)["d3", "b"].value == (3 * 2) % 5 + 3 / 100
    of_file, of_dataset = agreement("x.jsonl"), agreement("x")
    assert of_file == of_dataset
    # Documents 0 and 5 have equal ratings only; in the 6 others all 3 pairs differ, and old|metric follows the ratings.
    assert of_file["given: old_metric"] == (18, 0)
    assert sum(of_file["given: other"]) == 18
    assert agreement("x", "--metrics", "rouge1").keys() == {"rouge1", "length"}
    run("convert", "x", "s", "--to", "sacrerouge")
    by_name = {
        summary.system: dict(summary.given) for _, written in read_documents(folder / "s") for summary in written
    }
    assert by_name["c"]["given: other"] == 3
    assert by_name["c"].keys() >= {"rouge1", "given: old_metric"}  # analyze has scored the data set
    store.engine.dispose()


def test_of_scores_that_differ_for_the_same_texts_the_first_are_kept(folder: Path, sqlite_url: str) -> None:
    twins = [
        {"system": name, "text": "Rain.", "scores": {"m": value, "n": 1}} for name, value in (("a", 0.5), ("b", 2))
    ]
    write(folder / "twins.jsonl", [{**DOCUMENTS[0], "summaries": twins}])
    output = run("import", "twins.jsonl", "--name", "twins").stderr
    assert "scores left out, as the same text with the same source and references has another one: 1" in output
    store = DataStore(connect(sqlite_url))
    by_name = {
        signature.metric: store.scores(dataset="twins", signature=signature.signature)
        for signature in store.signatures("twins")
    }
    assert {key: score.value for key, score in by_name["given: m"].items()} == {("d0", "a"): 0.5, ("d0", "b"): 0.5}
    run("import", "twins.jsonl", "--name", "again")  # the same corpus: its scores are there already
    assert store.scores(dataset="again", signature=store.signatures("again")[0].signature)["d0", "b"].value == 0.5
    store.engine.dispose()


@pytest.mark.model
def test_ones_own_documents_become_questions_that_a_reader_is_trained_on(folder: Path) -> None:
    people = ["Ann Lee", "Bob Roe", "Eve Moss", "Tom Ray"]
    records = [
        {
            "id": f"d{number}",
            "source": f"{people[number % 4]} won in Paris on Monday. {people[(number + 1) % 4]} lost, the paper said.",
            "references": [f"{people[number % 4]} won the race in Paris."],
        }
        for number in range(12)
    ]
    write(folder / "train.jsonl", records)
    write(folder / "silent.jsonl", [{"id": "s", "source": "It rains.", "references": ["It rains all day."]}])
    (folder / "own").mkdir()
    for split in ("training", "validation"):
        result = run("convert", "train.jsonl", f"own/{split}", "--to", "question")
        assert "about 12 documents to own/" in result.stdout
        assert "summaries, ratings, titles and scores are not written" in result.stderr
    assert "is there already" in refused("convert", "train.jsonl", "own/training", "--to", "question")
    assert "nothing to ask" in refused("convert", "silent.jsonl", "none", "--to", "question")
    assert not (folder / "none").exists()

    sizes = ("--epochs", 2, "--hidden", 8, "--embedding", 8, "--batch-size", 4)
    trained = run("train", "attentive-reader", "own", "-o", "own.safetensors", *sizes).stdout
    assert "read with it: --reader attentive-reader:own.safetensors" in trained
    result = run("apes", "x.jsonl", "--reader", "attentive-reader:own.safetensors")
    assert result.exit_code == 0
    assert not (folder / "own.safetensors.resume").exists()
