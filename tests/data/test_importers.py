import csv
import io
import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from sqlalchemy import text

from relevance import cli
from relevance.data import reading
from relevance.data.database import connect
from relevance.data.importers import columns, guess_format, lines, read_documents
from relevance.data.importers.mapping import Columns
from relevance.data.importers.suggesting import suggest_columns
from relevance.data.importers.table import OTHER_TEXT
from relevance.data.records import BadRecord, Document, Summary

TRICKY = {
    "separators": "one\u2028two\u2029three\x85four\x0bfive",
    "combining": "e\u0301 is not \u00e9; \u1100\u1161 is not \uac00",
    "right to left": "\u202eשלום\u202c עליכם \u200f",
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈 \U0010ffff",
    "line ends": "a\r\nb\nc\rd\r\n\r\ne",
    "spaces": "  leading, \ttab,\u00a0trailing \u3000",
    "mark": "\ufeffnot at the start of a file\ufeff",
    "markup": '<script>alert("1")</script> [x](javascript:y) "" \\n \\u0000 \'',
    "formula": '=HYPERLINK("x"),-1,@a,+b',
}


def write_json(path, records):
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


def interchange(**changes):
    record = {
        "id": "d1",
        "title": "A title",
        "source": "The text.",
        "references": ["A reference."],
        "summaries": [{"system": "bart", "text": "A bridge.", "human": {"relevance": 4.3}}],
    } | changes
    return {key: value for key, value in record.items() if value is not None}


def scitldr(**changes):
    record = {"paper_id": "p1", "title": "A title", "source": ["One.", "Two."], "target": ["A TLDR."]} | changes
    return {key: value for key, value in record.items() if value is not None}


def summeval(**changes):
    record = {
        "id": "dm-test-1",
        "model_id": "M11",
        "filepath": "cnndm/dailymail/stories/1.story",
        "decoded": "A bridge.",
        "references": ["First reference.", "Second reference."],
        "expert_annotations": [
            {"coherence": 2, "consistency": 1, "fluency": 4, "relevance": 2},
            {"coherence": 1, "consistency": 1, "fluency": 2, "relevance": 1},
            {"coherence": 1, "consistency": 1, "fluency": 3, "relevance": 2},
        ],
        "turker_annotations": [{"coherence": 3, "relevance": 3}, {"coherence": 4}],
    } | changes
    return {key: value for key, value in record.items() if value is not None}


COLUMNS = ["document_id", "title", "source", "reference", "system", "summary", "human.relevance"]


def write_table(path, rows, columns=COLUMNS):
    if path.suffix == ".parquet":
        table = {name: [row[i] if row[i] != "" else None for row in rows] for i, name in enumerate(columns)}
        pq.write_table(pa.table(table), path)
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            tabs = path.suffix == ".tsv"  # which is quoted throughout or not at all
            quoting = csv.QUOTE_ALL if tabs else csv.QUOTE_MINIMAL
            writer = csv.writer(file, delimiter="\t" if tabs else ",", lineterminator="\r\n", quoting=quoting)
            writer.writerows([columns, *rows])
    return path


def written(path: Path):
    """What `read_documents` makes of a file, and what it says besides the format."""
    notes = []
    return list(read_documents(path, say=notes.append)), [line for line in notes if not line.startswith("format: ")]


# --- good files -----------------------------------------------------------------------------------------------


def test_interchange(tmp_path):
    path = write_json(
        tmp_path / "f.jsonl",
        [
            interchange(),
            interchange(id="d2", title=None, source=["One.", "Two."], references=["r", "r"], summaries=None),
            interchange(id="d3", title=" ", summaries=[{"system": "a", "text": "t"}, {"system": "b", "text": "t"}]),
        ],
    )
    assert guess_format(path) == "interchange"
    assert list(read_documents(path)) == [
        (
            Document("d1", "The text.", ("A reference.",), "A title"),
            [Summary("d1", "bart", "A bridge.", {"relevance": 4.3})],
        ),
        (Document("d2", ("One.", "Two."), ("r", "r")), []),
        (Document("d3", "The text.", ("A reference.",)), [Summary("d3", "a", "t"), Summary("d3", "b", "t")]),
    ]


@pytest.mark.parametrize(
    ("make", "changes", "document", "system"),
    [
        (interchange, {"id": 7, "summaries": [{"system": 3, "text": "s"}]}, "7", "3"),
        (scitldr, {"paper_id": 12345678901234567890}, "12345678901234567890", None),
        (summeval, {"id": -7, "model_id": 11}, "-7", "11"),
    ],
)
def test_whole_numbers_name_documents_and_systems(tmp_path, make, changes, document, system):
    [(result, summaries)], _ = written(write_json(tmp_path / "f.jsonl", [make(**changes)]))
    assert result.id == document
    assert [summary.system for summary in summaries] == ([] if system is None else [system])


def test_a_number_and_its_digits_are_one_id(tmp_path):
    path = write_json(tmp_path / "f.jsonl", [interchange(id=7), interchange(id="7")])
    with pytest.raises(BadRecord, match=r'f\.jsonl:2: the id "7" already stands in line 1'):
        list(read_documents(path))


def test_whole_numbers_in_parquet(tmp_path):
    rows = [[7, "t", "text", "ref", 3, "sum", 1]]
    [(document, [summary])], _ = written(write_table(tmp_path / "f.parquet", rows))
    assert (document.id, summary.document_id, summary.system) == ("7", "7", "3")


