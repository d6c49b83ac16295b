"""Every importer takes a damaged file or refuses it in one line with file and line, and then nothing is stored."""

import io
import json
import re
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from relevance.data.database import connect
from relevance.data.importers import LINES, lines, read_documents
from relevance.data.records import BadRecord, Document, Summary
from relevance.data.store import DataStore
from tests.data.battles import battle, comparison, late_battle
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
        "references": ["First reference.", "Second é."] if number < 2 else None,
        "summaries": [{"system": "bart", "text": "A summary.", "human": {"relevance": 4.5}, "scores": {"m": 1}}],
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
STORY = "First line.\n\nSecond é.\n\n@highlight\n\nOne point\n\n@highlight\n\nAnother\n".encode()
XSUM = "[SN]URL[SN]\nu\n\n[SN]TITLE[SN]\nt\n\n[SN]FIRST-SENTENCE[SN]\nOne é.\n\n[SN]RESTBODY[SN]\nText.\n".encode()
NEWSROOM = [{"url": f"http://n.example/{n}", "title": "T", "text": "Text é.", "summary": "Sum."} for n in range(3)]
ARXIV = [{"id": f"07{n}", "categories": "x", "title": "A\n title", "abstract": " Text é.\n"} for n in range(3)]
XSCIENCE = [
    {"aid": f"a{n}", "abstract": "A é.", "related_work": "R @cite_1.", "ref_abstract": {"@cite_1": {"abstract": "C."}}}
    for n in range(3)
]
REALSUMM = {
    **{"Input.eventId": "d1", "Input.summaryId": "bart", "Input.summary_text": "A é, summary."},
    **{f"Input.statement_{n}": f"Fact {n}" if n < 4 else "BLANK" for n in range(1, 17)},
    **{f"Answer.S{n}Answer": "p" if n % 2 else "n" for n in range(1, 17)},
}
REALSUMM_ROW = ",".join(f'"{cell}"' for cell in REALSUMM.values())
REALSUMM_SCORES = [
    {
        "doc_id": n,
        "ref_summ": "<t> Ref. </t> <t> More é. </t>",
        "system_summaries": {"a.txt": {"system_summary": "<t> A. </t>", "scores": {"litepyramid_recall": 0.5, "x": 1}}},
    }
    for n in range(2)
]
SACREROUGE = [
    {
        **{
            "instance_id": "d1",
            "summarizer_id": str(n),
            "summarizer_type": "peer",
            "summary": {"text": ["A é.", "B."]},
        },
        **{"references": [{"text": "Ref."}], "document": {"text": [["One."], ["Two."]]}},
        "metrics": {"rouge-1": {"recall": 0.5}, "expert": {"fluency": [4, 5]}},
    }
    for n in range(3)
]
FOLDERS = {
    "tac": {
        "ROUGE/models/D1001-A.M.100.A.B": b"Rain fell.\nIt was cold.\n",
        "ROUGE/peers/D1001-A.M.100.A.2": "Rain é.\n".encode(),
        "manual/manual.peer.A": b"D1001-A 2 0.5 3 1 x y 0.45 4 5\n",
        "aesop_allpeers_A": b"system topic m1 m2\ns2 d1 0.25 NaN\nsB d1 0.9 0.8\n",
    },
    "arxiv_papers": {
        "abstracts-2K.csv": "id\tabstract\ttitle\nd1\tWe study é.\tOn rain\nd2\tRain fell.\tA\n".encode(),
        "papers/d1.txt": "On rain We study é. Rain ∼ N(0, 1) is wet.\nAcknowledgements\n".encode(),
    },
    "mt_metrics_eval": {
        "documents/en-de.docs": b"news a\nnews a\nchat b\n",
        "sources/en-de.txt": b"Rain fell.\nIt was cold.\nHello.\n",
        "references/en-de.refA.txt": b"Regen.\n\nHallo.\n",
        "system-outputs/en-de/M1.txt": "Es é.\n[No translation supplied]\n\n".encode(),
        "human-scores/en-de.mqm.seg.score": b"M1\t-1.5\nM1\tNone\nM1 0\n",
        "metric-scores/en-de/BLEU-refA.seg.score": b"M1 0.5\nM1 0\nM1 2.5e-1\n",
    },
}
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


def nested_parquet(records, **options):
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(records), out, **options)
    return out.getvalue()


def arrow(new):
    out = io.BytesIO()
    table = pa.table({"id": ["a", "b"], "document": ["Text é.", "Other."], "summary": ["Sum.", "Another."]})
    with new(out, table.schema) as file:
        file.write_table(table)
    return out.getvalue()


CHOICES = [
    {
        "document": f"d{n}",
        "source": "Text é.",
        "summary_a": f"One {n}.",
        "summary_b": "Two.",
        "winner": "A",
        "time": "2026-01-02",
    }
    for n in range(3)
]


