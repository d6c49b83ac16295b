"""The demo corpus, and the data set and study made of it."""

from pathlib import Path
from typing import NamedTuple

from relevance.data.files import sha256
from relevance.data.importers import read_documents
from relevance.data.store import DataStore

FILE = Path(__file__).with_name("demo.jsonl")
TABLE_1 = Path(__file__).with_name("table_1.jsonl")
"""The document of Table 1 in Takeshita et al. 2024, ROUGE-K, with both summaries."""
NAME = "demo"
AUTHOR = "author"
"""The aspect of the intended preference, as the corpus's author gave it: a label, not a judgment."""


class Contradiction(NamedTuple):
    """Two summaries of a document of the corpus on which metrics contradict each other and the author."""

    document_id: str
    systems: tuple[str, str]
    why: str
    """The phenomenon that it is an example of."""
    metrics: tuple[str, ...]
    """The two or three metrics that show it best, in the order in which one follows."""


CHOSEN = (
    Contradiction(
        "science-10",
        ("fluent", "keyword"),
        "As in Table 1: near in wording, far from the keywords",
        ("rouge1", "bertscore", "rouge_k"),
    ),
    Contradiction(
        "news-04",
        ("keyword", "copycat"),
        "Every keyword, and the opposite of what happened",
        ("rouge_k", "rouge1", "apes"),
    ),
    Contradiction(
        "news-03",
        ("opening", "copycat"),
        "Winner and loser swapped: only the questions notice",
        ("rouge1", "rouge_k", "apes"),
    ),
    Contradiction("news-11", ("fluent", "keyword"), "More keywords, but not what happened", ("rouge1", "rouge_k")),
    Contradiction("news-06", ("fluent", "keyword"), "Vague words beside the facts", ("rougeL", "carouge", "rouge1")),
)
"""The examples of the page "When metrics disagree", in the order in which they are presented."""


def add_demo(store: DataStore) -> None:
    """Import the demo corpus unless it is already there."""
    if not store.has_dataset(NAME):
        store.add_dataset(
            name=NAME, format="interchange", sha256=sha256(FILE), records=read_documents(FILE, "interchange")
        )
