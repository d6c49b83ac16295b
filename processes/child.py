"""Fresh interpreters beside this process: how they are started, end with it, and are said to have ended."""

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from signal import Signals
from typing import IO, Any

from relevance.data.environment import without_secrets

NOTHING_ELSE: Mapping[str, str] = {}


def start_python(
    *arguments: str,
    stdout: int,
    stderr: IO[bytes] | None = None,
    pass_fds: Sequence[int] = (),
    threads: int | None = None,
    environment: Mapping[str, str] = NOTHING_ELSE,
) -> subprocess.Popen[bytes]:
    """Start an interpreter with these arguments. Raises OSError.

    `environment` are variables beside those of this process, of which it gets no secrets; `threads` are those of its
    libraries, unless `OMP_NUM_THREADS` says otherwise. Its standard input is a pipe, whose end tells it that this
    process has ended (`end_with_parent`). With `-P` it imports nothing from the folder where it is started, such as a
    user's own `random.py`.
    """
    return subprocess.Popen(  # noqa: S603  our own modules
        [sys.executable, "-P", *arguments],
        env={**({} if threads is None else {"OMP_NUM_THREADS": str(threads)}), **without_secrets(**environment)},
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=stderr,
        pass_fds=pass_fds,
        start_new_session=True,  # Ctrl-C is for this process, which ends what it started
    )


def start_module(module: str, *arguments: str, **options: Any) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    """Start `python -m MODULE ARGUMENTS`; return the process and the file of its standard error. Raises OSError.

    `options` are those of `start_python`.
    """
    log = tempfile.TemporaryFile()  # noqa: SIM115  whoever waits for the process closes it
    try:
        process = start_python("-m", module, *arguments, stderr=log, **options)
    except OSError:
        log.close()
        raise
    return process, log


def explain_exit(code: int, log: IO[bytes] | None = None) -> str:
    """Explain an exit code, with the last line of standard error where there is a file of it."""
    if code < 0:
        lack = "; is there too little memory?" if code == -Signals.SIGKILL else ""
        return f" (signal {-code}, {Signals(-code).name}{lack})"
    lines = []
    if log is not None:
        log.seek(0)
        lines = log.read().decode(errors="replace").strip().splitlines()
    return f": {lines[-1]}" if lines else f" (exit code {code})"


def end_with_parent(before: Callable[[], object] = lambda: None) -> None:
    """End this process, after a call of `before`, when the one that started it has ended."""

    def watch() -> None:
        os.read(0, 1)  # which returns when its other end is closed
        before()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
