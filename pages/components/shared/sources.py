"""The sources of people's preferences: judgments of a study, or ratings that came with a data set."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from relevance.analysis.agreement.evaluation import ENOUGH_JUDGMENTS
from relevance.analysis.agreement.pairs import group_by_document, pairs_of
from relevance.analysis.people.judges import JudgeSummary, summarize_judge
from relevance.analysis.study import BY_ANNOTATORS, NO_PREFERENCES, WON, Unit, with_judgments
from relevance.annotation.adjudication import load_adjudications
from relevance.annotation.demo import MADE_UP
from relevance.annotation.model_judgments import ModelAnnotator, VerdictsOnPair
from relevance.annotation.records import Study
from relevance.annotation.results import load_judgments, load_rated_pairs
from relevance.data.cells import Cells
from relevance.data.demo import AUTHOR
from relevance.data.demo import NAME as DEMO
from relevance.data.one_line import in_one_line
from relevance.data.preferences import Preferences, prefer_by_scores
from relevance.data.sorting import natural_order
from relevance.data.store import Dataset, StoredScore, StoredSignature
from relevance.data.ties import preference_signs
from relevance.data.wording import format_count
from relevance.pages.components.shared.counts import signatures_of
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.computing.computed import computed, whole
from relevance.pages.computing.waiting import read_at_first
from relevance.reports.escaping import in_markdown
from relevance.reports.presentation import name_judges
from relevance.reports.report.study import USUAL, tell_left_out

ADJUDICATED = "adjudicated"
"""Value of an address's part `source` that names the decisions of a study's adjudicators."""


BY_ANNOTATOR = "annotator"
"""Value of the same part that names the ratings of each annotator instead of their means."""


class Version(NamedTuple):
    """The state of a source's data at the beginning of a run; it changes with every judgment, summary and score.

    Results computed from the source are then computed again. Pages read from here rather than ask the database again.
    """

    judged: str
    """A value that changes with every judgment of a study, and whenever an annotator is excluded; empty for ratings."""
    rule: str
    """The rule by which a study's pairs were chosen; `all` for ratings."""
    dataset: Dataset
    signatures: tuple[StoredSignature, ...]
    """The signatures under which its summaries have scores."""
    decided: int = 0
    """A number that grows with every decision of adjudicators, if these are the source."""
    judges: tuple[ModelAnnotator, ...] = ()
    """Language models that judge in a study, and how far each is."""
    in_drawn_order: bool = False
    """True if a study has a stopping rule, which looks at its documents in the order that was drawn."""
    compared: tuple[str, ...] = ()
    """The systems that a study compares; empty for ratings, which cover all systems of the data set."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that a study compares, or else all of the data set."""
        return self.compared or self.dataset.systems

    @property
    def summaries(self) -> int:
        """The number of summaries in the data set, by which `computed` tells whether it is large."""
        return self.dataset.summaries


