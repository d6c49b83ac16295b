"""The versions that a bundle was made with, and its instructions for reproducing the figures."""

import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from relevance.data.database import schema_versions
from relevance.data.distribution import DISTRIBUTION
from relevance.reports.escaping import in_markdown

PACKAGES = (
    *(DISTRIBUTION, "numpy", "scipy", "pandas", "sqlalchemy", "regex", "rapidfuzz", "nltk", "lemminflect"),
    *("simplemma", "stopwordsiso", "torch", "transformers", "tokenizers", "safetensors", "spacy"),
)
"""The packages that scores and figures depend on."""


def make_environment(seed: int) -> dict[str, Any]:
    """Return the versions of Python, its machine and its packages, the schema's, and the seeds."""
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": f"{platform.system()} {platform.machine()}",
        "packages": {name: number for name in PACKAGES if (number := find_version(name)) is not None},
        "schema": schema_versions()[-1],
        "seeds": {"pairs, checks and sides": seed, "intervals and tests": 0},
    }


def find_version(package: str) -> str | None:
    """Return the version of a package; None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def make_readme(study: str, *, texts: bool) -> Iterable[str]:
    """Yield the instructions to verify, rerun and open the bundle."""
    files = "\n".join(f"- `{name}`: {about}" for name, about in ABOUT.items())
    rerun = "" if texts else WITHOUT_TEXTS
    yield README.format(study=in_markdown(study), files=files, rerun=rerun, program=DISTRIBUTION)


WITHOUT_TEXTS = """
This bundle has no texts: `data.jsonl` has the SHA-256 of each and its number of characters, and what annotators and
models wrote about texts is left out. Its tables are made again from the scores in it. With the texts, scores are
computed and pairs drawn again, too: `relevance bundle rerun FILE --data DATA` checks the texts by their hashes.
"""

ABOUT = {
    "study.toml": "the current study file; `protocols/`: all of its versions",
    "study.json": "the study's settings, its data set, and the times of protocols and registrations",
    "data.jsonl": "the documents with references and all systems' summaries, in the interchange format",
    "scores.jsonl": "the scores of all summaries, each with its signature, or the reason why it is missing",
    "bounds.jsonl": "upper bounds that were found for the documents",
    "pairs.jsonl": "the pairs that were drawn, in their order, attention checks last",
    "people.jsonl": "the annotators under pseudonyms: phases, exclusions with reasons, consent, training",
    "judgments.jsonl": "the pairs given to annotators, also skipped and open ones, with present and earlier choices",
    "surveys.jsonl": "annotators' answers before and after judging",
    "adjudications.jsonl": "adjudicators' decisions",
    "models.jsonl": "language models that judged; `model_judgments.jsonl`: their verdicts",
    "tables.json": "all tables, as `relevance analyze --study NAME --format json` prints them",
    "report.html": "the same with charts and a paragraph on methods; `datasheet.md`: a description of the data",
    "environment.json": "Python, packages, schema, seeds",
    "manifest.json": "the SHA-256 of every file; its own SHA-256 is the name of the bundle",
}

README = """# {study}

A bundle of `relevance`: a study with all that its figures depend on.

    relevance bundle verify FILE   # checks that every file is as it was written, and that they fit together
    relevance bundle rerun FILE    # computes all scores and tables again and compares every number
    relevance bundle open FILE     # a study to read, on the pages

`environment.json` names the versions that it was made with: `pip install {program}` in that version has the commands.
{rerun}
{files}
"""
