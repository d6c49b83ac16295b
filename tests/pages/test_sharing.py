"""A draft survives a link and a file; what is not a link of ours is refused, whatever it is."""

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relevance.data.demo import FILE
from relevance.data.importers import read_documents
from relevance.data.records import BadRecord, Document, Summary
from relevance.pages.components.playground.draft import LETTERS, LONGEST, Draft, UnfitDraft, from_records
from relevance.pages.components.playground.sharing import (
    LARGEST_FILE,
    LARGEST_LINK,
    LONGEST_LINK,
    BadLink,
    TooLong,
    from_file,
    from_link,
    to_file,
    to_link,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)
DRAFT = Draft(
    ("A storm.", "Rain."), "Storm", "A storm came. It rained.", ("A storm came.", "Rain 👩‍🚀."), ("", "second")
)


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    count = draw(st.integers(1, len(LETTERS)))
    return Draft(
        tuple(draw(st.lists(TEXTS, min_size=1, max_size=4))),
        draw(TEXTS),
        draw(TEXTS),
        tuple(draw(st.lists(TEXTS, min_size=count, max_size=count))),
        tuple(draw(st.lists(TEXTS, min_size=count, max_size=count))),
    )


def packed(data: bytes) -> str:
    return base64.urlsafe_b64encode(zlib.compress(data, 9)).decode().rstrip("=")


def of(record: Any) -> str:
    return packed(json.dumps(record).encode())


@given(drafts())
def test_a_link_brings_back_every_letter(draft: Draft) -> None:
    letters = to_link(draft)
    assert from_link(letters) == draft
    assert set(letters) <= set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    )  # no escapes in an address


@given(st.text(max_size=200))
def test_other_letters_are_refused(letters: str) -> None:
    with pytest.raises(BadLink):
        from_link(letters)


@given(st.binary(max_size=200))
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(BadLink):
        from_link(packed(data))


@given(st.integers(0, 10_000), st.integers(1, 255))
def test_a_link_that_was_changed_is_another_example_or_none(place: int, change: int) -> None:
    data = bytearray(base64.urlsafe_b64decode(to_link(DRAFT) + "=="))
    data[place % len(data)] ^= change
    letters = base64.urlsafe_b64encode(bytes(data)).decode().rstrip("=")
    try:
        result = from_link(letters)
    except BadLink:
        return
    assert isinstance(result, Draft)
    assert result == DRAFT  # zlib's checksum finds the rest; some bits of its head say nothing


RECORD = {name: list(value) if isinstance(value, tuple) else value for name, value in DRAFT._asdict().items()}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], "a JSON object"),
        ({}, "has the fields"),
        (RECORD | {"more": 1}, "has the fields"),
        (RECORD | {"title": None}, "title must be a string"),
        (RECORD | {"references": "A storm."}, "references must be a list"),
        (RECORD | {"references": []}, "0 references"),
        (RECORD | {"references": ["r"] * 13}, "13 references"),
        (RECORD | {"references": [["r"]]}, "lists of strings"),
        (RECORD | {"summaries": ["s"] * 5, "names": [""] * 5}, "5 summaries"),
        (RECORD | {"names": []}, "as many names"),
        (RECORD | {"title": "x" * (LONGEST + 1)}, "characters long"),
        (RECORD | {"title": "a\0b"}, "NUL"),
        (RECORD | {"title": "\ud800"}, "half characters"),
    ],
)
def test_what_is_no_example(record: Any, message: str) -> None:
    with pytest.raises(BadLink, match=message):
        from_link(of(record))


def test_duplicate_keys_and_numbers_that_json_has_not() -> None:
    for text in ('{"title": "a", "title": "b"}', '{"title": NaN}', "[" * 5000):
        with pytest.raises(BadLink):
            from_link(packed(text.encode()))


def test_a_bomb_is_not_unpacked() -> None:
    bomb = packed(b" " * 5_000_000)
    assert len(bomb) <= LONGEST_LINK < LARGEST_LINK
    with pytest.raises(BadLink, match="more than the playground has room for"):
        from_link(bomb)


def test_a_link_that_is_cut_or_too_long() -> None:
    letters = to_link(DRAFT)
    for cut in (letters[:-1], letters[:-4], letters[: len(letters) // 2]):
        with pytest.raises(BadLink):
            from_link(cut)
    with pytest.raises(BadLink, match="letters"):
        from_link("A" * (LONGEST_LINK + 1))


def test_texts_that_are_too_long_for_a_link() -> None:
    words = " ".join(str(number * 7919 % 100_003) for number in range(4000))
    with pytest.raises(TooLong, match="share them as a file"):
        to_link(DRAFT._replace(source=words))
    assert from_file("f.jsonl", to_file(DRAFT._replace(source=words)).encode())[0][0].source == words


def test_every_demo_example_fits_into_a_link() -> None:
    for document, summaries in read_documents(FILE, "interchange"):
        draft = from_records(document, summaries)
        assert from_link(to_link(draft)) == draft


def test_a_file_brings_the_texts_back() -> None:
    ((document, summaries),) = from_file("x.jsonl", to_file(DRAFT).encode())
    assert document == Document("playground", DRAFT.source, DRAFT.references, DRAFT.title)
    assert summaries == [Summary("playground", "A", "A storm came."), Summary("playground", "second", "Rain 👩‍🚀.")]
    assert from_records(document, summaries) == DRAFT._replace(names=("A", "second"))


@pytest.mark.parametrize(
    ("draft", "message"),
    [
        (DRAFT._replace(source=" "), "needs a source"),
        (DRAFT._replace(references=("",)), "needs a reference"),
        (DRAFT._replace(summaries=(" ", "")), "no summary"),
        (DRAFT._replace(names=("same", "same")), "two summaries are called same"),
        (DRAFT._replace(names=("B", "")), "two summaries are called B"),
    ],
)
def test_what_a_file_cannot_hold(draft: Draft, message: str) -> None:
    with pytest.raises(UnfitDraft, match=message):
        to_file(draft)
    assert from_link(to_link(draft)) == draft


def test_a_file_is_taken_whole_or_refused_with_its_line(tmp_path: Path) -> None:
    good = to_file(DRAFT)
    with pytest.raises(BadRecord, match=r"^up\.jsonl:2: .*stands in line 1"):
        from_file("../../up.jsonl", (good + good).encode())
    with pytest.raises(BadRecord, match=r"^up\.jsonl:2: not valid JSON"):
        from_file("up.jsonl", (good + "{").encode())
    with pytest.raises(BadRecord, match=r"^empty\.jsonl:1: .*no documents"):
        from_file("empty.jsonl", b"")
    with pytest.raises(UnfitDraft, match="over 5 MiB"):
        from_file("large.jsonl", b" " * (LARGEST_FILE + 1))


@pytest.mark.parametrize(
    "name", ["..", ".", "", "/", "a\0b.jsonl", "x" * 300 + ".jsonl", "\ud800.jsonl", "con\n.jsonl"]
)
def test_what_a_browser_calls_a_file_is_only_said(name: str) -> None:
    ((document, _),) = from_file(name, to_file(DRAFT).encode())
    assert document.references == DRAFT.references
    with pytest.raises(BadRecord, match=r":1: not valid JSON") as refused:
        from_file(name, b"{")
    assert str(refused.value).startswith((Path(name).name[:200] or "file") + ":1: ")
