"""The entity finders by name: the embedded tagger and the pipelines of spaCy."""

import importlib
from collections.abc import Sequence
from typing import Any

from relevance.data.distribution import how_to_install
from relevance.metrics.apes.entities import ONTONOTES_LOC, TYPES, Entity, Finder, FinderUnavailable
from relevance.metrics.apes.tagger import Tagger


def finder(name: str) -> Finder:
    """Make a finder: `embedded`, or `spacy:<pipeline>` such as `spacy:en_core_web_sm`.

    Raises ValueError for another name, `FinderUnavailable` if spaCy or the pipeline is not installed.
    """
    check_finder(name)
    if name == "embedded":
        return Tagger()
    return SpacyFinder(name.removeprefix("spacy:"))


def check_finder(name: str) -> None:
    """Refuse an unknown name of a finder, without making one. Raises ValueError."""
    kind, _, pipeline = name.partition(":")
    if name != "embedded" and (kind != "spacy" or not pipeline):
        raise ValueError(f"no entity finder {name!r}: there are embedded and spacy:<pipeline>")


class SpacyFinder:
    """A finder of entities by a spaCy pipeline. Raises `FinderUnavailable` if it is not installed."""

    def __init__(self, pipeline: str) -> None:
        try:
            spacy = importlib.import_module("spacy")
        except ImportError as error:
            raise FinderUnavailable(f"spaCy is not installed: {how_to_install('spacy')}") from error
        except Exception as error:
            raise FinderUnavailable(f"spaCy cannot be imported: {error}") from error
        try:
            self.pipeline: Any = spacy.load(pipeline, exclude=["parser", "lemmatizer", "attribute_ruler", "textcat"])
        except Exception as error:  # a wrong version or a missing dependency raises many kinds
            raise FinderUnavailable(
                f"spaCy's pipeline {pipeline!r} cannot be loaded: python -m spacy download {pipeline}, "
                f"or pip install the package that holds it ({error})"
            ) from error
        ontonotes = "GPE" in self.pipeline.meta.get("labels", {}).get("ner", ())
        self.renamed = {"LOC": ONTONOTES_LOC} if ontonotes else {}
        name = str(pipeline).replace("|", "_")
        self.signature = f"spacy:{name}@{self.pipeline.meta.get('version', 'unknown')}"

    def find(self, texts: Sequence[str]) -> list[list[Entity]]:
        """Return the pipeline's entities with a type in `TYPES`, by text; LOC of OntoNotes becomes `ONTONOTES_LOC`."""
        limit = self.pipeline.max_length  # spaCy refuses longer texts
        parts = [
            (number, start, text[start : start + limit])
            for number, text in enumerate(texts)
            for start in range(0, len(text), limit)
        ]
        entities: list[list[Entity]] = [[] for _ in texts]
        for (number, start, _), document in zip(parts, self.pipeline.pipe(part for *_, part in parts), strict=True):
            entities[number] += [
                Entity(start + entity.start_char, start + entity.end_char, label)
                for entity in document.ents
                if (label := self.renamed.get(entity.label_, entity.label_)) in TYPES
            ]
        return entities
