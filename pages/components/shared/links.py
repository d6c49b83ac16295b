"""Links to pages of this app, to be copied."""

from collections.abc import Mapping
from urllib.parse import urlencode, urlsplit

import streamlit as st

LOCAL = {"localhost", "127.0.0.1", "::1", "0.0.0.0"}  # noqa: S104, which is about listening there


def make_link(page: str, query: Mapping[str, object]) -> str:
    """Return the address of a page of this app, such as `annotate`, with its parts."""
    url = urlsplit(st.context.url or "")
    app = url.path.rsplit("/", 1)[0]  # it may be served below an address of its own
    parts = urlencode(query, doseq=True)
    return f"{url.scheme}://{url.netloc}{app}/{page}{'?' if parts else ''}{parts}"


def is_of_this_machine() -> bool:
    """Tell whether the app was opened at an address that no other machine can reach."""
    return urlsplit(st.context.url or "").hostname in LOCAL


def show_link(link: str) -> None:
    """Show a link with a button that copies it, and a warning if it works on this machine only."""
    st.code(link, language=None, wrap_lines=True)
    if is_of_this_machine():
        st.caption("This address works on this machine only.")
