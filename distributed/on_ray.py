"""A run on Ray: Ray Data hands each shard's piece to a worker, and to another one where that worker or its node ends.

Workers return a shard's bytes, and the process that began the run writes them, so that no folder needs to be shared and
no shard can be written twice. What a worker refuses comes back as its words: Ray's own errors are of its machinery.
"""

import logging
import os
import pickle
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

MOST_TOGETHER = 8
"""Items of a task, at most: Ray Data leaves a worker idle for a fifth of a second after each."""

ROUNDS = 4
"""Tasks of a worker, at least, where there are so many items: workers end their last ones at about the same time."""


class RayMissing(ValueError):
    """Ray is not installed."""


class RefusedByWorker(ValueError):
    """A worker refused its input, in its words."""


class TooLarge(ValueError):
    """Ray has no place for what a worker is to have."""


@dataclass(frozen=True)
class RayOptions:
    """How a run uses Ray."""

    address: str | None = None
    """Of a cluster that runs; None starts Ray on this machine, which ends with the run."""
    workers: int | None = None
    """Shards that are made at once; None: as many as Ray has processors, or GPUs where work needs a model."""
    memory: int | None = None
    """Bytes that a worker is given: Ray places only as many on a node as fit."""
    say: Callable[[str], None] = lambda message: None
    """Receives where Ray's dashboard is."""
    object_store: int | None = None
    """Bytes of the shared memory of a Ray that is started here; None leaves it to Ray."""


class RayPlace:
    """A Ray that is connected."""

    def __init__(self, options: RayOptions) -> None:
        self.options = options

    def map(self, function: Callable[[Any], Any], items: Sequence[Any], *, keeps: bool) -> Iterator[tuple[int, Any]]:
        """Yield a function's results as they come, each with the place of its item.

        Where it `keeps` what takes long to load, each worker is an actor, which loads it once, and has a GPU where Ray
        has any; else it is a plain task. Raises `RefusedByWorker`, `TooLarge`.
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
        for row in told.iter_rows():
            if row["refused"]:
                raise RefusedByWorker(row["refused"])
            yield row["place"], pickle.loads(row["made"])  # noqa: S301  what our own worker sent

    def fitting(self, gpus: int) -> int:
        """How many workers there are to be. Raises `TooLarge` where not one fits into a node."""
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
    """Applies a function in a process of Ray; an actor where it is a class, else it stands for a task."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def __call__(self, batch: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the function's result for each item of a batch, as soon as it is there, or why the item is refused."""
        for place, item in zip(batch["place"], batch["item"], strict=True):
            made, refused = b"", ""
            try:
                made = pickle.dumps(self.function(pickle.loads(item)))  # noqa: S301  our own
            except (ValueError, OSError) as error:
                refused = str(error) or type(error).__name__
            yield {"place": [int(place)], "made": [made], "refused": [refused]}


@contextmanager
def on_ray(options: RayOptions) -> Iterator[RayPlace]:
    """Ray, connected until the block is left; one that was started here ends with it.

    Ray reports no use of itself, sends no folder to its workers, which must have this package installed, and one that
    is started here is reached from this machine only. Raises `RayMissing`, OSError where there is none at the address.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"  # or a run by uv would send its folder to all workers
    if options.address is None:
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # what makes Ray listen at 127.0.0.1 alone
    try:
        import ray
        from ray.data import DataContext
    except ImportError as error:
        raise RayMissing("Ray is not installed: pip install 'relevance[ray]'") from error
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    warnings.filterwarnings("ignore", module="ray")
    if options.address is None:
        context = ray.init(
            address="local",
            num_cpus=options.workers,
            include_dashboard=True,
            dashboard_host="127.0.0.1",
            object_store_memory=options.object_store,
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
        data.target_max_block_size = data.target_min_block_size = 1  # or results would wait for each other
        yield RayPlace(options)
    finally:
        ray.shutdown()
