"""Records of a study: its specification, its annotators, the pairs that they see, and the errors of its store."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypeAlias

from relevance.annotation.sampling import GIVEN, RANDOM_SHARE
from relevance.data.database import now
from relevance.data.store import StoreError

QUESTION = "Which summary is more relevant to the document?"
INSTRUCTIONS = (
    "Read the document, then both summaries. Choose the one that tells more of what matters in the document. "
    "Style and length matter less than content."
)
MOST_CHECKS = 100
"""The largest number of attention checks in a study; every annotator has to judge all of them."""

BOTH_BAD = "both_bad"
CHOICES = ("left", "right", "tie", BOTH_BAD)

SURE = (1, 5)
"""The least and the greatest confidence."""

SeenMark: TypeAlias = tuple[str, int, int]
"""A marked range as an annotator sees it: text (`document`, `left` or `right`), first character, end (exclusive)."""

OPEN = "open"
PAUSED = "paused"
CLOSED = "closed"
"""The states of a study; only an open one takes judgments and new annotators."""

JUDGED = "judged"
CHANGED = "changed"
SKIPPED = "skipped"
"""The states of a pair that an annotator has answered; a changed one is judged, too."""


class StudyExists(StoreError):
    """A study of that name is already there."""


class UnknownStudy(StoreError):
    """There is no study of that name."""


class StudyClosed(StoreError):
    """The study takes no more judgments."""


class OpenedFromBundle(StoreError):
    """The study was opened from a bundle and cannot be changed."""


class StudyPaused(StudyClosed):
    """The study, or the annotator's part in it, is paused."""


class WrongPhase(StoreError):
    """The request belongs to another phase than the one that the annotator is in."""


class AlreadyAnswered(StoreError):
    """The annotator has answered already, and differently."""


class BadAnswer(StoreError):
    """The answer does not fit its question, or a required answer is missing.

    `text` has placeholders for `values`, so that pages can say it in the study's language.
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
    """The caller is not this annotator, or may no longer judge."""


class WorkGone(NotAssigned):
    """The database has no such work of the annotator; another database or a backup may have replaced it."""


class TooSoon(StoreError):
    """The choice came before anybody could have read the pair."""


@dataclass(frozen=True, kw_only=True)
class StudySpec:
    """The question of a study, the pairs that it asks about, and the number of judgments of each.

    `per_document=None` means 1, or no limit with the rules `all`, `conflicts` and `given`. `signature` names the
    stored ROUGE-K scores that the rule `rouge_k_differs` compares, `signatures` those of at least two metrics whose
    conflicts the rule `conflicts` looks for; with that rule, `random_share` of the pairs are drawn from the others.
    """

    name: str
    dataset: str
    systems: tuple[str, ...] = ()
    """Systems whose summaries are paired; empty means all."""
    rule: str = "random"
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
        """The limit of pairs per document that holds; None for no limit."""
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
    """Share of the requested pairs to be drawn from those without a conflict; None with other rules."""
    pairs: int
    """The number of pairs, without attention checks."""
    checks: int
    """The number of attention checks, which every annotator gets besides the pairs."""
    judgments_per_pair: int
    judged_twice: int
    """Pairs that two annotators judge where the others have one, if there are so many."""
    judgments_wanted: int
    """The number of judgments that the pairs want in all, without attention checks."""
    ties: bool
    both_bad: bool
    """Whether annotators can say that both summaries are bad, which counts as a tie."""
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
    """Judgments of the pairs, without attention checks and excluded annotators."""
    excluded_judgments: int
    """Judgments of the pairs by excluded annotators, which stay in the data but leave the analysis."""
    excluded_annotators: int
    """Excluded annotators who have judged pairs."""
    created_at: datetime
    closed_at: datetime | None
    paused_at: datetime | None
    archived_at: datetime | None
    title: str | None
    """The title that annotators see instead of the name, if there is one."""
    closes: datetime | None
    """The time at which the study closes by itself."""
    bundle_sha256: str | None
    """The hash of the bundle that the study was opened from; None for a study that was made here."""
    in_drawn_order: bool
    """True if documents are completed one after the other, so that a stopping rule can end the study."""
    stopped_at: datetime | None
    """The time at which the stopping rule ended it."""

    @property
    def state(self) -> str:
        """The state at this moment: `OPEN`, `PAUSED` or `CLOSED`."""
        return state_of(self.closed_at, self.paused_at, self.closes)

    @property
    def can_judge_twice(self) -> bool:
        """Whether two annotators may be asked about a part of the pairs."""
        return self.rule != GIVEN and self.judgments_per_pair == 1 and not self.in_drawn_order

    @property
    def about_twice(self) -> str:
        """Which pairs two annotators judge, in words that follow the judgments wanted per pair; empty for none."""
        return f", 2 of each of the first {min(self.judged_twice, self.pairs)}" if self.judged_twice else ""

    @property
    def about_ties(self) -> str:
        """Whether ties were allowed, in words that follow "ties" or "ties were"."""
        if not self.ties:
            return "not allowed"
        return "allowed, also because both summaries are bad" if self.both_bad else "allowed"

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
    """Return the state of a study at this moment, given when it was closed or paused and when it closes by itself."""
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
    """One pair as an annotator sees it: without systems, scores, and the references that metrics compare with."""

    assignment_id: int
    number: int
    """Its number among the pairs that the annotator was given, from 1."""
    title: str | None
    source: str | tuple[str, ...]
    left: str
    right: str
    choice: str | None
    """The earlier choice: one of `CHOICES`, or `skip`; None for a new pair."""
    rationale: str | None
    confidence: int | None = None
    """The annotator's confidence, from 1 to 5."""
    marks: tuple[SeenMark, ...] = ()
    """The marked words that decided the choice."""


