"""A hosted server starts with a secret, an address and an owner of its own, or not at all."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine
from streamlit import config
from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.session_manager import SessionManager
from streamlit.web.server.starlette import starlette_websocket

from relevance.app import SETTINGS, check_binding, list_options, set_up_streamlit
from relevance.data.database import UnusableDatabase, check_writable, connect
from relevance.hosting.accounts import AccountStore
from relevance.hosting.gate import HEADER
from relevance.hosting.settings import BadSettings, checked_url, read_settings
from tests.conftest import ROOT, statement
from tests.driving import SECRET, free_port, serving
from tests.hosting.house import PASSWORD, House
from tests.hosting.tabs import Tab
from tests.waiting import PATIENCE

GOOD = {"RELEVANCE_SECRET": SECRET, "RELEVANCE_PUBLIC_URL": "https://relevance.example.org"}

BAD: dict[str, tuple[dict[str, str], str]] = {
    "no secret": ({"RELEVANCE_SECRET": ""}, "RELEVANCE_SECRET needs at least 32 bytes"),
    "a short secret": ({"RELEVANCE_SECRET": SECRET[:31]}, "RELEVANCE_SECRET needs at least 32 bytes"),
    "blanks": ({"RELEVANCE_SECRET": " " * 64}, "RELEVANCE_SECRET is not a random text"),
    "one letter": ({"RELEVANCE_SECRET": "a" * 64}, "RELEVANCE_SECRET is not a random text"),
    "digits in order": ({"RELEVANCE_SECRET": "0123456789" * 5}, "RELEVANCE_SECRET is not a random text"),
    "one that is to be changed": ({"RELEVANCE_SECRET": f"ChangeMe-{SECRET}"}, "RELEVANCE_SECRET is not a random text"),
    "one of an example": ({"RELEVANCE_SECRET": f"my-example-{SECRET}"}, "RELEVANCE_SECRET is not a random text"),
    "the token of a guide": (
        {"RELEVANCE_METRICS_TOKEN": f"{SECRET}-password"},
        "RELEVANCE_METRICS_TOKEN is not a random text",
    ),
    "a short token": ({"RELEVANCE_METRICS_TOKEN": "short"}, "RELEVANCE_METRICS_TOKEN needs at least 32 bytes"),
    "no address": ({"RELEVANCE_PUBLIC_URL": ""}, "set RELEVANCE_PUBLIC_URL"),
    "no scheme": ({"RELEVANCE_PUBLIC_URL": "relevance.example.org"}, "set RELEVANCE_PUBLIC_URL"),
    "a path": ({"RELEVANCE_PUBLIC_URL": "https://example.org/relevance"}, "set RELEVANCE_PUBLIC_URL"),
    "a bad port": ({"RELEVANCE_PUBLIC_URL": "https://example.org:port"}, "RELEVANCE_PUBLIC_URL is not an address"),
    "no TLS": ({"RELEVANCE_PUBLIC_URL": "http://example.org"}, "must begin with https://"),
    "a name like this machine's": (
        {"RELEVANCE_PUBLIC_URL": "http://localhost.example.org"},
        "must begin with https://",
    ),
    "a proxy's name": ({"RELEVANCE_PROXY": "proxy"}, "must be the IP address"),
    "every proxy": ({"RELEVANCE_PROXY": "*"}, "must be the IP address"),
    "half a provider": ({"RELEVANCE_OIDC_ISSUER": "https://id.example.org"}, "belong together"),
}
"""Settings with which no server starts, and what is said."""


@pytest.mark.parametrize("what", BAD)
def test_settings_that_are_refused(what: str) -> None:
    settings, text = BAD[what]
    with pytest.raises(BadSettings, match=re.escape(text)):
        read_settings(GOOD | settings)
    read_settings(GOOD)


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("https://Relevance.Example.org/", "https://relevance.example.org"),
        ("https://relevance.example.org:443", "https://relevance.example.org"),
        ("https://relevance.example.org:8443", "https://relevance.example.org:8443"),
        ("http://localhost:80", "http://localhost"),
        ("http://[::1]:8501", "http://[::1]:8501"),
    ],
)
def test_the_address_is_as_browsers_write_it(given: str, address: str) -> None:
    assert checked_url(given) == address


def start(database_url: str, settings: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Start a hosted server that is to refuse."""
    arguments = ("-m", "relevance", "serve", "--hosted", "--port", str(free_port()))
    return run(*arguments, **{"RELEVANCE_DATABASE_URL": database_url} | settings)


