"""What columns and fields of tables are usually called."""

import re
from collections.abc import Collection, Iterable, Sequence

REQUIRED = ("document_id", "reference", "system", "summary")
NEEDED = ("reference", "summary")
"""The columns required in a table with a mapping."""
OPTIONAL = ("source", "title")
HUMAN, WIDE = "human.", "summary."
"""Prefixes of columns of ratings, and of summaries if each system has its own column."""
ASPECTS = ("relevance", "coherence", "consistency", "fluency", "informativeness", "faithfulness", "quality", "overall")
"""Aspects of ratings that are recognized in a column's name without `HUMAN`."""

CALLED = {
    "document_id": (
        *("document_id", "id", "doc_id", "docid", "document id", "article_id", "article id", "instance_id"),
        *("example_id", "doc", "guid"),
    ),
    "title": ("title", "headline"),
    "source": (
        *("source", "document", "article", "text", "src", "input", "source_text", "full_text", "story", "dialogue"),
        *("context", "passage"),
    ),
    "reference": (
        *("reference", "references", "ref", "refs", "target", "gold", "highlights", "reference_summary"),
        *("gold_summary", "ground_truth", "tldr"),
    ),
    "system": ("system", "model", "summarizer", "model_id", "system_id", "method", "summarizer_id"),
    "summary": (
        *("summary", "candidate", "output", "prediction", "generated", "hypothesis", "system_summary", "decoded"),
        *("generated_summary", "model_output", "pred", "hyp", "hypo", "response"),
    ),
}
"""Usual names of the columns, the likeliest first."""

OF_SYSTEM = re.compile(
    r"(?:(?P<before>.+)[ _.-])?(?:summary|output|candidate|prediction|generated)(?:[ _.-](?P<after>.+))?", re.IGNORECASE
)
"""Usual names of a column with the summaries of one system."""


def find_roles(names: Iterable[str]) -> dict[str, str]:
    """Map the fields that names of columns tell to these names; of several names of a field, the likeliest is taken."""
    folded = {name.strip().casefold(): name for name in reversed(list(names))}
    return {
        field: next(folded[known] for known in called if known in folded)
        for field, called in CALLED.items()
        if any(known in folded for known in called)
    }


def describe_missing(names: Collection[str]) -> str:
    """Say which fields a table lacks to be read, and how they may be called."""
    roles = find_roles(names)
    return " and ".join(f"a {field} ({', '.join(CALLED[field][:5])} ...)" for field in NEEDED if field not in roles)


def name_systems(names: Sequence[str]) -> dict[str, str]:
    """Map names such as `summary_a` to the system that they name."""
    known = {name for called in CALLED.values() for name in called}
    systems: dict[str, str] = {}
    for name in names:
        named = OF_SYSTEM.fullmatch(name.strip())
        if named and name.strip().casefold() not in known:
            system = named["before"] or named["after"]
            systems[name] = name if system in systems.values() else system
    return systems
