"""A study's protocol as records: one class for each table of the study file, with its keys as fields."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from relevance.annotation.records import BOTH_BAD, CHOICES, INSTRUCTIONS, QUESTION, StudySpec
from relevance.annotation.sampling import RANDOM_SHARE

FORMAT = 1

LANGUAGES = ("en", "de", "zh", "ar")
"""Languages of annotators' pages."""

RATIONALES = ("off", "optional", "required")
KINDS = ("radio", "checkbox", "number", "text")
"""Kinds of survey questions."""

PANELS = ("prolific", "generic")


@dataclass(frozen=True, kw_only=True)
class Pinned:
    """The data set of a study: its name, and the hash of what the study shows of it."""

    name: str
    sha256: str | None = None
    """The hash of documents and summaries (`relevance.annotation.protocol.pinning`); None in a study made before."""
    systems: tuple[str, ...] = ()
    """Systems whose summaries are paired; empty means all."""


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """The draw of the pairs: see `StudySpec`."""

    rule: str = "random"
    signatures: tuple[str, ...] = ()
    """Signatures of the scores that the rule compares: one of ROUGE-K, or those of at least two metrics."""
    random_share: float = RANDOM_SHARE
    count: int | None = None
    per_document: int | None = None
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Judging:
    """Settings of the judging."""

    judgments_per_pair: int = 1
    judged_twice: int = 0
    """Pairs that two annotators judge where the others have one: the first ones, and all if there are not so many."""
    ties: bool = False
    both_bad: bool = False
    """True if annotators can say that both summaries are bad, which counts as a tie."""
    most_per_annotator: int | None = None
    """The most pairs that one annotator judges, without attention checks; None for no limit."""
    idle_minutes: int | None = None
    """Minutes without a sign of life after which an annotator is timed out; None for never."""
    rationale: str = "optional"
    """The setting of reasons for a choice: one of `RATIONALES`."""
    confidence: bool = False
    """True if annotators say how sure they are, from 1 to 5."""
    marks: bool = False
    """True if annotators mark the words that decided."""

    def count_wanted(self, pairs: int) -> int:
        """Count the judgments that so many pairs want in all."""
        return pairs * self.judgments_per_pair + min(self.judged_twice, pairs)

    @property
    def choices(self) -> tuple[str, ...]:
        """The choices that annotators have, of `CHOICES`."""
        left_out = {name for name, offered in (("tie", self.ties), (BOTH_BAD, self.both_bad)) if not offered}
        return tuple(choice for choice in CHOICES if choice not in left_out)


@dataclass(frozen=True, kw_only=True)
class Checks:
    """Attention checks, and the numbers of wrong ones after which an annotator is warned or stopped."""

    count: int = 0
    warn_after: int | None = None
    end_after: int | None = None


@dataclass(frozen=True, kw_only=True)
class Consent:
    """The text, in Markdown, that annotators agree to before anything else."""

    text: str


@dataclass(frozen=True, kw_only=True)
class TrainingPair:
    """A pair with a known answer, and the explanation that annotators see after their answer."""

    document: str
    better: str
    worse: str
    explanation: str
    title: str | None = None


@dataclass(frozen=True, kw_only=True)
class Training:
    """Training pairs, the number of right answers to pass, and the number of attempts."""

    pairs: tuple[TrainingPair, ...]
    pass_mark: int
    attempts: int = 1


@dataclass(frozen=True, kw_only=True)
class SurveyQuestion:
    """A question of a survey."""

    name: str
    """The name in exports."""
    ask: str
    kind: str
    """One of `KINDS`; a `radio` takes one of the options, a `checkbox` any number of them."""
    options: tuple[str, ...] = ()
    required: bool = True
    least: float | None = None
    most: float | None = None
    """The largest number; `least` is the smallest one."""


@dataclass(frozen=True, kw_only=True)
class Surveys:
    """Questions before and after the judging."""

    before: tuple[SurveyQuestion, ...] = ()
    after: tuple[SurveyQuestion, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Panel:
    """The panel that annotators come from, and the ways back to it.

    With `prolific`, `completed`, `failed` and `screened_out` are completion codes; with `generic`, addresses in which
    `{person}` and `{code}` are filled in. `parameters` are those of the address that people come by; the first one
    names the person.
    """

    kind: str
    completed: str
    failed: str | None = None
    screened_out: str | None = None
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Places:
    """The number of people who may enter by open links, and the end of their time."""

    places: int | None = None
    ends: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Stopping:
    """The comparison that decides when the study ends, registered before the first judgment.

    The agreement with people of the metric `first` (the signature of its scores) is compared with that of `second`, or
    with one half if there is no second.
    """

    first: str
    second: str | None = None
    alpha: float = 0.05
    most_documents: int


@dataclass(frozen=True, kw_only=True)
class StudyProtocol:
    """The contents of a study file."""

    format: int = FORMAT
    name: str
    title: str | None = None
    """The title that annotators see; by default the name."""
    language: str = "en"
    closes: datetime | None = None
    """The time at which the study closes by itself."""
    question: str = QUESTION
    instructions: str = INSTRUCTIONS
    dataset: Pinned
    sampling: Sampling = Sampling()
    judging: Judging = Judging()
    checks: Checks = Checks()
    consent: Consent | None = None
    training: Training | None = None
    surveys: Surveys = Surveys()
    panel: Panel | None = None
    links: Places | None = None
    stopping: Stopping | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    """The study's own wording of texts on annotators' pages, by the English text."""

    @property
    def spec(self) -> StudySpec:
        """The specification: how pairs are drawn and asked about."""
        sampling, conflicts = self.sampling, self.sampling.rule == "conflicts"
        return StudySpec(
            name=self.name,
            dataset=self.dataset.name,
            systems=self.dataset.systems,
            rule=sampling.rule,
            signature=next(iter(sampling.signatures), None) if sampling.rule == "rouge_k_differs" else None,
            signatures=sampling.signatures if conflicts else (),
            random_share=sampling.random_share,
            count=sampling.count,
            per_document=sampling.per_document,
            judgments_per_pair=self.judging.judgments_per_pair,
            ties=self.judging.ties,
            question=self.question,
            instructions=self.instructions,
            seed=sampling.seed,
            checks=self.checks.count,
        )

    @property
    def signatures(self) -> dict[tuple[str | int, ...], str]:
        """Signatures of the scores that the draw and the stopping rule compare, by the path of their key."""
        signatures: dict[tuple[str | int, ...], str] = {
            ("sampling", "signatures", place): signature for place, signature in enumerate(self.spec.compared)
        }
        if self.stopping is not None:
            signatures["stopping", "first"] = self.stopping.first
            if self.stopping.second is not None:
                signatures["stopping", "second"] = self.stopping.second
        return signatures


def protocol_of(spec: StudySpec, sha256: str | None = None) -> StudyProtocol:
    """Return the protocol of a study that asks for nothing beyond its specification."""
    return StudyProtocol(
        name=spec.name,
        question=spec.question,
        instructions=spec.instructions,
        dataset=Pinned(name=spec.dataset, sha256=sha256, systems=spec.systems),
        sampling=Sampling(
            rule=spec.rule,
            signatures=spec.compared,
            random_share=spec.random_share,
            count=spec.count,
            per_document=spec.per_document,
            seed=spec.seed,
        ),
        judging=Judging(judgments_per_pair=spec.judgments_per_pair, ties=spec.ties),
        checks=Checks(count=spec.checks),
    )