SILENT = [
    ("f.jsonl", [interchange(summaries=[{"system": "a", "text": ""}, {"system": "b", "text": "s"}])], ["", "s"]),
    ("f.jsonl", [interchange(summaries=[{"system": "a", "text": " \n\u2028"}])], [" \n\u2028"]),
    ("f.jsonl", [summeval(decoded="\t")], ["\t"]),
    *((f"f.{ending}", [["d1", "t", "text", "ref", "a", "", 1]], [""]) for ending in ("csv", "tsv", "parquet")),
]


@pytest.mark.parametrize(("name", "records", "texts"), SILENT)
def test_a_system_that_wrote_nothing_has_an_empty_summary(tmp_path, name, records, texts):
    write = write_json if name == "f.jsonl" else write_table
    [(_, summaries)], notes = written(write(tmp_path / name, records))
    assert [summary.text for summary in summaries] == texts
    assert [summary.is_empty for summary in summaries] == [not text.strip() for text in texts]
    assert "1 summary is empty: it is kept without scores, and no study asks about it" in notes


def test_blank_lines_are_empty_summaries(tmp_path):
    (tmp_path / "m.hypo").write_bytes(b"\n \xc2\xa0\nthree\n")
    documents = [Document(name, "t", ("r",)) for name in "abc"]
    result = lines.load(tmp_path / "m.hypo", documents, "m")
    assert [summary.text for summary in result] == ["", " \u00a0", "three"]
    (tmp_path / "r.txt").write_text("r\nr\nr\n")
    result = lines.parallel(tmp_path / "m.hypo", [tmp_path / "r.txt"])
    assert [summaries[0].is_empty for _, summaries in result] == [True, True, False]


def test_scitldr(tmp_path):
    path = write_json(tmp_path / "f.jsonl", [scitldr(), scitldr(paper_id="p2", title=None, source=["One.", " ", ""])])
    notes = []
    assert list(read_documents(path, say=notes.append)) == [
        (Document("p1", ("One.", "Two."), ("A TLDR.",), "A title"), []),
        (Document("p2", ("One.",), ("A TLDR.",)), []),
    ]
    assert notes == ["format: scitldr (guessed)", "f.jsonl:2: skipped 2 blank sentence(s) of the source"]


@pytest.mark.parametrize(("split", "documents", "skipped"), [("train", 1992, 1), ("dev", 619, 0), ("test", 618, 0)])
def test_scitldr_as_published(shared_data, split, documents, skipped):
    path = shared_data / "scitldr" / f"{split}.jsonl"
    notes = []
    result = list(read_documents(path, say=notes.append))
    published = [json.loads(line) for line in path.open(encoding="utf-8")]
    assert len(result) == documents
    assert [(d.id, d.title, list(d.source), list(d.references)) for d, _ in result] == [
        (p["paper_id"], p["title"], [s for s in p["source"] if s.strip()], p["target"]) for p in published
    ]
    assert len([item for item in notes if "--clean" not in item]) == 1 + skipped


EXPERTS = "expert 1 is the first of each summary's experts, turker 1 of its crowd workers, whoever that was"


def test_summeval_as_published(tmp_path):
    path = write_json(
        tmp_path / "model_annotations.aligned.jsonl",
        [
            summeval(),
            summeval(id="dm-test-2", expert_annotations=[], turker_annotations=None),
            summeval(model_id="M0", decoded="Another.", turker_annotations=[]),  # ordered by model, as published
        ],
    )
    notes = []
    references = ("First reference.", "Second reference.")
    # relevance (2 + 1 + 2) / 3, coherence (2 + 1 + 1) / 3; crowd: coherence (3 + 4) / 2, relevance by one only
    experts = {"coherence": 4 / 3, "consistency": 1.0, "fluency": 3.0, "relevance": 5 / 3}
    workers = {"turker_coherence": 3.5, "turker_relevance": 3.0}
    single = {f"expert {number}": item for number, item in enumerate(summeval()["expert_annotations"], 1)}
    single_workers = {
        "turker 1": {"turker_coherence": 3, "turker_relevance": 3},
        "turker 2": {"turker_coherence": 4},
    }
    assert list(read_documents(path, say=notes.append)) == [
        (
            Document("dm-test-1", "", references),
            [
                Summary("dm-test-1", "M11", "A bridge.", experts | workers, annotators=single | single_workers),
                Summary("dm-test-1", "M0", "Another.", experts, annotators=single),
            ],
        ),
        (Document("dm-test-2", "", references), [Summary("dm-test-2", "M11", "A bridge.")]),
    ]
    assert notes == [
        "format: summeval (guessed)",
        "the file has no articles (field text): annotators will see titles and summaries only",
        EXPERTS,
    ]


def test_summeval_paired_with_its_articles(tmp_path):
    notes = []
    path = write_json(tmp_path / "f.jsonl", [summeval(text="The article.")])
    assert [document.source for document, _ in read_documents(path, "summeval", notes.append)] == ["The article."]
    assert notes == [EXPERTS]