class Source(NamedTuple):
    """The source of preferences: a study, or the ratings of an aspect; neither if there are none.

    The decisions of a study's adjudicators and the verdicts of a language model are sources apart from its annotators'
    judgments, and so are the ratings of each annotator apart from their means.
    """

    dataset: str
    study: str | None = None
    aspect: str | None = None
    adjudicated: bool = False
    by_annotator: bool = False
    model: str | None = None
    """The name of a language model that judged the study's pairs, if its verdicts are meant."""

    @property
    def name(self) -> str:
        """Its name in a list under its data set."""
        if self.study is not None:
            who = "Adjudicated" if self.adjudicated else self.model or "Annotators"
            made_up = self.study == MADE_UP and who == "Annotators"
            return "Made-up judgments" if made_up else in_one_line(f"{who} in {self.study}")
        if self.aspect is None:
            return "Nobody yet"
        if self.aspect == AUTHOR:
            return "Author labels"
        return in_one_line(f"Ratings of {self.aspect}{', by annotator' if self.by_annotator else ''}")

    @property
    def judges(self) -> str:
        """The people whose preferences it holds, as a sentence's subject."""
        if self.model is not None:
            return in_one_line(self.model)
        return name_judges(self.study, self.aspect, adjudicated=self.adjudicated)

    @property
    def full_name(self) -> str:
        """Its name in a list that covers several data sets."""
        return in_one_line(f"{self.dataset}: {self.name}")

    @property
    def address(self) -> dict[str, str]:
        """The parts of an address that name it."""
        if self.study is not None:
            model = {} if self.model is None else {"judge": self.model}
            return {"study": self.study, **({"source": ADJUDICATED} if self.adjudicated else {}), **model}
        aspect = {} if self.aspect is None else {"aspect": self.aspect}
        return {"dataset": self.dataset, **aspect, **({"source": BY_ANNOTATOR} if self.by_annotator else {})}

    @property
    def human(self) -> str | None:
        """The column of ratings that metrics are correlated with."""
        return WON if self.study is not None else self.aspect

    @property
    def unit(self) -> Unit:
        """The unit in which its preferences are counted."""
        if self.adjudicated:
            return "adjudicated pair"
        if self.model is not None:
            return "pair by model"
        if self.by_annotator:
            return "pair by annotator"
        return "judgment" if self.study is not None else "within-document pair"

    @property
    def several(self) -> bool:
        """True if several annotators may say something of the same pair."""
        return self.unit in BY_ANNOTATORS

    def read_version(self) -> Version:
        """Read the source's version from the database; scores are counted anew where they have changed."""
        data, annotation = open_stores().data, open_stores().annotation
        judged, rule, decided, judges, in_drawn_order = "", "all", 0, list[ModelAnnotator](), False
        compared: tuple[str, ...] = ()
        if self.study is not None:
            study = annotation.study(self.study)
            judged = read_at_first(f"judgments of {self.study}", partial(annotation.version, self.study))
            rule, in_drawn_order, compared = study.rule, study.in_drawn_order, study.systems
            decided = open_stores().adjudication.version(self.study) if self.adjudicated else 0
            judges = open_stores().models.models(self.study)
        dataset = data.dataset(self.dataset)
        return Version(judged, rule, dataset, signatures_of(dataset), decided, tuple(judges), in_drawn_order, compared)

    def verdicts_on(self, document: str, systems: tuple[str, str]) -> dict[str, VerdictsOnPair]:
        """Return what language models said of a pair of a study, by signature; nothing for ratings."""
        return {} if self.study is None else open_stores().models.verdicts_on(self.study, document, systems)

    def stored(self, document: str, systems: tuple[str, str]) -> dict[str, dict[str, StoredScore]]:
        """Return a pair's stored scores by signature and system, verdicts of models among them."""
        scores = open_stores().data.stored(dataset=self.dataset, document_id=document, systems=systems)
        answers = self.verdicts_on(document, systems)
        return scores | {name: dict(zip(systems, value.scores, strict=True)) for name, value in answers.items()}


def sources(values: Mapping[str, Any] = MappingProxyType({})) -> list[Source]:
    """Return all sources, the most telling first: of each data set its studies, its ratings, then made-up judgments.

    Data sets imported last come first, the demo corpus last. A data set without judgments and ratings has one source.
    The archive is left out, except for the study or data set that `values`, parts of an address, name.
    """
    stores, study, dataset = open_stores(), values.get("study"), values.get("dataset")
    studies = [each for each in stores.annotation.studies(archived=True) if not each.archived_at or each.name == study]
    shown = {dataset, *(each.dataset for each in studies if each.name == study)}
    datasets = [
        dataset for dataset in stores.data.datasets(archived=True) if not dataset.archived_at or dataset.name in shown
    ]
    datasets.sort(key=lambda dataset: (dataset.name == DEMO, -dataset.imported_at.timestamp()))
    decided = stores.adjudication.decided()
    return [
        judged_by
        for dataset in datasets
        for source in sources_of(dataset, studies)
        for judged_by in (source, source._replace(adjudicated=True))
        if not judged_by.adjudicated or judged_by.study in decided
    ]


