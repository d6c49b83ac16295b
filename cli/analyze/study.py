"""Analysis of a study: its judgments with the stored scores."""

from dataclasses import replace
from typing import Any

from relevance.analysis.study import Settings
from relevance.annotation.study_data import read_study, without_names
from relevance.cli.analyze.options import AnalysisOptions, TableRequest, choose_baselines
from relevance.cli.analyze.texts import describe_texts
from relevance.cli.metric_options import refuse_metric_options
from relevance.cli.shared import open_stores
from relevance.reports.report import Report
from relevance.reports.report.study import make_study_report, with_warnings
from relevance.reports.report.system_figures import add_system_figures
from relevance.reports.report.texts import with_marked_words, with_texts


def describe_study(
    name: str, chosen: dict[str, Any], request: TableRequest, settings: Settings, options: AnalysisOptions
) -> Report:
    """Make the tables of a study's judgments; tables of texts are for its systems unless others are named."""
    data, annotation = open_stores()
    study = annotation.study(name)
    dataset = study.dataset
    records = data.records(dataset) if request.of_texts or request.system_figures else []
    texts = None
    if request.of_texts:
        facts = {"study": name, "data set": dataset}
        kept = ("title", "keywords", "idf")
        texts = describe_texts(records, facts, chosen, request, settings.systems or study.systems, kept)
        if request.only_texts:
            return texts
    refuse_metric_options()
    data_of_study = without_names(read_study(data, annotation, name, adjudicated=options.adjudicated))
    baselines = choose_baselines(options.baselines, settings.systems or data_of_study.study.systems, request)
    report = with_warnings(make_study_report(data_of_study, replace(settings, baselines=baselines)), data, dataset)
    if request.system_figures:
        report = add_system_figures(report, records, data, dataset, options.published)
    report = with_marked_words(report, data, annotation, name, request.names)
    request.check(report.names)
    return report if texts is None else with_texts(report, texts)
