"""Importers of published corpora, on made files in the form in which they are released."""

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pytest

from relevance.data.database import connect
from relevance.data.importers import guess_format, read_documents
from relevance.data.importing import import_file
from relevance.data.reading import CHUNK, read_json_list
from relevance.data.records import BadRecord, Document
from relevance.data.store import DataStore

STORY = (
    "LONDON (CNN) -- Rain fell.\n\nIt fell all day.\n\n@highlight\n\nRain in London\n\n@highlight\n\nIt did not stop\n"
)
XSUM = """[SN]URL[SN]
http://web.archive.org/web/2017/http://bbc.example/news/1

[SN]TITLE[SN]
Rain in London

[SN]FIRST-SENTENCE[SN]
It has rained all day.

[SN]RESTBODY[SN]
Share this with
Email
Rain fell.
It fell all day.
"""
PAPER = """<PAPER>
  <S sid="0">A Study of <i>Rain</i></S>
  <ABSTRACT><S sid="1" ssid="1">We study rain &amp; snow.</S></ABSTRACT>
  <SECTION title="Introduction" number="1"><S sid="2" ssid="1">Rain is wet.</S><S sid="3" ssid="2"> </S></SECTION>
</PAPER>
"""
NEWSROOM = {
    "url": "http://news.example/1",
    "archive": "a",
    "title": "Rain",
    "text": "It rains.",
    "summary": "Rain falls.",
}
ARXIV = {"id": "0704.0001", "categories": "hep-ph", "title": "On\n  rain", "abstract": "  We study\n  rain.\n"}
XSCIENCE = {
    "aid": "math1",
    "mid": "2",
    "abstract": "We study rain.",
    "related_work": "Snow was studied in @cite_1 .",
    "ref_abstract": {"@cite_1": {"mid": "3", "abstract": "On snow."}, "@cite_2": {"mid": "4", "abstract": ""}},
}


