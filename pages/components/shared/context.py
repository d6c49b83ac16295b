"""The bar above results and examples: the data set, who judged it, the metrics, and a link to this choice.

The choice is kept in the session from page to page, and written into the address of each.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import streamlit as st

from relevance.analysis.study import Inputs, Results, Settings, Unit
from relevance.annotation.records import Study
from relevance.data.cells import Cells
from relevance.data.one_line import in_one_line
from relevance.data.preferences import Preferences
from relevance.data.signatures import labels
from relevance.metrics.registry import label_of
from relevance.pages.components.shared.address import CHOSEN, choose_named, read_address, write_address
from relevance.pages.components.shared.links import make_link, show_link
from relevance.pages.components.shared.sources import (
    Counts,
    Source,
    Version,
    cells_of,
    count_source,
    first_telling,
    judges_of,
    most_judged_first,
    preferences_of,
    sources,
)
from relevance.pages.components.shared.stores import open_stores
from relevance.reports.presentation import READER_NAMES, Presentation

T = TypeVar("T")

PARTS = ("dataset", "study", "source", "aspect", "metrics")
"""The parts of an address that say what a page is about."""


class Context(NamedTuple):
    """The subject of a page of results."""

    source: Source
    metrics: tuple[str, ...]
    """The labels of the chosen metrics; empty for all of them."""
    version: Version

    @property
    def summaries(self) -> int:
        """The number of summaries in the data set, by which `computed` tells whether it is large."""
        return self.version.summaries

    @property
    def address(self) -> dict[str, Any]:
        """The parts of an address that lead to it."""
        return {**self.source.address, **({"metrics": [*self.metrics]} if self.metrics else {})}

    @property
    def counts(self) -> Counts:
        """The counts of the source's preferences, with the signatures of the chosen metrics."""
        source = count_source(self.source, self.version)
        return source._replace(signatures=tuple(self.choose_metrics(dict.fromkeys(source.signatures))))

    # Only computed functions may use what follows: on a hosted server, no whole data set may reach a page.

    @property
    def preferences(self) -> Preferences:
        """The source's preferences with the scores by the chosen metrics."""
        preferences = preferences_of(self.source, self.version)
        cells = preferences.unlisted
        cells = cells and replace(cells, scores=self.choose_metrics(cells.scores))
        return replace(preferences, scores=self.choose_metrics(preferences.scores), unlisted=cells)

    @property
    def cells(self) -> Cells:
        """The data set's scores by the chosen metrics, and its ratings."""
        cells = cells_of(self.source, self.version)
        return replace(cells, scores=self.choose_metrics(cells.scores))

    def choose_metrics(self, by_signature: Mapping[str, T]) -> dict[str, T]:
        """Return the entries of the chosen metrics."""
        named = labels(list(by_signature), label_of)
        return {name: value for name, value in by_signature.items() if not self.metrics or named[name] in self.metrics}

    def read_inputs(self, preferences: Preferences | None = None, unit: Unit | None = None, **settings: Any) -> Inputs:
        """Return what an analysis of the source's preferences rests on, without cells, which `analyze_cells` reads.

        `preferences` and `unit`, where given, replace the source's; `settings` are those of `Settings`.
        """
        return Inputs(
            self.preferences if preferences is None else preferences,
            settings=Settings(human=self.source.human, by_annotator=self.source.by_annotator, **settings),
            unit=unit or self.source.unit,
            sampling=self.version.rule,
            truncated={signature.signature: signature.truncated for signature in self.version.signatures},
            judges=tuple(self.choose_metrics(judges_of(self.source, self.version)).values()),
        )

    def analyze(
        self, preferences: Preferences | None = None, unit: Unit | None = None, **settings: Any
    ) -> Presentation:
        """Return the results of the source's preferences; the arguments are those of `read_inputs`."""
        return self.present(self.read_inputs(preferences, unit, **settings))

    def analyze_cells(self, **settings: Any) -> Presentation:
        """Return the same results with the data set's cells, which correlations and means of systems need."""
        return self.present(replace(self.read_inputs(**settings), cells=self.cells))

    def present(self, inputs: Inputs) -> Presentation:
        """Return the results under the names that people read."""
        return Presentation(Results(inputs), READER_NAMES, source=self.source.full_name)


