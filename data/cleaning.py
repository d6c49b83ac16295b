"""Marks that other programs leave in texts, and letters in unusual forms: found, and removed where that is asked for.

Summarizers write `<q>` or `<n>` between sentences, tokenizers `##` and `-LRB-`, web pages `&amp;`; metrics read all of
that as words. `clean_text` removes it and says what it removed, so that what is counted is what would go.
"""

import html
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html.entities import html5
from typing import NamedTuple
from unicodedata import is_normalized, normalize

import regex

RULES = "1"
"""The version of these rules, which stands in signatures and data sets; it changes with what they make of any text."""

AROUND = 16
"""The characters on each side of a mark that are shown with it."""

PASSES = 8
"""The most passes over a text: what was removed may have hidden a mark, as in `&amp;lt;q>`."""


class Cleaned(NamedTuple):
    """A text without marks and with usual letters, and what was found in it."""

    text: str
    marks: Mapping[str, int] = {}
    """The number of each mark, such as `<q>`."""
    letters: Mapping[str, int] = {}
    """The number of unusual letters, by what they are, such as `ligatures`."""
    example: str = ""
    """The first mark of the first kind among the characters around it."""


def any_of(tokens: str) -> str:
    """Return a pattern of tokens that are separated by spaces."""
    return "|".join(map(regex.escape, tokens.split()))


ENTITY = regex.compile(
    r"& ?(?:amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#x[0-9a-f]{1,6}) ?;|&[a-z][a-z0-9]{1,31};", regex.IGNORECASE
)
"""An HTML entity; a tokenizer may have put spaces into it."""

TAG = regex.compile(r"(<[a-z]\w*)\s[^>]*>", regex.IGNORECASE)
"""A tag with attributes, which is counted without them."""

COMMENT = regex.compile(r"<!--.*?-->", regex.DOTALL)
ATTRIBUTES = r"(?:\s+[\w:-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>]+))*\s*"
BLOCK = "p|br|hr|div|li|ul|ol|dl|dt|dd|h[1-6]|tr|td|th|table|thead|tbody|blockquote|pre|section|article|header|footer"
INLINE = "b|i|u|em|strong|small|big|sub|sup|span|font|a|code|tt|kbd|mark|abbr|cite|del|ins|strike|center|img"

SENTENCE_ENDS = (
    "<q> </q> <n> <t> </t> <s> </s> <sep> </sep> <sent> </sent> <sentence> </sentence> <s_sep> <sent_sep> <doc-sep> "
    "<newline> <nl> <para> </para> <eop> <0x0A> [SEP] [X_SEP] [SENT] ##SENT## ||||| NEWLINE_CHAR "
    "story_separator_special_tag"
)
"""Marks that summarizers and corpora write between sentences, paragraphs or documents."""

SPECIAL = (
    "<unk> [UNK] <pad> [PAD] <mask> [MASK] <cls> [CLS] <bos> [BOS] <eos> [EOS] <sos> <eod> <go> <start> <end> <blank> "
    "[INST] [/INST] <<SYS>> <</SYS>> <start_of_turn> <end_of_turn> @xcite"
)
"""Tokens that stand for no word, or for one that a vocabulary lacks; `@xcite` and `@xmath1` for parts of a paper."""

LINE_ENDS = regex.compile(rf"</?(?:{BLOCK}){ATTRIBUTES}/?>|{any_of(SENTENCE_ENDS)}", regex.IGNORECASE)
LINE_END = "\0"  # stands in no text that is stored
AROUND_LINE_ENDS = regex.compile(rf"\s*{LINE_END}[\s{LINE_END}]*")

REMOVED = regex.compile(
    rf"</?(?:{INLINE}){ATTRIBUTES}/?>| ?(?:{any_of(SPECIAL)}|@xmath\d+|<extra_id_\d+>|<\|[a-z_]{{2,30}}\|>)",
    regex.IGNORECASE,
)

BRACKETS = {"LR": "(", "RR": ")", "LS": "[", "RS": "]", "LC": "{", "RC": "}"}
REPLACED: tuple[tuple[regex.Pattern[str], Callable[[str], str]], ...] = (
    # Pieces of words: of BERT, where `##th` may also be a number without its digits, and of byte-pair encodings.
    (regex.compile(r"(?<=\w) ##(?!(?:st|nd|rd|th)\b)(?=\p{L})"), lambda mark: ""),
    (regex.compile(r"(?<=\w)@@ (?=\w)"), lambda mark: ""),
    (regex.compile(r" ?▁(?=[\p{L}\p{N}\p{P}])"), lambda mark: " "),
    (regex.compile(r"(?<=[^\sĠ])Ġ(?=\S)| ?Ġ(?=\S+ ?Ġ)|(?<=Ġ\S+) Ġ(?=\S)"), lambda mark: " "),
    # Brackets, quotation marks and slashes of the Penn Treebank.
    (regex.compile(r"-[LR][RSC]B-", regex.IGNORECASE), lambda mark: BRACKETS[mark[1:3].upper()]),
    (regex.compile(r"(?<!`)``(?!`)|(?<!')''(?!')"), lambda mark: '"'),
    (regex.compile(r"\\/"), lambda mark: "/"),
)

