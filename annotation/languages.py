"""The texts of annotators' pages in the study's language: its own wording first, then the catalogue, then English.

Texts are identified by the English one. The catalogues in `locale/` are read once per process; `make catalogues`
updates them from the texts of the pages.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path

from babel import Locale
from babel.dates import format_datetime
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal

from relevance.annotation.protocol.records import StudyProtocol

CATALOGUES = Path(__file__).parent / "locale"

PLACE = re.compile(r"\{(\w+)\}")
"""A placeholder in a text. Other braces are text, as a study's own wording is data."""


def msgid(text: str) -> str:
    """Mark a text that is translated later, so that the catalogues include it."""
    return text


@dataclass(frozen=True)
class Wording:
    """The language and wording of a study."""

    language: str = "en"
    own: Mapping[str, str] = field(default_factory=dict)
    """The study's own wording, by the English text."""

    @property
    def direction(self) -> str:
        """`rtl` for a language that is written from right to left, otherwise `ltr`."""
        return Locale(self.language).text_direction

    def say(self, text: str, **values: object) -> str:
        """Return a text with its `{places}` filled in, as plain text that callers escape."""
        return fill(self.own.get(text) or read_catalogue(self.language).gettext(text), values)

    def say_count(self, count: int, single: str, plural: str, **values: object) -> str:
        """Return the text for one thing or for many, in which `{count}` is the number."""
        text = self.own.get(single if count == 1 else plural) or read_catalogue(self.language).ngettext(
            single, plural, count
        )
        return fill(text, values | {"count": self.number(count)})

    def number(self, number: int) -> str:
        """Format a whole number, always in Western digits, like those on the keys 1 and 2."""
        return format_decimal(number, locale=self.language, numbering_system="latn")

    def moment(self, moment: datetime) -> str:
        """Format a day and a time, in UTC."""
        return f"{format_datetime(moment, 'medium', locale=self.language)} UTC"


ENGLISH = Wording()


def wording_of(protocol: StudyProtocol) -> Wording:
    """Return the wording of a protocol's study."""
    return Wording(protocol.language, protocol.texts)


def fill(text: str, values: Mapping[str, object]) -> str:
    """Fill in the placeholders of a text; one without a value stays as it is."""
    return PLACE.sub(lambda place: str(values.get(place[1], place[0])), text) if values else text


@lru_cache
def read_catalogue(language: str) -> NullTranslations:
    """Read the translations of a language; English needs none."""
    file = CATALOGUES / f"{language}.po"
    if not file.exists():
        return NullTranslations()
    compiled = BytesIO()
    write_mo(compiled, read_texts(file))
    compiled.seek(0)
    return GNUTranslations(compiled)


def read_texts(file: Path) -> Catalog:
    """Read the catalogue file of a language."""
    with file.open("rb") as lines:
        return read_po(lines, locale=file.stem)
