"""Marks of other programs and unusual letters: what is found is what is removed, and nothing else changes."""

from dataclasses import replace
from pathlib import Path
from unicodedata import is_normalized, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relevance.data.cleaning import DECOMPOSED, SENTENCE_ENDS, SPECIAL, clean_text
from relevance.data.foreign_marks import Marks, check_marks
from relevance.data.importers import read_documents
from relevance.data.records import Document, Summary

CLEANED = {
    # marks between sentences
    "a reef<q>divers": "a reef\ndivers",
    "a reef <q> divers <q>": "a reef\ndivers",
    "A reef.<n>Divers.": "A reef.\nDivers.",
    "<t> a reef </t> <t> divers </t>": "a reef\ndivers",
    "<s>a reef</s><s>divers</s>": "a reef\ndivers",
    "a reef [SEP] divers": "a reef\ndivers",
    "a reef ||||| divers": "a reef\ndivers",
    "a reef NEWLINE_CHAR NEWLINE_CHAR divers": "a reef\ndivers",
    "One.\n\nTwo.<n>Three.": "One.\n\nTwo.\nThree.",  # line breaks that were there stay
    # tokens that are not words
    "the <unk> is [UNK] safe": "the is safe",
    "[CLS] a reef [PAD] [PAD]": "a reef",
    "a reef<|endoftext|>": "a reef",
    "<extra_id_0> a reef": "a reef",
    "we show @xmath12 in @xcite": "we show in",
    # pieces of words
    "play ##ing the ##ater": "playing theater",
    "under@@ stand": "understand",
    "\u2581The \u2581mayor": "The mayor",
    "The\u0120mayor\u0120quits": "The mayor quits",
    "The \u0120mayor \u0120quits": "The mayor quits",
    # the Penn Treebank
    "54 -LRB- years -RRB-": "54 ( years )",
    "-lsb- a -rsb- -lcb- b -rcb-": "[ a ] { b }",
    "`` at once ''": '" at once "',
    "and\\/or": "and/or",
    # HTML
    "Rock &amp; roll": "Rock & roll",
    "don&#39;t &#x27;mind&#x27;": "don't 'mind'",
    "caf&eacute;&nbsp;au lait": "caf\u00e9 au lait",
    "Rock &amp;amp; roll": "Rock & roll",
    "Rock & amp ; roll": "Rock & roll",
    "&lt;b&gt;the&lt;/b&gt; price": "the price",
    "&lt;q&gt;": "",
    "<b>bold</b>ly": "boldly",
    "<p>One</p><p class='x'>Two</p>": "One\nTwo",
    "a<br/>b<BR>c": "a\nb\nc",
    '<a href="https://example.org/?a=1&amp;b=2">a reef</a>': "a reef",
    "a <!-- no\nmore --> reef": "a  reef",
    # letters
    "e\ufb03cient": "efficient",
    "co\u00adoperation": "cooperation",
    "a\u200bb \ufeffc": "ab c",
    "\uff2e\uff28\uff2b \uff11\uff12": "NHK 12",
    "\uff76\uff9e\uff97\uff7d": "\u30ac\u30e9\u30b9",
    "\U0001d402\U0001d428\U0001d41d\U0001d41e": "Code",
    "\ufefb": "\u0644\u0627",
    "cafe\u0301": "caf\u00e9",
    "\u1100\u1161": "\uac00",
}
KEPT = (
    "if a <b and c> d, or x < y > z",
    "R&D at AT&T; &nosuch; and a & b;",
    "the ##th day of the ## percent, C# and #hashtag",
    "don't; it's '90s; rock 'n' roll",
    "[1] says [sic] and [the] rest",
    "a-LR-b and -left- and --",
    "|| and | and @user",
    "\u0120orna and \u0120wann live in Malta",
    "1 \u00bd of x\u00b2 at 5 \u20ac \u2014 \u201cso\u201d\u2026",
    "\u65e5\u672c\u3001\u300c\u6771\u4eac\u300d\uff0c\u3002\uff01",  # full-width punctuation is usual there
    "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # a joiner that Persian needs
    "\U0001f469\u200d\U0001f680 flies",
    "Ends with a space ",
    "",
)
WORDS = (
    "reef",
    "the",
    "\u65e5\u672c",
    "Br\u00fccke",
    ",",
    ".",
    " ",
    "\n",
    "<",
    ">",
    "&",
    ";",
    "#",
    "'",
    "`",
    "-",
    "amp",
    "q",
)


@pytest.mark.parametrize(("text", "cleaned"), CLEANED.items())
def test_a_mark_is_removed_and_counted(text: str, cleaned: str) -> None:
    result = clean_text(text)
    assert result.text == cleaned
    assert result.marks or result.letters
    if result.marks:
        assert any(mark in result.example for mark in result.marks) or "<a" in result.marks
    assert not clean_text(cleaned).marks
    assert not clean_text(cleaned).letters


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_mark_stays(text: str) -> None:
    assert clean_text(text) == (text, {}, {}, "")


