"""What a bundle was made with, and how others come to its figures again."""

import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from data.database import schema_versions
from reports.escaping import in_markdown

PACKAGES = (
    *("relevance", "numpy", "scipy", "pandas", "sqlalchemy", "regex", "rapidfuzz", "nltk", "simplemma"),
    *("stopwordsiso", "torch", "transformers", "tokenizers", "safetensors", "spacy"),
)
"""The packages that scores and figures come from."""


def make_environment(seed: int) -> dict[str, Any]:
    """The versions of Python, its machine and its packages, the schema's, and the seeds."""
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": f"{platform.system()} {platform.machine()}",
        "packages": {name: found for name in PACKAGES if (found := find_version(name)) is not None},
        "schema": schema_versions()[-1],
        "seeds": {"pairs, checks and sides": seed, "intervals and tests": 0},
    }


def find_version(package: str) -> str | None:
    """The version of a package; None where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def make_readme(study: str, *, texts: bool) -> Iterable[str]:
    """How the bundle is verified, run again and opened."""
    files = "\n".join(f"- `{name}`: {about}" for name, about in ABOUT.items())
    rerun = "" if texts else WITHOUT_TEXTS
    yield README.format(study=in_markdown(study), files=files, rerun=rerun)


WITHOUT_TEXTS = """
This bundle has no texts: `data.jsonl` has the SHA-256 of each and its number of characters, and what annotators and
models wrote about texts is left out. Its tables are made again of the scores in it. Whoever has the texts has scores
computed and pairs drawn again, too: `relevance bundle rerun FILE --data DATA` checks the texts by their hashes.
"""

ABOUT = {
    "study.toml": "the study file that holds; `protocols/`: all of its versions",
    "study.json": "the study's row, its data set, when protocols and registrations were made",
    "data.jsonl": "the documents with references and all systems' summaries, in the interchange format",
    "scores.jsonl": "the scores of all summaries, each with its signature, or the reason why it is missing",
    "bounds.jsonl": "upper bounds that were found for the documents",
    "pairs.jsonl": "the pairs that were drawn, in their order, attention checks last",
    "people.jsonl": "the annotators under pseudonyms: phases, exclusions with reasons, consent, training",
    "judgments.jsonl": "what each was given and chose, with all earlier choices; skipped and open pairs, too",
    "surveys.jsonl": "what annotators answered before and after",
    "adjudications.jsonl": "what adjudicators decided",
    "models.jsonl": "language models that judged; `model_judgments.jsonl`: what they said",
    "tables.json": "all tables, as `relevance analyze --study NAME --format json` gives them",
    "report.html": "the same with charts and a paragraph on methods; `datasheet.md`: what the data are",
    "environment.json": "Python, packages, schema, seeds",
    "manifest.json": "the SHA-256 of every file; its own SHA-256 is the name of the bundle",
}

README = """# {study}

A bundle of `relevance`: a study with all that its figures rest on.

    relevance bundle verify FILE   # every file is as it was written, and what one names another has
    relevance bundle rerun FILE    # computes all scores and tables again and compares every number
    relevance bundle open FILE     # a study to read, on the pages

`environment.json` names the versions that it was made with: `pip install relevance` in that version has the commands.
{rerun}
{files}
"""
