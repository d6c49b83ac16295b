"""Annotators who judge on pages of a hosted server, and open their page again when the connection ends."""

import re
import threading
import time
from collections import Counter

from websockets.exceptions import WebSocketException

from tests.hosting.tabs import Tab
from tests.waiting import PATIENCE, until

READING = 0.5
"""Seconds before a choice: sooner ones are refused as keys held down."""
PAUSE = 0.1
"""Seconds before a page is opened again."""
CHOICE = "1 is more relevant"


class Judging(threading.Thread):
    """An annotator's open page, on which they judge until told to stop.

    `acknowledged` counts by assignment how often the page went on to the next pair after a choice.
    """

    def __init__(self, url: str, token: str, port: int | None = None) -> None:
        super().__init__()
        self.url, self.token, self.port = url, token, port
        self.over = threading.Event()
        self.acknowledged: Counter[int] = Counter()
        self.opened = 0
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            while not self.over.is_set():
                try:
                    with Tab(self.url, self.token, port=self.port) as tab:
                        self.judge(tab)
                except (OSError, WebSocketException):
                    time.sleep(PAUSE)
        except BaseException as error:
            self.failure = error

    def judge(self, tab: Tab) -> None:
        """Choose on each pair that is shown; nobody presses again what was pressed."""
        tab.open_work()
        self.opened += 1
        while not self.over.wait(READING):
            pressed = shown_on(tab)
            tab.press(CHOICE)
            if shown_on(tab) != pressed:
                self.acknowledged[pressed] += 1

    def stop(self) -> None:
        """Stop after the choice that is under way; raises what the page could not go on after."""
        self.over.set()
        self.join(PATIENCE)
        assert not self.is_alive()
        if self.failure is not None:
            raise self.failure


def shown_on(tab: Tab) -> int:
    """The assignment that a page asks about."""
    number, _ = tab.button(CHOICE)
    match = re.search(r"left:(\d+)$", number)
    assert match is not None, number
    return int(match[1])


def until_all_judge(sessions: list[Judging]) -> None:
    """Return when each session has judged once more than now."""
    before = [session.acknowledged.total() for session in sessions]

    def have_judged() -> bool:
        for session in sessions:
            if session.failure is not None:
                raise session.failure
        return all(session.acknowledged.total() > count for session, count in zip(sessions, before, strict=True))

    until(have_judged, "a judgment of each session")
