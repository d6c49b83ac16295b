"""The command `plan`: the size of a study."""

from dataclasses import dataclass

import click

from relevance.analysis.agreement.planning import pairs_for_interval, pairs_to_separate
from relevance.cli.shared import COUNT, gathered, report_refusals
from relevance.reports.formats import as_text
from relevance.reports.tables.planning import plan_table


@dataclass(frozen=True)
class StudyShape:
    """The options of the pairs and judgments of a planned study."""

    per_document: float
    icc: float
    judgments: int


@click.command()
@click.option("--ratios", help="Agreement of two metrics to compare, such as .61,.72.")
@click.option("--phi", type=float, default=0.0, show_default=True, help="Correlation of the two metrics' correctness.")
@click.option("--ratio", type=float, help="An agreement to measure, with --half-width.")
@click.option("--half-width", type=click.FloatRange(1e-6, 0.5), help="Largest half width of its interval, such as .05.")
@click.option(
    "--alpha", type=float, default=0.05, show_default=True, help="Level of the test; that of the interval is 1 - alpha."
)
@click.option("--power", type=float, default=0.8, show_default=True, help="Probability of finding the difference.")
@click.option("--per-document", type=float, default=1, show_default=True, help="Pairs per document.")
@click.option("--icc", type=float, default=0.0, show_default=True, help="Correlation of pairs of one document.")
@click.option("--judgments", type=COUNT, default=1, show_default=True, help="Judgments per pair.")
@report_refusals
@gathered("study", StudyShape)
def plan(
    ratios: str | None,
    phi: float,
    ratio: float | None,
    half_width: float | None,
    alpha: float,
    power: float,
    study: StudyShape,
) -> None:
    """Compute how many pairs and judgments a study needs to compare two metrics or to measure one."""
    shape = {"pairs_per_document": study.per_document, "icc": study.icc, "judgments_per_pair": study.judgments}
    if ratios is not None and ratio is None and half_width is None:
        try:
            first, second = map(float, ratios.split(","))
        except ValueError as error:
            raise click.UsageError(f"--ratios must be two numbers such as .61,.72, not {ratios!r}") from error
        needed = pairs_to_separate(first, second, phi=phi, alpha=alpha, power=power, **shape)
    elif ratio is not None and half_width is not None and ratios is None:
        needed = pairs_for_interval(ratio, half_width, level=1 - alpha, **shape)
    else:
        raise click.UsageError("name --ratios, or --ratio with --half-width")
    click.echo(as_text(plan_table(needed)))
