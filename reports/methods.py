"""The paragraph on methods for a paper, and what it should cite."""

from relevance.analysis.ratio_intervals import FEWEST_ANNOTATORS
from relevance.analysis.significance import ALPHA
from relevance.analysis.study import Results
from relevance.annotation.demo import MADE_UP
from relevance.annotation.records import Study
from relevance.annotation.sampling import GIVEN
from relevance.annotation.study_data import StudyData
from relevance.data.demo import AUTHOR
from relevance.data.signatures import name_of
from relevance.data.sorting import natural_order
from relevance.data.store import Dataset
from relevance.data.wording import format_count
from relevance.metrics.registry import METRICS
from relevance.reports.report.study import tell_left_out
from relevance.reports.tables.correlation import drawn_over, tests_of
from relevance.reports.tables.table import few_annotators_notes

TESTS = (
    "Deutsch, Dror, Roth (2021). A Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods. "
    "TACL"
)
"""The source of the tests of correlations."""

STOPPING = (
    "Waudby-Smith, Ramdas (2024). Estimating means of bounded random variables by betting. "
    "Journal of the Royal Statistical Society B 86(1)"
)
"""The source of the stopping rule."""

JUDGES = "Zheng, Chiang, Sheng, et al. (2023). Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena. NeurIPS"
"""The source of asking in both orders."""


def study_methods(data: StudyData, results: Results) -> str:
    """Write the paragraph on a study: who was asked what, and how the figures were computed."""
    return " ".join([*what_was_asked(data, results), *how_it_was_computed(results)])


def ratings_methods(dataset: Dataset, aspect: str, results: Results) -> str:
    """Write the paragraph on ratings that came with a data set."""
    rated = (
        f"The corpus's author ranked the summaries of the data set {dataset.name}"
        if aspect == AUTHOR
        else f"Summaries of the data set {dataset.name} have human ratings of {aspect}"
    )
    prefer = "each annotator who rated both prefers" if results.inputs.settings.by_annotator else "people prefer"
    words = [
        f"{rated} ({format_count(dataset.documents, 'document')}; systems: {', '.join(dataset.systems)}). Every two "
        f"rated summaries of a document are a pair, of which {prefer} the one that is rated higher: "
        f"{format_count(results.agreement.n, 'pair')}, of which {results.agreement.human_ties} are tied."
    ]
    return " ".join([*words, *how_it_was_computed(results)])


def sources(results: Results) -> list[str]:
    """Cite the papers behind the metrics of an analysis and behind its tests."""
    named = (METRICS.get(name_of(row.signature)) for row in results.agreement.rows)
    more = [*([JUDGES] if results.inputs.judges else []), *([] if results.inputs.complete is None else [STOPPING])]
    return [*dict.fromkeys(kind.source for kind in named if kind is not None and kind.source), TESTS, *more]


def what_was_asked(data: StudyData, results: Results) -> list[str]:
    """Say in sentences who judged which summaries, and which judgments count."""
    study, systems = data.study, results.inputs.settings.systems
    words = [given_pairs(data) if study.rule == GIVEN else asked_pairs(data)]
    if data.adjudicated:
        words.append(
            f"Figures rest not on these but on {format_count(data.confirmation.decided, 'pair')} that adjudicators "
            "decided, who saw what annotators had chosen only afterwards; where two decided a pair, the later decision "
            "counts."
        )
    if study.name == MADE_UP:
        words.append("A program made them up, to show what reports say: they measure nothing.")
    if study.checks:
        words.append(f"{study.checks} attention checks (a summary of another document) are left out of all figures.")
    if results.inputs.judges:
        names = ", ".join(judge.name for judge in results.inputs.judges)
        words.append(
            f"Language models ({names}) were asked the same question about each pair in both orders "
            "(Zheng et al. 2023). They are not annotators: they stand among the metrics, and a pair on which their "
            "orders disagree counts as one that a metric ties."
        )
    if results.inputs.weighed:
        words.append(
            "In agreement figures and the ranking of systems, pairs are weighed by one over the probability with which "
            "they were drawn: ratios estimate those of all pairs of these systems that could have been drawn (Hajek's "
            "estimator). Other figures describe the pairs that were drawn."
        )
    if systems and systems != study.systems:
        words.append(f"All tables are restricted to the systems {', '.join(systems)}: {results.agreement.n} judgments.")
    if data.complete is not None:
        rule = data.complete
        words.append(
            f"Before the first judgment it was registered that the study ends by a stopping rule: documents were "
            f"completed in an order drawn at random, at most {rule.drawn} of them, and after each a betting e-process "
            f"over documents' differences at alpha {rule.alpha:g} decided whether to go on (Waudby-Smith and Ramdas "
            "2024). Other intervals and tests hold for a number of documents fixed before, and not where a study ends "
            "by what it found."
        )
    return words


