"""CNN / Daily Mail as released (Hermann et al. 2015): one `.story` file an article, its highlights at the end."""

from collections.abc import Iterator
from pathlib import Path

from relevance.data.importers.folders import files_of
from relevance.data.reading import FileLine, Say, lines, storable, text
from relevance.data.records import Document, Summary

SUFFIX = ".story"
HIGHLIGHT = "@highlight"


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read a story or all below a folder: the highlights, a line each, are the reference (See et al. 2017).

    A file's name is the document's id; paragraphs of an article become lines of its source. An article may have no
    text.
    """
    empty = 0
    for name, file in files_of(path, SUFFIX):
        article, highlights = read_story(file)
        empty += not article
        yield Document(id=name, source="\n".join(article), references=("\n".join(highlights),)), []
    if empty:
        say(f"{empty} articles have no text")


def read_story(file: Path) -> tuple[list[str], list[str]]:
    """Return the paragraphs of an article, and its highlights. Raises `BadRecord`."""
    article: list[str] = []
    highlights: list[list[str]] = []
    place = FileLine(file, 1)
    for place, line in lines(file):
        stripped = line.strip()
        if stripped == HIGHLIGHT:
            if highlights and not highlights[-1]:
                place.refuse(f"nothing stands between this {HIGHLIGHT} and the one before")
            highlights.append([])
        elif stripped:
            storable(place, stripped, "the line")
            (highlights[-1] if highlights else article).append(stripped)
    if not highlights:
        place.refuse(f"there is no {HIGHLIGHT} in the story")
    return article, [text(place, " ".join(parts), "the last highlight") for parts in highlights]
