"""Loading the demo corpus from the app."""

import streamlit as st

from relevance.annotation.demo import create_demo_study, create_made_up_study
from relevance.data.demo import NAME, add_demo
from relevance.pages.components.shared.messages import announce
from relevance.pages.components.shared.quick_scoring import score
from relevance.pages.components.shared.stores import open_stores


def offer_demo() -> None:
    """Offer to load the demo corpus into an empty database, or to import a file."""
    st.info("This database is empty.")
    with st.container(horizontal=True):
        load = st.button("Load the demo", icon=":material/science:", type="primary", key="load_demo")
        st.page_link("datasets.py", label="Import a file", icon=":material/upload_file:")
    st.caption("The demo: 24 documents with 96 summaries, ranked by the corpus's author, and a study to judge in.")
    if load:
        load_demo()


def load_demo() -> None:
    """Import the demo corpus, create its studies, and start to score it by the metrics that load models."""
    from relevance.metrics import default_metrics
    from relevance.metrics.background.scoring import start_run
    from relevance.metrics.registry import usual_metrics

    stores = open_stores()
    add_demo(stores.data)
    signature = score(NAME, default_metrics())["rouge_k"]
    create_demo_study(stores.annotation, signature)
    create_made_up_study(stores.data, stores.annotation, signature)
    start_run(stores.data, NAME, usual_metrics())
    announce("The demo is loaded. BERTScore, CAROUGE and APES are being scored, which takes about a minute.")
