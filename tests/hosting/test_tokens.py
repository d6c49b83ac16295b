"""What opens something is told to nobody: no log, no figure, no address."""

import json

import pytest
from websockets.exceptions import ConnectionClosed

from tests.hosting.house import HERS, PASSWORD, House
from tests.hosting.tabs import Tab

pytestmark = pytest.mark.process


def test_logs_and_figures_hold_no_tokens(house: House) -> None:
    personal = house.studies.invite(study=HERS, name="Gerda").token
    shared = house.links.add_link(HERS).token
    panel = house.links.add_link(HERS, kind="panel").token
    person = "participant-5f3a9c"
    told = []
    with house.client() as client:
        for path in (f"/join/{personal}", f"/join/{shared}", f"/p/{panel}?PROLIFIC_PID={person}"):
            assert client.get(path).status_code == 200
            answer = client.post(path)
            assert (answer.status_code, answer.headers["location"]) == (303, "/annotate")
            told.append(answer.headers["set-cookie"].split(";")[0].removeprefix("relevance="))
            client.cookies.clear()
        # where people paste them by mistake
        for path in (f"/{personal}", f"/join/{personal}/", f"/_stcore/{shared}", f"/annotate?invite={personal}"):
            client.get(path)
        client.request("BREW", f"/{shared}")
        client.post("/sign-in", data={"name": "Rita", "password": f"{PASSWORD}, mistyped"})
        answer = client.post("/sign-in", data={"name": "Rita", "password": PASSWORD})
        told.append(answer.headers["set-cookie"].split(";")[0].removeprefix("relevance="))
        client.cookies.clear()
    with Tab(house.url, told[0]) as tab:
        tab.open("annotate", f"invite={personal}")
        tab.socket.send(b"no message at all")
    with house.client(told[0]) as client:
        assert client.get("/account").headers["location"] == "/annotate"
    with house.client(house.sign_in("Olga")) as client:
        figures = client.get("/metrics").text

    house.execute("ALTER TABLE links RENAME TO hidden")  # what a driver says of an error names what was asked for
    house.execute("ALTER TABLE sign_ins RENAME TO away")
    try:
        with house.client() as client:
            assert client.post(f"/join/{shared}").status_code == 503
    finally:
        house.execute("ALTER TABLE hidden RENAME TO links")
        house.execute("ALTER TABLE away RENAME TO sign_ins")

    log = house.log.read_text()
    assert "no such table: links" in log
    for secret in (personal, shared, panel, person, PASSWORD, *told):
        assert secret not in log
        assert secret not in figures
    assert 'route="/join/…"' in figures
    for figure in ("requests_total{", "request_seconds_bucket{", "open_pages ", "sign_ins ", "judgments "):
        assert f"\nrelevance_{figure}" in figures
    assert "\nrelevance_waiting_tables 0.0" in figures


def test_figures_do_not_grow_with_what_is_asked_for(house: House) -> None:
    with house.client(house.sign_in("Olga")) as client:
        client.get("/metrics")
        before = len(client.get("/metrics").text.splitlines())
        for number in range(20):
            for path in (f"/made-up-{number}", f"/_stcore/made-up-{number}", f"/static/{number}", f"/oidc/{number}"):
                client.get(path)
            client.request(f"MADE{number}", "/sign-in")
        lines = client.get("/metrics").text.splitlines()
    assert len(lines) - before < 60
    assert not any("made-up" in line for line in lines)


def test_the_log_is_lines_of_json_with_the_number_of_each_request(house: House) -> None:
    with house.client() as client:
        number = client.get("/sign-in").headers["x-request-id"]
    with Tab(house.url, house.sign_in("Olga")) as tab:
        tab.open("studies")
        tab.socket.send(b"no message at all")  # of which Streamlit complains
        with pytest.raises(ConnectionClosed):
            tab.read()
    answers = [json.loads(line) for line in house.log.read_text().splitlines()]
    assert any(row["logger"].startswith("streamlit") for row in answers)
    requests = [row for row in answers if row["message"] == "request"]
    assert all(
        request.keys() >= {"time", "level", "id", "method", "route", "status", "seconds"} for request in requests
    )
    (line,) = [request for request in requests if request["id"] == number]
    assert (line["method"], line["route"], line["status"]) == ("GET", "/sign-in", 200)
