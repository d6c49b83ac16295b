"""Bundles of studies: write, verify, rerun, open and register."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from relevance.bundles.checking import check_bundle
from relevance.bundles.opening import open_bundle
from relevance.bundles.reading import unpack
from relevance.bundles.registering import register_study
from relevance.bundles.rerunning import rerun_bundle
from relevance.bundles.writing import write_bundle
from relevance.cli.shared import FILE, Refused, check_output, open_stores, report_refusals, say, tell

MOST_SHOWN = 20
"""The most differences that are printed; the others are counted."""


class BundleGroup(click.Group):
    """The group `bundle`, whose first word is the study to write unless it names a command."""

    def resolve_command(self, context: click.Context, args: list[str]) -> Any:
        """Find the command; `relevance bundle STUDY` is `relevance bundle write STUDY`."""
        known = args and self.get_command(context, args[0]) is not None
        return super().resolve_command(context, args if known else ["write", *args])


@click.group(cls=BundleGroup, subcommand_metavar="STUDY -o FILE | COMMAND [ARGS]...")
def bundle() -> None:
    """Write the study STUDY with everything that its figures rest on into one file, and use such files.

    If a study has the name of one of the commands, use `relevance bundle write STUDY`.
    """


@bundle.command()
@click.argument("name", metavar="STUDY")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), required=True, help="File, such as study.zip."
)
@click.option("--no-texts", is_flag=True, help="Write hashes instead of the data set's texts.")
@report_refusals
def write(name: str, output: Path, no_texts: bool) -> None:
    """Write a bundle of STUDY: protocol, data, scores, judgments, tables, report and a datasheet.

    People are numbered, not named. The same study gives the same bytes.
    """
    check_output(output, [])
    made = write_bundle(*open_stores(), name, output, texts=not no_texts)
    tell(f"wrote {output}: {len(made.files)} files, {output.stat().st_size / 1e6:.1f} MB, bundle {made.sha256}")


@bundle.command()
@click.argument("file", type=FILE)
@report_refusals
def verify(file: Path) -> None:
    """Check that FILE is unchanged: hashes, records, and references between them."""
    with TemporaryDirectory() as folder:
        for line in check_bundle(unpack(file, Path(folder))):
            tell(line)


@bundle.command()
@click.argument("file", type=FILE)
@click.option("--data", "texts", type=FILE, help="The data set's texts, for a bundle that has only their hashes.")
@report_refusals
def rerun(file: Path, texts: Path | None) -> None:
    """Compute all scores and tables of FILE again, draw its pairs again, and fail on any difference.

    Scores of lexical metrics are the same to the last bit, those of models within 0.0001, numbers of tables within a
    relative 0.000000001.
    """
    differences = rerun_bundle(file, tell, texts)
    for difference in differences[:MOST_SHOWN]:
        say(str(difference))
    if differences:
        raise Refused(f"{file} is not reproduced: {len(differences)} differences, the first in {differences[0]}")
    tell("confirmed: everything that was computed again is the same")


@bundle.command("open")
@click.argument("file", type=FILE)
@click.option("--name", help="New name of the study, from which that of its data set follows.")
@report_refusals
def open_(file: Path, name: str | None) -> None:
    """Import FILE as a read-only study for the pages: nobody can judge in it or change it."""
    study, dataset = open_bundle(open_stores()[0], file, name)
    tell(f"opened {study}, with the data set {dataset}")


@bundle.command()
@click.argument("name", metavar="STUDY")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="File for that bundle, such as study.zip."
)
@report_refusals
def register(name: str, output: Path | None) -> None:
    """Keep the hash of the bundle that STUDY makes now, before its first judgment.

    Keep that bundle, too (-o): later ones contain the registration, and so have another hash. Reports say when the
    study was registered, and what has changed since.
    """
    if output is not None:
        check_output(output, [])
    registered = register_study(*open_stores(), name, output)
    tell(f"registered {name}, version {registered.protocol} of its protocol, as the bundle {registered.sha256}")
