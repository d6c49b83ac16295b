"""The agreement of metrics with what people said of each data set, computed once for all sessions."""

from collections.abc import Sequence
from typing import NamedTuple

from relevance.analysis.corpora import CorpusAgreement
from relevance.annotation.sources import JudgedCorpus, list_judged
from relevance.data.signatures import is_given, name_of
from relevance.pages.background.computed import computed
from relevance.pages.components.shared.sources import Source, Version, preferences_of
from relevance.pages.components.shared.stores import open_stores
from relevance.reports.report.corpora import compare_judged


class JudgedSource(NamedTuple):
    """What people said of a data set, with its state at the beginning of a run."""

    corpus: JudgedCorpus
    source: Source
    version: Version

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics by which corpora can be compared, and of language models that judge."""
        signatures = [one.signature for one in self.version.signatures]
        signatures += [judge.signature for judge in self.version.judges]
        return [name_of(one) for one in signatures if not is_given(one)]


def list_sources() -> list[JudgedSource]:
    """List what people said of the data sets that the visitor may see."""
    stores = open_stores()
    found = []
    for one in list_judged(stores.data, stores.annotation):
        source = Source(one.dataset, study=one.study, aspect=one.aspect)
        found.append(JudgedSource(one, source, source.read_version()))
    return found


def compare_corpora(judged: Sequence[JudgedSource], metrics: tuple[str, ...]) -> list[tuple[Source, CorpusAgreement]]:
    """Compare metrics of some names, or all of them, with people on each data set that has scores."""
    compared = [(one.source, compare_source(one.source, one.version, one.corpus, metrics)) for one in judged]
    return [(source, corpus) for source, corpus in compared if corpus.agreement.rows]


@computed("Comparing metrics with people", kept=256)
def compare_source(source: Source, version: Version, one: JudgedCorpus, metrics: tuple[str, ...]) -> CorpusAgreement:
    """Compare metrics with what people said of one data set."""
    return compare_judged(one, preferences_of(source, version), metrics)
