"""Refusal of records that a format cannot hold."""

from typing import NoReturn

from relevance.data.reading import quote_value


class CannotBeHeld(ValueError):
    """A format has no way to write a record: the message says which one, why and what to do."""


def refuse(format: str, document_id: str, problem: str) -> NoReturn:
    """Raise `CannotBeHeld` for a document."""
    raise CannotBeHeld(f"{format} cannot hold the document {quote_value(document_id)}: {problem}")