class JudgingProgress(NamedTuple):
    """An annotator's progress. Pairs that already have enough judgments are not counted."""

    judged: int
    skipped: int
    open: int
    seconds: float | None
    """The median duration of the latest hundred judgments, in seconds; None before the first."""
    changed: int = 0
    """Judged pairs whose choice was changed later."""


class Turn(NamedTuple):
    """A pair in front of an annotator, and their progress."""

    task: JudgmentTask | None
    """The pair; None if there is none for them to judge."""
    progress: JudgingProgress


class AnsweredPair(NamedTuple):
    """A pair that an annotator has judged or skipped, as a list of them names it."""

    assignment_id: int
    number: int
    """Its number among the pairs that the annotator was given, from 1."""
    name: str
    """The title of the document, or how it begins."""
    choice: str
    """One of `CHOICES`, or `skip`."""
    changed: bool
    """True if the choice was changed later."""


class StudyPace(NamedTuple):
    """The pace at which a study is judged."""

    annotators: int
    """The number of annotators who have joined or were invited, without the excluded ones."""
    last_day: int
    """Judgments of the study's pairs in the last 24 hours."""
    seconds: float | None
    """The median duration of the latest hundred judgments, in seconds; None before the first with its times."""
    latest: datetime | None
    """The time of the latest judgment; None before the first."""


class AnnotatorProgress(NamedTuple):
    """A row of the study's progress table."""

    annotator: str
    open: int
    """Pairs that they have not decided or may still be given, with attention checks; 0 after the end of their part."""
    judged: int
    """Judgments of the study's pairs, without attention checks."""
    changed: int
    """The number of these judgments that were changed later."""
    skipped: int
    seconds: float | None
    ties: int
    """Ties among these judgments."""
    both_bad: int
    """Ties in which the annotator called both summaries bad."""
    left: int | None
    """Judgments, without attention checks, that chose the left summary; half of those without ties is even. None where
    no sides were drawn, as the judgments came with their file."""
    latest: datetime | None
    checks: int
    """Judged attention checks."""
    checks_passed: int
    """Attention checks in which the summary of the document was chosen; a tie does not pass."""
    excluded: bool
    """True if their judgments are left out of the analysis."""
