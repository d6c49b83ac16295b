"""A sign-in is one browser's, of one person, and when it ends, everything ends that was under way."""

import re
import time
from collections.abc import Callable

import httpx
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from websockets.exceptions import ConnectionClosed

from relevance.annotation.keyword_records import FoundKeyword, ReviewSpec
from relevance.annotation.keyword_reviews import KeywordReviewStore
from relevance.data.store import DataStore
from relevance.hosting.gate import GONE
from relevance.hosting.settings import Settings
from relevance.hosting.sign_ins import digest_of
from tests.driving import SECRET
from tests.hosting.house import HERS, HIS, PASSWORD, House
from tests.hosting.tabs import Tab, refused_with

pytestmark = pytest.mark.process

READING = 0.5
"""Seconds before a choice: sooner ones are refused as keys held down."""


# --- somebody else's page -----------------------------------------------------------------------------------


@pytest.mark.smoke
def test_a_page_is_not_taken_over_by_its_number(house: House) -> None:
    with Tab(house.url, house.sign_in("Rita")) as hers:
        assert HERS in hers.open("studies", f"study={HERS}")
        for stolen in (hers, None):  # while it is open, and when it is closed
            if stolen is None:
                hers.socket.close()
            for token in (house.sign_in("Paul"), house.annotate(HIS, "Bert"), house.sign_in("Rita")):
                with Tab(house.url, token, session=hers.session) as tab:
                    tab.open()
                    assert tab.session != hers.session
            assert refused_with(house.url, None, session=hers.session) == 403


def test_a_browser_comes_back_to_its_own_page(house: House) -> None:
    token = house.sign_in("Rita")
    with Tab(house.url, token) as first:
        first.open()
    with Tab(house.url, token, session=first.session) as again:
        again.open()
        assert again.session == first.session


def test_files_are_of_the_page_that_they_were_given_to(house: House) -> None:
    xsrf = generate_xsrf_token_string()
    headers = {"X-Xsrftoken": xsrf}
    hers, his, anna = house.sign_in("Rita"), house.sign_in("Paul"), house.annotate(HERS, "Anna")

    def send(token: str, method: str, path: str, **headers: str) -> int:
        with house.client() as client:
            cookies = {"Cookie": f"relevance={token}; _streamlit_xsrf={xsrf}"}
            files = {"files": ("a.txt", b"text")} if method == "PUT" else None
            return client.request(method, path, headers={**cookies, **headers}, files=files).status_code

    with Tab(house.url, hers) as tab:
        tab.open()
        place = f"/_stcore/upload_file/{tab.session}/file"
        assert send(hers, "PUT", place) == 403  # without the token of the page
        assert send(hers, "PUT", place, **headers) == 204
        for other in (his, anna):
            assert send(other, "PUT", place, **headers) == 404
            assert send(other, "DELETE", place, **headers) == 404
        assert send(hers, "DELETE", place, **headers) == 204


def test_downloads_are_of_the_page_that_offers_them(house: House) -> None:
    hers = house.sign_in("Rita")
    with Tab(house.url, hers) as tab, Tab(house.url, house.sign_in("Paul")) as his:
        made_when_wanted = re.findall(r'deferred_file_id: "(\w+)"', tab.open("overview", "dataset=demo"))[0]
        his.open()
        his.ask_for_file(made_when_wanted)
        tab.ask_for_file(made_when_wanted)
        while tab.receive().WhichOneof("type") != "backend_operation_response":
            pass
        assert "backend_operation_response" not in his.heard()
        made = re.findall(r'url: "(/media/[^"]+)"', tab.open("datasets"))
        assert made
        for token, status in ((hers, 200), (house.sign_in("Rita"), 404), (house.sign_in("Paul"), 404)):
            with house.client(token) as client:
                assert client.get(made[0]).status_code == status


def test_marks_of_keywords_are_made_into_files_when_they_are_wanted(house: House) -> None:
    document, _ = DataStore(house.engine).records("demo")[0]
    result = {document.id: [FoundKeyword(("salt",), (), ("overlap",))]}
    spec = ReviewSpec(name="K", dataset="demo", extractors=("overlap",), signature="k", keywords=result)
    KeywordReviewStore(house.engine).create_review(spec)
    with Tab(house.url, house.sign_in("Rita")) as tab:
        files = re.findall(r'deferred_file_id: "(\w+)"', tab.open("keywords", "view=results"))
        assert files
        for file in files:
            tab.ask_for_file(file)
            while (answer := tab.receive()).WhichOneof("type") != "backend_operation_response":
                pass
            assert answer.backend_operation_response.deferred_file.url, answer


def test_browsers_say_what_pages_need_and_nothing_else(house: House) -> None:
    with Tab(house.url, house.annotate(HERS, "Dora")) as tab:
        tab.open_work()
        time.sleep(READING)
        tab.socket.send(BackMsg(clear_cache=True).SerializeToString())
        tab.socket.send(BackMsg(load_git_info=True).SerializeToString())
        assert "git_info_changed" not in tab.heard()
        tab.press("1 is more relevant")
    assert judged(house, "Dora") == 1  # the page still knows what it showed


# --- the end of a sign-in -----------------------------------------------------------------------------------


def sign_out_elsewhere(house: House, _token: str, name: str) -> None:
    with house.client(house.sign_in(name)) as client:
        assert client.post("/sign-out", data={"everywhere": "yes"}).status_code == 303


