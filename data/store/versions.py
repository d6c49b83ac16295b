"""Versions of texts and scores, by which counts of them are kept; and reads of whole data sets, in parts."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, TypeVar, cast
from weakref import WeakKeyDictionary

from sqlalchemy import ColumnElement, Engine, func, select, update
from sqlalchemy.orm import Session

from data.store.base import Store
from data.tables import DocumentRow, VersionRow

What = Literal["texts", "scores"]
"""Documents, summaries and the names of data sets; or what metrics say of them."""

Tokens = tuple[str, ...]
"""Of the versions of something."""

T = TypeVar("T")

PART = 250
"""Documents that are read in one transaction: a fortieth of a second, in which SQLite's writers wait."""

KEPT: WeakKeyDictionary[Engine, dict[tuple[str, str], tuple[Tokens, object]]] = WeakKeyDictionary()
"""What was counted, by database and what it is, with the versions that it was counted of."""


class VersionedStore(Store):
    """Reads of whole data sets over one engine."""

    @contextmanager
    def changing(self, what: What, *, revoking: bool = False) -> Iterator[Session]:
        """As `writing`, where texts or scores change."""
        with self.writing(revoking=revoking) as session:
            yield session
            session.flush()
            # At the end: PostgreSQL holds the row until the commit, and long imports would wait for each other.
            # A random token, not a number: a backup that is put back must not have a number's old meaning.
            session.execute(update(VersionRow).where(VersionRow.what == what).values(token=secrets.token_hex(8)))

    def versions(self, *whats: What) -> Tokens:
        """The versions of what is named."""
        with self.reading() as session:
            rows = session.execute(select(VersionRow.what, VersionRow.token).where(VersionRow.what.in_(whats)))
            return tuple(token for _, token in sorted(map(tuple, rows)))

    def keep(self, whats: tuple[What, ...], name: str, read: Callable[[str], T]) -> T:
        """What `read` says of a data set, read anew when what it depends on has changed."""
        kept, key, version = KEPT.setdefault(self.engine, {}), (read.__name__, name), self.versions(*whats)
        found = kept.get(key)
        if found is not None and found[0] == version:
            return cast("T", found[1])
        value = read(name)
        if self.versions(*whats) == version:
            kept[key] = version, value
        return value

    def read_in_parts(
        self, dataset_id: Callable[[Session], int], read: Callable[[Session, ColumnElement[bool]], T]
    ) -> list[T]:
        """What `read` says of a data set's documents, part by part in order; it is given what chooses those of a part.

        Each part has a transaction of its own; where texts changed meanwhile, all is read again in one.
        """
        with self.reading() as session:
            number = dataset_id(session)
            last = session.scalar(select(func.max(DocumentRow.position)).where(DocumentRow.dataset_id == number))
            starts = range(0, (-1 if last is None else last) + 1, PART)
            if len(starts) < 2:
                return [read(session, DocumentRow.dataset_id == number) for _ in starts]
        version, parts = self.versions("texts"), []
        for start in starts:
            with self.reading() as session:
                of_part = DocumentRow.position.between(start, start + PART - 1)
                parts.append(read(session, (DocumentRow.dataset_id == number) & of_part))
        if self.versions("texts") == version:
            return parts
        with self.reading() as session:
            return [read(session, DocumentRow.dataset_id == dataset_id(session))]
