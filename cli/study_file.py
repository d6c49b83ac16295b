"""Study files: check, apply, export."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from relevance.annotation.doubts import find_doubts
from relevance.annotation.protocol.changes import may_change
from relevance.annotation.protocol.file import read_protocol, read_study_file, say_place
from relevance.annotation.protocol.pinning import NotPinned, OtherData, check_pin
from relevance.annotation.protocol.places import find_lines
from relevance.annotation.protocol.records import StudyProtocol
from relevance.annotation.protocol.store import Effect, ProtocolStore
from relevance.annotation.records import ScoresMissing
from relevance.cli.shared import (
    FILE,
    Refused,
    check_failures,
    check_output,
    open_stores,
    report_refusals,
    say,
    say_suspicious,
    tell,
)
from relevance.data.files import write_whole
from relevance.data.store import DataStore, UnknownDataset
from relevance.metrics import METRICS
from relevance.metrics.from_signature import metric_of, metrics_for, signatures
from relevance.metrics.scoring import Failures, score_dataset


@click.command("check")
@click.argument("file", type=FILE)
@report_refusals
def check_file(file: Path) -> None:
    """Say what applying the study file FILE would do, or on which line it is wrong."""
    text = read_study_file(file)
    protocol = read_protocol(text, file.name)
    data, store = open_protocols()
    check_signatures(file, text, protocol)
    say_doubts(file, text, protocol)
    try:
        with located(file, text):
            tell_effect(store.examine(text))
            say_suspicious(data, protocol.dataset.name, protocol.dataset.systems)
    except ScoresMissing as error:
        if not all(map(metric_of, protocol.signatures.values())):
            raise
        tell(f"{file.name} can be applied, which computes missing scores; pairs are counted after that")
        say(str(error))


@click.command("apply")
@click.argument("file", type=FILE)
@report_refusals
def apply_file(file: Path) -> None:
    """Make the study described by the study file FILE, or change the study of that name.

    Until somebody is invited or joins, or a language model judges, everything may change, and pairs are drawn again;
    after that, only title, closes, instructions, texts, links, panel, judged_twice, most_per_annotator and
    idle_minutes.
    """
    text = read_study_file(file)
    protocol = read_protocol(text, file.name)
    data, store = open_protocols()
    changed = store.compare(protocol)
    with located(file, text):
        if changed is None or not all(map(may_change, changed)):
            check_pin(store, protocol)  # before scores are computed for hours
            check_signatures(file, text, protocol)
            score(data, protocol)
            say_suspicious(data, protocol.dataset.name, protocol.dataset.systems)
        made = store.apply(text)
    say_doubts(file, text, protocol)
    version = store.history(made.name)[-1].version
    if changed is None:
        tell(
            f"made {made.name}: {made.pairs} pairs of {', '.join(made.systems)}; {'; '.join(made.notes) or 'no checks'}"
        )
    else:
        tell(f"{made.name} is as its study file, version {version}; changed: {', '.join(changed) or 'nothing'}")


@click.command("export-config")
@click.argument("name")
@click.option("--version", type=click.IntRange(1), help="Its version; the latest if left out.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="File; printed if left out.")
@report_refusals
def export_file(name: str, version: int | None, output: Path | None) -> None:
    """Write the study file of the study NAME, byte for byte as it was applied."""
    if output is not None:
        check_output(output, [])
    _, annotation = open_stores()
    text = ProtocolStore(annotation.engine).export(name, version)
    if output is None:
        click.echo(text.encode(), nl=False)
    else:
        write_whole(output, [text])
        say(f"wrote {output}")


def open_protocols() -> tuple[DataStore, ProtocolStore]:
    """Open the stores of data sets and of study files."""
    data, annotation = open_stores()
    return data, ProtocolStore(annotation.engine)


@contextmanager
def located(file: Path, text: str) -> Iterator[None]:
    """Add the line of a study file to errors about its data set."""
    try:
        yield
    except (NotPinned, OtherData, UnknownDataset) as error:
        key = "name" if isinstance(error, UnknownDataset) else "sha256"
        raise Refused(f"{say_place(('dataset', key), find_lines(text), file.name)}: {error}") from error


def check_signatures(file: Path, text: str, protocol: StudyProtocol) -> None:
    """Refuse the name of a metric instead of the signature of its scores, and say what the signature is."""
    for path, signature in protocol.signatures.items():
        if "|" not in signature:
            where = say_place(path, find_lines(text), file.name)
            usual = signatures(also=(signature,) if signature in METRICS else ()).get(signature)
            help = f"write {usual!r}" if usual else "`relevance score` prints the existing ones"
            raise Refused(f"{where}: {signature!r} is not a signature of scores; {help}")


def say_doubts(file: Path, text: str, protocol: StudyProtocol) -> None:
    """Print doubtful settings of a study file, with their lines."""
    for path, doubt in find_doubts(protocol):
        say(f"{say_place(path, find_lines(text), file.name)}: {doubt}")


def score(data: DataStore, protocol: StudyProtocol) -> None:
    """Compute the scores that its rules compare, and the usual ones, so that there is an agreement table at once."""
    failures = Failures()
    dataset = data.dataset(protocol.dataset.name)
    metrics = metrics_for(protocol.signatures.values(), referenced=dataset.referenced)
    score_dataset(data, dataset.name, metrics, failures=failures)
    check_failures(failures)


def tell_effect(effect: Effect) -> None:
    """Print what applying a study file would do."""
    protocol, sample = effect.protocol, effect.sample
    if sample is not None:
        checks = f", and {len(sample.checks)} attention checks" if sample.checks else ""
        tell(f"{sample.eligible} pairs are eligible, {len(sample.pairs)} are drawn{checks}")
        tell(f"the texts of the data set {protocol.dataset.name} are the pinned ones")
    if effect.made:
        tell(f"applying it makes the study {protocol.name}")
    elif not effect.changed:
        tell(f"it is the same as the file of the study {protocol.name}")
    else:
        anew = "; the pairs are drawn again" if sample is not None else ""
        tell(f"applying it changes {', '.join(effect.changed)} of the study {protocol.name}{anew}")
