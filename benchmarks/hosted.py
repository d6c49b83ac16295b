"""Many annotators on a hosted server: what each waits for, what a session takes, and whether a judgment is lost.

    python -m benchmarks.hosted [--sessions 25,50,100] [--think 30] [--seconds 120] [--workers 1] [--database URL]
    python -m benchmarks.hosted --sessions 50 --think 0 --each 20        as fast as they can
    python -m benchmarks.hosted --sign-ins 60                            sixty people sign in while others judge

Real WebSocket sessions that speak Streamlit's protobufs, each signed in by a link of its own: `relevance serve
--hosted` as people reach it, without a browser. The client runs beside the server, so let nothing else run.
Times are from sending a press to the end of the script run that shows the next pair.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sqlite3
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import httpx
import websockets
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.annotate import make_records
from relevance.annotation.records import StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import JudgmentRow, PairRow
from relevance.data.database import connect
from relevance.data.store import DataStore
from relevance.hosting.accounts import AccountStore
from tests.driving import SECRET, free_ports, healthy, running

PASSWORD = "seven random words that nobody guesses"


class Page:
    """An open page of the app, as a browser would keep it."""

    def __init__(self, socket: websockets.ClientConnection) -> None:
        self.socket = socket
        self.buttons: dict[str, str] = {}
        self.script = ""
        self.start = ""

    @classmethod
    async def open(cls, url: str, cookie: str) -> Page:
        """Connect, and draw the page on which one judges."""
        page = await cls.connect(url, cookie)
        await page.run(name="annotate")
        while not page.start and not page.buttons:  # the page may be changed by a second run
            await page.finish()
        if page.start:
            await page.run(press=page.start)
        return page

    @classmethod
    async def connect(cls, url: str, cookie: str) -> Page:
        """Open a session, in which nothing is drawn yet."""
        socket = await websockets.connect(
            url.replace("http", "ws") + "/_stcore/stream",
            additional_headers={"Cookie": cookie},
            origin=websockets.Origin(url),
            subprotocols=[websockets.Subprotocol("streamlit")],
            max_size=2**27,
            ping_interval=None,
        )
        return cls(socket)

    async def run(self, *, name: str = "", press: str = "", fragment: str = "") -> float:
        """Ask for a script run, with a button pressed; the seconds until it has ended."""
        began = time.perf_counter()
        await self.ask(name=name, press=press, fragment=fragment)
        await self.finish()
        return time.perf_counter() - began

    async def ask(self, *, name: str = "", address: str = "", press: str = "", fragment: str = "") -> None:
        """Ask for a script run of a page, at what its address says after `?`, with a button pressed."""
        message = BackMsg()
        wanted = message.rerun_script
        wanted.page_name, wanted.query_string, wanted.fragment_id = name, address, fragment
        if not name:
            wanted.page_script_hash = self.script
        wanted.context_info.url = f"http://127.0.0.1/{name}"
        wanted.context_info.timezone = "UTC"
        if press:
            widget = wanted.widget_states.widgets.add()
            widget.id, widget.trigger_value = press, True
        await self.socket.send(message.SerializeToString())

    async def finish(self) -> None:
        """Read until a script run has ended, and remember the buttons that it drew."""
        while True:
            message = ForwardMsg()
            message.ParseFromString(bytes(await self.socket.recv(decode=False)))
            kind = message.WhichOneof("type")
            if kind == "navigation":
                self.script = message.navigation.page_script_hash
            elif kind == "delta" and message.delta.new_element.WhichOneof("type") == "button":
                button = message.delta.new_element.button.id
                if button.endswith("-start"):
                    self.start = button
                elif "left:" in button or "right:" in button:
                    self.buttons[button] = message.delta.fragment_id
            elif kind == "script_finished":
                return

    async def judge(self) -> float | None:
        """Choose one of the two summaries shown; None where there is no pair left."""
        if not self.buttons:
            return None
        choice = random.choice(list(self.buttons)[-2:])
        fragment = self.buttons[choice]
        self.buttons.clear()
        return await self.run(press=choice, fragment=fragment)


class Figures(NamedTuple):
    """What a round of judging came to."""

    times: list[float]
    seconds: float
    cpu: float

    def __str__(self) -> str:
        if len(self.times) < 2:
            return "no judgments"
        hundredths = statistics.quantiles(self.times, n=100)
        return (
            f"{len(self.times)} judgments, {len(self.times) / self.seconds:.1f} a second; p50 "
            f"{1000 * hundredths[49]:.0f}, p95 {1000 * hundredths[94]:.0f}, most {1000 * max(self.times):.0f} ms; "
            f"{1000 * self.cpu / len(self.times):.0f} ms of the server's processors each"
        )


def make_study(url: str, pairs: int, people: int) -> list[str]:
    """A study in which each of so many people has a personal link; returns the tokens."""
    engine = connect(url)
    DataStore(engine).add_dataset(name="made", format="interchange", sha256="0" * 64, records=make_records(pairs))
    store = AnnotationStore(engine)
    store.create_study(StudySpec(name="made", dataset="made", rule="random", judgments_per_pair=people))
    AccountStore(engine).add_user(name="Olga", role="owner", password=PASSWORD)
    tokens = [store.invite(study="made", name=f"Annotator {number}").token for number in range(people)]
    engine.dispose()
    return tokens


@contextmanager
def serving(database: str, workers: int) -> Iterator[tuple[subprocess.Popen[bytes], list[str]]]:
    """The servers of `relevance serve --hosted`, and their addresses."""
    first = free_ports(workers)
    urls = [f"http://127.0.0.1:{port}" for port in range(first, first + workers)]
    with ExitStack() as servers:
        started = [
            servers.enter_context(
                running(
                    port,
                    "--hosted",
                    ready=partial(healthy, url, "/readyz"),
                    log=subprocess.DEVNULL,
                    RELEVANCE_DATABASE_URL=database,
                    RELEVANCE_SECRET=SECRET,
                    RELEVANCE_PUBLIC_URL=url,
                )
            )
            for port, url in enumerate(urls, first)
        ]
        yield started[0], urls


async def enter(url: str, token: str) -> str:
    """Enter by a link; the cookie."""
    async with httpx.AsyncClient(base_url=url, headers={"origin": url}, timeout=60) as client:
        answer = await client.post(f"/join/{token}")
        return f"relevance={answer.cookies['relevance']}"


def memory(process: int) -> float:
    """Proportional memory of a process in MiB."""
    text = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) / 1024


def processor(process: int) -> float:
    """Seconds that a process has had of the processors."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def annotate(page: Page, think: float, until: float, each: int) -> list[float]:
    """Judge until the time is over, or so many pairs, thinking before each; a choice too soon would be refused."""
    times: list[float] = []
    while time.monotonic() < until and len(times) < each:
        await asyncio.sleep(max(0.45, think * random.uniform(0.5, 1.5)))
        took = await page.judge()
        if took is None:
            break
        times.append(took)
    return times


