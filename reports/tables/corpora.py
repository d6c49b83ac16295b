"""Tables of how often metrics agree with people on several corpora."""

from collections.abc import Mapping, Sequence

from relevance.analysis.agreement.evaluation import ENOUGH_DOCUMENTS, ENOUGH_JUDGMENTS
from relevance.analysis.corpora import CorpusAgreement, count_leading
from relevance.analysis.leaders import SCARCE
from relevance.data.signatures import is_length
from relevance.data.wording import join_items
from relevance.reports.tables.agreement import WEIGHED, sampling_notes
from relevance.reports.tables.table import Cell, Marked, Table, Undefined, interval, ratio_intervals_note

LEADS = "*"
"""The mark of the best metric of a row, and of those that are not significantly worse."""
OVER = "documents (and the annotators, where five or more judged)"
"""The sources of uncertainty of ratios."""
PEOPLE = "people"
"""The column of people among themselves."""


def corpora_table(corpora: Sequence[CorpusAgreement], labels: Mapping[str, str]) -> Table:
    """Make the table with a row for each corpus, and a column for each metric by its label.

    Ratios come first, then their intervals. `labels` are by signature, in the order of the columns.
    """
    rows = [corpus_row(corpus, labels) for corpus in corpora]
    notes = explain_corpora(corpora, labels) if rows else []
    empty = "nobody has judged or rated a data set that has scores"
    return Table(
        "corpora", "Agreement of metrics with people on every corpus, a metric's tie as half", rows, notes, empty
    )


def corpus_row(corpus: CorpusAgreement, labels: Mapping[str, str]) -> dict[str, Cell]:
    """Make the row of a corpus."""
    row: dict[str, Cell] = {"data set": corpus.dataset, "judged by": corpus.people, "n": count_entries(corpus)}
    row |= {label: share_cell(corpus, name) for name, label in labels.items()}
    row[PEOPLE] = people_cell(corpus)
    for name, label in labels.items():
        agreement = corpus.rows.get(name)
        row[f"{label} 95 %"] = (
            Undefined("no ratio") if agreement is None else interval(agreement.evaluation.intervals.half)
        )
    shown, ceiling = row[PEOPLE], corpus.ceiling
    row[f"{PEOPLE} 95 %"] = (
        shown if isinstance(shown, Undefined) or ceiling is None else interval(ceiling.intervals.half)
    )
    return row


def count_entries(corpus: CorpusAgreement) -> int:
    """Count the judgments or pairs on which people, and the metric with the most values, have a say."""
    return max((row.evaluation.agreement.pairs for row in corpus.agreement.rows), default=0)


def share_cell(corpus: CorpusAgreement, signature: str) -> Cell:
    """Return a metric's agreement on a corpus, marked if it leads there."""
    if (row := corpus.rows.get(signature)) is not None:
        return Marked(row.evaluation.agreement.half or 0.0, LEADS if signature in corpus.leaders else "")
    known = next((row for row in corpus.agreement.rows if row.signature == signature), None)
    return Undefined("no scores" if known is None or not known.evaluation.agreement.pairs else SCARCE)


def people_cell(corpus: CorpusAgreement) -> Cell:
    """Return the agreement of people among themselves."""
    if corpus.ceiling is None:
        return Undefined("ratings are means: people by themselves are in analyze --by-annotator")
    share = corpus.ceiling.agreement.half
    return Undefined("no pair was judged by two people, at least one with a preference") if share is None else share


def explain_corpora(corpora: Sequence[CorpusAgreement], labels: Mapping[str, str]) -> list[str]:
    """Say what rows, columns and marks mean, and on how many corpora each metric leads."""
    notes = [
        "A row is what people said of a data set: judgments each by itself, or pairs of summaries of a document by "
        "their mean ratings. n: those on which people prefer one summary, for the metric with the most values.",
        f"{LEADS}: the best metric of the row, and those not significantly worse (alpha = .05, Holm over the "
        "comparisons of the row). No correction goes over rows, which are never pooled.",
        "People: each judgment against the majority of the others on its pair.",
    ]
    evaluation = next((row.evaluation for corpus in corpora for row in corpus.agreement.rows), None)
    if evaluation is not None:
        notes.append(ratio_intervals_note(evaluation.intervals.half.level, OVER, "judgments or pairs"))
    for corpus in corpora:
        notes += [f"{name_row(corpus)}: {note}" for note in sampling_notes(corpus.sampling)]
        if corpus.agreement.weighed:
            notes.append(f"{name_row(corpus)}: {WEIGHED}")
    if early := [name_row(corpus) for corpus in corpora if corpus.agreement.rows and corpus.leading is None]:
        notes.append(
            f"No metric is called the best on fewer than {ENOUGH_JUDGMENTS} judgments of {ENOUGH_DOCUMENTS} documents: "
            f"{join_items(early)}."
        )
    if same := [name_row(corpus) for corpus in corpora if corpus.leaders and len(corpus.leaders) == len(corpus.rows)]:
        notes.append(
            f"No two metrics differ significantly, which does not show that they are equally good: {join_items(same)}."
        )
    standings = [standing for standing in count_leading(corpora) if not is_length(standing.signature)]
    if standings and sum(bool(corpus.leaders) for corpus in corpora) > 1:
        told = [f"{labels[standing.signature]} {standing.leads} of {standing.corpora}" for standing in standings]
        notes.append(f"Rows in which a metric leads, of those in which it has a ratio: {join_items(told)}.")
    return notes


def write_shares(corpora: Sequence[CorpusAgreement], labels: Mapping[str, str]) -> str:
    """Say each metric's agreement on each corpus in words, for whoever does not see a chart."""
    told = [
        f"{name_row(corpus)}: "
        + ", ".join(
            f"{labels[name]} {row.evaluation.agreement.half or 0:.3f}{' (leads)' if name in corpus.leaders else ''}"
            for name, row in corpus.rows.items()
        )
        for corpus in corpora
    ]
    return f"Agreement of metrics with people. {'; '.join(told)}. Chance is 0.5."


def name_row(corpus: CorpusAgreement) -> str:
    """Name a row in a sentence."""
    return f"{corpus.dataset} ({corpus.people})"


def describe_unscored(datasets: Sequence[str], metrics: Sequence[str] = ()) -> str:
    """Say which data sets people judged that have no scores, or none of the metrics that are named."""
    of = f" of {', '.join(metrics)}" if metrics else ""
    return f"judged, but without scores{of}, and so not here: {', '.join(datasets)}"
