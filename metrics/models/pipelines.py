"""Pipelines of spaCy, which is an option of this package."""

import importlib
from collections.abc import Sequence
from typing import Any

from relevance.data.distribution import how_to_install
from relevance.metrics.models.files import ModelUnavailable


def load_pipeline(pipeline: str, exclude: Sequence[str]) -> Any:
    """Load a pipeline by its name without some of its components. Raises `ModelUnavailable`, saying what to install."""
    try:
        spacy = importlib.import_module("spacy")
    except ImportError as error:
        raise ModelUnavailable(f"spaCy is not installed: {how_to_install('spacy')}") from error
    except Exception as error:
        raise ModelUnavailable(f"spaCy cannot be imported: {error}") from error
    try:
        return spacy.load(pipeline, exclude=list(exclude))
    except Exception as error:  # a wrong version or a missing dependency raises many kinds
        raise ModelUnavailable(
            f"spaCy's pipeline {pipeline!r} cannot be loaded: python -m spacy download {pipeline}, "
            f"or pip install the package that holds it ({error})"
        ) from error