@pytest.mark.parametrize("mark", [*SENTENCE_ENDS.split(), *SPECIAL.split()])
def test_each_mark_is_found_wherever_it_stands(mark: str) -> None:
    for text in (f"reef{mark}divers", f"reef {mark} divers", f"{mark} reef divers", f"reef divers{mark}"):
        for written in {text, text.replace(mark, mark.lower())}:
            result = clean_text(written)
            assert sum(result.marks.values()) == 1, written
            assert result.text.replace("\n", " ").split() in (["reef", "divers"], ["reefdivers"])


@given(st.lists(st.sampled_from([*CLEANED, *KEPT, *WORDS, *SENTENCE_ENDS.split(), *SPECIAL.split()]), max_size=8))
def test_what_was_cleaned_is_clean(parts: list[str]) -> None:
    cleaned = clean_text("".join(parts))
    again = clean_text(cleaned.text)
    assert again.text == cleaned.text
    assert not again.marks
    assert not again.letters
    assert is_normalized("NFC", cleaned.text)
    if not cleaned.marks and not cleaned.letters:
        assert cleaned.text == "".join(parts)


@given(st.text())
def test_any_text_is_cleaned_to_one_that_is_clean(text: str) -> None:
    cleaned = clean_text(text.replace("\0", ""))
    assert clean_text(cleaned.text).text == cleaned.text
    assert "\0" not in cleaned.text


def test_unusual_letters_are_counted_by_what_they_are() -> None:
    assert clean_text("e\ufb03cient \ufb01nd cafe\u0301 co\u00adop").letters == {
        "ligatures": 2,
        "soft hyphens": 1,
        DECOMPOSED: 1,
    }


def test_the_first_mark_is_shown_among_its_words() -> None:
    assert clean_text("the ferry to the island stops<q>a bus runs over the bridge").example == (
        "...island stops<q>a bus runs over..."
    )


DOCUMENT = Document("d", ("A reef.<q>", "<q>"), ("a reef<q>divers", "<unk>"), "&lt;")


def test_a_document_is_cleaned_with_its_summaries() -> None:
    marks = Marks()
    document, summaries = marks.clean(DOCUMENT, [Summary("d", "a", "divers -LRB- two -RRB-"), Summary("d", "b", "<q>")])
    assert document == Document("d", ("A reef.",), ("a reef\ndivers",), "<")
    assert [summary.text for summary in summaries] == ["divers ( two )", ""]
    assert (marks.marked, marks.texts, marks.lost) == (7, 7, 1)
    assert marks.describe_cleaned() == [
        "marks of other programs were removed from 7 of 7 texts: <q> (4), &lt; (1), -LRB- (1), -RRB- (1), <unk> (1)",
        "1 reference that holds nothing but marks is left out",
    ]


def test_what_has_no_mark_is_the_same() -> None:
    document, summaries = Document("d", " A reef. ", ("Divers.",), None), [Summary("d", "a", " Two ")]
    marks = Marks()
    assert marks.clean(document, summaries) == (document, summaries)
    assert marks.describe() == []
    assert marks.describe_cleaned() == ["no text has marks of other programs or letters in unusual forms"]


@pytest.mark.parametrize("clean", [True, False])
def test_the_records_of_a_file_are_cleaned_only_where_that_is_asked(clean: bool) -> None:
    notes: list[str] = []
    record = (DOCUMENT, [Summary("d", "a", "cafe\u0301")])
    (read,) = check_marks([record], notes.append, clean=clean)
    assert (read == record) != clean
    if clean:
        assert notes[1] == "letters in unusual forms were rewritten in 1 of 6 texts: letters in parts (1)"
    else:
        assert notes[0].startswith(
            "marks of other programs stand in 5 of 6 texts, and metrics read them as text: <q> (3), &lt; (1), <unk> "
            '(1); such as "A reef.<q>" in the source of document d; to remove them, use --clean with import'
        )
        assert "of the first" not in notes[0]


def test_marks_are_counted_among_the_first_documents() -> None:
    marks = Marks()
    for number in range(3):
        marks.add(replace(DOCUMENT, id=str(number)), [])
    assert "5 of the first 3 documents" not in marks.describe(3)[0]
    assert "15 of 15 texts of the first 3 documents" in marks.describe(3)[0]
    assert "15 of 15 texts, and" in marks.describe(4)[0]


def test_the_released_texts_of_other_programs(found_files: Path) -> None:
    records = list(read_documents(found_files / "29_tok.jsonl", clean=True))
    ((document, summaries),) = records
    assert document.references == ("the reef is safe\ndivers are happy", "marine life\ndivers are glad")
    assert document.source == "marine life thrives .\nthe reef ( near town ) is safe now\ndivers are happy"
    assert summaries[1].text == "Divers are happy.\nThe reef is safe & sound."


def test_every_letter_keeps_its_meaning() -> None:
    """Only forms of letters are rewritten: what NFKC would change otherwise stays, such as fractions and exponents."""
    for code in range(0x110000):
        if 0xD800 <= code < 0xE000:
            continue
        letter = chr(code)
        cleaned = clean_text(f"x {letter} x").text
        assert cleaned in {
            f"x {normalize('NFC', letter)} x",
            f"x {normalize('NFKC', letter)} x",
            normalize("NFC", f"x {letter} x"),
            "x  x",
            f"x {letter} x",
        }, hex(code)
