"""The part of a model's answer that is the summary: without reasoning, announcement or refusal.

The rules are of words, so that they hold for every model. They see English, and the words that announce a summary also
in the other languages of `SUMMARY`. What they do not know stays in the answer.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from relevance.data.one_line import cut

REASONING = ("think", "thinking", "thought", "thoughts", "reasoning", "reflection", "analysis", "scratchpad")
"""Names of the marks in which models reason, such as `<think>`, `[THINK]` and `<|begin_of_thought|>`."""

NAMES = "|".join(REASONING)

OPEN = rf"<(?:{NAMES})>|\[(?:{NAMES})\]|◁(?:{NAMES})▷|<\|begin_of_(?:{NAMES})\|>|<\|channel\|>(?:analysis|commentary)"

CLOSE = (
    rf"</(?:{NAMES})>|\[/(?:{NAMES})\]|◁/(?:{NAMES})▷|<\|end_of_(?:{NAMES})\|>"
    r"|<\|channel\|>final(?:<\|message\|>)?"
)

WHOLE = re.compile(rf"(?:{OPEN}).*?(?:{CLOSE})", re.IGNORECASE | re.DOTALL)

OPENING = re.compile(OPEN, re.IGNORECASE)

CLOSING = re.compile(CLOSE, re.IGNORECASE)

FRAME = re.compile(r"</?(?:answer|response|output|summary)>|<\|[a-z_]{1,20}\|>", re.IGNORECASE)
"""Marks around an answer itself, which are not part of it."""

REFUSED, ANNOUNCED = "refused", "only announced"
"""How the reasons of answers without a summary begin."""


def find_answer(text: str) -> str:
    """Return what a model answers, without its reasoning (`strip_reasoning`) and without marks around the answer.

    >>> find_answer("<think>It is short.</think><answer>A bridge was built.</answer>")
    'A bridge was built.'
    """
    return FRAME.sub("", strip_reasoning(text)).strip()


def strip_reasoning(text: str) -> str:
    """Return an answer without its reasoning, which stands between marks (`REASONING`).

    Where only the mark at the end is there, as some servers send the one at the beginning with the prompt, all before
    it is reasoning; where only the one at the beginning is, because a limit ended the answer, all after it.

    >>> strip_reasoning("<think>It is short.</think>A bridge was built.")
    'A bridge was built.'
    >>> strip_reasoning("It is short.</think>A bridge was built.")
    'A bridge was built.'
    >>> strip_reasoning("<think>It is sh")
    ''
    """
    if not OPENING.search(text) and not CLOSING.search(text):
        return text
    text = WHOLE.sub("", text)
    if closings := list(CLOSING.finditer(text)):
        text = text[closings[-1].end() :]
    if opening := OPENING.search(text):
        text = text[: opening.start()]
    return text.strip()


SUMMARY = (
    r"summary|summaries|summari[sz]ation|tldr|tl;dr|zusammenfassung|résumé|resumen|resumo|riassunto|sintesi"
    r"|samenvatting|sammanfattning"
)
"""The words of which an announcement of a summary has one."""

ANNOUNCING = (
    rf"{SUMMARY}|sure|certainly|absolutely|okay|ok|of|course|yes|great|alright|hello|hi|here|here's|heres|is|are|below"
    r"|this|that|it|the|following|follows|a|an|one|single|my|your|our|brief|short|concise|quick|possible|generated"
    r"|requested|final|new|(?:one|two|three|single)-sentence|one-paragraph|sentences?|words?|paragraph|in|for|from|to|on"
    r"|by|with|as|at|most|about|given|provided|above|supplied|original|input|entire|whole|full|documents?|texts?"
    r"|articles?|passages?|papers?|story|report|news|content|abstract|i|i've|have|has|been|made|wrote|written|created"
    r"|prepared|summari[sz]ed|can|could|may|might|would|be|you|asked|and|based"
    r"|hier|ist|eine|die|der|das|des|kurze|einem|satz|dokuments|textes|artikels|voici|un|du|le|texte|une|phrase|aquí"
    r"|tienes|está|el|del|texto|documento|una|frase|ecco|il|testo|aqui|o"
)
"""The words of which an announcement consists, and nothing else: an answer's own words end it."""

WORDS = re.compile(r"[\w;'’-]+")

COUNT = re.compile(r"\d+(?:-(?:word|sentence|paragraph)s?)?")

LONGEST = 25
"""The most words of an announcement."""

AGREEING = frozenset({"sure", "certainly", "absolutely", "okay", "ok", "of", "course", "great", "alright", "yes"})
"""The words of which "Sure!" and "Of course!" consist, which are announcements without the word summary."""

ENDS = re.compile(r"[:：][*_]*(?!//)|[.!][*_]*(?=\s|$)")
"""Where an announcement may end within its line."""


