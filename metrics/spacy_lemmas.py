"""Lemmas by a pipeline of spaCy, read as the published code of ROUGE-K reads texts (Takeshita et al. 2024).

Texts are lower-cased first, words with hyphens stay whole, and punctuation is words, too.
"""

from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, entry_points, version

from relevance.metrics.models.pipelines import load_pipeline

SPACY = "spacy"
PIPELINE = "en_core_web_sm"
"""The pipeline of the published code."""


def is_spacy(name: str) -> bool:
    """Tell whether a name is that of lemmas by spaCy: `spacy`, or `spacy:<pipeline>`."""
    kind, colon, pipeline = name.partition(":")
    return kind == SPACY and bool(pipeline) == bool(colon)


def pipeline_of(name: str) -> str:
    """Return the pipeline of a name that `is_spacy`: without one it is `PIPELINE`, in whatever package it is installed.

    The package index has it as `en_core_web_sm_` and a suffix.
    """
    if pipeline := name.partition(":")[2]:
        return pipeline
    installed = sorted(entry.name for entry in entry_points(group="spacy_models"))
    return next((package for package in installed if package.startswith(PIPELINE)), PIPELINE)


def revision_of(pipeline: str) -> str:
    """Return the version of a pipeline's package, without loading it; `unavailable` if it is not installed."""
    try:
        return version(pipeline)
    except (PackageNotFoundError, ValueError):
        return "unavailable"


@lru_cache(2)
def load_reader(pipeline: str) -> Callable[[str], list[tuple[str, int, int]]]:
    """Load a pipeline and return a function that reads a text: the lemma, the start and the end of each token.

    Raises `ModelUnavailable`.
    """
    loaded = load_pipeline(pipeline, ["parser", "ner", "senter", "textcat"])
    from spacy.lang.char_classes import HYPHENS
    from spacy.util import compile_infix_regex

    infixes = [pattern for pattern in loaded.Defaults.infixes if HYPHENS not in pattern]
    loaded.tokenizer.infix_finditer = compile_infix_regex(infixes).finditer
    loaded.tokenizer.url_match = None
    limit = loaded.max_length  # spaCy refuses longer texts

    def read(text: str) -> list[tuple[str, int, int]]:
        return [
            (token.lemma_, start + token.idx, start + token.idx + len(token.text))
            for start in range(0, len(text), limit)
            for token in loaded(text[start : start + limit])
        ]

    return read
