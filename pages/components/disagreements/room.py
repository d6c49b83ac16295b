"""The room in front of the slides: its votes, by hands and by phone, and the presenter's remote control."""

import os
from functools import lru_cache
from pathlib import Path

import segno
import streamlit as st

from relevance.hosting.rooms import SEVERAL, Room, Shown, add_room, find_room, remove_room
from relevance.pages.components.disagreements.examples import Disagreement
from relevance.pages.components.disagreements.slides import Votes
from relevance.pages.components.shared.links import is_of_this_machine, make_link
from relevance.reports.escaping import esc

HERE = Path(__file__).parent

NOTE = st.components.v2.component(
    "relevance_note",
    html='<label for="note">Your note on this example, which this browser keeps</label>'
    '<textarea id="note" rows="2" dir="auto"></textarea>',
    css=(HERE / "note.css").read_text(encoding="utf-8"),
    js=(HERE / "note.js").read_text(encoding="utf-8"),
)

ROOM = "room"
"""The part of the slides' address that names the room; and the session key of a room that no phone enters."""

ONE_MACHINE = (
    "Phones cannot reach this address, which is of this machine alone. Start the server with "
    "`relevance serve --host 0.0.0.0` and open the app at this machine's address in the network: phones can then vote "
    "and turn. Everybody in that network can open the app, too; `--hosted` asks them to sign in."
)
SEVERAL_WORKERS = (
    "Phones cannot vote or turn here: this server has several workers, and a phone may reach another one than the "
    "slides. They can on a server that is started with one worker."
)


# --- the room -------------------------------------------------------------------------------------------------------


def find_audience() -> Room:
    """Return the room of these slides: the one that their address names, or one that no phone enters."""
    named = find_room(st.query_params.get(ROOM, ""))
    if named is not None:
        return named
    st.query_params.pop(ROOM, None)
    room: Room = st.session_state.setdefault(ROOM, Room())
    return room


def is_open() -> bool:
    """Tell whether phones can enter the room of these slides."""
    return ROOM in st.query_params


def why_unreachable() -> str:
    """Say why phones cannot reach this server; empty if they can."""
    return ONE_MACHINE if is_of_this_machine() else SEVERAL_WORKERS if os.environ.get(SEVERAL) else ""


def find_remote_link(room: Room) -> str:
    """Return the address of the presenter's page; empty where the room is not open."""
    return make_link(f"remote/{room.turn_key}", {}) if is_open() else ""


@lru_cache(maxsize=64)  # a slide is drawn again while scores arrive
def code_html(link: str, words: str) -> str:
    """Write a QR code with the address below it as HTML."""
    code = segno.make_qr(link, error="m").svg_data_uri(border=3, light="#fff")
    return (
        f'<figure class="code"><img alt="{esc(f"QR code of {link}")}" src="{esc(code)}">'
        f"<figcaption>{esc(words)}<br><b>{esc(link.rsplit('://', maxsplit=1)[-1])}</b></figcaption></figure>"
    )


def count_votes(room: Room, example: Disagreement) -> Votes:
    """Count the room's votes, with the code by which phones vote where they can."""
    can = is_open() and not why_unreachable()
    code = code_html(make_link(f"vote/{room.vote_key}", {}), "Vote by phone") if can else ""
    return Votes(room.count(example.name), code)


# --- on the page ----------------------------------------------------------------------------------------------------


def show_room(example: Disagreement) -> None:
    """Show whether phones vote and turn, with the presenter's page and note."""
    room = find_audience()
    room.show(Shown(""))
    st.session_state.phones = is_open()

    def take() -> None:
        if st.session_state.phones:
            add_room(room)
            st.query_params[ROOM] = room.key
        else:
            remove_room(room)
            st.query_params.pop(ROOM, None)

    st.toggle(
        "Notes, remote control and votes by phone",
        key="phones",
        on_change=take,
        help="Your notes and buttons that turn the slides, in another window or on your phone; and a code on the slide "
        "where the room votes. Votes stay in the server's memory while the slides are shown.",
    )
    if not is_open():
        return
    NOTE(key="note", data={"example": example.name})
    link = find_remote_link(room)
    with st.container(horizontal=True, vertical_alignment="center", gap="large"):
        st.link_button("Open your notes and remote control", link, icon=":material/speaker_notes:")
        if why := why_unreachable():
            st.info(why)
        else:
            st.html(code_html(link, "On your phone. Whoever has this address turns the slides."), width="content")
