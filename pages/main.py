"""Page set-up, access and navigation, run before every page."""

from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from relevance.hosting.settings import is_hosted
from relevance.pages.components.annotate.annotator import judging_only
from relevance.pages.components.shared.binding import forget_own_files
from relevance.pages.components.shared.database import JUDGING_ONLY, guard_database
from relevance.pages.components.shared.messages import messages_forgotten
from relevance.pages.components.shared.stores import find_visitor
from relevance.pages.computing.waiting import page_run
from relevance.reports.escaping import STYLE

SHOWN = "page_shown"  # session key: the page that was drawn last
ICON = str(Path(__file__).parent / "components" / "shared" / "icon.svg")

# Streamlit leaves six lines above the title; on a judging page, a summary needs that room.
# Bold type marks what is chosen: the theme's colour alone is too dim for text on black.
PAGE_STYLE = (
    "<style>.stMainBlockContainer { padding-top: 4rem; padding-bottom: 2rem; } "
    # captions in Streamlit's own grey have a contrast of 3.9 on white, and text that small needs 4.5
    "[data-testid=stCaptionContainer], [data-testid=stCaptionContainer] :is(p, li) "
    "{ color: light-dark(#5f5d5a, #b5b2ae); opacity: 1; } "
    # headings below the title keep their level, for screen readers, at the size of the next level
    ".stHeading h2 { font-size: 1.75rem; padding: 0.5rem 0 1rem; } "
    ".stMarkdown :is(p, li, h1, h2, h3), .stAlert p, button p, label p { overflow-wrap: anywhere; } "
    # choices side by side take a second line on a phone rather than be cut off
    '.stButtonGroup :is([role="radiogroup"], [role="toolbar"]) { flex-wrap: wrap; overflow: visible; } '
    'button:is([role="radio"][aria-checked="true"], [aria-pressed="true"]) p '
    "{ color: light-dark(#2f2d2b, #edebe8); font-weight: 700; }</style>"
)

overview = st.Page("overview.py", title="Overview", icon=":material/insights:", url_path="", default=True)
annotate = st.Page("annotate.py", title="Judge", icon=":material/rule:", url_path="annotate")
annotators = st.Page("annotators.py", title="Annotators", icon=":material/group:", url_path="annotators")
account = st.Page("account.py", title="Account", icon=":material/account_circle:", url_path="who")
users = st.Page("users.py", title="Users", icon=":material/manage_accounts:", url_path="users")
PAGES = {
    "": [overview, annotate],
    "Studies": [
        st.Page("studies.py", title="Studies", icon=":material/folder_open:", url_path="studies"),
        st.Page("new_study.py", title="New study", icon=":material/add_circle:", url_path="new_study"),
        annotators,
        st.Page("adjudicate.py", title="Adjudicate", icon=":material/balance:", url_path="adjudicate"),
    ],
    "Results": [
        st.Page("agreement.py", title="Agreement", icon=":material/bar_chart:", url_path="agreement"),
        st.Page("correlation.py", title="Correlation", icon=":material/scatter_plot:", url_path="correlation"),
        st.Page("corpora.py", title="Corpora", icon=":material/dataset:", url_path="corpora"),
        st.Page("compare.py", title="Compare", icon=":material/compare_arrows:", url_path="compare"),
        st.Page("systems.py", title="Systems", icon=":material/leaderboard:", url_path="systems"),
        st.Page("glossary.py", title="Glossary", icon=":material/menu_book:", url_path="glossary"),
    ],
    "Explore": [
        st.Page(
            "disagreements.py", title="When metrics disagree", icon=":material/call_split:", url_path="disagreements"
        ),
        st.Page("examples.py", title="Examples", icon=":material/search:", url_path="examples"),
        st.Page("playground.py", title="Playground", icon=":material/experiment:", url_path="playground"),
    ],
    "Data": [
        st.Page("datasets.py", title="Data sets", icon=":material/database:", url_path="datasets"),
        st.Page("keywords.py", title="Keywords", icon=":material/key:", url_path="keywords"),
        st.Page("upper_bound.py", title="Upper bound", icon=":material/vertical_align_top:", url_path="upper_bound"),
    ],
}


def moved(address: str, page: StreamlitPage) -> StreamlitPage:
    """Return a page that nobody sees, which leads from a former address to the page that is meant."""

    def forward() -> None:
        st.switch_page(page, query_params={name: st.query_params.get_all(name) for name in st.query_params})

    return st.Page(forward, title=page.title, url_path=address, visibility="hidden")


MOVED = [moved("overview", overview), moved("people", annotators), moved("reliability", annotators)]

st.set_page_config(page_icon=ICON, layout="wide")
# Dialogs and popovers lie outside the app's own element, the only one that Streamlit makes light or dark.
st.html(f"{STYLE}{PAGE_STYLE}<style>:root {{ color-scheme: {st.context.theme.type or 'normal'}; }}</style>")
# Visitors who came to judge are not shown the way to systems and scores.
visitor, unknown = find_visitor()
judging = st.session_state[JUDGING_ONLY] = judging_only(visitor)
if judging:
    # A single page would be the default one, and lose the address that an invite names.
    forward = st.Page(lambda: st.switch_page(annotate), title="Judge", default=True)
    page = st.navigation([forward, annotate], position="hidden")
else:
    own = [account, *([users] if visitor.everything else [])] if is_hosted() else []
    page = st.navigation({**PAGES, "": [*PAGES[""], *own], "Data": [*PAGES["Data"], *MOVED]}, position="top")
st.set_page_config(page_title=f"{page.title} · Relevance")
if st.session_state.get(SHOWN) != page.url_path:
    st.session_state[SHOWN] = page.url_path
    forget_own_files()  # another page's fields were emptied


@guard_database
def run_page() -> None:
    """Run the page, unless its visitor is unknown: pages show cached results without asking a store."""
    if unknown is not None:
        raise unknown
    with page_run(), messages_forgotten():
        page.run()


run_page()
