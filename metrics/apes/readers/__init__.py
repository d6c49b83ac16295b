"""The readers of APES, a file each, made by `reader`."""

from relevance.metrics.apes.base import Reader

KNOWN = ("embedded", "attentive-reader:FILE", "extractive:MODEL", "masked:MODEL")
"""The names that `reader` takes; MODEL is a folder or a Hugging Face name."""


def reader(name: str) -> Reader:
    """Make a reader by its name.

    Its files are located and hashed now, and loaded at its first reading. Raises ValueError for an unknown name,
    `ModelUnavailable` for files that are missing or wrong.
    """
    check_reader(name)
    kind, _, model = name.partition(":")
    if kind == "embedded":
        from relevance.metrics.apes.readers.embedded import EmbeddedReader

        return EmbeddedReader()
    if kind == "attentive-reader":
        from relevance.metrics.apes.readers.attentive import AttentiveReader

        return AttentiveReader.load(model)
    if kind == "extractive":
        from relevance.metrics.apes.readers.extractive import ExtractiveReader

        return ExtractiveReader(model)
    from relevance.metrics.apes.readers.masked import MaskedReader

    return MaskedReader(model)


def check_reader(name: str) -> None:
    """Refuse a name that `reader` does not know. Raises ValueError."""
    kind, _, model = name.partition(":")
    if name != "embedded" and not (model and kind in ("attentive-reader", "extractive", "masked")):
        raise ValueError(f"unknown reader {name!r}; known are {', '.join(KNOWN)}")
