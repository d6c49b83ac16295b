"""The order in which people look for names."""

import re
from collections.abc import Hashable


def natural_order(name: Hashable) -> tuple[list[str | int], str]:
    """The key that sorts names by the numbers in them: M2 before M10."""
    parts = re.split(r"(\d{1,18})", str(name))  # words and numbers take turns; more digits are no number to count with
    return [int(part) if place % 2 else part for place, part in enumerate(parts)], str(name)
