"""The options of comparing metrics with people and each other, and of choosing tables."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import click

from relevance.analysis.agreement.counts import Rule
from relevance.analysis.correlation.coefficients import METHODS, Method
from relevance.analysis.correlation.permuted import Permute
from relevance.analysis.correlation.resampled import Resample
from relevance.analysis.study import Settings
from relevance.cli.shared import split_names
from relevance.data.sorting import natural_order
from relevance.reports.report.texts import OF_MARKS, OF_TEXTS
from relevance.reports.tables.registry import OF_SYSTEMS

ONLY_WHERE = {"sequential": "the study has no stopping rule", "judges": "no language model has judged"}
"""Tables that not every study has, with the reasons why."""

systems_option = click.option(
    "--systems", "systems", default="", help="Systems that the tables are restricted to, separated by commas."
)

baselines_option = click.option(
    "--baselines",
    help="Systems, separated by commas: a dagger in the table of systems marks systems that beat all of them.  "
    '[default: those named like a baseline of relevance summarize, such as lead-1; "": none]',
)

resample_option = click.option(
    "--resample",
    type=click.Choice(["documents", "systems", "both"]),
    help="Units that intervals of correlations draw, and so hold for.  [default: documents; both at the system level]",
)

permute_option = click.option(
    "--permute",
    type=click.Choice(["documents", "systems", "both", "cells"]),
    help="Units that two metrics swap in tests of their correlations, and for which the tests hold: documents "
    "(Perm-Inputs), systems (Perm-Systems) or both; or cells, each summary by itself (Perm-Both), which treats all as "
    "fixed.  [default: both at the global, documents at the input, systems at the system level]",
)


@dataclass(frozen=True)
class AnalysisOptions:
    """The options of `relevance analyze` that every kind of input takes."""

    systems: str
    baselines: str | None
    rule: Rule
    coefficients: str
    resample: Resample | None
    permute: Permute | None
    seed: int
    published: str | None
    adjudicated: bool
    by_annotator: bool
    clean: bool

    def settings(self, human: str | None) -> Settings:
        """Return the settings of an analysis against the rating `human`; `choose_baselines` adds the baselines."""
        chosen = dict.fromkeys(split_names(self.coefficients))
        if not chosen or not {*chosen} <= {*METHODS}:
            raise click.UsageError(f"--coefficients must be among {', '.join(METHODS)}, not {self.coefficients!r}")
        return Settings(
            human=human,
            by_annotator=self.by_annotator,
            methods=tuple(cast("Method", name) for name in chosen),
            rule=self.rule,
            systems=tuple(split_names(self.systems)),
            resample=self.resample,
            permute=self.permute,
            seed=self.seed,
        )


@dataclass(frozen=True)
class TableRequest:
    """The tables that --tables names; all if it is not given."""

    names: tuple[str, ...] = ()

    @classmethod
    def read(cls, option: str | None) -> "TableRequest":
        """Read the option: a name may mean several tables."""
        if option is None:
            return cls()
        if not (given := split_names(option)):
            raise click.UsageError("--tables names no table")
        groups = {**OF_TEXTS, **OF_MARKS}
        return cls(tuple(table for name in given for table in groups.get(name, (name,))))

    @cached_property
    def of_texts(self) -> set[str]:
        """The tables among them that are made from texts alone."""
        return {*self.names} & {table for tables in OF_TEXTS.values() for table in tables}

    @property
    def only_texts(self) -> bool:
        """Whether all named tables are made from texts alone."""
        return bool(self.names) and {*self.names} <= self.of_texts

    @property
    def system_figures(self) -> bool:
        """Whether one of the tables has upper bounds and published figures beside systems."""
        return not self.names or not {*self.names}.isdisjoint(OF_SYSTEMS)

    def check(self, known: Collection[str]) -> None:
        """Refuse tables that are neither of texts nor among `known`, those that can be made."""
        unknown = [name for name in self.names if name not in known and name not in self.of_texts]
        if unknown:
            named = ", ".join(f"{name} ({ONLY_WHERE[name]})" if name in ONLY_WHERE else name for name in unknown)
            known = dict.fromkeys([*known, *(name for names in OF_TEXTS.values() for name in names)])
            raise click.UsageError(f"there is no table {named}; there are {', '.join(known)}")


ALL_TABLES = TableRequest()


def choose_baselines(named: str | None, systems: Iterable[str], request: TableRequest = ALL_TABLES) -> tuple[str, ...]:
    """Return the named baselines, by default the systems that are called like one, where a table asked for has them."""
    if named is not None:
        return tuple(split_names(named))
    if not request.system_figures:
        return ()
    from relevance.summarizers.registry import baselines_among

    return baselines_among(sorted(set(systems), key=natural_order))
