"""Rooms: votes of phones, turns of a remote control and notes, in memory and at their addresses."""

import re
from collections.abc import Iterator
from html import unescape
from threading import Thread

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from relevance.hosting import room_routes, rooms
from relevance.hosting.room_routes import list_routes
from relevance.hosting.rooms import (
    LASTS,
    LONGEST_NOTE,
    MOST_ROOMS,
    MOST_VOTERS,
    PATIENCE,
    QUESTION,
    STALE,
    TURNS,
    Room,
    Shown,
    add_room,
    find_remote,
    find_room,
    find_vote,
    remove_room,
)

ASKING = Shown("The room votes", "one", ("Wait for it.",), "What people preferred", votes=True)
AFTER = Shown("What people preferred", "one", ("The author preferred B.",), "ROUGE-1")

CROSS_SITE = {"Sec-Fetch-Site": "cross-site"}


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(rooms, "monotonic", clock)
    return clock


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    """A room that is open and asks; waiting for news ends soon."""
    monkeypatch.setattr(room_routes, "WAITS", 0.3)
    monkeypatch.setattr(room_routes, "PAUSE", 0.01)
    room = Room()
    room.show(ASKING)
    add_room(room)
    yield room
    remove_room(room)


def visit() -> TestClient:
    """A browser of its own."""
    return TestClient(Starlette(routes=list_routes()), follow_redirects=True)


# --- votes --------------------------------------------------------------------------------------------------------


def test_a_phone_has_one_vote_that_it_can_change(room: Room) -> None:
    question = room.question
    assert all(room.vote(question, voter, "A") for voter in ("Ada", "Ben"))
    assert room.vote(question, "Ada", "B")
    room.raise_hand("one", "A")
    assert (room.count("one"), room.vote_of("Ada"), room.vote_of("Cy")) == ({"A": 2, "B": 1}, "B", None)
    assert room.question == question  # phones need not ask again
    room.count_anew("one")
    assert room.count("one") == {"A": 0, "B": 0}
    assert room.question > question  # phones show that they have not voted


@pytest.mark.parametrize("shown", [AFTER, Shown(""), ASKING._replace(example="two")], ids=["after", "closed", "other"])
def test_a_vote_counts_while_its_slide_is_shown(room: Room, shown: Shown) -> None:
    late = room.question
    room.vote(late, "Ada", "A")
    room.show(shown)
    assert not room.vote(late, "Ben", "A")
    assert (room.count("one"), room.count("two")) == ({"A": 1, "B": 0}, {"A": 0, "B": 0})
    room.show(ASKING)
    assert room.vote(room.question, "Ada", "B")  # the same phone, when the slide is shown again
    assert room.count("one") == {"A": 0, "B": 1}


def test_votes_that_nobody_asked_for_are_refused(room: Room) -> None:
    assert not room.vote(room.question, "Ada", "C")
    assert not room.vote(room.question + 1, "Ada", "A")
    assert all(room.vote(room.question, str(voter), "A") for voter in range(MOST_VOTERS))
    assert not room.vote(room.question, "one too many", "A")
    assert room.vote(room.question, "7", "B")
    assert room.count("one") == {"A": MOST_VOTERS - 1, "B": 1}