def asked_pairs(data: StudyData) -> str:
    """Say in sentences who was asked about which pairs."""
    study = data.study
    drawn = {
        "rouge_k_differs": "drawn from those whose ROUGE-K scores differ",
        "random": "drawn at random",
        "all": "all there are",
        "conflicts": f"{'; '.join(study.notes)}; a share of {study.random_share} for the others",
    }[study.rule]
    return (
        f"{count_judges(data)} annotators were asked “{study.question}” of {study.pairs} pairs of summaries of the "
        f"same document ({drawn}; seed {study.seed}) {of_dataset(data)}, "
        f"{format_count(study.judgments_per_pair, 'judgment')} wanted per pair{study.about_twice}; "
        f"sides were counterbalanced per annotator and ties were {study.about_ties}. "
        f"{study.judgments} judgments were made{and_left_out(study)}."
    )


def given_pairs(data: StudyData) -> str:
    """Say in sentences whose judgments came with a data set."""
    study = data.study
    return (
        f"{count_judges(data)} annotators judged {study.pairs} pairs of summaries of the same document "
        f"{of_dataset(data)}. The {study.judgments} judgments were published with these pairs and with the sides on "
        f"which the summaries stood{and_left_out(study)}."
    )


def count_judges(data: StudyData) -> int:
    """Count the annotators with judgments that count."""
    return sum(bool(row.judged) and not row.excluded for row in data.annotators)


def of_dataset(data: StudyData) -> str:
    """Say which data set summaries are from."""
    dataset, systems = data.dataset, ", ".join(sorted(data.study.systems, key=natural_order))
    return f"from the data set {dataset.name} ({dataset.documents} documents; systems: {systems})"


def and_left_out(study: Study) -> str:
    """Say what is left out of the figures, to follow a sentence; empty for most studies."""
    left_out = tell_left_out(study)
    return f"; {left_out} of all figures" if left_out else ""


def how_it_was_computed(results: Results) -> list[str]:
    """Say in sentences how the figures are computed from judgments and scores."""
    words = [
        "A metric agrees with a judgment where it scores the chosen summary higher; differences within 1e-9 are ties, "
        "counted half (rule half), as misses (strict) or left out (decided). Pairwise accuracy with ties (acc_eq) uses "
        "a tie threshold fitted on other documents (Deutsch et al. 2023).",
    ]
    settings = results.inputs.settings
    if results.agreement.rows:
        evaluation = results.agreement.rows[0].evaluation
        words.append(
            f"{evaluation.intervals.half.level:.0%} intervals of agreement are Clopper and Pearson's for an effective "
            f"number of pairs, from how far {evaluation.over} differ (Korn and Graubard 1998), and so are those of "
            "alpha, Fleiss' kappa and raw agreement between annotators, from documents; those of correlations are "
            f"percentile bootstrap intervals over {drawn_over(settings.resample)}, those of the ranking over documents."
        )
    words += [
        "Metrics are compared on the same pairs by a sign-flip test over documents (exact McNemar test where every "
        "document gives one pair and no tie earns half), with Holm's correction.",
        *who_is_sampled(results),
        "Correlations are Pearson's r, Spearman's rho and Kendall's tau-b pooled over all summaries, within "
        "documents (the mean of theirs), and at the system level (of the systems' means); metrics are compared by "
        f"permutation tests (Deutsch et al. 2021): {tests_of(settings.permute)}, with Holm's correction over the "
        "comparisons of a level.",
        f"Differences are called significant where p is below {ALPHA:g} after the correction.",
        "Agreement between annotators is Krippendorff's alpha (nominal), Fleiss' kappa and Cohen's kappa; systems are "
        "ranked by a penalised Bradley-Terry model.",
    ]
    return words


def who_is_sampled(results: Results) -> list[str]:
    """Say whether intervals and tests hold for other annotators; nothing where judgments are nobody's in particular."""
    people = results.agreement.annotators
    if people < FEWEST_ANNOTATORS:
        return few_annotators_notes(people)
    return [
        "Annotators are a sample, as documents are: p is the larger one of this test and a t test on the variance of "
        "documents and annotators."
    ]