def test_summeval_in_the_interchange_format(shared_data):
    path = shared_data / "summeval.jsonl"
    documents = list(read_documents(path))
    assert len(documents) == 100
    assert {(len(document.references), len(summaries)) for document, summaries in documents} == {(11, 16)}
    for (document, summaries), line in zip(documents, path.open(encoding="utf-8"), strict=True):
        record = json.loads(line)
        assert (document.id, document.source, list(document.references)) == (
            record["id"],
            record["source"],
            record["references"],
        )
        assert [{"system": s.system, "text": s.text, "human": s.human} for s in summaries] == record["summaries"]


ROWS = [
    ["d1", "A title", "Text one.", "Ref one.", "bart", "Sum, one.", 4.25],
    ["d2", "", "Text two.", "Ref two.", "", "", ""],
    ["d1", "A title", "Text one.", "Ref two.", "bart", "Sum, one.", 4.25],  # the same summary, one more reference
    ["d1", "A title", "Text one.", "Ref one.", "t5", 'Sum "two".', ""],
]
GATHERED = [
    (
        Document("d1", "Text one.", ("Ref one.", "Ref two."), "A title"),
        [Summary("d1", "bart", "Sum, one.", {"relevance": 4.25}), Summary("d1", "t5", 'Sum "two".')],
    ),
    (Document("d2", "Text two.", ("Ref two.",)), []),
]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "CSV"])
def test_tables(tmp_path, suffix):
    notes = []
    path = write_table(tmp_path / f"f.{suffix}", ROWS)
    assert list(read_documents(path, say=notes.append)) == GATHERED
    unrated = "1 rating is missing (blank, null, NaN or N/A): nobody gave them"
    assert notes == [f"format: {suffix.lower()} (guessed)", unrated]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_a_table_without_title_and_with_other_columns(tmp_path, suffix):
    notes = []
    columns = ["split", "summary", "document_id", "source", "reference", "system", "\x1b[2J"]
    path = write_table(tmp_path / f"f.{suffix}", [["dev", "s", "d", "t", "r", "bart", "x"]], columns)
    assert list(read_documents(path, suffix, notes.append)) == [
        (Document("d", "t", ("r",)), [Summary("d", "bart", "s")])
    ]
    assert notes == ['columns passed over: "split", "\\u001b[2J"']


@pytest.mark.parametrize("text", TRICKY.values(), ids=TRICKY)
@pytest.mark.parametrize("suffix", ["jsonl", "csv", "tsv", "parquet"])
def test_texts_come_back_byte_for_byte(tmp_path, data_store_sqlite, suffix, text):
    id, system = f"i{text}.", f"s{text}."  # names lose white space around them
    document, summary = Document(id, text, (text,), text), Summary(id, system, text)
    path = tmp_path / f"f.{suffix}"
    if suffix == "jsonl":
        candidate = {"system": system, "text": text}
        write_json(path, [interchange(id=id, title=text, source=text, references=[text], summaries=[candidate])])
    else:
        write_table(path, [[id, text, text, text, system, text]], COLUMNS[:-1])
    name = f"{suffix} {list(TRICKY.values()).index(text)}"
    data_store_sqlite.add_dataset(name=name, format=suffix, sha256="", records=read_documents(path))
    assert data_store_sqlite.records(name) == [(document, [summary])]


@pytest.fixture(scope="module")
def data_store_sqlite(tmp_path_factory):
    from relevance.data.store import DataStore

    engine = connect(f"sqlite:///{tmp_path_factory.mktemp('byte') / 'for.db'}")
    yield DataStore(engine)
    engine.dispose()


def test_lines_join_by_order(tmp_path):
    path = tmp_path / "bart.hypo"
    path.write_bytes("Summary\u2028one .\r\n  Summary two\n".encode())
    documents = [Document("b", "t", ("r",)), Document("a", "t", ("r",))]
    assert lines.load(path, documents, "bart") == [
        Summary("b", "bart", "Summary\u2028one ."),
        Summary("a", "bart", "  Summary two"),
    ]


def test_parallel_lines(tmp_path):
    for name, content in [("bart.txt", "s1\ns2\n"), ("r1", "a\nb"), ("r2", "c\nd"), ("src", "x\ny"), ("ttl", "t\nu")]:
        (tmp_path / name).write_text(content)
    bart, *others = (tmp_path / name for name in ["bart.txt", "r1", "r2", "src", "ttl"])
    assert lines.parallel(bart, others[:2], others[2], others[3]) == [
        (Document("1", "x", ("a", "c"), "t"), [Summary("1", "bart", "s1")]),
        (Document("2", "y", ("b", "d"), "u"), [Summary("2", "bart", "s2")]),
    ]
    assert lines.parallel(bart, others[:1])[1] == (Document("2", "", ("b",)), [Summary("2", "bart", "s2")])


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("a.hypo", "x", "lines"),
        ("a.TXT", "x", "lines"),
        ("a.pq", "", "parquet"),
        ("a.json", '{"source": "", "summaries": []}', "interchange"),
        ("a", '\ufeff\n\n{"source": [], "target": []}', "scitldr"),
        ("a.jsonl", '{"decoded": "", "model_id": "", "source": "", "target": "", "references": []}', "summeval"),
    ],
)
def test_the_format_is_guessed(tmp_path, name, content, format):
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert guess_format(tmp_path / name) == format