def say_no_dataset() -> None:
    """Say that there is no data set, and where to get one."""
    st.info("There is no data set yet.")
    st.page_link("overview.py", label="Load the demo, or import a file", icon=":material/arrow_forward:")


def ask_context(*, judged: bool = True, empty: Callable[[], None] = say_no_dataset) -> Context:
    """Draw the bar, and return what is chosen in it; where there is no data set, call `empty` and stop.

    With `judged`, data sets without judgments and ratings are offered only where there are no others.
    """
    parts = read_context()
    known = sources(parts)
    if not known:
        empty()
        st.stop()
    if judged and (
        judged_sources := [source for source in known if source.study is not None or source.aspect is not None]
    ):
        known = judged_sources
    with st.container(horizontal=True, vertical_alignment="bottom", key="context"):
        source = choose_source(known, find_source(known, parts))
        version = source.read_version()
        signatures = [signature.signature for signature in version.signatures]
        metrics = choose_metrics([*signatures, *(judge.signature for judge in version.judges)])
        context = Context(source, metrics, version)
        write_address(CHOSEN, PARTS, context.address)
        offer_link()
    return context


def default_context() -> Context | None:
    """Return what was chosen before, or else the most telling source, with all metrics; None without a data set."""
    known = sources()
    if not known:
        return None
    source = find_source(known, st.session_state.get(CHOSEN, {}))
    return Context(source, (), source.read_version())


def read_context() -> dict[str, Any]:
    """Return what the address, or the page before, asks for, as parts of an address."""
    return read_address(CHOSEN, PARTS)


def find_source(known: list[Source], chosen: Mapping[str, Any]) -> Source:
    """Return the source that the parts of an address name; the most telling one, if they name none."""
    named = [source for source in known if source.address.items() <= chosen.items()]
    of_dataset = [source for source in known if source.dataset == chosen.get("dataset")]
    # An address that names a study's adjudicators names its annotators, too.
    return max(named, key=lambda source: len(source.address)) if named else first_telling(of_dataset or known)


def ask_study() -> Study:
    """Ask for a study, the most judged first; where there is none, say so and stop."""
    studies = {study.name: study for study in most_judged_first(open_stores().annotation.studies())}
    if not studies:
        st.info("There is no study yet.")
        st.page_link("new_study.py", label="New study", icon=":material/arrow_forward:")
        st.stop()
    return studies[choose_named("Study", list(studies), "study", "study")]


def choose_source(known: list[Source], source: Source) -> Source:
    """Ask for the data set, and who judged it."""
    state = st.session_state
    datasets = list(dict.fromkeys(source.dataset for source in known))

    def take_dataset() -> None:
        of_dataset = [source for source in known if source.dataset == state.dataset]
        state[CHOSEN] = {**first_telling(of_dataset).address}

    def take_source() -> None:
        nothing = dict.fromkeys(("dataset", "study", "source", "aspect"))
        state[CHOSEN] = {**state[CHOSEN], **nothing, **state.source.address}

    state.dataset = source.dataset
    st.selectbox("Data set", datasets, format_func=in_one_line, key="dataset", on_change=take_dataset)
    state.source = source
    of_dataset = [known_source for known_source in known if known_source.dataset == source.dataset]
    return st.selectbox(
        "Judged by", of_dataset, format_func=lambda source: source.name, key="source", on_change=take_source
    )


def choose_metrics(signatures: Sequence[str]) -> tuple[str, ...]:
    """Ask for the metrics; return their labels, or none where all are wanted."""
    state = st.session_state
    known = list(labels(signatures, label_of).values())
    if len(known) < 2:
        return ()

    def take_metrics() -> None:
        state[CHOSEN] = {**state[CHOSEN], "metrics": list(state.metrics)}

    state.metrics = chosen = [name for name in state[CHOSEN].get("metrics", ()) if name in known]
    with st.popover(f"Metrics: {len(chosen)} of {len(known)}" if chosen else "Metrics: all", key="metrics_popover"):
        st.pills("Metrics", known, selection_mode="multi", key="metrics", on_change=take_metrics)
        st.caption("None chosen: all of them.")
    return tuple(chosen)


def offer_link() -> None:
    """Offer a link to what is shown, to be copied."""
    page = urlsplit(st.context.url or "").path.rsplit("/", 1)[-1]
    with st.popover("Copy link", icon=":material/link:", key="link_popover"):
        show_link(make_link(page, {name: st.query_params.get_all(name) for name in st.query_params}))
