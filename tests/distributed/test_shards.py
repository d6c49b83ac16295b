"""Runs over shards in one process: what they write, go on with and refuse."""

import json
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from relevance.data.demo import FILE as DEMO
from relevance.data.importers import read_documents
from relevance.data.records import BadRecord
from relevance.data.shards import is_sharded, read_manifest
from relevance.distributed.running import Here, OtherRun, run
from relevance.distributed.sources import ChangedInput, NoInput, Planner, find_inputs, read_piece
from relevance.distributed.work import ScoreWork
from relevance.metrics import make_metrics
from relevance.metrics.models.encoder import shared_encoder
from relevance.summarizers.learned.folder import write_about, write_ngrams
from relevance.summarizers.training_documents import TrainingDocuments
from tests.commands import refused
from tests.commands import run as command


def scored(folder: Path, source: Path = DEMO, names: str = "rouge1,length", per_shard: int = 4) -> Path:
    work = ScoreWork(tuple(make_metrics(names.split(","))))
    run(work, find_inputs(str(source)), folder, Planner(None, per_shard), Here())
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scored(tmp_path_factory.mktemp("plain") / "out")


def test_shards_have_the_scores_of_a_file_scored_in_one_go(plain: Path, tmp_path: Path) -> None:
    command("score", DEMO, "--metrics", "rouge1,length", "-o", tmp_path / "scores.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "scores.jsonl").read_text().splitlines()]
    rows = [row for shard in read_manifest(plain).shards for row in pq.read_table(plain / shard.file).to_pylist()]
    assert [(row["document"], row["system"], row["score:rouge1"], row["score:length"]) for row in rows] == [
        (line["instance_id"], line["summarizer_id"], line["metrics"]["rouge1"], line["metrics"]["length"])
        for line in lines
    ]


def test_a_run_that_is_started_again_computes_only_what_is_missing(plain: Path, tmp_path: Path) -> None:
    folder = scored(tmp_path / "out")
    (folder / "part-00002.parquet").unlink()
    kept = {path.name: path.stat().st_mtime_ns for path in folder.glob("part-*")}
    scored(folder)
    assert contents(folder) == contents(plain)
    assert {name: (folder / name).stat().st_mtime_ns for name in kept} == kept


@pytest.mark.parametrize(
    ("names", "per_shard", "changed", "message"),
    [
        ("rouge2", 4, False, "has scores by"),
        ("rouge1,length", 3, False, "was made from lines 1-4"),
        ("rouge1,length", 24, False, "more than the 1 shards"),
        ("rouge1,length", 4, True, "before it changed"),
    ],
)
def test_another_run_into_the_same_folder_is_refused(
    tmp_path: Path, names: str, per_shard: int, changed: bool, message: str
) -> None:
    source = tmp_path / "in.jsonl"
    source.write_bytes(DEMO.read_bytes())
    folder = scored(tmp_path / "out", source)
    before = contents(folder)
    if changed:
        source.write_text(source.read_text().replace("A single word", "One single word"))
    with pytest.raises(OtherRun, match=message):
        scored(folder, source, names, per_shard)
    assert contents(folder) == before


def test_a_bad_line_is_named_by_its_place_in_the_whole_file_and_no_manifest_is_written(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text("".join(DEMO.read_text().splitlines(keepends=True)[:10]) + '{"id": 7}\n')
    with pytest.raises(BadRecord, match=r"in\.jsonl:11: the document has no source, references"):
        scored(tmp_path / "out", source)
    assert not is_sharded(tmp_path / "out")


def test_a_document_that_stands_in_two_shards_is_refused(tmp_path: Path) -> None:
    lines = DEMO.read_text().splitlines(keepends=True)
    source = tmp_path / "in.jsonl"
    source.write_text("".join([*lines[:5], lines[0]]))
    with pytest.raises(BadRecord, match=r"is in lines 1-4 of .*in\.jsonl and again in lines 5-6"):
        scored(tmp_path / "out", source)
    assert not is_sharded(tmp_path / "out")


def test_nothing_is_computed_of_input_that_is_damaged_anywhere(tmp_path: Path) -> None:
    source = damaged_corpus(tmp_path)
    message = refused("score", source, "--metrics", "rouge1", "-o", f"{tmp_path}/out/", "--shard-documents", 4)
    lacking = "the document has no source, references, summaries or title"
    assert f"b.jsonl:6: {lacking} (and 2 more of the input's parts cannot be read; --keep-going" in message
    assert not (tmp_path / "out").exists()


def test_what_is_damaged_is_left_out_and_named(tmp_path: Path) -> None:
    """One piece is not a JSON of ours, one has a document of an earlier one, one file is of no format."""
    arguments = (
        "score",
        damaged_corpus(tmp_path),
        "--metrics",
        "rouge1",
        "-o",
        f"{tmp_path}/out/",
        "--shard-documents",
        4,
    )
    for again in (False, True):
        result = command(*arguments, "--keep-going", code=1)
        assert (
            f"left out: lines 5-8 of {tmp_path}/b.jsonl: b.jsonl:6: the document has no source, references"
            in result.stderr
        )
        assert f"left out: lines 9-9 of {tmp_path}/b.jsonl: the document 'polar-0' is in lines 1-4" in result.stderr
        assert f"left out: {tmp_path}/c.jsonl: " in result.stderr
        assert "3 of 7 shards left out: mend their input" in result.stderr
        assert f"{0 if again else 4} computed now, {4 if again else 0} computed before" in result.stderr
        manifest = read_manifest(tmp_path / "out")
        assert [shard.documents for shard in manifest.shards] == [4, 4, 2, 4]
        assert [Path(part.input).name for part in manifest.left_out] == ["b.jsonl", "b.jsonl", "c.jsonl"]
        assert "damaged" not in result.stdout
    result = command("analyze", tmp_path / "out", "--format", "json", "--tables", "systems")
    message = f"lines 5-8 of {tmp_path}/b.jsonl; lines 9-9 of {tmp_path}/b.jsonl; {tmp_path}/c.jsonl"
    assert f"parts of the input were left out when it was scored: {message}" in result.stderr
    assert message in result.stdout


def damaged_corpus(folder: Path) -> str:
    """Three files, of which the second has two damaged pieces and the third is damaged; returns their pattern."""
    lines = [json.loads(line) for line in DEMO.read_text().splitlines()]
    for number, line in enumerate(lines):
        line["id"] = f"polar-{number}"
    texts = [json.dumps(line) + "\n" for line in lines]
    (folder / "a.jsonl").write_text("".join(texts[:10]))
    (folder / "b.jsonl").write_text("".join([*texts[10:15], '{"id": "damaged"}\n', *texts[15:17], texts[0]]))
    (folder / "c.jsonl").write_text('{"nothing": "known"}\n')
    return f"{folder}/*.jsonl"


def test_a_run_that_can_read_nothing_is_refused_in_any_case(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"id": "damaged"}\n')
    arguments = ("score", tmp_path / "c.jsonl", "--metrics", "rouge1", "-o", f"{tmp_path}/out/")
    assert refused(*arguments) == refused(*arguments, "--keep-going")
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_computed_is_left_out_too(tmp_path: Path) -> None:
    """A system that was trained on documents of the second shard."""
    mine = tmp_path / "mine"
    mine.mkdir()
    documents = [document for document, _ in read_documents(DEMO)]
    write_ngrams(mine, {"@first 0": 1.0})
    write_about(mine, "linear", TrainingDocuments.of(documents[14:15]), {})
    arguments = ("summarize", DEMO, "--system", f"extractor:{mine}", "-o", f"{tmp_path}/out/", "--shard-documents", 12)
    assert "'mine' was trained on 1 of the 12 documents" in refused(*arguments)
    result = command(*arguments, "--keep-going", code=1)
    assert f"left out: lines 13-24 of {DEMO}: 'mine' was trained on 1 of the 12 documents" in result.stderr
    assert [shard.file for shard in read_manifest(tmp_path / "out").shards] == ["part-00000.parquet"]


def test_a_file_that_changes_during_the_run_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_bytes(DEMO.read_bytes())
    pieces = Planner(None, 4)(str(source))
    source.write_text(source.read_text().replace("A single word", "A simple word"))
    with pytest.raises(ChangedInput, match="was changed"):
        read_piece(pieces[0])


def test_a_metric_that_fails_is_missing_with_its_reason(tmp_path: Path) -> None:
    result = command(
        "score",
        DEMO,
        "--metrics",
        "rouge1,bertscore",
        "--model",
        tmp_path / "none",
        "--layer",
        1,
        "-o",
        f"{tmp_path}/out/",
        code=1,
    )
    assert "bertscore failed" in result.stderr
    table = pq.read_table(tmp_path / "out" / "part-00000.parquet")
    assert table["score:rouge1"].null_count == 0
    assert table["score:bertscore"].null_count == len(table)
    assert all(reason.startswith("failed: ") for reason in table["missing:bertscore"].to_pylist())


def test_summaries_of_shards_can_be_scored(tmp_path: Path) -> None:
    command("summarize", DEMO, "--system", "lead,textrank", "-o", f"{tmp_path}/sum/")
    command("score", f"{tmp_path}/sum/*.parquet", "--metrics", "rouge1", "-o", f"{tmp_path}/out/")
    systems = pq.read_table(tmp_path / "out" / "part-00000.parquet")["system"].to_pylist()
    assert systems.count("lead") == systems.count("textrank") == 24


def test_oracles_of_shards(tmp_path: Path) -> None:
    result = command("oracle", DEMO, "--algorithms", "greedy,exact", "-o", f"{tmp_path}/out/", "--shard-documents", 10)
    assert "oracle-exact-rouge1" in result.stdout
    table = pq.read_table(tmp_path / "out" / "part-00002.parquet")
    assert table["proven"].to_pylist() == [False, True] * 4


def test_what_does_not_go_together_is_refused(tmp_path: Path) -> None:
    assert "--workers goes with --on ray" in refused("score", DEMO, "--workers", 2)
    assert "needs a folder" in refused("score", DEMO, "--on", "ray")
    assert "--keep-going goes with --on ray or a folder" in refused("score", DEMO, "--keep-going")
    assert "not 'spark'" in refused("score", DEMO, "--on", "spark", "-o", f"{tmp_path}/out/")
    assert "not an amount of memory" in refused(
        "score", DEMO, "--on", "ray", "--memory", "much", "-o", f"{tmp_path}/o/"
    )
    with pytest.raises(NoInput, match="there is no file"):
        find_inputs(str(tmp_path / "*.jsonl"))


def test_without_ray_it_is_said_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    message = refused("score", DEMO, "--on", "ray", "-o", f"{tmp_path}/out/")
    assert "pip install 'relevance-studies[ray]'" in message


@pytest.mark.process
def test_a_shard_does_not_depend_on_what_its_process_encoded_before(tmp_path: Path) -> None:
    make_metrics(["bertscore"])
    shared_encoder().forget()
    before = contents(scored(tmp_path / "before", names="bertscore", per_shard=1))
    texts = [text for line in DEMO.read_text().splitlines() for text in json.loads(line)["references"]]
    shared_encoder().forget()
    shared_encoder().encode(["A neighbour moves last digits.", *texts], [5])
    assert contents(scored(tmp_path / "after", names="bertscore", per_shard=1)) == before
