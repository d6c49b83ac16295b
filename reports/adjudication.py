"""Decisions of adjudicators compared with the choices of annotators, in sentences."""

from relevance.annotation.adjudication import Confirmation
from relevance.data.wording import format_count


def describe_confirmation(found: Confirmation) -> str:
    """Say how often adjudicators decided as most annotators had chosen, and how often they differ themselves."""
    if not found.decided:
        return "No pair is decided yet."
    said = [f"{format_count(found.decided, 'pair is', 'pairs are')} decided."]
    if found.with_majority:
        share = found.confirmed / found.with_majority
        said.append(
            f"One choice led among annotators in {found.with_majority}, and adjudicators confirmed it in "
            f"{found.confirmed} ({share:.3f})."
        )
        said.append("As pairs are adjudicated in the order of the lowest agreement, this is not a ratio of all pairs.")
    else:
        said.append("No choice led among annotators.")
    if found.disputed:
        said.append(f"Adjudicators differ on {format_count(found.disputed, 'pair')}: the latest decision counts.")
    return " ".join(said)
