"""The phases of an annotator, from consent to the end: what there is, and which a study's protocol asks for."""

from annotation.protocol.records import StudyProtocol

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

WAY = (CONSENT, INSTRUCTIONS, BEFORE, TRAINING, JUDGING, AFTER, FINISHED)
"""What an annotator goes through, in this order; a study has those that its protocol asks for."""

ENDS = (FINISHED, DECLINED, SCREENED_OUT, FAILED, TIMED_OUT, WITHDRAWN)
"""Phases that nobody leaves by themselves."""

TIMED = (CONSENT, INSTRUCTIONS, BEFORE, TRAINING, JUDGING)
"""Phases in which an annotator's time can run out: those who have judged everything are left to answer in peace."""


def way_of(protocol: StudyProtocol) -> tuple[str, ...]:
    """The phases that a study has, in order.

    One that asks for nothing but judgments has the judging alone, which nobody leaves: whoever returns finds the pairs
    that have become free meanwhile.
    """
    judging, surveys = protocol.judging, protocol.surveys
    guided = protocol.consent or protocol.training or surveys.before or surveys.after
    limited = protocol.panel or judging.most_per_annotator is not None or judging.idle_minutes is not None
    asked = {
        CONSENT: protocol.consent,
        INSTRUCTIONS: guided,
        BEFORE: surveys.before,
        TRAINING: protocol.training,
        JUDGING: True,
        AFTER: surveys.after,
        FINISHED: guided or limited,
    }
    return tuple(phase for phase in WAY if asked[phase])


def phase_after(protocol: StudyProtocol, phase: str) -> str:
    """The phase of a study that follows on one of `WAY`; the same one where none does."""
    later = WAY[WAY.index(phase) + 1 :]
    return next((one for one in way_of(protocol) if one in later), phase)
