"""What a study is made of: its specification, its annotators, the pairs that they see, and what the store refuses."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from annotation.sampling import RANDOM_SHARE
from data.store import StoreError

QUESTION = "Which summary is more relevant to the document?"
INSTRUCTIONS = (
    "Read the document, then both summaries. Choose the one that tells more of what matters in the document. "
    "Style and length matter less than content."
)
MOST_CHECKS = 100
"""Every annotator has to judge all attention checks of a study."""

CHOICES = ("left", "right", "tie")


class StudyExists(StoreError):
    """A study of that name is already there."""


class UnknownStudy(StoreError):
    """There is no study of that name."""


class StudyClosed(StoreError):
    """The study takes no more judgments."""


class NoPairs(StoreError):
    """The rule and the limits leave no pair to ask about."""


class ScoresMissing(StoreError):
    """The rule compares scores that the data set does not have."""


class UnknownInvite(StoreError):
    """There is no annotator with that token."""


class NameTaken(StoreError):
    """The name belongs to an annotator who was invited, and only their link opens it."""


class AlreadyJudged(StoreError):
    """The annotator has already judged the pair; a change must be asked for as one."""


class NotAssigned(StoreError):
    """The pair was never given to that annotator, or the choice is none of its summaries."""


class TooSoon(StoreError):
    """The choice came before anybody could have read the pair."""


@dataclass(frozen=True, kw_only=True)
class StudySpec:
    """What a study asks, of which pairs and how often.

    `per_document=None` means 1, or no limit with the rules `all` and `conflicts`. `signature` names the stored ROUGE-K
    scores that the rule `rouge_k_differs` compares, `signatures` those of at least two metrics whose conflicts the
    rule `conflicts` looks for; with that rule, `random_share` of the pairs are drawn from the others.
    """

    name: str
    dataset: str
    systems: tuple[str, ...] = ()
    """Systems whose summaries are paired; none named means all."""
    rule: str = "rouge_k_differs"
    signature: str | None = None
    signatures: tuple[str, ...] = ()
    random_share: float = RANDOM_SHARE
    count: int | None = None
    per_document: int | None = None
    judgments_per_pair: int = 1
    ties: bool = False
    question: str = QUESTION
    instructions: str = INSTRUCTIONS
    seed: int = 0
    checks: int = 0
    """Attention checks: pairs of a summary with one of another document, which every annotator gets once."""

    @property
    def most_per_document(self) -> int | None:
        """The limit that holds."""
        return 1 if self.per_document is None and self.rule not in {"all", "conflicts"} else self.per_document

    @property
    def compared(self) -> tuple[str, ...]:
        """Signatures of the stored scores that the rule compares."""
        if self.rule == "rouge_k_differs":
            return (self.signature or "rouge_k",)
        return tuple(dict.fromkeys(self.signatures)) if self.rule == "conflicts" else ()


@dataclass(frozen=True)
class Study:
    """A study as lists show it."""

    id: int
    name: str
    dataset: str
    question: str
    instructions: str
    systems: tuple[str, ...]
    rule: str
    signatures: tuple[str, ...]
    """Signatures whose conflicts the rule `conflicts` looked for; none with other rules."""
    random_share: float | None
    """Share of the pairs wanted that were to come from those without a conflict; None with other rules."""
    pairs: int
    """Pairs that the study is about; attention checks are not counted."""
    checks: int
    """Attention checks, which every annotator gets besides the pairs."""
    judgments_per_pair: int
    ties: bool
    seed: int
    identical: int
    """Pairs left out because their texts are the same, or the same as those of another pair."""
    unscored: int
    """Pairs left out because a score that the rule compares is missing."""
    eligible: int | None
    """Pairs that the rule allowed before the limits were applied; None in a study of an earlier version."""
    conflicts: int | None
    """Eligible pairs on which the metrics contradict each other; None with other rules than `conflicts`."""
    judgments: int
    """Judgments of the pairs; those of attention checks are not counted."""
    created_at: datetime
    closed_at: datetime | None

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the draw beyond the number of pairs; empty for most studies."""
        notes = []
        if self.conflicts is not None and self.eligible is not None:
            others = self.eligible - self.conflicts
            notes.append(f"drawn from {self.conflicts} on which the metrics contradict each other and {others} others")
        if self.checks:
            notes.append(f"{self.checks} attention check{'s' if self.checks > 1 else ''} for every annotator")
        return tuple(notes)


@dataclass(frozen=True)
class Annotator:
    """An annotator of a study; the token reopens their work."""

    id: int
    name: str
    study: str
    token: str
    invited: bool


@dataclass(frozen=True)
class JudgmentTask:
    """One pair as an annotator sees it: no systems, no scores, and no references, which the metrics measure by."""

    assignment_id: int
    title: str | None
    source: str | tuple[str, ...]
    left: str
    right: str
    choice: str | None
    """What was chosen before: `left`, `right`, `tie` or `skip`; None for a new pair."""
    rationale: str | None


class JudgingProgress(NamedTuple):
    """An annotator's progress. Pairs that already have enough judgments are not counted."""

    judged: int
    skipped: int
    open: int
    seconds: float | None
    """Median seconds that a judgment took, of the latest hundred; None before the first."""


class AnnotatorProgress(NamedTuple):
    """A row of the study's progress table."""

    annotator: str
    judged: int
    """Judgments of the study's pairs; attention checks are counted by themselves."""
    skipped: int
    seconds: float | None
    ties: int
    """Ties among the judgments that are no attention checks."""
    left: int
    """Judgments that chose the summary on the left; of those that are neither ties nor checks, half would be even."""
    latest: datetime | None
    checks: int
    """Judged attention checks."""
    checks_passed: int
    """Those that chose the summary of the document; a tie does not."""
