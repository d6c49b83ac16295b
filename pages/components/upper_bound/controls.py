"""The controls of the page, and the address that leads to what they show."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from relevance.data.one_line import in_one_line
from relevance.data.store import Dataset
from relevance.metrics.languages import ENGLISH, LANGUAGES
from relevance.pages.components.shared.languages import ask_language
from relevance.pages.components.shared.stores import version_of
from relevance.pages.components.upper_bound.choice import (
    AMOUNTS,
    DEFINITION_NAMES,
    METRICS,
    MOST,
    OTHER_LANGUAGES,
    RULE_NAMES,
    UNIT_NAMES,
    BoundChoice,
    make_length,
)
from relevance.summarizers.oracles import Target

# The session keys of widgets begin with `bound_`, too.
ADDRESS = "bound_address"
"""Session key: the parts of the address that was written last."""

CHANGED = "bound_changed"
"""Session key: set if something was used, so that the address may not have reached the browser yet."""


@dataclass(frozen=True)
class Shown:
    """The choices and the data set that the page shows."""

    choice: BoundChoice
    dataset: Dataset
    view: str
    address: Mapping[str, str]
    """The parts of the address at the beginning of the run."""
    arrived: bool
    """True if somebody has just come by that address."""

    @property
    def version(self) -> object:
        """The data set's version, which changes with it."""
        return version_of(self.dataset)

    def lead_here(self, **parts: str) -> None:
        """Write into the address what is shown."""
        named = {**self.choice.address, "view": self.view, **parts}
        if dict(st.query_params) != named:
            st.query_params.from_dict(named)
        st.session_state[ADDRESS] = named


def note_change() -> None:
    """Note that something on the page was used."""
    st.session_state[CHANGED] = True


def begin(name: str, value: object, options: Collection[object]) -> dict[str, Any]:
    """Return the arguments by which a widget starts with the value of the address, or else with the first option."""
    key = f"bound_{name}"
    if st.session_state.get(key) not in options:
        st.session_state[key] = value if value in options else next(iter(options))
    return {"key": key, "on_change": note_change}


def segments(label: str, options: Mapping[Any, str], name: str, value: object, **more: Any) -> Any:
    """Ask for one of a few options."""
    widget = begin(name, value, options)
    return st.segmented_control(label, list(options), format_func=options.__getitem__, required=True, **widget, **more)


def ask(first: BoundChoice, datasets: Collection[str]) -> BoundChoice:
    """Ask what the bound is of, beginning with the choices of the address."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            "Data set", list(datasets), format_func=in_one_line, **begin("dataset", first.dataset, datasets)
        )
        n = segments("Metric", METRICS, "n", first.target.n)
        definition = segments("Counting", DEFINITION_NAMES, "definition", first.target.definition)
        references = segments("References", RULE_NAMES, "references", first.target.references)
        tokenizer = first.target.tokenizer
        code = tokenizer if tokenizer in OTHER_LANGUAGES else ENGLISH
        language = ask_language(**begin("language", code, LANGUAGES))
        usual = first.length.unit if first.length else ""
        unit = str(
            st.selectbox(
                "At most", list(UNIT_NAMES), format_func=UNIT_NAMES.__getitem__, **begin("unit", usual, UNIT_NAMES)
            )
        )
        amount = first.length.amount if first.length and unit == usual else AMOUNTS.get(unit, 1)
        if unit in AMOUNTS:
            counts = range(1, MOST[unit] + 1)
            amount = st.number_input(unit.capitalize(), 1, counts[-1], **begin(f"amount_{unit}", amount, counts))
    return BoundChoice(
        name,
        Target(n, definition, references, Target().tokenizer if language == ENGLISH else language),
        make_length(unit, amount),
    )


def go_to_document(key: str) -> None:
    """Open another document."""
    note_change()
    st.session_state.bound_document = key
