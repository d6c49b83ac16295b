"""Names and texts on a hosted server that are markup to whoever reads them so: nothing of them runs or is fetched."""

import json
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, expect

from relevance.annotation.protocol.store import ProtocolStore
from relevance.annotation.records import Annotator, StudySpec
from relevance.data.demo import NAME as DEMO
from relevance.data.rights import Right
from relevance.hosting.accounts import UserExists
from tests.e2e.test_hosted import Visit
from tests.e2e.watching import NAME as HOSTILE
from tests.e2e.watching import press, settled
from tests.hostile import ELSEWHERE, NAMED, TEXTS
from tests.hosting.house import HERS, PASSWORD, House, serving_house
from tests.waiting import PATIENCE

pytestmark = pytest.mark.browser

FIT = [text.replace("\0", "").encode(errors="replace").decode() for text in TEXTS]
"""The texts as a file can have them."""
ALL = "\n\n".join(FIT)
"""Every text in one, as instructions or a document may have them."""

FOREIGN = """() => [...document.querySelectorAll('[src], [href], [action], [poster], [data], [srcdoc]')]
    .filter((e) => !e.closest('.stMarkdown a') && ['src', 'href', 'action', 'poster', 'data', 'srcdoc'].some((name) => {
        const value = e.getAttribute(name);
        return value && !/^(data:image|blob:|#)/.test(value) && new URL(value, location).origin !== location.origin;
    })).map((e) => e.outerHTML.slice(0, 200))"""
"""What on a page would fetch or send something elsewhere; links that people may follow are none."""

RUNS = """() => [...document.querySelectorAll('.stMain *, main *')]
    .filter((e) => ['SCRIPT', 'IFRAME', 'OBJECT', 'EMBED', 'BASE', 'META', 'LINK'].includes(e.tagName)
        || [...e.attributes].some((one) => one.name.startsWith('on') || /^javascript:/i.test(one.value)))
    .map((e) => e.outerHTML.slice(0, 200))"""