@pytest.mark.parametrize(
    ("format", "message"),
    [
        (
            "xml",
            "unknown format 'xml'; known are interchange, scitldr, summeval, csv, tsv, spreadsheet, parquet, json",
        ),
        ("lines", "f.jsonl: a file of lines holds summaries only"),
    ],
)
def test_formats_that_cannot_be_read(tmp_path, format, message):
    with pytest.raises(BadRecord) as refused:
        list(read_documents(write_json(tmp_path / "f.jsonl", [interchange()]), format))
    assert str(refused.value).startswith(message)


# --- bad files: one error with file and line, exit code 2, nothing imported -----------------------------------


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    url = f"sqlite:///{tmp_path_factory.mktemp('bad') / 'test.db'}"
    engine = connect(url)
    yield url, engine
    engine.dispose()


@pytest.fixture
def refusal(database, monkeypatch):
    """Runs an import that must be refused; returns what is said of it."""
    url, engine = database
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", url)

    def run(path: Path, *options: str) -> str:
        result = CliRunner().invoke(cli.main, ["import", str(path), "--name", "bad", *options])
        assert result.exit_code == 2, result.output
        assert isinstance(result.exception, SystemExit)
        assert result.stdout == ""
        assert "Traceback" not in result.stderr
        with engine.connect() as connection:
            for table in ("datasets", "documents", "summaries"):
                assert connection.scalar(text(f"SELECT count(*) FROM {table}")) == 0
        *_, last = result.stderr.splitlines()
        return last.removeprefix("Error: ")

    return run


MISTYPED = [
    (interchange, {"id": None}, "the field id is missing"),
    (interchange, {"id": 7.5}, "id must be a string or a whole number, not 7.5"),
    (interchange, {"id": True}, "id must be a string or a whole number, not a truth value"),
    (interchange, {"id": ""}, "id is empty"),
    (interchange, {"id": "x" * 201}, "id is over 200 characters long"),
    (interchange, {"id": "d0"}, 'the id "d0" already stands in line 1'),
    (interchange, {"title": ["x"]}, "title must be a string, not a list"),
    (interchange, {"title": False}, "title must be a string, not a truth value"),
    (interchange, {"source": {}}, "source must be a string, not an object"),
    (
        interchange,
        {"source": " \n\u2028"},
        "source is empty; write null, or leave the field out, if the data set does not have its documents",
    ),
    (interchange, {"source": ["One.", ""]}, "source[1] is empty; leave it out of the list"),
    (interchange, {"references": "r"}, "references must be a list of strings, not a string"),
    (interchange, {"references": ["r", 1]}, "references[1] must be a string, not a number"),
    (interchange, {"references": ["r", "a\0b"]}, "references[1] contains a NUL character (\\u0000)"),
    (interchange, {"summaries": {}}, "summaries must be a list of objects, not an object"),
    (interchange, {"summaries": ["s"]}, "summaries[0] must be an object, not a string"),
    (interchange, {"summaries": [{"text": "s"}]}, "the field system is missing"),
    (interchange, {"summaries": [{"system": "a"}]}, "the field text is missing"),
    (interchange, {"summaries": [{"system": "", "text": "s"}]}, "summaries[0].system is empty"),
    (
        interchange,
        {"summaries": [{"system": "a", "text": "s"}, {"system": "a", "text": "t"}]},
        'the system "a" stands twice among the summaries',
    ),
    (
        interchange,
        {"summaries": [{"system": "a", "text": "s", "human": [4]}]},
        "summaries[0].human must be an object of numbers, not a list",
    ),
    (
        interchange,
        {"summaries": [{"system": "a", "text": "s", "human": {"relevance": True}}]},
        "summaries[0].human.relevance must be a number, not a truth value",
    ),
    (
        interchange,
        {"summaries": [{"system": "a", "text": "s", "human": {"relevance": "4"}}]},
        "summaries[0].human.relevance must be a number, not a string",
    ),
    (
        interchange,
        {"summaries": [{"system": "a", "text": "s", "human": {"": 4}}]},
        "an aspect of summaries[0].human is empty",
    ),
    (
        interchange,
        {"summaries": [{"system": "a", "text": "s", "human": {"relevance": 1e101}}]},
        "summaries[0].human.relevance is out of range",
    ),
    (scitldr, {"paper_id": None}, "the field paper_id is missing"),
    (scitldr, {"paper_id": "d0"}, 'the id "d0" already stands in line 1'),
    (scitldr, {"source": "One."}, "source must be a list of strings, not a string"),
    (scitldr, {"source": ["One.", 2]}, "source[1] must be a string, not a number"),
    (scitldr, {"source": ["", " "]}, "source is an empty list"),
    (scitldr, {"target": [""]}, "target[0] is empty; leave it out of the list"),
    (scitldr, {"target": "A TLDR."}, "target must be a list of strings, not a string"),
    (scitldr, {"title": 3}, "title must be a string, not a number"),
    (summeval, {"id": "d0"}, 'the model "M11" stands twice for "d0"'),
    (
        summeval,
        {"id": "d0", "model_id": "M1", "references": ["other"]},
        'the text or references of "d0" differ from an earlier line\'s',
    ),
    (
        summeval,
        {"id": "d0", "model_id": "M1", "text": "other"},
        'the text or references of "d0" differ from an earlier line\'s',
    ),
    (summeval, {"model_id": [11]}, "model_id must be a string or a whole number, not a list"),
    (summeval, {"model_id": None}, "the field model_id is missing"),
    (summeval, {"decoded": ["a"]}, "decoded must be a string, not a list"),
    (summeval, {"references": None}, "the field references is missing"),
    (summeval, {"text": ["One."]}, "text must be a string, not a list"),
    (summeval, {"expert_annotations": {}}, "expert_annotations must be a list of objects, not an object"),
    (summeval, {"expert_annotations": [3]}, "expert_annotations[0] must be an object, not a number"),
    (
        summeval,
        {"turker_annotations": [{}, {"relevance": False}]},
        "turker_annotations[1].relevance must be a number, not a truth value",
    ),
]
FORMATS = {interchange: "interchange", scitldr: "scitldr", summeval: "summeval"}
FIRST = {interchange: interchange(id="d0"), scitldr: scitldr(paper_id="d0"), summeval: summeval(id="d0")}


