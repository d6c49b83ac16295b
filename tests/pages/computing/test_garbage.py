"""Garbage is collected every few seconds, and not after each script run."""

import asyncio
import gc
import inspect
from concurrent.futures import ThreadPoolExecutor

import pytest
from streamlit.runtime.scriptrunner import script_runner

from relevance.pages.computing import garbage


class Cycle:
    """An object that only a collection frees."""

    def __init__(self) -> None:
        self.own = self


def count_cycles() -> int:
    return sum(isinstance(item, Cycle) for item in gc.get_objects())


def test_a_script_run_leaves_garbage_to_the_next_collection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "SECONDS", 0.05)
    names = vars(script_runner)

    async def run() -> tuple[int, int, int]:
        async with garbage.collecting():
            Cycle()
            await asyncio.sleep(0.2)
            idle = count_cycles()  # no script has run
            names["gc"].collect(2)  # as Streamlit does when one has
            at_once = count_cycles()
            await asyncio.sleep(0.2)
            return idle, at_once, count_cycles()

    gc.collect()
    gc.disable()
    try:
        with ThreadPoolExecutor(1) as apart:  # this thread may have the loop of a browser
            assert apart.submit(lambda: asyncio.run(run())).result() == (1, 1, 0)
    finally:
        gc.enable()
    assert names["gc"] is gc


def test_streamlit_collects_where_it_is_kept_from_it() -> None:
    """Another version may do so elsewhere: then `garbage.collecting` has to follow."""
    assert "gc.collect(2)" in inspect.getsource(script_runner.ScriptRunner._on_script_finished)