def test_votes_at_the_same_time_are_all_counted(room: Room) -> None:
    def vote(many: int) -> None:
        for voter in range(200):
            room.vote(room.question, f"{many}-{voter}", "AB"[voter % 2])
            room.raise_hand("one", "A")

    threads = [Thread(target=vote, args=(many,)) for many in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert room.count("one") == {"A": 8 * 300, "B": 8 * 100}


# --- turns --------------------------------------------------------------------------------------------------------


def test_turns_are_made_one_after_the_other(room: Room, clock: Clock) -> None:
    room.turn("next")
    room.turn("all")
    assert room.next_turn() == "next"
    assert room.next_turn() is None  # its slide has not been shown yet
    room.show(ASKING)  # drawn again, as when a score arrives
    assert room.next_turn() is None
    room.show(AFTER)
    assert (room.next_turn(), room.next_turn()) == ("all", None)


def test_a_turn_that_leads_nowhere_holds_up_the_next_for_a_moment(room: Room, clock: Clock) -> None:
    room.turn("next")
    room.turn("previous")
    assert (room.next_turn(), room.next_turn()) == ("next", None)
    clock.now += PATIENCE
    assert room.next_turn() == "previous"


def test_turns_while_the_slides_are_away_are_forgotten(room: Room, clock: Clock) -> None:
    room.turn("next")
    clock.now += STALE + 1
    room.turn("previous")
    assert (room.next_turn(), room.next_turn()) == ("previous", None)


# --- rooms --------------------------------------------------------------------------------------------------------


def test_rooms_are_found_by_their_own_keys(room: Room) -> None:
    assert find_room(room.key) is find_vote(room.vote_key) is find_remote(room.turn_key) is room
    others = [find_vote(room.turn_key), find_remote(room.vote_key), find_remote(room.key), find_room(room.turn_key)]
    assert [*others, find_vote(""), find_remote("ä")] == [None] * 6
    remove_room(room)
    assert find_room(room.key) is find_vote(room.vote_key) is find_remote(room.turn_key) is None
    remove_room(room)


def test_unused_rooms_make_place(clock: Clock) -> None:
    kept = []
    for _ in range(MOST_ROOMS):
        clock.now += 1
        kept.append(Room())
        add_room(kept[-1])
    kept[0].next_turn()  # the slides ask
    clock.now += 1
    add_room(Room())
    assert find_room(kept[0].key) is kept[0]
    assert find_room(kept[1].key) is None
    clock.now += LASTS + 10
    last = Room()
    add_room(last)
    assert [room for room in kept if find_room(room.key)] == []
    remove_room(last)


# --- their addresses ----------------------------------------------------------------------------------------------


def words(text: str) -> str:
    """The words of a page, without its style."""
    body = re.sub("<style>.*?</style>", "", text.partition("<body>")[2], flags=re.DOTALL)
    return unescape(" ".join(re.sub("<[^>]*>", " ", body).split()))


def test_voting(room: Room) -> None:
    with visit() as ada, visit() as ben:
        page = ada.get(f"/vote/{room.vote_key}")
        assert QUESTION in words(page.text)
        assert {**page.headers}.items() >= {"cache-control": "no-store", "referrer-policy": "no-referrer"}.items()
        actions = re.findall(r'action="(.*?)"', page.text)
        assert actions == [f"{room.vote_key}/{room.question}/{letter}" for letter in "AB"]
        for browser, action in ((ada, actions[0]), (ben, actions[1]), (ada, actions[1])):
            browser.get(f"/vote/{room.vote_key}")
            answer = browser.post(f"/vote/{action}")
            assert f"You voted for {action[-1]}." in words(answer.text)
            assert "id=" + action[-1] + " aria-pressed=true" in answer.text
        assert room.count("one") == {"A": 0, "B": 2}
        room.show(AFTER)
        assert "No vote is open" in words(ben.post(f"/vote/{actions[0]}").text)
        assert room.count("one") == {"A": 0, "B": 2}
        assert "preferred" not in words(ada.get(f"/vote/{room.vote_key}").text)  # notes are the presenter's


def test_a_page_waits_for_another_question(room: Room) -> None:
    with visit() as ada:
        address = f"/vote/{room.vote_key}"
        assert ada.get(address, params={"seen": room.question}).status_code == 204
        assert QUESTION in ada.get(address, params={"seen": room.question - 1}).text
        assert QUESTION in ada.get(address, params={"seen": "x"}).text
        remove_room(room)
        assert ada.get(address, params={"seen": room.question}).status_code == 404


def test_a_phone_without_cookies_is_told(room: Room) -> None:
    with visit() as ada:
        answer = ada.post(f"/vote/{room.vote_key}/{room.question}/A")
    assert answer.status_code == 400
    assert "keeps no cookies" in answer.text
    assert room.count("one")["A"] == 0


def test_the_presenters_page(room: Room) -> None:
    room.vote(room.question, "Ada", "A")
    with visit() as phone, visit() as slides:
        text = words(phone.get(f"/remote/{room.turn_key}").text)
        for part in ("The room votes", "one", "Wait for it.", "A 1 vote · B 0 votes", "Next: What people preferred"):
            assert part in text
        for way in TURNS:
            assert phone.post(f"/remote/{room.turn_key}/{way}").status_code == 200
        address = f"/remote/{room.turn_key}/slides"
        told = slides.post(address, params={"seen": room.version, "example": "one"}, content="<b>Mine</b>").json()
        assert told == {"seen": room.version, "turn": "previous", "votes": {"A": "1 vote", "B": "0 votes"}}
        assert "<p class=own dir=auto>&lt;b&gt;Mine&lt;/b&gt;</p>" in phone.get(f"/remote/{room.turn_key}").text
        room.show(AFTER)
        text = words(phone.get(f"/remote/{room.turn_key}").text)
        assert "A 1 vote" not in text
        assert "The author preferred B." in text
        assert slides.post(address, content="").json()["turn"] == "next"
        assert room.own_note == "<b>Mine</b>"  # a message on another example changes nothing
        assert slides.post(address, params={"example": "one"}, content="x" * (LONGEST_NOTE + 9)).status_code == 200
        assert len(room.own_note) == LONGEST_NOTE
        room.show(Shown(""))
        assert "The slides are closed" in words(phone.get(f"/remote/{room.turn_key}").text)


def test_texts_of_others_are_no_markup(room: Room) -> None:
    text = '<img src=x onerror="alert(1)">&'
    room.show(Shown(text, text, (text,), text, votes=True))
    with visit() as phone:
        page = phone.get(f"/remote/{room.turn_key}").text
    assert "<img" not in page
    assert words(page).count(text) == 4


def test_other_sites_and_other_messages_are_refused(room: Room) -> None:
    remote = f"/remote/{room.turn_key}"
    with visit() as ada:
        ada.get(f"/vote/{room.vote_key}")
        for path in (f"/vote/{room.vote_key}/{room.question}/A", f"{remote}/next", f"{remote}/slides"):
            assert ada.post(path, headers=CROSS_SITE).status_code == 403
        ada.post(f"/vote/{room.vote_key}/²/A")
        assert ada.post(f"{remote}/dance").status_code == 403
        assert ada.post(f"{remote}/slides", content="x" * 20_000).status_code == 403
        assert ada.post(f"{remote}/slides", content=iter([b"x"])).status_code == 403  # of a length that is not said
    assert (room.count("one"), room.next_turn(), room.own_note) == ({"A": 0, "B": 0}, None, "")


def test_addresses_of_no_room(room: Room) -> None:
    with visit() as ada:
        answers = [
            ada.get(f"/vote/{room.turn_key}"),
            ada.get("/vote/x"),
            ada.get("/vote/%C3%A4"),
            ada.post("/vote/x/1/A"),
            ada.get(f"/remote/{room.vote_key}"),
            ada.post("/remote/x/next"),
            ada.post("/remote/x/slides"),
        ]
    assert [answer.status_code for answer in answers] == [404] * 7
    assert "These slides have ended" in answers[0].text
