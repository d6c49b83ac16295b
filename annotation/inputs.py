"""Checks of what annotators type and choose, before it is stored."""

from unicodedata import normalize

from relevance.data.store import checked_name


def person_name(name: str) -> str:
    """Return an annotator's name in NFC, so that one person has one name on every keyboard. Raises `StoreError`."""
    return normalize("NFC", checked_name(name))


def clean_text(text: str) -> str:
    """Strip typed text and drop what a database cannot store: NUL and lone surrogates."""
    return text.replace("\0", "").encode(errors="replace").decode().strip()