TASKS = [
    {
        "id": n,
        "data": {"text": "Text é.", "text1": f"One {n}.", "text2": "Two."},
        "annotations": [
            {"completed_by": 1, "result": [{"value": {"selected": "left"}, "from_name": "pw", "type": "pairwise"}]},
            {"completed_by": {"id": 2}, "result": [], "was_cancelled": True},
        ],
    }
    for n in range(2)
]
ARGILLA = [
    {
        "id": f"r{n}",
        "fields": {"prompt": "Text.", "a": f"One {n}.", "b": "Two."},
        "responses": {"better": [{"value": "a", "user_id": "u"}]},
    }
    for n in range(3)
]
POTATO = [
    {"id": f"i{n}", "displayed_text": "One. ||| Two.", "label_annotations": {"q": {"A": "true"}}} for n in range(3)
]
CHOSEN = [
    {
        "prompt": f"Sum {n}.",
        "chosen": [{"role": "x", "content": "One."}],
        "rejected": [{"role": "x", "content": "Two."}],
    }
    for n in range(3)
]
MTURK = b"""HITId,AssignmentId,WorkerId,AssignmentStatus,Input.text,Input.text1,Input.text2,Answer.pick.A,Answer.pick.B
H1,A1,W1,Approved,Text.,One.,Two.,true,false
H2,A2,W1,Rejected,Text.,One.,Two.,true,false
H3,A3,W2,,Text.,One.,Two.,false,true
"""


def choices_table():
    rows = [list(CHOICES[0]), *(list(item.values()) for item in CHOICES)]
    return "\n".join(map(",".join, rows)).encode()


RANKS = b"""doc_id,reference,model,summary,relevance,rank,worker
d1,Ref.,a,One.,4,1,w1
d1,Ref.,b,Two.,2: no,2nd,w1
d1,Ref.,a,One.,,2,w2
d1,Ref.,b,Two.,1,1,w2
"""
BEST = b"""doc_id,reference,summary_a,summary_b,summary_c,model_a,model_b,model_c,best,worst,worker,time
d1,Ref.,One.,Two.,Three.,x,y,z,A,"b, c",w1,2026-01-02
d2,Ref.,One.,Two.,Three.,z,x,y,x,,w2,
"""
RATED = b"""document_id,reference,system,summary,relevance,fluency,worker
d1,Ref.,a,One.,4,1,w1
d1,Ref.,a,One.,3,,w2
d1,Ref.,b,Two.,2: no,5,w1
"""
SAMPLES = {
    "interchange": [jsonl(INTERCHANGE)],
    "scitldr": [jsonl(SCITLDR)],
    "summeval": [jsonl(SUMMEVAL)],
    "csv": [*delimited(","), RATED],
    "tsv": delimited("\t"),
    "parquet": [
        parquet(compression="none"),
        parquet(compression="zstd"),
        parquet(compression="snappy", data_page_version="2.0", row_group_size=1),
        parquet(compression="none", use_dictionary=False, column_encoding={"source": "DELTA_BYTE_ARRAY"}),
    ],
    "cnn_dailymail": [STORY],
    "xsum": [XSUM],
    "newsroom": [jsonl(NEWSROOM)],
    "arxiv": [jsonl(ARXIV)],
    "multi_xscience": [json.dumps(XSCIENCE).encode(), json.dumps(XSCIENCE, indent=1).encode()],
    "huggingface": [arrow(pa.ipc.new_stream), arrow(pa.ipc.new_file)],
    "realsumm": [
        f"{','.join(REALSUMM)}\n{REALSUMM_ROW}\r\n{REALSUMM_ROW}\r\n".encode(),
        jsonl(REALSUMM_SCORES),
    ],
    "sacrerouge": [jsonl(SACREROUGE)],
    "lmarena": [
        jsonl([battle(f"q{n}", tstamp=1.6e9 + n) for n in range(2)]),
        json.dumps([late_battle(f"b{n}", "both_bad") for n in range(2)]).encode(),
        nested_parquet([battle(f"q{n}", tstamp=1.6e9 + n) for n in range(3)], compression="none"),
        nested_parquet([late_battle(f"b{n}") for n in range(3)], compression="none", data_page_version="2.0"),
        nested_parquet([late_battle(f"b{n}") for n in range(3)], compression="none", use_dictionary=False),
    ],
    "choices": [choices_table(), jsonl(CHOICES), nested_parquet(CHOICES, compression="none")],
    "ranks": [RANKS, BEST],
    "label_studio": [json.dumps(TASKS).encode(), json.dumps(TASKS, indent=1).encode()],
    "argilla": [jsonl(ARGILLA)],
    "potato": [jsonl(POTATO)],
    "mturk": [MTURK],
    "preferences": [jsonl(CHOSEN), nested_parquet(CHOSEN, compression="none")],
    "human_feedback": [jsonl([comparison(f"p{n}", n) for n in range(2)])],
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


@pytest.mark.parametrize("format", FOLDERS)
def test_damaged_folders_are_taken_or_refused_in_one_line(tmp_path, format):
    files = FOLDERS[format]
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    assert load(tmp_path, format)
    taken = refused = 0
    for name, sample in files.items():
        for content in mutations([sample], COUNT // len(files), seed=len(name)):
            (tmp_path / name).write_bytes(content)
            try:
                assert load(tmp_path, format)
                taken += 1
            except BadRecord as refusal:
                refused += 1
                message = str(refusal)
                assert re.match(r"[\w.-]+:\d+: \S|" + re.escape(str(tmp_path)), message), (message, content)
                assert message.isprintable(), (message, content)
        (tmp_path / name).write_bytes(sample)
    assert taken > COUNT / 20
    assert refused > COUNT / 20


def check_message(message, content):
    assert re.match(r"f\.x:\d+: \S", message), (message, content)
    assert message.isprintable(), (message, content)
    assert len(message) < 1500, content


def load_later(path, format):
    """The records, read when they are asked for, as the store does."""
    yield from load(path, format)