LETTERS: Mapping[str, regex.Pattern[str]] = {
    "ligatures": regex.compile("[\ufb00-\ufb06]"),
    "Arabic letters in presentation forms": regex.compile(
        "[\ufb50-\ufbb1\ufbd3-\ufd3d\ufd50-\ufdf9\ufe70-\ufe74\ufe76-\ufefc]+"
    ),
    "full-width letters and digits": regex.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]"),
    "half-width letters": regex.compile("[\uff66-\uffdc]+"),
    "mathematical letters": regex.compile("[\U0001d400-\U0001d7ff]"),
}
"""Letters that are not equal to the usual ones, which are their NFKC forms; where pieces make one, a run of them."""

UNSEEN: Mapping[str, regex.Pattern[str]] = {
    "soft hyphens": regex.compile("\u00ad"),
    "zero-width characters": regex.compile(r"[\u200b\u2060\ufeff\u180e]|(?<=\p{Latin})[\u200c\u200d](?=\p{Latin})"),
}
"""Characters that nobody sees, and that part a word. Joiners have a meaning in other scripts than Latin."""

DECOMPOSED = "letters in parts"
"""Letters whose accent, sign or vowel is a character of its own (not in Unicode's form NFC)."""

CHARACTER = regex.compile(r"\X")
"""A character as people see it, of one or several characters of Unicode."""

MAY_BE_MARK = re.compile(r"[<&`▁Ġ\[#@|\\]|''|-[LRlr][RSCrsc][Bb]-|(?i:newline_char|story_separator)")
MAY_BE_LETTER = re.compile("[\u00ad\u180e\u200b-\u200d\u2060\ufb00-\ufefc\ufeff\uff10-\uffdc\U0001d400-\U0001d7ff]")
"""First characters of marks and unusual letters: most texts have none of them, and are searched only once."""


def clean_text(text: str) -> Cleaned:
    r"""Remove the marks of other programs from a text, and write its letters in their usual forms (Unicode's NFC).

    Marks between sentences become line breaks, entities of HTML the characters that they stand for.

    >>> clean_text("the reef is safe<q>divers are happy").text
    'the reef is safe\ndivers are happy'
    >>> clean_text("Rock &amp;amp; roll -LRB- live -RRB- , <unk> says").text
    'Rock & roll ( live ) , says'
    """
    marked = MAY_BE_MARK.search(text) is not None
    spelled = not text.isascii() and (MAY_BE_LETTER.search(text) is not None or not is_normalized("NFC", text))
    if not marked and not spelled:
        return Cleaned(text)
    cleaning = Cleaning(text)
    if marked:
        cleaning.remove_marks()
    cleaning.rewrite_letters()
    return Cleaned(cleaning.text, cleaning.marks, cleaning.letters, cleaning.example)


def describe_cleaning(rules: str = RULES) -> str:
    """Say of texts that they were cleaned by a version of the rules."""
    return f"cleaned of marks of other programs (rules {rules})"


@dataclass
class Cleaning:
    """A text on its way to being clean."""

    text: str
    marks: Counter[str] = field(default_factory=Counter)
    letters: Counter[str] = field(default_factory=Counter)
    example: str = ""

    def remove_marks(self) -> None:
        """Remove all marks, until none is left."""
        for _ in range(PASSES):
            before = self.text
            self.replace(ENTITY, unescape)
            self.replace(COMMENT, lambda mark: "")
            self.replace(LINE_ENDS, lambda mark: LINE_END)
            self.replace(REMOVED, lambda mark: "")
            for pattern, replacement in REPLACED:
                self.replace(pattern, replacement)
            if self.text == before:
                return
            self.text = AROUND_LINE_ENDS.sub("\n", self.text).strip()

    def replace(self, pattern: regex.Pattern[str], replacement: Callable[[str], str]) -> None:
        """Replace and count a mark."""

        def take(match: regex.Match[str]) -> str:
            mark = TAG.sub(r"\1>", match[0].strip())
            put = replacement(match[0])
            if put != match[0]:
                self.example = self.example or show_around(match)
                self.marks[mark] += 1
            return put

        self.text = pattern.sub(take, self.text)

    def rewrite_letters(self) -> None:
        """Write letters in their usual forms, and remove what nobody sees between them."""
        for name, pattern in LETTERS.items():
            self.text, self.letters[name] = pattern.subn(lambda match: normalize("NFKC", match[0]), self.text)
        for name, pattern in UNSEEN.items():
            self.text, self.letters[name] = pattern.subn("", self.text)
        if not is_normalized("NFC", self.text):
            self.letters[DECOMPOSED] = sum(
                not is_normalized("NFC", character) for character in CHARACTER.findall(self.text)
            )
            self.text = normalize("NFC", self.text)
        self.letters = +self.letters


def unescape(mark: str) -> str:
    """Return the character that an HTML entity stands for; what is none stays as it is."""
    entity = "".join(mark.split())
    if entity[1] != "#" and entity[1:] not in html5:
        return mark
    return html.unescape(entity).replace("\N{NO-BREAK SPACE}", " ").replace("\0", "")


def show_around(match: regex.Match[str]) -> str:
    """Return a mark with the words around it."""
    before, after = match.string[: match.start()], match.string[match.end() :]
    left, right = before[-AROUND:], after[:AROUND]
    if len(left) < len(before):
        left = "..." + left[left.find(" ") + 1 :]
    if len(right) < len(after):
        right = (right[: right.rfind(" ")] if " " in right else right) + "..."
    return f"{left}{match[0]}{right}".strip()
