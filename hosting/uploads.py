"""The files that accounts send to open pages: they stay in this worker's memory while the page is open."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

LARGEST = 200 * 2**20
"""Bytes of the largest file (`server.maxUploadSize`), as which a request counts that does not say its length."""
MOST_OF_PAGE = 250 * 2**20
"""Bytes of the files of one open page: the largest file, while it takes the place of a small one."""
MOST_OF_ACCOUNT = 2 * LARGEST
"""Bytes of the files of all open pages of an account in this worker."""

FULL = (
    f"An open page keeps at most {MOST_OF_PAGE // 2**20} MB of files, and all pages of an account "
    f"{MOST_OF_ACCOUNT // 2**20} MB: remove a file, or close a page."
)
"""The reason why a file is refused."""


class HeldFiles(Protocol):
    """Storage for the files of open pages, each of which has a session's id."""

    def count_bytes(self, session_id: str, /) -> int:
        """Count the bytes of a page's files."""

    def is_open(self, session_id: str, /) -> bool:
        """Tell whether a browser has the page open now."""

    def forget_files(self, session_id: str, /) -> None:
        """Forget the files of a page."""


class Uploads:
    """The files that are on their way to pages of this worker, or have arrived; used by the thread of its requests."""

    def __init__(self, held: HeldFiles) -> None:
        self.held = held
        self.owners: dict[str, int] = {}
        """The account of each page that has files."""
        self.arriving: Counter[str] = Counter()
        """Bytes on their way, by page."""

    @contextmanager
    def arrive(self, session_id: str, user_id: int, size: int) -> Iterator[bool]:
        """Count a file of `size` bytes on its way to a page of an account; yield whether there is room for it.

        Files of pages that are closed, but might be opened again, make room.
        """
        room = self.has_room(session_id, user_id, size)
        if not room:
            for upload in [
                upload for upload, owner in self.owners.items() if owner == user_id and not self.held.is_open(upload)
            ]:
                self.held.forget_files(upload)
            room = self.has_room(session_id, user_id, size)
        if not room:
            yield False
            return
        self.owners[session_id] = user_id
        self.arriving[session_id] += size
        try:
            yield True
        finally:
            self.arriving[session_id] -= size

    def has_room(self, session_id: str, user_id: int, size: int) -> bool:
        """Tell whether there is room for a file of a page and its account."""
        kept = {owner: self.held.count_bytes(owner) + self.arriving[owner] for owner in (*self.owners, session_id)}
        self.owners = {upload: owner for upload, owner in self.owners.items() if kept[upload]}
        self.arriving = +self.arriving
        of_account = sum(kept[upload] for upload, owner in self.owners.items() if owner == user_id)
        return kept[session_id] + size <= MOST_OF_PAGE and of_account + size <= MOST_OF_ACCOUNT
