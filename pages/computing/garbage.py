"""The garbage collection of the web process: every few seconds for all sessions, not after every script run."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Event
from types import SimpleNamespace

from streamlit.runtime.scriptrunner import script_runner

SECONDS = 5
"""The seconds between two collections, if a script has run."""


@asynccontextmanager
async def collecting() -> AsyncIterator[None]:
    """Collect garbage every few seconds, and not after each script run, as Streamlit does.

    A collection looks through the widgets of all sessions: with one annotator it takes a fifth of a judgment's time,
    with a hundred of them more than all else.
    """
    ran = Event()

    def note(_generation: int = 2) -> int:
        ran.set()
        return 0

    async def collect() -> None:
        while True:
            await asyncio.sleep(SECONDS)
            if ran.is_set():
                ran.clear()
                gc.collect()

    names = vars(script_runner)
    names["gc"] = SimpleNamespace(collect=note)
    task = asyncio.create_task(collect())
    try:
        yield
    finally:
        task.cancel()
        names["gc"] = gc
