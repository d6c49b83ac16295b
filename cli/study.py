"""Studies: create, list, invite, close, export."""

from dataclasses import dataclass
from pathlib import Path

import click

from relevance.annotation import exports
from relevance.annotation.records import INSTRUCTIONS, QUESTION, StudySpec
from relevance.annotation.removal import StudyInUse, StudyRemovalStore
from relevance.annotation.sampling import GIVEN, SAMPLING_RULES
from relevance.cli.printing import print_table
from relevance.cli.shared import (
    COUNT,
    FILE,
    SEED,
    Refused,
    check_failures,
    check_output,
    gathered,
    open_stores,
    report_refusals,
    say,
    say_suspicious,
    split_names,
    tell,
)
from relevance.cli.study_file import apply_file, check_file, export_file
from relevance.data.export import export
from relevance.data.files import write_whole
from relevance.data.reading import lines
from relevance.data.wording import format_count
from relevance.metrics import default_metrics
from relevance.metrics.registry import make_asked, usual_options
from relevance.metrics.scoring import Failures, score_dataset


@dataclass(frozen=True)
class DrawOptions:
    """The options of the draw of pairs."""

    systems: str
    rule: str
    conflict_metrics: str
    random_share: float
    count: int | None
    per_document: int | None
    checks: int
    seed: int


@click.group()
def study() -> None:
    """Create and manage studies."""


@study.command("create")
@click.argument("name")
@click.option("--dataset", required=True, help="Data set whose summaries are compared.")
@click.option("--systems", default="", help="Systems, separated by commas; all if left out.")
@click.option(
    "--pairs",
    "rule",
    type=click.Choice([*SAMPLING_RULES]),
    default="random",
    show_default=True,
    help="Pairs: random ones, all, those whose ROUGE-K differs (as in the ROUGE-K paper; this favours ROUGE-K), or "
    "those on which metrics contradict each other with a random share of the others.",
)
@click.option(
    "--conflict-metrics",
    default="rouge1,rouge2,rougeL,rouge_k",
    show_default=True,
    help="With --pairs conflicts: the metrics that may contradict each other, separated by commas.",
)
@click.option(
    "--random-share",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.25,
    show_default=True,
    help="With --pairs conflicts: the share of the pairs on which none of the metrics contradict each other.",
)
@click.option("--count", type=COUNT, help="Pairs in all; no limit if left out.")
@click.option(
    "--per-document",
    type=COUNT,
    help="Pairs per document; 1, or no limit with --pairs all and conflicts. With conflicts, this many of each kind.",
)
@click.option(
    "--checks",
    type=click.IntRange(0, 100),
    default=0,
    show_default=True,
    help="Attention checks for every annotator: a summary against one of another document.",
)
@click.option("--judgments", type=COUNT, default=1, show_default=True, help="Judgments wanted per pair.")
@click.option("--ties/--no-ties", default=False, show_default=True, help="Whether annotators may choose a tie.")
@click.option("--question", help="The question for annotators.")
@click.option("--instructions", type=FILE, help="A Markdown file shown before the pairs.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of the draw and of the sides.")
@report_refusals
@gathered("draw", DrawOptions)
def create_study(
    name: str,
    dataset: str,
    draw: DrawOptions,
    judgments: int,
    ties: bool,
    question: str | None,
    instructions: Path | None,
) -> None:
    """Create the study NAME from pairs of a data set's summaries."""
    data_store, annotation_store = open_stores()
    contradicting = split_names(draw.conflict_metrics) if draw.rule == "conflicts" else []
    # The lexical ones, so that there is an agreement table from the first judgment on.
    options = usual_options(referenced=data_store.dataset(dataset).referenced)
    scored, failures = make_asked([*default_metrics(), *contradicting], **options), Failures()
    score_dataset(data_store, dataset, scored, failures=failures)
    check_failures(failures)
    signatures = {metric.name: metric.signature for metric in scored}
    say_suspicious(data_store, dataset, split_names(draw.systems))
    created = annotation_store.create_study(
        StudySpec(
            name=name,
            dataset=dataset,
            systems=tuple(split_names(draw.systems)),
            rule=draw.rule,
            signature=signatures["rouge_k"] if draw.rule == "rouge_k_differs" else None,
            signatures=tuple(signatures[name] for name in contradicting),
            random_share=draw.random_share,
            count=draw.count,
            per_document=draw.per_document,
            judgments_per_pair=judgments,
            ties=ties,
            question=question or QUESTION,
            instructions="\n".join(line for _, line in lines(instructions)) if instructions else INSTRUCTIONS,
            seed=draw.seed,
            checks=draw.checks,
        )
    )
    tell(
        f"created {created.name}: {created.pairs} pairs of {', '.join(created.systems)}; "
        + "".join(f"{note}; " for note in created.notes)
        + f"{created.identical} pairs of identical texts left out"
        + (f", {created.unscored} without a score" if created.unscored else "")
    )


