"""Runs over shards on two nodes of Ray on this machine, and from a server of S3."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from relevance.data.demo import FILE as DEMO
from relevance.data.records import BadRecord
from relevance.data.shards import is_sharded
from relevance.distributed.on_ray import RayOptions, TooLarge, on_ray
from relevance.distributed.running import Here, Place, Progress, compute, prepare, run
from relevance.distributed.sources import Planner, find_inputs
from relevance.distributed.work import ScoreWork
from relevance.metrics import make_metrics
from relevance.metrics.models.encoder import shared_encoder
from tests.mapped import Mapped, find_mapped
from tests.waiting import PATIENCE, until

PER = 1
"""Documents of a shard: the demo corpus has 24."""

NICENESS = "0"
"""Of Ray's workers. By default it is 15, and on busy cores they take more than a minute to import what they need."""


def scored(folder: Path, source: str, place: Place, names: str = "rouge1,length", progress=lambda now: None) -> None:
    work = ScoreWork(tuple(make_metrics(names.split(","))))
    run(work, find_inputs(source), folder, Planner(None, PER), place, progress)


def contents(folder: Path) -> dict[str, bytes]:
    """Without what a killed process was writing, whose name begins with a full stop."""
    return {path.name: path.read_bytes() for path in folder.glob("[!.]*")}


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch):
    """An S3 server of this machine with the demo corpus in a bucket."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    import fsspec

    files = fsspec.filesystem("s3", skip_instance_cache=True)
    files.mkdir("corpus")
    files.pipe_file("corpus/demo.jsonl", DEMO.read_bytes())
    yield "s3://corpus/*.jsonl"
    server.stop()


@pytest.fixture
def two_nodes(s3: str, monkeypatch: pytest.MonkeyPatch):
    """A Ray of two nodes with a processor each, which ends with the test; S3's address is known to its workers."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    monkeypatch.setenv("RAY_worker_niceness", NICENESS)
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "object_store_memory": 100_000_000, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=node)
    second = cluster.add_node(num_cpus=1, object_store_memory=100_000_000)
    yield cluster, second
    cluster.shutdown()


@pytest.mark.process
@pytest.mark.smoke
def test_a_ray_of_one_s_own_makes_the_bytes_of_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_worker_niceness", NICENESS)
    with on_ray(RayOptions(workers=1)) as place:
        scored(tmp_path / "ray", str(DEMO), place)
    scored(tmp_path / "plain", str(DEMO), Here())
    assert contents(tmp_path / "ray") == contents(tmp_path / "plain")


@pytest.mark.process
def test_workers_of_a_node_share_the_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """A node has them in memory once, as pages of their file; no worker has pages of its own."""
    monkeypatch.setenv("RAY_worker_niceness", NICENESS)

    def weights_in_memory(text: str) -> Mapped:
        shared_encoder().encode([text], [6])
        return find_mapped(shared_encoder().model.folder / "model.safetensors")

    with on_ray(RayOptions(workers=2)) as place:
        held = [weights for _, weights in place.map(weights_in_memory, ["One.", "Two.", "Three."], keeps=True)]
    assert len(held) == 3
    assert all(weights.held > 2**25 and weights.own == 0 for weights in held)