@pytest.mark.parametrize(
    ("make", "changes", "problem"), MISTYPED, ids=[f"{m.__name__}: {problem}" for m, _, problem in MISTYPED]
)
def test_bad_fields(tmp_path, refusal, make, changes, problem):
    path = write_json(tmp_path / "f.jsonl", [FIRST[make], make(**changes)])
    assert refusal(path) == f"f.jsonl:2: {problem}"


BYTES = {
    "wrong JSON": (b'{"id": "d1",', "not valid JSON: Expecting property name"),
    "not an object": (b'["d1"]', "each line must be a JSON object"),
    "NaN": (b'{"x": NaN}', "NaN is not a JSON number"),
    "Infinity": (b'{"x": {"y": Infinity}}', "Infinity is not a JSON number"),
    "1e999": (b'{"x": 1e999}', "the number 1e999 is out of range"),
    "a huge integer": (b'{"x": ' + b"1" * 10_000 + b"}", "the number 1111"),
    "duplicate keys": (b'{"x": 1, "x": 1}', 'the key "x" stands twice in one object'),
    "a nesting bomb": (b'{"x": ' + b"[" * 200_000, "the JSON is nested too deeply"),
    "Latin-1": ('{"x": "é"}'.encode("latin-1"), "byte 8 of the line (0xe9) is not UTF-8"),
    "UTF-16": ('{"x": "é"}'.encode("utf-16-le"), "there are NUL bytes in the line"),
    "NUL": (b'{"x": "\0"}', "there are NUL bytes in the line"),
}


@pytest.mark.parametrize(("line", "problem"), BYTES.values(), ids=BYTES)
@pytest.mark.parametrize("make", FORMATS, ids=FORMATS.values())
def test_bad_lines(tmp_path, refusal, make, line, problem):
    path = tmp_path / "f.jsonl"
    path.write_bytes(json.dumps(FIRST[make]).encode() + b"\r\n\r\n" + line)
    if make is interchange and problem.startswith("NaN"):
        problem = "the field id is missing"  # NaN may be a rating that nobody gave
    assert refusal(path, "--format", FORMATS[make]).startswith(f"f.jsonl:3: {problem}")


@pytest.mark.parametrize("field", ["id", "title", "source", "references"])
def test_an_unpaired_surrogate(tmp_path, refusal, field):
    value = ["\ud800"] if field == "references" else "a\ud800"
    path = tmp_path / "f.jsonl"
    path.write_text(json.dumps(interchange(**{field: value})))
    assert refusal(path).endswith("contains an unpaired surrogate (\\ud800)")


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "tsv"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_file_in_another_encoding(tmp_path, refusal, suffix, encoding):
    path = tmp_path / f"f.{suffix}"
    path.write_bytes(json.dumps(interchange()).encode(encoding))
    assert refusal(path) == f"f.{suffix}:1: the file is UTF-16 or UTF-32; save it as UTF-8"


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "tsv"])
def test_a_line_over_32_mib(tmp_path, refusal, monkeypatch, suffix):
    monkeypatch.setattr(reading, "MAX_LINE_BYTES", 1000)  # the real limit stands in test_reading
    path = tmp_path / f"f.{suffix}"
    first = json.dumps(interchange()) if suffix == "jsonl" else {"csv": ",", "tsv": "\t"}[suffix].join(COLUMNS)
    path.write_bytes(first.encode() + b"\n" + b"y" * 1001)
    assert refusal(path) == f"f.{suffix}:2: the line is over 32 MiB"


@pytest.mark.parametrize("name", ["f.jsonl", "f.csv", "f.tsv", "f"])
def test_an_empty_file(tmp_path, refusal, name):
    (tmp_path / name).touch()
    assert refusal(tmp_path / name) == f"{name}:1: the file is empty"


def test_a_file_without_documents(tmp_path, refusal):
    assert refusal(write_table(tmp_path / "f.csv", [])) == "f.csv:1: the file holds no documents"
    assert refusal(write_table(tmp_path / "f.parquet", [])) == "f.parquet:1: the file holds no documents"
    (tmp_path / "f.jsonl").write_text("\n \n")
    assert refusal(tmp_path / "f.jsonl", "--format", "scitldr") == "f.jsonl:1: the file holds no documents"


