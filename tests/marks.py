"""What starts a process says so by its mark, so that the gate stays quick: a test that does not fails."""

import os
import sys
import threading
from collections.abc import Generator
from pathlib import Path

import pytest

COSTS = frozenset({"browser", "postgresql", "process"})
"""The marks of tests that start processes."""

STARTED: list[str] = []
"""The programs that the test that runs now has started."""


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    if threading.current_thread() is not threading.main_thread():  # perhaps one that an earlier test has left
        return
    if event == "subprocess.Popen":
        program = Path(os.fsdecode(arguments[0])).name  # type: ignore[arg-type]
        if program != "fc-list":  # by which matplotlib, which bert-score imports, once finds the fonts of a machine
            STARTED.append(program)
    elif event == "os.fork":
        STARTED.append("a copy of itself")


sys.addaudithook(_hear)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    STARTED.clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that started a process, itself or by a fixture, and bears no mark of it."""
    result = yield
    if STARTED and not COSTS & {mark.name for mark in item.iter_markers()}:
        pytest.fail(f"it starts {', '.join(STARTED)}: mark it with one of {', '.join(sorted(COSTS))}", pytrace=False)
    return result
