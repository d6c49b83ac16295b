"""The choice of what a page shows, kept in the session from page to page and written into the address."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from relevance.data.one_line import in_one_line

CHOSEN = "context"
"""Session key: the choice of what results are about, as parts of an address."""

REPEATED = {"metrics"}
"""Parts that may stand several times in an address."""


def read_address(key: str, parts: Sequence[str]) -> dict[str, Any]:
    """Return the choice that the session keeps under `key`, which a new address replaces.

    An address is new unless `write_address` wrote it last.
    """
    state, address = st.session_state, parts_of_address(parts)
    state.setdefault(key, {})
    if address and address != state.get(f"{key}_written"):
        state[key] = address
    given: dict[str, Any] = state[key]
    return given


def write_address(key: str, parts: Sequence[str], values: Mapping[str, Any]) -> None:
    """Keep what is shown under `key`, and write it into the address, whose other parts stay."""
    st.session_state[key] = st.session_state[f"{key}_written"] = values
    if parts_of_address(parts) != values:
        others = {name: st.query_params.get_all(name) for name in st.query_params if name not in parts}
        st.query_params.from_dict({**others, **values})


def parts_of_address(parts: Sequence[str]) -> dict[str, Any]:
    """Return the values of those parts that the address has."""
    params = st.query_params
    values = {name: params.get_all(name) if name in REPEATED else params.get(name) for name in parts}
    return {name: value for name, value in values.items() if value}


def choose_named(label: str, names: Sequence[str], part: str, key: str) -> str:
    """Ask for the data set or study that a page shows; at first it is the one of the address, or of the page before.

    `part` is the part of the address that names it, and `key` its session key.
    """
    state = st.session_state
    wanted = (state.get(key), st.query_params.get(part), state.get(CHOSEN, {}).get(part))
    state[key] = next((name for name in wanted if name in names), names[0])
    chosen = str(st.selectbox(label, names, format_func=in_one_line, key=key))
    if st.query_params.get(part) != chosen:
        st.query_params[part] = chosen
    return chosen
