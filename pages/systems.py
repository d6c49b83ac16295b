"""The systems: their mean scores and ratings, annotators' ranking, and how well metrics tell them apart."""

import streamlit as st

from relevance.data.one_line import in_one_line
from relevance.data.training_history import best_entry
from relevance.metrics.registry import label_of
from relevance.pages.components.results.findings import say_no_scores
from relevance.pages.components.results.systems import (
    ComparedSystems,
    SystemsChoice,
    compare_systems,
    rank_systems,
    recognize_documents,
)
from relevance.pages.components.shared.charts import show_chart
from relevance.pages.components.shared.context import Context, ask_context
from relevance.pages.components.shared.result_table import show_result_table
from relevance.pages.components.shared.sources import describe_source
from relevance.pages.components.shared.stores import open_stores, version_of
from relevance.reports.charts import mean_chart, ranking_chart
from relevance.reports.escaping import in_markdown
from relevance.reports.published import PUBLISHED
from relevance.reports.tables.registry import finish_table
from relevance.reports.tables.systems import mean_table, wilcoxon_table
from relevance.reports.training import Histories, dev_chart, loss_chart, training_table
from relevance.summarizers.registry import baselines_among


def main() -> None:
    """Ask for a data set and its judges, and show the systems."""
    st.title("Systems")
    context = ask_context(judged=False)
    st.markdown(describe_source(context.source, context.counts))
    histories = open_stores().data.histories(context.version.dataset.name)
    if not context.version.signatures:
        say_no_scores()
        show_training(histories)
        st.stop()
    shows = {"Mean scores": show_means}
    if (context.source.several or context.source.adjudicated) and context.counts.entries:
        shows[f"Ranked by {'adjudicators' if context.source.adjudicated else 'annotators'}"] = show_ranking
    shows |= {"Significant differences": show_comparisons, "Spread of systems": show_spread}
    if histories:
        shows["Training"] = lambda context: show_training(histories)
    for tab, show in zip(st.tabs(list(shows), key="section"), shows.values(), strict=True):
        with tab:
            show(context)


def show_means(context: Context) -> None:
    """Show each system's mean by every metric and by people, and which systems beat the baselines."""
    show_intervals(compare_systems(context))
    with st.expander("Baselines, published figures, keywords in and not in the source"):
        choice = ask_beside(context)
    tables = compare_systems(context, choice).tables
    show_result_table(tables["systems"], height="content")
    if published := tables.get("systems_published"):
        st.header(in_markdown(published.title), anchor=False)
        show_result_table(published, height="content")
    st.page_link("upper_bound.py", label="How high could an extract score?", icon=":material/vertical_align_top:")


def show_intervals(compared: ComparedSystems) -> None:
    """Show the systems' means by one metric with their intervals, in people's order if they rated them."""
    people = compared.about.people
    names = [system.name for system in compared.systems]
    by = st.selectbox("Means by", names, key="mean_metric")
    systems = compared.systems[names.index(by)]
    order = f" From top to bottom by {people}, the highest mean first." * (people in names)
    described = "; ".join(f"{of.system} {of.mean:.3f}" for of in systems.means if of.mean is not None)
    show_chart(mean_chart(systems), "system_means", f"Means of {by}: {described}.{order}")
    st.caption(in_markdown(f"Lines: 95 % intervals over documents.{order}"))
    with st.expander("Figures of the chart"):
        show_result_table(finish_table(mean_table(compared.systems, by), compared.about))


def ask_beside(context: Context) -> SystemsChoice:
    """Ask what to show beside the mean scores, and look up which upper bounds are stored."""
    dataset = context.version.dataset
    baselines = st.multiselect(
        "Baselines",
        list(context.version.systems),
        baselines_among(context.version.systems),
        format_func=in_one_line,
        placeholder="None. Choose systems, and a dagger marks those that beat all of them.",
        key=":".join(["baselines", dataset.name, *filter(None, [context.source.study])]),
    )
    names = [None, *PUBLISHED]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        published = st.selectbox(
            "Published figures",
            names,
            names.index(recognize_documents(dataset.name, version_of(dataset), dataset.documents)),
            format_func=lambda name: PUBLISHED[name].label if name else "None",
            key=f"published:{dataset.name}",
            help="What papers report for systems on a data set. Choose one only if these are its documents.",
            width=220,
        )
        by_source = st.toggle(
            "Keywords in and not in the source",
            key="by_source",
            help="ROUGE-K over the keywords that occur in the source (IN-SRC), and over those that do not (OUT-SRC). "
            "With lemmas by spaCy only `relevance analyze DATASET --lemmas spacy --tables systems` has them.",
        )
    bounds = open_stores().data.bound_signatures(dataset.name)
    return SystemsChoice(tuple(baselines), by_source, tuple(bounds.items()), published)


def show_ranking(context: Context) -> None:
    """Show the systems by a Bradley-Terry model of the annotators' choices."""
    ranking, table = rank_systems(context)
    if any(row.strength is not None for row in ranking.rows):
        described = "; ".join(f"{row.system} {row.strength:.2f}" for row in ranking.rows if row.strength is not None)
        show_chart(ranking_chart(ranking), "ranking", f"Bradley-Terry strengths of the systems: {described}.")
    show_result_table(table, height="content")


def show_spread(context: Context) -> None:
    """Show how far apart each metric puts the systems."""
    st.markdown("How far apart each metric puts the systems: the spread of their mean scores.")
    show_result_table(compare_systems(context).tables["distinguishability"], height="content")


def show_comparisons(context: Context) -> None:
    """Compare every two systems by one metric."""
    compared = compare_systems(context)
    by = st.selectbox("By metric", [system.name for system in compared.systems], key="system_metric")
    show_result_table(finish_table(wilcoxon_table(compared.systems, by), compared.about))


def show_training(histories: Histories) -> None:
    """Show how the systems that were trained here were trained, if there are any."""
    if not histories:
        return
    st.markdown("Systems that `relevance train` trained: their loss, and the scores of their texts on dev.")
    ends = "; ".join(f"{run} {entries[-1].loss:.3g}" for run, entries in histories.items())
    show_chart(loss_chart(histories), "training_loss", f"Loss over the updates, at the end: {ends}.")
    best = [(run, entry) for run, entries in histories.items() if (entry := best_entry(entries))]
    described = "; ".join(f"{run} {entry.score:.4f} by {label_of(entry.measure or '')}" for run, entry in best)
    show_chart(dev_chart(histories), "training_dev", f"Scores on dev over the updates, the best: {described}.")
    st.caption("Larger marks: the epoch whose weights were kept.")
    with st.expander("Figures of the charts"):
        show_result_table(training_table(histories))


main()
