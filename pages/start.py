"""The start page: what the app is and where to go."""

import streamlit as st

from pages.components.shared.stores import open_stores
from reports.escaping import in_markdown

st.title("Which metric agrees with people?")
st.markdown(
    "People choose the more relevant of two summaries of a document. "
    "This app counts how often each automatic metric prefers the summary that they prefer."
)

open_studies = [study for study in open_stores().annotation.studies() if study.closed_at is None]
judge, read, see, make = st.columns(4, border=True)
with judge:
    st.subheader("Judge", anchor=False)
    st.markdown("Compare summaries of an open study, by mouse or keys.")
    for study in open_studies[:3]:
        done, wanted = study.judgments, study.pairs * study.judgments_per_pair
        st.markdown(f"- **{in_markdown(study.name)}**: {done} of {wanted} judgments")
    st.page_link("annotate.py", label="Annotate", icon=":material/rule:")
with read:
    st.subheader("Read", anchor=False)
    st.markdown(
        "See the agreement of each metric with judgments, human ratings or, for the demo corpus, its author's labels."
    )
    st.page_link("agreement.py", label="Agreement", icon=":material/bar_chart:")
    st.page_link("correlation.py", label="Correlation", icon=":material/scatter_plot:")
    st.page_link("reliability.py", label="Reliability", icon=":material/group:")
with see:
    st.subheader("See why", anchor=False)
    st.markdown(
        "Open any pair and see what each metric saw, present where metrics part, try texts of your own, or see how "
        "high any extract could score."
    )
    st.page_link("examples.py", label="Examples", icon=":material/search:")
    st.page_link("disagreements.py", label="When metrics disagree", icon=":material/call_split:")
    st.page_link("playground.py", label="Playground", icon=":material/experiment:")
    st.page_link("keywords.py", label="Keywords", icon=":material/key:")
    st.page_link("upper_bound.py", label="Upper bound", icon=":material/vertical_align_top:")
with make:
    st.subheader("Run a study", anchor=False)
    st.markdown("Import summaries, add simple systems, score them, draw pairs, invite annotators, export.")
    st.page_link("studies.py", label="Studies", icon=":material/folder_open:")
