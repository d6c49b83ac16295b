"""Accounts of a hosted server: add, list, disable, enable, change a password."""

import sys
from datetime import datetime

import click

from cli.printing import print_table
from cli.shared import Refused, open_stores, report_refusals, tell
from hosting.accounts import AccountStore

password_option = click.option(
    "--password-stdin", is_flag=True, help="Read the password from standard input, a line; else it is asked for."
)


@click.group()
def user() -> None:
    """Look after the accounts of a hosted server."""


@user.command("add")
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(["owner", "researcher"]),
    required=True,
    help="An owner may do everything; a researcher makes studies, and sees those of which they are a member.",
)
@click.option("--email", help="Address by which the lab's OpenID Connect provider knows the person.")
@click.option("--no-password", is_flag=True, help="With --email: only the provider's sign-in opens the account.")
@password_option
@report_refusals
def add_user(name: str, role: str, email: str | None, no_password: bool, password_stdin: bool) -> None:
    """Add the account NAME."""
    if no_password and password_stdin:
        raise click.UsageError("--no-password and --password-stdin exclude each other")
    if no_password and not email:
        raise click.UsageError("--no-password needs --email: else nothing opens the account")
    store = open_accounts()
    password = None if no_password else ask_password(stdin=password_stdin)
    added = store.add_user(name=name, role=role, email=email, password=password)
    tell(f"added the {added.role} {added.name}")


@user.command("list")
@report_refusals
def list_users() -> None:
    """List the accounts."""
    print_table(
        ["account", "role", "email", "last seen (UTC)", "state"],
        [
            (one.name, one.role, one.email, in_minutes(one.seen_at), "disabled" if one.disabled_at else "active")
            for one in open_accounts().users()
        ],
    )


@user.command("disable")
@click.argument("name")
@report_refusals
def disable_user(name: str) -> None:
    """Close the account NAME, and sign it out everywhere. What it made stays."""
    open_accounts().disable(name)
    tell(f"{name} is disabled")


@user.command("enable")
@click.argument("name")
@report_refusals
def enable_user(name: str) -> None:
    """Open the account NAME again."""
    open_accounts().disable(name, disabled=False)
    tell(f"{name} is active")


@user.command("password")
@click.argument("name")
@password_option
@report_refusals
def change_password(name: str, password_stdin: bool) -> None:
    """Give the account NAME another password, and sign it out everywhere."""
    store = open_accounts()
    store.user(name)  # or one would type a password for nobody
    store.set_password(name, ask_password(stdin=password_stdin))
    tell(f"{name} has another password")


def open_accounts() -> AccountStore:
    """The accounts in the database, its schema brought up to date."""
    try:
        import argon2  # noqa: F401
    except ModuleNotFoundError as error:
        raise Refused(f"{error.name} is not installed: pip install 'relevance[hosted]'") from error
    data_store, _ = open_stores()
    return AccountStore(data_store.engine)


def ask_password(*, stdin: bool) -> str:
    """A password that is typed twice, unseen, or the first line of standard input; never an argument."""
    if not stdin:
        typed: str = click.prompt("Password", hide_input=True, confirmation_prompt="The same again", err=True)
        return typed
    line = sys.stdin.readline().rstrip("\r\n")
    if not line:
        raise Refused("standard input has no password in its first line")
    return line


def in_minutes(moment: datetime | None) -> str | None:
    """A time as the list shows it."""
    return None if moment is None else f"{moment:%Y-%m-%d %H:%M}"
