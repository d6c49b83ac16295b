"""The meanings of terms in pages and tables, and a description of each metric."""

import streamlit as st

from relevance.metrics.registry import METRICS
from relevance.reports.escaping import in_markdown
from relevance.reports.glossary import CONCEPTS, TERMS

st.title("Glossary")
st.header("Metrics", anchor=False)
for kind in METRICS.values():
    source = f" *{in_markdown(kind.source)}.*" if kind.source else ""
    st.markdown(f"**{in_markdown(kind.label)}**: {in_markdown(kind.about[:1].upper() + kind.about[1:])}.{source}")
for title, terms in (("People, intervals, bounds", CONCEPTS), ("Columns of tables", TERMS)):
    st.header(title, anchor=False)
    for term, meaning in terms.items():
        st.markdown(f"**{in_markdown(term)}**: {in_markdown(meaning)}")
