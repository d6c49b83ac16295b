"""Results of oracles as tables and records, for the Upper bound page and the command `oracle`."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from relevance.data.records import Document
from relevance.reports.formats import as_latex
from relevance.reports.formats.cells import UNDEFINED, cell_as_json
from relevance.reports.tables.table import Cell, Range, Table, Undefined, number_cell
from relevance.summarizers.base import SummaryLength
from relevance.summarizers.oracles.algorithms import ALGORITHMS
from relevance.summarizers.oracles.evaluation import (
    LEVEL,
    AlgorithmStatistics,
    OracleEvaluation,
    OracleRow,
    OracleTask,
    why_left_out,
)
from relevance.summarizers.oracles.extracts import NO_EXTRACTS, Extracts
from relevance.summarizers.oracles.oracle import Target
from relevance.summarizers.oracles.problem import PROVEN
from relevance.summarizers.sentences import sentences_of

DEFINITIONS = {
    "clipped": "clipped counts: an n-gram counts as often as both texts have it",
    "set": "set definition: an n-gram counts once, in the match and in both lengths",
}

REFERENCE_RULE_NOTES = {
    "max": "the reference against which most is reached counts",
    "first": "the first reference counts",
}

INSIDE = "within-sentences"
"""Where n-grams are counted, in the words of signatures."""

SINGLE = "a single document has no spread"

ALL_ZERO = "the mean is 0"

HEURISTIC = "only the exact search can tell how far it is from the optimum"

NO_EXACT = "the exact search was not asked for"

NONE_PROVEN = "no optimum was proven before the time was over"

CONSTANT = "it, or the length of the optimum, is the same everywhere"

NO_DOCUMENT = "no document has an oracle: each lacks a sentence, or a reference with a word"

DISTRIBUTION = ("documents", "mean", "std", "min", "25%", "50%", "75%", "max")

UNCERTAINTY = ("mean", "variation", "mean 95 %")

EFFORT = ("sentences", "gap", "at_optimum", "seconds", "longest")

PROOF = ("documents", "proven", "unproven", "mean", "bound")
"""The figures in each table, by their names in `figures_of`."""

HEADINGS = {
    "variation": "coefficient of variation",
    "gap": "gap to the optimum",
    "at_optimum": "at the optimum",
    "bound": "mean bound",
    "longest": "longest seconds",
    "rouge2": "ROUGE-2",
}
"""The headings of columns that are not called like their figures."""

ROUGE_2_NOTE = "ROUGE-2: mean F1 of the same extracts, counted in the same way; it is not what they were chosen for."

WHOSE = (
    "Greedy and the searches with @paper are those of Akhmetov et al. (2022): extracts of these searches have as many "
    "sentences as the reference, or as the greedy extract where vns_greedy@paper begins with it, and their genetic "
    "search may lose the best. Those with @code do as their notebook does, with up to three sentences more. The others "
    "are ours: extracts have any number of sentences, and no search loses what it had."
)

LATEX_DIGITS = dict.fromkeys((HEADINGS["gap"], "seconds", HEADINGS["longest"]), 4)
"""Columns of four decimals in LaTeX rather than three: seconds may be milliseconds, and gaps smaller still."""


def oracle_tables(
    statistics: Sequence[AlgorithmStatistics],
    task: OracleTask,
    left_out: Mapping[str, int] | None = None,
    extracts: Extracts = NO_EXTRACTS,
) -> list[Table]:
    """Make the tables of Akhmetov et al. (2022), a row for each algorithm, and ours of effort and proofs.

    `distribution` is their Table 2, `uncertainty` Tables 4 and 5; `effort`, `proof` and `lengths` are ours, the last
    two only if a search ran that proves. `left_out` counts by reason the documents without an oracle. If an exact
    search ran out of time, its result is called `best found` rather than the optimum.
    """
    figures = {row.algorithm: figures_of(row, statistics, extracts) for row in statistics}
    proving = {row.algorithm for row in statistics if row.proven is not None}
    signatures = task._replace(algorithms=tuple(figures)).signatures
    remarks = [
        *unproven_notes(statistics),
        *(
            f"{count} document{'s are' if count > 1 else ' is'} left out: {reason}."
            for reason, count in (left_out or {}).items()
        ),
    ]

    def table(
        name: str, title: str, columns: Sequence[str], notes: Sequence[str], only: Collection[str] = figures.keys()
    ) -> Table:
        rows = [
            {
                "algorithm": label_of(row),
                **{HEADINGS.get(column, column): figures[row.algorithm][column] for column in columns},
                "signature": signatures[row.algorithm],
            }
            for row in statistics
            if row.algorithm in only
        ]
        return Table(name, title, rows, [*notes, *remarks], NO_DOCUMENT)

    tables = [
        table(
            "distribution",
            f"ROUGE-{task.target.n} F1 that extracts reach, by algorithm",
            (*DISTRIBUTION, "rouge2") if extracts.rouge2 else DISTRIBUTION,
            distribution_notes(task, statistics, rouge_2=bool(extracts.rouge2)),
        ),
        table(
            "uncertainty",
            "How much the F1 varies",
            UNCERTAINTY,
            [
                "Coefficient of variation: std over mean; interval of the mean by Student's t over documents, "
                f"{LEVEL:.0%} (Akhmetov et al. 2022, Tables 4 and 5).",
                "The interval is cut to [0, 1], where F1 ends: Student's t knows no limits.",
            ],
        ),
        table("effort", "Length, distance from the optimum, and time", EFFORT, effort_notes(task)),
    ]
    if proving or (not statistics and "exact" in task.algorithms):
        note = (
            f"Proven: share of the documents of which no extract scores higher, to within {PROVEN:g}; unproven: the "
            "number of the others. Mean bound: no extracts have a higher mean F1."
        )
        tables.append(table("proof", "What is proven", PROOF, [note], proving))
    if extracts.relations:
        tables.append(lengths_table(extracts))
    return tables


def distribution_notes(task: OracleTask, statistics: Sequence[AlgorithmStatistics], *, rouge_2: bool) -> list[str]:
    """Explain how F1 is counted, whose algorithms these are, and how far they differ."""
    return [
        f"F1 in [0, 1], {DEFINITIONS[task.target.definition]}; {REFERENCE_RULE_NOTES[task.target.references]}; "
        f"{length_label(task.length)}.",
        inside_note(task.target),
        "Std: of a sample. 25%, 50% and 75%: quartiles (Akhmetov et al. 2022, Table 2).",
        *([ROUGE_2_NOTE] if rouge_2 else []),
        *([WHOSE] if any("@" in row.algorithm for row in statistics) else []),
        *comparison_notes(statistics),
    ]


def comparison_notes(statistics: Sequence[AlgorithmStatistics]) -> list[str]:
    """Compare the paper's searches with ours and with the optimum, if any of these also ran."""
    means = {row.algorithm: row.mean for row in statistics}
    theirs = [name for name in means if name.endswith("@paper")]
    notes = [
        f"{means[name]:.3f} by {name}"
        for paper in theirs
        for name in (paper, paper.removesuffix("@paper"))
        if name in means
    ]
    if not theirs or (len(notes) == len(theirs) and "exact" not in means):
        return []
    notes.extend(f"{row.mean:.3f} by {label_of(row)}" for row in statistics if row.algorithm == "exact")
    return [f"Mean F1, the paper's steps beside ours and the optimum: {', '.join(notes)}."]


