"""Versions of texts and scores, by which counts of them are cached; and reads of whole data sets, in parts."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, TypeVar, cast
from weakref import WeakKeyDictionary

from sqlalchemy import ColumnElement, Engine, func, select, update
from sqlalchemy.orm import Session

from relevance.data.store.base import Store
from relevance.data.tables import DocumentRow, VersionRow

What = Literal["texts", "scores"]
"""A kind of versioned data: documents, summaries and names of data sets, or scores of metrics."""

Tokens = tuple[str, ...]
"""The tokens of some versions."""

T = TypeVar("T")

PART = 250
"""Documents that are read in one transaction: a fortieth of a second, in which SQLite's writers wait."""

KEPT: WeakKeyDictionary[Engine, dict[tuple[str, str], tuple[Tokens, object]]] = WeakKeyDictionary()
"""Cached results, by database, function and data set, with the versions that they were computed from."""


class VersionedStore(Store):
    """Reads of whole data sets over one engine."""

    @contextmanager
    def changing(self, what: What, *, revoking: bool = False) -> Iterator[Session]:
        """Open a session as `writing` does, to change texts or scores."""
        with self.writing(revoking=revoking) as session:
            yield session
            session.flush()
            # At the end: PostgreSQL holds the row until the commit, and long imports would wait for each other.
            # A random token, not a number: a backup that is put back must not have a number's old meaning.
            session.execute(update(VersionRow).where(VersionRow.what == what).values(token=secrets.token_hex(8)))

    def versions(self, *whats: What) -> Tokens:
        """Return the versions of some kinds of data."""
        with self.reading() as session:
            rows = session.execute(select(VersionRow.what, VersionRow.token).where(VersionRow.what.in_(whats)))
            return tuple(token for _, token in sorted(map(tuple, rows)))

    def keep(self, whats: tuple[What, ...], name: str, read: Callable[[str], T]) -> T:
        """Return the result of `read` for a data set, cached until the data that it depends on change."""
        kept, key, version = KEPT.setdefault(self.engine, {}), (read.__name__, name), self.versions(*whats)
        cached = kept.get(key)
        if cached is not None and cached[0] == version:
            return cast("T", cached[1])
        value = read(name)
        if self.versions(*whats) == version:
            kept[key] = version, value
        return value

    def read_in_parts(
        self, dataset_id: Callable[[Session], int], read: Callable[[Session, ColumnElement[bool]], T]
    ) -> list[T]:
        """Call `read` on a data set's documents, part by part in order; return the results.

        `read` is given the condition that selects the documents of a part. Each part has its own transaction; if texts
        changed meanwhile, everything is read again in one.
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
