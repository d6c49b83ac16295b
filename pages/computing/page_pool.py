"""The processes in which the pages of this server compute."""

import os
from functools import cache

from relevance.hosting.settings import HOSTED
from relevance.processes.pool import Pool

NOT_HOSTED = {HOSTED: ""}
"""In these processes nobody is signed in: whoever asks was let through before."""


@cache
def open_pool() -> Pool:
    """Return the pool of this process, with one process for every two processors."""
    return Pool(max(1, (os.cpu_count() or 1) // 2), NOT_HOSTED)
