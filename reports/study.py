"""What is said of a study's judgments, and of the scores and ratings of a file or data set."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from analysis.study import WON, Settings, analyze_judgments, analyze_ratings, check_systems
from annotation.study_data import StudyData
from data.cells import Cells
from metrics.scoring import MissingCounts, NoRatings
from reports.contents import Contents, versions
from reports.tables.study import OF_PEOPLE, table_names

USUAL = "relevance"
"""The rating that metrics are held against where none is named."""


LEFT_OUT = "left out"
"""The fact that names the tables that need ratings where there are none."""


def make_study_contents(found: StudyData, settings: Settings) -> Contents:
    """Say everything about a study's judgments and its data set's scores.

    The settings may name a rating of the data set to correlate metrics with, in place of the judgments won. Raises
    `NoRatings` and `UnknownSystem`.
    """
    study, dataset = found.study, found.dataset
    if settings.human not in (None, WON, *dataset.aspects):
        raise NoRatings(
            f"there are no human ratings of {settings.human!r}; there are {', '.join(dataset.aspects) or 'none at all'}"
        )
    check_systems(settings.systems, dataset.systems, "--systems")
    analysis = analyze_judgments(
        found.preferences,
        found.cells,
        settings,
        checks=found.checks,
        truncated=found.truncated,
        sampling=study.rule,
    )
    judgments = analysis.preferences
    compared = {"compared by": ", ".join(study.signatures), "random share": str(study.random_share)}
    return Contents(
        heading=f"Study {study.name}",
        facts={
            "study": study.name,
            "question": study.question,
            "data set": dataset.name,
            "SHA-256 of its file": dataset.sha256,
            "documents": str(dataset.documents),
            "systems": ", ".join(settings.systems or study.systems),
            "pairs": "; ".join((f"{study.pairs}, rule {study.rule}, seed {study.seed}", *study.notes)),
            **(compared if study.signatures else {}),
            "judgments": f"{len(judgments)} by {len(set(judgments.annotators))} annotators",
            "seed": str(settings.seed),
            "versions": versions(),
        },
        names=table_names(analysis),
        gaps={
            signature: MissingCounts(int(np.isnan(values).sum()), found.truncated.get(signature, 0))
            for signature, values in analysis.cells.scores.items()
        },
        analysis=analysis,
    )


def make_cell_contents(
    cells: Cells, settings: Settings, facts: Mapping[str, str], gaps: Mapping[str, MissingCounts]
) -> Contents:
    """Say everything about the scores of a file or data set, and about the ratings that the settings name.

    Without these, what needs people is left out, which the facts say. Raises `UnknownSystem` for other baselines.
    """
    human = settings.human
    analysis = analyze_ratings(cells, settings, truncated={name: gap.truncated for name, gap in gaps.items()})
    left_out = {}
    if human is None:
        others = f"; --human takes {' or '.join(cells.ratings)}" if cells.ratings else ""
        left_out = {LEFT_OUT: f"{', '.join(OF_PEOPLE)}: there are no human ratings of {USUAL!r}{others}"}
    return Contents(
        heading="Metrics" if human is None else f"Metrics against human ratings of {human}",
        facts={**facts, **left_out, "seed": str(settings.seed), "versions": versions()},
        names=table_names(analysis),
        gaps=gaps,
        analysis=analysis,
    )
