"""Links by which annotators enter a study: personal ones, open ones with places and an end, and those of a panel."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from relevance.annotation.inputs import clean_text
from relevance.annotation.languages import ENGLISH, Wording, wording_of
from relevance.annotation.phases import WITHDRAWN
from relevance.annotation.protocol.current import find_protocol
from relevance.annotation.protocol.panels import describe_parameters, find_way_back, read_ids
from relevance.annotation.protocol.records import Panel, Places
from relevance.annotation.records import Annotator
from relevance.annotation.store import add_annotator, find_annotator, find_own
from relevance.annotation.studies import find_study, may_come
from relevance.annotation.tables import AnnotatorRow
from relevance.data.database import now
from relevance.data.rights import Right
from relevance.data.store import StoreError
from relevance.data.store.base import Store
from relevance.data.store.rows import to_record
from relevance.hosting.accounts import check_owner
from relevance.hosting.tables import EntryRow, LinkRow

KINDS = ("open", "panel")


class LinkUnusable(StoreError):
    """The link is unknown, used up, revoked or expired; the message does not tell which."""

    def __init__(self) -> None:
        super().__init__("this link does not open a study; ask whoever sent it for another one")


@dataclass(frozen=True)
class Link:
    """A link that many people may enter by."""

    id: int
    study: str
    kind: str
    token: str
    query: str
    """The end of a panel's address: its parameters, with the panel's placeholders."""
    places: int | None
    """The number of people who may enter; None for any number."""
    taken: int
    created_at: datetime
    ends_at: datetime | None
    revoked_at: datetime | None


class WayBack(NamedTuple):
    """An annotator's way back to their panel."""

    panel: str
    """The kind of the panel."""
    address: str | None
    """The address that they are sent to; None if their outcome has no code."""


class LinkStore(Store):
    """Links over one engine. Those who manage a study make and end its links; `enter` is for the gate."""

    def add_link(
        self, study: str, *, kind: str = "open", places: int | None = None, ends_at: datetime | None = None
    ) -> Link:
        """Add a link to a study; by default with the places and the end in the study file, if it has any.

        Raises `UnknownStudy`, `NotAllowed`, StoreError for a bad kind or number of places.
        """
        if kind not in KINDS:
            raise StoreError(f"{kind!r} is not a kind of link; there are {' and '.join(KINDS)}")
        with self.writing() as session:
            owner = find_study(session, study, Right.MANAGE)
            protocol = find_protocol(session, owner)
            by_file = protocol.links or Places()
            places = by_file.places if places is None else places
            ends_at = by_file.ends if ends_at is None else ends_at
            if places is not None and not 1 <= places < 2**31:
                raise StoreError("a link needs at least one place")
            if ends_at is not None and (ends_at.tzinfo is None or ends_at <= now()):
                raise StoreError("the end of a link must be in the future, with a time zone")
            row = LinkRow(study=owner, kind=kind, token=secrets.token_urlsafe(32), places=places, ends_at=ends_at)
            session.add(row)
            session.flush()
            return to_link(row, protocol.panel)

    def links(self, study: str) -> list[Link]:
        """List the links of a study, the newest first. Raises `UnknownStudy`, `NotAllowed`."""
        with self.reading() as session:
            owner = find_study(session, study, Right.MANAGE)
            panel = find_protocol(session, owner).panel
            rows = session.scalars(select(LinkRow).where(LinkRow.study_id == owner.id).order_by(LinkRow.id.desc()))
            return [to_link(row, panel) for row in rows]

    def revoke(self, study: str, link_id: int) -> None:
        """Let nobody else enter by a link; people who have entered go on. Raises `UnknownStudy`, `NotAllowed`."""
        with self.writing() as session:
            owner = find_study(session, study, Right.MANAGE)
            row = session.get(LinkRow, link_id)
            if row is not None and row.study_id == owner.id and row.revoked_at is None:
                row.revoked_at = now()

    def enter(self, token: str, given: Mapping[str, str] | None = None) -> int:
        """Return the number of the annotator who enters by a link's token: its own for a personal link, or a new one.

        A `panel` link needs the parameters `given` in the panel's address; the same person comes back as the same
        annotator. Raises `LinkUnusable`.
        """
        token = clean_text(token)
        try:
            with self.writing() as session:
                check_owner(session)  # or the server itself, which calls this
                own = find_invited(session, token)
                if own is not None:
                    if is_kept_out(own):
                        raise LinkUnusable
                    return own.id
                row = session.scalar(select(LinkRow).where(LinkRow.token == token).with_for_update())
                if row is None or row.revoked_at is not None or (row.kind == "panel") != (given is not None):
                    raise LinkUnusable
                return add_person(session, row).id if given is None else find_person(session, row, given)
        except IntegrityError:  # the same person entered in another window at this moment
            return self.enter(token, given)

    def wording(self, token: str) -> Wording:
        """Return the wording of the study that a link opens; English for a link that opens nothing."""
        token = clean_text(token)
        with self.reading() as session:
            check_owner(session)
            own = find_invited(session, token)
            if own is not None:
                return ENGLISH if is_kept_out(own) else wording_of(find_protocol(session, own.study))
            row = session.scalar(select(LinkRow).where(LinkRow.token == token))
            if row is None or row.revoked_at is not None or (row.kind != "panel" and has_ended(session, row)):
                return ENGLISH
            return wording_of(find_protocol(session, row.study))

    def way_back(self, annotator: Annotator, outcome: str) -> WayBack | None:
        """Return the way back of an annotator whose last phase is `outcome`; None if they came from no panel.

        Raises `NotAssigned` for the work of others.
        """
        with self.reading(annotators=True) as session:
            row = find_own(session, annotator)
            panel = find_protocol(session, row.study).panel
            entry = session.scalar(select(EntryRow).where(EntryRow.annotator_id == row.id).limit(1))
            if panel is None or entry is None:
                return None
            address = find_way_back(panel, outcome, person=entry.person, code=row.code or "")
            return WayBack(panel.kind, address)


