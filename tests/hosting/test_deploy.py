"""The files of `deploy/`, by the programs that read them."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect as connect_socket

from relevance.annotation.records import StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.demo import add_demo
from relevance.data.store import DataStore
from relevance.hosting.accounts import AccountStore
from relevance.hosting.settings import checked_url, read_settings
from tests.building import INSTALLATION, bare_environment, copy_source
from tests.conftest import ROOT, absent
from tests.driving import free_ports, wait_for
from tests.hosting.test_workers import SETTINGS, serving
from tests.waiting import PATIENCE, until

pytestmark = pytest.mark.process

DEPLOY = ROOT / "deploy"
PASSWORD = "correct horse battery"


def needed(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        absent(f"no {program}", f"apt-get install {program}")
    assert path is not None
    return path


@contextmanager
def proxied(port: int, workers: list[int], log: Path) -> Iterator[None]:
    """Caddy with the project's file, at a port of this machine."""
    server = subprocess.Popen(
        [needed("caddy"), "run", "--config", DEPLOY / "Caddyfile", "--adapter", "caddyfile"],
        env=os.environ
        | SETTINGS
        | {
            "RELEVANCE_PUBLIC_URL": f"http://127.0.0.1:{port}",
            "RELEVANCE_WORKERS": " ".join(f"127.0.0.1:{worker}" for worker in workers),
            "RELEVANCE_ACCESS_LOG": f"file {log}",
            "HOME": str(log.parent),
        },
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(lambda: is_up(f"http://127.0.0.1:{port}"), "Caddy", server)
        yield
    finally:
        server.terminate()
        server.wait(PATIENCE)


def is_up(url: str) -> bool:
    try:
        return httpx.get(f"{url}/sign-in").status_code == 200
    except httpx.HTTPError:
        return False


def sign_in(url: str, name: str = "Olga") -> httpx.Client:
    client = httpx.Client(base_url=url, headers={"origin": url})
    answer = client.post("/sign-in", data={"name": name, "password": PASSWORD})
    assert (answer.status_code, answer.headers["location"]) == (303, "/"), answer.text
    return client


def cookies_of(client: httpx.Client) -> str:
    return "; ".join(f"{cookie.name}={cookie.value}" for cookie in client.cookies.jar)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_caddy_before_two_workers(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = connect(database_url)
    AccountStore(engine).add_user(name="Olga", role="owner", password=PASSWORD)
    add_demo(DataStore(engine))
    study = DataStore(engine).datasets()[0].name
    AnnotationStore(engine).create_study(StudySpec(name="S", dataset=study, rule="random", count=2))
    token = AnnotationStore(engine).invite(study="S", name="Ann").token
    engine.dispose()
    port, log = free_ports(3), tmp_path / "access.log"
    url, workers = f"http://127.0.0.1:{port}", [port + 1, port + 2]
    monkeypatch.setitem(SETTINGS, "RELEVANCE_PUBLIC_URL", url)
    monkeypatch.setitem(SETTINGS, "RELEVANCE_PROXY", "127.0.0.1")
    with serving(database_url, port + 1), proxied(port, workers, log):
        client = sign_in(url)
        assert client.get("/", headers={"accept": "text/html"}).status_code == 200
        assert "relevance_worker" in client.cookies
        socket = url.replace("http", "ws") + "/_stcore/stream"
        with connect_socket(socket, origin=url, additional_headers={"cookie": cookies_of(client)}):  # type: ignore[arg-type]
            pass
        digest = {"x-relevance-sign-in": "0" * 64}
        assert httpx.get(f"{url}/_stcore/health", headers=digest).status_code == 401
        with httpx.Client(base_url=url, headers={"origin": url}) as annotator:
            assert "Go on" in annotator.get(f"/join/{token}").text
            assert annotator.post(f"/join/{token}").headers["location"] == "/annotate"
        until(lambda: log.read_text().count('"uri"') >= 6, "the lines of the log")
        text = log.read_text()
        for secret in (token, *(str(cookie.value) for cookie in client.cookies.jar), PASSWORD):
            assert secret not in text
        assert {json.loads(line)["request"]["method"] for line in text.splitlines()} == {"GET", "POST"}


def five_commands() -> list[str]:
    page = (ROOT / "docs" / "hosting.md").read_text()
    (block,) = re.findall(r"## In five commands.*?```sh[^\n]*\n(.*?)```", page, re.DOTALL)
    return str(block).splitlines()


def test_four_commands_put_it_behind_caddy(tmp_path: Path) -> None:
    """Those of docs/hosting.md behind the first one, which installs what runs this test."""
    put_behind_caddy(five_commands()[1:], tmp_path, Path(sys.executable).parent)


@pytest.mark.exhaustive
def test_five_commands_put_it_behind_caddy(on_disk: Path) -> None:
    """The first one makes an environment in a clone, from the package index."""
    install, *others = five_commands()
    clone = copy_source(on_disk / "clone")
    environment = bare_environment() | {"TMPDIR": str(on_disk)}
    subprocess.run(["bash", "-ec", install], cwd=clone, env=environment, check=True, timeout=INSTALLATION)
    put_behind_caddy(others, clone, clone / ".venv" / "bin")


def put_behind_caddy(commands: list[str], folder: Path, programs: Path) -> None:
    """Type the commands as an administrator does, at an address of this machine, and sign in."""
    settings, add, serve, proxy = commands
    needed("caddy")
    port = free_ports(2)
    url = f"http://127.0.0.1:{port}"
    script = [
        settings.replace("https://relevance.example.org", url),
        f"{add} --password-stdin <<< '{PASSWORD}'",
        serve.replace("--hosted", f"--hosted --port {port + 1}"),
        proxy.replace("sudo -E ", "exec ").replace("deploy/", f"{DEPLOY}/"),
    ]
    own = {
        "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
        "HOME": str(folder),
        "RELEVANCE_WORKERS": f"127.0.0.1:{port + 1}",
    }
    server = subprocess.Popen(
        ["bash", "-ec", "\n".join(script)],
        cwd=folder,
        env=bare_environment() | own,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_for(lambda: is_up(url), "Caddy", server)
        assert (folder / "server.env").stat().st_mode & 0o777 == 0o600
        assert (folder / ".local" / "share" / "relevance" / "relevance.db").is_file()
        assert httpx.get(url, headers={"accept": "text/html"}).headers["location"] == "/sign-in"
        client = sign_in(url, "olga")
        answer = client.get("/", headers={"accept": "text/html"})
        assert answer.status_code == 200
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(PATIENCE)
        until(lambda: not is_up(f"http://127.0.0.1:{port + 1}"), "the end of the server")


def test_nginx_reads_its_file(tmp_path: Path) -> None:
    nginx, openssl = needed("nginx"), needed("openssl")
    key, certificate = tmp_path / "key.pem", tmp_path / "fullchain.pem"
    made = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=relevance.example.org"]
    subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    text = (DEPLOY / "nginx.conf").read_text().replace("/etc/ssl/relevance", str(tmp_path))
    config = tmp_path / "nginx.conf"
    config.write_text(f"pid {tmp_path}/nginx.pid;\n" + text.replace("/var/log/nginx", str(tmp_path)))
    result = subprocess.run([nginx, "-t", "-c", config, "-p", tmp_path], check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_systemd_knows_every_line_of_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "relevance.service"
    program = "/opt/relevance/bin/relevance"
    unit.write_text((DEPLOY / "relevance.service").read_text().replace(program, shutil.which("true") or "/bin/true"))
    result = subprocess.run([needed("systemd-analyze"), "verify", unit], check=False, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


def test_the_example_of_settings_names_those_that_there_are() -> None:
    named = set(re.findall(r"^#?(RELEVANCE_\w+)=", (DEPLOY / "env.example").read_text(), re.MULTILINE))
    known = {f"RELEVANCE_{name}" for name in ("DATABASE_URL", "WORKERS")}
    source = (ROOT / "hosting" / "settings.py").read_text()
    known |= set(re.findall(r'"(RELEVANCE_\w+)"', source)) - {"RELEVANCE_HOSTED"}
    assert named == known
    assert checked_url("https://relevance.example.org") == "https://relevance.example.org"
    with pytest.raises(ValueError, match="RELEVANCE_SECRET needs at least 32 bytes"):
        read_settings({"RELEVANCE_PUBLIC_URL": "https://relevance.example.org"})
