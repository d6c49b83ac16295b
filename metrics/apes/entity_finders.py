"""The entity finders by name: the embedded tagger and the pipelines of spaCy."""

from collections.abc import Sequence

from relevance.metrics.apes.entities import ONTONOTES_LOC, TYPES, Entity, Finder, FinderUnavailable
from relevance.metrics.apes.entity_tagger import Tagger
from relevance.metrics.models.files import ModelUnavailable
from relevance.metrics.models.pipelines import load_pipeline


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
            self.pipeline = load_pipeline(pipeline, ["parser", "lemmatizer", "attribute_ruler", "textcat"])
        except ModelUnavailable as error:
            raise FinderUnavailable(str(error)) from error
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