async def judge_together(pages: Sequence[Page], server: int, think: float, seconds: float, each: int) -> Figures:
    """Let all judge at the same time."""
    began, cpu = time.monotonic(), processor(server)
    taken = await asyncio.gather(*(annotate(page, think, began + seconds, each) for page in pages))
    return Figures([seconds for times in taken for seconds in times], time.monotonic() - began, processor(server) - cpu)


async def sign_in_together(url: str, people: int) -> list[float]:
    """So many people sign in at once, each with the right password; the seconds that each waited."""

    async def sign_in() -> float:
        async with httpx.AsyncClient(base_url=url, headers={"origin": url}, timeout=60) as client:
            began = time.perf_counter()
            await client.post("/sign-in", data={"name": "Olga", "password": PASSWORD})
            return time.perf_counter() - began

    return list(await asyncio.gather(*(sign_in() for _ in range(people))))


async def measure(args: argparse.Namespace, database: str) -> None:
    """Print the figures of each number of sessions."""
    levels = [int(number) for number in args.sessions.split(",")]
    tokens = make_study(database, 400, max(levels))
    with serving(database, args.workers) as (server, urls):
        pages: list[Page] = []
        warm = await Page.open(urls[0], await enter(urls[0], tokens[0]))
        await warm.socket.close()
        before, judged = memory(server.pid), 0
        for level in levels:
            for number in range(len(pages), level):
                url = urls[number % len(urls)]
                pages.append(await Page.open(url, await enter(url, tokens[number])))
            each = (memory(server.pid) - before) / max(1, level / len(urls))
            if args.sign_ins:
                judging = asyncio.create_task(judge_together(pages, server.pid, 1.0, 20, args.each))
                await asyncio.sleep(5)
                waits = await sign_in_together(urls[0], args.sign_ins)
                print(f"{args.sign_ins} sign-ins at once: the last after {max(waits):.1f} s")
                figures = await judging
            else:
                figures = await judge_together(pages, server.pid, args.think, args.seconds, args.each)
            judged += len(figures.times)
            print(f"{level} sessions, {each:.2f} MiB each: {figures}; load {os.getloadavg()[0]:.1f}", flush=True)
    check_judgments(database, judged)


def check_judgments(database: str, answered: int) -> None:
    """Say whether each judgment that was answered is there once."""
    engine = connect(database)
    with Session(engine) as session:
        stored = session.scalar(select(func.count(JudgmentRow.id)))
        counted = session.scalar(select(func.sum(PairRow.judgments)))
    engine.dispose()
    print(f"{answered} answered, {stored} stored, {counted} counted by pairs")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", default="25,50,100")
    parser.add_argument("--think", type=float, default=30.0)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--each", type=int, default=10**6)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--sign-ins", type=int, default=0)
    parser.add_argument("--database", default="")
    args = parser.parse_args()
    print(f"SQLite {sqlite3.sqlite_version}, load before {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(args, args.database or f"sqlite:///{folder}/hosted.db"))


if __name__ == "__main__":
    main()