def sources_of(dataset: Dataset, studies: Iterable[Study]) -> list[Source]:
    """Return a data set's sources: studies with enough judgments, ratings, other studies, made-up judgments."""
    judged = [study for study in most_judged_first(studies) if study.dataset == dataset.name]
    enough = [study for study in judged if study.judgments >= ENOUGH_JUDGMENTS and study.name != MADE_UP]
    ratings = sorted(dataset.aspects, key=lambda aspect: aspect != USUAL)
    annotated = dataset.annotated or ()
    return [
        *(Source(dataset.name, study=study.name) for study in enough),
        *(Source(dataset.name, aspect=aspect) for aspect in ratings),
        *(Source(dataset.name, aspect=aspect, by_annotator=True) for aspect in ratings if aspect in annotated),
        *(Source(dataset.name, study=study.name) for study in judged if study not in enough),
    ] or [Source(dataset.name)]


def judge_sources(known: Iterable[Source]) -> list[Source]:
    """Return, for each study among some sources, the verdicts of the language models that judged its pairs."""
    studies = [source for source in known if source.study is not None and not source.adjudicated]
    models = open_stores().models
    return [study._replace(model=judge.name) for study in studies for judge in models.models(study.study or "")]


def most_judged_first(studies: Iterable[Study]) -> list[Study]:
    """Sort studies by judgments, the most first; the one with made-up judgments follows all that people have judged."""
    return sorted(studies, key=lambda study: (not study.judgments, study.name == MADE_UP, -study.judgments))


def first_telling(known: Sequence[Source]) -> Source:
    """Return the source to show where none is chosen: the first with enough judgments, or with ratings."""
    counts = {study.name: study.judgments for study in open_stores().annotation.studies(archived=True)}
    telling = [
        source for source in known if source.aspect is not None or counts.get(source.study or "", 0) >= ENOUGH_JUDGMENTS
    ]
    real = [source for source in telling if source.study != MADE_UP]
    return (real or telling or [*known])[0]


@whole("Reading the judgments", kept=16)
def preferences_of(source: Source, version: Version) -> Preferences:
    """Return the preferences of a source."""
    if source.model is not None:  # the study's judgments are read once for its people and its models
        return prefer_by_scores(preferences_of(source._replace(model=None), version), find_judge(version, source.model))
    if source.study is not None:
        return (load_adjudications if source.adjudicated else load_judgments)(open_stores().annotation, source.study)
    if not source.aspect:
        return NO_PREFERENCES
    return load_rated_pairs(open_stores().data, source.dataset, source.aspect, by_annotator=source.by_annotator)


def find_judge(version: Version, model: str) -> str:
    """Return the signature of a language model that judged a study."""
    return next(judge.signature for judge in version.judges if judge.name == model)


@whole("Reading the scores", kept=16)
def cells_of(source: Source, version: Version) -> Cells:
    """Return the scores and ratings of the data set; for a study, of its systems, with the share of judgments won."""
    cells = open_stores().data.cells(source.dataset)
    if source.study is None:
        return cells
    return with_judgments(cells.of_systems(version.systems), preferences_of(source, version))


@computed("Reading the verdicts", kept=16)
def judges_of(source: Source, version: Version) -> dict[str, JudgeSummary]:
    """Return what language models said of a study's pairs, by signature; nothing for ratings."""
    if source.study is None or not version.judges:
        return {}
    return {verdict.signature: summarize_judge(verdict) for verdict in open_stores().models.verdicts(source.study)}


class Counts(NamedTuple):
    """Figures about preferences, for pages that do not have the preferences themselves."""

    entries: int
    documents: int
    pairs: int
    ties: int
    both_bad: int
    """Ties in which the annotator called both summaries bad."""
    annotators: tuple[str, ...]
    systems: tuple[str, ...]
    signatures: tuple[str, ...]
    """The signatures under which the pairs have scores."""
    listed: bool = True
    """True if the pairs are few enough to be listed."""
    left_out: str = ""
    """A clause that says whose judgments do not count; empty where nobody is excluded."""


