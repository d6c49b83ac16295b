"""The accounts of a hosted server: add, list, disable, enable, change a password, unlock, unbind."""

import sys

import click

from relevance.cli.printing import print_table
from relevance.cli.shared import Refused, open_stores, report_refusals, tell
from relevance.data.distribution import how_to_install
from relevance.hosting.accounts import AccountStore, account_key
from relevance.hosting.attempts import AttemptStore

password_option = click.option(
    "--password-stdin", is_flag=True, help="Read the password from the first line of standard input."
)


@click.group()
def user() -> None:
    """Manage the accounts of a hosted server."""


@user.command("add")
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(["owner", "researcher"]),
    required=True,
    help="An owner may do everything; a researcher creates studies, and sees those that they are a member of.",
)
@click.option("--email", help="Person's address at the lab's OpenID Connect provider.")
@click.option("--no-password", is_flag=True, help="With --email: allow only the provider's sign-in.")
@password_option
@report_refusals
def add_user(name: str, role: str, email: str | None, no_password: bool, password_stdin: bool) -> None:
    """Add the account NAME."""
    if no_password and password_stdin:
        raise click.UsageError("--no-password and --password-stdin exclude each other")
    if no_password and not email:
        raise click.UsageError("--no-password needs --email: otherwise nobody could sign in")
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
            (
                account.name,
                account.role,
                account.email,
                None if account.seen_at is None else f"{account.seen_at:%Y-%m-%d %H:%M}",
                "disabled" if account.disabled_at else "active",
            )
            for account in open_accounts().users()
        ],
    )


@user.command("disable")
@click.argument("name")
@report_refusals
def disable_user(name: str) -> None:
    """Disable the account NAME, and sign it out everywhere. Its studies and data stay."""
    open_accounts().disable(name)
    tell(f"{name} is disabled")


@user.command("enable")
@click.argument("name")
@report_refusals
def enable_user(name: str) -> None:
    """Enable the account NAME again."""
    open_accounts().disable(name, disabled=False)
    tell(f"{name} is active")


@user.command("password")
@click.argument("name")
@password_option
@report_refusals
def change_password(name: str, password_stdin: bool) -> None:
    """Change the password of the account NAME, and sign it out everywhere."""
    store = open_accounts()
    store.user(name)  # before a password is typed for nobody
    store.set_password(name, ask_password(stdin=password_stdin))
    tell(f"{name} has a new password")


@user.command("unbind")
@click.argument("name")
@report_refusals
def unbind_user(name: str) -> None:
    """Let another person of the lab's provider have the account NAME: whoever comes next with its email address."""
    open_accounts().unbind(name)
    tell(f"{name} is signed out, and belongs to whoever comes next with its email address")


@user.command("unlock")
@click.argument("name")
@report_refusals
def unlock_user(name: str) -> None:
    """Forget wrong guesses at the password of the account NAME, after so many that nobody new may sign in."""
    store = open_accounts()
    AttemptStore(store.engine).forget(account_key(store.user(name).name))
    tell(f"{name} can sign in from anywhere again")


def open_accounts() -> AccountStore:
    """Open the accounts in the database, after bringing its schema up to date."""
    try:
        import argon2  # noqa: F401
    except ModuleNotFoundError as error:
        raise Refused(f"{error.name} is not installed: {how_to_install('hosted')}") from error
    data_store, _ = open_stores()
    return AccountStore(data_store.engine)


def ask_password(*, stdin: bool) -> str:
    """Read a password, typed twice and unseen, or from the first line of standard input; never from an argument."""
    if not stdin:
        typed: str = click.prompt("Password", hide_input=True, confirmation_prompt="Repeat the password", err=True)
        return typed
    line = sys.stdin.readline().rstrip("\r\n")
    if not line:
        raise Refused("standard input has no password in its first line")
    return line