def lengths_table(extracts: Extracts) -> Table:
    """Make the table of what the optimum's number of sentences correlates with."""
    rows: list[dict[str, Cell]] = [
        {
            "feature": relation.feature,
            "feature mean": relation.mean,
            "Pearson": number_cell(relation.pearson, CONSTANT),
            "slope": number_cell(relation.slope, CONSTANT),
        }
        for relation in extracts.relations
    ]
    all_together = "" if extracts.explained is None else f" All four together explain R² = {extracts.explained:.3f}."
    notes = [
        f"Over the {extracts.documents} documents with a proven optimum, which has {extracts.sentences:.1f} sentences "
        "on average. Slope: sentences more in the optimum for one more of the feature, by least squares with this "
        f"feature alone.{all_together}"
    ]
    return Table("lengths", "What the length of the optimum goes with", rows, notes)


def inside_note(target: Target) -> str:
    """Explain how the ROUGE that is searched relates to the one that is usually reported."""
    if target.n > 1:
        return (
            f"N-grams of an extract are counted inside its sentences. Ordinary rouge{target.n} of the joined text also "
            "counts those across sentence ends: another number, which may be higher; these are not bounds of it."
        )
    if target.definition == "clipped":
        return f"The F1 of an extract is the ordinary ROUGE-{target.n} of its sentences, joined."
    return "Ordinary ROUGE uses clipped counts: it is another number, and these are not bounds of it."


