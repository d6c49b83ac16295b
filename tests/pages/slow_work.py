"""What a pool's processes are asked for in tests."""

import os
import time
from pathlib import Path

from relevance.pages.components.shared.stores import TextVersion
from relevance.pages.computing.computed import computed


def count_call(file: str) -> int:
    """How often this was called with the same file."""
    with Path(file).open("a", encoding="ascii") as calls:
        calls.write(".")
    return Path(file).stat().st_size


def wait_for_file(file: str) -> int:
    """The number of this process, as soon as a file is there."""
    Path(f"{file}.begun").touch()
    while not Path(file).exists():
        time.sleep(0.01)
    return os.getpid()


def refuse(what: str) -> None:
    raise ValueError(f"{what} is refused")


def die(file: str) -> int:
    """End this process over the first call, and answer the second."""
    if not Path(file).exists():
        Path(file).touch()
        os._exit(3)
    return os.getpid()


@computed("Waiting for the file")
def wait_beside(file: str, version: TextVersion) -> int:
    """As `wait_for_file`, in a page's run."""
    return wait_for_file(file)


@computed("Trying")
def fail_beside(file: str, version: TextVersion) -> None:
    refuse(f"call {count_call(file)}")