def write(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


def arrow(path: Path, rows: list[dict[str, object]], *, stream: bool = True) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.Table.from_pylist(rows)
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(str(path), table.schema) as file:
        file.write_table(table, max_chunksize=2)
    return path


def read(path: Path) -> tuple[list[Document], list[str]]:
    """The documents of a file, none of which has summaries, and what was said."""
    notes: list[str] = []
    records = list(read_documents(path, say=notes.append))
    assert not any(summaries for _, summaries in records)
    return [document for document, _ in records], notes


# --- read exactly -------------------------------------------------------------------------------------------


def test_stories_of_cnn_daily_mail(tmp_path: Path) -> None:
    write(tmp_path / "cnn" / "b.story", "@highlight\n\nNothing else\n")
    write(tmp_path / "cnn" / "stories" / "a.story", STORY)
    documents, notes = read(tmp_path / "cnn")
    assert documents == [
        Document("b", "", ("Nothing else",)),
        Document("a", "LONDON (CNN) -- Rain fell.\nIt fell all day.", ("Rain in London\nIt did not stop",)),
    ]
    assert notes == ["format: cnn_dailymail (guessed)", "1 articles have no text"]


def test_articles_of_xsum(tmp_path: Path) -> None:
    documents, notes = read(write(tmp_path / "1234.summary", XSUM))
    assert documents == [
        Document("1234", "Rain fell.\nIt fell all day.", ("It has rained all day.",), title="Rain in London")
    ]
    assert notes[1:] == ["2 lines that are buttons of the web page were left out"]


def test_papers_of_scisummnet(tmp_path: Path) -> None:
    folder = tmp_path / "top1000_complete" / "P00-1"
    write(folder / "Documents_xml" / "P00-1.xml", PAPER)
    write(folder / "summary" / "P00-1.gold.txt", "A Study of Rain\nThey study rain.\nIt is wet.\n")
    assert read(tmp_path)[0] == [
        Document(
            "P00-1",
            ("We study rain & snow.", "Rain is wet."),
            ("They study rain. It is wet.",),
            title="A Study of Rain",
        )
    ]


def test_newsroom_arxiv_and_multi_xscience(tmp_path: Path) -> None:
    (newsroom,), _ = read(write(tmp_path / "news.jsonl", json.dumps(NEWSROOM)))
    assert newsroom == Document(
        hashlib.sha1(b"http://news.example/1").hexdigest(), "It rains.", ("Rain falls.",), title="Rain"
    )
    (paper,), _ = read(write(tmp_path / "arxiv.json", json.dumps(ARXIV)))
    assert paper == Document("0704.0001", "We study rain.", ("On rain",))
    (section,), notes = read(write(tmp_path / "x.json", json.dumps([XSCIENCE], indent=2)))
    assert section == Document("math1", "We study rain.\n@cite_1 On snow.", ("Snow was studied in @cite_1 .",))
    assert notes[1:] == ["1 cited papers have no abstract"]


@pytest.mark.parametrize("stream", [True, False])
def test_folders_of_hugging_face(tmp_path: Path, *, stream: bool) -> None:
    rows = [{"article": f"Text {number}.", "highlights": f"Sum {number}.", "id": f"d{number}"} for number in range(5)]
    arrow(tmp_path / "train" / "data-00000-of-00002.arrow", rows[:3], stream=stream)
    arrow(tmp_path / "train" / "data-00001-of-00002.arrow", rows[3:], stream=stream)
    assert read(tmp_path / "train")[0] == [
        Document(f"d{number}", f"Text {number}.", (f"Sum {number}.",)) for number in range(5)
    ]
    numbered = arrow(tmp_path / "other" / "x.arrow", [{"source": ["A.", "B."], "target": ["C.", "D."], "title": None}])
    assert read(numbered)[0] == [Document("1", ("A.", "B."), ("C.", "D."))]
    with pytest.raises(BadRecord, match="this has the splits other, train: name the folder of one"):
        read(tmp_path)


def test_a_folder_is_imported_with_the_hash_of_what_was_read(tmp_path: Path) -> None:
    store = DataStore(connect(f"sqlite:///{tmp_path / 'x.db'}"))
    file = write(tmp_path / "s" / "a.story", STORY)
    write(tmp_path / "s" / "README", "not read")
    assert import_file(store, tmp_path / "s", name="cnn") == "imported 1 document and no summaries as cnn"
    listed = f"{hashlib.sha256(file.read_bytes()).hexdigest()}  a.story\n"
    assert store.dataset("cnn").sha256 == hashlib.sha256(listed.encode()).hexdigest()


def test_folders_that_tell_nothing_or_too_much_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRecord, match="there is no file in it that an importer reads"):
        guess_format(tmp_path)
    write(tmp_path / "a.story", STORY)
    write(tmp_path / "a.summary", XSUM)
    with pytest.raises(BadRecord, match="cnn_dailymail and xsum: name one with --format"):
        guess_format(tmp_path)
    assert [document.id for document, _ in read_documents(tmp_path, "xsum")] == ["a"]


# --- refused, with file and line -----------------------------------------------------------------------------

BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa">]>\n' + PAPER


