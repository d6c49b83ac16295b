"""How often each metric prefers the summary that people prefer (Table 3 of the ROUGE-K paper, live)."""

import streamlit as st

from annotation.results import judged, rated
from data.demo import AUTHOR
from pages.components.agreement import RULES, AgreementRow, agreement_chart, agreement_rows, agreement_table
from pages.components.stores import stores
from pages.components.text import in_markdown, in_one_line

st.title("Agreement")

STUDY, RATINGS = "judgments of the study", "human ratings of the data set"
studies = stores().annotation.studies()
sources = [(STUDY, study.name, "") for study in sorted(studies, key=lambda study: not study.judgments)]
sources += [(RATINGS, data.name, aspect) for data in stores().data.datasets() for aspect in data.aspects]
if not sources:
    st.info("There is nothing to compare with yet: import a data set and create a study on the Studies page.")
    st.stop()


def source_name(source: tuple[str, str, str]) -> str:
    """A source of preferences as the list shows it."""
    kind, name, aspect = source
    if kind == STUDY:
        return in_one_line(f"{name}: annotators' judgments")
    return in_one_line(f"{name}: author labels" if aspect == AUTHOR else f"{name}: human ratings ({aspect})")


@st.cache_data(max_entries=64, show_spinner="Counting")
def evaluated(source: tuple[str, str, str], version: object) -> tuple[list[AgreementRow], int, int]:
    """The rows of a source, its comparisons and documents; computed anew when its version moves."""
    kind, name, aspect = source
    comparisons = judged(stores().annotation, name) if kind == STUDY else rated(stores().data, name, aspect)
    return agreement_rows(comparisons), len(comparisons), len({comparison.document for comparison in comparisons})


judged_already = any(study.judgments for study in studies)
first = 0 if judged_already else min(len(studies), len(sources) - 1)  # something to see, where there is something
chosen = st.selectbox("Compare metrics with", sources, index=first, format_func=source_name, key="source")
kind, name, aspect = chosen
dataset = stores().annotation.study(name).dataset if kind == STUDY else name
signatures = stores().data.signatures(dataset)
version = (stores().annotation.version(name) if kind == STUDY else None, tuple(signatures))
rows, count, documents = evaluated(chosen, version)

if kind == STUDY:
    shown = f"Shown: **{count} judgments of annotators** in the study {in_markdown(name)}"
elif aspect == AUTHOR:
    shown = f"Shown: **author labels**, not annotators' judgments: {count} pairs that the corpus's author ranked"
else:
    shown = f"Shown: **imported human ratings** of {in_markdown(aspect)}, {count} within-document pairs"
st.markdown(f"{shown}, over {documents} documents.")
if not rows:
    st.info("No judgments yet." if not count else "These summaries have no scores yet: score them under Data sets.")
    there = ("annotate.py", "Annotate") if not count else ("studies.py", "Studies")
    st.page_link(there[0], label=there[1], icon=":material/arrow_forward:")
    st.stop()

st.caption(
    f"n pairs on which people and the metric have a say; human ties left out: {rows[0].agreement.human_ties}. "
    "C: the metric prefers the same summary, D: the other one, T: neither (within 1e-9)."
)
number = st.column_config.NumberColumn(format="%.3f")
columns = dict.fromkeys(RULES, number) | {
    "truncated": st.column_config.NumberColumn(
        help="scores of texts longer than the model's limit: their end did not count"
    )
}
table = agreement_table(rows, {entry.signature: entry.truncated for entry in signatures})
st.dataframe(table, hide_index=True, column_config=columns, key="table")
rule = st.segmented_control("Rule", list(RULES), default="half", key="rule", required=True)
st.altair_chart(agreement_chart(rows, rule), key="chart")
st.caption(
    f"{RULES[rule]}. Lines: 95 % intervals, percentile bootstrap over documents, "
    f"{rows[0].intervals.half.resamples} resamples, seed {rows[0].intervals.half.seed}; dashed: chance."
)
