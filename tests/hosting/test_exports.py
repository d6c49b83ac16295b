"""Files of a study, for whoever may read it and for nobody else."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from tempfile import gettempdir
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from sqlalchemy import Engine
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from relevance.annotation.exports import EXPORTS, PAIRWISE, export_study
from relevance.annotation.records import StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.bundles.reading import unpack
from relevance.cli import main
from relevance.data.database import connect, now
from relevance.data.demo import NAME as DEMO
from relevance.data.rights import Right
from relevance.data.store import DataStore
from relevance.hosting.exports import ExportRoutes, bundle_address, export_address
from relevance.hosting.gate import Gate
from relevance.hosting.operations import Counters
from relevance.hosting.services import Services
from relevance.hosting.settings import Settings

URL = "http://127.0.0.1:8599"
NO_PAGES = SimpleNamespace(owns_file=lambda *_: True)  # there is no app behind the gate
NAME = "R/D: 50 % = <b>ü</b>"
FILES = [(what, format) for what in EXPORTS for format in ("jsonl", "csv")]
PAIRS = [("judgments", format) for format in PAIRWISE]

Browser = Callable[..., TestClient]


@pytest.fixture
def engine(demo_url: str) -> Iterator[Engine]:
    engine = connect(demo_url)
    yield engine
    engine.dispose()


@pytest.fixture
def services(engine: Engine) -> Services:
    services = Services.over(engine, Settings("x" * 40, URL))
    for name, role in (("Olga", "owner"), ("Rita", "researcher"), ("Emil", "researcher")):
        services.accounts.add_user(name=name, role=role, email=f"{name}@lab.example")
    AnnotationStore(engine).create_study(StudySpec(name=NAME, dataset=DEMO, rule="random", count=3))
    skip_one_pair(AnnotationStore(engine))
    services.accounts.grant(NAME, "Rita", Right.READ)
    return services


def skip_one_pair(store: AnnotationStore) -> None:
    annotator = store.join(study=NAME, name="Zoë")
    task = store.next_task(annotator)
    assert task is not None
    store.skip(annotator=annotator, assignment_id=task.assignment_id, reason="=1+1")


@pytest.fixture
def browser(engine: Engine, services: Services) -> Browser:
    """A browser in which somebody is signed in: an account by name, an annotator of the study, or nobody."""
    app = Starlette(
        routes=ExportRoutes(services).routes(),
        middleware=[Middleware(Gate, services=services, counters=Counters(), pages=NO_PAGES)],
    )

    def sign_in(person: str | None) -> TestClient:
        client = TestClient(app, base_url=URL, follow_redirects=False)
        if person == "annotator":
            annotator = AnnotationStore(engine).invite(study=NAME, name="Ann")
            client.cookies.set("relevance", services.sign_ins.sign_in(annotator_id=annotator.id))
        elif person is not None:
            client.cookies.set("relevance", services.sign_ins.sign_in(user_id=services.accounts.user(person).id))
        return client

    return sign_in


@pytest.mark.parametrize("person", ["Olga", "Rita"])
@pytest.mark.parametrize(("what", "format"), FILES)
def test_who_may_read_a_study_gets_its_files_whole(
    engine: Engine, browser: Browser, person: str, what: str, format: str
) -> None:
    answer = browser(person).get(export_address(NAME, what, format))
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith("attachment; filename*=UTF-8''R%2FD%3A%2050%20%25")
    annotation, data = AnnotationStore(engine), DataStore(engine)
    expected = list(export_study(data, annotation, NAME, what))
    assert bool(expected) == (what in {"judgments", "people", "scores"})  # there are no surveys and adjudications
    if format == "jsonl":
        assert [json.loads(line) for line in answer.text.splitlines()] == expected
    else:
        rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
        assert [list(row) for row in rows] == [list(record) for record in expected]
        assert [row.get("document_id") for row in rows] == [record.get("document_id") for record in expected]


@pytest.mark.parametrize("format", PAIRWISE)
def test_judgments_come_as_other_programs_have_them(
    engine: Engine, browser: Browser, demo_url: str, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    reader, store = browser("Rita"), AnnotationStore(engine)
    annotator = store.join(study=NAME, name="Ana")
    for choice in ("left", "right"):
        task = store.next_task(annotator)
        assert task is not None
        long_ago = now() - timedelta(minutes=1)
        store.judge(annotator=annotator, assignment_id=task.assignment_id, choice=choice, presented_at=long_ago)
    answer = reader.get(export_address(NAME, "judgments", format))
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].endswith(f"%20judgments.{format}.{PAIRWISE[format].file}")
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", demo_url)
    written = CliRunner().invoke(main, ["study", "export", NAME, "--format", format])
    assert written.exit_code == 0, written.output
    assert answer.content == written.stdout_bytes
    assert answer.text.count("\n") == {"lmarena": 2, "crowd-kit": 3}[format]  # Crowd-Kit's has a header


@pytest.mark.parametrize("what", ["judgments", "people"])
def test_names_are_for_who_manages_the_study(browser: Browser, what: str) -> None:
    plain, named = (export_address(NAME, what, "jsonl", names=names) for names in (False, True))
    assert "Zoë" not in browser("Olga").get(plain).text
    assert "Zoë" in browser("Olga").get(named).text
    assert browser("Rita").get(plain).status_code == 200
    assert browser("Rita").get(named).status_code == 404


@pytest.mark.parametrize(("person", "status"), [("Emil", 404), ("annotator", 404), (None, 401)])
@pytest.mark.parametrize(("what", "format"), FILES + PAIRS)
def test_nobody_else_gets_them_or_learns_that_they_are_there(
    browser: Browser, person: str | None, status: int, what: str, format: str
) -> None:
    client = browser(person)
    answer = client.get(export_address(NAME, what, format))
    unknown = client.get(export_address("No such study", what, format))
    assert answer.status_code == unknown.status_code == status
    assert answer.text == unknown.text
    assert NAME not in answer.text


@pytest.mark.parametrize(
    "file", ["judgments", "judgments.exe", "people.lmarena", "users.csv", "..%2Fjudgments.csv", "judgments.csv.jsonl"]
)
def test_there_are_no_other_files(browser: Browser, file: str) -> None:
    assert browser("Olga").get(f"/export/x/{file}").status_code == 404


# --- bundles --------------------------------------------------------------------------------------------------


@pytest.mark.process
def test_who_may_read_a_study_gets_its_bundle(browser: Browser, tmp_path: Path) -> None:
    answer = browser("Rita").get(bundle_address(NAME, texts=False))
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].endswith(".zip")
    (tmp_path / "a.zip").write_bytes(answer.content)
    (tmp_path / "folder").mkdir()
    bundle = unpack(tmp_path / "a.zip", tmp_path / "folder")
    assert (bundle.study, bundle.texts) == (NAME, False)
    assert "Zoë" not in bundle.text("people.jsonl")
    assert not list(Path(gettempdir()).glob("*/bundle.zip"))


@pytest.mark.parametrize(("person", "status"), [("Emil", 404), ("annotator", 404), (None, 401)])
def test_nobody_else_gets_a_bundle(
    browser: Browser, person: str | None, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("relevance.hosting.exports.write_bundle", None)  # none is made for them
    client = browser(person)
    answer = client.get(bundle_address(NAME, texts=True))
    unknown = client.get(bundle_address("No such study", texts=True))
    assert answer.status_code == unknown.status_code == status
    assert answer.text == unknown.text


def test_what_cannot_be_bundled_is_said(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELEVANCE_DATABASE_URL", "mysql://nowhere/")
    answer = browser("Olga").get(bundle_address(NAME, texts=True))
    assert answer.status_code == 503
    assert "it must be SQLite or PostgreSQL" in answer.text
