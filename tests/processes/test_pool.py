"""The pool computes each call once, for whoever waits, and nothing for nobody."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from relevance.processes import pool as module
from relevance.processes.pool import Call, Job, Pool
from tests.waiting import PATIENCE, until


@pytest.fixture
def pool() -> Iterator[Pool]:
    pool = Pool(1)
    yield pool
    pool.end()


def call(function: str, *arguments: Any) -> Call:
    return Call("tests.pages.slow_work", function, tuple(map(str, arguments)))


def result_of(pool: Pool, job: Job) -> Any:
    assert job.over.wait(PATIENCE)
    pool.leave(job)
    return job.result()


def test_a_call_is_carried_out_once_and_its_result_kept(pool: Pool, tmp_path: Path) -> None:
    jobs = [pool.join(call("count_call", tmp_path / "calls")) for _ in range(3)]
    assert [result_of(pool, job) for job in jobs] == [1, 1, 1]
    assert result_of(pool, pool.join(call("count_call", tmp_path / "calls"))) == 1
    assert result_of(pool, pool.join(call("count_call", tmp_path / "others"))) == 1


def test_the_oldest_results_are_forgotten(pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", 2)
    for name in "abc":
        assert result_of(pool, pool.join(call("count_call", tmp_path / name))) == 1
    assert result_of(pool, pool.join(call("count_call", tmp_path / "c"))) == 1
    assert result_of(pool, pool.join(call("count_call", tmp_path / "a"))) == 2


def test_what_failed_is_raised_and_tried_again(pool: Pool, tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(ValueError, match="it is refused"):
            result_of(pool, pool.join(call("refuse", "it")))
    with pytest.raises(ChildProcessError, match="exit code 3"):
        result_of(pool, pool.join(call("die", tmp_path / "dead")))
    assert result_of(pool, pool.join(call("die", tmp_path / "dead")))


def test_what_nobody_waits_for_is_not_begun(pool: Pool, tmp_path: Path) -> None:
    first = pool.join(call("wait_for_file", tmp_path / "go"))
    until((tmp_path / "go.begun").exists)
    waiting = pool.join(call("count_call", tmp_path / "calls"))
    assert pool.count_waiting() == 1
    pool.leave(waiting)
    assert pool.count_waiting() == 0
    (tmp_path / "go").touch()
    result_of(pool, first)
    assert result_of(pool, pool.join(call("count_call", tmp_path / "others"))) == 1
    assert not (tmp_path / "calls").exists()


def test_a_process_that_works_for_nobody_is_ended_when_it_is_needed(pool: Pool, tmp_path: Path) -> None:
    left = pool.join(call("wait_for_file", tmp_path / "never"))
    until((tmp_path / "never.begun").exists)
    pool.leave(left)
    assert not left.over.wait(0.3)  # somebody may come back
    assert result_of(pool, pool.join(call("count_call", tmp_path / "calls"))) == 1
    with pytest.raises(ChildProcessError, match="given up"):
        left.result()


def test_whoever_comes_back_waits_for_what_is_under_way(pool: Pool, tmp_path: Path) -> None:
    left = pool.join(call("wait_for_file", tmp_path / "go"))
    until((tmp_path / "go.begun").exists)
    pool.leave(left)
    again = pool.join(call("wait_for_file", tmp_path / "go"))
    assert again is left
    (tmp_path / "go").touch()
    assert result_of(pool, again)


def test_what_is_held_is_begun_unless_its_time_is_over(pool: Pool, tmp_path: Path) -> None:
    first = pool.join(call("wait_for_file", tmp_path / "go"))
    until((tmp_path / "go.begun").exists)
    held = pool.hold(call("count_call", tmp_path / "held"), PATIENCE)
    forgotten = pool.hold(call("count_call", tmp_path / "forgotten"), 0.01)
    until(lambda: not forgotten.wanted)
    (tmp_path / "go").touch()
    result_of(pool, first)
    assert held.over.wait(PATIENCE)
    assert held.result() == 1
    assert forgotten.over.wait(PATIENCE)
    assert forgotten.given_up
    assert not (tmp_path / "forgotten").exists()
