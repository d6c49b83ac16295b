"""What people said, by where it comes from: judgments of a study, or ratings that came with a data set."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import streamlit as st

from annotation.demo import MADE_UP
from annotation.records import Study
from annotation.results import load_judgments, load_rated_pairs
from data.demo import AUTHOR
from data.one_line import in_one_line
from data.preferences import Preferences
from pages.components.shared.stores import open_stores
from reports.escaping import in_markdown


class Source(NamedTuple):
    """Where preferences come from; `study` or, of ratings, `aspect` is set."""

    dataset: str
    study: str | None = None
    aspect: str | None = None

    @property
    def name(self) -> str:
        """As a list shows it."""
        if self.study == MADE_UP:
            return in_one_line(f"{self.dataset}: made-up judgments")
        if self.study is not None:
            return in_one_line(f"{self.study}: annotators' judgments")
        if self.aspect == AUTHOR:
            return in_one_line(f"{self.dataset}: author labels")
        return in_one_line(f"{self.dataset}: human ratings ({self.aspect})")

    @property
    def address(self) -> dict[str, str]:
        """The parts of an address that name it."""
        if self.study is not None:
            return {"study": self.study}
        return {"dataset": self.dataset, "aspect": self.aspect or ""}

    @property
    def rule(self) -> str:
        """The rule by which a study's pairs were chosen; of ratings, all pairs are there."""
        return open_stores().annotation.study(self.study).rule if self.study is not None else "all"

    @property
    def version(self) -> object:
        """Changes whenever a judgment or score does: what is computed from the source is to be computed anew."""
        study = open_stores().annotation.version(self.study) if self.study is not None else None
        return study, tuple(open_stores().data.signatures(self.dataset))


def sources() -> list[Source]:
    """All sources: studies as `most_judged_first` sorts them, then ratings."""
    found = [Source(study.dataset, study=study.name) for study in most_judged_first(open_stores().annotation.studies())]
    return found + [
        Source(data.name, aspect=aspect) for data in open_stores().data.datasets() for aspect in data.aspects
    ]


def most_judged_first(studies: Iterable[Study]) -> list[Study]:
    """Studies with the most judgments first; that of made-up ones stands behind all that people have judged."""
    return sorted(studies, key=lambda study: (not study.judgments, study.name == MADE_UP, -study.judgments))


def first_with_something(found: list[Source]) -> int:
    """The index of the default source: human judgments if there are any, else ratings."""
    studies = {study.name: study.judgments for study in open_stores().annotation.studies() if study.name != MADE_UP}
    filled = [place for place, source in enumerate(found) if source.study is None or studies.get(source.study)]
    return filled[0] if filled else 0


@st.cache_data(max_entries=16, show_spinner="Reading")
def preferences_of(source: Source, version: object) -> Preferences:
    """The preferences of a source; read anew when its version moves."""
    if source.study is not None:
        return load_judgments(open_stores().annotation, source.study)
    return load_rated_pairs(open_stores().data, source.dataset, source.aspect or "")


def describe_source(source: Source, preferences: Preferences) -> str:
    """Describe the source in Markdown."""
    count, documents = len(preferences), len(set(preferences.document))
    if source.study == MADE_UP:
        return (
            f"Shown: **{count} made-up judgments** over {documents} documents: a program made them to show what this "
            "page says; they measure nothing."
        )
    if source.study is not None:
        shown = f"**{count} judgments of annotators** in the study {in_markdown(source.study)}"
    elif source.aspect == AUTHOR:
        shown = f"**author labels**, not annotators' judgments: {count} pairs that the corpus's author ranked"
    else:
        shown = f"**imported human ratings** of {in_markdown(source.aspect)}, {count} within-document pairs"
    return f"Shown: {shown}, over {documents} documents."
