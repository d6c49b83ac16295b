"""Pages of a hosted server say what is wrong with its database, and go on by themselves when it is back."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, WebSocket, expect
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import JudgmentRow
from relevance.data.database import connect
from relevance.hosting.accounts import AccountStore
from relevance.hosting.sign_ins import SignInStore
from tests.conftest import absent, running_postgresql
from tests.data.judging import make_study
from tests.driving import serving
from tests.e2e.watching import READING, settled
from tests.hosting.faults.proxy import CutProxy
from tests.postgresql import PostgreSQL
from tests.waiting import PATIENCE

pytestmark = pytest.mark.browser

CHOICE = "1 is more relevant"
REASON = "The first one says more of what matters. " * 110

Fault = Callable[[Path], AbstractContextManager[str]]


def make_world(url: str) -> None:
    """A study "S" on a server that has an owner."""
    make_study(url, documents=20)
    engine = connect(url)
    AccountStore(engine).add_user(name="Olga", role="owner", email="olga@lab.example")
    engine.dispose()


def enter(page: Page, address: str, url: str) -> Runs:
    """Enter by a personal link, and judge the first pair."""
    engine = connect(url)
    token = AnnotationStore(engine).invite(study="S", name="Ann").token
    engine.dispose()
    page.goto(f"{address}/join/{token}")
    runs = Runs(page)
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="Start").click()
    choose(page)
    is_judged(page, 1)
    return runs


def sign_in(page: Page, address: str, url: str) -> None:
    """Sign another annotator in, who has seen no page yet."""
    engine = connect(url)
    person = AnnotationStore(engine).invite(study="S", name="Ben")
    token = SignInStore(engine).sign_in(annotator_id=person.id)
    engine.dispose()
    page.context.add_cookies([{"name": "relevance", "value": token, "url": address}])


def judgments(url: str) -> int:
    """How many judgments a sound database has."""
    engine = connect(url)
    with Session(engine) as session:
        value = session.scalar(select(func.count(JudgmentRow.id)))
        if engine.dialect.name == "sqlite":
            assert session.scalar(text("PRAGMA integrity_check")) == "ok"
    engine.dispose()
    assert value is not None
    return value


def rationale(url: str) -> str | None:
    """The reason of the last judgment."""
    engine = connect(url)
    with Session(engine) as session:
        value = session.scalar(select(JudgmentRow.rationale).order_by(JudgmentRow.id.desc()).limit(1))
    engine.dispose()
    return value


def choose(page: Page) -> None:
    choice = page.get_by_role("button", name=CHOICE)
    expect(choice).to_be_visible()
    page.wait_for_timeout(READING)
    choice.click()


def is_judged(page: Page, number: int) -> None:
    expect(page.get_by_text(re.compile(rf"^{number} of \d+ judged"))).to_be_visible()


class Runs:
    """Counts the connections of a page, and how often the app has drawn it by the last one."""

    def __init__(self, page: Page) -> None:
        self.page, self.finished, self.opened = page, 0, 0
        page.on("websocket", self.listen)

    def listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", self.receive)
        self.opened += 1
        self.finished = 0

    def receive(self, frame: bytes | str) -> None:
        if isinstance(frame, bytes) and ForwardMsg.FromString(frame).WhichOneof("type") == "script_finished":
            self.finished += 1

    def wait_for_another(self, than: int) -> None:
        self.wait_until(lambda: self.finished > than)

    def wait_for_reconnection(self, opened: int) -> None:
        """Wait until the page is drawn by another connection than those that were opened before."""
        self.wait_until(lambda: self.opened > opened and self.finished > 0)

    def wait_until(self, true: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not true():
            assert time.monotonic() < deadline
            self.page.wait_for_timeout(20)


def give_reason(page: Page, runs: Runs) -> None:
    """Type a reason of more than a page of SQLite, for which a full disk has no room left."""
    page.get_by_text("Add a reason").click()
    page.get_by_role("textbox", name="Why is it more relevant?").fill(REASON)
    before = runs.finished
    page.keyboard.press("Control+Enter")
    runs.wait_for_another(before)
    page.keyboard.press("Escape")
    settled(page)


def fails_and_goes_on(runs: Runs, late: Page, address: str, url: str, fault: AbstractContextManager[str]) -> None:
    """Let the database fail and come back while one pair is judged on a page, and another one is opened `late`.

    Who chooses meanwhile is told that it was not saved, and why; what was saved stays, and nobody touches a page.
    """
    page, saved = runs.page, judgments(url)
    give_reason(page, runs)
    with fault as reason:
        choose(page)
        failed = f"saved: the database cannot be used: {reason}"
        expect(
            page.get_by_text(re.compile(f"Your choice (was not|may not have been) {re.escape(failed)}"))
        ).to_be_visible()
        late.goto(f"{address}/annotate")
        waits = late.get_by_text(re.compile(f"^The database cannot be used: {re.escape(reason)}", re.IGNORECASE))
        goes_on = late.get_by_role("button", name=re.compile(f"^({CHOICE}|Start)"))
        expect(waits.or_(goes_on)).to_be_visible()  # a full disk may have room for a line
        late.wait_for_timeout(4_000)  # longer than it takes to look again
        expect(waits.or_(goes_on)).to_be_visible()
    expect(goes_on).to_be_visible()  # nobody touched it
    assert judgments(url) == saved
    choose(page)
    is_judged(page, saved + 1)
    page.reload()  # still signed in
    is_judged(page, saved + 1)
    assert judgments(url) == saved + 1
    assert rationale(url) == REASON.strip()


# --- SQLite -------------------------------------------------------------------------------------------------------


@contextmanager
def full_disk(file: Path) -> Iterator[str]:
    filler = file.with_name("filler")
    filler.write_bytes(bytes(shutil.disk_usage(file.parent).free))
    yield "its disk is full"
    filler.unlink()


@contextmanager
def read_only(file: Path) -> Iterator[str]:
    """A backup that nobody may write is put in the database's place."""
    copy = file.with_name("copy.db")
    shutil.copy(file, copy)
    copy.chmod(0o444)
    os.replace(copy, file)
    yield "it may only be read"
    file.chmod(0o644)


