"""A study's protocol as records: one class a table of the study file, with its keys as fields."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from annotation.records import INSTRUCTIONS, QUESTION, StudySpec
from annotation.sampling import RANDOM_SHARE

FORMAT = 1

LANGUAGES = ("en", "de", "zh", "ar")
"""Languages that annotators' pages speak."""

RATIONALES = ("off", "optional", "required")
KINDS = ("radio", "checkbox", "number", "text")
"""Kinds of survey questions."""

PANELS = ("prolific", "generic")


@dataclass(frozen=True, kw_only=True)
class Pinned:
    """The data set that a study is about: its name, and the hash of what the study shows of it."""

    name: str
    sha256: str | None = None
    """Of its documents and the systems' summaries (`annotation.protocol.pinning`); None in a study made before."""
    systems: tuple[str, ...] = ()
    """Systems whose summaries are paired; none named means all."""


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """Which pairs are drawn: see `StudySpec`."""

    rule: str = "rouge_k_differs"
    signatures: tuple[str, ...] = ()
    """Signatures of the scores that the rule compares: one of ROUGE-K, or those of two metrics and more."""
    random_share: float = RANDOM_SHARE
    count: int | None = None
    per_document: int | None = None
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Judging:
    """How pairs are judged, and by how many."""

    judgments_per_pair: int = 1
    ties: bool = False
    most_per_annotator: int | None = None
    """Pairs that one annotator judges at most, attention checks aside; None for no limit."""
    idle_minutes: int | None = None
    """Minutes without a sign of life after which an annotator's time is out; None for never."""
    rationale: str = "optional"
    """Whether a choice has a reason: one of `RATIONALES`."""
    confidence: bool = False
    """Whether annotators say how sure they are, from 1 to 5."""
    marks: bool = False
    """Whether annotators mark the words that decided."""


@dataclass(frozen=True, kw_only=True)
class Checks:
    """Attention checks, and after how many wrong ones an annotator is warned and may go no further."""

    count: int = 0
    warn_after: int | None = None
    end_after: int | None = None


@dataclass(frozen=True, kw_only=True)
class Consent:
    """What annotators agree to before anything else, as Markdown."""

    text: str


@dataclass(frozen=True, kw_only=True)
class TrainingPair:
    """A pair whose answer is known, with the explanation that annotators see once they have answered."""

    document: str
    better: str
    worse: str
    explanation: str
    title: str | None = None


@dataclass(frozen=True, kw_only=True)
class Training:
    """Pairs to learn by: of how many the answer must be right, and how often one may try."""

    pairs: tuple[TrainingPair, ...]
    pass_mark: int
    attempts: int = 1


@dataclass(frozen=True, kw_only=True)
class SurveyQuestion:
    """A question of a survey."""

    name: str
    """Its name in exports."""
    ask: str
    kind: str
    """One of `KINDS`; a `radio` takes one of the options, a `checkbox` any number of them."""
    options: tuple[str, ...] = ()
    required: bool = True
    least: float | None = None
    most: float | None = None
    """Limits of a number."""


@dataclass(frozen=True, kw_only=True)
class Surveys:
    """Questions before and after the judging."""

    before: tuple[SurveyQuestion, ...] = ()
    after: tuple[SurveyQuestion, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Panel:
    """The panel that annotators come from, and where they are sent back to.

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
    """How many may enter by links that anybody can open, and until when."""

    places: int | None = None
    ends: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Stopping:
    """The comparison that decides when the study ends, registered before the first judgment.

    Agreement with people of the metric `first`, by the signature of its scores, is compared with that of `second`, or
    with one half where no second is named.
    """

    first: str
    second: str | None = None
    alpha: float = 0.05
    most_documents: int


@dataclass(frozen=True, kw_only=True)
class StudyProtocol:
    """All that a study file says."""

    format: int = FORMAT
    name: str
    title: str | None = None
    """What annotators see; the name where there is none."""
    language: str = "en"
    closes: datetime | None = None
    """When the study closes by itself."""
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
    """The study's own wording of texts on annotators' pages, by the English one."""

    @property
    def spec(self) -> StudySpec:
        """What decides which pairs are drawn and how they are asked about."""
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
        """Signatures of the scores that pairs are drawn by and that the stopping rule compares, by where they stand."""
        found: dict[tuple[str | int, ...], str] = {
            ("sampling", "signatures", place): one for place, one in enumerate(self.spec.compared)
        }
        if self.stopping is not None:
            found["stopping", "first"] = self.stopping.first
            if self.stopping.second is not None:
                found["stopping", "second"] = self.stopping.second
        return found


def protocol_of(spec: StudySpec, sha256: str | None = None) -> StudyProtocol:
    """The protocol of a study that asks nothing but what its specification says."""
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
