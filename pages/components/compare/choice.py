"""The two sources that are compared, the metrics, and the pairs: asked for at the top, and written into the address."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import streamlit as st

from relevance.data.signatures import distinct, labels
from relevance.metrics.registry import label_of
from relevance.pages.components.shared.address import CHOSEN, read_address, write_address
from relevance.pages.components.shared.context import (
    PARTS,
    Context,
    choose_metrics,
    find_source,
    offer_link,
    read_context,
    say_no_dataset,
)
from relevance.pages.components.shared.sources import Source, judge_sources, sources

COMPARED = "compared"
"""Session key: what is compared with the source that other pages show, as parts of an address."""

WITH = "with_"
"""Prefix of the second source's parts of an address."""

JUDGE, PAIRS = "judge", "pairs"
"""Parts of an address: the language model that is the first source, and which pairs count (`SHARED` or `ALL`)."""

SHARED, ALL = "shared", "all"
"""Only the pairs that both have count, or all pairs of each."""

NAMING = ("dataset", "study", "source", "aspect", JUDGE)
"""The parts that name a source."""

OWN_PARTS = (JUDGE, PAIRS, *(f"{WITH}{name}" for name in NAMING))


class SourcePair(NamedTuple):
    """Two sources, with the metrics and the pairs on which they are compared."""

    first: Context
    second: Context
    metrics: tuple[str, ...]
    """The signatures of the chosen metrics, by which both may have scores."""
    pairs: str | None
    """The pairs that count, `SHARED` or `ALL`; None for those that both have if these are enough, or else all."""

    @property
    def summaries(self) -> int:
        """The summaries of the larger data set, by which `computed` tells whether it is large."""
        return max(self.first.summaries, self.second.summaries)

    @property
    def names(self) -> tuple[str, str]:
        """The names of both, which differ: with their data sets if these are two."""
        first, second = self.first.source, self.second.source
        if first.dataset == second.dataset:
            return first.name, second.name
        return first.full_name, second.full_name


def ask_sources() -> SourcePair | None:
    """Ask for two sources and the metrics; None where there are not two."""
    context, own = read_context(), read_own_parts()
    known = list_known(context, own)
    if not known:
        say_no_dataset()
        st.stop()
    first = find_source(known, context | own)
    others = [source for source in known if source != first]
    if not others:
        return None
    second = find_second(first, others, own)
    with st.container(horizontal=True, vertical_alignment="bottom", key="context"):
        first = choose_one("First", known, first, "")
        second = choose_one("Second", others, second, WITH)
        first_context, second_context = (Context(source, (), source.read_version()) for source in (first, second))
        shared = find_common(first_context, second_context)
        chosen = choose_metrics(shared)
        named = labels(shared, label_of)
        metrics = tuple(signature for signature in shared if not chosen or named[signature] in chosen)
        lead_here(first, second, chosen, own)
        offer_link()
    return SourcePair(first_context, second_context, metrics, find_pairs(own))


def read_own_parts() -> dict[str, Any]:
    """Return what the address, or the visit before, says beside the first source.

    An address that names a source and no second one comes from another page, where sources are people.
    """
    own = read_address(COMPARED, OWN_PARTS)
    named = {name for name in st.query_params if name in NAMING}
    return without(own, [JUDGE]) if named and not parts_of_second(st.query_params) and JUDGE not in named else own


def list_known(values: Mapping[str, Any], own: Mapping[str, Any]) -> list[Source]:
    """List the sources that say anything, with language models, and those of the archive that the address names."""
    found_sources, named = sources(values), parts_of_second(own)
    if named and not any(source.address.items() <= named.items() for source in found_sources):
        found_sources += sources(named)  # the second one may be in the archive
    telling = [
        source for source in dict.fromkeys(found_sources) if source.study is not None or source.aspect is not None
    ]
    return [*telling, *judge_sources(telling)]


def parts_of_second(own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of an address that name the second source, as they would name the first."""
    return {name.removeprefix(WITH): value for name, value in own.items() if name.startswith(WITH)}


def find_second(first: Source, others: list[Source], own: Mapping[str, Any]) -> Source:
    """Return the source that the address names, or else one of the first one's data set."""
    if named := parts_of_second(own):
        source = find_source(others, named)
        if source.address.items() <= named.items():
            return source
    return next((other for other in others if other.dataset == first.dataset), others[0])


def choose_one(label: str, known: list[Source], source: Source, prefix: str) -> Source:
    """Ask for one of the sources; `prefix` begins the names of its parts of an address."""
    state, key = st.session_state, f"compare_{label.lower()}"

    def take() -> None:
        chosen = state[key].address
        if prefix:
            state[COMPARED] = without(state[COMPARED], [f"{WITH}{name}" for name in NAMING]) | with_prefix(chosen)
        else:
            state[CHOSEN] = without(state[CHOSEN], NAMING) | without(chosen, [JUDGE])
            state[COMPARED] = without(state[COMPARED], [JUDGE]) | {
                name: chosen[name] for name in [JUDGE] if name in chosen
            }

    state[key] = source
    return st.selectbox(label, known, format_func=lambda source: source.full_name, key=key, on_change=take)


def find_common(first: Context, second: Context) -> list[str]:
    """Return the signatures by which both sources may have scores; no language model compares with itself."""
    lists = []
    for context in (first, second):
        judges = [judge.signature for judge in context.version.judges if judge.name != context.source.model]
        lists.append([*(of.signature for of in context.version.signatures), *judges])
    return distinct([signature for signature in lists[0] if signature in lists[1]])


def lead_here(first: Source, second: Source, metrics: Iterable[str], own: Mapping[str, Any]) -> None:
    """Write into the address what is compared."""
    chosen = without(first.address, [JUDGE])
    write_address(CHOSEN, PARTS, {**chosen, **({"metrics": [*metrics]} if metrics else {})})
    judge = {JUDGE: first.model} if first.model else {}
    pairs = find_pairs(own)
    write_address(COMPARED, OWN_PARTS, {**judge, **({PAIRS: pairs} if pairs else {}), **with_prefix(second.address)})


def find_pairs(own: Mapping[str, Any]) -> str | None:
    """Return which pairs the address says that count; None if it says nothing."""
    return next((kind for kind in (SHARED, ALL) if kind == own.get(PAIRS)), None)


def choose_pairs(*, shared: bool) -> None:
    """Ask whether only the pairs count that both sources have; `shared` says whether it is so."""
    state = st.session_state

    def take() -> None:
        state[COMPARED] = {**state[COMPARED], PAIRS: SHARED if state.compare_shared else ALL}

    state.compare_shared = shared
    st.toggle("Only pairs that both have", key="compare_shared", on_change=take)


def with_prefix(address: Mapping[str, Any]) -> dict[str, Any]:
    """Return parts of an address as those of the second source."""
    return {f"{WITH}{name}": value for name, value in address.items()}


def without(parts: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return the parts that are not named so."""
    return {name: value for name, value in parts.items() if name not in {*names}}
