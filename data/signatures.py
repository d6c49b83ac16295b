"""Signatures: everything that a metric's or summarizer's output depends on, as `name|setting:value|...|version:X`.

They are stored, compared and shown as plain texts, and parsed only when a part is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from relevance.data.cleaning import RULES
from relevance.data.records import SOURCE

AGAINST_SOURCE = f"refs:{SOURCE}"
"""The setting of metrics that set summaries against their sources."""

JUDGE = "judge: "
"""Prefix of the name of a language model that judges, where it is listed among metrics."""

GIVEN = "given: "
"""Prefix of the name of a metric whose scores came with a corpus."""


@dataclass(frozen=True)
class Signature:
    """The parts of a signature, in the manner of sacreBLEU; `str` writes it as the text that `parse` reads."""

    name: str
    settings: tuple[str, ...] = ()
    """Its settings in order, such as `refs:max`."""
    version: str | None = None
    """The version of its definition; None for a bare name."""

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a signature, or a bare name; any text can be read, and `str` returns it unchanged."""
        name, *settings = text.split("|")
        if settings and settings[-1].startswith("version:"):
            return cls(name, tuple(settings[:-1]), settings[-1].removeprefix("version:"))
        return cls(name, tuple(settings))

    def __str__(self) -> str:
        return "|".join([self.name, *self.details])

    @property
    def details(self) -> tuple[str, ...]:
        """The parts after the name: the settings, and the version."""
        return self.settings if self.version is None else (*self.settings, f"version:{self.version}")

    @property
    def values(self) -> dict[str, str]:
        """The value of each setting, by its name."""
        return dict(setting.partition(":")[::2] for setting in self.settings)

    def changed(self, setting: str, value: str) -> Signature:
        """Return the signature with another value of a setting that it has."""
        settings = (f"{setting}:{value}" if given.startswith(f"{setting}:") else given for given in self.settings)
        return replace(self, settings=tuple(settings))


def of_cleaned(signature: str) -> str:
    """Return a metric's signature for texts that were cleaned (`relevance.data.cleaning`), which it says.

    >>> of_cleaned("rouge1|refs:max|version:0.2.0")
    'rouge1|refs:max|clean:1|version:0.2.0'
    """
    parsed = Signature.parse(signature)
    return str(replace(parsed, settings=(*parsed.settings, f"clean:{RULES}")))


def signature(name: str, version: str, **settings: object) -> str:
    """Write a signature as text."""
    return str(Signature(name, tuple(f"{setting}:{value}" for setting, value in settings.items()), version))


def name_of(signature: str) -> str:
    """Return the name of a signature's metric or summarizer."""
    return Signature.parse(signature).name


def is_length(signature: str) -> bool:
    """Tell whether a signature or name is that of the metric `length`, a count of words and not a score."""
    return name_of(signature) == "length"


def is_judge(signature: str) -> bool:
    """Tell whether a signature or name is that of a language model that judges pairs, and not a metric."""
    return name_of(signature).startswith(JUDGE)


def given_signature(metric: str, corpus: str | None = None) -> str:
    """Return the signature of scores that came with a corpus (its format and hash); without one a bare name."""
    return str(Signature(GIVEN + metric.replace("|", "_"), () if corpus is None else (f"corpus:{corpus}",)))


def is_given(signature: str) -> bool:
    """Tell whether scores under a signature or name came with a corpus, and were not computed here."""
    return name_of(signature).startswith(GIVEN)


def is_computed(signature: str) -> bool:
    """Tell whether a signature or name is that of a metric of this program: not a judge, and not given."""
    return not is_judge(signature) and not is_given(signature)


def references_rule(signature: str) -> str | None:
    """Return how a metric combines several references, such as `max`; `source` if it sets summaries against sources.

    None if its signature does not say.
    """
    return Signature.parse(signature).values.get("refs")


def is_against_source(signature: str) -> bool:
    """Tell whether a signature says that summaries were set against their sources, and not against references."""
    return references_rule(signature) == SOURCE


def labels(signatures: Sequence[str], label_of: Callable[[str], str] = name_of) -> dict[str, str]:
    """Return a label for each signature: its metric's name, with the settings that distinguish it from its namesakes.

    That summaries were set against their sources is always said. `label_of` returns the name of a signature's metric,
    by default the plain one; pages and reports pass their own.

    >>> list(labels(["rouge1|refs:source|version:0.2.0", "length|unit:words|version:0.2.0"]).values())
    ['rouge1 (refs:source)', 'length']
    """
    parsed = {text: Signature.parse(text) for text in signatures}
    named = {}
    for text, signature in parsed.items():
        same = [other.details for other in parsed.values() if other.name == signature.name]
        own = [
            detail
            for detail in signature.details
            if detail == AGAINST_SOURCE or not all(detail in other for other in same)
        ]
        named[text] = f"{label_of(text)} ({', '.join(own)})" if own else label_of(text)
    return named


def distinct(signatures: Iterable[str]) -> list[str]:
    """Return the signatures without means over references whose maximum is there, too.

    The means are requested for the table with ROUGE-K; elsewhere every metric would appear twice, and be tested twice.
    """
    known = list(signatures)
    by_maximum = {text: str(Signature.parse(text).changed("refs", "max")) for text in known}
    return [text for text in known if references_rule(text) != "mean" or by_maximum[text] not in known]


def find_signature(name: str, signatures: Iterable[str]) -> str | None:
    """Return the first of the signatures that belongs to a metric, of those against references if there are any.

    >>> find_signature("rouge1", ["rouge1|refs:source|version:0.2.0", "rouge1|refs:max|version:0.2.0"])
    'rouge1|refs:max|version:0.2.0'
    """
    same = (signature for signature in signatures if name_of(signature) == name)
    return min(same, key=is_against_source, default=None)
