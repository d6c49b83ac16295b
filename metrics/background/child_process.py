"""Child processes that run a module of ours beside the web server."""

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from signal import Signals
from typing import IO


def start_module(
    module: str, *arguments: str, environment: Mapping[str, str], stdout: int
) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    """Start `python -m MODULE ARGUMENTS`; return the process and the file of its standard error. Raises OSError.

    Its standard input is a pipe, whose end tells the process that this one has ended. With `-P`
    it imports nothing from the folder where it is started, such as a user's own `random.py`.
    """
    log = tempfile.TemporaryFile()  # noqa: SIM115  whoever waits for the process closes it
    try:
        process = subprocess.Popen(  # noqa: S603  our own modules
            [sys.executable, "-P", "-m", module, *arguments],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=stdout,
            stderr=log,
            start_new_session=True,  # a Ctrl-C is for the server, which ends what it started
        )
    except OSError:
        log.close()
        raise
    return process, log


def explain_exit(code: int, log: IO[bytes]) -> str:
    """Explain an exit code, with the last line of standard error."""
    if code < 0:
        lack = "; is there too little memory?" if code == -Signals.SIGKILL else ""
        return f" (signal {-code}, {Signals(-code).name}{lack})"
    log.seek(0)
    lines = log.read().decode(errors="replace").strip().splitlines()
    return f": {lines[-1]}" if lines else f" (exit code {code})"
