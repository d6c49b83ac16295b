"""Backups: make one, restore one."""

from pathlib import Path

import click

from relevance.cli.shared import FILE, check_output, find_new_file, report_refusals, tell
from relevance.data import backup as backups
from relevance.data.database import database_url
from relevance.data.places import make_folder_of


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@report_refusals
def backup(file: Path, force: bool) -> None:
    """Write all data sets, studies and judgments to FILE, while people judge.

    The file is checked before it gets its name. Keep it private: it contains the links of annotators.
    """
    make_folder_of(file)  # where a database of the environment is moved to
    check_output(file, [])
    made = backups.back_up(database_url(), file, force=force)
    tell(f"wrote {file}: {made.judgments} judgments, {made.size / 1e6:.1f} MB, schema {made.schema}")


@click.command()
@click.argument("file", type=FILE)
@click.option("--force", is_flag=True, help="Replace a database that has judgments.")
@report_refusals
def restore(file: Path, force: bool) -> None:
    """Replace the database by the backup in FILE.

    The backup is checked before anything is changed. An SQLite database is kept in a file beside the new one, and open
    pages continue with the restored data. With PostgreSQL everything in the database is replaced, in one transaction.
    Accounts and links are those of the backup: revoke again those revoked since. Accounts are signed out.
    """
    new = find_new_file()
    restored = backups.restore(database_url(), file, force=force)
    tell(f"restored {restored.judgments} judgments from {file}")
    if new is not None:
        tell(f"the new database is {new}")
    if restored.kept:
        tell(f"the previous database is kept as {restored.kept}")
