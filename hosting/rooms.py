"""Rooms: what phones say of slides that are being shown. They stay in this process's memory and are stored nowhere."""

import secrets
from collections import Counter, deque
from threading import Lock
from time import monotonic
from typing import NamedTuple

QUESTION = "Which summary is more relevant to the document?"
CHOICES = ("A", "B")
"""The choices of a room's vote: the two summaries of a slide."""
TURNS = ("previous", "next", "all")
"""The commands of a remote control: turn back, turn on, or show all metrics of the example."""

SEVERAL = "RELEVANCE_SEVERAL_WORKERS"
"""Set for a server that is one of several behind one address, which share nothing but the database."""

MOST_ROOMS = 64
"""The most rooms that are open at a time; the one that was unused for longest is closed for another."""
LASTS = 6 * 3600.0
"""Seconds after which an unused room is closed."""
MOST_VOTERS = 2000
"""The most phones that vote on a question."""
MOST_TURNS = 8
"""The most turns that wait for the slides."""
LONGEST_NOTE = 4000
"""Characters of the longest note of a presenter."""
PATIENCE = 2.0
"""Seconds after which a turn that showed no other slide is over: there was none to turn to."""
STALE = 5.0
"""Seconds after which a turn that waits is forgotten: the slides were away."""

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""The letters of the address for voters: none of them looks like another, as it may be typed."""


class Shown(NamedTuple):
    """A slide as the presenter's notes describe it."""

    slide: str
    """The title of the slide, such as `The room votes`."""
    example: str = ""
    """The name of the example."""
    notes: tuple[str, ...] = ()
    """The notes on the slide."""
    follows: str = ""
    """The title of the next slide; empty for the last."""
    votes: bool = False
    """True while the room votes on the example."""


class Room:
    """The votes, turns and notes of slides; all that it has is lost with it."""

    def __init__(self) -> None:
        self.key = secrets.token_urlsafe(16)
        """Names the room in the address of the slides, which only the app's own pages read."""
        self.vote_key = "".join(secrets.choice(LETTERS) for _ in range(8))
        self.turn_key = secrets.token_urlsafe(16)
        self.used = monotonic()
        self.shown = Shown("")
        self.version = 0
        """Raised whenever the presenter's page would be another."""
        self.question = 0
        """Raised whenever voting begins or ends."""
        self.hands: dict[str, Counter[str]] = {}
        self.ballots: dict[str, dict[str, str]] = {}
        self.notes: dict[str, str] = {}
        self.turns: deque[tuple[str, float]] = deque(maxlen=MOST_TURNS)
        self.turned: float | None = None
        self.lock = Lock()

    def show(self, shown: Shown) -> None:
        """Take note of the slide that is shown."""
        with self.lock:
            self.used = monotonic()
            before, self.shown = self.shown, shown
            if before != shown:
                self.version += 1
                self.turned = None
            if (before.votes, before.votes and before.example) != (shown.votes, shown.votes and shown.example):
                self.question += 1

    # --- votes --------------------------------------------------------------------------------------------

    def count(self, example: str) -> dict[str, int]:
        """Return the votes for A and B on an example, raised hands and phones together."""
        with self.lock:
            votes = self.hands.get(example, Counter()) + Counter(self.ballots.get(example, {}).values())
        return {letter: votes[letter] for letter in CHOICES}

    def raise_hand(self, example: str, letter: str) -> None:
        """Count a hand."""
        with self.lock:
            self.hands.setdefault(example, Counter())[letter] += 1
            self.version += 1

    def count_anew(self, example: str) -> None:
        """Forget the votes on an example."""
        with self.lock:
            self.hands.pop(example, None)
            self.ballots.pop(example, None)
            self.version += 1
            self.question += 1

    def vote(self, question: int, voter: str, letter: str) -> bool:
        """Take a phone's vote, in the place of its earlier one; tell whether it counts.

        It does not where the slide, and with it the `question`, has changed meanwhile, or after `MOST_VOTERS`.
        """
        with self.lock:
            if not self.shown.votes or question != self.question or letter not in CHOICES:
                return False
            ballots = self.ballots.setdefault(self.shown.example, {})
            if voter not in ballots and len(ballots) >= MOST_VOTERS:
                return False
            ballots[voter] = letter
            self.version += 1
            return True

    def vote_of(self, voter: str) -> str | None:
        """Return a phone's vote on the example that is shown."""
        return self.ballots.get(self.shown.example, {}).get(voter)

    # --- turns and notes ----------------------------------------------------------------------------------

    def turn(self, way: str) -> None:
        """Ask the slides to turn in one of `TURNS`."""
        with self.lock:
            self.turns.append((way, monotonic()))

    def next_turn(self) -> str | None:
        """Return the next turn for the slides to make, when the one before has shown its slide."""
        with self.lock:
            self.used = monotonic()
            while self.turns and monotonic() > self.turns[0][1] + STALE:
                self.turns.popleft()
            if not self.turns or (self.turned is not None and monotonic() < self.turned + PATIENCE):
                return None
            self.turned = monotonic()
            return self.turns.popleft()[0]

    def write_note(self, example: str, text: str) -> None:
        """Keep the presenter's own note on the example that is shown; one on another comes too late."""
        with self.lock:
            if example == self.shown.example and self.own_note != text[:LONGEST_NOTE]:
                self.notes[example] = text[:LONGEST_NOTE]
                self.version += 1

    @property
    def own_note(self) -> str:
        """The presenter's own note on the example that is shown."""
        return self.notes.get(self.shown.example, "")


OPEN_ROOMS: dict[str, Room] = {}
ROOMS_LOCK = Lock()


def add_room(room: Room) -> None:
    """Open a room to phones."""
    with ROOMS_LOCK:
        for key in [key for key, other in OPEN_ROOMS.items() if monotonic() > other.used + LASTS]:
            del OPEN_ROOMS[key]
        while len(OPEN_ROOMS) >= MOST_ROOMS:
            del OPEN_ROOMS[min(OPEN_ROOMS, key=lambda key: OPEN_ROOMS[key].used)]
        room.used = monotonic()
        OPEN_ROOMS[room.key] = room


def remove_room(room: Room) -> None:
    """Close a room."""
    with ROOMS_LOCK:
        OPEN_ROOMS.pop(room.key, None)


def find_room(key: str) -> Room | None:
    """Return the open room that the slides' own address names."""
    return OPEN_ROOMS.get(key)


def find_vote(key: str) -> Room | None:
    """Return the open room of an address for voters."""
    return find("vote_key", key)


def find_remote(key: str) -> Room | None:
    """Return the open room of a presenter's address."""
    return find("turn_key", key)


def find(name: str, key: str) -> Room | None:
    """Find the open room with this key, compared in constant time."""
    with ROOMS_LOCK:
        same = (
            room for room in OPEN_ROOMS.values() if secrets.compare_digest(getattr(room, name).encode(), key.encode())
        )
        return next(same, None)
