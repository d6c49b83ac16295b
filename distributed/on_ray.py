"""Runs on Ray: Ray Data gives each shard's piece to a worker, and to another one if that worker or its node ends.

Workers return a shard's bytes, and the process that began the run writes them, so that no shared folder is needed and
no shard can be written twice.
"""

import logging
import os
import pickle
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from relevance.data.distribution import how_to_install

MOST_TOGETHER = 8
"""The most items of a task: Ray Data leaves a worker idle for a fifth of a second after each task."""

ROUNDS = 4
"""The fewest tasks of a worker, if there are enough items: workers end their last ones at about the same time."""

ENDING = 30
"""The most seconds to wait for a thread of Ray Data to end."""
USING_RAY = ("StreamingExecutor-", "ray-data-metadata-prefetch", "iter_threaded")
"""How the names of the threads begin in which Ray Data executes, learns of blocks and fetches them."""


class RayMissing(ValueError):
    """Ray is not installed."""


class TooLarge(ValueError):
    """Ray has no room for the resources of a worker."""


@dataclass(frozen=True)
class RayOptions:
    """The options of a run on Ray."""

    address: str | None = None
    """The address of a running cluster; None starts Ray on this machine, which ends with the run."""
    workers: int | None = None
    """The number of shards made at once; None takes all of Ray's processors, or GPUs if the work needs a model."""
    memory: int | None = None
    """The bytes of memory for a worker: Ray places only as many on a node as fit."""
    say: Callable[[str], None] = lambda message: None
    """A function that receives a message with the dashboard's address."""


class RayPlace:
    """A connected Ray."""

    def __init__(self, options: RayOptions) -> None:
        self.options = options
        self.rows: Any = None

    def map(self, function: Callable[[Any], Any], items: Sequence[Any], *, keeps: bool) -> Iterator[tuple[int, Any]]:
        """Yield a function's results as they come, each with the index of its item.

        If the function `keeps` something that takes long to load, each worker is an actor, which loads it once, and has
        a GPU if Ray has any; otherwise it is a plain task. Raises `TooLarge`.
        """
        if not items:
            return
        import ray.data
        from ray.data import ActorPoolStrategy, TaskPoolStrategy

        gpus = 1 if keeps and ray.cluster_resources().get("GPU") else 0
        workers = self.fitting(gpus)
        given = [{"place": place, "item": pickle.dumps(item)} for place, item in enumerate(items)]
        together = max(1, min(MOST_TOGETHER, len(items) // (workers * ROUNDS)))
        told = ray.data.from_items(given, override_num_blocks=-(-len(items) // together)).map_batches(
            Worker if keeps else Worker(function),
            fn_constructor_args=(function,) if keeps else None,
            batch_size=None,
            num_cpus=1,
            num_gpus=gpus,
            memory=self.options.memory,
            compute=ActorPoolStrategy(size=min(workers, len(items))) if keeps else TaskPoolStrategy(size=workers),
        )
        self.rows = iter(told.iter_rows())
        for row in self.rows:
            yield row["place"], pickle.loads(row["made"])  # noqa: S301  sent by our own worker

    def end(self) -> None:
        """End the work in progress, such as after an interrupt.

        Ray Data's threads go on for a while, and if one used Ray after its shutdown, it would end this process at once.
        """
        if self.rows is not None:
            self.rows.close()
        for thread in threading.enumerate():
            if thread.name.startswith(USING_RAY):
                thread.join(ENDING)

    def fitting(self, gpus: int) -> int:
        """Return the number of workers. Raises `TooLarge` if not even one fits into a node."""
        import ray

        memory, has = self.options.memory, ray.cluster_resources()
        most = max((node["Resources"].get("memory", 0) for node in ray.nodes() if node["Alive"]), default=0)
        if memory is not None and memory > most:
            raise TooLarge(f"--memory {memory:,} bytes is more than any node of Ray has ({int(most):,})")
        fit = int(has.get("GPU" if gpus else "CPU", 1))
        if memory is not None:
            fit = min(fit, int(has["memory"] // memory))
        return max(1, min(self.options.workers or fit, fit))


class Worker:
    """A function applied in a process of Ray; the class makes an actor, an instance a task."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def __call__(self, batch: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the function's result for each item of a batch as soon as it is there."""
        for place, item in zip(batch["place"], batch["item"], strict=True):
            made = self.function(pickle.loads(item))  # noqa: S301  our own
            yield {"place": [int(place)], "made": [pickle.dumps(made)]}


@contextmanager
def on_ray(options: RayOptions) -> Iterator[RayPlace]:
    """Connect to Ray until the block is left; a Ray that is started here ends with it.

    Ray reports no use of itself and sends no folder to its workers, which must have this package installed; one that is
    started here can be reached from this machine only. Raises `RayMissing`, OSError if there is none at the address.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"  # otherwise a run by uv sends its folder to all workers
    if options.address is None:
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # makes Ray listen at 127.0.0.1 alone
    try:
        import ray
        from ray.data import DataContext
    except ImportError as error:
        raise RayMissing(f"Ray is not installed: {how_to_install('ray')}") from error
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    warnings.filterwarnings("ignore", module="ray")
    if options.address is None:
        context = ray.init(
            address="local",
            num_cpus=options.workers,
            include_dashboard=True,
            dashboard_host="127.0.0.1",
            **quiet,
        )
    else:
        context = ray.init(address=options.address, **quiet)
    try:
        if url := context.dashboard_url:
            options.say(f"Ray's dashboard: http://{url}")
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        data = DataContext.get_current()
        data.enable_progress_bars = data.print_on_execution_start = False
        data.target_max_block_size = data.target_min_block_size = 1  # otherwise results wait for each other
        place = RayPlace(options)
        try:
            yield place
        finally:
            place.end()
    finally:
        ray.shutdown()
