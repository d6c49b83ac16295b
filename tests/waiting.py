"""Waiting for what another thread or process does: as long as a busy machine needs, no longer than a quick one does."""

import time
from collections.abc import Callable

PATIENCE = 60.0
"""Seconds after which something will not come: far more than it takes on a slow and busy machine."""


def until(true: Callable[[], object], what: str = "what was waited for", seconds: float = PATIENCE) -> None:
    """Return when it is true; raise TimeoutError where it does not become so."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not come")
        time.sleep(0.01)
