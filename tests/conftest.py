"""What several tests need: the shared data, real databases, the app in a real browser."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import hypothesis.internal.conjecture.providers as drawing
import pytest
from hypothesis import HealthCheck, settings
from sqlalchemy import Engine, create_engine, text

from relevance.annotation.demo import create_demo_study
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.demo import NAME, add_demo
from relevance.data.store import DataStore
from relevance.llm.calls import Calls
from relevance.metrics import default_metrics, make_metrics, metric
from relevance.metrics.scoring import score_dataset
from tests.driving import FLAGS, chromium
from tests.llm.stub import Stub, running_stub
from tests.postgresql import NoPostgreSQL, PostgreSQL
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest_plugins = ["tests.marks"]

# No property test fails because the machine is slow, or because the first example imports a library. In the gate each
# draws the same examples every time; `make test-full` draws others, by a seed that it prints.
PATIENT: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "print_blob": True}
settings.register_profile("gate", derandomize=True, database=None, **PATIENT)
settings.register_profile("free", **PATIENT)
settings.load_profile("gate")

ROOT = Path(__file__).resolve().parents[1]
MEMORY = Path("/dev/shm")
ROOM = 8 << 30
"""Bytes that must be free in memory for the tests' files: several times what they take."""
SHARED_DATA = ROOT.parent / "shared" / "data"
FOUND = SHARED_DATA.parent / "design" / "found"


def absent(what: str, how: str) -> NoReturn:
    """Skip what cannot run here, saying how it could; under CI everything must run."""
    message = f"{what}: {how}"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


def is_never_local(path: str) -> bool:
    """Say of no module that it is ours: from those Hypothesis takes constants, so that examples follow the imports."""
    return False


def pytest_configure() -> None:
    """Keep the gate's examples the same whatever is imported, and the tests' files in memory."""
    if settings.get_current_profile_name() == "gate":
        drawing.is_local_module_file = is_never_local
    os.environ["RELEVANCE_DATABASE_URL"] = "none://named"  # a test that forgets its database gets no one's own
    keep_files_in_memory()


def keep_files_in_memory() -> None:
    """Keep the tests' files in memory where there is room: a commit of a database waits for the disk otherwise.

    The variable TMPDIR names another place. What runs beside this process, as the app and PostgreSQL, follows it.
    """
    if "TMPDIR" in os.environ or not MEMORY.is_dir():
        return
    status = os.statvfs(MEMORY)
    if status.f_bavail * status.f_frsize >= ROOM and not status.f_flag & os.ST_NOEXEC:  # containers often give 64 MB
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None


@pytest.fixture
def on_disk() -> Iterator[Path]:
    """A folder for an environment with all dependencies, whose 3 GB, and pip's as many, are too much for the memory."""
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="installation-", dir=build) as folder:
        yield Path(folder)


@pytest.hookimpl(tryfirst=True)  # before the marks are asked for
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what asks for a server or a browser."""
    for item in items:
        wanted = {*getattr(item, "fixturenames", ())}
        if "database_url" in wanted and hasattr(item, "callspec"):
            wanted.add(item.callspec.params["database_url"])
        for name in {"browser", "postgresql"} & wanted:
            item.add_marker(name)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    if not SHARED_DATA.is_dir():
        absent(f"no {SHARED_DATA}", "put the development data there")
    return SHARED_DATA


@pytest.fixture
def found_files() -> Path:
    """The folder of small files in which other programs' users met a fault; their right values stand in tests."""
    if not FOUND.is_dir():
        absent("small files of other programs", f"they belong in {FOUND}")
    return FOUND


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """A real Chromium, one a process: a second Playwright beside it refuses to start."""
    from playwright.sync_api import expect, sync_playwright

    path = chromium()
    if path is None:
        absent("no Chromium", "apt-get install chromium, or name one in the variable CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        expect.set_options(timeout=PATIENCE * 1000)
        yield browser
        browser.close()


# --- databases ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """A PostgreSQL server of our own; yields the address of its maintenance database."""
    with running_postgresql() as server:
        yield server.url


@contextmanager
def running_postgresql() -> Iterator[PostgreSQL]:
    """A PostgreSQL server until the block is left; the test is skipped where there is none."""
    try:
        server = PostgreSQL()
    except NoPostgreSQL:
        absent("no PostgreSQL server", "apt-get install postgresql")
    try:
        yield server
    finally:
        server.remove()


@pytest.fixture(scope="session")
def migrated_postgresql(postgresql: str) -> str:
    """The name of a database with the schema in it, to copy from."""
    statement(postgresql, "CREATE DATABASE migrated")
    connect(postgresql.replace("/postgres?", "/migrated?")).dispose()
    return "migrated"


def statement(url: str, sql: str) -> None:
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(sql))
    engine.dispose()


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the schema in it, to copy."""
    file = tmp_path_factory.mktemp("migrated") / "migrated.db"
    connect(f"sqlite:///{file}").dispose()
    return file


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a fresh database on each kind of server."""
    if request.param == "sqlite":
        file: Path = request.getfixturevalue("migrated_sqlite")
        yield f"sqlite:///{shutil.copy(file, tmp_path / 'test.db')}"
        return
    server: str = request.getfixturevalue("postgresql")
    template: str = request.getfixturevalue("migrated_postgresql")
    name = f"test_{time.monotonic_ns()}"
    statement(server, f"CREATE DATABASE {name} TEMPLATE {template}")
    yield server.replace("/postgres?", f"/{name}?")
    statement(server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = connect(database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def data_store(engine: Engine) -> DataStore:
    return DataStore(engine)


@pytest.fixture
def annotation_store(engine: Engine) -> AnnotationStore:
    return AnnotationStore(engine)


@pytest.fixture
def sqlite_url(tmp_path: Path, migrated_sqlite: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A fresh SQLite database that the command line and the pages use."""
    url = f"sqlite:///{shutil.copy(migrated_sqlite, tmp_path / 'relevance.db')}"
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", url)
    return url


@pytest.fixture(scope="session")
def scored_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite database to copy: the demo corpus, scored by the default metrics, and its study."""
    file = tmp_path_factory.mktemp("demo") / "demo.db"
    engine = connect(f"sqlite:///{file}")
    data = DataStore(engine)
    add_demo(data)
    score_dataset(data, NAME, make_metrics(default_metrics()))
    create_demo_study(AnnotationStore(engine), metric("rouge_k").signature)
    engine.dispose()
    return file


@pytest.fixture
def demo_url(sqlite_url: str, tmp_path: Path, scored_demo: Path) -> str:
    """A database of its own with the scored demo corpus and its study, that the command line and the pages use."""
    shutil.copy(scored_demo, tmp_path / "relevance.db")
    return sqlite_url


# --- language models ----------------------------------------------------------------------------------------


@pytest.fixture
def stub() -> Iterator[Stub]:
    """A server that speaks OpenAI's protocol."""
    with running_stub() as server:
        yield server


@pytest.fixture
def calls(tmp_path: Path) -> Iterator[Calls]:
    record = Calls(tmp_path / "calls.db")
    yield record
    record.close()


# --- disks --------------------------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of 4 MB."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a small disk cannot be mounted: run the tests as root")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)