def strip_announcement(text: str) -> str:
    """Return an answer without its announcement, such as "Sure! Here is a short summary of the document:".

    An announcement is the beginning of an answer up to a colon, a full stop or the end of the line, in which every word
    is one of `ANNOUNCING`, and at least one is of `SUMMARY`; up to a full stop, it has three words or more. A word that
    the document gave to the answer is none of these: "The committee's summary: taxes rise." stays as it is.

    >>> strip_announcement("Here is a one-sentence summary of the document: A bridge was built.")
    'A bridge was built.'
    >>> strip_announcement("A summary of the document can be:")
    ''
    """
    text = text.strip()
    while (end := announcement_end(text)) is not None:
        text = text[end:].strip()
    return text


def announcement_end(text: str) -> int | None:
    """Return where the announcement at the beginning of a text ends; None if there is none."""
    line = text.partition("\n")[0]
    if (first := WORDS.search(line)) and not announcing(first[0]):
        return None  # nearly all answers, and soon seen
    for end in [*(match.end() for match in ENDS.finditer(line)), len(line)]:
        written_words = [word.lower() for word in WORDS.findall(line[:end])]
        words = [word for word in written_words if not COUNT.fullmatch(word)]
        if len(words) > LONGEST or not all(map(announcing, written_words)):
            return None
        announced = any(re.fullmatch(SUMMARY, word) for word in words)
        if announced and (end == len(line) or len(words) > 2 or line[:end].rstrip("*_")[-1] != "."):
            return end
        if words and line[end - 1] == "!" and AGREEING.issuperset(words):
            return end
    return None


def announcing(word: str) -> bool:
    """Tell whether an announcement may have a word: a number, or one of `ANNOUNCING`."""
    word = word.lower().replace("’", "'")
    return bool(COUNT.fullmatch(word) or re.fullmatch(ANNOUNCING, word))


SORRY = (
    r"(?:(?:i[’']?m|i am|we[’']?re) )?(?:so |very |really )?(?:sorry|afraid)|(?:my )?apologies|i apologi[sz]e"
    r"|unfortunately|as an? (?:ai|artificial|large|language)\b[^.!?]{0,60}"
)

UNABLE = (
    r"(?:i|we) ?(?:can[’']?t|can ?not|am not able to|am unable to|[’']m not able to|[’']m unable to|won[’']t|will not"
    r"|don[’']t|do not|must decline to)"
)

TASK = (
    r"(?:be able to |actually |directly |currently )?(?:help(?! but)|assist|summari[sz]e|provide(?! for)|generate"
    r"|create|write|produce|comply|fulfil+|complete|continue|answer|discuss|engage|access"
    r"|have (?:access|enough|any|the))"
)

TEXT = r"(?:document|text|article|passage|paper|content|story)"

REFUSING = re.compile(
    rf"(?:(?:{SORRY})[ ,.:;!-]*)?(?:but |that |for [^.!?]{{0,60}}[,.] )?{UNABLE} {TASK}\b", re.IGNORECASE
)
"""The beginning of a refusal in English: sorry, I can't, and a word for the task."""

ASKING = re.compile(
    r"(?:(?:i[’']?m )?sorry[,.!]? |sure[,.!] |certainly[,.!] |of course[,.!] )?(?:but )?(?:"
    rf"(?:(?:could|can|would) you (?:please )?|please )(?:provide|share|paste|send|give|supply)\b[^.!?]{{0,30}}{TEXT}"
    rf"|(?:it (?:seems|looks|appears)(?: like| that)? )?(?:you (?:have|did|forgot)\b|there (?:is|was) no|no)"
    rf"[^.!?]{{0,40}}{TEXT}[^.!?]{{0,20}}(?:provided|attached|given|included|shared|to summari[sz]e|[.!]|$))",
    re.IGNORECASE,
)
"""The beginning of an answer that asks for the document."""

LONGEST_REFUSAL = 80
"""The most words of a refusal: a longer answer says something besides."""


class SummaryRead(NamedTuple):
    """The summary in an answer, or the reason why there is none."""

    text: str
    """The summary; empty where there is a reason."""
    reason: str | None = None
    alike: bool = False
    """True if the answers to other requests probably have none, too, as that is no matter of one document."""


def read_summary(text: str) -> SummaryRead:
    """Read the summary in an answer.

    Reasoning, marks around the answer (`find_answer`) and announcement (`strip_announcement`) are left out. An answer
    that is nothing else, or that begins as a refusal does (`REFUSING`, `ASKING`), has no summary.

    >>> read_summary("I'm sorry, but I cannot summarize this document.").reason
    "refused: I'm sorry, but I cannot summarize this document."
    """
    answer = find_answer(text)
    if not answer:
        return SummaryRead("", "only reasoning" if text.strip() else "empty", alike=True)
    if len(answer.split()) <= LONGEST_REFUSAL and (REFUSING.match(answer) or ASKING.match(answer)):
        return SummaryRead("", f"{REFUSED}: {cut(answer, 200)}")
    if not (summary := strip_announcement(answer)).strip("*_\"'“”.:# \n"):
        return SummaryRead("", f"{ANNOUNCED}: {cut(answer, 200)}", alike=True)
    return SummaryRead(summary)
