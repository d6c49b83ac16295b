"""What is said of a study, a data set or a file: the tables, and what they rest on."""

from __future__ import annotations

import platform
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from typing import Any

from analysis.agreement import Agreement
from analysis.correlation import Levels
from analysis.metrics_and_people import LEVELS
from analysis.study import StudyAnalysis
from metrics.scoring import MissingCounts
from reports import formats
from reports.tables.agreement import no_ratio
from reports.tables.study import make_table
from reports.tables.table import Table

PACKAGES = ("relevance", "numpy", "scipy", "pandas", "sqlalchemy")


NOTHING = StudyAnalysis()


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
    of_texts: Mapping[str, Table] = field(default_factory=dict)
    """Tables of texts, which are made already."""

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The tables, made when they are first asked for."""
        return tuple(self.of_texts.get(name) or make_table(name, self.analysis) for name in self.names)

    def only(self, names: Collection[str]) -> Contents:
        """The same with some of the tables."""
        return replace(self, names=tuple(name for name in self.names if name in names))


def agreement_as_json(agreement: Agreement) -> dict[str, Any]:
    """Counts and ratios of one agreement."""
    return {
        "pairs": agreement.pairs,
        "human_ties": agreement.human_ties,
        "concordant": agreement.concordant,
        "discordant": agreement.discordant,
        "tied": agreement.tied,
        "strict": agreement.strict,
        "half": agreement.half,
        "decided": agreement.decided,
        "coverage": agreement.coverage,
    }


def levels_as_json(levels: Levels) -> dict[str, float | None]:
    """One coefficient at the three levels."""
    return {"global": levels.global_.r, "input": levels.input.r, "system": levels.system.r}


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
            "agreement": agreement_as_json(counts),
        }
        reasons[row.metric] = {} if counts.decided is not None else {"agreement": no_ratio(counts)}
    for found in analysis.correlations["human"]:
        if found.second in metrics:
            metrics[found.second][found.method] = levels_as_json(found.levels)
            reasons[found.second] |= {
                f"{found.method} {level}": figure.reason or "undefined"
                for level, figure in zip(LEVELS, found.levels, strict=True)
                if figure.r is None
            }
    return {
        name: figures | ({formats.UNDEFINED: reasons[name]} if reasons[name] else {})
        for name, figures in metrics.items()
    }
