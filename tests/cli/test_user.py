"""The accounts of a hosted server on the command line."""

import pytest
from click.testing import CliRunner, Result

from relevance import cli
from relevance.data.database import connect
from relevance.data.one_line import INVISIBLE
from relevance.hosting.accounts import AccountStore, password_is_right
from relevance.hosting.sign_ins import SignInStore, digest_of
from tests.commands import refused, run
from tests.hostile import TEXTS

PASSWORD = "plum-otter-bicycle"


@pytest.fixture
def accounts(sqlite_url: str) -> AccountStore:
    return AccountStore(connect(sqlite_url))


def typed(*arguments: str, text: str, code: int = 0) -> Result:
    result = CliRunner().invoke(cli.main, list(arguments), input=text)
    assert result.exit_code == code, result.output
    assert PASSWORD not in result.output
    return result


def opens(accounts: AccountStore, name: str, password: str) -> bool:
    result = accounts.password_of(name)
    return result is not None and password_is_right(password, result[1])


def test_a_password_is_typed_twice_and_never_shown(accounts: AccountStore) -> None:
    result = typed("user", "add", "olga", "--role", "owner", text=f"{PASSWORD}\n{PASSWORD}\n")
    assert result.stdout == "added the owner olga\n"
    assert "Password" in result.stderr
    assert opens(accounts, "olga", PASSWORD)
    result = typed("user", "add", "otto", "--role", "owner", text=f"{PASSWORD}\nanother-password\n", code=1)
    assert "do not match" in result.stderr
    assert [user.name for user in accounts.users()] == ["olga"]


def test_a_password_is_read_from_standard_input(accounts: AccountStore) -> None:
    typed("user", "add", "ann", "--role", "researcher", "--password-stdin", text=f"{PASSWORD}\r\nignored\n")
    assert opens(accounts, "ann", PASSWORD)
    for text, why in (("", "no password"), ("\n", "no password"), ("short\n", "12 to 200 characters")):
        result = typed("user", "add", "ben", "--role", "researcher", "--password-stdin", text=text, code=2)
        assert why in result.stderr
    assert not accounts.password_of("ben")


def test_an_address_alone_opens_an_account(accounts: AccountStore) -> None:
    run("user", "add", "ann", "--role", "researcher", "--email", "Ann@example.org", "--no-password")
    assert accounts.user("ann").email == "ann@example.org"
    assert accounts.password_of("ann") is None


def test_the_list_says_who_is_there_and_was(accounts: AccountStore) -> None:
    for name, role in (("olga", "owner"), ("ann", "researcher")):
        accounts.add_user(name=name, role=role, email=f"{name}@example.org")
    SignInStore(accounts.engine).sign_in(user_id=accounts.user("olga").id)
    accounts.disable("ann")
    seen = accounts.user("olga").seen_at
    assert [line.split() for line in run("user", "list").stdout.splitlines()] == [
        ["account", "role", "email", "last", "seen", "(UTC)", "state"],
        ["ann", "researcher", "ann@example.org", "-", "disabled"],
        ["olga", "owner", "olga@example.org", *f"{seen:%Y-%m-%d %H:%M}".split(), "active"],
    ]


def test_disabled_and_enabled(accounts: AccountStore) -> None:
    accounts.add_user(name="olga", role="owner", email="olga@example.org")
    user = accounts.add_user(name="ann", role="researcher", password=PASSWORD)
    digest = digest_of(SignInStore(accounts.engine).sign_in(user_id=user.id))
    assert run("user", "disable", "ann").stdout == "ann is disabled\n"
    assert not SignInStore(accounts.engine).is_live(digest)
    assert not opens(accounts, "ann", PASSWORD)
    assert run("user", "enable", "ann").stdout == "ann is active\n"
    assert opens(accounts, "ann", PASSWORD)
    assert refused("user", "disable", "olga") == "'olga' is the only owner; add another one first"


def test_another_password(accounts: AccountStore) -> None:
    user = accounts.add_user(name="ann", role="researcher", password="before-it-was-changed")
    digest = digest_of(SignInStore(accounts.engine).sign_in(user_id=user.id))
    result = typed("user", "password", "ann", "--password-stdin", text=f"{PASSWORD}\n")
    assert result.stdout == "ann has a new password\n"
    assert opens(accounts, "ann", PASSWORD)
    assert not SignInStore(accounts.engine).is_live(digest)
    typed("user", "password", "ann", text=f"{PASSWORD}1\n{PASSWORD}1\n")
    assert opens(accounts, "ann", f"{PASSWORD}1")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["add", "ann", "--role", "annotator"], "'annotator' is not one of"),
        (["add", "ann", "--role", "owner", "--no-password"], "needs --email"),
        (
            ["add", "ann", "--role", "owner", "--no-password", "--password-stdin", "--email", "a@b"],
            "exclude each other",
        ),
        (["add", "a\nb", "--role", "owner", "--email", "a@b", "--no-password"], "1 to 200 printable characters"),
        (["add", "ann", "--role", "owner", "--email", "a", "--no-password"], "not an email address"),
        (["password", "nobody"], "there is no account 'nobody'"),
        (["disable", "nobody"], "there is no account 'nobody'"),
        (["enable", "nobody"], "there is no account 'nobody'"),
    ],
)
def test_what_is_refused(accounts: AccountStore, arguments: list[str], why: str) -> None:
    assert why in refused("user", *arguments)
    assert accounts.users() == []


def test_names_that_are_commands_to_a_terminal(accounts: AccountStore) -> None:
    """Taken or refused in one line, and listed in one, whatever they are to whoever reads them."""
    taken = 0
    for text in TEXTS:
        name = text.encode(errors="replace").decode()
        options = ("--role", "researcher", "--no-password", "--email", f"{taken}@example.org")
        result = CliRunner().invoke(cli.main, ["user", "add", *options, "--", name])
        stdout = result.stdout if result.exit_code == 0 else result.stderr
        assert result.exit_code in {0, 2}, text
        assert "Traceback" not in result.output
        assert stdout.count("\n") == 1
        assert INVISIBLE.search(stdout.rstrip("\n")) is None
        taken += result.exit_code == 0
    assert taken >= 60
    listed = run("user", "list").stdout.splitlines()
    assert len(listed) == taken + 1
    assert INVISIBLE.search("".join(listed)) is None
