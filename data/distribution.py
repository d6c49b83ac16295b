"""The name by which pip knows the program, which is another than that of its package and its command."""

DISTRIBUTION = "relevance-studies"


def how_to_install(extra: str) -> str:
    """Return the command that installs an optional part of the program, such as `hosted`, for a message."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"
