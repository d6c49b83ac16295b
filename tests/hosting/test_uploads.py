"""Files that accounts send to open pages: how many stay in memory, and until when."""

import os
from collections import defaultdict
from contextlib import ExitStack

import pytest
from websockets.exceptions import ConnectionClosed

from relevance.hosting.gate import MOST_OF_ANNOTATOR, TOO_BIG
from relevance.hosting.uploads import LARGEST, MOST_OF_ACCOUNT, MOST_OF_PAGE, Uploads
from tests.hosting.house import HERS, House
from tests.hosting.tabs import Tab
from tests.hosting.test_bombs import Process, field_of
from tests.hosting.uploading import address_of, headers_of, upload
from tests.waiting import until

MB = 2**20
ANN, BEN = 1, 2


class Held:
    """Pages with files of so many bytes."""

    def __init__(self) -> None:
        self.files: dict[str, int] = defaultdict(int)
        self.closed: set[str] = set()

    def count_bytes(self, session_id: str) -> int:
        return self.files.get(session_id, 0)

    def is_open(self, session_id: str) -> bool:
        return session_id not in self.closed

    def forget_files(self, session_id: str) -> None:
        del self.files[session_id]


def send(uploads: Uploads, held: Held, page: str, account: int, size: int) -> bool:
    with uploads.arrive(page, account, size) as has_room:
        if has_room:
            held.files[page] += size
    return has_room


def test_a_page_and_an_account_have_their_room() -> None:
    held = Held()
    uploads = Uploads(held)
    assert send(uploads, held, "a", ANN, LARGEST)
    assert not send(uploads, held, "a", ANN, MOST_OF_PAGE - LARGEST + 1)
    assert send(uploads, held, "b", ANN, MOST_OF_ACCOUNT - LARGEST)
    assert not send(uploads, held, "c", ANN, 1)
    assert send(uploads, held, "d", BEN, LARGEST)  # others have their own
    held.files["b"] -= 1  # removed on the page
    assert send(uploads, held, "c", ANN, 1)
    assert not send(uploads, held, "c", ANN, 1)


def test_files_on_their_way_count() -> None:
    held = Held()
    uploads = Uploads(held)
    with ExitStack() as arriving:
        rooms = [arriving.enter_context(uploads.arrive(f"{n}", ANN, LARGEST // 2)) for n in range(6)]
        assert rooms == [True] * 4 + [False] * 2
    assert send(uploads, held, "a", ANN, LARGEST)  # none of them came
    assert not +uploads.arriving


def test_pages_that_are_closed_make_room_for_their_account() -> None:
    held = Held()
    uploads = Uploads(held)
    assert all(send(uploads, held, page, ANN, LARGEST) for page in "ab")
    assert send(uploads, held, "c", BEN, LARGEST)
    held.closed |= {"a", "c"}
    assert send(uploads, held, "d", ANN, LARGEST)
    assert dict(held.files) == {"b": LARGEST, "c": LARGEST, "d": LARGEST}
    assert uploads.owners == {"b": ANN, "c": BEN, "d": ANN}


@pytest.mark.process
@pytest.mark.timeout(400)  # closed pages are kept for two minutes
def test_an_account_does_not_fill_the_memory_and_closed_pages_leave_none_of_it(house: House) -> None:
    token, content = house.sign_in("Rita"), os.urandom(MB) * 190
    server = Process(house)
    with Tab(house.url, token) as warm:
        warm.open("datasets")
        assert upload(house, warm, token, "small.csv", b"a").status_code == 204
    before = server.memory("VmRSS")
    with ExitStack() as opened:
        tabs = [opened.enter_context(Tab(house.url, token)) for _ in range(5)]
        for tab in tabs:
            tab.open("datasets")
        sent = [
            upload(house, tab, token, "x.csv", content, file_id=f"{n}").status_code for tab in tabs for n in range(2)
        ]
        assert sent == [204, 413, 204, *[413] * 7]
        assert "close a page" in upload(house, tabs[2], token, "x.csv", content).text
        with house.client() as client:
            assert client.delete(address_of(tabs[0], "0"), headers=headers_of(token)).status_code == 204
        assert upload(house, tabs[2], token, "x.csv", content).status_code == 204
        held = server.memory("VmRSS") - before
    assert held < 600
    until(lambda: server.memory("VmRSS") - before < 100, "the memory of closed pages", seconds=200)


@pytest.mark.process
def test_a_page_that_is_left_keeps_no_file(house: House) -> None:
    token, content = house.sign_in("Rita"), bytes(60 * MB)
    with Tab(house.url, token) as tab:
        for _ in range(3):
            tab.open("datasets")
            sent = [upload(house, tab, token, "x.csv", content, file_id=f"{n}").status_code for n in range(5)]
            assert sent == [204] * 4 + [413]
            tab.open("glossary")


def close_code(tab: Tab) -> int | None:
    """The code with which a page is closed."""
    try:
        while True:
            tab.receive()
    except ConnectionClosed as closed:
        return closed.rcvd and closed.rcvd.code


@pytest.mark.process
@pytest.mark.parametrize("size", [MOST_OF_ANNOTATOR, 4 * MB - 999])
def test_long_messages_of_an_annotator_are_refused(house: House, size: int) -> None:
    token = house.annotate(HERS, "Long messages")
    server = Process(house)
    before = server.memory("VmRSS")
    for _ in range(25):
        with Tab(house.url, token) as tab:
            tab.open("annotate")
            tab.socket.send(field_of("x" * size))
            assert close_code(tab) == TOO_BIG
    assert server.memory("VmRSS") - before < 60


@pytest.mark.process
def test_long_messages_of_a_researcher_are_taken(house: House) -> None:
    with Tab(house.url, house.sign_in("Rita")) as tab:
        tab.open("glossary")
        tab.socket.send(field_of("x" * MOST_OF_ANNOTATOR))
        assert tab.read()
