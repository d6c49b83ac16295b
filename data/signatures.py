"""Signatures: all that a metric's or summarizer's output depends on, as `name|setting:value|...|version:X`.

They are plain texts wherever they are stored, compared or shown; whoever asks something of one parses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

JUDGE = "judge: "
"""What the name of a language model that judges begins with, where it stands among metrics."""

GIVEN = "given: "
"""What the name of a metric begins with whose scores came with a corpus."""


@dataclass(frozen=True)
class Signature:
    """A signature in its parts, in the manner of sacreBLEU; `str` writes it as the text that `parse` reads."""

    name: str
    settings: tuple[str, ...] = ()
    """Its settings in order, such as `refs:max`."""
    version: str | None = None
    """The version of its definition; a bare name has none."""

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a signature, or a bare name; any text can be read, and is written again as it was."""
        name, *settings = text.split("|")
        if settings and settings[-1].startswith("version:"):
            return cls(name, tuple(settings[:-1]), settings[-1].removeprefix("version:"))
        return cls(name, tuple(settings))

    def __str__(self) -> str:
        return "|".join([self.name, *self.details])

    @property
    def details(self) -> tuple[str, ...]:
        """What follows the name: the settings, and the version."""
        return self.settings if self.version is None else (*self.settings, f"version:{self.version}")

    @property
    def values(self) -> dict[str, str]:
        """The value of each setting, by its name."""
        return dict(setting.partition(":")[::2] for setting in self.settings)

    def changed(self, setting: str, value: str) -> Signature:
        """The same with another value of a setting that it has."""
        settings = (f"{setting}:{value}" if one.startswith(f"{setting}:") else one for one in self.settings)
        return replace(self, settings=tuple(settings))


def signature(name: str, version: str, **settings: object) -> str:
    """Write a signature."""
    return str(Signature(name, tuple(f"{setting}:{value}" for setting, value in settings.items()), version))


def name_of(signature: str) -> str:
    """The name of the metric or summarizer that a signature belongs to."""
    return Signature.parse(signature).name


def is_length(signature: str) -> bool:
    """Whether a signature or name is that of the metric `length`, a count of words and no score."""
    return name_of(signature) == "length"


def is_judge(signature: str) -> bool:
    """Whether a signature or name is that of a language model that judges pairs, and no metric."""
    return name_of(signature).startswith(JUDGE)


def given_signature(metric: str, corpus: str | None = None) -> str:
    """The signature of scores that came with a corpus, named by its format and hash; without them a bare name."""
    return str(Signature(GIVEN + metric.replace("|", "_"), () if corpus is None else (f"corpus:{corpus}",)))


def is_given(signature: str) -> bool:
    """Whether scores under a signature or name came with a corpus, and were not computed here."""
    return name_of(signature).startswith(GIVEN)


def is_computed(signature: str) -> bool:
    """Whether a signature or name is that of a metric of ours, which can say what it saw: no judge, and not given."""
    return not is_judge(signature) and not is_given(signature)


def references_rule(signature: str) -> str | None:
    """How a metric makes one value of several references, such as `max`; None where its signature does not say."""
    return Signature.parse(signature).values.get("refs")


def labels(signatures: Sequence[str], label_of: Callable[[str], str] = name_of) -> dict[str, str]:
    """By signature: what the metric is called, with the settings in which it differs from others of its name.

    `label_of` says what a signature's metric is called: its name, or what pages and reports call it.
    """
    parsed = {text: Signature.parse(text) for text in signatures}
    found = {}
    for text, signature in parsed.items():
        same = [other.details for other in parsed.values() if other.name == signature.name]
        own = [detail for detail in signature.details if not all(detail in other for other in same)]
        found[text] = f"{label_of(text)} ({', '.join(own)})" if len(same) > 1 else label_of(text)
    return found


def distinct(signatures: Iterable[str]) -> list[str]:
    """The signatures without those by the mean over references that are there by the maximum, too.

    They are asked for in the table with ROUGE-K; elsewhere every metric would stand twice, and be tested twice.
    """
    known = list(signatures)
    by_maximum = {text: str(Signature.parse(text).changed("refs", "max")) for text in known}
    return [text for text in known if references_rule(text) != "mean" or by_maximum[text] not in known]


def find_signature(name: str, signatures: Iterable[str]) -> str | None:
    """The first of the signatures that belongs to a metric, None where none does."""
    return next((signature for signature in signatures if name_of(signature) == name), None)
