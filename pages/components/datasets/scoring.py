"""Scores of a data set: the button that scores it by all metrics, and which metrics have scored it."""

from collections.abc import Collection, Sequence
from contextlib import suppress

import pandas as pd
import streamlit as st

from relevance.data.one_line import in_one_line
from relevance.data.store import Dataset, RunGoingOn
from relevance.metrics.registry import METRICS, available_of_libraries, label_of, usual_metrics
from relevance.pages.components.datasets.progress import start_scoring
from relevance.pages.components.shared.counts import say_missing, signatures_of
from relevance.pages.components.shared.messages import sentence
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.computing.waiting import if_ready
from relevance.reports.escaping import in_markdown

OF_SCORES = {
    "summaries": st.column_config.TextColumn(help="Summaries that were scored."),
    "undefined": st.column_config.NumberColumn(help="How many of these have no value: ROUGE-K without keywords, say."),
    "truncated": st.column_config.NumberColumn(help="How many of these have a text whose end the model did not see."),
}


def scored_by(dataset: Dataset) -> list[str] | None:
    """Return the names of the usual metrics that have given every summary a score, or a reason for having none.

    None while they are being counted.
    """
    signatures = if_ready(lambda: signatures_of(dataset))
    if signatures is None:
        return None
    done = {signature.metric for signature in signatures if signature.scored == dataset.summaries}
    return [name for name in usual_metrics() if name in done]


def offer_scoring(dataset: Dataset, done: Sequence[str]) -> None:
    """Offer to score a data set by all usual metrics, of which some are done, unless something is running for it."""
    if tell_running(dataset):
        return
    by = f"Scored by {len(done)} of {len(usual_metrics())} metrics."
    st.markdown(f"**Next:** score the summaries. {by}", width="content")
    if st.button("Score by all metrics", type="primary", icon=":material/calculate:", key="score"):
        start(dataset)


def start(dataset: Dataset, metrics: Sequence[str] = ()) -> None:
    """Start to score a data set by the usual metrics, or by others, and draw the page again."""
    with suppress(RunGoingOn):  # somebody else was faster: the page then shows their run
        start_scoring(dataset.name, metrics)
    st.rerun()


def offer_others(dataset: Dataset, scored: Collection[str]) -> None:
    """Offer to score a data set by metrics of libraries, which the button for all metrics leaves out."""
    others = [name for name in available_of_libraries() if name not in scored]
    run = open_stores().data.last_run(dataset.name)
    if not others or (run is not None and run.state == "going") or not open_stores().data.may_change(dataset.name):
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.pills(
            "Metrics of libraries",
            others,
            selection_mode="multi",
            format_func=label_of,
            key="score_others",
            help="They are not among “all metrics”. "
            + " ".join(f"{label_of(other)}: {METRICS[other].about}." for other in others),
        )
        if st.button("Score by these", icon=":material/calculate:", key="score_by_others", disabled=not chosen):
            start(dataset, chosen)


def tell_running(dataset: Dataset) -> bool:
    """Say what is running for a data set; return whether something is."""
    run = open_stores().data.last_run(dataset.name)
    if run is None or run.state != "going":
        return False
    doing = "Systems are being added" if run.systems else "Scoring is running"
    st.markdown(f"{doing}. You can leave this page: it continues.", width="content")
    return True


def show_scores(dataset: Dataset) -> None:
    """Show which metrics have scored a data set, and how many of its summaries."""
    if not dataset.summaries:
        st.info("There are no summaries to score: add systems first.")
        return
    signatures = if_ready(lambda: signatures_of(dataset))
    if signatures is None:
        st.caption("The scores are being counted.")
        return
    rows: list[dict[str, object]] = [
        {
            "metric": METRICS[signature.metric].label if signature.metric in METRICS else signature.metric,
            "summaries": f"{signature.scored:,} of {dataset.summaries:,}",
            "undefined": signature.undefined,
            "truncated": signature.truncated,
            "signature": in_one_line(signature.signature),
        }
        for signature in signatures
    ]
    scored = {signature.metric for signature in signatures}
    rows += [
        {"metric": label_of(name), "summaries": f"0 of {dataset.summaries:,}"}
        for name in usual_metrics()
        if name not in scored
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, placeholder="—", height="content", column_config=OF_SCORES)
    offer_others(dataset, scored)
    for name, reason in METRICS.left_out.items():
        st.caption(in_markdown(f"The metric {name} is left out: {reason}"))
    for note in say_missing(dataset.name, [signature.signature for signature in signatures if signature.undefined]):
        st.caption(in_markdown(sentence(note)))
