"""The command `metrics`: all metrics that there are, and where they come from."""

from collections.abc import Iterator

import click

from relevance.cli.metric_options import flag_of, say_left_out
from relevance.cli.shared import report_refusals
from relevance.data.one_line import in_one_line
from relevance.metrics import METRICS, default_metrics
from relevance.metrics.libraries import find_lacking
from relevance.metrics.registry import options


@click.command()
@click.argument("functions", nargs=-1, metavar="[MODULE:FUNCTION|LIBRARY:METRIC]...")
@report_refusals
def metrics(functions: tuple[str, ...]) -> None:
    """List all metrics: those of this program, of libraries and other packages, and functions of your own.

    A package brings a metric by an entry point of the group relevance.metrics. A function MODULE:FUNCTION, in the
    working folder or installed, can be named wherever a command takes --metrics, and so can a metric of torchmetrics or
    of Hugging Face evaluate, as in torchmetrics:CHRFScore and evaluate:bleurt. RELEVANCE_OWN_METRICS names those that
    the app offers.
    """
    METRICS.add_named(functions)
    for name in METRICS:
        click.echo("\n    ".join(describe(name)))
    for name, needed in find_lacking().items():
        click.echo(f"{name}: not at hand; needs {needed}")
    say_left_out()


def describe(name: str) -> Iterator[str]:
    """Yield lines about a metric: what it is, where it comes from, what it needs and shows, and its options."""
    kind, described = METRICS[name], options()
    yield in_one_line(f"{name}: {kind.about}")
    yield "; ".join(
        [
            f"from {METRICS.origin(name)}",
            *(["scored by default"] if name in default_metrics() else []),
            *(["loads a model"] if kind.needs_model else []),
            "shows what it saw" if kind.renderer else "shows no evidence",
        ]
    )
    if flags := [flag_of(option) for option in kind.option_names if option in described]:
        yield " ".join(flags)
