"""The chart of how often metrics agree with people on several corpora."""

from collections.abc import Mapping, Sequence

import altair as alt

from relevance.analysis.corpora import CorpusAgreement
from relevance.data.one_line import in_one_line
from relevance.reports.charts import BEHIND, BLUE, GREY, LEADING, Layers, make_chart_frame
from relevance.reports.tables.corpora import name_row

ALONE = "not compared: too few judgments, or one metric"
FILLS = {LEADING: BLUE, BEHIND: "white", ALONE: GREY}
"""The fill of a mark by the standing of its metric on its corpus."""


def stand(signature: str, corpus: CorpusAgreement) -> str:
    """Return the standing of a metric on a corpus."""
    if not corpus.leaders:
        return ALONE
    return LEADING if signature in corpus.leaders else BEHIND


def corpora_chart(corpora: Sequence[CorpusAgreement], labels: Mapping[str, str]) -> Layers:
    """Draw a panel for each metric, with its agreement and interval on each corpus, in the order given.

    Marks are filled where the metric is the best of the corpus or not significantly worse. Lines mark chance and, where
    they are known, people among themselves.
    """
    frame = make_chart_frame(
        [
            {
                "corpus": name_row(corpus),
                "metric": label,
                "agreement": row.evaluation.agreement.half,
                "low": row.evaluation.intervals.half.low,
                "high": row.evaluation.intervals.half.high,
                "n": row.evaluation.agreement.pairs,
                "standing": stand(signature, corpus),
                "people": None if corpus.ceiling is None else corpus.ceiling.agreement.half,
                "chance": 0.5,
            }
            for corpus in corpora
            for signature, label in labels.items()
            if (row := corpus.rows.get(signature)) is not None
        ],
        ["corpus", "metric", "agreement", "low", "high", "n", "standing", "people", "chance"],
    )
    y = alt.Y(
        "corpus:N",
        sort=[in_one_line(name_row(corpus)) for corpus in corpora],
        title=None,
        axis=alt.Axis(labelLimit=260, labelOverlap=False),
    )
    shares = [column for column in ("agreement", "low", "high", "people") if frame[column].notna().any()]
    numbers = [0.5, *(value for column in shares for value in frame[column].dropna())]
    scale = alt.Scale(domain=[max(0, min(numbers) - 0.02), min(1, max(numbers) + 0.02)], nice=True, zero=False)
    x = alt.X("agreement:Q", scale=scale, title=None, axis=alt.Axis(values=[0.2, 0.5, 0.8], format=".1f"))
    tooltip = [
        *("corpus:N", "metric:N", "n:Q"),
        *(alt.Tooltip(f"{name}:Q", format=".3f") for name in shares),
    ]
    base = alt.Chart(frame)
    shown = [name for name in FILLS if name in {*frame["standing"]}]
    filled = alt.Scale(domain=shown, range=[FILLS[name] for name in shown])
    layers = alt.layer(
        base.mark_rule(color=GREY, strokeDash=[4, 4]).encode(x=alt.X("chance:Q", scale=scale)),
        base.mark_rule(strokeWidth=2, color=GREY).encode(x=alt.X("low:Q", scale=scale), x2="high:Q", y=y),
        base.mark_tick(thickness=2, size=16, color=GREY, aria=False).encode(x=alt.X("people:Q", scale=scale), y=y),
        base.mark_point(size=60, opacity=1, strokeWidth=2, color=BLUE).encode(
            x=x,
            y=y,
            fill=alt.Fill(
                "standing:N", scale=filled, legend=alt.Legend(title=None, orient="top", labelLimit=0, columns=1)
            ),
            tooltip=tooltip,
        ),
    ).properties(width=110, height=26 * max(1, len(corpora)))
    return layers.facet(
        column=alt.Column(
            "metric:N",
            sort=[in_one_line(label) for label in labels.values()],
            title=None,
            header=alt.Header(labelLimit=120),
        ),
        spacing=14,
    )
