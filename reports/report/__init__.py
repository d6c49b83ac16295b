"""The results of a study, a data set or a file: the tables, and the facts that they rest on."""

from __future__ import annotations

import platform
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from typing import Any

from relevance.analysis.metrics_and_people import LEVELS
from relevance.analysis.study import Inputs, Results
from relevance.data.distribution import DISTRIBUTION
from relevance.metrics.scoring import MissingCounts
from relevance.reports import formats
from relevance.reports.formats.cells import UNDEFINED
from relevance.reports.presentation import READER_NAMES, Presentation
from relevance.reports.tables.agreement import no_ratio
from relevance.reports.tables.registry import make_table
from relevance.reports.tables.table import Table

PACKAGES = (DISTRIBUTION, "numpy", "scipy", "pandas", "sqlalchemy")

NOTHING = Presentation(Results(Inputs()))

COUNTS = ("pairs", "human_ties", "concordant", "discordant", "tied", "strict", "half", "decided", "coverage")
"""The counts and ratios of an agreement that are headline figures."""


def versions() -> str:
    """Return the versions of Python and of the packages that compute the numbers."""
    return ", ".join([f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in PACKAGES)])


@dataclass(frozen=True)
class Report:
    """Results, with the names of the tables to make of them."""

    heading: str
    facts: Mapping[str, str]
    """The facts that the tables rest on: names, counts, hashes, versions, seeds."""
    names: tuple[str, ...]
    """The tables, in the order of reading."""
    gaps: Mapping[str, MissingCounts]
    """The numbers of missing scores and of scores of cut texts, by signature."""
    shown: Presentation = NOTHING
    """The results that the tables show, except those of texts."""
    people: str = "people"
    """The people whose preferences these are, as the object of a sentence."""
    of_texts: Mapping[str, Table] = field(default_factory=dict)
    """Tables of texts by name, which are already made."""

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """Make the tables, once."""
        return tuple(self.of_texts.get(name) or make_table(name, self.shown) for name in self.names)

    def only(self, names: Collection[str]) -> Report:
        """Return the report with some of the tables."""
        return replace(self, names=tuple(name for name in self.names if name in names))

    def with_facts(self, facts: Mapping[str, str]) -> Report:
        """Return the report with further facts."""
        return replace(self, facts={**self.facts, **facts})

    def labelled(self) -> Report:
        """Return the report with the labels that people read, instead of the names in files and commands."""
        return replace(self, shown=replace(self.shown, names=READER_NAMES))


def report_as_json(report: Report) -> dict[str, Any]:
    """Return all tables by name with their facts; `metrics` has the headline figures by metric.

    What is undefined is null, with the reasons under `undefined`.
    """
    human = report.shown.inputs.settings.human
    return {
        "human": human,
        "facts": dict(report.facts),
        "metrics": {} if human is None else headline_figures(report.shown, report.gaps),
        "tables": {table.name: formats.as_json(table) for table in report.tables},
    }


def headline_figures(shown: Presentation, gaps: Mapping[str, MissingCounts]) -> dict[str, Any]:
    """Return agreement and correlation with people by metric; `undefined` has the reasons where one is undefined."""
    metrics: dict[str, Any] = {}
    reasons: dict[str, dict[str, str]] = {}
    for row in shown.agreement.rows:
        counts = row.evaluation.agreement
        metrics[row.metric] = {
            "signature": row.signature,
            **gaps[row.signature]._asdict(),
            "agreement": {name: getattr(counts, name) for name in COUNTS},
        }
        reasons[row.metric] = {} if counts.decided is not None else {"agreement": no_ratio(counts)}
    for correlation in shown.correlations["human"]:
        if correlation.second in metrics:
            metrics[correlation.second][correlation.method] = {
                level: figure.r for level, figure in zip(LEVELS, correlation.levels, strict=True)
            }
            reasons[correlation.second] |= {
                f"{correlation.method} {level}": figure.reason or "undefined"
                for level, figure in zip(LEVELS, correlation.levels, strict=True)
                if figure.r is None
            }
    return {name: figures | ({UNDEFINED: reasons[name]} if reasons[name] else {}) for name, figures in metrics.items()}
