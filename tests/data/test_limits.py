"""Files that would take much memory or never end: refused at once, by the command line and by what the page calls.

Memory is measured in a process of its own, as the highest that it had over what it had before; the bound of the time is
several times what is promised (5 s), as the machine may be busy.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from relevance.data import reading
from relevance.data.files import open_file, sha256
from relevance.data.importers import parquet, read_documents
from relevance.data.records import BadRecord
from tests.commands import refused, run

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("document_id", "source", "reference", "system", "summary")
MOST_MEMORY = 300  # MB over that at rest
MOST_SECONDS = 30

# What both the command and the page call; importing pandas is not part of it, as the page has it.
MEASURE = """
import json, resource, sys, time
from pathlib import Path
import pandas, pyarrow.compute, pyarrow.parquet
from relevance.data.database import connect
from relevance.data.importing import import_file
from relevance.data.store import DataStore

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000

store = DataStore(connect(sys.argv[2]))
before, start, said = peak(), time.process_time(), None
try:
    said = import_file(store, Path(sys.argv[1]), name="x")
except ValueError as error:
    refusal = str(error)
else:
    refusal = None
print(json.dumps([refusal, peak() - before, time.process_time() - start, said, len(store.datasets())]))
"""


def repeated(text, rows):
    """A column of one text: in the file it stands once, in the dictionary."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([text]))


def table(rows, **columns):
    ids = {"document_id": pa.array([f"d{row}" for row in range(rows)])}
    return pa.table({name: repeated(name, rows) for name in NAMES} | ids | columns)


def numbered(characters, rows):
    """Texts that differ at their end only."""
    return pa.array(["x" * characters + str(row) for row in range(rows)])


UNPLAIN = {"use_dictionary": False, "column_encoding": {"source": "DELTA_BYTE_ARRAY"}}
TOO_MUCH = {
    # name: (table, options of the writer, what is said)
    "2 MB by a thousand": (lambda: table(1000, source=repeated("x" * 2_000_000, 1000)), {}, "over 200 MiB of text"),
    "10 MB by two thousand": (lambda: table(2000, source=repeated("x" * 10**7, 2000)), {}, "over 200 MiB of text"),
    "plain strings": (lambda: table(250, source=pa.array(["x" * 2_000_000] * 250)), {}, "over 200 MiB of text"),
    "a cell of 300 MB": (lambda: table(1, source=pa.array(["x" * 300_000_000])), {}, "over 200 MiB of text"),
    "a cell of 34 MB": (
        lambda: table(3, summary=pa.array(["x", "x" * 34_000_000, "x"])),
        {},
        "2: summary is over 32 MiB",
    ),
    "a rating of 34 MB": (
        lambda: table(1, **{"human.x": pa.array(["4" * 34_000_000])}),
        {},
        "1: human.x is over 32 MiB",
    ),
    "dictionaries at once": (
        lambda: table(9, **{name: repeated(name + "x" * 25_000_000, 9) for name in NAMES[1:4]}),
        {},
        "its pages unpack to over 64 MiB at once",
    ),
    "beginnings that repeat": (lambda: table(500, source=numbered(1_000_000, 500)), UNPLAIN, "over 200 MiB of text"),
    "pages of the second kind": (
        lambda: table(1000, source=repeated("x" * 2_000_000, 1000)),
        {"data_page_version": "2.0"},
        "over 200 MiB of text",
    ),
    "twenty million rows": (
        lambda: pa.table({name: repeated(name, 20_000_000) for name in NAMES}),
        {},
        "1: the file has 20,000,000 rows, and at most 1,000,000 are taken",
    ),
}


@pytest.mark.process
@pytest.mark.exhaustive
@pytest.mark.parametrize(("make", "options", "message"), TOO_MUCH.values(), ids=TOO_MUCH)
def test_parquet_that_would_take_much_is_refused(tmp_path, make, options, message):
    path = tmp_path / "f.parquet"
    pq.write_table(make(), path, compression="zstd", **options)
    assert path.stat().st_size < 500_000
    refusal, memory, seconds, _, stored = measured(path, tmp_path)
    assert refusal.startswith("f.parquet:")
    assert message in refusal
    assert stored == 0
    assert memory < MOST_MEMORY
    assert seconds < MOST_SECONDS


def measured(path, folder):
    url = f"sqlite:///{folder / 'x.db'}"
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, path, url], cwd=ROOT, capture_output=True, text=True, timeout=300, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.process
@pytest.mark.exhaustive
def test_columns_that_nobody_reads_cost_nothing(tmp_path):
    path = tmp_path / "f.parquet"
    columns = {"junk": repeated("x" * 10**7, 2000), "more": pa.array(["x" * 100_000] * 2000)}
    pq.write_table(table(2000, **columns), path, compression="zstd")
    refusal, memory, seconds, notes, _ = measured(path, tmp_path)
    assert refusal is None
    assert notes == "imported 2,000 documents and 2,000 summaries of 1 system as x"
    assert memory < 100
    assert seconds < MOST_SECONDS


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "brotli", "zstd", "lz4"])
@pytest.mark.parametrize(
    "options",
    [{}, {"use_dictionary": False}, {"data_page_version": "2.0"}, {"row_group_size": 7, "data_page_size": 64}, UNPLAIN],
)
def test_every_way_of_writing_is_read(tmp_path, compression, options):
    path = tmp_path / "f.parquet"
    sources = pa.array([f"text {row} " * (row % 50 + 1) for row in range(100)])
    pq.write_table(table(100, source=sources), path, compression=compression, **options)
    assert [document.source for document, _ in read_documents(path)] == sources.to_pylist()


