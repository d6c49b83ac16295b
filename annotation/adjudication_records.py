"""Records of adjudication: the pairs of a study, decisions on them, and the errors of its store."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from relevance.annotation.records import JudgmentTask
from relevance.data.store.base import StoreError


class UnknownPair(StoreError):
    """The study has no such pair, or too few people have judged it."""


class NothingDecided(StoreError):
    """A study in which no pair has been adjudicated yet."""


class AlreadyDecided(StoreError):
    """The adjudicator has decided the pair before; a change must be asked for as one."""


class Vote(NamedTuple):
    """A judgment without its annotator."""

    choice: str
    """One of `CHOICES`, by the sides that adjudicators see."""
    rationale: str | None


class Decision(NamedTuple):
    """An adjudicator's decision on a pair."""

    adjudicator: str
    choice: str
    """`left`, `right` or `tie`."""
    reason: str | None
    decided_at: datetime
    stands: bool
    """True if the same adjudicator has not changed it since."""


@dataclass(frozen=True)
class ContestedPair:
    """A pair in the list of those to adjudicate; others' votes and decisions are shown once the caller has decided."""

    id: int
    number: int
    """Its number in the list, from 1."""
    unanimous: bool
    """True if all annotators chose the same."""
    choice: str | None
    """The caller's decision: `left`, `right` or `tie`; None before."""
    votes: Mapping[str, int]
    """The number of annotators by choice; empty before the caller has decided."""
    others: tuple[Decision, ...]
    """The standing decisions of other adjudicators; empty before the caller has decided."""


@dataclass(frozen=True)
class AdjudicationTask:
    """A pair as an adjudicator sees it: no systems, no scores, no annotators."""

    pair_id: int
    shown: JudgmentTask
    """Its texts on the sides that all adjudicators see, with the caller's earlier choice."""
    votes: tuple[Vote, ...]
    """The annotators' choices and reasons, sorted so that nobody is recognized; empty before the caller has decided."""
    decisions: tuple[Decision, ...]
    """The decisions of all adjudicators, the earliest first; empty before the caller has decided."""


class Adjudication(NamedTuple):
    """A decision with its study, pair and systems, for files."""

    study: str
    dataset: str
    pair: int
    """The pair's position in the study, from 0."""
    document_id: str
    system_a: str
    system_b: str
    left: str
    """The system whose summary stood on the left."""
    adjudicator: str
    choice: str
    chosen: str | None
    """The system that was chosen; None for a tie."""
    reason: str | None
    decided_at: datetime
    stands: bool
    """True if the same adjudicator has not changed it since."""
    is_decision: bool
    """True if it is the pair's decision: the latest of all adjudicators."""


class Confirmation(NamedTuple):
    """Counts of how often adjudicators decided like most annotators."""

    decided: int
    """Pairs with a decision."""
    with_majority: int
    """Decided pairs for which one choice (a tie is one) has more judgments than any other."""
    confirmed: int
    """Pairs of these that were decided like that choice."""
    disputed: int
    """Decided pairs on which two adjudicators disagree."""
