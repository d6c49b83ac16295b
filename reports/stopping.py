"""The verdict of a study's stopping rule, in sentences."""

from collections.abc import Callable

from relevance.analysis.agreement.sequential import SequentialAnalysis
from relevance.data.signatures import labels
from relevance.data.stopping import StoppingDecision
from relevance.data.wording import format_count

LabelOf = Callable[[str], str]


def describe_stopping(found: SequentialAnalysis, label_of: LabelOf) -> str:
    """Say whether to stop or go on, and why; if judgments have changed since the decision, quote it as well."""
    if found.decision is None:
        return say_verdict(found, found.due or found.now, label_of, stop=found.due is not None)
    when = "" if found.decided_at is None else f" That was decided on {found.decided_at:%Y-%m-%d}."
    said = say_verdict(found, found.decision, label_of, stop=True) + when
    if is_unchanged(found):
        return said
    now = found.after_documents(found.decision.documents)
    or_earlier = " (or the version that decided did not weigh pairs)" if found.weighed else ""
    return (
        f"{said} Judgments were changed or left out since{or_earlier}: as they stand, the wealth after "
        f"{format_count(now.documents, 'document')} is {now.wealth:.1f}."
    )


def is_unchanged(found: SequentialAnalysis) -> bool:
    """Tell whether today's judgments of the documents that decided still say the same."""
    decided = found.decision
    return decided is None or (
        found.documents >= decided.documents
        and abs(found.after_documents(decided.documents).wealth - decided.wealth) < 1e-6 * decided.wealth
    )


def say_verdict(found: SequentialAnalysis, at: StoppingDecision, label_of: LabelOf, *, stop: bool) -> str:
    """Say in one sentence what is known after some documents."""
    enough = f"{found.test.enough:g}"
    if not stop:
        if not at.documents:
            return f"Go on: no document is complete yet; it takes a wealth of {enough} to stop."
        return (
            f"Go on: after {format_count(at.documents, 'document')} of at most {found.drawn:,} the wealth is "
            f"{at.wealth:.1f} of {enough}; {name_difference(found, label_of)} lies between {say_ends(found, at)}."
        )
    first, second = name_metrics(found, label_of)
    if at.rejected and at.mean is not None:
        more = "more" if at.mean > 0 else "less"
        return (
            f"Stop: after {format_count(at.documents, 'document')} the wealth is {at.wealth:.1f}, and {enough} is "
            f"enough: {first} agrees with annotators {more} often than {second or 'chance'}; "
            f"{name_difference(found, label_of)} lies between {say_ends(found, at)}. The mean so far, "
            f"{at.mean * scale(found):.3f}, is likely too far from 0, as a study stops when its documents happen to "
            "favour a difference; other figures of the study are, too."
        )
    return (
        f"Stop: there are no more than {format_count(at.documents, 'document')}, and the wealth is {at.wealth:.1f} of "
        f"{enough}: {first} does not differ significantly from {second or 'chance'}; "
        f"{name_difference(found, label_of)} lies between {say_ends(found, at)}."
    )


def name_metrics(found: SequentialAnalysis, label_of: LabelOf) -> tuple[str, str | None]:
    """Return the names of the compared metrics; the second is None where the first is compared with one half."""
    names = labels([found.first, *([] if found.second is None else [found.second])], label_of)
    return names[found.first], None if found.second is None else names[found.second]


def name_difference(found: SequentialAnalysis, label_of: LabelOf) -> str:
    """Name the difference that is estimated."""
    first, second = name_metrics(found, label_of)
    return f"the agreement of {first} minus {'0.500' if second is None else f'that of {second}'}"


def say_ends(found: SequentialAnalysis, at: StoppingDecision) -> str:
    """Write both ends of the confidence sequence."""
    return f"{at.low * scale(found):.3f} and {at.high * scale(found):.3f}"


def scale(found: SequentialAnalysis) -> float:
    """Return the factor from documents' differences to those of agreement: against one half they are twice as large."""
    return 0.5 if found.second is None else 1.0