def test_heads_of_pages_are_believed_and_not_the_description(tmp_path, monkeypatch):
    """A file may say of itself that it is small; what its pages say is what is unpacked."""
    path = tmp_path / "f.parquet"
    pq.write_table(table(1, source=pa.array(["x" * 50_000])), path, compression="zstd")
    monkeypatch.setattr(parquet, "MAX_AT_ONCE", 50_000)
    with pytest.raises(BadRecord, match="its pages unpack to over 0 MiB at once"):
        list(read_documents(path))


@pytest.mark.parametrize(
    ("limit", "value", "message"), [("MAX_FOOTER", 100, "the description"), ("MAX_PAGES", 3, "pages")]
)
def test_other_limits_of_parquet(tmp_path, monkeypatch, limit, value, message):
    path = tmp_path / "f.parquet"
    pq.write_table(table(5000), path, use_dictionary=False, data_page_size=64, write_batch_size=8)
    assert len(list(read_documents(path))) == 5000
    monkeypatch.setattr(parquet, limit, value)
    with pytest.raises(BadRecord, match=message):
        list(read_documents(path))


# --- what is not a file, and files that are long and empty ------------------------------------------------------


@pytest.fixture
def odd(tmp_path, sqlite_url, monkeypatch):
    """A folder with a pipe, a device, links to both, and a file with something to score."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("zero").symlink_to("/dev/zero")
    Path("link").symlink_to("pipe")
    Path("f.jsonl").write_text(
        '{"id": "d", "source": "s", "references": ["r"], "summaries": [{"system": "a", "text": "t"}]}\n'
    )
    run("import", "f.jsonl", "--name", "n")
    return tmp_path


@pytest.mark.parametrize("name", ["pipe", "link", "zero", "/dev/zero"])
@pytest.mark.parametrize(
    "command",
    [
        "import {} --name x",
        "import {} --name x --format parquet",
        "import {} --name n --format lines",
        "score {}",
        "score -c {} -r f.jsonl",
        "score -c f.jsonl -r {}",
        "score f.jsonl --metrics bertscore --baseline {}",
        "oracle {}",
        "keywords {}",
        "entities {}",
        "analyze {}",
        "apes {}",
        "study create s --dataset n --instructions {}",
    ],
)
def test_what_is_no_file_is_refused_and_not_waited_for(odd, command, name):
    message = refused(*command.format(name).split())
    assert message == f"{name} is not an ordinary file but a pipe or device: save what comes from it in a file first"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--metrics bertscore --idf pipe", "--idf names no file: pipe"),
        ("--metrics rouge_k --keywords list:pipe", "--keywords list:FILE names no file: pipe"),
        ("--metrics carouge --vectors pipe", "pipe: there is no such file of word vectors"),
    ],
)
def test_options_that_name_a_pipe(odd, options, message):
    assert refused("score", "f.jsonl", *options.split()) == message


def test_open_file_takes_links_to_files(odd):
    Path("to_file").symlink_to("f.jsonl")
    with open_file(Path("to_file")) as file:
        assert file.read() == Path("f.jsonl").read_bytes()
    assert sha256(Path("to_file")) == sha256(Path("f.jsonl"))
    for missing, kind in (("none", FileNotFoundError), (".", IsADirectoryError)):
        with pytest.raises(kind):
            open_file(Path(missing))


@pytest.mark.exhaustive
@pytest.mark.parametrize("suffix", ["jsonl", "csv", "tsv"])
@pytest.mark.parametrize("blank", [b"\n", b"\r\n"])
def test_millions_of_blank_lines(tmp_path, suffix, blank):
    header = {"jsonl": b"", "csv": ",".join(NAMES).encode() + b"\n", "tsv": "\t".join(NAMES).encode() + b"\n"}[suffix]
    path = tmp_path / f"f.{suffix}"
    path.write_bytes(header + blank * 10_000_000)
    with pytest.raises(BadRecord, match=r"^f\.\w+:10000[12]: there are over 100,000 blank lines in a row"):
        list(read_documents(path, "interchange" if suffix == "jsonl" else None))


def test_blank_lines_between_others_are_no_matter(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MAX_BLANK_LINES", 3)
    (tmp_path / "f").write_text("\n\n\nx\n" * 10)
    assert sum(1 for _ in reading.lines(tmp_path / "f")) == 40


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["other", "human.other"])
def test_a_table_of_100_000_columns(tmp_path, kind):
    """Looking for each among all others took minutes; and what is said of them is short."""
    path = tmp_path / "f.csv"
    names = [*NAMES, *(f"{kind}{number}" for number in range(100_000))]
    path.write_text(f"{','.join(names)}\nd,s,r,a,t{',4' * 100_000}\n")
    notes = []
    ((_, (summary,)),) = read_documents(path, say=notes.append)
    if kind == "other":
        assert len(notes[-1]) < 500
        assert notes[-1].endswith('"other19" and 99980 more')
    else:
        assert len(summary.human) == 100_000
    path.write_text(f"{','.join([*names, 'source'])}\n")
    with pytest.raises(BadRecord, match='the column "source" stands twice'):
        list(read_documents(path))