@pytest.mark.parametrize(
    ("name", "content", "refusal"),
    [
        ("a.story", "Only text.\n", "a.story:1: there is no @highlight"),
        ("a.story", "@highlight\n\n@highlight\n", "a.story:3: nothing stands between"),
        ("a.story", "x\n@highlight\n", "a.story:2: the last highlight is empty"),
        ("a.summary", "Text\n", "a.summary:1: the first line must be a section"),
        ("a.summary", XSUM.replace("RESTBODY", "BODY"), "a.summary:10: the section 'BODY' is not one of"),
        ("a.summary", XSUM.partition("[SN]REST")[0], "a.summary:9: the file ends without a section .SN.RESTBODY"),
        ("a.summary", XSUM.replace("URL", "TITLE"), "a.summary:4: the section TITLE stands twice"),
        ("P1/Documents_xml/P1.xml", BOMB, "P1.xml:1: the XML declares a document type or entities"),
        ("P1/Documents_xml/P1.xml", "<PAPER>\n<S>x</PAPER>", "P1.xml:2: this is not XML"),
        ("P1/Documents_xml/P1.xml", "<PAPER/>", "P1.xml:1: there are no sentences"),
        ("P1/Documents_xml/P1.xml", PAPER, "P1.gold.txt: cannot be read"),
        ("n.jsonl", json.dumps(NEWSROOM) + "\n" + json.dumps(NEWSROOM), "n.jsonl:2: the url already stands in line 1"),
        ("n.jsonl", json.dumps(NEWSROOM | {"text": " "}), "n.jsonl:1: text is empty"),
        ("x.json", json.dumps([XSCIENCE, XSCIENCE]), "x.json:1: the id .* already stands"),
        ("x.json", f"[{json.dumps(XSCIENCE)},\n]", "x.json:2: not valid JSON: an object is expected"),
        ("x.json", f"[{json.dumps(XSCIENCE)}\n] 3", "x.json:2: something follows the list"),
        ("x.json", f"[{json.dumps(XSCIENCE)}", "x.json:1: not valid JSON: , or ] is expected"),
        ("x.json", '[{"aid": Infinity}]', "x.json:1: Infinity is not a JSON number"),
        ("x.json", "[[]]", "x.json:1: not valid JSON: an object or ] is expected"),
        ("x.arrow", "not Arrow", "x.arrow:1: this is not an Arrow file"),
    ],
)
def test_what_is_not_as_released_is_refused(tmp_path: Path, name: str, content: str, refusal: str) -> None:
    path = write(tmp_path / "in" / name, content)
    with pytest.raises(BadRecord, match=refusal):
        read(path if path.suffix != ".xml" else tmp_path / "in")


def test_columns_that_say_nothing_are_refused(tmp_path: Path) -> None:
    path = arrow(tmp_path / "x.arrow", [{"question": "a", "answer": "b"}])
    with pytest.raises(BadRecord, match=r'x.arrow:1: the columns "question", "answer" have none of the known pairs'):
        read(path)


def test_of_arrow_only_the_columns_that_are_taken_are_unpacked(tmp_path: Path) -> None:
    """Others may hold times that Python has no name for, or gigabytes of one letter."""
    table = pa.table({"text": ["Text."], "summary": ["Sum."], "when": pa.array([2**62], pa.timestamp("us"))})
    for make in (pa.ipc.new_stream, pa.ipc.new_file):
        with make(str(tmp_path / "x.arrow"), table.schema) as file:
            file.write_table(table)
        assert read(tmp_path / "x.arrow")[0] == [Document("1", "Text.", ("Sum.",))]


def test_arrow_columns_of_one_name_and_pipes_are_refused(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array([text]) for text in "abc"], ["text", "summary", "text"])
    with pa.ipc.new_stream(str(tmp_path / "x.arrow"), table.schema) as file:
        file.write_table(table)
    with pytest.raises(BadRecord, match=r"x\.arrow:1: two columns have the same name"):
        read(tmp_path / "x.arrow")
    (tmp_path / "x.arrow").unlink()
    os.mkfifo(tmp_path / "x.arrow")
    with pytest.raises(BadRecord, match="not an ordinary file"):
        list(read_documents(tmp_path, "huggingface"))


def test_damaged_arrow_is_refused_and_nothing_is_read_beyond_it(tmp_path: Path) -> None:
    rows = [{"text": f"Text {number} é.", "summary": "Sum."} for number in range(4)]
    path = arrow(tmp_path / "x.arrow", rows)
    whole = path.read_bytes()
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with suppress(BadRecord):
            assert len(read(path)[0]) <= 4


def test_a_list_is_read_an_object_at_a_time_across_chunks(tmp_path: Path) -> None:
    items = [{"n": number, "text": "é\n" * (CHUNK // 3)} for number in range(5)]
    path = write(tmp_path / "x.json", "\ufeff[\n" + ",\n".join(json.dumps(item, indent=1) for item in items) + "\n]\n")
    read_items = list(read_json_list(path))
    assert [item for _, item in read_items] == items
    assert [place.line for place, _ in read_items] == [2, 6, 10, 14, 18]  # four lines an object
