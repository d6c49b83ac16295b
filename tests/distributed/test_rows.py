"""Parquet tables that are divided by rows: the same shards as of JSON lines, whatever the row groups."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from relevance.data.demo import FILE as DEMO
from relevance.data.importers import parquet, read_documents
from relevance.data.records import BadRecord
from relevance.data.shards import is_sharded, read_manifest
from relevance.distributed.rows import Cuts
from relevance.distributed.running import Here, run
from relevance.distributed.sources import ChangedInput, Planner, read_piece
from relevance.distributed.work import ScoreWork, as_table
from relevance.metrics import make_metrics


def demo_rows() -> list[dict[str, Any]]:
    records = list(read_documents(DEMO))
    rows: list[dict[str, Any]] = pa.table(
        dict(as_table(records, {document.id: written for document, written in records}))
    ).to_pylist()
    return rows


def store(path: Path, rows: list[dict[str, Any]], row_group_size: int) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=row_group_size)
    return path


def scored(folder: Path, source: Path | str) -> list[pa.Table]:
    run(ScoreWork(tuple(make_metrics(["rouge1"]))), [str(source)], folder, Planner(None, 4), Here())
    return [pq.read_table(folder / shard.file) for shard in read_manifest(folder).shards]


@pytest.mark.parametrize("row_group_size", [7, 10_000])
def test_shards_of_parquet_are_those_of_json_lines(tmp_path: Path, row_group_size: int) -> None:
    source = store(tmp_path / "in.parquet", demo_rows(), row_group_size)
    result, wanted = scored(tmp_path / "out", source), scored(tmp_path / "lines", DEMO)
    assert len(result) == 6
    assert all(first.equals(second) for first, second in zip(result, wanted, strict=True))


def test_rows_of_an_address_are_read_by_ranges(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec", reason="relevance-studies[ray] is not installed")
    source = store(tmp_path / "in.parquet", demo_rows(), 7)
    with fsspec.open("memory://rows/in.parquet", "wb") as file:
        file.write(source.read_bytes())
    pieces, remote = (Planner(None, 4)(name) for name in (str(source), "memory://rows/in.parquet"))
    assert [read_piece(piece) for piece in remote] == [read_piece(piece) for piece in pieces]
    assert [piece.piece_sha256 for piece in remote] == [piece.piece_sha256 for piece in pieces]


def test_a_shard_that_is_missing_is_computed_again(tmp_path: Path) -> None:
    source = store(tmp_path / "in.parquet", demo_rows(), 10)
    scored(tmp_path / "out", source)
    before = {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in (tmp_path / "out").glob("part-*")}
    (tmp_path / "out" / "part-00003.parquet").unlink()
    scored(tmp_path / "out", source)
    after = {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in (tmp_path / "out").glob("part-*")}
    assert [name for name in sorted(after) if after[name] != before[name]] == ["part-00003.parquet"]
    assert after["part-00003.parquet"][1] == before["part-00003.parquet"][1]


@pytest.mark.parametrize(
    ("documents", "wanted"),
    [
        ("aabbccdd", [range(0, 4), range(4, 8)]),
        ("aabbccda", [range(0, 8)]),  # a comes back
        ("aabbccdcee", [range(0, 4), range(4, 8), range(8, 10)]),
        ("abcdcefgd", [range(0, 2), range(2, 9)]),
        ("", [range(0, 0)]),
    ],
)
def test_no_document_is_cut_apart(documents: str, wanted: list[range]) -> None:
    cuts = Cuts(2)
    for document in documents:
        cuts.add(document)
    assert cuts.ranges() == wanted


def test_a_bad_row_is_named_by_its_place_in_the_whole_file(tmp_path: Path) -> None:
    rows = demo_rows()
    rows[-1]["reference"] = "\0"
    source = store(tmp_path / "in.parquet", rows, 7)
    with pytest.raises(BadRecord, match=rf"in\.parquet:{len(rows)}: reference contains a NUL"):
        scored(tmp_path / "out", source)
    assert not is_sharded(tmp_path / "out")


def test_a_parquet_file_that_changes_during_the_run_is_refused(tmp_path: Path) -> None:
    rows = demo_rows()
    source = store(tmp_path / "in.parquet", rows, 7)
    pieces = Planner(None, 4)(str(source))
    rows[0]["summary"] += " And more."
    store(source, rows, 7)
    with pytest.raises(ChangedInput, match="was changed"):
        read_piece(pieces[0])


def test_the_limits_hold_for_a_piece_and_not_for_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = demo_rows()
    source = store(tmp_path / "in.parquet", rows, 10_000)
    pieces = Planner(None, 4)(str(source))
    texts = sum(len(value.encode()) for row in rows for value in row.values() if isinstance(value, str))
    monkeypatch.setattr(parquet, "MAX_BYTES", texts // 2)
    with pytest.raises(BadRecord, match="MiB of text"):
        list(read_documents(source))
    assert sum(len(read_piece(piece)) for piece in pieces) == 24
    monkeypatch.setattr(parquet, "MAX_BYTES", 1000)
    with pytest.raises(BadRecord, match="MiB of text up to this row"):
        read_piece(pieces[-1])