@pytest.mark.process
def test_ray_makes_the_bytes_of_one_process_whatever_ends(two_nodes, s3: str, tmp_path: Path) -> None:
    cluster, second = two_nodes
    scored(tmp_path / "plain", str(DEMO), Here())
    wanted = contents(tmp_path / "plain")
    models = {name: tmp_path / name for name in ("plain_model", "ray_model")}
    killed: list[int] = []

    def kill_a_worker(now: Progress) -> None:
        if now.done == 3 and not killed:
            workers = [item for item in psutil.process_iter(["cmdline"]) if is_map_worker(item, cluster)]
            killed.extend(item.pid for item in workers[:1])
            for pid in killed:
                os.kill(pid, signal.SIGKILL)

    def kill_a_node(now: Progress) -> None:
        if now.done == 3:
            cluster.remove_node(second, allow_graceful=False)

    scored(models["plain_model"], str(DEMO), Here(), "bertscore")  # and the model is loaded where the run begins
    with on_ray(RayOptions(address=cluster.address)) as place:
        scored(models["ray_model"], str(DEMO), place, "bertscore", kill_a_worker)
        assert killed
        assert contents(models["ray_model"]) == contents(models["plain_model"])
        bad = tmp_path / "bad.jsonl"
        bad.write_text(DEMO.read_text().splitlines(keepends=True)[0] + '{"id": 7}\n')
        with pytest.raises(BadRecord, match=r"bad\.jsonl:2: the document has no source, references"):
            scored(tmp_path / "refused", str(bad), place)
        assert not (tmp_path / "refused").exists()
        with pytest.raises(BadRecord, match="was changed during the run"):
            changed(tmp_path, place)
        assert not is_sharded(tmp_path / "changed")
        scored(tmp_path / "ray", str(DEMO), place, progress=kill_a_node)
        assert contents(tmp_path / "ray") == wanted
        (tmp_path / "ray" / "part-00005.parquet").unlink()
        heard: list[Progress] = []
        scored(tmp_path / "ray", str(DEMO), place, progress=heard.append)
        assert [now.done for now in heard] == [23, 24]
        assert contents(tmp_path / "ray") == wanted
        scored(tmp_path / "s3", s3, place)
        assert len(list((tmp_path / "s3").glob("part-*"))) == 24
        place.options = RayOptions(memory=2**60)
        with pytest.raises(TooLarge, match="more than any node of Ray has"):
            scored(tmp_path / "large", str(DEMO), place)


def changed(folder: Path, place: Place) -> None:
    """Run over a file that changes when it has been read."""
    file = folder / "changing.jsonl"
    file.write_bytes(DEMO.read_bytes())
    work = ScoreWork(tuple(make_metrics(["rouge1"])))
    plan = prepare(work, find_inputs(str(file)), folder / "changed", Planner(None, PER), place)
    file.write_text(file.read_text().replace("A single word", "A simple word"))
    compute(plan, place)


def is_map_worker(process: psutil.Process, cluster) -> bool:
    """Whether a process is an actor of Ray Data that belongs to our cluster."""
    return "MapWorker" in " ".join(process.info["cmdline"] or ()) and any(
        str(cluster.head_node.get_session_dir_path()) in " ".join(parent.cmdline()) for parent in process.parents()
    )


@pytest.mark.process
@pytest.mark.timeout(600)
def test_a_run_goes_on_where_it_was_interrupted_or_killed(tmp_path: Path) -> None:
    """The process that began the run, which has a Ray of its own: what it started ends with it."""
    many = tmp_path / "many.jsonl"
    lines = [json.loads(line) for line in DEMO.read_text().splitlines()]
    copies = [{**line, "id": f"{copy}-{line['id']}"} for copy in range(10) for line in lines]
    many.write_text("".join(json.dumps(line) + "\n" for line in copies))
    folder = tmp_path / "out"
    command = [sys.executable, "-m", "relevance", "score", many, "--metrics", "rouge1", "--on", "ray", "--workers", "1"]
    command += ["--shard-documents", "1", "-o", f"{folder}/"]
    done = 0
    for number in (signal.SIGINT, signal.SIGKILL):
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            mine = psutil.Process(process.pid)
            until(lambda before=done: len(list(folder.glob("part-*"))) > before, "a shard of this run")
            children = mine.children(recursive=True)
            process.send_signal(number)
            notes = process.stderr.read()
        assert process.returncode == (1 if number == signal.SIGINT else -signal.SIGKILL)
        assert ("and the same command continues from there" in notes) == (number == signal.SIGINT)
        # Ray's agents look only now and then whether their parent is there
        assert not psutil.wait_procs(children, timeout=5 * PATIENCE)[1]
        done = len(list(folder.glob("part-*")))
        assert 0 < done < 240
        assert not is_sharded(folder)
    scored(folder, str(many), Here(), "rouge1")
    scored(tmp_path / "plain", str(many), Here(), "rouge1")
    assert contents(folder) == contents(tmp_path / "plain")
