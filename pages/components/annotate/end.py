"""The end: the work done, and in the demo the metrics that the annotator agreed with."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from relevance.analysis.agreement.counts import count_agreement
from relevance.annotation.records import CLOSED, Annotator, JudgingProgress, Study
from relevance.annotation.results import load_judgments
from relevance.data.cells import Cells
from relevance.data.demo import AUTHOR, NAME
from relevance.data.preferences import Preferences
from relevance.data.signatures import distinct, is_length, labels
from relevance.data.wording import join_items
from relevance.metrics.registry import label_of
from relevance.pages.components.annotate.annotator import INVITE, PREVIEW
from relevance.pages.components.annotate.wording import say, say_count
from relevance.pages.components.shared.stores import open_stores
from relevance.reports.escaping import esc

NAMED = 3
"""The most metrics with the same agreement that are named; if there are more, the last place is their number."""


class Agreed(NamedTuple):
    """The agreement of a metric, or of the author, with the annotator."""

    name: str
    agreed: int
    tied: int
    """Pairs on which it prefers neither summary."""
    pairs: int
    """Pairs that the annotator decided and for which it has scores."""
    is_metric: bool = True

    @property
    def share(self) -> float:
        """The share of the pairs on which it agrees, in [0, 1]."""
        return self.agreed / self.pairs


def describe_end(study: Study, progress: JudgingProgress) -> tuple[str, str]:
    """Write a heading and a sentence: why there is no pair, and how much was done."""
    done, closed = progress.judged + progress.skipped, study.state == CLOSED
    if closed:
        heading = say("The study is closed")
    else:
        heading = say("That was the last pair") if done else say("There is no pair to judge now")
    if not done:
        return heading, "" if closed else say("Others have judged the pairs, or are about to.")
    return heading, f"{describe_work(progress)} {say('Everything is saved. Thank you!')}"


def describe_work(progress: JudgingProgress) -> str:
    """Say how much an annotator has done."""
    sentences = [say_count(progress.judged, "You judged one pair.", "You judged {count} pairs.")]
    if progress.seconds is not None:
        seconds = max(1, round(progress.seconds))
        sentences.append(say_count(seconds, "Each took about a second.", "Each took about {count} seconds."))
    if progress.skipped:
        sentences.append(say_count(progress.skipped, "You skipped one.", "You skipped {count}."))
    return " ".join(sentences)


def reveal(annotator: Annotator, study: Study) -> None:
    """Show the metrics with which the annotator agreed; only in the demo, where the choices are nobody's data.

    Those who came by a link of a hosted server see their own task and nothing of others.
    """
    if PREVIEW in st.session_state or study.dataset != NAME or open_stores().annotation.visitor().is_annotator:
        return
    judged = load_judgments(open_stores().annotation, study.name)
    own = judged.where(judged.annotators == annotator.name)
    rows = count_agreed(own, open_stores().data.cells(study.dataset))
    if rows:
        st.html(reveal_html(rows, equal=int((own.choices == 0).sum())))
    if INVITE not in st.session_state:
        # A link, not a change of the page: those who follow it have left, and see the other pages again.
        there = urlencode({"study": study.name})
        st.html(f'<p><a href="overview?{esc(there)}">{esc(say("See the results of all annotators"))}</a></p>')


def count_agreed(own: Preferences, cells: Cells) -> list[Agreed]:
    """Count how often each metric and the author's labels chose like the annotator, sorted by agreement."""
    scores = own.differences()
    compared = [(say("Author labels"), label_differences(own, cells), False)]
    for signature, name in labels(distinct(scores), label_of).items():
        is_metric = not is_length(signature)
        compared.append((name if is_metric else say("Longer summary"), scores[signature], is_metric))
    rows = []
    for name, difference, is_metric in compared:
        count = count_agreement(own.choices, difference)
        if count.pairs:
            rows.append(Agreed(name, count.concordant, count.tied, count.pairs, is_metric))
    return sorted(rows, key=lambda row: (-row.share, row.tied))


def label_differences(own: Preferences, cells: Cells) -> NDArray[np.float64]:
    """Return the author's label of the first summary minus that of the second, shape (n,); NaN if one is missing."""
    labels: Mapping[tuple[str, str], float] = {}
    if AUTHOR in cells.ratings:
        labels = dict(zip(zip(cells.documents, cells.systems, strict=True), cells.ratings[AUTHOR], strict=True))
    return np.array(
        [
            labels.get((document, first), np.nan) - labels.get((document, second), np.nan)
            for document, first, second in zip(own.document, own.first, own.second, strict=True)
        ]
    )


def reveal_html(rows: Sequence[Agreed], equal: int) -> str:
    """Write the counts as HTML: a table with bars, under a sentence that names the metrics that agree most.

    `equal` is the number of pairs that were called equally relevant.
    """
    body = "".join(
        f'<tr><th scope="row">{esc(row.name)}</th>'
        f'<td><div class="share"><div style="width: {row.share:.1%}"></div></div></td>'
        f"<td>{esc(describe_share(row))}</td><td>{row.tied or '–'}</td></tr>"
        for row in rows
    )
    heads = [say("Compared with"), say("You agree on"), say("No preference")]
    metric, agreed, tied = (f'<th scope="col">{esc(head)}</th>' for head in heads)
    return (
        f'<div class="reveal"><h2>{esc(say("Which metrics you agree with"))}</h2>'
        f"<p>{esc(describe_best(rows, equal))}</p>"
        f"<table><thead><tr>{metric}<td></td>{agreed}{tied}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def describe_best(rows: Sequence[Agreed], equal: int) -> str:
    """Say which metrics agree most often, and what the counts leave out."""
    metrics = [row for row in rows if row.is_metric]
    sentences = []
    if metrics:
        best = metrics[0]
        names = [row.name for row in metrics if (row.agreed, row.pairs) == (best.agreed, best.pairs)]
        if len(names) > NAMED:
            others = len(names) - NAMED + 1
            names[NAMED - 1 :] = [say_count(others, "one other metric", "{count} other metrics")]
        shares = {"metrics": join_items(names, say("and")), "share": describe_share(best)}
        sentences.append(say("You agree most with {metrics}: on {share} pairs.", **shares))
    sentences.append(say("Choosing at random would give about half."))
    if equal:
        sentences.append(
            say_count(
                equal,
                "One pair that you called equal is left out.",
                "{count} pairs that you called equal are left out.",
            )
        )
    return " ".join(sentences)


def describe_share(row: Agreed) -> str:
    """Say on how many of the pairs the choices agree."""
    return say("{agreed} of {pairs}", agreed=row.agreed, pairs=row.pairs)
