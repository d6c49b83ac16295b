"""Manifests and shards that somebody changed, and runs that get in each other's way."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from relevance.data.demo import FILE as DEMO
from relevance.data.files import sha256
from relevance.data.scored_shards import read_scored_shards
from relevance.data.shards import MANIFEST, BadShard, is_sharded, read_manifest
from relevance.distributed.running import Here, OtherRun, run
from relevance.distributed.sources import Planner
from relevance.distributed.work import ScoreWork
from relevance.metrics import make_metrics
from tests.commands import refused


def score(folder: Path, metric: str = "length", place: Here | None = None) -> Path:
    run(ScoreWork(tuple(make_metrics([metric]))), [str(DEMO)], folder, Planner(None, 12), place or Here())
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return score(tmp_path / "out")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("signatures", None, "signatures are not an object of texts"),
        ("signatures", ["length"], "signatures are not an object of texts"),
        ("signatures", {"length": 5}, "signatures are not an object of texts"),
        ("file", 5, "cannot be a file of this folder"),
        ("file", "..", "cannot be a file of this folder"),
        ("file", "../out/part-00000.parquet", "cannot be a file of this folder"),
        ("file", "a\0b", "cannot be a file of this folder"),
        ("file", "part-00001.parquet", "names 'part-00001.parquet' twice"),
        ("rows", "4", "not whole numbers"),
        ("documents", None, "not whole numbers"),
    ],
)
def test_a_manifest_with_other_values_than_manifests_have_is_refused(
    folder: Path, key: str, value: object, message: str
) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    (manifest if key in manifest else manifest["shards"][0])[key] = value
    (folder / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(BadShard, match=rf"manifest\.json:1: .*{message}"):
        read_manifest(folder)


def test_a_manifest_of_lists_within_lists_is_refused_in_one_line(folder: Path) -> None:
    (folder / MANIFEST).write_text('{"shards":' + "[" * 100_000)
    assert "this is not a manifest of shards" in refused("analyze", folder)


def test_a_damaged_column_is_told_with_its_file(folder: Path) -> None:
    shard, manifest = folder / "part-00000.parquet", json.loads((folder / MANIFEST).read_text())
    content = bytearray(shard.read_bytes())
    content[4:120] = bytes(116)
    shard.write_bytes(content)
    manifest["shards"][0]["sha256"] = sha256(shard)
    (folder / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(BadShard, match=r"part-00000\.parquet: a column is damaged"):
        read_scored_shards(folder)


def test_a_run_does_not_vouch_for_a_shard_that_was_altered(folder: Path) -> None:
    import pyarrow.parquet as pq

    shard, manifest = folder / "part-00000.parquet", (folder / MANIFEST).read_bytes()
    table = pq.read_table(shard, partitioning=None)
    pq.write_table(table.slice(1), shard)
    with pytest.raises(BadShard, match=r"part-00000\.parquet: this is not the file .*; delete it"):
        score(folder)
    assert (folder / MANIFEST).read_bytes() == manifest
    shard.unlink()
    score(folder)
    assert (folder / MANIFEST).read_bytes() == manifest


def test_a_pipe_among_the_shards_is_refused_and_not_waited_for(folder: Path) -> None:
    (folder / "part-00000.parquet").unlink()
    os.mkfifo(folder / "part-00000.parquet")
    with pytest.raises(BadShard, match=r"part-00000\.parquet: no shard of a run"):
        score(folder)


class BesideAnother(Here):
    """Makes shards while another run by another metric writes into the same folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def map(self, function: Callable[[Any], Any], items: Sequence[Any], *, keeps: bool) -> Iterator[tuple[int, Any]]:
        yield from super().map(function, items, keeps=keeps)
        if list(self.folder.glob("part-*")):
            other = score(self.folder.parent / "other", "rouge1") / "part-00000.parquet"
            other.replace(self.folder / "part-00000.parquet")


def test_two_runs_into_one_folder_make_no_manifest_of_both(tmp_path: Path) -> None:
    with pytest.raises(OtherRun, match=r"part-00000\.parquet has scores by"):
        score(tmp_path / "out", place=BesideAnother(tmp_path / "out"))
    assert not is_sharded(tmp_path / "out")
