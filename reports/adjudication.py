"""Decisions of adjudicators compared with the choices of annotators, in sentences."""

from relevance.annotation.adjudication_records import Confirmation
from relevance.data.wording import format_count


def describe_confirmation(confirmation: Confirmation) -> str:
    """Say how often adjudicators decided as most annotators had chosen, and how often they differ themselves."""
    if not confirmation.decided:
        return "No pair is decided yet."
    sentences = [f"{format_count(confirmation.decided, 'pair is', 'pairs are')} decided."]
    if confirmation.with_majority:
        share = confirmation.confirmed / confirmation.with_majority
        sentences.append(
            f"One choice led among annotators in {confirmation.with_majority}, and adjudicators confirmed it in "
            f"{confirmation.confirmed} ({share:.3f})."
        )
        sentences.append(
            "As pairs are adjudicated in the order of the lowest agreement, this is not a ratio of all pairs."
        )
    else:
        sentences.append("No choice led among annotators.")
    if confirmation.disputed:
        sentences.append(
            f"Adjudicators differ on {format_count(confirmation.disputed, 'pair')}: the latest decision counts."
        )
    return " ".join(sentences)
