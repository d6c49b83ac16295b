"""Tables of how many pairs a study needs."""

from relevance.analysis.agreement.planning import ObservedMetrics, Plan
from relevance.analysis.significance import MCNEMAR
from relevance.reports.tables.table import Cell, Table, number_cell


def plan_table(plan: Plan) -> Table:
    """Make the table of what a study needs."""
    rows: list[dict[str, Cell]] = [
        {
            "pairs": number_cell(plan.pairs, plan.reason),
            "judgments": number_cell(plan.judgments, plan.reason),
            "documents": number_cell(plan.documents, plan.reason),
            "independent pairs": number_cell(plan.independent_pairs, plan.reason),
            "design effect": plan.design_effect,
        }
    ]
    notes = [
        *plan_notes(plan),
        "Independent pairs: the number needed if each came from a document of its own. Design effect: 1 + (m - 1) ICC "
        "of m pairs a document.",
    ]
    return Table("plan", "What the study needs", rows, notes)


def plan_notes(plan: Plan) -> list[str]:
    """Say what a plan is for, how sure it is, and why it takes this many documents."""
    if plan.method is None:
        return []
    if plan.test is None:
        return [
            f"Planned for the {plan.method}, of the pairs divided by the design effect. There are at least "
            f"{plan.fewest_documents} documents: with fewer, intervals over documents do not hold their level, however "
            "many pairs each gives."
        ]
    why = "as each document gives one pair" if plan.test == MCNEMAR else "as documents give several pairs"
    power = "Number of pairs by" if plan.power is None else f"Power {plan.power:.1%}:"
    fewest = f"With fewer than {plan.fewest_documents} documents it cannot reach alpha, however many pairs each gives"
    if plan.documents == plan.fewest_documents:
        fewest += "; that is why it takes so many"
    return [
        f"Planned for the test that will compare the two: {plan.test}, {why}. {fewest}. {power} {plan.method}.",
        "Of several judgments of a pair the majority counts. Where annotators differ, a comparison that is to hold for "
        "other annotators, too, needs more than this.",
    ]


def observed_table(first: str, second: str, observed: ObservedMetrics) -> Table:
    """Make the table of observed figures from which a study can be planned."""
    rows: list[dict[str, Cell]] = [
        {
            "first": first,
            "second": second,
            "agreement of the first": number_cell(observed.first, observed.reason),
            "agreement of the second": number_cell(observed.second, observed.reason),
            "phi": number_cell(observed.phi, observed.reason),
            "ICC": number_cell(observed.icc, observed.reason),
            "pairs per document": number_cell(observed.pairs_per_document, observed.reason),
            "n": observed.n,
        }
    ]
    return Table("observed", "What was observed", rows)
