"""The agreement of metrics with what people said of a data set, in a study or by ratings."""

from collections.abc import Collection

from relevance.analysis.corpora import CorpusAgreement, compare_on_corpus
from relevance.analysis.study import Unit
from relevance.annotation.sources import JudgedCorpus
from relevance.data.preferences import Preferences


def compare_judged(
    judged_corpus: JudgedCorpus, preferences: Preferences, metrics: Collection[str] = ()
) -> CorpusAgreement:
    """Compare metrics, all or those that are named, with the preferences that were loaded of a corpus."""
    unit: Unit = "within-document pair" if judged_corpus.study is None else "judgment"
    return compare_on_corpus(
        judged_corpus.dataset, judged_corpus.people, preferences, unit, metrics=metrics, sampling=judged_corpus.rule
    )