def test_fields_of_no_known_format(tmp_path, refusal):
    (tmp_path / "f.jsonl").write_text('{"a\\u001b": 1, "\\ud800": 2}')
    assert refusal(tmp_path / "f.jsonl") == (
        'f.jsonl:1: the format cannot be told from the fields "a\\u001b", "\\ud800": to be read as a table, the '
        "objects lack a reference (reference, references, ref, refs, target ...) and a summary (summary, candidate, "
        "output, prediction, generated ...); say which field is what by --columns, or where the rows "
        "lie by a mapping's rows, or name a --format"
    )


D1 = ["d1", "t", "text", "ref", "bart", "sum", 1]
SEVERAL = (
    ", too; if several people rated it, name the column that says who by --columns annotator=COLUMN, or leave COLUMN "
    "out if there is none"
)
VALUES = "; say what values mean by --values VALUE=NUMBER,... or in a file of --columns (skip for no rating)"
BAD_ROWS = [
    (["", "t", "text", "ref", "a", "sum", 1], "document_id {unnamed}"),
    (["d2", "t", "text", "ref", "", "sum", 1], "system must be a string or a whole number, not null"),
    (["d2" * 101, "t", "text", "ref", "a", "sum", 1], "document_id is over 200 characters long"),
    (
        ["d1", "t", "text", "ref", "bart", "sum", 1],
        f'the system "bart" stands twice for "d1", in line {{first}}{SEVERAL}',
    ),
    (
        ["d1", "t", "text", "ref two", "bart", "sum two", 1],
        f'the system "bart" stands twice for "d1", in line {{first}}, too{OTHER_TEXT}',
    ),
    (
        ["d1", "t", "text", "ref two", "bart", "sum", 2],
        f'the system "bart" stands twice for "d1", in line {{first}}{SEVERAL}',
    ),
    (["d1", "t", "other", "ref", "a", "sum", 1], 'the source of "d1" differs from an earlier row\'s'),
    (["d1", "", "text", "ref", "a", "sum", 1], 'the title of "d1" differs from an earlier row\'s'),
    (["d2", "t", "text", "ref", "a", "sum", float("-inf")], "human.relevance must be {finite}, not {-inf}"),
    (["d2", "t", "text", "ref", "a", "sum", 1e300], "human.relevance is out of range"),
]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
@pytest.mark.parametrize(("row", "problem"), BAD_ROWS, ids=[problem for _, problem in BAD_ROWS])
def test_bad_rows(tmp_path, refusal, suffix, row, problem):
    path = write_table(tmp_path / f"f.{suffix}", [D1, row])
    of_text = {"finite": "a number such as 4 or 3.5", "-inf": f'"-inf" (1){VALUES}', "first": "2"}
    of_parquet = {"finite": "a finite number", "-inf": "-inf", "first": "1"}
    of_text["unnamed"], of_parquet["unnamed"] = "is empty", "must be a string or a whole number, not null"
    problem = problem.format_map(of_parquet if suffix == "parquet" else of_text)
    line = 2 if suffix == "parquet" else 3  # a Parquet file has rows, and no line of headings
    assert refusal(path) == f"f.{suffix}:{line}: {problem}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("document_id,source,reference,system,summary\n\n", "f.csv:1: the file holds no documents"),
        (
            "document_id,source,system\nd,t\n",
            "f.csv:1: no column summary; needed are document_id, reference, system, summary (source and title if any; "
            'beside a column system, source can stand for reference); there are "document_id", "source", "system"',
        ),
        (
            "document_id,source,reference,source,system,summary\n",
            'f.csv:1: the column "source" stands twice in the header',
        ),
        (
            'document_id,source,reference,system,summary\nd1,"a\nb",r,a,s\n\nd2,t,r,a\n',
            "f.csv:5: 4 fields where the header has 5",
        ),
        (
            'document_id,source,reference,system,summary\nd1,t,r,a,s\nd2,"t,r,a,s\nd3,t,r,a,s\n',
            "f.csv:4: a quotation mark opens in the row that starts in line 3, and none closes before the end of "
            "the file",
        ),
        (
            'document_id,source,reference,system,summary\nd1,"t"x,r,a,s\n',
            "f.csv:2: a quotation mark stands within a cell that is in quotation marks, in the row that starts in line "
            '2: write it twice ("")',
        ),
        (
            "document_id,source,reference,system,summary,human.x\nd1,t,r,a,s,good\n",
            'f.csv:2: human.x must be a number such as 4 or 3.5, not "good" (1)' + VALUES,
        ),
        (
            "document_id,source,reference,system,summary,human.x\nd1,t,r,a,s,1e999\n",
            "f.csv:2: the number 1e999 is out of range",
        ),
        *(
            (
                f"document_id,source,reference,system,summary,human.x\nd1,t,r,a,s,{digits}\n",
                f"f.csv:2: human.x must be a number such as 4 or 3.5, not {json.dumps(digits)} (1){VALUES}",
            )
            for digits in ("1_0", "٤", "４", "²", "+4", "4.", ".5", "0x4", "04", "1e", "--4", "true", "Infinity")
        ),
        (
            f"document_id,source,reference,system,summary,human.x\nd1,t,r,a,s,{'9' * 5000}\n",
            f"f.csv:2: the number {'9' * 40}... is out of range",
        ),
        (
            "document_id,source,reference,system,summary,human.\nd1,t,r,a,s,4\n",
            'f.csv:1: the aspect in the column "human." is empty',
        ),
        (
            "document_id,source,reference,system,summary,human. \nd1,t,r,a,s,4\n",
            'f.csv:1: the aspect in the column "human." is empty',
        ),
    ],
)
def test_bad_tables(tmp_path, refusal, content, message):
    (tmp_path / "f.csv").write_bytes(content.encode())
    assert refusal(tmp_path / "f.csv") == message


