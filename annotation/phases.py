"""The phases of an annotator, from consent to the end, and the choice of those that a study's protocol asks for."""

from relevance.annotation.protocol.records import StudyProtocol

CONSENT = "consent"
INSTRUCTIONS = "instructions"
BEFORE = "survey before"
TRAINING = "training"
JUDGING = "judging"
AFTER = "survey after"
FINISHED = "finished"

DECLINED = "declined"
SCREENED_OUT = "screened out"
FAILED = "failed checks"
TIMED_OUT = "timed out"
WITHDRAWN = "withdrawn"

PHASES = (CONSENT, INSTRUCTIONS, BEFORE, TRAINING, JUDGING, AFTER, FINISHED)
"""The phases of an annotator, in order; a study has those that its protocol asks for."""

ENDS = (FINISHED, DECLINED, SCREENED_OUT, FAILED, TIMED_OUT, WITHDRAWN)
"""Phases that nobody leaves by themselves."""

TIMED = (CONSENT, INSTRUCTIONS, BEFORE, TRAINING, JUDGING)
"""Phases in which an annotator can be timed out; those who have judged everything may answer in peace."""


def phases_of(protocol: StudyProtocol) -> tuple[str, ...]:
    """Return the phases of a study, in order.

    A study that asks only for judgments has just the judging, which nobody leaves: those who return find the pairs
    that have become free meanwhile.
    """
    judging, surveys = protocol.judging, protocol.surveys
    guided = protocol.consent or protocol.training or surveys.before or surveys.after
    limited = protocol.panel or judging.most_per_annotator is not None or judging.idle_minutes is not None
    has_phase = {
        CONSENT: protocol.consent,
        INSTRUCTIONS: guided,
        BEFORE: surveys.before,
        TRAINING: protocol.training,
        JUDGING: True,
        AFTER: surveys.after,
        FINISHED: guided or limited,
    }
    return tuple(phase for phase in PHASES if has_phase[phase])


def phase_after(protocol: StudyProtocol, phase: str) -> str:
    """Return the phase of a study after one of `PHASES`; the same one if none follows."""
    later = PHASES[PHASES.index(phase) + 1 :]
    return next((candidate for candidate in phases_of(protocol) if candidate in later), phase)
