"""The grammar of a judge's verdicts: which of two summaries an answer prefers, in the shapes in which models say it.

A verdict is looked for in this order, and the first of these that the answer has counts:

1. the last JSON object with a key such as `verdict` (`KEYS`);
2. the last line or sentence that is labelled "Verdict", or else with another label (`LABEL`), such as "Winner:";
3. the last line, if it is a verdict and nothing else, such as "**Summary 1**";
4. sentences that decide, such as "Summary 1 is better", if all of them agree.

What names both summaries, or denies one, is not a verdict: nothing is guessed.
"""

import json
import re
from typing import Any

FIRST, SECOND, TIE = "first", "second", "tie"
"""The verdicts."""

KEYS = (
    "(?:final)?(?:verdict|answer|choice|preference|winner|decision|judge?ment|result|selection)"
    "|(?:better|best|preferred)(?:summary)?"
)
"""The keys of a verdict in JSON, in lower case, without spaces, hyphens and underscores."""

THING = "(?:summary|option|response|candidate|answer|choice|text|one)"

NAMES = {
    FIRST: rf"(?:the )?(?:(?:first|1st)(?: {THING})?|{THING} ?(?:number |no\.? ?|#)?(?:1|one|a)|former)(?![\w-])",
    SECOND: rf"(?:the )?(?:(?:second|2nd)(?: {THING})?|{THING} ?(?:number |no\.? ?|#)?(?:2|two|b)|latter)(?![\w-])",
    TIE: r"(?:(?:it is |it[’']s )?(?:an? )?(?:tie|draw)|tied|neither(?: is better)?|both|equal(?:ly good)?"
    r"|no (?:preference|difference))(?![\w-])",
}
"""Names of the first summary, of the second one, and of neither, in a sentence."""

ALONE = {
    FIRST: rf"{NAMES[FIRST]}|1|one|a|\[+(?:a|1)\]+",
    SECOND: rf"{NAMES[SECOND]}|2|two|b|\[+(?:b|2)\]+",
    TIE: rf"{NAMES[TIE]}|\[+c\]+",
}
"""Their names in a line of their own."""

LABEL = re.compile(
    r"(?:^|[\s(])(?:(?P<asked>verdict)|answer|choice|decision|judge?ment|preference|winner"
    rf"|(?:better|best|preferred) {THING})"
    r"\s*(?:[:=–—-]|\b(?:is|would be)\b:?)\s*(?P<rest>.+)",
    re.IGNORECASE,
)
"""A label of a verdict, with what follows it; `asked` is the label that judges are asked for."""

BETTER = (
    "(?:is|was|seems|appears|would be) (?:(?:clearly|slightly|somewhat|much|far|marginally|overall|the|therefore|thus"
    "|also|generally|to be|more) )*(?:better|best|preferable|preferred|superior|stronger|winner|relevant|informative"
    "|comprehensive|complete|accurate|faithful)"
)

CHOOSE = r"(?:prefer|choose|chose|pick|select|favou?r|go with|vote for|decide for|opt for|lean towards?)"

DECIDING = {
    verdict: re.compile(
        rf"\b{CHOOSE} {name}|\b(?:better|best|preferred|winning|winner)(?: {THING})? (?:is|was) {name}"
        rf"|\b{name} (?:wins\b|{BETTER}\b)",
        re.IGNORECASE,
    )
    for verdict, name in NAMES.items()
    if verdict != TIE
} | {
    TIE: re.compile(
        r"\bneither (?:of (?:them|the two) |one |summary )?is (?:clearly )?better\b|\bit(?: is|[’']s) a (?:tie|draw)\b"
        r"|\bare (?:equally|equal|tied)\b",
        re.IGNORECASE,
    )
}
"""Phrases that decide in a sentence."""

ANOTHER = re.compile(rf"\s*(?:/|,?\s*(?:or|and)\b|,\s*(?:{'|'.join(NAMES.values())}))", re.IGNORECASE)
"""Text after a name in an enumeration."""

NOT = re.compile(r"\b(?:not|never|hardly)\b|n[’']t\b", re.IGNORECASE)

DENIED = re.compile(r"(?: \w+)? not\b| \w+n[’']t\b", re.IGNORECASE)
"""Words that deny the name before them."""

EMPHASIS = re.compile(r"[*_`#>\"“”~{}]|\\boxed|\\text|(?<!\w)['‘’]|['‘’](?!\w)")

SENTENCE_END = re.compile(r"(?<=[.!?;])\s+")


def find_verdict(text: str) -> str | None:
    r"""Return the verdict of an answer, which is given without its reasoning: `FIRST`, `SECOND`, `TIE`, or None.

    >>> find_verdict('{"verdict": "first"}')
    'first'
    >>> find_verdict("Both mention the bridge.\n\n**Summary 2**")
    'second'
    >>> find_verdict("Verdict: first or second") is None
    True
    """
    if (values := json_values(text)) and (verdict := alone(str(values[-1]))):
        return verdict
    lines = [line for line in map(plain, text.splitlines()) if line]
    sentences = [sentence for line in lines for sentence in SENTENCE_END.split(line)]
    labelled = [match for sentence in sentences if (match := LABEL.search(sentence))]
    if labels := [match["rest"] for match in labelled if match["asked"]]:
        return after_label(labels[-1])
    if verdicts := [verdict for match in labelled if (verdict := after_label(match["rest"]))]:
        return verdicts[-1]
    if lines and (verdict := alone(lines[-1])):
        return verdict
    decided = set(filter(None, map(decided_by, sentences)))
    return decided.pop() if len(decided) == 1 else None


def plain(text: str) -> str:
    """Return a text without emphasis and quotes, with single spaces."""
    return " ".join(EMPHASIS.sub(" ", text).split())


def json_values(text: str) -> list[Any]:
    """List the verdicts of all JSON objects in a text, in their order."""
    decoder, objects, start = json.JSONDecoder(), [], 0
    while (start := text.find("{", start)) >= 0:
        try:
            value, start = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            start += 1
        else:
            objects += [inner for key, inner in value.items() if re.fullmatch(KEYS, re.sub(r"[\s_-]", "", key.lower()))]
    return objects


def alone(text: str) -> str | None:
    """Return the verdict that a text is, and nothing else."""
    text_only = plain(text).strip(" .,!:;()-")
    return next((verdict for verdict, names in ALONE.items() if re.fullmatch(names, text_only, re.IGNORECASE)), None)


def after_label(text: str) -> str | None:
    """Return the verdict in what follows a label: what it begins with, or what it decides."""
    if verdict := alone(text):
        return verdict
    for verdict, names in NAMES.items():
        if begin := re.match(names, text, re.IGNORECASE):
            rest = text[begin.end() :]
            if ANOTHER.match(rest) or DENIED.match(rest):
                break
            return verdict
    return decided_by(text)


def decided_by(sentence: str) -> str | None:
    """Return the verdict of a sentence that decides for one, and denies nothing."""
    verdicts = [verdict for verdict, pattern in DECIDING.items() if pattern.search(sentence)]
    return verdicts[0] if len(verdicts) == 1 and not NOT.search(sentence) else None
