"""The addresses of rooms: one to vote, one that turns the slides and has the notes on them, one that the slides ask."""

import secrets
from collections.abc import Callable
from html import escape
from pathlib import Path

from anyio import move_on_after, sleep
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from relevance.data.wording import format_count
from relevance.hosting.forms import page
from relevance.hosting.rooms import CHOICES, QUESTION, TURNS, Room, find_remote, find_vote

SCRIPT = Path(__file__).with_name("rooms.js")

WAITS, PAUSE = 5.0, 0.1
"""Seconds for which a page that asks for news waits for them, and between two looks."""
LONGEST = 16 * 2**10
"""Bytes of the longest note that the slides send."""
VOTER = "relevance_voter"
"""The cookie that makes a phone's second vote replace its first."""

STYLE = """<style>
main { min-height: 100dvh; display: flex; flex-direction: column; align-self: start; }
h1 { margin: 0 0 .4rem; }
.example { margin: 0; opacity: .8; }
nav { display: grid; gap: .9rem; margin: 1.2rem 0; }
nav form { margin: 0; }
nav button { width: 100%; font-size: 1.6rem; padding: 2.2rem 1rem; }
nav.turns { grid-template-columns: 1fr 1fr; margin: auto 0 0; position: sticky; bottom: 0; padding: .6rem 0;
  background: light-dark(#fff, #171614); }
nav.turns button { font-size: 1.1rem; padding: 1rem .5rem; }
nav.turns form:last-child { grid-column: 1 / -1; }
nav.turns form:last-child button { padding: .6rem; }
button[aria-pressed=false] { background: transparent; color: light-dark(#1d4ed8, #93b4ff); }
.own { white-space: pre-wrap; font-size: 1.15rem; border-inline-start: 3px solid #1d4ed8; padding-inline-start: .8rem; }
.votes { font-size: 1.15rem; font-variant-numeric: tabular-nums; }
</style>"""

BUTTONS = {"previous": "← Back", "next": "Next →", "all": "All metrics ↓"}


def list_routes() -> list[Route]:
    """Return the routes of rooms. None needs a sign-in: each address has a secret that the presenter shows or keeps."""
    return [
        Route("/rooms.js", send_script, methods=["GET"]),
        Route("/vote/{key}", show_vote, methods=["GET"]),
        Route("/vote/{key}/{question}/{letter}", take_vote, methods=["POST"]),
        Route("/remote/{key}", show_remote, methods=["GET"]),
        Route("/remote/{key}/slides", answer_slides, methods=["POST"]),
        Route("/remote/{key}/{way}", take_turn, methods=["POST"]),
    ]


async def send_script(request: Request) -> Response:
    """Send the script of both pages."""
    return unkept(Response(SCRIPT.read_text(encoding="utf-8"), media_type="text/javascript"))


# --- voting -------------------------------------------------------------------------------------------------------


async def show_vote(request: Request) -> Response:
    """Show the two buttons, or that there is nothing to vote on; with `seen`, when it is another question than that."""
    room = find_vote(request.path_params["key"])
    if room is None:
        return ended("Vote")
    if (seen := number_of(request)) is not None and not await changes(lambda: room.question != seen):
        return Response(status_code=204)
    voter = request.cookies.get(VOTER) or secrets.token_urlsafe(12)
    answer = unkept(page(*vote_page(room, room.vote_of(voter))))
    answer.set_cookie(VOTER, voter, httponly=True, samesite="strict", path=request.url.path.rpartition("/")[0] + "/")
    return answer


async def take_vote(request: Request) -> Response:
    """Count a vote, and show the page again."""
    room = find_vote(request.path_params["key"])
    if room is None:
        return ended("Vote")
    if is_of_another_site(request):
        return refused()
    voter = request.cookies.get(VOTER)
    if voter is None:
        return unkept(page("Vote", "<p>This browser keeps no cookies, so your vote cannot be counted.</p>", 400))
    question = request.path_params["question"]
    if is_number(question):
        room.vote(int(question), voter, request.path_params["letter"])
    return RedirectResponse(f"../../{room.vote_key}", 303)


def vote_page(room: Room, voted: str | None) -> tuple[str, str]:
    """Return the title of a voter's page, and the HTML below it."""
    if not room.shown.votes:
        body = "<p>The buttons come with the slide that asks the room.</p>"
        return "No vote is open", f"{STYLE}{body}{follow(room.question)}"
    buttons = "".join(
        f'<form method=post action="{room.vote_key}/{room.question}/{letter}">'
        f"<button id={letter} aria-pressed={str(letter == voted).lower()}>{letter}</button></form>"
        for letter in CHOICES
    )
    body = f"You voted for {voted}. You can change it while the slide is shown." if voted else "Votes are not stored."
    return QUESTION, f"{STYLE}<nav>{buttons}</nav><p role=status>{body}</p>{follow(room.question)}"


