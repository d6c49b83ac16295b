"""The command `corpora`: which metric agrees with people on every data set of the database."""

import click

from relevance.analysis.corpora import list_columns
from relevance.annotation.sources import list_judged, load_judged
from relevance.cli.printing import print_results
from relevance.cli.shared import Refused, open_stores, report_refusals, say, split_names, table_format_option
from relevance.data.signatures import labels, name_of
from relevance.reports.formats.json import as_json
from relevance.reports.report import versions
from relevance.reports.report.corpora import compare_judged
from relevance.reports.tables.corpora import corpora_table, describe_unscored


@click.command()
@click.option("--metrics", metavar="NAME,...", help="Compare these metrics alone; all but given ones if left out.")
@table_format_option
@report_refusals
def corpora(metrics: str | None, table_format: str) -> None:
    """Print how often each metric agrees with people on every data set of the database, by the stored scores.

    A row is what people said of a data set, in a study or by ratings of an aspect; * marks the best metric of a row and
    those not significantly worse. Data sets are scored by relevance score NAME.
    """
    data, annotation = open_stores()
    named = split_names(metrics or "")
    corpora, unscored = [], []
    for source in list_judged(data, annotation):
        corpus = compare_judged(source, load_judged(data, annotation, source), named)
        if corpus.agreement.rows:
            corpora.append(corpus)
        else:
            unscored.append(source.dataset)
    columns = list_columns(corpora)
    if unknown := [name for name in named if name not in map(name_of, columns)]:
        raise Refused(f"no judged data set has scores of {', '.join(unknown)}")
    if unscored:
        say(describe_unscored([*dict.fromkeys(unscored)], named))
    table = corpora_table(corpora, labels(columns))
    facts = {"versions": versions()}
    print_results(
        table_format, [table], facts, columns, values=lambda: {"tables": {table.name: as_json(table)}, **facts}
    )
