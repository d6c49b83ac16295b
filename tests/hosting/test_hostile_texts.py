"""Hostile texts in whatever a hosted server is sent: answered, never with an error, and never as markup."""

import re
import socket
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote, unquote, urlencode, urljoin

import httpx
import pytest

from relevance.annotation.records import StudySpec
from relevance.annotation.studies import StudyExists
from relevance.data.demo import NAME as DEMO
from relevance.hosting.accounts import UserExists
from relevance.hosting.exports import export_address
from tests.hostile import ELSEWHERE, NAMED, TEXTS
from tests.hosting.house import HERS, House
from tests.hosting.tabs import Tab
from tests.hosting.uploading import upload
from tests.reports.test_escaping import Visible, parsed

pytestmark = pytest.mark.process

TAGS = {"html", "head", "meta", "title", "style", "body", "main", "h1", "p", "b", "a", "div", "form", "label", "input"}
TAGS |= {"button"}
"""What pages before the app are made of."""


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[tuple[str, socket.socket]]:
    """An address to which nobody may come, and who listens there."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        listening.setblocking(False)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/", listening


@pytest.fixture(autouse=True)
def nobody_comes(elsewhere: tuple[str, socket.socket]) -> Iterator[None]:
    """Nothing in a text is fetched by the server."""
    yield
    with pytest.raises(BlockingIOError):
        elsewhere[1].accept()


@pytest.fixture(scope="module")
def texts(elsewhere: tuple[str, socket.socket]) -> list[str]:
    return [text.replace(ELSEWHERE, elsewhere[0]) for text in TEXTS]


def shown(answer: httpx.Response) -> Visible:
    """What an answer shows, which has no other tags and no attributes that run or fetch."""
    page = parsed(answer.text)
    assert {tag for tag, _ in page.tags} <= TAGS
    for tag, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on") or name in {"src", "srcdoc", "style"}]
        assert attributes.get("href", "/").startswith("/"), tag
        assert attributes.get("action", "/") in {"/", "/sign-in", "/account", "/sign-out"}
    return page


def is_of(house: House, answer: httpx.Response) -> bool:
    """Whether an answer leads to another address of this server."""
    return answer.is_redirect and urljoin(house.url, answer.headers["location"]).startswith(f"{house.url}/")


def forget_attempts(house: House) -> None:
    house.execute("DELETE FROM attempts")


def test_there_are_enough() -> None:
    assert len(TEXTS) >= 60
    assert len(NAMED) >= 60


def test_names_and_passwords_that_open_nothing(house: House, texts: list[str]) -> None:
    with house.client() as client:
        for text in texts:
            forget_attempts(house)
            given = text.encode(errors="replace").decode()
            answer = client.post("/sign-in", data={"name": given, "password": given})
            if len(given.encode()) > 4096:
                assert answer.status_code == 400
                continue
            assert answer.status_code == 401
            field = next(attributes for _, attributes in shown(answer).tags if attributes.get("name") == "name")
            assert field["value"] == given.replace("\0", "\ufffd").strip()


def test_fields_of_forms_that_are_no_text(house: House) -> None:
    kinds = ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", "", "\xff")
    bodies = (b"name=%ff%fe&password=%00", b"%", b"=&=&;", b"--x\r\n\r\n--x--", b"name[]=a&name=b&name", b"\xff\x00")
    with house.client() as client:
        for kind in kinds:
            for body in bodies:
                for path in ("/sign-in", "/join/x", "/p/x?person=y"):
                    forget_attempts(house)
                    answer = client.post(path, content=body, headers={"Content-Type": kind.encode("latin-1")})
                    assert answer.status_code in {400, 401, 404}, (kind, body, path)


def added(house: House, name: str, password: str) -> bool:
    """Whether an account is added; not where there is one of that name in the form in which names are kept."""
    with suppress(UserExists):
        house.accounts.add_user(name=name, role="researcher", password=password)
        return True
    return False


def test_accounts_of_any_name_and_password(house: House) -> None:
    for number, name in enumerate(NAMED[:: len(NAMED) // 60]):
        password = f"{number} plum-otter {name[:170]}"
        if not added(house, name, password):
            continue
        forget_attempts(house)
        with house.client() as client:
            answer = client.post("/sign-in", data={"name": name, "password": password})
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        token = answer.headers["set-cookie"].split(";")[0].removeprefix("relevance=")
        with house.client(token) as client:
            page = shown(client.get("/account"))
        assert f"Signed in as {house.accounts.user(name).name}." in "".join(page.text)


def test_links_that_are_made_up(house: House, texts: list[str]) -> None:
    panel = house.links.add_link(HERS, kind="panel").token
    personal = house.studies.invite(study=HERS, name="Comes by hostile links").token
    with house.client() as client:
        for text in texts:
            house.execute("DELETE FROM attempts")
            part = quote(text.encode(errors="surrogatepass"), safe="")
            if len(part) > 4000:
                continue
            looked = client.get(f"/join/{part}")
            tried = [client.post(f"/join/{part}"), client.post(f"/p/{part}?person={part}")]
            for answer in (looked, *tried):  # with a slash it is not a link, but some page, or none
                assert 200 <= answer.status_code < 500, text
                assert "set-cookie" not in answer.headers
                assert not answer.is_redirect or is_of(house, answer)
            assert not any(answer.is_success for answer in tried)
            for query in (f"PROLIFIC_PID={part}", f"person={part}"):
                answer = client.post(f"/p/{panel}?{query}")
                assert answer.status_code in {303, 404}, text
                if answer.status_code == 303:
                    assert answer.headers["location"] == "/annotate"
                client.cookies.clear()
            answer = client.post(f"/join/{personal}?{urlencode({'name': text.encode(errors='replace')})}")
            assert (answer.status_code, answer.headers["location"]) == (303, "/annotate")
            client.cookies.clear()
            answer = client.get(f"/annotate?invite={part}")
            assert answer.status_code in {303, 404}
            assert re.fullmatch(r"/join/[\w.~%-]*", answer.headers.get("location", "/join/"))
            assert "stolen" not in str(answer.cookies) + answer.headers.get("set-cookie", "")
    names = [annotator.annotator for annotator in house.studies.annotators(HERS)]
    assert not [name for name in names if name in NAMED]  # what a panel calls somebody stands nowhere


def test_files_of_studies_of_any_name(house: House, texts: list[str]) -> None:
    researcher = house.studies_of("Rita")
    known = []
    for name in NAMED:
        with suppress(StudyExists):
            researcher.create_study(StudySpec(name=name, dataset=DEMO, rule="random", count=1))
            known.append(name)
    hers, his = house.sign_in("Rita"), house.sign_in("Paul")
    with house.client(hers) as client, house.client(his) as other:
        for name in known:
            address = export_address(name, "judgments", "csv")
            if {".", ".."} & set(re.split(r"[/\\]", name)):  # which browsers and Streamlit take for ways
                continue
            answer = client.get(address)
            assert answer.status_code == 200, name
            header = answer.headers["content-disposition"]
            assert re.fullmatch(r"attachment; filename\*=UTF-8''[\w.~%-]+", header)
            assert unquote(header.partition("''")[2]) == f"{name} judgments.csv"
            assert other.get(address).status_code == 404
        for text in texts:
            part = quote(text.encode(errors="surrogatepass"), safe="")
            if len(part) > 4000 or text in known:
                continue
            for path in (f"/export/{part}/judgments.csv", f"/export/{quote(HERS)}/{part}", f"/media/{part}"):
                answer = client.get(path)
                assert answer.status_code in {404, 400}, text
                assert "root:" not in answer.text


TRAVERSALS = [
    "../../../../etc/passwd",
    "..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/etc/passwd",
    "..%5c..%5cetc%5cpasswd",
    "....//....//etc/passwd",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "%252e%252e%252fetc%252fpasswd",
    "..%c0%af..%c0%afetc/passwd",
    "file:///etc/passwd",
]


def test_no_path_leaves_where_files_lie(house: House) -> None:
    starts = ("/static/", "/media/", "/component/", "/component/x/", "/_stcore/bidi-components/", "/app/static/", "/")
    starts += ("/export/", f"/export/{quote(HERS)}/", "/join/", "/_stcore/upload_file/")
    with house.client(house.sign_in("Paul")) as client:
        page = client.get("/").content
        for start in starts:
            for path in TRAVERSALS:
                for end in ("", "/judgments.csv"):
                    url = client.base_url.copy_with(raw_path=f"{start}{path}{end}".encode())
                    answer = client.send(client.build_request("GET", url))
                    assert answer.status_code < 500, (start, path)
                    assert "root:" not in answer.text
                    if answer.status_code == 200:
                        assert answer.content == page or start == "/join/"


GOOD = b'{"id": "d", "source": "s", "references": ["r"], "summaries": [{"system": "a", "text": "t"}]}\n'


def test_files_of_any_name_stay_where_they_are_put(
    house: House, texts: list[str], tmp_path: Path, elsewhere: tuple[str, socket.socket]
) -> None:
    """What a browser calls a file names none here, and makes no page fail."""
    content = GOOD.replace(b'"s"', f'"{elsewhere[0]}"'.encode())
    token = house.sign_in("Rita")
    aims = [tmp_path / "absolute.jsonl", Path("/tmp/pwned.jsonl"), Path("pwned.jsonl")]
    names = [
        *texts,
        str(aims[0]),
        "../pwned.jsonl",
        "../../pwned.jsonl",
        "..",
        ".",
        "",
        "/",
        "a\0b.jsonl",
        ".jsonl",
        f"{'漢' * 250}.jsonl",
    ]
    with Tab(house.url, token) as tab:
        tab.open("datasets")
        for name in names:
            given = name.encode(errors="replace").decode()
            sent = upload(house, tab, token, given, content).status_code
            if sent != 204:
                assert sent == 400, name  # the name is too long, or none
                continue
            file = tab.choose_file(given, "file")
            assert "Traceback" not in file
            assert "1 document" in file, name
    assert not any(aim.exists() for aim in aims)
    assert "root:" not in house.log.read_text()
