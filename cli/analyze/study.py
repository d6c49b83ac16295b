"""Analysis of a study: its judgments with the stored scores."""

from dataclasses import replace
from typing import Any

from relevance.analysis.study import Settings
from relevance.annotation.study_data import read_study, without_names
from relevance.cli.analyze.options import AnalysisOptions, AskedTables, choose_baselines
from relevance.cli.analyze.texts import describe_texts
from relevance.cli.metric_options import refuse_metric_options
from relevance.cli.shared import open_stores
from relevance.reports.contents import Contents
from relevance.reports.contents.beside_systems import with_beside
from relevance.reports.contents.study import make_study_contents, with_warnings
from relevance.reports.contents.texts import with_marked_words, with_texts


def describe_study(
    name: str, chosen: dict[str, Any], asked: AskedTables, settings: Settings, options: AnalysisOptions
) -> Contents:
    """Make the tables of a study's judgments; tables of texts are for its systems unless others are named."""
    data, annotation = open_stores()
    study = annotation.study(name)
    dataset = study.dataset
    records = data.records(dataset) if asked.of_texts or asked.beside_systems else []
    texts = None
    if asked.of_texts:
        facts = {"study": name, "data set": dataset}
        kept = ("title", "keywords", "idf")
        texts = describe_texts(records, facts, chosen, asked, settings.systems or study.systems, kept)
        if asked.only_texts:
            return texts
    refuse_metric_options()
    data_of_study = without_names(read_study(data, annotation, name, adjudicated=options.adjudicated))
    baselines = choose_baselines(options.baselines, settings.systems or data_of_study.study.systems, asked)
    contents = with_warnings(make_study_contents(data_of_study, replace(settings, baselines=baselines)), data, dataset)
    if asked.beside_systems:
        contents = with_beside(contents, records, data, dataset, options.published)
    contents = with_marked_words(contents, data, annotation, name, asked.names)
    asked.check(contents.names)
    return contents if texts is None else with_texts(contents, texts)
