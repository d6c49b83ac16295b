"""`relevance analyze` of a folder of scored shards: the figures of the file that was scored, and what is refused."""

import csv
import io
import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from relevance.data.files import sha256
from relevance.data.importers import read_documents
from relevance.data.shards import METADATA, Manifest, ManifestShard, ShardFacts, write_manifest
from relevance.metrics import make_metrics
from relevance.metrics.scoring import score_records
from tests.commands import refused, run, write

NAMES = ["rouge1", "rougeL", "length"]


def make_records():
    draw = random.Random(3)
    words = ["cat", "dog", "mouse", "ate", "saw", "ran", "the", "a", "big", "small", "night", "day"]
    return [
        {
            "id": f"d{place}",
            "source": "A cat saw a big dog.",
            "references": [" ".join(draw.choices(words, k=8))],
            "summaries": [
                {
                    "system": system,
                    "text": " ".join(draw.choices(words, k=draw.randint(4, 9))),
                    "human": {"relevance": draw.randint(1, 5)} if draw.random() < 0.9 else {},
                }
                for system in ("one", "two", "three")
            ],
        }
        for place in range(12)
    ]


def write_shards(folder, rows, signatures, edit=lambda place, columns: columns):
    folder.mkdir()
    shards = []
    for place, part in enumerate((rows[18:], rows[:18])):
        columns = {
            "document": [item.document_id for item, _, _ in part],
            "system": [item.system for item, _, _ in part],
            "rating:relevance": [human.get("relevance") for _, _, human in part],
        }
        for name in NAMES:
            columns[f"score:{name}"] = [scores[name].value for _, scores, _ in part]
            columns[f"missing:{name}"] = [scores[name].missing for _, scores, _ in part]
            columns[f"truncated:{name}"] = [scores[name].truncated for _, scores, _ in part]
        types = {"rating": pa.float64(), "score": pa.float64(), "truncated": pa.bool_()}
        by_name = {
            name: pa.array(values, types.get(name.split(":")[0], pa.string()))
            for name, values in edit(place, columns).items()
        }
        facts = ShardFacts("scores", signatures if place == 0 else edit(2, dict(signatures)), "in.jsonl", "0")
        path = folder / f"part-{place:05}.parquet"
        pq.write_table(pa.table(by_name).replace_schema_metadata({METADATA: facts.as_bytes()}), path)
        shards.append(ManifestShard(path.name, sha256(path), 6, len(part)))
    write_manifest(folder, Manifest("scores", signatures, tuple(shards)))
    return folder


@pytest.fixture
def scored(tmp_path):
    write(tmp_path / "in.jsonl", make_records())
    metrics = make_metrics(NAMES)
    records = list(read_documents(tmp_path / "in.jsonl"))
    humans = [summary.human for _, summaries in records for summary in summaries]
    rows = [
        (item, scores, human) for (item, scores), human in zip(score_records(records, metrics), humans, strict=True)
    ]
    return rows, {metric.name: metric.signature for metric in metrics}


def lines(*arguments):
    output = run("analyze", *arguments, "--format", "csv").stdout
    facts = ("file", "folder", "SHA-256")
    return [row for row in csv.reader(io.StringIO(output)) if not any(cell.startswith(facts) for cell in row)]


def test_the_figures_of_a_folder_are_those_of_the_file(tmp_path, scored):
    folder = write_shards(tmp_path / "out", *scored)
    file = tmp_path / "in.jsonl"
    for options in ([], ["--systems", "one,three"]):
        of_file = lines(file, "--metrics", ",".join(NAMES), *options)
        assert len(of_file) > 30
        assert lines(folder, *options) == of_file
    assert lines(folder, "--metrics", "rouge1") == lines(file, "--metrics", "rouge1")


def test_damaged_folders_are_refused(tmp_path, scored, sqlite_url):
    def doubled(place, columns):
        return columns | {"document": ["d0"] * 18, "system": ["one"] * 18} if place == 1 else columns

    def unexplained(place, columns):
        return columns | {"score:rouge1": [None] * 18} if place == 0 else columns

    def mixed(place, columns):
        return columns | {"rouge1": "rouge1|other"} if place == 2 else columns

    assert "part-00001.parquet:2: there is a row of document 'd0'" in refused(
        "analyze", write_shards(tmp_path / "a", *scored, doubled)
    )
    assert "part-00000.parquet:1: score:rouge1" in refused(
        "analyze", write_shards(tmp_path / "b", *scored, unexplained)
    )
    assert "by other metrics or settings" in refused("analyze", write_shards(tmp_path / "c", *scored, mixed))
    folder = write_shards(tmp_path / "d", *scored)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["shards"][0]["sha256"] = "0"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert "not the file that the manifest was written for" in refused("analyze", folder)
    (folder / "manifest.json").unlink()
    assert "the run has not finished" in refused("analyze", folder)


def test_what_a_folder_cannot_tell_is_refused(tmp_path, scored):
    folder = write_shards(tmp_path / "out", *scored)
    assert "has no texts" in refused("analyze", folder, "--tables", "keywords")
    assert "no scores by bleu" in refused("analyze", folder, "--metrics", "bleu")
    assert "no human ratings of 'fluency'" in refused("analyze", folder, "--human", "fluency")
