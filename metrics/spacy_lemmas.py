"""Lemmas by a pipeline of spaCy, read as the published code of ROUGE-K reads texts (Takeshita et al. 2024).

Texts are lower-cased first, words with hyphens stay whole, and punctuation is words, too.
"""

import importlib
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, entry_points, version
from typing import Any

from relevance.data.distribution import how_to_install
from relevance.metrics.models.files import ModelUnavailable

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
    return next((one for one in installed if one.startswith(PIPELINE)), PIPELINE)


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
    try:
        spacy = importlib.import_module("spacy")
        classes = importlib.import_module("spacy.lang.char_classes")
    except ImportError as error:
        raise ModelUnavailable(f"spaCy is not installed: {how_to_install('spacy')}") from error
    try:
        loaded: Any = spacy.load(pipeline, exclude=["parser", "ner", "senter", "textcat"])
    except Exception as error:  # a wrong version or a missing dependency raises many kinds
        raise ModelUnavailable(
            f"spaCy's pipeline {pipeline!r} cannot be loaded: python -m spacy download {pipeline}, "
            f"or pip install the package that holds it ({error})"
        ) from error
    infixes = [pattern for pattern in loaded.Defaults.infixes if classes.HYPHENS not in pattern]
    loaded.tokenizer.infix_finditer = spacy.util.compile_infix_regex(infixes).finditer
    loaded.tokenizer.url_match = None
    limit = loaded.max_length  # spaCy refuses longer texts

    def read(text: str) -> list[tuple[str, int, int]]:
        return [
            (token.lemma_, start + token.idx, start + token.idx + len(token.text))
            for start in range(0, len(text), limit)
            for token in loaded(text[start : start + limit])
        ]

    return read
