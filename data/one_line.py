"""External text folded into one line without control characters, for tables, messages and LaTeX."""

import re

MOST = 1000
"""Characters of a message."""
END = 300
"""Of these, how many from its end where it is cut."""

# Invisible characters that turn the direction of what follows them, and those that steer a terminal: C0, DEL and C1.
INVISIBLE = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\x00-\x1f\x7f-\x9f]")


def in_one_line(text: object) -> str:
    """A text with white space folded, and with marks of direction and control characters spelled out: `[U+001B]`."""
    return INVISIBLE.sub(lambda mark: f"[U+{ord(mark.group()):04X}]", " ".join(str(text).split()))


def cut(text: str, most: int) -> str:
    """A text in one line of at most so many characters, with an ellipsis for the end that is left out."""
    line = in_one_line(text[: 10 * most])  # enough of a whole document
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def message(said: object) -> str:
    """Fold a message into one line; a very long one keeps its beginning and its end."""
    line = in_one_line(said)
    return line if len(line) <= MOST else f"{line[: MOST - END]} … {line[-END:]}"