def find_invited(session: Session, token: str) -> AnnotatorRow | None:
    """Find the annotator whose personal link has a token."""
    return session.scalar(select(AnnotatorRow).where(AnnotatorRow.token == token, AnnotatorRow.invited))


def is_kept_out(annotator: AnnotatorRow) -> bool:
    """Tell whether an annotator is excluded. Those who withdrew are not: their page says that they have withdrawn."""
    return annotator.excluded_at is not None and annotator.phase != WITHDRAWN


def find_person(session: Session, link: LinkRow, given: Mapping[str, str]) -> int:
    """Return the annotator whom a panel sends, new or returning. Raises `LinkUnusable`."""
    panel = find_protocol(session, link.study).panel
    try:
        ids = read_ids(panel, given)
    except StoreError as error:
        raise LinkUnusable from error
    person = next(iter(ids.values()))
    entry = find_entry(session, link, panel, person)
    if entry is None:
        annotator = add_person(session, link)
        session.add(EntryRow(link_id=link.id, person=person, annotator_id=annotator.id, panel_ids=ids))
        return annotator.id
    if is_kept_out(entry.annotator):
        raise LinkUnusable
    entry.panel_ids = ids  # those of the latest session, for which the panel waits
    return entry.annotator_id


def find_entry(session: Session, link: LinkRow, panel: Panel | None, person: str) -> EntryRow | None:
    """Find a person's entry: by any link of the study if it has a panel, otherwise by this link alone."""
    links = select(LinkRow.id).where(LinkRow.id == link.id if panel is None else LinkRow.study_id == link.study_id)
    of_person = select(EntryRow).where(EntryRow.person == person, EntryRow.link_id.in_(links))
    return session.scalar(of_person.order_by(EntryRow.link_id).limit(1))


def has_ended(session: Session, link: LinkRow) -> bool:
    """Tell whether nobody new can enter by a link that was not revoked."""
    ended = link.ends_at is not None and link.ends_at <= now()
    return ended or not may_come(session, link.study) or (link.places is not None and link.taken >= link.places)


def add_person(session: Session, link: LinkRow) -> AnnotatorRow:
    """Add a new annotator by a link for many people. Raises `LinkUnusable` if it has ended or is full."""
    if has_ended(session, link):
        raise LinkUnusable
    study = link.study
    link.taken += 1
    number = session.scalar(select(func.count()).where(AnnotatorRow.study_id == study.id)) or 0
    while find_annotator(session, study, f"Annotator {(number := number + 1)}") is not None:
        pass
    return add_annotator(session, study, f"Annotator {number}", invited=True)


def to_link(row: LinkRow, panel: Panel | None) -> Link:
    """Make the record of a link's row in a study with that panel."""
    query = describe_parameters(panel) if row.kind == "panel" else ""
    return to_record(Link, row, study=row.study.name, query=query)
