"""XSum as its authors' scripts leave it (Narayan et al. 2018): one `.summary` file for each article of the BBC.

Sections follow lines such as `[SN]TITLE[SN]`: URL, TITLE, FIRST-SENTENCE, which is the summary, and RESTBODY.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from relevance.data.importers.folders import files_of
from relevance.data.reading import FileLine, Say, lines, optional_text, storable, text
from relevance.data.records import Document, Summary

SUFFIX = ".summary"
HEAD = re.compile(r"\[SN\](.*)\[SN\]")
SECTIONS = ("URL", "TITLE", "FIRST-SENTENCE", "RESTBODY")
BUTTONS = {
    "Share this with",
    "Email",
    "Facebook",
    "Messenger",
    "Twitter",
    "Pinterest",
    "WhatsApp",
    "Linkedin",
    "LinkedIn",
    "Copy this link",
    "These are external links and will open in a new window",
}
"""Lines of the web page around the article."""


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read a file or all below a folder; a file's name is the document's id. An article may have no text.

    Lines that are buttons of the web page are left out, and counted.
    """
    left_out = empty = 0
    for name, file in files_of(path, SUFFIX):
        sections = read_sections(file)
        body = [line for line in sections["RESTBODY"][1] if line not in BUTTONS]
        left_out += len(sections["RESTBODY"][1]) - len(body)
        source = "\n".join(body)
        storable(sections["RESTBODY"][0], source, "RESTBODY")
        empty += not source
        place, sentence = sections["FIRST-SENTENCE"]
        title_place, title = sections.get("TITLE", (place, []))
        yield (
            Document(
                id=name,
                source=source,
                references=(text(place, "\n".join(sentence), "FIRST-SENTENCE"),),
                title=optional_text(title_place, "\n".join(title), "TITLE"),
            ),
            [],
        )
    if left_out:
        say(f"{left_out} lines that are buttons of the web page were left out")
    if empty:
        say(f"{empty} articles have no text")


def read_sections(file: Path) -> dict[str, tuple[FileLine, list[str]]]:
    """Read the sections of a file, each with its place and its lines that are not blank. Raises `BadRecord`."""
    sections: dict[str, tuple[FileLine, list[str]]] = {}
    here: list[str] | None = None
    place = FileLine(file, 1)
    for place, line in lines(file):
        if head := HEAD.fullmatch(line.strip()):
            if head[1] not in SECTIONS:
                place.refuse(f"the section {head[1][:40]!r} is not one of {', '.join(SECTIONS)}")
            if head[1] in sections:
                place.refuse(f"the section {head[1]} stands twice")
            here = []
            sections[head[1]] = place, here
        elif line.strip():
            if here is None:
                place.refuse("the first line must be a section, such as [SN]URL[SN]")
            here.append(line.strip())
    for name in SECTIONS[2:]:
        if name not in sections:
            place.refuse(f"the file ends without a section [SN]{name}[SN]")
    return sections
