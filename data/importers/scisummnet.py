"""ScisummNet as released (Yasunaga et al. 2019): a folder for each paper, with its text as XML and a human summary."""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, XMLParser

from relevance.data.reading import FileLine, Say, identifier, lines, storable, text
from relevance.data.records import BadRecord, Document, Summary

XML = "Documents_xml"
SUMMARY = ".gold.txt"
DECLARATION = re.compile(r"<!(DOCTYPE|ENTITY)")
MAX_BYTES = 32 * 1024 * 1024


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read all papers below a folder: `ID/Documents_xml/ID.xml` beside `ID/summary/ID.gold.txt`, sorted by id.

    The sentence numbered 0 is the title. The source consists of all other sentences, as they are numbered; the
    reference is the summary, without its first line if that is the title. Citing sentences are not read.
    """
    folders = sorted(folder.parent for folder in [path / XML, *path.rglob(XML)] if folder.is_dir())
    if not folders:
        raise BadRecord(f"{path}: there is no folder {XML} below it")
    for folder in dict.fromkeys(folders):
        number = identifier(FileLine(folder, 1), folder.name, "the folder's name")
        title, sentences = read_paper(folder / XML / f"{number}.xml")
        summary = folder / "summary" / f"{number}{SUMMARY}"
        written = [line.strip() for _, line in lines(summary) if line.strip()]
        if written and title is not None and written[0].casefold().strip(" .") == title.casefold().strip(" ."):
            written = written[1:]
        reference = text(FileLine(summary, 1), " ".join(written), "the summary")
        yield Document(id=number, source=tuple(sentences), references=(reference,), title=title), []


def read_paper(file: Path) -> tuple[str | None, list[str]]:
    """Return the title of a paper, and its sentences. Raises `BadRecord`, also for documents that declare entities."""
    parser = XMLParser()  # noqa: S314 - declarations of entities are refused below, before they are parsed
    size = 0
    try:
        for place, line in lines(file, keep_ends=True):
            size += len(line)
            if size > MAX_BYTES:
                place.refuse("the paper is over 32 MiB")
            if DECLARATION.search(line):
                place.refuse("the XML declares a document type or entities, which papers of ScisummNet do not")
            parser.feed(line)
        root: Element = parser.close()
    except ParseError as error:
        FileLine(file, error.position[0]).refuse(f"this is not XML: {error}")
    title, sentences = None, []
    for element in root.iter("S"):
        text = " ".join("".join(element.itertext()).split())
        storable(FileLine(file, 1), text, "a sentence")
        if element.get("sid") == "0":
            title = text or None
        elif text:
            sentences.append(text)
    if not sentences:
        FileLine(file, 1).refuse("there are no sentences (S) in the paper")
    return title, sentences