# --- the presenter's page -----------------------------------------------------------------------------------------


async def show_remote(request: Request) -> Response:
    """Show the notes on the slide and the buttons that turn; with `seen`, when they are others than those."""
    room = find_remote(request.path_params["key"])
    if room is None:
        return ended("Slides")
    if (seen := number_of(request)) is not None and not await changes(lambda: room.version != seen):
        return Response(status_code=204)
    return unkept(page(*remote_page(room)))


async def take_turn(request: Request) -> Response:
    """Turn the slides, and show the notes as they are."""
    room = find_remote(request.path_params["key"])
    if room is None:
        return ended("Slides")
    if is_of_another_site(request) or request.path_params["way"] not in TURNS:
        return refused()
    room.turn(request.path_params["way"])
    return RedirectResponse(f"../{room.turn_key}", 303)


async def answer_slides(request: Request) -> Response:
    """Tell the slides, which send the presenter's own note on an example, the turn to make and the votes."""
    room = find_remote(request.path_params["key"])
    if room is None:
        return PlainTextResponse("These slides take no more votes.\n", 404)
    length = request.headers.get("content-length", "")
    if is_of_another_site(request) or not is_number(length) or int(length) > LONGEST:
        return refused()
    room.write_note(request.query_params.get("example", ""), (await request.body()).decode("utf-8", "replace"))
    seen = number_of(request)
    turn: str | None = None

    def has_news() -> bool:
        nonlocal turn
        turn = room.next_turn()
        return turn is not None or room.version != seen

    await changes(has_news)
    return unkept(JSONResponse({"seen": room.version, "turn": turn, "votes": say_votes(room)}))


def remote_page(room: Room) -> tuple[str, str]:
    """Return the title of a presenter's page, and the HTML below it."""
    shown = room.shown
    parts = [f"<p class=example dir=auto>{escape(shown.example)}</p>"]
    if shown.votes:
        votes = " · ".join(f"{letter} {words}" for letter, words in say_votes(room).items())
        parts.append(f"<p class=votes>{votes}</p>")
    if room.own_note:
        parts.append(f"<p class=own dir=auto>{escape(room.own_note)}</p>")
    parts.append(f"<ul>{''.join(f'<li dir=auto>{escape(note)}</li>' for note in shown.notes)}</ul>")
    if shown.follows:
        parts.append(f"<p>Next: {escape(shown.follows)}</p>")
    buttons = "".join(
        f'<form method=post action="{room.turn_key}/{way}">'
        f'<button id={way} class="{"" if way == "next" else "quiet"}">{BUTTONS[way]}</button></form>'
        for way in TURNS
    )
    parts.append(f"<p role=status></p><nav class=turns>{buttons}</nav>")
    return shown.slide or "The slides are closed", f"{STYLE}{''.join(parts)}{follow(room.version)}"


# --- for all of them ----------------------------------------------------------------------------------------------


def say_votes(room: Room) -> dict[str, str]:
    """Return the votes on the example that is shown in words, by letter."""
    return {letter: format_count(votes, "vote") for letter, votes in room.count(room.shown.example).items()}


def follow(seen: int) -> str:
    """Write the HTML by which a page asks for its next version."""
    return f'<div data-seen="{seen}"></div><script src="../rooms.js" defer></script>'


async def changes(has_news: Callable[[], bool]) -> bool:
    """Wait for news; tell whether there were any."""
    with move_on_after(WAITS):
        while not has_news():
            await sleep(PAUSE)
        return True
    return False


def number_of(request: Request) -> int | None:
    """Return the number that a page has seen; None for a page that is opened."""
    seen = request.query_params.get("seen", "")
    return int(seen) if is_number(seen) else None


def is_number(text: str) -> bool:
    """Tell whether a text is a whole number, and not a huge one."""
    return text.isascii() and text.isdecimal() and len(text) < 12


def is_of_another_site(request: Request) -> bool:
    """Tell whether a page of another site sent a request, by the browser's statement."""
    return request.headers.get("sec-fetch-site", "same-origin") != "same-origin"


def refused() -> Response:
    """Refuse what none of our own pages sends."""
    return PlainTextResponse("Only this site's own pages may send that.\n", 403)


def ended(title: str) -> Response:
    """Make the page of an address that opens no room."""
    return unkept(page(title, "<p>These slides have ended, or their address was mistyped.</p>", 404))


def unkept(answer: Response) -> Response:
    """Ask browsers not to keep an answer, and not to tell others its address."""
    answer.headers.update({"cache-control": "no-store", "referrer-policy": "no-referrer"})
    return answer
