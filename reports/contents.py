"""What is said of a study, a data set or a file: the tables, and what they rest on."""

from __future__ import annotations

import platform
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from typing import Any

from analysis.metrics_and_people import LEVELS
from analysis.study import StudyAnalysis
from metrics.registry import label_of
from metrics.scoring import MissingCounts
from reports import formats
from reports.finding import name_ratings
from reports.tables.agreement import no_ratio
from reports.tables.correlation import TERMS
from reports.tables.study import make_table
from reports.tables.table import Table

PACKAGES = ("relevance", "numpy", "scipy", "pandas", "sqlalchemy")

NOTHING = StudyAnalysis()

COUNTS = ("pairs", "human_ties", "concordant", "discordant", "tied", "strict", "half", "decided", "coverage")
"""The counts and ratios of an agreement that are headline figures."""


def versions() -> str:
    """The versions of Python and of the packages that compute the numbers."""
    return ", ".join([f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in PACKAGES)])


@dataclass(frozen=True)
class Contents:
    """What is known, with the names of the tables to be made of it."""

    heading: str
    facts: Mapping[str, str]
    """What it rests on: names, counts, hashes, versions, seeds."""
    names: tuple[str, ...]
    """The tables, in the order of reading."""
    gaps: Mapping[str, MissingCounts]
    """By signature: scores that are missing, and those of cut texts."""
    analysis: StudyAnalysis = NOTHING
    """What tables are made of, but for those of texts."""
    people: str = "people"
    """Whose preferences they are, as the object of a sentence."""
    of_texts: Mapping[str, Table] = field(default_factory=dict)
    """Tables of texts, which are made already."""

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The tables, made when they are first asked for."""
        return tuple(self.of_texts.get(name) or make_table(name, self.analysis) for name in self.names)

    def only(self, names: Collection[str]) -> Contents:
        """The same with some of the tables."""
        return replace(self, names=tuple(name for name in self.names if name in names))

    def with_facts(self, facts: Mapping[str, str]) -> Contents:
        """The same with more that it rests on."""
        return replace(self, facts={**self.facts, **facts})

    def labelled(self) -> Contents:
        """The same with the labels that people read in the place of the names that files and commands have."""
        return replace(self, analysis=self.analysis.named(label_of, name_ratings, TERMS))


def contents_as_json(contents: Contents) -> dict[str, Any]:
    """All tables by name, with what they rest on; `metrics` has the headline figures by metric.

    What is undefined is null, with the reasons under `undefined`.
    """
    analysis = contents.analysis
    human = analysis.settings.human
    return {
        "human": human,
        "facts": dict(contents.facts),
        "metrics": {} if human is None else headline_figures(analysis, contents.gaps),
        "tables": {table.name: formats.as_json(table) for table in contents.tables},
    }


def headline_figures(analysis: StudyAnalysis, gaps: Mapping[str, MissingCounts]) -> dict[str, Any]:
    """Agreement with people and correlation with them by metric; why one is undefined, under `undefined`."""
    metrics: dict[str, Any] = {}
    reasons: dict[str, dict[str, str]] = {}
    for row in analysis.agreement.rows:
        counts = row.evaluation.agreement
        metrics[row.metric] = {
            "signature": row.signature,
            **gaps[row.signature]._asdict(),
            "agreement": {name: getattr(counts, name) for name in COUNTS},
        }
        reasons[row.metric] = {} if counts.decided is not None else {"agreement": no_ratio(counts)}
    for found in analysis.correlations["human"]:
        if found.second in metrics:
            metrics[found.second][found.method] = {
                level: figure.r for level, figure in zip(LEVELS, found.levels, strict=True)
            }
            reasons[found.second] |= {
                f"{found.method} {level}": figure.reason or "undefined"
                for level, figure in zip(LEVELS, found.levels, strict=True)
                if figure.r is None
            }
    return {
        name: figures | ({formats.UNDEFINED: reasons[name]} if reasons[name] else {})
        for name, figures in metrics.items()
    }
