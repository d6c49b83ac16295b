"""Languages other than English: values by hand, signatures, places of matches, and letters that are not seen."""

from importlib.metadata import version
from pathlib import Path

import pytest

from relevance.data.records import Document, Example
from relevance.metrics import metric
from relevance.metrics.from_signature import metric_of
from relevance.metrics.keywords.lists import read_keyword_lists
from relevance.metrics.keywords.overlap import content_words
from relevance.metrics.languages import LANGUAGES
from relevance.metrics.lemmas import RULES
from relevance.metrics.sentences import sentence_spans
from relevance.metrics.text import Reading, rouge_words

# Each with the summary, its reference, the tokens of both, and ROUGE-1 F1 = 2 * shared / (tokens of both).
CASES = {
    # haus and brannt of three words each: 2 * 2 / (3 + 3)
    "de": ("Die Häuser brannten.", "Ein Haus brannte.", ["die", "haus", "brannt"], ["ein", "haus", "brannt"], 4 / 6),
    # 北, 京 and 火 of four characters each: 2 * 3 / (4 + 4)
    "zh": ("北京大火。", "北京火灾。", ["北", "京", "大", "火"], ["北", "京", "火", "灾"], 6 / 8),
    # the book, with its article and vowel signs, is book; new is not old: 2 * 1 / (2 + 2)
    "ar": ("الكِتَابُ جديد", "كتـاب قديم", ["كتاب", "جديد"], ["كتاب", "قديم"], 2 / 4),
}


def example(candidate: str, reference: str) -> Example:
    return Example("d", "s", candidate, (reference,), None, "")


@pytest.mark.parametrize("language", CASES)
def test_rouge_1_of_a_language(language: str) -> None:
    candidate, reference, ours, theirs, f1 = CASES[language]
    assert list(rouge_words(candidate, Reading(language))) == ours
    assert list(rouge_words(reference, Reading(language))) == theirs
    made = metric("rouge1", language=language)
    assert f"|lang:{language}|" in made.signature
    again = metric_of(made.signature)
    assert again is not None
    (score,) = again.score([example(candidate, reference)])
    assert score.value == pytest.approx(f1)
    for match in score.evidence.matches[0]:
        ends = slice(*match.candidate), slice(*match.reference)
        ours, theirs = candidate[ends[0]], reference[ends[1]]
        assert rouge_words(ours, Reading(language)) == rouge_words(theirs, Reading(language)) != ()


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
@pytest.mark.parametrize("name", ["rouge1", "rouge2", "rougeL", "rougeLsum", "rougeSU4"])
def test_every_rouge_is_made_again_in_every_language(name: str, language: str) -> None:
    made = metric(name, language=language)
    again = metric_of(made.signature)
    assert again is not None
    text = "Grün 2024 дома 東京タワー كتاب"
    assert again.score([example(text, text)])[0].value == 1


# Each with the summary, its reference, the title, and for ROUGE-K the keywords that the last two share, with where the
# summary has each of them.
KEYWORD_CASES = {
    # Of Haus, brennen, Köln and das, die, brennend, Haus, Köln, without das, ein, in: haus and köln are in both, the
    # verb and the adjective are two words. The summary has the plural of one: 1 of 2.
    "de": (
        "Die Häuser brannten, Kinder flohen.",
        "Ein Haus brannte in Köln.",
        "Das brennende Haus in Köln",
        {"haus": ["Häuser"], "köln": []},
    ),
    # 发生 and 着 stand between them in one text; both texts have 北京 and 大火, 的 of the summary is a stop word, so
    # that all four characters follow each other there only once it is left out: as two keywords 2 of 2, as one 1 of 1.
    "zh": ("北京的大火很快被扑灭。", "北京发生大火。", "北京大火", {"北 京": ["北京"], "大 火": ["大火"]}),
    # book and new follow each other in both once the and (و) is left out, and do in the summary, with the article of
    # each and with vowel signs; في (in) and عن (about) are stop words, مصر (Egypt) and المكتبة (library) in one text.
    "ar": ("الكِتَابُ الجديد في السوق", "كتاب جديد عن مصر", "المكتبة و كتـاب جديد", {"كتاب جديد": ["الكِتَابُ الجديد"]}),
}


