"""The verdict of a study's stopping rule, in sentences."""

from collections.abc import Callable

from relevance.analysis.agreement.sequential import SequentialAnalysis
from relevance.data.signatures import labels
from relevance.data.stopping_state import StoppingDecision
from relevance.data.wording import format_count

LabelOf = Callable[[str], str]


def describe_stopping(analysis: SequentialAnalysis, label_of: LabelOf) -> str:
    """Say whether to stop or go on, and why; if judgments have changed since the decision, quote it as well."""
    if analysis.decision is None:
        return say_verdict(analysis, analysis.due or analysis.now, label_of, stop=analysis.due is not None)
    when = "" if analysis.decided_at is None else f" That was decided on {analysis.decided_at:%Y-%m-%d}."
    sentence = say_verdict(analysis, analysis.decision, label_of, stop=True) + when
    if is_unchanged(analysis):
        return sentence
    now = analysis.after_documents(analysis.decision.documents)
    or_earlier = " (or the version that decided did not weigh pairs)" if analysis.weighed else ""
    return (
        f"{sentence} Judgments were changed or left out since{or_earlier}: as they stand, the wealth after "
        f"{format_count(now.documents, 'document')} is {now.wealth:.1f}."
    )


def is_unchanged(analysis: SequentialAnalysis) -> bool:
    """Tell whether today's judgments of the documents that decided still say the same."""
    decided = analysis.decision
    return decided is None or (
        analysis.documents >= decided.documents
        and abs(analysis.after_documents(decided.documents).wealth - decided.wealth) < 1e-6 * decided.wealth
    )


def say_verdict(analysis: SequentialAnalysis, at: StoppingDecision, label_of: LabelOf, *, stop: bool) -> str:
    """Say in one sentence what is known after some documents."""
    enough = f"{analysis.test.enough:g}"
    if not stop:
        if not at.documents:
            return f"Go on: no document is complete yet; it takes a wealth of {enough} to stop."
        return (
            f"Go on: after {format_count(at.documents, 'document')} of at most {analysis.drawn:,} the wealth is "
            f"{at.wealth:.1f} of {enough}; {name_difference(analysis, label_of)} lies between {say_ends(analysis, at)}."
        )
    first, second = name_metrics(analysis, label_of)
    if at.rejected and at.mean is not None:
        more = "more" if at.mean > 0 else "less"
        return (
            f"Stop: after {format_count(at.documents, 'document')} the wealth is {at.wealth:.1f}, and {enough} is "
            f"enough: {first} agrees with annotators {more} often than {second or 'chance'}; "
            f"{name_difference(analysis, label_of)} lies between {say_ends(analysis, at)}. The mean so far, "
            f"{at.mean * scale(analysis):.3f}, is likely too far from 0, as a study stops when its documents happen to "
            "favour a difference; other figures of the study are, too."
        )
    return (
        f"Stop: there are no more than {format_count(at.documents, 'document')}, and the wealth is {at.wealth:.1f} of "
        f"{enough}: {first} does not differ significantly from {second or 'chance'}; "
        f"{name_difference(analysis, label_of)} lies between {say_ends(analysis, at)}."
    )


def name_metrics(analysis: SequentialAnalysis, label_of: LabelOf) -> tuple[str, str | None]:
    """Return the names of the compared metrics; the second is None where the first is compared with one half."""
    names = labels([analysis.first, *([] if analysis.second is None else [analysis.second])], label_of)
    return names[analysis.first], None if analysis.second is None else names[analysis.second]


def name_difference(analysis: SequentialAnalysis, label_of: LabelOf) -> str:
    """Name the difference that is estimated."""
    first, second = name_metrics(analysis, label_of)
    return f"the agreement of {first} minus {'0.500' if second is None else f'that of {second}'}"


def say_ends(analysis: SequentialAnalysis, at: StoppingDecision) -> str:
    """Write both ends of the confidence sequence."""
    return f"{at.low * scale(analysis):.3f} and {at.high * scale(analysis):.3f}"


def scale(analysis: SequentialAnalysis) -> float:
    """Return the factor from documents' differences to those of agreement: against one half they are twice as large."""
    return 0.5 if analysis.second is None else 1.0
