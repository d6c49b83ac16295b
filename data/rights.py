"""The caller of a store and their rights. Stores look both up in each transaction; nothing is kept between two."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeVarTuple

from sqlalchemy import Select
from sqlalchemy.orm import Session


class Right(IntEnum):
    """A right of somebody in a study; each right includes those before it."""

    JUDGE = 1
    """See one's own task, and judge."""
    READ = 2
    ADJUDICATE = 3
    MANAGE = 4


@dataclass(frozen=True)
class Visitor:
    """The caller as the database knows them at this moment."""

    everything: bool = False
    """True if they may do everything in all studies: the owner of a server, or anybody on their own machine."""
    user_id: int | None = None
    """The account of an owner or a researcher."""
    name: str | None = None
    """The name of that account."""
    annotator_id: int | None = None
    """The annotator whose task is all that the caller may see."""
    rights: Mapping[int, Right] = field(default_factory=dict)
    """Their right in each study, by its number."""

    @property
    def is_annotator(self) -> bool:
        """True for somebody who came by a link, to do one task."""
        return self.annotator_id is not None

    def may(self, right: Right, study_id: int) -> bool:
        """Tell whether they have a right in a study."""
        return self.everything or self.rights.get(study_id, 0) >= right

    def may_change(self, owner_id: int | None) -> bool:
        """Tell whether they may change or delete something that belongs to an account, or to nobody."""
        return self.everything or (owner_id is not None and owner_id == self.user_id)


LOCAL_VISITOR = Visitor(everything=True)
"""The person at this machine."""


class Actor:
    """The caller of a store: by default the person at this machine, who may do everything."""

    def admit(self, session: Session) -> Visitor:
        """Look up the caller, within the transaction of a call. Other actors than the default raise `NotSignedIn`.

        The result stays true until a call that writes has committed (`lock_for_writing`).
        """
        return LOCAL_VISITOR


LOCAL = Actor()

Selected = TypeVarTuple("Selected")


def lock_for_writing(session: Session, rows: Select[*Selected], of: type[object]) -> Select[*Selected]:
    """Lock the rows of a table that a call depends on against deletion until what it writes is committed.

    A caller who takes a right away waits for that, and the next call finds it gone. SQLite has one writer anyway.
    """
    return rows.with_for_update(read=True, key_share=True, of=of) if session.info.get("writing") else rows


def visitor_of(session: Session) -> Visitor:
    """Return the caller to whom this session belongs."""
    visitor: Visitor = session.info["visitor"]
    return visitor