def parquet_bytes(table: pa.Table) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, compression="none")
    return out.getvalue()


NEEDED = {name: ["x"] for name in COLUMNS[:-1]}
NOT_UTF_8 = pa.Array.from_buffers(pa.utf8(), 1, [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"\xff\xfe")])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "f.parquet:1: not a readable Parquet file"),
        (b"PAR1", "f.parquet:1: not a readable Parquet file"),
        (b"document_id,source\n", "f.parquet:1: not a readable Parquet file"),
        (parquet_bytes(pa.table(NEEDED))[:-200], "f.parquet:1: not a readable Parquet file"),
        (parquet_bytes(pa.table(NEEDED))[100:], "f.parquet:1: not a readable Parquet file"),
        (parquet_bytes(pa.table({"document_id": ["x"]})), "f.parquet:1: no column reference, system, summary"),
        (
            parquet_bytes(pa.table([["a"]] * 6, names=[*NEEDED][:1] + [*NEEDED][2:] + ["source"])),
            'f.parquet:1: the column "source" stands twice in the header',
        ),
        (
            parquet_bytes(pa.table(NEEDED | {"document_id": [7.5]})),
            "f.parquet:1: document_id must be a string or a whole number, not 7.5",
        ),
        (
            parquet_bytes(pa.table(NEEDED | {"source": [b"bytes"]})),
            "f.parquet:1: source must be a string, not an object",
        ),
        (parquet_bytes(pa.table(NEEDED | {"source": ["a\0b"]})), "f.parquet:1: source contains a NUL character"),
        (
            parquet_bytes(pa.table(NEEDED | {"human.x": [True]})),
            "f.parquet:1: human.x must be a number, not a truth value",
        ),
        (parquet_bytes(pa.table(NEEDED | {"source": NOT_UTF_8})), "f.parquet:1: not a readable Parquet file: a text "),
        (
            parquet_bytes(pa.table(NEEDED | {"human.x": pa.array([2**62], pa.timestamp("us"))})),
            "f.parquet:1: human.x must be a number, not an object",
        ),
        (parquet_bytes(pa.table(NEEDED | {"source": [["x"]]})), "f.parquet:1: source must be a string, not a list"),
        (
            parquet_bytes(pa.table(NEEDED | {"human.": [1.0]})),
            'f.parquet:1: the aspect in the column "human." is empty',
        ),
    ],
)
def test_bad_parquet(tmp_path, refusal, content, message):
    (tmp_path / "f.parquet").write_bytes(content)
    assert refusal(tmp_path / "f.parquet").startswith(message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "m.hypo:0: the file has 0 lines, the data set 2 documents"),
        (b"one\n", "m.hypo:1: the file has 1 lines, the data set 2 documents"),
        (b"one\ntwo\nthree", "m.hypo:3: the file has 3 lines, the data set 2 documents"),
        (b"one\ntwo\n\n", "m.hypo:3: the file has 3 lines, the data set 2 documents"),
        (b"one\nna\xefve\n", "m.hypo:2: byte 3 of the line (0xef) is not UTF-8"),
        (b"one\ntw\0o\n", "m.hypo:2: there are NUL bytes in the line"),
        ("one\ntwo\n".encode("utf-16"), "m.hypo:1: the file is UTF-16 or UTF-32; save it as UTF-8"),
    ],
)
def test_bad_files_of_lines(tmp_path, content, message):
    (tmp_path / "m.hypo").write_bytes(content)
    documents = [Document("a", "t", ("r",)), Document("b", "t", ("r",))]
    with pytest.raises(BadRecord) as refused:
        lines.load(tmp_path / "m.hypo", documents, "m")
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize(
    ("summaries", "references", "titles", "message"),
    [
        ("a\nb\n", "a\n", None, "r.txt:2: r.txt has 1 lines, c.txt 2; they belong together line by line"),
        ("a\n", "a\nb\nc\n", None, "r.txt:2: r.txt has 3 lines, c.txt 1; they belong together line by line"),
        ("a\nb\n", "a\nb\n", "t\n", "t.txt:2: t.txt has 1 lines, c.txt 2; they belong together line by line"),
        ("a\n\n\n", "a\nb\n", None, "r.txt:3: r.txt has 2 lines, c.txt 3; they belong together line by line"),
        ("a\nb\n", "a\n \n", None, "r.txt:2: the reference is empty"),
        ("", "", None, "c.txt:1: the file is empty"),
    ],
)
def test_bad_parallel_lines(tmp_path, summaries, references, titles, message):
    (tmp_path / "c.txt").write_text(summaries)
    (tmp_path / "r.txt").write_text(references)
    if titles is not None:
        (tmp_path / "t.txt").write_text(titles)
    with pytest.raises(BadRecord) as refused:
        lines.parallel(tmp_path / "c.txt", [tmp_path / "r.txt"], titles=tmp_path / "t.txt" if titles else None)
    assert str(refused.value).startswith(message)


# --- columns of other names ---------------------------------------------------------------------------------