def effort_notes(task: OracleTask) -> list[str]:
    """Explain the columns of the table of effort."""
    timed = [algorithm for algorithm in task.algorithms if ALGORITHMS[algorithm].timed]
    stop = "stop" if len(timed) > 1 else "stops"
    limit = f" For a reference, {', '.join(timed)} {stop} at the first check after {task.seconds:g} s"
    heuristics = [algorithm for algorithm in timed if algorithm != "exact"]
    unrecorded = f"; how often that cut {' or '.join(heuristics)} short is not recorded" if heuristics else ""
    return [
        "Sentences: mean number. Gap: mean of the optimum minus F1, over the documents whose optimum is proven; at the "
        f"optimum: share of these on which F1 reaches it, to within {PROVEN:g}.",
        "Seconds: mean and most of a document's search, all its references together, without the splitting of texts "
        "into words, while others may run beside." + (f"{limit}{unrecorded}." if timed else ""),
    ]


def unproven_notes(statistics: Iterable[AlgorithmStatistics]) -> list[str]:
    """Say which proving searches ended with results that are not all proven."""
    return [
        f"{row.algorithm}: the results of {row.unproven} of {row.documents} documents are not proven. They are "
        f"the best found before the time was over, no more; the mean of the optima is at most {row.bound:.4f}."
        for row in statistics
        if row.unproven and row.bound is not None
    ]


def label_of(statistics: AlgorithmStatistics) -> str:
    """Return the name of an algorithm's row; only where all is proven, it is called optimum."""
    return f"{statistics.algorithm} (best found)" if statistics.unproven else statistics.algorithm


def length_label(length: SummaryLength | None) -> str:
    """Say how long extracts may be."""
    if length is None:
        return "the length of extracts is not limited"
    if length.unit == "reference":
        return "extracts have at most the words of the first reference"
    return f"extracts have at most {length.amount} {length.unit if length.amount > 1 else length.unit[:-1]}"


def figures_of(
    statistics: AlgorithmStatistics, beside: Iterable[AlgorithmStatistics], extracts: Extracts = NO_EXTRACTS
) -> dict[str, Cell]:
    """Return an algorithm's figures by name; `beside` are the statistics of all algorithms that ran with it."""
    exact = next((other for other in beside if other.algorithm == "exact"), None)
    no_gap = NO_EXACT if exact is None else NONE_PROVEN
    interval = (
        Undefined(SINGLE)
        if statistics.low is None or statistics.high is None
        else Range(statistics.low, statistics.high)
    )
    return {
        "documents": statistics.documents,
        "mean": statistics.mean,
        "std": number_cell(statistics.std, SINGLE),
        "min": statistics.minimum,
        "25%": statistics.lower_quartile,
        "50%": statistics.median,
        "75%": statistics.upper_quartile,
        "max": statistics.maximum,
        "variation": number_cell(statistics.variation, SINGLE if statistics.std is None else ALL_ZERO),
        "mean 95 %": interval,
        "sentences": statistics.sentences,
        "gap": number_cell(statistics.gap, no_gap),
        "at_optimum": number_cell(statistics.at_optimum, no_gap),
        "proven": number_cell(statistics.proven, HEURISTIC),
        "unproven": number_cell(statistics.unproven, HEURISTIC),
        "bound": number_cell(statistics.bound, HEURISTIC),
        "seconds": statistics.seconds,
        "longest": statistics.longest,
        **({"rouge2": extracts.rouge2[statistics.algorithm]} if extracts.rouge2 else {}),
    }


# --- documents without an oracle, and what is printed -----------------------------------------------------


def reasons_left_out(documents: Iterable[Document], evaluation: OracleEvaluation, task: OracleTask) -> dict[str, str]:
    """Return by id why documents have no oracle."""
    by_id = {document.id: document for document in documents}
    return {key: why_left_out(by_id[key], task) for key in evaluation.left_out}