@pytest.mark.parametrize("keywords", ["overlap", "tfidf:2", "textrank:2"])
@pytest.mark.parametrize("language", KEYWORD_CASES)
def test_rouge_k_of_a_language(language: str, keywords: str) -> None:
    candidate, reference, title, shared = KEYWORD_CASES[language]
    made = metric("rouge_k", language=language, keywords=keywords)
    assert f"|lang:{language}|" in made.signature
    again = metric_of(made.signature)
    assert again is not None
    assert again.signature == made.signature
    (score,) = again.score([Example("d", "s", candidate, (reference,), title, "")])
    by_name = {
        str(keyword.keyword): [candidate[slice(*o)] for o in keyword.occurrences] for keyword in score.evidence.keywords
    }
    assert score.value == sum(map(bool, by_name.values())) / len(by_name)
    if keywords == "overlap":
        assert by_name == shared
    stops = {"de": {"die", "das", "ein", "in"}, "zh": {"的", "很", "被"}, "ar": {"في", "عن", "و"}}[language]
    assert stops.isdisjoint(word for keyword in by_name for word in keyword.split())


def test_listed_keywords_of_a_language(tmp_path: Path) -> None:
    """The list's words are German: *die* is a stop word, *Not* (need) is none, and *Häusern* is found as *Haus*."""
    file = tmp_path / "keywords.jsonl"
    file.write_text('["die Not", "Häusern", "Köln"]\n', encoding="utf-8")
    lists = read_keyword_lists(file, [Document("d", "", ("Ein Haus in Not.",))], "de")
    assert lists.by_document == {"d": (("Not",), ("Häusern",), ("Köln",))}
    made = metric("rouge_k", language="de", keywords=lists)
    (score,) = made.score([example("Große Not in jedem Haus.", "Ein Haus in Not.")])
    assert score.value == 2 / 3


def test_stop_words_of_several_characters_are_left_out() -> None:
    """因此 (therefore) is in the list as a word, 因 alone is not; 日本 (Japan) is of two that are listed alone."""
    assert content_words("因此日本的病因不明。", "zh").words == ("日", "本", "病", "因", "不", "明")
    assert content_words("ニュースについて", "ja").words == tuple("ニュース")


def test_a_word_ends_where_a_script_without_spaces_begins() -> None:
    assert rouge_words("GPU芯片V2版", Reading("zh")) == ("gpu", "芯", "片", "v2", "版")


def test_english_stays_as_it_was() -> None:
    lemmas = f"lemminflect{version('lemminflect')}+simplemma{version('simplemma')}+rules{RULES}"
    signature = f"rouge_k|kw:overlap10|title:always|lemma:{lemmas}|version:0.2.0"
    assert metric("rouge_k", language="en").signature == metric("rouge_k").signature == signature
    expected = "rouge1|refs:max|case:lower|tok:a-z0-9|stem:porter|value:f1|version:0.2.0"
    assert metric("rouge1", language="en").signature == metric("rouge1").signature == expected


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match="language must be one of en, ar"):
        metric("rouge1", language="xx")


def test_an_arabic_word_has_one_stem_whatever_came_before() -> None:
    words = "الكتاب والمدرسة يكتبون مكتبات للطالب فسيكتبونها"
    forwards = rouge_words(words, Reading("ar"))
    backwards = rouge_words(" ".join(reversed(words.split())), Reading("ar"))
    assert forwards == tuple(reversed(backwards))


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("北京大火。随后下雨！真的吗？是。", ["北京大火。", "随后下雨！", "真的吗？", "是。"]),
        ("他说：“下雨了。”然后走了。", ["他说：“下雨了。”", "然后走了。"]),
        ("هل وصل؟ نعم وصل۔ ثم رحل.", ["هل وصل؟", "نعم وصل۔", "ثم رحل."]),
        ("Am 3. Januar kam z. B. Dr. Weiß in Zimmer Nr. 5 an. Er blieb.", None),
        ("Das kostet ca. 5 Euro bzw. nichts. Gut.", ["Das kostet ca. 5 Euro bzw. nichts.", "Gut."]),
    ],
)
def test_sentences(text: str, sentences: list[str] | None) -> None:
    wanted = sentences or [text.removesuffix(" Er blieb."), "Er blieb."]
    assert [text[start:end] for start, end in sentence_spans(text)] == wanted
