"""The command `relevance`: a module a group of commands, each of which calls one function of a package."""

import click

from cli import (
    analyze,
    apes,
    backup,
    bundle,
    convert,
    datasets,
    doctor,
    judge,
    oracle,
    score,
    serve,
    study,
    study_file,
    summarize,
    train,
    user,
)
from cli.shared import Program


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="relevance")
def main() -> None:
    """Find out which automatic metric of summaries agrees with people.

    Data sets, scores and judgments are kept in the database named by RELEVANCE_DATABASE_URL, by default an SQLite
    file beside the app. score FILE, keywords and analyze need no database.
    """


for command in (
    *(datasets.import_, datasets.datasets, convert.convert, summarize.summarize, datasets.demo),
    *(score.score, score.keywords, oracle.oracle),
    *(analyze.analyze, analyze.report, analyze.plan),
    *(apes.apes, apes.entities, train.train),
    *(study.study, bundle.bundle, judge.judge, serve.serve, user.user),
    *(backup.backup, backup.restore, doctor.doctor),
):
    main.add_command(command)

for command in (study_file.check_file, study_file.apply_file, study_file.export_file):
    study.study.add_command(command)
