import os
import subprocess
import sys
import time
from operator import truediv
from pathlib import Path

import pytest

from relevance.processes.mapping import map_in_processes
from tests.waiting import PATIENCE, until

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]


def is_running(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.smoke
@pytest.mark.parametrize("processes", [0, 1, 3])
def test_results_come_in_order(processes):
    with map_in_processes(processes) as each:
        assert list(each(divmod, range(20), [3] * 20)) == [divmod(n, 3) for n in range(20)]
        assert list(each(abs, [])) == []
        assert list(each(abs, (n for n in (-1, 2)))) == [1, 2]  # the same processes may be asked again


def test_processes_are_started_as_they_are_needed_and_end_with_the_block():
    with map_in_processes(3) as each:
        first = set(each(pid, [0]))
        assert os.getpid() not in first
        several = set(each(pid, [0.2] * 8))
        assert first < several
        assert 2 <= len(several) <= 3
        assert all(map(is_running, several))
    assert not any(map(is_running, several))


def pid(seconds):
    time.sleep(seconds)
    return os.getpid()


def exists(file):
    """Wait until there is a file."""
    until(file.exists)
    return True


def test_who_waits_hears_of_it_and_may_stop(tmp_path):
    ticks = []

    def tick():
        ticks.append(len(ticks))
        if len(ticks) == 2:
            (tmp_path / "twice").touch()

    with map_in_processes(1, tick) as each:
        assert list(each(exists, [tmp_path / "twice"])) == [True]

    def stop():
        raise KeyboardInterrupt

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt), map_in_processes(2, stop) as each:
        list(each(time.sleep, [2 * PATIENCE] * 2))
    assert time.monotonic() - started < PATIENCE


def test_an_error_comes_after_the_results_before_it():
    with map_in_processes(2) as each:
        results = each(truediv, [4, 1], [2, 0])
        assert next(results) == 2.0
        with pytest.raises(ZeroDivisionError) as raised:
            next(results)
    assert "function(*arguments)" in raised.value.__notes__[0]  # where it was raised


def test_what_cannot_be_sent_back_is_said():
    with pytest.raises(RuntimeError, match="cannot be sent"), map_in_processes(1) as each:
        list(each(open, [__file__]))


@pytest.mark.smoke
def test_a_child_that_ends_is_missed():
    with pytest.raises(ChildProcessError, match="exit code 3"), map_in_processes(1) as each:
        list(each(os._exit, [3]))
    with map_in_processes(1) as each:
        (child,) = each(pid, [0])
        os.kill(child, 9)
        with pytest.raises(ChildProcessError, match="signal 9, SIGKILL; is there too little memory"):
            list(each(pid, [0]))


def test_standard_output_of_children_is_kept_clean():
    script = (
        "import os\n"
        "from relevance.processes.mapping import map_in_processes\n"
        "with map_in_processes(2) as each:\n"
        "    print(sum(each(os.write, [1] * 4, [b'stray'] * 4)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("20\n", "stray" * 4)


def test_children_do_not_import_the_main_module(tmp_path):
    """Streamlit makes the page that is being drawn the main module: it must not be drawn again in every child."""
    script = tmp_path / "script.py"
    script.write_text(
        "print('main module')\nfrom relevance.processes.mapping import map_in_processes\n"
        "with map_in_processes(1) as each:\n    print(list(each(abs, [-1])))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment, check=True)
    assert (done.stdout, done.stderr) == ("main module\n[1]\n", "")


def test_children_end_when_their_parent_is_killed():
    script = (
        "import os, signal, time\n"
        "from tests.processes.test_mapping import pid\n"
        "from relevance.processes.mapping import map_in_processes\n"
        "with map_in_processes(1) as each:\n"
        "    print(*each(pid, [0]), flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == -9
    child = int(done.stdout)
    until(lambda: not is_running(child))
