"""Summaries that are hardly ones: each kind on texts of models, and none of what people and usual systems wrote."""

from pathlib import Path

import pytest

from relevance.data.importers import read_documents
from relevance.data.importing import import_file
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore
from relevance.data.suspicious import describe_suspicious, suspicions
from relevance.metrics.notices import find_notices

SOURCE = "A bridge was built over the river, says www.town.example/news, or press@town.example. It is long."


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("A bridge was built over the river.", []),
        ("", []),  # empty summaries are counted as such
        ("<think>Short.</think>A bridge was built.", ["have a model's reasoning"]),
        ("<think>It is sh", ["have a model's reasoning"]),
        ("I'm sorry, but I can't summarize this document.", ["refuse to summarize"]),
        ("A summary of the document can be:", ["only announce a summary"]),
        ("Here is a summary: a bridge was built.", ["begin with an announcement"]),
        ("See https://www.bridges.example/x.", ["have an address that their document does not have"]),
        ("Write to me@bridges.example.", ["have an address that their document does not have"]),
        ("See http://town.example or write to press@town.example.", []),
        ("See www . town . example .", []),  # tokenized, and no address any more
        ("A bridge was built. Let me know if you need more!", ["speak to a user"]),
        ("A bridge was built. I hope this helps!", ["speak to a user"]),
        ("A bridge was built.<|im_end|>", ["have marks of a chat"]),
        ("[INST] A bridge was built. [/INST]", ["have marks of a chat"]),
        ("A bridge was built.\n\nHuman: And now?", ["have marks of a chat"]),
        ("Generate a summary of the following document in one sentence", ["repeat the instruction"]),
        ("It is a bridge over the river. " * 3, ["repeat themselves"]),
        ("no no no no no no no no no no no no no no no no no no", ["repeat themselves"]),
        ("It is a bridge over the river. It is a bridge over the river.", []),
    ],
)
def test_what_is_suspicious_of_a_summary(text: str, kinds: list[str]) -> None:
    assert list(suspicions(text, SOURCE)) == kinds


def test_what_the_document_has_is_not_suspicious() -> None:
    text = "Let me know if it works. <|im_end|> Generate a summary of the following document."
    assert list(suspicions(text, text)) == []


def records(*texts: str, system: str = "llm:m") -> list[tuple[Document, list[Summary]]]:
    return [
        (Document(f"d{place}", f"{SOURCE} {place}", ()), [Summary(f"d{place}", system, text)])
        for place, text in enumerate(texts)
    ]


def test_they_are_counted_by_kind_and_system_with_an_example() -> None:
    shell = "A summary of the document can be:"
    told = records(shell, "It is long.", "It  is long.", f"**{shell}**") + records("A text.", shell, system="a|b\n")
    assert describe_suspicious(told) == [
        "suspicious: 3 of 6 summaries only announce a summary (2 by llm:m, 1 by a|b), such as "
        f'"{shell}" of document d0 by llm:m',
        'suspicious: 1 of 6 summaries are also those of another document (1 by llm:m), such as "It is long." of '
        "document d2 by llm:m",
    ]
    assert describe_suspicious(records("Fine.", "Well.")) == []
    assert "of the first 2 documents" in describe_suspicious(records(shell, shell), first=2)[0]


def test_people_are_not_suspected() -> None:
    assert describe_suspicious(records("I'm sorry, but I can't help with that.", system="reference:1")) == []


def test_of_real_summaries_hardly_any_is_suspicious(shared_data: Path) -> None:
    """Sixteen systems of SummEval: one repeats itself, as it is known to do."""
    suspicious = describe_suspicious(read_documents(shared_data / "summeval.jsonl"))
    assert [message.partition(", such as")[0] for message in suspicious] == [
        "suspicious: 6 of 1,600 summaries repeat themselves (6 by M20)"
    ]


def test_it_is_said_when_a_file_is_read_and_among_the_notices(tmp_path: Path, data_store: DataStore) -> None:
    shell, text = "A summary of the document can be:", []
    path = tmp_path / "some.jsonl"
    path.write_text(
        '{"id": "d", "source": "A bridge.", "references": ["A bridge."], "summaries": '
        f'[{{"system": "m", "text": "{shell}"}}]}}\n'
    )
    import_file(data_store, path, name="set", say=text.append)
    (sentence,) = (line for line in text if line.startswith("suspicious"))
    assert "1 of 1 summaries only announce a summary (1 by m)" in sentence
    lines = tmp_path / "other.txt"
    lines.write_text("I cannot summarize this.\n")
    import_file(data_store, lines, name="set", say=text.append)
    assert "1 of 1 summaries refuse to summarize (1 by other)" in text[-1]
    assert len(find_notices(data_store.records("set"))["suspicious"]) == 2
