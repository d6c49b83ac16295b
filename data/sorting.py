"""The natural order of names."""

import re
from collections.abc import Hashable


def natural_order(name: Hashable) -> tuple[list[str | int], str]:
    """Return the key that sorts names by the numbers in them: M2 before M10."""
    parts = re.split(r"(\d{1,18})", str(name))  # words and numbers alternate; longer numbers sort as text
    return [int(part) if place % 2 else part for place, part in enumerate(parts)], str(name)
