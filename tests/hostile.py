"""Texts that are markup, commands or addresses to whoever reads them as such: those of all tests together, and more."""

from relevance.data.one_line import in_one_line
from tests.data.test_importers import TRICKY
from tests.e2e.watching import HOSTILE, NAME
from tests.pages.test_marks import PIECES
from tests.reports.test_escaping import MARKUP
from tests.reports.test_formats import ODD_CELLS
from tests.reports.test_html_report import NAMES, QUESTION, STUDY, SYSTEM

PWN = "document.title='pwned'"
ELSEWHERE = "http://127.0.0.1:9/"

MORE = [
    f"<svg/onload={PWN}>",
    f"<details open ontoggle={PWN}>",
    f"<input autofocus onfocus={PWN}>",
    f"<body onload={PWN}>",
    f'<a href="javascript:{PWN}">a</a>',
    f"<iframe src=javascript:parent.{PWN}></iframe>",
    f"</title></textarea></script><script>{PWN}</script>",
    f"<scr<script>ipt>{PWN}</script>",
    f"'><ScRiPt>{PWN}</sCrIpT>",
    f'" autofocus onfocus={PWN} x="',
    f"' onmouseover={PWN} x='",
    f"`-{PWN}-`",
    f"');{PWN};//",
    f"\\u003cscript\\u003e{PWN}\\u003c/script\\u003e",
    f"\uff1cscript\uff1e{PWN}\uff1c/script\uff1e",
    f"<scr\0ipt>{PWN}</script>",
    f"<!--><script>{PWN}</script>-->",
    f"<![CDATA[<script>{PWN}</script>]]>",
    f"<base href={ELSEWHERE}>",
    f"<meta http-equiv=refresh content='0;url={ELSEWHERE}'>",
    f"<link rel=stylesheet href={ELSEWHERE}x.css>",
    f"<style>@import '{ELSEWHERE}x.css'; * {{ background: url({ELSEWHERE}x.png) }}</style>",
    f"<form action={ELSEWHERE}><button>Sign in</button></form>",
    f"<video poster={ELSEWHERE}x.png><source src={ELSEWHERE}x.mp4></video>",
    f"<object data={ELSEWHERE}x></object><embed src={ELSEWHERE}x>",
    f"![a]({ELSEWHERE}a.png) ![b][b] [c]({ELSEWHERE}c 'd')",
    f"[a](javascript:{PWN}) [b](data:text/html,<script>{PWN}</script>)",
    f"[b]: {ELSEWHERE}b.png",
    f"<{ELSEWHERE}> {ELSEWHERE} www.example.org ann@example.org",
    f"$$\\href{{{ELSEWHERE}}}{{x}} \\includegraphics{{{ELSEWHERE}x.png}}$$",
    ":material/home: :streamlit: :smile: :blue-badge[a] :small[b]",
    "# a\n## b\n> c\n- d\n1. e\n\n| f | g |\n|---|---|\n```html\n<b>h</b>\n```",
    "~~a~~ __b__ *c* `d` ---",
    "{{7*7}} ${7*7} #{7*7} <%= 7*7 %> %(x)s {0} {}",
    "' OR '1'='1' -- ; DROP TABLE users; /*",
    '{"$gt": ""}',
    "$(touch pwned) `touch pwned` | touch pwned; && touch pwned",
    "--help",
    "-rf",
    "../../../../etc/passwd",
    "..\\..\\windows\\win.ini",
    "/etc/passwd",
    "C:\\x.jsonl",
    "file:///etc/passwd",
    "a/b.jsonl",
    "..",
    ".",
    "a%00b%2f..%2f",
    "a\r\nSet-Cookie: relevance=stolen\r\n\r\n<b>",
    "\x1b]0;pwned\x07\x1b[2J",
    "half \ud83d of one",
    "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324\u031e\u0349a\u0300\u0301\u0302\u0303",
    "\u200b\u200d\ufeff",
    "\U0010ffff\ufffe\ue000",
    "null",
    "NaN",
    "x" * 5000,
    "漢字" * 90,
]

TEXTS = list(
    dict.fromkeys(
        filter(
            None,
            [*MARKUP, *ODD_CELLS, *PIECES, *TRICKY.values(), *NAMES, HOSTILE, NAME, SYSTEM, STUDY, QUESTION, *MORE],
        )
    )
)
"""Every text once; among them some that no field takes."""


def to_name(text: str) -> str:
    """As much of a text as a name may have."""
    return in_one_line(text.encode(errors="replace").decode())[:200].strip()


NAMED = list(dict.fromkeys(filter(None, map(to_name, TEXTS))))
"""Names that are taken, each once."""
