"""Page set-up, access and navigation, run before every page."""

from pathlib import Path

import streamlit as st

from pages.components.shared.database import guard_database
from reports.escaping import STYLE

st.set_page_config(
    page_title="Relevance studies",
    page_icon=str(Path(__file__).parent / "components" / "shared" / "icon.svg"),
    layout="wide",
)
# Streamlit leaves six lines above the title; on a judging page they are a summary's worth of room.
# What is chosen is told by weight: the theme's colour alone is too dim for a text on black.
st.html(
    STYLE + "<style>.stMainBlockContainer { padding-top: 4rem; padding-bottom: 2rem; } "
    ".stMarkdown :is(p, li, h1, h2, h3), .stAlert p, button p, label p { overflow-wrap: anywhere; } "
    'button[role="radio"][aria-checked="true"] p { color: light-dark(#2f2d2b, #edebe8); font-weight: 700; }</style>'
)

annotate = st.Page("annotate.py", title="Annotate", icon=":material/rule:", url_path="annotate")
start = st.Page("start.py", title="Start", icon=":material/home:", default=True)
agreement = st.Page("agreement.py", title="Agreement", icon=":material/bar_chart:", url_path="agreement")
examples = st.Page("examples.py", title="Examples", icon=":material/search:", url_path="examples")
disagreements = st.Page(
    "disagreements.py", title="When metrics disagree", icon=":material/call_split:", url_path="disagreements"
)
keywords = st.Page("keywords.py", title="Keywords", icon=":material/key:", url_path="keywords")
upper_bound = st.Page(
    "upper_bound.py", title="Upper bound", icon=":material/vertical_align_top:", url_path="upper_bound"
)
correlation = st.Page("correlation.py", title="Correlation", icon=":material/scatter_plot:", url_path="correlation")
reliability = st.Page("reliability.py", title="Reliability", icon=":material/group:", url_path="reliability")
playground = st.Page("playground.py", title="Playground", icon=":material/experiment:", url_path="playground")
studies = st.Page("studies.py", title="Studies", icon=":material/folder_open:", url_path="studies")

# Whoever came by an invite judges, and is not shown the way to systems and scores.
invited = "invite" in st.query_params or "invite" in st.session_state
if invited:
    st.session_state.invite = st.query_params.get("invite", st.session_state.get("invite"))
    # A page alone would be the default one, and lose the address that the invite names.
    forward = st.Page(lambda: st.switch_page(annotate), title="Annotate", default=True)
    page = st.navigation([forward, annotate], position="hidden")
else:
    counting = [agreement, correlation, reliability]
    seeing_why = [examples, disagreements, playground, keywords, upper_bound]
    page = st.navigation([start, studies, annotate, *counting, *seeing_why], position="top")
guard_database(page.run)()
