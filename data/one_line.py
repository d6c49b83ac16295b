"""Folding of external text into one line without control characters, for tables, messages and LaTeX."""

import re

MOST = 1000
"""The most characters of a message."""
END = 300
"""The number of them kept from the end of a longer message."""

# Invisible characters that change the direction of text, and those that control a terminal: C0, DEL and C1.
INVISIBLE = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\x00-\x1f\x7f-\x9f]")


def in_one_line(text: object) -> str:
    """Fold white space, and spell marks of direction and control characters out: `[U+001B]`."""
    return INVISIBLE.sub(lambda mark: f"[U+{ord(mark.group()):04X}]", " ".join(str(text).split()))


def cut(text: str, most: int) -> str:
    """Fold a text into one line of at most `most` characters, with an ellipsis if the end is left out."""
    line = in_one_line(text[: 10 * most])  # so that a whole document is not folded
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def message(message_text: object) -> str:
    """Fold a message into one line; a very long one keeps its beginning and its end."""
    line = in_one_line(message_text)
    return line if len(line) <= MOST else f"{line[: MOST - END]} … {line[-END:]}"


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