def write_text(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


def test_a_column_called_as_an_aspect_has_ratings_if_it_has_numbers(tmp_path):
    notes = []
    text = "document_id,source,reference,system,summary,Relevance,note\nd,s,r,a,t,{},x\n"
    ((_, (rated,)),) = read_documents(write_text(tmp_path, "f.csv", text.format(4)), say=notes.append)
    assert rated.human == {"relevance": 4}
    assert 'human.relevance is "Relevance" (guessed)' in notes[1]
    ((_, (other,)),) = read_documents(write_text(tmp_path, "g.csv", text.format("good")), say=notes.append)
    assert other.human == {}
    assert notes[-2:] == [
        'columns passed over: "Relevance", "note"',
        'no ratings are read from "Relevance", which holds other values than numbers: say that it is '
        "human.ASPECT (by --columns, or on the page Data sets), and what number each value means",
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_columns_are_guessed_and_told(tmp_path, delimiter):
    rows = ["Doc_ID|article|gold|model|output|expert_relevance|source", "d|A text.|A reference.|a|Words.|4|web"]
    path = write_text(tmp_path, "f.csv", "\n".join(rows).replace("|", delimiter) + "\n")
    head = columns.read_head(path)
    assert (head.delimiter, head.plain, len(head.rows)) == (delimiter, False, 1)
    guessed = columns.guess_columns(head)
    assert guessed == {
        "document_id": "Doc_ID",
        "source": "source",
        "reference": "gold",
        "system": "model",
        "summary": "output",
    }
    suggested = suggest_columns(path)
    assert suggested is not None
    assert suggested.roles == guessed | {"human.expert_relevance": "expert_relevance"}
    told = Columns({**suggested.roles, "source": "article"}, guess=False)
    ((document, (summary,)),) = read_documents(path, "csv", columns=told)
    assert (document.id, document.source, document.references) == ("d", "A text.", ("A reference.",))
    assert (summary.system, summary.text, summary.human) == ("a", "Words.", {"expert_relevance": 4})


WIDE_TABLE = "Document,Reference,summary_a,b summary,words\nOne.,R one.,A one.,B one.,3\nTwo.,R two.,,B two.,4\n"


def test_a_column_for_each_system_and_documents_without_an_id(tmp_path):
    notes = []
    (first, of_first), (second, of_second) = read_documents(write_text(tmp_path, "f.csv", WIDE_TABLE), say=notes.append)
    assert [(item.id, item.source, item.references) for item in (first, second)] == [
        ("1", "One.", ("R one.",)),
        ("2", "Two.", ("R two.",)),
    ]
    assert [(summary.system, summary.text) for summary in of_first] == [("a", "A one."), ("b", "B one.")]
    assert [(summary.system, summary.text) for summary in of_second] == [("a", ""), ("b", "B two.")]
    assert notes[1:-1] == [
        'columns: source is "Document", reference is "Reference", summary.a is "summary_a", summary.b is "b summary" '
        "(guessed)",
        'columns passed over: "words"',
    ]


def test_without_a_system_the_file_names_it_and_equal_texts_are_one_document(tmp_path):
    text = "document,reference,summary\nOne.,R.,S.\nOne.,Other.,S.\nTwo.,R.,T.\n"
    path = write_text(tmp_path, "bart.csv", text)
    (first, of_first), (second, of_second) = read_documents(path)
    assert (first.id, first.references, second.id) == ("1", ("R.", "Other."), "2")
    assert [summary.system for summary in (*of_first, *of_second)] == ["bart", "bart"]
    told = Columns({"source": "document", "reference": "reference", "summary": "summary"}, system="mine", guess=False)
    assert {summary.system for _, written in read_documents(path, columns=told) for summary in written} == {"mine"}


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_column_called_document_with_ids_is_no_source(tmp_path, ending):
    rows = [("cnn-17", "R.", "bart", "S."), ("18", "R.", "t5", "T.")]
    names = ("document", "reference", "system", "summary")
    table = "\n".join(map(",".join, (names, *rows)))
    objects = "\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows)
    path = write_text(tmp_path, f"f.{ending}", table if ending == "csv" else objects)
    assert [(item.id, item.source) for item, _ in read_documents(path)] == [("cnn-17", ""), ("18", "")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "document,reference,summary\nOne.,R.,S.\nOne.,R.,T.\n",
            'f.csv:3: the system "f" stands twice for "1", in line 2',
        ),
        ("document_id,source,reference,system,summary,summary.a\n", 'f.csv:1: the columns "summary.a" and "system"'),
        ("document_id,source,reference,summary.a,human.x\n", 'f.csv:1: the columns "summary.a" and "human.x"'),
    ],
)
def test_tables_without_ids_or_systems_are_refused_whole(tmp_path, text, message):
    with pytest.raises(BadRecord, match=re.escape(message)):
        list(read_documents(write_text(tmp_path, "f.csv", text)))


def test_a_table_that_cannot_be_looked_at_is_refused(tmp_path):
    with pytest.raises(BadRecord, match="the file is empty"):
        columns.read_head(write_text(tmp_path, "f.csv", ""))
    with pytest.raises(BadRecord, match="a quotation mark opens in the row that starts in line 2"):
        columns.read_head(write_text(tmp_path, "f.csv", 'a,b\n"x'))


def test_the_template_is_a_table(tmp_path):
    assert len(list(read_documents(write_text(tmp_path, "f.csv", columns.TEMPLATE)))) == 2
