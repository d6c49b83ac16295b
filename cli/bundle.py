"""Bundles of studies: write one, verify it, run it again, open it, register it."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from bundles.checking import check_bundle
from bundles.opening import open_bundle
from bundles.reading import unpack
from bundles.registering import register_study
from bundles.rerunning import rerun_bundle
from bundles.writing import write_bundle
from cli.shared import FILE, Refused, check_output, open_stores, report_refusals, say, tell

MOST_SHOWN = 20
"""Differences that are printed; the others are counted."""


class BundleGroup(click.Group):
    """The group `bundle`, in which a first word that names no command is the study to write."""

    def resolve_command(self, context: click.Context, args: list[str]) -> Any:
        """Find the command; `relevance bundle STUDY` is `relevance bundle write STUDY`."""
        known = args and self.get_command(context, args[0]) is not None
        return super().resolve_command(context, args if known else ["write", *args])


@click.group(cls=BundleGroup, subcommand_metavar="STUDY -o FILE | COMMAND [ARGS]...")
def bundle() -> None:
    """Write the study STUDY with all that its figures rest on into one file, and do more with such files.

    A study that is called like one of the commands is written by `relevance bundle write STUDY`.
    """


@bundle.command()
@click.argument("name", metavar="STUDY")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), required=True, help="File, such as study.zip."
)
@click.option("--no-texts", is_flag=True, help="Hashes in the place of the data set's texts.")
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
    """Check that FILE is as it was written: hashes, records, and what they name in each other."""
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
        raise Refused(f"{file} is not what comes out: {len(differences)} differences, the first in {differences[0]}")
    tell("confirmed: all that was made again is the same")


@bundle.command("open")
@click.argument("file", type=FILE)
@click.option("--name", help="What the study is called here; its data set is called after it.")
@report_refusals
def open_(file: Path, name: str | None) -> None:
    """Import FILE as a study to read on the pages: nobody judges in it or changes it."""
    study, dataset = open_bundle(open_stores()[0], file, name)
    tell(f"opened {study}, with the data set {dataset}")


@bundle.command()
@click.argument("name", metavar="STUDY")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Where that bundle goes, such as study.zip."
)
@report_refusals
def register(name: str, output: Path | None) -> None:
    """Keep the hash of the bundle that STUDY makes now, before its first judgment.

    Keep that bundle, too (-o): later ones have the registration in them, and so another hash. Reports say when the
    study was registered, and what changed since.
    """
    if output is not None:
        check_output(output, [])
    registered = register_study(*open_stores(), name, output)
    tell(f"registered {name}, version {registered.protocol} of its protocol, as the bundle {registered.sha256}")