@contextmanager
def locked_up(file: Path) -> Iterator[str]:
    """Nobody may write the database's own file any more, nor a journal beside it."""
    folder, mode = file.parent, file.parent.stat().st_mode
    file.chmod(0o444)
    folder.chmod(0o555)
    yield "it may only be read"
    folder.chmod(mode)
    file.chmod(0o644)


@contextmanager
def gone(file: Path) -> Iterator[str]:
    away = file.with_name("away.db")
    file.rename(away)
    yield "its file is not in its place, or may not be opened"
    assert not file.exists()
    away.rename(file)


def without_privilege() -> list[str]:
    """The command that runs another one as somebody for whom a file that may not be written may not be written."""
    if os.geteuid():
        return []
    if shutil.which("setpriv") is None:
        absent("no setpriv", "apt-get install util-linux")
    return ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"]


@pytest.fixture
def late(browser: Browser) -> Iterator[Page]:
    """A page of another browser."""
    with closing(browser.new_context()) as context:
        context.set_default_timeout(PATIENCE * 1000)
        yield context.new_page()


@pytest.mark.parametrize("fault", [full_disk, read_only, locked_up, gone])
def test_sqlite_fails_and_pages_go_on(
    page: Page, late: Page, tmp_path: Path, fault: Fault, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue("small_disk") if fault is full_disk else tmp_path
    file = folder / "hosted.db"
    url = f"sqlite:///{file}"
    make_world(url)
    with serving(url, hosted=True, through=without_privilege()) as address:
        runs = enter(page, address, url)
        sign_in(late, address, url)
        fails_and_goes_on(runs, late, address, url, fault(file))


# --- PostgreSQL ---------------------------------------------------------------------------------------------------


@contextmanager
def stopped(server: PostgreSQL, by: signal.Signals) -> Iterator[str]:
    server.stop(by)
    yield "its server does not answer"
    server.start()


def test_postgresql_is_restarted_under_open_pages(page: Page, late: Page) -> None:
    """By its administrator, and as if its machine had failed."""
    with running_postgresql() as server:
        make_world(server.url)
        with serving(server.url, hosted=True) as address:
            runs = enter(page, address, server.url)
            sign_in(late, address, server.url)
            for by in (signal.SIGINT, signal.SIGQUIT):
                fails_and_goes_on(runs, late, address, server.url, stopped(server, by))


# --- the connection -----------------------------------------------------------------------------------------------

SEED = 15
CUTS = 20


def shown(page: Page) -> int:
    """How many judgments the page says there are."""
    return int(page.get_by_text(re.compile(r"^\d+ of \d+ judged")).inner_text().split()[0])


def test_a_connection_that_is_cut_twenty_times(page: Page, tmp_path: Path) -> None:
    """While a choice is sent, saved or answered; whoever sees the same pair again chooses again."""
    url = f"sqlite:///{tmp_path / 'hosted.db'}"
    make_world(url)
    chance, again = random.Random(SEED), 0
    with CutProxy() as proxy, serving(url, hosted=True, RELEVANCE_PUBLIC_URL=proxy.url) as address:
        proxy.to = int(address.rpartition(":")[2])
        runs = enter(page, proxy.url, url)
        for _ in range(CUTS):
            settled(page)
            page.wait_for_timeout(READING)
            before, done = runs.opened, judgments(url)
            cut = threading.Timer(chance.uniform(0, 0.2), proxy.cut)
            cut.start()
            page.get_by_role("button", name=CHOICE).click()
            cut.join()
            runs.wait_for_reconnection(before)
            settled(page)
            if judgments(url) == done:  # the choice was never sent, or is saved at this moment: then this is the next
                again += 1
                choose(page)
            runs.wait_until(lambda done=done: shown(page) == judgments(url) > done)
        page.reload()
        is_judged(page, judgments(url))
    print(f"{CUTS} cuts of seed {SEED}; {again} choices were made again")