"""What on a page would run."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, scored_demo: Path) -> Iterator[House]:
    """A server on which everything is called by hostile texts."""
    with serving_house(tmp_path_factory.mktemp("hostile"), scored_demo) as house:
        hers = house.studies_of("Rita")
        for number, name in enumerate(NAMED):
            with suppress(UserExists):  # of two that are one in the form in which names are kept
                house.accounts.add_user(name=name, role="researcher", email=address_of(number, name))
                house.accounts.grant(HERS, name, Right.READ)
                hers.invite(study=HERS, name=name)
                hers.create_study(
                    StudySpec(name=name, dataset=DEMO, rule="random", count=1, question=name, instructions=ALL)
                )
        for name in NAMED[::9]:
            house.people.exclude(HERS, name, ALL)
        ProtocolStore(hers.engine, hers.actor).edit(HERS, {"instructions": ALL})
        yield house


def address_of(number: int, name: str) -> str:
    """An email address with as much of a name as one may have."""
    return "".join(letter for letter in name if letter.isprintable() and letter not in " @") + f"{number}@example.org"


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    with closing(browser.new_context()) as context:
        context.set_default_timeout(PATIENCE * 1000)
        visit = Visit(context.new_page())
        dialogs: list[str] = []
        visit.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
        yield visit
        assert not dialogs


def sign_in(visit: Visit, house: House, token: str) -> None:
    """Let the browser have the cookie of a sign-in."""
    visit.page.context.add_cookies([{"name": "relevance", "value": token, "url": house.url}])


def check(visit: Visit, house: House, *, drawn: bool = True) -> None:
    """Nothing of the texts was taken for markup."""
    if drawn:
        settled(visit.page)
    assert visit.page.evaluate(RUNS) == []
    assert visit.page.evaluate(FOREIGN) == []
    assert visit.page.title() != "pwned"
    assert visit.page.url.startswith(f"{house.url}/")
    visit.innocent(house.url)


def test_an_owner_looks_at_everything(house: House, visit: Visit) -> None:
    page = visit.page
    sign_in(visit, house, house.sign_in("Olga"))
    for path in ("users", "studies", "annotators", "", "account", "who"):
        page.goto(f"{house.url}/{path}")
        check(visit, house, drawn=path != "account")

    page.goto(f"{house.url}/studies?{urlencode({'study': HERS})}")
    for tab in ("Design", "Export", "Members"):
        page.get_by_role("tab", name=tab).click()
        settled(page)
        check(visit, house)
    page.goto(f"{house.url}/studies?{urlencode({'study': HOSTILE})}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("<img src=x onerror=")
    check(visit, house)


def test_an_owner_types_them(house: House, visit: Visit) -> None:
    page = visit.page
    sign_in(visit, house, house.sign_in("Olga"))
    page.goto(f"{house.url}/users")
    page.get_by_text("Add an account").click()
    name = f"typed {HOSTILE}"
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Email", exact=True).fill(f"{HOSTILE}@example.org")
    page.get_by_role("button", name="Add the account").click()
    expect(page.get_by_text("not an email address").first).to_be_visible()
    check(visit, house)
    page.get_by_label("Email", exact=True).fill("<svg/onload=document.title='pwned'>@example.org")
    page.get_by_role("button", name="Add the account").click()
    expect(page.get_by_text("Added the researcher typed <img src=x onerror=")).to_be_visible()
    check(visit, house)

    page.goto(f"{house.url}/studies?{urlencode({'study': HERS})}")
    page.get_by_role("tab", name="Members").click()
    for account, message in ((f"nobody {HOSTILE}", "There is no account"), (name, f"may read {HERS}")):
        page.get_by_label("Account", exact=True).fill(account)
        page.get_by_role("button", name="Give the right").click()
        expect(page.get_by_text(message).first).to_be_visible()
        check(visit, house)


def test_people_are_called_so(house: House, visit: Visit) -> None:
    """The sign-in, its own pages, and an annotator's task."""
    page = visit.page
    page.goto(f"{house.url}/sign-in")
    for name in (HOSTILE, NAMED[1], NAMED[-9]):
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_text("The name or the password is wrong.")).to_be_visible()
        expect(page.get_by_label("Name")).to_have_value(name)
        check(visit, house, drawn=False)
    sign_in(visit, house, house.sign_in(HOSTILE))
    page.goto(f"{house.url}/account")
    expect(page.get_by_text(f"Signed in as {HOSTILE}.")).to_be_visible()
    check(visit, house, drawn=False)
    for path in ("who", "annotate", "studies"):
        page.goto(f"{house.url}/{path}")
        check(visit, house)

    invited: Annotator = house.studies_of("Rita").invite(study=HOSTILE, name=f"at {HOSTILE}")
    page.context.clear_cookies()
    page.goto(f"{house.url}/join/{invited.token}?{urlencode({'name': HOSTILE, 'person': HOSTILE})}")
    page.get_by_role("button", name="Go on").click()
    expect(page).to_have_url(f"{house.url}/annotate")
    check(visit, house)


def test_files_that_are_full_of_them(house: House, visit: Visit, tmp_path: Path) -> None:
    page = visit.page
    lines = [
        {
            "id": f"{number} {text}"[:200].strip(),
            "title": text,
            "source": [text, ALL],
            "references": [text, f"a reference {text}"],
            "summaries": [{"system": f"{system} {HOSTILE}", "text": text or system} for system in "ab"],
        }
        for number, text in enumerate(FIT)
    ]
    file = tmp_path / "f.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    sign_in(visit, house, house.sign_in("Olga"))
    page.goto(f"{house.url}/datasets")
    settled(page)
    page.get_by_text("Import a file").click()
    named = {"name": f"{HOSTILE}.jsonl", "mimeType": "text/html", "buffer": file.read_bytes()}
    page.locator("input[type=file]").set_input_files(named)
    expect(page.get_by_text(f"{len(lines)} documents, ")).to_be_visible()
    check(visit, house)
    page.get_by_label("Name of the data set").fill(HOSTILE)
    press(page.get_by_role("button", name="Import", exact=True))
    expect(page.get_by_text(f"Imported {len(lines)} documents")).to_be_visible()
    check(visit, house)
    for path in ("datasets", "examples", "keywords", "upper_bound", "new_study"):
        page.goto(f"{house.url}/{path}?{urlencode({'dataset': HOSTILE})}")
        check(visit, house)
    assert ELSEWHERE in ALL  # there was something to fetch
