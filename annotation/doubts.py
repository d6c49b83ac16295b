"""Doubts about a study file: values that are valid, but hardly intended."""

from collections.abc import Iterator
from difflib import get_close_matches
from functools import lru_cache

from relevance.annotation.languages import CATALOGUES, read_texts
from relevance.annotation.protocol.places import Path
from relevance.annotation.protocol.records import StudyProtocol
from relevance.data.database import now


def find_doubts(protocol: StudyProtocol) -> Iterator[tuple[Path, str]]:
    """Yield the keys of a study file that do nothing, or close or prolong the study, each with a warning."""
    if protocol.closes is not None and protocol.closes <= now():
        yield ("closes",), "'closes' has passed, so that the study is closed"
    if protocol.links is not None and protocol.links.ends is not None and protocol.links.ends <= now():
        yield ("links", "ends"), "'ends' has passed, so that nobody can enter by links"
    yield from doubt_stopping(protocol)
    known = known_texts()
    for text in protocol.texts:
        if text not in known:
            close = get_close_matches(text, known, 1)
            help = f"; did you mean {close[0]!r}?" if close else ""
            yield ("texts", text), f"the pages of annotators never say {text[:100]!r}{help}"


def doubt_stopping(protocol: StudyProtocol) -> Iterator[tuple[Path, str]]:
    """Warn where pairs drawn for the conflicts of metrics tell a stopping rule little, as the others weigh the most."""
    stopping, sampling = protocol.stopping, protocol.sampling
    if stopping is None or sampling.rule != "conflicts":
        return
    if stopping.second is None:
        yield (
            ("stopping", "first"),
            (
                "the rule 'conflicts' is for telling two metrics apart; a comparison with one half rests on the few "
                "pairs without a conflict, each of which counts for many: the rule 'random' needs fewer documents"
            ),
        )
    elif not {stopping.first, stopping.second} <= set(sampling.signatures):
        yield (
            ("stopping", "second"),
            (
                "pairs are drawn for the conflicts of other metrics than these two, and say little about them; name "
                "both in 'signatures' of [sampling], or draw by the rule 'random'"
            ),
        )


@lru_cache
def known_texts() -> frozenset[str]:
    """Return the English texts of annotators' pages, read from one of the catalogues."""
    file = min(CATALOGUES.glob("*.po"))
    ids = (text.id for text in read_texts(file) if text.id)
    return frozenset(text for id in ids for text in ((id,) if isinstance(id, str) else id))
