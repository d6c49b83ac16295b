"""Who calls a store, and what they may do. Stores ask in each transaction; nothing is remembered between two."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeVarTuple

from sqlalchemy import Select
from sqlalchemy.orm import Session


class Right(IntEnum):
    """What somebody may do in a study; each right includes those before it."""

    JUDGE = 1
    """See one's own task, and judge."""
    READ = 2
    ADJUDICATE = 3
    MANAGE = 4


@dataclass(frozen=True)
class Visitor:
    """Somebody as the database knows them at this moment."""

    everything: bool = False
    """Whether they may do everything in all studies: the owner of a server, or anybody on their own machine."""
    user_id: int | None = None
    """The account of an owner or a researcher."""
    name: str | None = None
    """The name of that account."""
    annotator_id: int | None = None
    """The annotator whose task is all that they may see."""
    rights: Mapping[int, Right] = field(default_factory=dict)
    """By the number of a study, what they may do in it."""

    @property
    def is_annotator(self) -> bool:
        """Whether they came by a link, to do one task."""
        return self.annotator_id is not None

    def may(self, right: Right, study_id: int) -> bool:
        """Whether they have a right in a study."""
        return self.everything or self.rights.get(study_id, 0) >= right

    def may_change(self, owner_id: int | None) -> bool:
        """Whether they may change or delete what belongs to an account, or to nobody."""
        return self.everything or (owner_id is not None and owner_id == self.user_id)


LOCAL_VISITOR = Visitor(everything=True)
"""Whoever sits at this machine."""


class Actor:
    """Who makes the calls of a store: by default whoever sits at this machine, who may do everything."""

    def admit(self, session: Session) -> Visitor:
        """Look up who this is, within the transaction of a call. Others than the default raise `NotSignedIn`.

        What is looked up stays true until a call that writes has committed (`lock_for_writing`).
        """
        return LOCAL_VISITOR


LOCAL = Actor()

Selected = TypeVarTuple("Selected")


def lock_for_writing(session: Session, rows: Select[*Selected], of: type[object]) -> Select[*Selected]:
    """Let nobody delete the rows of a table that a call rests on before what it writes is committed.

    Whoever takes a right away waits for that, and the next call finds it gone. SQLite has one writer anyway.
    """
    return rows.with_for_update(read=True, key_share=True, of=of) if session.info.get("writing") else rows


def visitor_of(session: Session) -> Visitor:
    """Who made the call that this session belongs to."""
    visitor: Visitor = session.info["visitor"]
    return visitor
