"""Papers of arXiv as Dobko et al. (2018) collected and cleaned them: a table of abstracts, and the text of each PDF.

The folder has one table `abstracts*.csv` as published (github.com/Carouge/TextSummarization: `id`, `abstract`, `title`,
separated by tabs) and, anywhere below, the text of a paper as `ID.txt`, which any program that reads PDF can make. The
abstract is the reference, the cleaned body the document.

The paper (section "Data collection and preparation") removes the characters that formulas leave behind, and then words
by its own rules "based on features like word length and frequency of vowels"; its code
(src/data_collection/form_csv_dataset.py) cuts out the abstract and everything after the acknowledgements, keeps the
letters a-z, spaces, full stops and apostrophes, and drops words of one or two letters that are not stop words. This
module follows the code's rules and adds the mildest rule on vowels, as the code has none: a word without vowels is
dropped, y counting as one.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from relevance.data.importers.delimited import quoted_rows
from relevance.data.importers.folders import files_of
from relevance.data.importers.interchange import unseen
from relevance.data.reading import FileLine, Say, lines, say_nothing, text
from relevance.data.records import BadRecord, Document, Summary

TABLE = "abstracts*.csv"
SUFFIX = ".txt"
COLUMNS = ("id", "abstract", "title")
EDGE = 30
"""The number of characters at either end of an abstract by which it is found in the text of the PDF."""
OTHER_SIGNS = re.compile(r"[^a-zA-Z .']")
VOWEL = re.compile(r"[aeiouy]", re.IGNORECASE)
ENDING = re.compile(r"acknowledge?ments", re.IGNORECASE)
SHORT_WORDS = set("a an as at be by do go he if in is it me mr my no of on or so to up us we".split())  # noqa: SIM905
"""The code's stop words of one or two letters."""


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read a folder; papers of the table without a text are left out and counted.

    Raises `BadRecord` for a folder without the table or with two, for a text that the table does not list, and for a
    table that cannot be read.
    """
    tables = sorted(path.rglob(TABLE)) if path.is_dir() else []
    if len(tables) != 1:
        raise BadRecord(f"{path}: a folder with one table {TABLE} beside the texts is read, and it has {len(tables)}")
    texts = dict(files_of(path, SUFFIX))
    without = whole = empty = 0
    for place, identifier, abstract, title in read_table(tables[0]):
        file = texts.pop(identifier, None)
        if file is None:
            without += 1
            continue
        body = " ".join(" ".join(line for _, line in lines(file)).split())
        rest = without_abstract(body, abstract)
        source = clean(without_ending(rest))
        whole += rest == body
        empty += not source
        yield Document(id=identifier, source=source, references=(text(place, abstract, "abstract"),), title=title), []
    if texts:
        unknown = next(iter(texts.values()))
        raise BadRecord(
            f"{unknown.name}:1: {tables[0].name} has no paper {unknown.stem!r}; add its row or remove the file"
        )
    if without:
        say(f"{without} papers of {tables[0].name} have no text here and were left out")
    if whole:
        say(f"the abstract was not found in the text of {whole} papers, which keep it")
    if empty:
        say(f"{empty} papers have no words after cleaning")


def read_table(path: Path) -> Iterator[tuple[FileLine, str, str, str | None]]:
    """Yield the id, abstract and title of each paper, with white space folded. Raises `BadRecord`."""
    rows = quoted_rows(path, "\t", say_nothing)
    place, header = next(rows, (FileLine(path, 1), []))
    if missing := [name for name in COLUMNS if name not in header]:
        place.refuse(f"the column {', '.join(missing)} is missing; the header must be id, abstract, title, after tabs")
    at = [header.index(name) for name in COLUMNS]
    seen: dict[str, FileLine] = {}
    for place, row in rows:
        if len(row) != len(header):
            place.refuse(f"{len(row)} fields where the header has {len(header)}")
        identifier, abstract, title = (" ".join(row[column].split()) for column in at)
        yield place, unseen(place, identifier, seen), abstract, title or None


def without_abstract(body: str, abstract: str) -> str:
    """Return a paper's text without its abstract, which is found by its ends; the whole text if it is not found."""
    lowered, wanted = body.lower(), abstract.lower()
    start = lowered.find(wanted[:EDGE])
    end = lowered.find(wanted[-EDGE:], max(start, 0))
    if not wanted or start < 0 or end < 0:
        return body
    return f"{body[:start]}{body[end + len(wanted[-EDGE:]) :]}"


def without_ending(body: str) -> str:
    """Return the text up to the acknowledgements in its last third, if there are any."""
    ending = ENDING.search(body, len(body) * 2 // 3)
    return body[: ending.start()] if ending else body


def clean(body: str) -> str:
    """Return the words of a text that look like words, with the full stops between its sentences."""
    kept: list[str] = []
    for word in OTHER_SIGNS.sub("", body).split():
        bare = word.strip(".'")
        if VOWEL.search(bare) and (len(bare) > 2 or bare.lower() in SHORT_WORDS):
            kept.append(word)
        elif word.endswith(".") and kept and not kept[-1].endswith("."):
            kept[-1] += "."
    return " ".join(kept)
