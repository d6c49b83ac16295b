"""The command `train`: the extractors, the papers' methods, and the learned parts of APES."""

from pathlib import Path

import click

from relevance.cli.apes import train_attentive_reader, train_tagger
from relevance.cli.metric_options import device_option
from relevance.cli.shared import COUNT, find_documents, report_refusals, say, tell
from relevance.cli.train_methods import TrainGroup
from relevance.summarizers.learned.training import train_extractor


@click.group(cls=TrainGroup)
def train() -> None:
    """Train summarizers, and the learned parts of APES."""


@train.command()
@click.argument("dataset", metavar="FILE|NAME")
@click.option("--dev", required=True, metavar="FILE|NAME", help="Documents for choosing the penalty or seed.")
@click.option("--without", metavar="FILE|NAME", help="Documents not to learn from, such as a test set.")
@click.option(
    "--kind",
    type=click.Choice(["linear", "minilm"]),
    default="minilm",
    show_default=True,
    help="linear: ridge regression on n-grams and positions, in seconds; minilm: a transformer layer on sentence "
    "vectors of the embedded encoder, in minutes.",
)
@click.option("--seeds", type=COUNT, default=10, show_default=True, help="Number of heads that minilm tries.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="New folder for the weights and the list of training documents.",
)
@device_option
@report_refusals
def extractor(dataset: str, dev: str, without: str | None, kind: str, seeds: int, output: Path) -> None:
    """Train an extractor of one sentence on the references of a file or data set.

    `relevance summarize NAME --system extractor:DIR` uses it. Documents that are also in --dev or --without are not
    learned from.
    """
    held_out = find_documents(without) if without else []
    trained = train_extractor(
        find_documents(dataset), find_documents(dev), output, kind, without=held_out, seeds=seeds, say=say
    )
    tell(
        f"wrote {output}: ROUGE-1 {100 * trained.rouge1:.2f} on {trained.dev} documents of {dev} ({trained.chosen}), "
        f"learned from {trained.documents}"
    )
    tell(f"summarize with it: --system extractor:{output}")


train.add_command(train_tagger)
train.add_command(train_attentive_reader)
