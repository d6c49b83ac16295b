"""Processes in which ten signed-in annotators judge as fast as they can, to be killed.

    python -m tests.hosting.faults.judging URL DIGEST...

Each line of standard input forks one, which takes no time to start: what it needs is imported. It writes its number
and then each assignment whose judgment was acknowledged; when it has ended, the signal that ended it is written.
"""

import os
import sys
import threading
import traceback
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import Engine
from sqlalchemy.orm import configure_mappers

from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect, now, schema_versions
from relevance.hosting.sign_ins import SignedIn


def say(line: object) -> None:
    os.write(1, f"{line}\n".encode())


def judge(engine: Engine, digest: str) -> None:
    """Judge until no pair is left; what fails ends the process."""
    try:
        store = AnnotationStore(engine, SignedIn(digest))
        annotator = store.own_annotator()
        assert annotator is not None
        while (task := store.next_task(annotator)) is not None:
            shown = now() - timedelta(seconds=1)
            store.judge(annotator=annotator, assignment_id=task.assignment_id, choice="left", presented_at=shown)
            say(task.assignment_id)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def judge_together(url: str, digests: Sequence[str]) -> None:
    """Open the database and judge, a thread for each annotator."""
    try:
        engine = connect(url)
        threads = [threading.Thread(target=judge, args=(engine, digest)) for digest in digests]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def main() -> None:
    schema_versions()  # imports Alembic
    configure_mappers()
    for _ in sys.stdin:
        process = os.fork()
        if not process:
            say(os.getpid())
            judge_together(sys.argv[1], sys.argv[2:])
        _, status = os.waitpid(process, 0)
        say(f"ended by {os.WTERMSIG(status)}")


if __name__ == "__main__":
    main()
