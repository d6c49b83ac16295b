"""Make a metric again from its signature."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from metrics import METRICS, Metric, Options
from metrics.models.files import EMBEDDED, ModelUnavailable, find_model
from metrics.rouge import TOKENIZERS
from metrics.rouge_k import ONLY


@cache
def signatures() -> dict[str, str]:
    """The signature of each metric with its default settings, by its name."""
    return {name: make(Options()).signature for name, make in METRICS.items()}


def metric_of(signature: str) -> Metric | None:
    """The metric that has exactly this signature, or None where it does not tell all settings; loads no model.

    Not to be had again are metrics with files (word vectors, baselines, inverse document frequencies), with another
    model than the embedded one, and those of another version.
    """
    name, *settings = signature.split("|")
    if name not in METRICS:
        return None
    try:
        made = METRICS[name](options_of(dict(setting.partition(":")[::2] for setting in settings)))
    except ValueError:
        return None
    return made if made.signature == signature else None


def options_of(settings: Mapping[str, str]) -> Options:
    """The options that could have led to a signature's settings. Raises ValueError."""
    given: dict[str, Any] = {}
    plain = {
        "refs": "references",
        "title": "title",
        "norm": "norm",
        "value": "value",
        "counts": "counts",
        "ask": "ask",
        "credit": "apes_value",
    }
    for setting, option in plain.items():
        if setting in settings:
            given[option] = settings[setting]
    if settings.get("questions") == "first":
        given["references"] = "first"
    if "tok" in settings:
        given["tokenizer"] = {shown: name for name, shown in TOKENIZERS.items()}.get(settings["tok"], "unknown")
    if settings.get("model", "").endswith("@bfloat16"):
        given["dtype"] = "bfloat16"
    if "layer" in settings:
        given["layer"] = int(settings["layer"])
        # The metrics' common encoder would be asked for this layer from now on, and refuse every text.
        if given["layer"] not in range(embedded_layers() + 1):
            raise ValueError(f"the embedded encoder has no layer {given['layer']}")
    if "n" in settings:
        given["n"] = int(settings["n"])
    if settings.get("important", "").startswith("tfidf"):
        given["important"] = settings["important"].replace("tfidf", "tfidf:", 1)
    if "kw" in settings:
        given["keywords"] = parse_keywords_option(settings["kw"])
    if "only" in settings:
        given["only"] = {shown: name for name, shown in ONLY.items()}.get(settings["only"], "unknown")
    if settings.get("types", "default") != "default":
        given["types"] = tuple(filter(None, settings["types"].split("+")))
    return Options(**given)


def parse_keywords_option(shown: str) -> str:
    """The option of ROUGE-K that a signature shows as `overlap10`, `textrank` or `tfidf5`."""
    name = shown.rstrip("0123456789")
    count = shown.removeprefix(name)
    return f"{name}:{count}" if count and name != "overlap" else name


@cache
def embedded_layers() -> int:
    """How many layers the embedded encoder has. Raises `ModelUnavailable`."""
    file = find_model(EMBEDDED).folder / "config.json"
    try:
        return int(json.loads(file.read_text(encoding="utf-8"))["num_hidden_layers"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelUnavailable(f"{file} cannot be read") from error
