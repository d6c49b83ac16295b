"""The command `relevance`: each module has the commands of one group, and a command calls one function of a package."""

import click

from relevance.cli.program import Command, Program
from relevance.data.distribution import DISTRIBUTION

COMMANDS = {
    "Data sets": {
        "import": Command("relevance.cli.datasets:import_", "Import documents and summaries from a file or folder."),
        "datasets": Command("relevance.cli.datasets:datasets", "List the data sets."),
        "demo": Command("relevance.cli.datasets:demo", "Import the demo corpus, with scores and a study."),
        "convert": Command("relevance.cli.convert:convert", "Write a file, folder or data set in another format."),
        "summarize": Command("relevance.cli.summarize:summarize", "Add summaries by systems to a data set."),
        "train": Command("relevance.cli.train:train", "Train summarizers, and parts of APES."),
    },
    "Scores": {
        "score": Command("relevance.cli.score:score", "Score the summaries of a file or data set."),
        "metrics": Command("relevance.cli.metrics:metrics", "List all metrics, and where they come from."),
        "keywords": Command("relevance.cli.score:keywords", "Print the keywords that ROUGE-K looks for."),
        "oracle": Command("relevance.cli.oracle:oracle", "Find the extracts with the highest ROUGE."),
        "apes": Command("relevance.cli.apes:apes", "Print the questions of APES and their answers."),
        "entities": Command("relevance.cli.apes:entities", "Print the entities in texts, one text per line."),
    },
    "Results": {
        "analyze": Command("relevance.cli.analyze.command:analyze", "Compare metrics with people and each other."),
        "corpora": Command("relevance.cli.corpora:corpora", "Compare metrics with people on every data set."),
        "report": Command("relevance.cli.report:report", "Write all results of a study into one HTML file."),
        "plan": Command("relevance.cli.plan:plan", "Compute how many pairs and judgments a study needs."),
    },
    "Studies": {
        "study": Command("relevance.cli.study:study", "Create and manage studies."),
        "judge": Command("relevance.cli.judge:judge", "Have a language model judge the pairs of a study."),
        "bundle": Command("relevance.cli.bundle:bundle", "Write a study into one file, check and rerun it."),
    },
    "App and database": {
        "serve": Command("relevance.cli.serve:serve", "Start the app."),
        "user": Command("relevance.cli.user:user", "Manage the accounts of a hosted server."),
        "backup": Command("relevance.cli.backup:backup", "Write the whole database to a file."),
        "restore": Command("relevance.cli.backup:restore", "Replace the database by a backup."),
        "doctor": Command("relevance.cli.doctor:doctor", "Check the database, its disk, clock and models."),
    },
}
"""All commands by name, under their headings in the help."""


@click.group(cls=Program, sections=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name=DISTRIBUTION)
def main() -> None:
    """Find out which automatic metrics of summaries agree with people.

    Data sets, scores and judgments are kept in the database named by RELEVANCE_DATABASE_URL, by default the SQLite
    file relevance.db in the working folder, if it is there, or else in your data folder. score FILE, keywords and
    analyze need no database.
    """
