"""The agreement of metrics with what people said of each data set, computed once for all sessions."""

from collections.abc import Sequence
from typing import NamedTuple

from relevance.analysis.corpora import CorpusAgreement
from relevance.annotation.sources import JudgedCorpus, list_judged
from relevance.data.signatures import is_given, name_of
from relevance.pages.components.shared.sources import Source, Version, preferences_of
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.computing.computed import computed
from relevance.reports.report.corpora import compare_judged


class JudgedSource(NamedTuple):
    """A source of preferences on a data set, with its state at the beginning of a run."""

    corpus: JudgedCorpus
    source: Source
    version: Version

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics by which corpora can be compared, and of language models that judge."""
        signatures = [signature.signature for signature in self.version.signatures]
        signatures += [judge.signature for judge in self.version.judges]
        return [name_of(signature) for signature in signatures if not is_given(signature)]


def list_sources() -> list[JudgedSource]:
    """List what people said of the data sets that the visitor may see."""
    stores = open_stores()
    judged = []
    for judged_corpus in list_judged(stores.data, stores.annotation):
        source = Source(judged_corpus.dataset, study=judged_corpus.study, aspect=judged_corpus.aspect)
        judged.append(JudgedSource(judged_corpus, source, source.read_version()))
    return judged


def compare_corpora(judged: Sequence[JudgedSource], metrics: tuple[str, ...]) -> list[tuple[Source, CorpusAgreement]]:
    """Compare metrics of some names, or all of them, with people on each data set that has scores."""
    compared = [
        (corpus.source, compare_source(corpus.source, corpus.version, corpus.corpus, metrics)) for corpus in judged
    ]
    return [(source, corpus) for source, corpus in compared if corpus.agreement.rows]


@computed("Comparing metrics with people", kept=256)
def compare_source(
    source: Source, version: Version, judged_corpus: JudgedCorpus, metrics: tuple[str, ...]
) -> CorpusAgreement:
    """Compare metrics with what people said of one data set."""
    return compare_judged(judged_corpus, preferences_of(source, version), metrics)