@study.command("list")
@click.option("--archived", is_flag=True, help="List those in the archive, too.")
@report_refusals
def list_studies(archived: bool) -> None:
    """List the studies and their progress."""
    _, store = open_stores()
    print_table(
        ["study", "data set", "pairs", "wanted", "judgments", "state"],
        [
            (
                s.name,
                s.dataset,
                s.pairs,
                "-" if s.rule == GIVEN else s.judgments_wanted,
                s.judgments,
                f"{s.state}, archived" if s.archived_at else s.state,
            )
            for s in store.studies(archived=archived)
        ],
    )


@study.command("invite")
@click.argument("name")
@click.argument("annotator")
@click.option("--url", default="http://127.0.0.1:8501", show_default=True, help="Address of the app.")
@report_refusals
def invite(name: str, annotator: str, url: str) -> None:
    """Print a link that lets ANNOTATOR, and nobody else, judge in the study NAME under that name."""
    _, store = open_stores()
    tell(f"{url.rstrip('/')}/annotate?invite={store.invite(study=name, name=annotator).token}")


@study.command("close")
@click.argument("name")
@click.option("--reopen", is_flag=True, help="Take judgments again.")
@report_refusals
def close_study(name: str, reopen: bool) -> None:
    """Take no more judgments in the study NAME."""
    _, store = open_stores()
    state = store.close_study(name, closed=not reopen)
    tell(f"{state.name} is {state.state}, with {state.judgments} judgments")


@study.command("rename")
@click.argument("name")
@click.argument("new")
@report_refusals
def rename_study(name: str, new: str) -> None:
    """Rename the study NAME to NEW, in its study file as well."""
    tell(f"{name} is now {open_removal().rename_study(name, new).name}")


@study.command("archive")
@click.argument("name")
@click.option("--restore", is_flag=True, help="Return it to the lists.")
@report_refusals
def archive_study(name: str, restore: bool) -> None:
    """Archive the study NAME, which leaves it out of lists and results without changing it."""
    open_removal().archive_study(name, archived=not restore)
    tell(f"{name} is {'out of' if restore else 'in'} the archive")


@study.command("delete")
@click.argument("name")
@click.option("--with-judgments", is_flag=True, help="Delete it even if somebody has judged in it.")
@report_refusals
def delete_study(name: str, with_judgments: bool) -> None:
    """Delete the study NAME with its pairs, people, links and files; only a backup brings it back."""
    try:
        open_removal().delete_study(name, with_judgments=with_judgments)
    except StudyInUse as error:
        raise Refused(f"{error} (--with-judgments)") from error
    tell(f"deleted the study {name}")


def open_removal() -> StudyRemovalStore:
    """Open the store that renames and deletes studies."""
    return StudyRemovalStore(open_stores()[1].engine)


@study.command("export")
@click.argument("name")
@click.option(
    "--what",
    type=click.Choice(["judgments", "adjudications", "models", "people", "surveys", "scores"]),
    default="judgments",
    show_default=True,
)
@click.option(
    "--format",
    "format",
    type=click.Choice(["jsonl", "csv", "lmarena", "crowd-kit"]),
    default="jsonl",
    show_default=True,
    help="Judgments can also be written in the formats of LMArena and Crowd-Kit.",
)
@click.option("--with-names", is_flag=True, help="Write people's names instead of P1, P2 and so on.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="File; printed if left out.")
@report_refusals
def export_study(name: str, what: str, format: str, with_names: bool, output: Path | None) -> None:
    """Write the judgments, adjudications, models, people or surveys of the study NAME, or the scores of its data set.

    Texts that people wrote (rationales, reasons, answers) are unchanged, and may tell who they are. Crowd-Kit has no
    ties: they are left out, and counted.
    """
    if output is not None:
        check_output(output, [])
    if format in exports.PAIRWISE:
        if what != "judgments":
            raise Refused(f"--format {format} is for judgments; {what} are written as jsonl or csv")
        records, ties = exports.export_pairs(open_stores()[1], name, format, names=with_names)
        if ties:
            say(f"{format_count(ties, 'tie')} left out")
        text = export(records, exports.PAIRWISE[format].file)
    else:
        text = export(exports.export_study(*open_stores(), name, what, names=with_names), format)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_whole(output, [text])
        say(f"wrote {output}")


for command in (check_file, apply_file, export_file):
    study.add_command(command)