def sign_out(house: House, token: str, _name: str) -> None:
    with house.client(token) as client:
        assert client.post("/sign-out").status_code == 303


def disable(house: House, _token: str, name: str) -> None:
    house.accounts.disable(name)


def change_password(house: House, _token: str, name: str) -> None:
    house.accounts.set_password(name, f"{PASSWORD} again")


def delete(house: House, token: str, _name: str) -> None:
    house.execute("DELETE FROM sign_ins WHERE digest = ?", digest_of(token))


def expire(house: House, token: str, _name: str) -> None:
    house.execute("UPDATE sign_ins SET expires_at = '2020-01-01' WHERE digest = ?", digest_of(token))


def be_idle(house: House, token: str, _name: str) -> None:
    house.execute("UPDATE sign_ins SET seen_at = '2020-01-01' WHERE digest = ?", digest_of(token))


@pytest.mark.parametrize(
    "end",
    [sign_out, sign_out_elsewhere, disable, change_password, delete, expire, be_idle],
    ids=lambda end: end.__name__,
)
def test_an_open_page_ends_with_the_sign_in(house: House, end: Callable[[House, str, str], None]) -> None:
    name = f"Ends by {end.__name__}"
    house.accounts.add_user(name=name, role="owner", password=PASSWORD)
    token = house.sign_in(name)
    with Tab(house.url, token) as tab, house.client(token) as client:
        assert HERS in tab.open("studies")
        end(house, token, name)
        tab.send(page="studies")
        with pytest.raises(ConnectionClosed) as closed:
            tab.read()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == GONE
        assert client.get("/").status_code == 401
        assert refused_with(house.url, token) == 403


def exclude(house: House, _token: str, name: str) -> None:
    house.people.exclude(HERS, name, "why")


@pytest.mark.parametrize("end", [delete, expire, exclude], ids=lambda end: end.__name__)
@pytest.mark.parametrize("what", ["a choice", "a fragment's timer"])
def test_nothing_is_saved_after_the_end(house: House, end: Callable[[House, str, str], None], what: str) -> None:
    name = f"{what} {end.__name__}"
    token = house.annotate(HERS, name)
    with Tab(house.url, token) as tab:
        tab.open_work()
        time.sleep(READING)
        end(house, token, name)
        number, fragment = tab.button("1 is more relevant")
        tab.send(pressed=number if what == "a choice" else "", fragment=fragment)
        with pytest.raises(ConnectionClosed) as closed:
            tab.read()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == GONE
    assert judged(house, name) == 0


def test_a_choice_that_waits_for_the_database_is_not_saved_after_the_end(house: House) -> None:
    token = house.annotate(HERS, "Waits")
    with Tab(house.url, token) as tab:
        tab.open_work()
        time.sleep(READING)
        assert judged(house, "Waits") == 0
        with house.engine.execution_options(writing=True).begin() as connection:
            number, fragment = tab.button("1 is more relevant")
            tab.send(pressed=number, fragment=fragment)
            # Until it waits for the lock, which cannot be seen from here; a choice that came later is not saved either.
            time.sleep(READING)
            connection.exec_driver_sql("DELETE FROM sign_ins WHERE digest = ?", (digest_of(token),))
        assert "not signed in any more" in tab.read()
    assert judged(house, "Waits") == 0


def judged(house: House, annotator: str) -> int:
    """How many pairs an annotator has judged."""
    return next(item.judged for item in house.studies.annotators(HERS) if item.annotator == annotator)


# --- cookies ------------------------------------------------------------------------------------------------


def cookies_of(answer: httpx.Response) -> dict[str, str]:
    """The cookies that an answer sets, with their attributes."""
    return {line.split("=", 1)[0]: line.split("=", 1)[1] for line in answer.headers.get_list("set-cookie")}


def test_each_sign_in_has_a_new_cookie_and_ends_the_one_before(house: House) -> None:
    invited = house.studies.invite(study=HERS, name="Carla").token
    ways = [("/sign-in", {"name": "Rita", "password": PASSWORD})] * 2 + [(f"/join/{invited}", {})] * 2
    tokens = ["a" * 43]  # set by somebody beforehand
    for path, form in ways:
        with house.client(tokens[-1]) as client:
            answer = client.post(path, data=form)
        assert answer.status_code == 303
        assert answer.headers["location"] == ("/" if form else "/annotate")
        token, *attributes = cookies_of(answer)["relevance"].split("; ")
        assert {"HttpOnly", "Path=/", "SameSite=lax"} <= set(attributes)
        assert not any(part.startswith("Domain") for part in attributes)
        tokens.append(token)
    assert len(set(tokens)) == len(tokens)
    for token in tokens:
        with house.client(token) as client:
            assert client.get("/").status_code == (200 if token == tokens[-1] else 401)
    with house.engine.connect() as connection:
        stored = set(connection.exec_driver_sql("SELECT digest FROM sign_ins").scalars())
    assert not stored & set(tokens)
    assert digest_of(tokens[-1]) in stored


def test_behind_tls_the_cookie_is_of_this_host_alone() -> None:
    secure = Settings(secret=SECRET, public_url="https://relevance.example.org")
    assert (secure.cookie, secure.secure) == ("__Host-relevance", True)
