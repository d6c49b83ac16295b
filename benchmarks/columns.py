"""All tables of `relevance analyze FOLDER` for many documents x 8 systems x 8 metrics: seconds, memory, by part.

python -m benchmarks.columns [--documents 200000] [--parts]

Scores are made up with a seed: a document, a system and a summary each have a quality, which ratings from 1 to 5 and
all metrics see with more or less noise; one metric lacks a score in fifty. The command runs in a process of its own,
with its default of 2,000 resamples. `--parts` says how long each part takes, in this process.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from relevance.analysis.study import Settings, analyze_ratings
from relevance.data.files import sha256
from relevance.data.scored_shards import read_scored_shards
from relevance.data.shards import METADATA, Manifest, ManifestShard, ShardFacts, write_manifest

DOCUMENTS, SYSTEMS, OF_SHARD = 200_000, 8, 512
NAMES = ("rouge1", "rouge2", "rougeL", "rouge_k", "bertscore", "carouge", "apes", "length")
PARTS = ("agreement", "correlations", "discrepancies", "correlation_tests", "systems")


def write_folder(folder: Path, documents: int, seed: int = 0) -> None:
    """Write a folder of scored shards."""
    random = np.random.default_rng(seed)
    signatures = {name: f"{name}|version:0" for name in NAMES}
    of_system = random.normal(size=SYSTEMS) / 2
    folder.mkdir(parents=True)
    shards = []
    for number, first in enumerate(range(0, documents, OF_SHARD)):
        ids = [f"d{place:07}" for place in range(first, min(first + OF_SHARD, documents))]
        size = len(ids), SYSTEMS
        quality = random.normal(size=size) + random.normal(size=(len(ids), 1)) + of_system
        rating = np.clip(np.round(3 + quality / 2 + random.normal(size=size) / 2), 1, 5)
        columns: dict[str, pa.Array] = {
            "document": pa.array(np.repeat(ids, SYSTEMS)),
            "system": pa.array([f"s{system}" for system in range(SYSTEMS)] * len(ids)),
            "rating:relevance": pa.array(rating.ravel()),
        }
        for name, noise in zip(NAMES, np.linspace(0.5, 4, len(NAMES)), strict=True):
            values = quality + noise * random.normal(size=size)
            if name == "length":
                values = np.round(20 + 5 * values)
            elif name == "rouge_k":
                values = np.round(np.clip(values / 10 + 0.5, 0, 1) * 6) / 6
            absent = (random.random(size) < (0.02 if name == "apes" else 0)).ravel()
            columns[f"score:{name}"] = pa.array(values.ravel(), mask=absent)
            columns[f"missing:{name}"] = pa.array(np.where(absent, "there are no questions", None), pa.string())
            columns[f"truncated:{name}"] = pa.array(np.zeros(absent.size, bool))
        facts = ShardFacts("scores", signatures, "made.jsonl", "0" * 64, f"{first + 1}-{first + len(ids)}")
        path = folder / f"part-{number:05}.parquet"
        pq.write_table(pa.table(columns).replace_schema_metadata({METADATA: facts.as_bytes()}), path)
        shards.append(ManifestShard(path.name, sha256(path), len(ids), len(ids) * SYSTEMS))
    write_manifest(folder, Manifest("scores", signatures, tuple(shards)))


def measure(folder: Path) -> str:
    """Run the command, and say what it took."""
    start = time.perf_counter()
    with open(os.devnull, "wb") as nowhere:
        child = subprocess.Popen(
            [sys.executable, "-m", "relevance", "analyze", str(folder), "--format", "json"], stdout=nowhere
        )
        _, status, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    if status:
        raise SystemExit(f"relevance analyze failed with {os.waitstatus_to_exitcode(status)}")
    processor = used.ru_utime + used.ru_stime
    return f"{wall:.1f} s, {processor:.1f} s of processor, peak {used.ru_maxrss / 2**20:.2f} GiB"


def time_parts(folder: Path) -> None:
    """Print how long each part of the analysis takes."""
    start = time.perf_counter()
    results = analyze_ratings(read_scored_shards(folder).cells, Settings(human="relevance"))
    for part in ("reading", *PARTS):
        if part != "reading":
            getattr(results, part)
        print(f"  {part:<20} {time.perf_counter() - start:6.2f} s")
        start = time.perf_counter()


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--parts", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "out"
        write_folder(folder, args.documents)
        print(f"{args.documents:,} documents x {SYSTEMS} systems x {len(NAMES)} metrics")
        if args.parts:
            time_parts(folder)
        print(f"  {measure(folder)}")


if __name__ == "__main__":
    main()
