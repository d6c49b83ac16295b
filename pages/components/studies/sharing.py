"""The people who enter a study of a hosted server: members, and annotators by links for many people."""

from datetime import UTC, date, datetime, time, timedelta

import pandas as pd
import streamlit as st

from relevance.annotation.protocol.records import Places
from relevance.annotation.records import OPEN, Annotator, Study
from relevance.data.database import now
from relevance.data.one_line import in_one_line
from relevance.data.rights import Right
from relevance.data.wording import format_count
from relevance.hosting.links import Link
from relevance.hosting.settings import hosted_settings
from relevance.pages.components.shared.links import show_link
from relevance.pages.components.shared.messages import announce
from relevance.pages.components.shared.stores import open_stores

RIGHTS = {
    Right.READ: "Read: results, exports, and judging under their own name",
    Right.ADJUDICATE: "Adjudicate: as Read, and settle what annotators disagree on",
    Right.MANAGE: "Manage: everything, with links and members",
}

KINDS = {
    "open": "Open: whoever has the address enters, each as a new annotator",
    "panel": "Panel: a panel such as Prolific names each person, who can come back",
}

PANEL = (
    "The panel fills in what follows the question mark; CloudResearch Connect adds it by itself. The study file says, "
    "under [panel], which parameters a panel has, and where people are sent back to."
)


# --- members ----------------------------------------------------------------------------------------------------


def show_members(study: Study) -> None:
    """Show who has rights in the study, and offer to grant and to withdraw them."""
    accounts = open_stores().accounts
    members, owner = accounts.members(study.name), accounts.owner_of(study.name)
    rows = [] if owner is None else [{"account": in_one_line(owner), "right": "owner"}]
    rows += [{"account": in_one_line(member.name), "right": member.right.name.lower()} for member in members]
    if rows:
        st.dataframe(pd.DataFrame(rows), hide_index=True, key="members", width=520)
    if not members:
        st.caption("Nobody else has a right in this study, except the owners of this server.")
    with st.form("member", width=520, clear_on_submit=True):
        name = st.text_input("Account", key="member_name", max_chars=200, help="The name by which they sign in.")
        right = st.selectbox("Right", list(RIGHTS), format_func=RIGHTS.__getitem__, key="member_right")
        if st.form_submit_button("Give the right", icon=":material/person_add:"):
            accounts.grant(study.name, name, right)
            announce(f"{name.strip()} may {right.name.lower()} {study.name}.")
    if members:
        with st.container(horizontal=True, vertical_alignment="bottom", key="member_leaves"):
            names = [member.name for member in members]
            chosen = st.selectbox("Member", names, format_func=in_one_line, key="member_chosen", width=320)
            if st.button("Take the right away", icon=":material/person_remove:", key="member_remove"):
                accounts.grant(study.name, chosen, None)
                announce(f"{chosen} no longer has a right in {study.name}.")


# --- links ------------------------------------------------------------------------------------------------------


def personal_address(annotator: Annotator) -> str:
    """Return the address of a personal link."""
    return f"{hosted_settings().public_url}/join/{annotator.token}"


def address_of(link: Link) -> str:
    """Return the address of a link for many people."""
    path = f"p/{link.token}{link.query}" if link.kind == "panel" else f"join/{link.token}"
    return f"{hosted_settings().public_url}/{path}"


def has_ended(link: Link) -> bool:
    """Tell whether a link lets nobody new in."""
    full = link.places is not None and link.taken >= link.places
    return link.revoked_at is not None or full or (link.ends_at is not None and link.ends_at <= now())


def describe_link(link: Link) -> str:
    """Say how many people entered by a link, and until when it is open."""
    entered = f"{link.taken:,} entered" if link.places is None else f"{link.taken:,} of {link.places:,} places taken"
    end = "" if link.ends_at is None else f" · until {link.ends_at:%Y-%m-%d %H:%M} UTC"
    revoked = "" if link.revoked_at is None else f" · revoked on {link.revoked_at:%Y-%m-%d}"
    return f"{link.kind.capitalize()} link of {link.created_at:%Y-%m-%d} · {entered}{end}{revoked}"


def show_links(study: Study) -> None:
    """Show the study's links for many people, to be copied and revoked, and offer another one."""
    st.markdown("**Links for many people**")
    links = open_stores().links.links(study.name)
    ended = [link for link in links if has_ended(link)]
    for link in links:
        if link not in ended:
            show_live_link(study, link)
    if ended:
        with st.expander(f"{format_count(len(ended), 'link')} that let nobody in any more"):
            st.markdown("\n".join(f"- {describe_link(link)}" for link in ended))
    if study.state == OPEN:
        with st.expander("New link for many people", icon=":material/add_link:", key="new_link"):
            add_link(study)


def show_live_link(study: Study, link: Link) -> None:
    """Show a link to be copied, and its facts."""
    with st.container(border=True, key=f"link:{link.id}"):
        show_link(address_of(link))
        if link.kind == "panel":
            st.caption(PANEL)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(describe_link(link), width="stretch")
            if st.button("Revoke", icon=":material/link_off:", key=f"revoke:{link.id}", type="tertiary"):
                open_stores().links.revoke(study.name, link.id)
                announce("The link is revoked. Those who have entered by it can go on.")


def add_link(study: Study) -> None:
    """Ask for a new link for many people; fields left empty take what the study file says."""
    by_file = open_stores().protocols.protocol(study.name).links or Places()
    any_number = "any number" if by_file.places is None else f"{by_file.places:,}, by the study file"
    ends = "" if by_file.ends is None else f" By the study file, {by_file.ends:%Y-%m-%d %H:%M %Z} where none is chosen."
    with st.form("add_link", width=520, border=False):
        kind = st.selectbox("Kind", list(KINDS), format_func=KINDS.__getitem__, key="link_kind")
        places = st.number_input(
            "Places", 1, 100_000, None, placeholder=any_number, key="link_places", help="How many people may enter."
        )
        last = st.date_input(
            "Last day (UTC)",
            None,
            min_value=now().date(),
            key="link_last",
            help=f"Those who have entered can go on after it.{ends}",
        )
        if st.form_submit_button("Make the link", icon=":material/add_link:"):
            ends_at = end_of(last) if isinstance(last, date) else None
            open_stores().links.add_link(study.name, kind=kind, places=places, ends_at=ends_at)
            announce("Made the link.")


def end_of(day: date) -> datetime:
    """Return the end of a day, in UTC."""
    return datetime.combine(day + timedelta(days=1), time(), UTC)
