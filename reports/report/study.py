"""The results of a study's judgments, and of the scores and ratings of a file or data set."""

from collections.abc import Iterable, Mapping

import numpy as np

from relevance.analysis.study import WON, Inputs, Settings, analyze_judgments, analyze_ratings, check_systems
from relevance.annotation.records import Study
from relevance.annotation.study_data import StudyData
from relevance.data.cells import Cells
from relevance.data.cleaning import describe_cleaning
from relevance.data.preferences import Preferences
from relevance.data.sorting import natural_order
from relevance.data.store import Dataset, DataStore
from relevance.data.wording import format_count
from relevance.metrics.notices import LOOKED_AT, find_notices
from relevance.metrics.scoring import MissingCounts, NoRatings
from relevance.reports.adjudication import describe_confirmation
from relevance.reports.presentation import Presentation, name_people
from relevance.reports.report import Report, versions
from relevance.reports.tables.registry import OF_PEOPLE, table_names

USUAL = "relevance"
"""The rating that metrics are compared with by default."""

LEFT_OUT = "left out"
"""The name of the fact that lists the tables left out because there are no ratings."""


def make_study_report(study_data: StudyData, settings: Settings) -> Report:
    """Analyse a study's judgments and its data set's scores.

    The settings may name a rating of the data set, with which metrics are then correlated instead of the judgments
    won. Raises `NoRatings` and `UnknownSystem`.
    """
    study, dataset = study_data.study, study_data.dataset
    if settings.human not in (None, WON, *dataset.aspects):
        raise NoRatings(
            f"there are no human ratings of {settings.human!r}; there are {', '.join(dataset.aspects) or 'none at all'}"
        )
    check_systems(settings.systems, study.systems, "--systems")
    inputs = Inputs(
        study_data.preferences,
        study_data.cells,
        settings,
        unit="adjudicated pair" if study_data.adjudicated else "judgment",
        sampling=study.rule,
        truncated=study_data.truncated,
        checks=study_data.checks,
        complete=study_data.complete,
    )
    return describe_study(study_data, Presentation(analyze_judgments(inputs, study_data.verdicts)))


def with_warnings(report: Report, data: DataStore, dataset: str) -> Report:
    """Return the report with what is to be known of the texts of the data set's first documents."""
    records = data.first_records(dataset, LOOKED_AT)
    notices = find_notices(records, report.shown.inputs.cells.scores, first=LOOKED_AT)
    return report.with_facts({kind: "; ".join(sentences) for kind, sentences in notices.items()})


def describe_study(study_data: StudyData, shown: Presentation) -> Report:
    """Return the results of a study's judgments with the facts that they rest on."""
    study, dataset, inputs = study_data.study, study_data.dataset, shown.inputs
    people = name_people(study.name, None, adjudicated=study_data.adjudicated)
    compared = {"compared by": ", ".join(study.signatures), "random share": str(study.random_share)}
    return Report(
        heading=f"Metrics against {people}: {study.name}",
        facts={
            "study": study.name,
            "question": study.question,
            **facts_of_dataset(dataset, inputs.settings.systems or study.systems),
            "pairs": "; ".join((f"{study.pairs}, rule {study.rule}, seed {study.seed}", *study.notes)),
            **(compared if study.signatures else {}),
            **facts_of_people(study_data, inputs.preferences),
            **facts_of_run(inputs.settings),
        },
        names=table_names(shown),
        gaps=count_gaps(inputs),
        shown=shown,
        people=people,
    )


def facts_of_people(study_data: StudyData, judgments: Preferences) -> dict[str, str]:
    """Count the judgments or decisions and who made them; where there are decisions, compare them with judgments."""
    people, left_out = len(set(judgments.annotators)), tell_left_out(study_data.study)
    if study_data.adjudicated:
        by = format_count(people, "adjudicator")
        facts = {"decisions": f"{len(judgments)} by {by}, the latest of each pair; not the judgments"}
    else:
        by = format_count(people, "annotator")
        facts = {"judgments": f"{len(judgments)} by {by}" + (f"; {left_out}" if left_out else "")}
    if study_data.confirmation.decided:
        facts["adjudicated"] = describe_confirmation(study_data.confirmation)
    return facts


def tell_left_out(study: Study) -> str:
    """Say in a clause whose judgments do not count; empty if nobody who judged is excluded."""
    if not study.excluded_annotators:
        return ""
    judgments = format_count(study.excluded_judgments, "judgment")
    verb = "is" if study.excluded_judgments == 1 else "are"
    return f"{judgments} by {format_count(study.excluded_annotators, 'excluded annotator')} {verb} left out"


def describe_ratings(dataset: Dataset, aspect: str, shown: Presentation) -> Report:
    """Return the results of a data set's ratings with the facts that they rest on."""
    people = name_people(None, aspect)
    return Report(
        heading=f"Metrics against {people}: {dataset.name}",
        facts={**facts_of_dataset(dataset, dataset.systems), **facts_of_run(shown.inputs.settings)},
        names=table_names(shown),
        gaps=count_gaps(shown.inputs),
        shown=shown,
        people=people,
    )


def facts_of_dataset(dataset: Dataset, systems: Iterable[str]) -> dict[str, str]:
    """Return the facts about the data set."""
    return {
        "data set": dataset.name,
        "SHA-256 of its file": dataset.sha256,
        **({} if dataset.cleaned is None else {"texts": describe_cleaning(dataset.cleaned)}),
        "documents": str(dataset.documents),
        "systems": ", ".join(sorted(systems, key=natural_order)),
    }


def facts_of_run(settings: Settings) -> dict[str, str]:
    """Return the seed and the versions that figures depend on."""
    return {"seed": str(settings.seed), "versions": versions()}


def count_gaps(inputs: Inputs) -> dict[str, MissingCounts]:
    """Count by signature the missing scores (of language models, verdicts) and the scores of cut texts."""
    of_metrics = {
        signature: MissingCounts(int(np.isnan(values).sum()), inputs.truncated.get(signature, 0))
        for signature, values in inputs.cells.scores.items()
    }
    return of_metrics | {judge.signature: MissingCounts(judge.pairs - judge.answered, 0) for judge in inputs.judges}


def make_cell_report(
    cells: Cells, settings: Settings, facts: Mapping[str, str], gaps: Mapping[str, MissingCounts]
) -> Report:
    """Analyse the scores of a file or data set, and the ratings that the settings name.

    Without ratings, the tables that need people are left out, and the facts say so. Raises `UnknownSystem` for
    baselines that are not there, `NoRatings` where the settings ask for each annotator's and these are not known.
    """
    human = settings.human
    if settings.by_annotator and human not in cells.single:
        known = f"those of {', '.join(cells.single)} are" if cells.single else "no ratings here are"
        raise NoRatings(f"the ratings of {human or USUAL} are not known by annotator; {known}")
    people = "people" if human is None else name_people(None, human)
    truncated = {name: gap.truncated for name, gap in gaps.items()}
    shown = Presentation(analyze_ratings(cells, settings, truncated=truncated))
    left_out = {}
    if human is None:
        others = f"; --human takes {' or '.join(cells.ratings)}" if cells.ratings else ""
        left_out = {LEFT_OUT: f"{', '.join(OF_PEOPLE)}: there are no human ratings of {USUAL!r}{others}"}
    return Report(
        heading=f"Metrics against {people}",
        facts={**facts, **left_out, **facts_of_run(settings)},
        names=table_names(shown),
        gaps=gaps,
        shown=shown,
        people=people,
    )
