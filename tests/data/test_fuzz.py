"""Every importer takes a damaged file or refuses it in one line with file and line, and then nothing is stored."""

import io
import json
import re
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.database import connect
from data.importers import LINES, lines, read_documents
from data.records import BadRecord, Document, Summary
from data.store import DataStore
from tests.fuzzing import mutations

pytestmark = pytest.mark.exhaustive

COUNT = 2000
"""Damaged files for each importer."""
SLOWEST = 20
"""Seconds of the processor that one file may take; most take a thousandth of one."""

INTERCHANGE = [
    {
        "id": f"d{number}",
        "title": "A title",
        "source": ["One sentence.", "And another."] if number else "The text.",
        "references": ["First reference.", "Second é."],
        "summaries": [{"system": "bart", "text": "A summary.", "human": {"relevance": 4.5}}],
        "questions": [{"question": "Who is @placeholder ?", "answer": "Kim"}],
    }
    for number in range(3)
]
SCITLDR = [{"paper_id": f"p{n}", "title": "A title", "source": ["One.", "Two."], "target": ["It."]} for n in range(3)]
SUMMEVAL = [
    {
        "id": f"dm-{number // 2}",
        "model_id": f"M{number}",
        "decoded": "A summary.",
        "references": ["First.", "Second."],
        "expert_annotations": [{"relevance": 2, "fluency": 1.5}, {"relevance": 3}],
        "turker_annotations": [{"relevance": 5}],
        "text": "The article.",
    }
    for number in range(4)
]
COLUMNS = ["document_id", "title", "source", "reference", "system", "summary", "human.relevance", "human.x", "junk"]
ROWS = [
    ["d1", "A title", "The text, long.", 'A "reference".', "bart", "A summary.", "4.5", "1", "x"],
    ["d1", "A title", "The text, long.", "Another\nreference.", "bart", "A summary.", "4.5", "1", ""],
    ["d2", "", "Text é.", "Its reference.", "", "", "", "", ""],
]


def jsonl(records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def delimited(delimiter):
    quoted = [delimiter.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in ROWS]
    plain = [delimiter.join(f"{name}{row}" if row else name for name in COLUMNS[:6]) for row in range(3)]
    return ["\r\n".join([delimiter.join(COLUMNS), *quoted, ""]).encode(), "\n".join(plain).encode()]


def parquet(**options):
    columns = {name: [row[place] or None for row in ROWS] for place, name in enumerate(COLUMNS)}
    columns["human.relevance"] = [4.5, 4.5, None]
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, **options)
    return out.getvalue()


SAMPLES = {
    "interchange": [jsonl(INTERCHANGE)],
    "scitldr": [jsonl(SCITLDR)],
    "summeval": [jsonl(SUMMEVAL)],
    "csv": delimited(","),
    "tsv": delimited("\t"),
    "parquet": [
        parquet(compression="none"),
        parquet(compression="zstd"),
        parquet(compression="snappy", data_page_version="2.0", row_group_size=1),
        parquet(compression="none", use_dictionary=False, column_encoding={"source": "DELTA_BYTE_ARRAY"}),
    ],
    LINES: ["One summary.\nAnother é.\r\nA third.\n".encode()],
}
DOCUMENTS = [Document(f"d{number}", "t", ("r",)) for number in range(3)]


def load(path, format):
    if format == LINES:
        return [(DOCUMENTS[0], lines.load(path, DOCUMENTS, "s"))]
    return list(read_documents(path, format))


@pytest.mark.parametrize("format", SAMPLES)
def test_damaged_files_are_taken_or_refused_in_one_line(tmp_path, format):
    store = DataStore(connect(f"sqlite:///{tmp_path / 'x.db'}"))
    path = tmp_path / "f.x"
    for sample in SAMPLES[format]:
        path.write_bytes(sample)
        assert load(path, format)
    taken = refused = 0
    for number, content in enumerate(mutations(SAMPLES[format], COUNT, seed=len(format))):
        path.write_bytes(content)
        start = time.process_time()
        try:
            records = load(path, format)
        except BadRecord as refusal:
            refused += 1
            check_message(str(refusal), content)
            if number % 20 == 0:
                with pytest.raises(BadRecord):
                    store.add_dataset(name="x", format=format, sha256="", records=iter(load_later(path, format)))
        else:
            taken += 1
            assert all(isinstance(part, Summary) for _, summaries in records for part in summaries)
        assert time.process_time() - start < SLOWEST, content
    assert taken > COUNT / 20
    assert refused > COUNT / 20
    assert store.datasets() == []
    store.engine.dispose()


def check_message(said, content):
    assert re.match(r"f\.x:\d+: \S", said), (said, content)
    assert said.isprintable(), (said, content)
    assert len(said) < 1500, content


def load_later(path, format):
    """The records, read when they are asked for, as the store does."""
    yield from load(path, format)
