"""The agreement table: one row a signature, and its chart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from annotation.results import Comparison
from metrics.meta_evaluation import Agreement, Interval, Intervals, agreement, agreement_intervals

RULES = {
    "half": "half: (C + T/2) / n, a metric's tie counts half",
    "strict": "strict: C / n, a metric's tie counts as a miss (the ROUGE-K paper's rule)",
    "decided": "decided: C / (C + D), a metric's ties are left out",
}

GREY, BLUE = "#6b7280", "#2563eb"
"""Colours that stand out from a white and from a black page."""


class AgreementRow(NamedTuple):
    """One metric's agreement with the preferences that were looked at."""

    metric: str
    signature: str
    agreement: Agreement
    intervals: Intervals


def agreement_rows(comparisons: Sequence[Comparison], *, seed: int = 0) -> list[AgreementRow]:
    """Hold every signature's score differences against the preferences."""
    signatures = list(dict.fromkeys(signature for comparison in comparisons for signature in comparison.scores))
    human = [comparison.preference for comparison in comparisons]
    documents = [comparison.document for comparison in comparisons]
    rows = []
    for signature, label in zip(signatures, labels(signatures), strict=True):
        pairs = [comparison.scores.get(signature, (float("nan"),) * 2) for comparison in comparisons]
        difference = [first - second for first, second in pairs]
        counts = agreement(human, difference)
        rows.append(
            AgreementRow(label, signature, counts, agreement_intervals(human, difference, documents, seed=seed))
        )
    return rows


def labels(signatures: Sequence[str]) -> list[str]:
    """A metric's name, with the options in which it differs from another signature of the same name."""
    split = [signature.split("|") for signature in signatures]
    names = Counter(name for name, *_ in split)
    found = []
    for name, *options in split:
        others = [set(other) for other_name, *other in split if other_name == name]
        own = [option for option in options if not all(option in other for other in others)]
        found.append(f"{name} ({', '.join(own)})" if names[name] > 1 else name)
    return found


def agreement_table(rows: Sequence[AgreementRow], truncated: Mapping[str, int] | None = None) -> pd.DataFrame:
    """The rows as a table, undefined figures empty.

    `truncated` counts, by signature, the scores of texts whose end the model did not see; it is a column where there
    are any.
    """
    cut = {row.signature: (truncated or {}).get(row.signature, 0) for row in rows}
    return pd.DataFrame(
        {
            "metric": row.metric,
            "n": row.agreement.pairs,
            **{rule: getattr(row.agreement, rule) for rule in RULES},
            "C": row.agreement.concordant,
            "D": row.agreement.discordant,
            "T": row.agreement.tied,
            "missing": row.agreement.missing,
            **({"truncated": cut[row.signature]} if any(cut.values()) else {}),
            **{f"{rule} 95 %": interval_text(getattr(row.intervals, rule)) for rule in RULES},
            "signature": row.signature,
        }
        for row in rows
    )


def interval_text(interval: Interval) -> str:
    """An interval in brackets, or why there is none."""
    if interval.low is None or interval.high is None:
        return f"undefined: {interval.reason}"
    return f"[{interval.low:.3f}, {interval.high:.3f}]"


def agreement_chart(rows: Sequence[AgreementRow], rule: str) -> alt.LayerChart:
    """Each metric's agreement by one rule, with its interval, beside the line of chance."""
    table = pd.DataFrame(
        {
            "metric": row.metric,
            "agreement": getattr(row.agreement, rule),
            "low": getattr(row.intervals, rule).low,
            "high": getattr(row.intervals, rule).high,
            "n": row.agreement.pairs,
        }
        for row in rows
        if getattr(row.agreement, rule) is not None
    )
    order = list(table["metric"]) if len(table) else []
    scale = alt.Scale(domain=[0, 1])
    y = alt.Y("metric:N", sort=order, title=None, axis=alt.Axis(labelLimit=260))
    tooltip = ["metric:N", "n:Q", *(alt.Tooltip(f"{name}:Q", format=".3f") for name in ("agreement", "low", "high"))]
    base = alt.Chart(table)
    chance = alt.Chart(pd.DataFrame({"chance": [0.5]})).mark_rule(strokeDash=[4, 4], color=GREY).encode(x="chance:Q")
    intervals = base.mark_rule(strokeWidth=2, color=GREY).encode(
        x=alt.X("low:Q", scale=scale, title=f"agreement ({rule})", axis=alt.Axis(format="%")), x2="high:Q", y=y
    )
    points = base.mark_point(filled=True, size=90, opacity=1, color=BLUE).encode(
        x=alt.X("agreement:Q", scale=scale), y=y, tooltip=tooltip
    )
    return alt.layer(chance, intervals, points).properties(height=60 + 36 * max(1, len(order)))
