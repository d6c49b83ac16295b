"""The threads that torch computes in."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute in one thread in the block: last digits of sums depend on the number of threads.

    Small products are no slower for it, and much faster where other programs run.
    """
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
