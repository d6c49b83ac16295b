"""The command `relevance`: each module has the commands of one group, and a command calls one function of a package."""

import click

from cli.program import Command, Program

COMMANDS = {
    "Data sets": {
        "import": Command("cli.datasets:import_", "Import documents and summaries from a file or folder."),
        "datasets": Command("cli.datasets:datasets", "List the data sets."),
        "demo": Command("cli.datasets:demo", "Import the demo corpus, with scores and a study."),
        "convert": Command("cli.convert:convert", "Write a file, folder or data set in another format."),
        "summarize": Command("cli.summarize:summarize", "Add summaries by systems to a data set."),
        "train": Command("cli.train:train", "Train summarizers, and parts of APES."),
    },
    "Scores": {
        "score": Command("cli.score:score", "Score the summaries of a file or data set."),
        "keywords": Command("cli.score:keywords", "Print the keywords that ROUGE-K looks for."),
        "oracle": Command("cli.oracle:oracle", "Find the extracts with the highest ROUGE."),
        "apes": Command("cli.apes:apes", "Print the questions of APES and their answers."),
        "entities": Command("cli.apes:entities", "Print the entities in texts, one text per line."),
    },
    "Results": {
        "analyze": Command("cli.analyze.command:analyze", "Compare metrics with people and each other."),
        "report": Command("cli.report:report", "Write all results of a study into one HTML file."),
        "plan": Command("cli.plan:plan", "Compute how many pairs and judgments a study needs."),
    },
    "Studies": {
        "study": Command("cli.study:study", "Create and manage studies."),
        "judge": Command("cli.judge:judge", "Have a language model judge the pairs of a study."),
        "bundle": Command("cli.bundle:bundle", "Write a study into one file, check and rerun it."),
    },
    "App and database": {
        "serve": Command("cli.serve:serve", "Start the app."),
        "user": Command("cli.user:user", "Manage the accounts of a hosted server."),
        "backup": Command("cli.backup:backup", "Write the whole database to a file."),
        "restore": Command("cli.backup:restore", "Replace the database by a backup."),
        "doctor": Command("cli.doctor:doctor", "Check the database, its disk, clock and models."),
    },
}
"""All commands by name, under their headings in the help."""


@click.group(cls=Program, sections=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="relevance")
def main() -> None:
    """Find out which automatic metrics of summaries agree with people.

    Data sets, scores and judgments are kept in the database named by RELEVANCE_DATABASE_URL, by default an SQLite
    file beside the app. score FILE, keywords and analyze need no database.
    """