def facts_of(
    task: OracleTask, statistics: Sequence[AlgorithmStatistics], left_out: Mapping[str, str]
) -> dict[str, str]:
    """Return the facts that the tables rest on."""
    without = "; ".join(f"{count}: {reason}" for reason, count in Counter(left_out.values()).items())
    settings = {**settings_of(task), "length": length_option(task.length) or "not limited"}
    return {
        **{name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in settings.items()},
        "documents": str(statistics[0].documents if statistics else 0),
        "left out": f"{len(left_out)} ({without})" if left_out else "0",
    }


def settings_of(task: OracleTask) -> dict[str, Any]:
    """Return the settings of the search by name."""
    target = task.target
    return {
        "metric": f"rouge{target.n}",
        "definition": target.definition,
        "ngrams": INSIDE,
        "references": target.references,
        "tokenizer": target.tokenizer,
        "length": length_option(task.length),
        **({} if task.sentences is None else {"sentences": sentences_option(task.sentences)}),
        "seed": task.seed,
        "seconds": task.seconds,
    }


def length_option(length: SummaryLength | None) -> str | None:
    """Return a length as the command line takes it: `3`, `100w`, `ref`; None for no limit."""
    return None if length is None else length.name


def sentences_option(sentences: tuple[int, int | None]) -> str:
    """Return the range of documents' sentences as the command line takes it: `10-200`, `10-`."""
    fewest, most = sentences
    return f"{fewest}-{'' if most is None else most}"


def oracle_as_latex(table: Table, origin: str, statistics: Sequence[AlgorithmStatistics]) -> str:
    """Write a table as LaTeX without signatures; its caption names the `origin` (a file or data set) and n."""
    caption = f"{table.title} ({origin}, n = {statistics[0].documents if statistics else 0})"
    return as_latex(table, caption=caption, label=f"tab:oracle-{table.name}", digits=LATEX_DIGITS, signed=False)


def oracles_as_json(
    task: OracleTask,
    statistics: Sequence[AlgorithmStatistics],
    left_out: Mapping[str, str],
    origin: Mapping[str, str],
    extracts: Extracts = NO_EXTRACTS,
) -> dict[str, Any]:
    """Return the figures by algorithm, with the settings, the `origin` of the documents, and why some were left out.

    What is undefined is null, with the reasons under `undefined`; an interval is a list of its ends.
    """
    return {
        **origin,
        **settings_of(task),
        "documents": statistics[0].documents if statistics else 0,
        "left_out": [{"id": key, "reason": reason} for key, reason in left_out.items()],
        "signatures": task.signatures,
        "algorithms": {row.algorithm: figures_as_json(figures_of(row, statistics, extracts)) for row in statistics},
        **({"lengths": lengths_as_json(extracts)} if extracts.relations else {}),
        **({} if statistics else {UNDEFINED: NO_DOCUMENT}),
    }


def lengths_as_json(extracts: Extracts) -> dict[str, Any]:
    """Return the correlations of the optimum's length as JSON values."""
    return {
        "documents": extracts.documents,
        "sentences": extracts.sentences,
        "explained": extracts.explained,
        "relations": [relation._asdict() for relation in extracts.relations],
    }


def figures_as_json(figures: Mapping[str, Cell]) -> dict[str, Any]:
    """Return figures as JSON values, with the reasons why some are undefined."""
    reasons = {name: cell.reason for name, cell in figures.items() if isinstance(cell, Undefined)}
    return {name: cell_as_json(cell) for name, cell in figures.items()} | ({UNDEFINED: reasons} if reasons else {})


def row_records(rows: Iterable[OracleRow], documents: Iterable[Document]) -> Iterator[dict[str, Any]]:
    """Yield a record per document and algorithm, with the extract as `text`; sentences and references count from 0."""
    by_id = {document.id: document for document in documents}
    for row in rows:
        sentences = sentences_of(by_id[row.document_id])
        yield {
            "id": row.document_id,
            "algorithm": row.algorithm,
            "f1": row.f1,
            "sentences": list(row.places),
            "text": " ".join(sentences[place] for place in row.places),
            "reference": row.reference,
            "bound": row.bound,
            "proven": row.proven,
            "seconds": row.seconds,
        }
