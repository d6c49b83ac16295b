"""What importing a table of people's choices takes, beside reading the same file by pandas.

    python -m benchmarks.choices [--judgments 100000] [--words 60]

Printed are, for each kind of file: its size, the seconds and the most memory of `relevance import`, which reads it and
stores data set and study in SQLite, and those of pandas, which only reads it. All are processes of their own.
"""

import argparse
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pandas as pd

HEADER = (
    "document",
    "source",
    "reference",
    "system_a",
    "summary_a",
    "system_b",
    "summary_b",
    "choice",
    "worker",
    "time",
)
SYSTEMS = ("bart", "t5", "pegasus", "lead", "human")
NESTED, FILES = "nested .jsonl", "50 files .csv"
"""Layouts that a mapping says: the choices within an object a document, and a file for each person."""
MAPPINGS = {
    NESTED: 'rows = "choices.{}"\n[columns]\ndocument_id = "document"\nannotator = "worker"\n',
    FILES: 'files = "{annotator}.csv"\n[columns]\ndocument_id = "document"\n',
}
FLATTEN = (
    "import sys, json, pandas; lines = [json.loads(line) for line in open(sys.argv[1])]; "
    "print(len(pandas.json_normalize(lines, 'choices', ['document', 'source', 'reference'])))"
)
JOIN = (
    "import sys, pathlib, pandas; "
    "print(len(pandas.concat([pandas.read_csv(path) for path in pathlib.Path(sys.argv[1]).glob('*.csv')])))"
)
READ = "import sys, pandas; print(len(getattr(pandas, sys.argv[1])(sys.argv[2], **eval(sys.argv[3]))))"
READERS = {".csv": ("read_csv", {}), ".jsonl": ("read_json", {"lines": True}), ".parquet": ("read_parquet", {})}


def make_rows(judgments: int, words: int) -> list[dict[str, str]]:
    """Made-up choices of 50 people between summaries of a third of `words`, of documents that are judged 20 times."""
    draw = random.Random(1)
    known = [f"word{number}" for number in range(5000)]

    def text(length: int) -> str:
        return " ".join(draw.choices(known, k=length))

    documents = [
        (f"d{number}", text(words), text(words // 4), {system: text(words // 3) for system in SYSTEMS})
        for number in range(max(1, judgments // 20))
    ]
    rows = []
    for number in range(judgments):
        name, source, reference, written = documents[number % len(documents)]
        left, right = draw.sample(SYSTEMS, 2)
        choice = draw.choice(("A", "B", "B is better", "tie", "Neither"))
        values = (name, source, reference, left, written[left], right, written[right], choice)
        rows.append(dict(zip(HEADER, (*values, f"w{number % 50}", "2026-01-02T03:04:05Z"), strict=True)))
    return rows


def write(path: Path, rows: Sequence[Mapping[str, object]], header: Sequence[str] = HEADER) -> None:
    """Write the rows by the path's ending."""
    if path.suffix == ".parquet":
        pd.DataFrame(rows).to_parquet(path)
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        if path.suffix == ".jsonl":
            file.writelines(json.dumps(row) + "\n" for row in rows)
        else:
            writer = csv.DictWriter(file, header)
            writer.writeheader()
            writer.writerows(rows)


def write_layout(path: Path, rows: Sequence[Mapping[str, str]], layout: str) -> None:
    """Write the rows in a layout that a mapping reads: a file, or a folder."""
    if layout == FILES:
        path.mkdir()
        for worker in {row["worker"] for row in rows}:
            of_one = [
                {name: row[name] for name in HEADER if name != "worker"} for row in rows if row["worker"] == worker
            ]
            write(path / f"{worker}.csv", of_one, [*of_one[0]])
        return
    documents: dict[str, dict[str, str]] = {}
    choices: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        outer = {name: row[name] for name in ("document", "source", "reference")}
        documents[row["document"]] = outer
        inner = {name: value for name, value in row.items() if name not in outer}
        choices.setdefault(row["document"], []).append(inner)
    write(path, [{**outer, "choices": choices[name]} for name, outer in documents.items()])


def measure(*arguments: str, **variables: str) -> tuple[float, float]:
    """Run an interpreter; return its seconds, and its most memory in MB."""
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, *arguments], env={**os.environ, **variables}, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(arguments)} failed")
    return time.perf_counter() - began, used.ru_maxrss / 1000


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--judgments", type=int, default=100_000)
    parser.add_argument("--words", type=int, default=60, help="words of a document")
    options = parser.parse_args()
    print(f"{options.judgments:,} judgments        MB   import: s     MB   pandas: s     MB")
    with tempfile.TemporaryDirectory() as folder:
        with ProcessPoolExecutor(1) as pool:  # a process counts the memory of the one that started it as its own
            pool.submit(write_all, Path(folder), options.judgments, options.words).result()
        for ending, (reader, settings) in READERS.items():
            path = Path(folder, f"choices{ending}")
            compare(ending, path, (), ("-c", READ, reader, str(path), repr(settings)))
        for layout, program in ((NESTED, FLATTEN), (FILES, JOIN)):
            path, mapping = find_layout(Path(folder), layout), Path(folder, "mapping.toml")
            mapping.write_text(MAPPINGS[layout])
            compare(layout, path, ("--columns", str(mapping)), ("-c", program, str(path)))


def write_all(folder: Path, judgments: int, words: int) -> None:
    """Write the choices in every kind of file and layout."""
    rows = make_rows(judgments, words)
    for ending in READERS:
        write(folder / f"choices{ending}", rows)
    for layout in MAPPINGS:
        write_layout(find_layout(folder, layout), rows, layout)


def find_layout(folder: Path, layout: str) -> Path:
    """Return where the choices of a layout are."""
    return folder / layout.replace(" ", "")


def compare(name: str, path: Path, options: Sequence[str], reading: Sequence[str]) -> None:
    """Import a file, or a folder of files, and read it by pandas; print the figures."""
    command = ("-m", "relevance", "import", str(path), "--name", "choices", *options)
    ours = measure(*command, RELEVANCE_DATABASE_URL=f"sqlite:///{path}.db")
    theirs = measure(*reading)
    files = path.glob("*") if path.is_dir() else [path]
    size = sum(file.stat().st_size for file in files) / 1e6
    print(f"{name:19} {size:7.1f} {ours[0]:11.1f} {ours[1]:6.0f} {theirs[0]:11.1f} {theirs[1]:6.0f}")


if __name__ == "__main__":
    main()
