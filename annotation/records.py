"""What a study is made of: its specification, its annotators, the pairs that they see, and what the store refuses."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypeAlias

from annotation.sampling import GIVEN, RANDOM_SHARE
from data.database import now
from data.store import StoreError

QUESTION = "Which summary is more relevant to the document?"
INSTRUCTIONS = (
    "Read the document, then both summaries. Choose the one that tells more of what matters in the document. "
    "Style and length matter less than content."
)
MOST_CHECKS = 100
"""Every annotator has to judge all attention checks of a study."""

CHOICES = ("left", "right", "tie")

SURE = (1, 5)
"""The least and the most confidence."""

SeenMark: TypeAlias = tuple[str, int, int]
"""Marked characters as an annotator sees them: `document`, `left` or `right`, the first, and the one after the last."""

OPEN = "open"
PAUSED = "paused"
CLOSED = "closed"
"""The states of a study: only an open one takes judgments, and people who come."""


class StudyExists(StoreError):
    """A study of that name is already there."""


class UnknownStudy(StoreError):
    """There is no study of that name."""


class StudyClosed(StoreError):
    """The study takes no more judgments."""


class OpenedFromBundle(StoreError):
    """The study was opened from a bundle, and stays as it is."""


class StudyPaused(StudyClosed):
    """The study, or the annotator's part in it, is paused."""


class WrongPhase(StoreError):
    """What is asked for belongs to another phase than the one that the annotator is in."""


class AlreadyAnswered(StoreError):
    """The annotator has answered already, and otherwise."""


class BadAnswer(StoreError):
    """An answer is none that its question takes, or one that is required is missing.

    `text` has places for `values`, so that pages can say it in the study's language.
    """

    def __init__(self, text: str, **values: object) -> None:
        super().__init__(text.format_map(values) if values else text)
        self.text, self.values = text, values


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
    """The annotator is not who calls, or does not judge any more."""


class WorkGone(NotAssigned):
    """The database has no such work of that annotator: another one, or a backup, may have taken its place."""


class TooSoon(StoreError):
    """The choice came before anybody could have read the pair."""


@dataclass(frozen=True, kw_only=True)
class StudySpec:
    """What a study asks, of which pairs and how often.

    `per_document=None` means 1, or no limit with the rules `all`, `conflicts` and `given`. `signature` names the
    stored ROUGE-K scores that the rule `rouge_k_differs` compares, `signatures` those of at least two metrics whose
    conflicts the rule `conflicts` looks for; with that rule, `random_share` of the pairs are drawn from the others.
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
        unlimited = self.per_document is None and self.rule in {"all", "conflicts", GIVEN}
        return 1 if self.per_document is None and not unlimited else self.per_document

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
    alike: int | None
    """Pairs left out because the scores that the rule compares are the same; None in a study of an earlier version."""
    eligible: int | None
    """Pairs that the rule allowed before the limits were applied; None in a study of an earlier version."""
    conflicts: int | None
    """Eligible pairs on which the metrics contradict each other; None with other rules than `conflicts`."""
    judgments: int
    """Judgments of the pairs that count; those of attention checks and of excluded annotators do not."""
    excluded_judgments: int
    """Judgments of the pairs by excluded annotators, which stay in the data and are left out of the analysis."""
    excluded_annotators: int
    """Excluded annotators who have judged pairs."""
    created_at: datetime
    closed_at: datetime | None
    paused_at: datetime | None
    archived_at: datetime | None
    title: str | None
    """What annotators see in place of the name."""
    closes: datetime | None
    """When the study closes by itself."""
    bundle_sha256: str | None
    """The hash of the bundle that it was opened from; None for a study that was made here."""
    in_drawn_order: bool
    """Whether documents are completed one after the other, for a stopping rule to decide when it is enough."""
    stopped_at: datetime | None
    """When the stopping rule ended it."""

    @property
    def state(self) -> str:
        """What it is at this moment: `OPEN`, `PAUSED` or `CLOSED`."""
        return state_of(self.closed_at, self.paused_at, self.closes)

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


def state_of(closed_at: datetime | None, paused_at: datetime | None, closes: datetime | None) -> str:
    """The state of a study at this moment, of when it was closed or paused, and when it closes by itself."""
    if closed_at is not None or (closes is not None and closes <= now()):
        return CLOSED
    return OPEN if paused_at is None else PAUSED


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
    number: int
    """Its place among the pairs that the annotator was given, from 1."""
    title: str | None
    source: str | tuple[str, ...]
    left: str
    right: str
    choice: str | None
    """What was chosen before: `left`, `right`, `tie` or `skip`; None for a new pair."""
    rationale: str | None
    confidence: int | None = None
    """How sure they were, from 1 to 5."""
    marks: tuple[SeenMark, ...] = ()
    """The words that decided."""


class JudgingProgress(NamedTuple):
    """An annotator's progress. Pairs that already have enough judgments are not counted."""

    judged: int
    skipped: int
    open: int
    seconds: float | None
    """Median seconds that a judgment took, of the latest hundred; None before the first."""


class StudyPace(NamedTuple):
    """How fast a study is judged."""

    annotators: int
    """How many have joined or were invited, and are not excluded."""
    last_day: int
    """Judgments of the study's pairs in the last 24 hours."""
    latest: datetime | None
    """When the last one was made; None before the first."""


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
    excluded: bool
    """Whether their judgments are left out of the analysis."""