def run(*arguments: str, folder: Path = ROOT, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run Python with these settings and no others until it ends."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RELEVANCE_")}
    command, environment = [sys.executable, *arguments], kept | settings
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


@pytest.mark.process
@pytest.mark.parametrize("what", ["no secret", "a short secret", "one letter", "no TLS"])
def test_a_server_that_is_refused_does_not_listen(sqlite_url: str, what: str) -> None:
    settings, text = BAD[what]
    ended = start(sqlite_url, GOOD | settings)
    assert ended.returncode == 2
    assert text in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert ended.stdout == ""  # where it listens is said here
    if settings.get("RELEVANCE_SECRET"):
        assert settings["RELEVANCE_SECRET"] not in ended.stderr


@pytest.mark.smoke
@pytest.mark.process
def test_a_server_without_an_owner_does_not_start(sqlite_url: str) -> None:
    ended = start(sqlite_url, GOOD)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "the server has no owner; add one with relevance user add NAME --role owner" in ended.stderr


@pytest.mark.process
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_server_over_a_database_that_is_only_read_does_not_start(database_url: str) -> None:
    engine = connect(database_url)
    AccountStore(engine).add_user(name="Olga", role="owner", email="olga@lab.example")
    name = engine.url.database
    statement(database_url, f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    engine.dispose()
    ended = start(database_url, GOOD)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "the database cannot be written (cannot execute" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_file_that_is_only_read_cannot_be_written(sqlite_url: str) -> None:
    file = sqlite_url.removeprefix("sqlite:///")
    engine = create_engine(f"sqlite:///file:{file}?mode=ro&uri=true")
    with pytest.raises(UnusableDatabase, match=r"cannot be written \(attempt to write a readonly database\)"):
        check_writable(engine)
    engine.dispose()
    check_writable(connect(sqlite_url))


@pytest.mark.process
def test_settings_of_the_example_do_not_start_a_server(sqlite_url: str) -> None:
    lines = (ROOT / "deploy" / "env.example").read_text(encoding="utf-8").splitlines()
    example = dict(line.removeprefix("#").split("=", 1) for line in lines if re.match("#?RELEVANCE_", line))
    assert {"RELEVANCE_SECRET", "RELEVANCE_METRICS_TOKEN"} <= example.keys()
    for made in (example, {name: value or name.lower() * 3 for name, value in example.items()}):
        with pytest.raises(BadSettings, match="RELEVANCE_SECRET"):
            read_settings(made)


@pytest.mark.process
@pytest.mark.parametrize("what", ["no secret", "a short secret"])
def test_the_app_itself_is_refused_however_it_is_served(sqlite_url: str, what: str) -> None:
    """By another program than `relevance serve`, such as uvicorn."""
    settings, text = BAD[what]
    hosted = GOOD | settings | {"RELEVANCE_HOSTED": "1", "RELEVANCE_DATABASE_URL": sqlite_url}
    ended = run("-c", "import relevance.app", **hosted)
    assert ended.returncode == 1
    assert f"BadSettings: {text}" in ended.stderr


# --- what the gate needs of Streamlit -----------------------------------------------------------------------


@pytest.fixture
def trusting() -> Iterator[None]:
    """Streamlit, told as a hosted server tells it whose header to trust."""
    config.set_option("server.trustedUserHeaders", {HEADER: "sign_in"})
    yield
    config.set_option("server.trustedUserHeaders", {})


def nothing(*_: object, **__: object) -> dict[str, Any]:
    return {}


@pytest.mark.usefixtures("trusting")
@pytest.mark.parametrize(
    ("where", "name"),
    [
        (starlette_websocket, "gather_user_info"),
        (Runtime, "media_file_mgr"),
        (Runtime, "__init__"),
        (SessionManager, "get_session_info"),
        (AppSession, "matches_user_info"),
        (MediaFileManager, "__init__"),
    ],
    ids=lambda part: getattr(part, "__name__", part),
)
def test_a_streamlit_that_does_not_say_whose_a_page_is(
    monkeypatch: pytest.MonkeyPatch, where: object, name: str
) -> None:
    check_binding(HEADER)
    if name == "__init__":  # which makes what is called private
        monkeypatch.setattr(where, name, lambda *_: None)
    else:
        monkeypatch.delattr(where, name)
    with pytest.raises(BadSettings, match=r"does not bind sessions to who is signed in; install the version"):
        check_binding(HEADER)


def test_a_streamlit_that_does_not_know_the_option() -> None:
    with pytest.raises(BadSettings, match="does not bind sessions"):
        check_binding(HEADER)


ANOTHER_STREAMLIT = """
import sys
from streamlit.runtime.app_session import AppSession
del AppSession.matches_user_info
from relevance.cli import main
main(["serve", "--hosted", "--port", sys.argv[1]])
"""


@pytest.mark.process
def test_a_server_with_another_streamlit_does_not_start(sqlite_url: str) -> None:
    add_owner(sqlite_url)
    ended = run("-c", ANOTHER_STREAMLIT, str(free_port()), **GOOD, RELEVANCE_DATABASE_URL=sqlite_url)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "does not bind sessions to who is signed in" in ended.stderr


@pytest.mark.process
def test_what_streamlit_is_told_elsewhere_opens_nothing(sqlite_url: str, tmp_path: Path) -> None:
    """A configuration in the home of whoever starts the server switches no protection off."""
    add_owner(sqlite_url)
    (tmp_path / ".streamlit").mkdir()
    careless = "[server]\nenableXsrfProtection = false\nenableCORS = false\n"
    (tmp_path / ".streamlit" / "config.toml").write_text(careless)
    house = House(connect(sqlite_url))
    with serving(sqlite_url, hosted=True, HOME=str(tmp_path)) as house.url:
        token = house.sign_in("Olga")
        with Tab(house.url, token) as tab, house.client(token, Origin="https://evil.example") as client:
            tab.open()
            file = {"files": ("a.txt", b"text")}
            assert client.put(f"/_stcore/upload_file/{tab.session}/file", files=file).status_code == 403
            assert "access-control-allow-origin" not in client.get("/_stcore/health").headers


SHOW_OPTIONS = """
import relevance.app
from streamlit import config
print({name: config.get_option(name) for name, _ in relevance.app.list_options(relevance.app.tomllib.loads(
    relevance.app.SETTINGS.read_text()))})
"""


@pytest.mark.process
def test_streamlit_has_our_options_wherever_it_is_started(sqlite_url: str, tmp_path: Path) -> None:
    """Another program's folder, another home and the environment say otherwise."""
    ours = dict(list_options(tomllib.loads(SETTINGS.read_text())))
    assert ours["client.showErrorDetails"] == "none"
    (tmp_path / ".streamlit").mkdir()
    careless = "[client]\nshowErrorDetails = 'full'\n[theme]\nprimaryColor = '#ff0000'\n"
    (tmp_path / ".streamlit" / "config.toml").write_text(careless)
    text = {"RELEVANCE_DATABASE_URL": sqlite_url, "STREAMLIT_CLIENT_TOOLBAR_MODE": "developer", "HOME": str(tmp_path)}
    ended = run("-P", "-c", SHOW_OPTIONS, folder=tmp_path, **text)
    assert ended.returncode == 0, ended.stderr
    assert ast.literal_eval(ended.stdout) == ours


@pytest.mark.parametrize("option", ["client.showNoErrors", "theme.dark.shade"])
def test_a_streamlit_without_one_of_our_options_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, option: str
) -> None:
    settings = tmp_path / "config.toml"
    settings.write_text(f"{option} = 1\n")
    monkeypatch.setattr("relevance.app.SETTINGS", settings)
    with pytest.raises(BadSettings, match=f"has no option {option}; install the version that constraints.txt names"):
        set_up_streamlit()


def add_owner(url: str) -> None:
    engine = connect(url)
    House(engine).accounts.add_user(name="Olga", role="owner", password=PASSWORD)
    engine.dispose()