def count_preferences(preferences: Preferences) -> Counts:
    """Count preferences, pairs, documents and ties; names are sorted."""
    if preferences.unlisted is not None:
        return count_rated_pairs(preferences.unlisted)
    judged = np.unique(preferences.pair)
    systems = {*preferences.firsts[judged], *preferences.seconds[judged]}
    return Counts(
        entries=len(preferences),
        documents=len(set(preferences.documents[judged])),
        pairs=len(judged),
        ties=int((preference_signs(preferences.choices) == 0).sum()),
        both_bad=preferences.bad_ties,
        annotators=tuple(sorted({name for name in preferences.annotators if name is not None}, key=natural_order)),
        systems=tuple(sorted(systems, key=natural_order)),
        signatures=tuple(preferences.scores),
    )


def count_rated_pairs(cells: Cells) -> Counts:
    """Count the pairs of rated summaries where they are too many to be listed."""
    (ratings,) = cells.ratings.values()
    documents = group_by_document(cells.documents, ~np.isnan(ratings))
    pairs = sum(len(of) * (len(of) - 1) // 2 for of in documents)
    tied = (
        preference_signs(ratings[first] - ratings[second]) == 0 for of in documents for first, second in pairs_of(of)
    )
    systems = {cells.systems[cell] for of in documents for cell in of.tolist()}
    return Counts(
        entries=pairs,
        documents=len(documents),
        pairs=pairs,
        ties=sum(int(np.count_nonzero(some)) for some in tied),
        both_bad=0,
        annotators=(),
        systems=tuple(sorted(systems, key=natural_order)),
        signatures=tuple(cells.scores),
        listed=False,
    )


@computed("Counting the judgments", kept=64)
def count_source(source: Source, version: Version) -> Counts:
    """Count a source's preferences."""
    counts = count_preferences(preferences_of(source, version))
    if source.study is None:
        return counts
    return counts._replace(left_out=tell_left_out(open_stores().annotation.study(source.study)))


def describe_source(source: Source, counts: Counts) -> str:
    """Say in Markdown whose preferences a page shows, and how many pairs and documents they cover."""
    count, documents = counts.entries, format_count(counts.documents, "document")
    if source.adjudicated:
        people = format_count(len(counts.annotators), "adjudicator")
        return (
            f"**{format_count(count, 'decision')}** of {people}, the latest of each pair, over {documents} in the "
            f"study {in_markdown(source.study)}: not its judgments, but decisions on the pairs where annotators agree "
            "least."
        )
    if source.study == MADE_UP:
        return (
            f"**{count} made-up judgments** of {documents}: a program made them to show what this page looks like. "
            "They are not evidence."
        )
    if source.study is not None:
        people = format_count(len(counts.annotators), "annotator")
        judged = format_count(counts.pairs, "pair")
        tied = {"call both summaries equal": counts.ties - counts.both_bad, "call both bad": counts.both_bad}
        ties = " and ".join(f"{some:,} {how}" for how, some in tied.items() if some)
        equal = f", of which {ties}" if ties else ""
        return (
            f"**{format_count(count, 'judgment')}** of {judged} over {documents} by {people} in the study "
            f"{in_markdown(source.study)}{equal}." + (f" {counts.left_out}." if counts.left_out else "")
        )
    return describe_ratings_of(source, counts)


def describe_ratings_of(source: Source, counts: Counts) -> str:
    """Say in Markdown of which ratings a page shows the pairs, and how many these are."""
    if source.aspect is None:
        return f"Nobody has judged or rated summaries of {in_markdown(source.dataset)} yet."
    pairs = f"{format_count(counts.pairs, 'pair')} of summaries of {format_count(counts.documents, 'document')}"
    ties = f", of which {counts.ties:,} {'is' if counts.ties == 1 else 'are'} rated alike" if counts.ties else ""
    if source.aspect == AUTHOR:
        return f"**Author labels**, not annotators' judgments: {pairs}, as the corpus's author ranked them."
    if source.by_annotator:
        people = format_count(len(counts.annotators), "annotator")
        return (
            f"**Ratings of {in_markdown(source.aspect)} by {people}**, imported with the data set: {pairs}. Everyone "
            f"counts who rated both summaries of a pair: {format_count(counts.entries, 'preference')}{ties}."
        )
    return f"**Ratings of {in_markdown(source.aspect)}**, imported with the data set: {pairs}{ties}."
