"""Texts of annotators' pages as the code says them, and the catalogues: `make catalogues` brings these up to date."""

import ast
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

from relevance.annotation.languages import CATALOGUES, read_texts
from relevance.annotation.protocol.records import FORMAT, LANGUAGES
from relevance.annotation.records import INSTRUCTIONS, QUESTION

ROOT = Path(__file__).parents[1]

SAYING = (
    "annotation/*.py",
    "pages/annotate.py",
    "pages/components/annotate/*.py",
    "hosting/forms.py",
    "hosting/routes.py",
)
"""Files that say something to annotators."""

FORMS = {"say": slice(0, 1), "msgid": slice(0, 1), "say_count": slice(1, 3)}
"""Functions whose texts are said, and which of their arguments these are."""

DEFAULTS = {"annotation/records.py": (QUESTION, INSTRUCTIONS)}
"""What a study says that was told nothing else."""

TRANSLATED = tuple(language for language in LANGUAGES if language != "en")

WIDTH = 116
"""Characters of a line of a catalogue."""

WRITTEN = datetime(2026, 11, 22, tzinfo=UTC)
"""A date that catalogues need, and that does not change with each of them."""


def find_texts() -> Iterator[tuple[str, str | tuple[str, ...]]]:
    """Each text, or its forms for one and for many, with a file that says it."""
    for file, texts in DEFAULTS.items():
        for text in texts:
            yield file, text
    for path in sorted(path for pattern in SAYING for path in ROOT.glob(pattern)):
        for message in find_in(path.read_text()):
            yield str(path.relative_to(ROOT)), message


def find_in(code: str) -> Iterator[str | tuple[str, ...]]:
    """The texts that code says; Babel's own reader sees none inside of f-strings before Python 3.12."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            forms = [
                argument.value
                for argument in node.args[FORMS.get(name, slice(0))]
                if isinstance(argument, ast.Constant)
            ]
            if forms:  # what is not a literal was named by `msgid`, or is a study's own
                yield str(forms[0]) if name != "say_count" else tuple(map(str, forms))


def update(language: str) -> Catalog:
    """The catalogue of a language with all texts that are said now; new ones wait for their translation."""
    file = CATALOGUES / f"{language}.po"
    known = read_texts(file) if file.exists() else Catalog(language)
    catalogue = Catalog(
        language,
        header_comment=f"# {Locale(language).english_name} texts of annotators' pages: see `make catalogues`",
        project="relevance",
        version=str(FORMAT),
        creation_date=WRITTEN,
        revision_date=WRITTEN,
        fuzzy=False,
    )
    for path, message in find_texts():
        old = known.get(message)
        kept = old.string if old is not None and old.pluralizable == isinstance(message, tuple) else None
        catalogue.add(message, kept, locations=[(path, None)])  # type: ignore[list-item]  # without lines, which move
    return catalogue


def main() -> None:
    """Write every catalogue."""
    CATALOGUES.mkdir(exist_ok=True)
    for language in TRANSLATED:
        catalogue = update(language)
        with (CATALOGUES / f"{language}.po").open("wb") as out:
            write_po(out, catalogue, width=WIDTH, sort_output=True)


if __name__ == "__main__":
    main()
