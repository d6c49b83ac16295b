"""Tables written down: every kind of cell in every format, and texts that stay texts."""

import csv
import io
import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relevance.data.one_line import in_one_line
from relevance.pages.components.shared.result_table import as_frame
from relevance.reports.formats import as_csv, as_html, as_json, as_latex, as_one_csv, as_text
from relevance.reports.formats.cells import LONG, format_cell, reasons
from relevance.reports.formats.latex import escape_latex
from relevance.reports.tables.table import Marked, Range, Table, Undefined

NO_PAIR = "no pair that people decide has a value"
SMALL = Table(
    "agreement",
    "Agreement & more",
    [
        {
            "metric": "rouge1", "n": 3, "half": 2 / 3, "half 95 %": Range(0.25, 1.0), "p": 0.00001, "exact": True,
            "test": "McNemar", "signature": "rouge1|x:1",
        },
        {
            "metric": "b_50%", "n": 0, "half": Undefined(NO_PAIR), "half 95 %": Undefined("one document"), "p": 0.25,
            "exact": False, "test": "none", "signature": "b|x:2",
        },
    ],
    ["A note, 100 %."],
)  # fmt: skip
EMPTY = Table("ranking", "Systems", [], ["A note."], "nobody judged")

ODD_CELLS = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "</td></table></section><iframe srcdoc='x'>",
    "&lt;b&gt; &amp; &#60;",
    r"\input{/etc/passwd} \end{tabular} & % $x^2$ # _ { } ~ ^ \\[1cm] *",
    "[1cm] at the start of a row",
    "=cmd|' /C calc'!A0",
    "a\nb\r\nc\td\x0b\u2028e",
    "abc \u202edef\u202c \u2066ghi\u2069 \u200f",
    '"quoted", and; separated',
]
LETTERS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
PIECES = st.lists(st.sampled_from([*ODD_CELLS, *r"\&%$#_{}~^<>|[]*-", "a", " "])).map("".join)
TEXTS = (LETTERS | PIECES).filter(str.strip)


def of_text(text: str) -> Table:
    """A table with a text at every place where there can be one."""
    row = {"system": text, "n": 1, "share": Undefined(text), "test": text, f"by {text}": 0.5}
    return Table("position", text, [row], [text])


# --- one cell -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "column", "digits", "expected"),
    [
        ("two\n words", "metric", 4, "two words"),
        (3, "n", 4, "3"),
        (True, "exact", 4, "True"),
        (2 / 3, "half", 4, "0.6667"),
        (2 / 3, "half", 3, "0.667"),
        (-0.25, "difference", 4, "-0.2500"),
        (Range(0.25, 1.0), "half 95 %", 4, "[0.2500, 1.0000]"),
        (Range(-0.25, 1.0), "half 95 %", 2, "[-0.25, 1.00]"),
        (Undefined("why"), "half", 4, "undefined"),
        (0.00001, "p", 4, "< .0001"),
        (0.0, "p (Holm)", 4, "< .0001"),
        (0.0004, "p (Wilcoxon)", 3, "< .001"),
        (0.0032, "p", 3, ".003"),
        (1.0, "p", 3, "1.000"),
        (0.00005, "p", 4, ".0001"),  # it would not round to 0
        (0.00001, "half", 4, "0.0000"),
        (-0.00001, "half", 4, "0.0000"),  # no 0 has a sign
        (Range(-0.75, -0.0002), "input 95 %", 3, "[-0.750, 0.000]"),
        (0.00001, "pairs", 4, "0.0000"),  # p is a word, not a letter
    ],
)
def test_a_cell_as_people_read_it(cell, column, digits, expected):
    assert format_cell(cell, column, digits) == expected


def test_reasons_name_the_places_that_they_concern():
    assert reasons(SMALL) == [
        f"undefined (b_50%: half): {NO_PAIR}",
        "undefined (b_50%: half 95 %): one document",
    ]
    many = Table("x", "x", [{"a": name, "b": "y", "c": Undefined("why"), "d": 1} for name in "uvwxyz"])
    assert reasons(many) == ["undefined (u / y: c, v / y: c, w / y: c, x / y: c and 2 more): why"]
    assert reasons(Table("x", "x", [{"share": Undefined("why"), "d": 1}])) == ["undefined (share): why"]


# --- a small table in every format ------------------------------------------------------------------------------


def test_text():
    assert as_text(SMALL, without=["signature"]).splitlines() == [
        "Agreement & more",
        "metric  n       half         half 95 %        p  exact  test",
        "rouge1  3     0.6667  [0.2500, 1.0000]  < .0001   True  McNemar",
        "b_50%   0  undefined         undefined    .2500  False  none",
        f"undefined (b_50%: half): {NO_PAIR}",
        "undefined (b_50%: half 95 %): one document",
        "A note, 100 %.",
    ]
    assert "A note" not in as_text(SMALL, told=["A note, 100 %."])


def test_json():
    first, second = as_json(SMALL)["rows"]
    assert first == {
        "metric": "rouge1",
        "n": 3,
        "half": 2 / 3,
        "half 95 %": [0.25, 1.0],
        "p": 0.00001,
        "exact": True,
        "test": "McNemar",
        "signature": "rouge1|x:1",
    }
    assert second["half"] is second["half 95 %"] is None
    assert second["undefined"] == {"half": NO_PAIR, "half 95 %": "one document"}
    assert as_json(SMALL)["notes"] == ["A note, 100 %."]
    assert json.loads(json.dumps(as_json(SMALL), allow_nan=False)) == as_json(SMALL)


MARKED = Table("systems", "Systems", [{"system": "a", "m": Marked(0.5, "†")}, {"system": "b", "m": 0.25}])


def test_marks_in_every_format():
    assert as_text(MARKED).splitlines()[1:] == ["system        m", "a       0.5000†", "b       0.2500"]
    assert as_json(MARKED)["rows"] == [{"system": "a", "m": 0.5, "marks": {"m": "†"}}, {"system": "b", "m": 0.25}]
    assert list(csv.reader(io.StringIO(as_csv(MARKED)))) == [
        ["system", "m", "marks", "undefined"], ["a", "0.5", "m: †", ""], ["b", "0.25", "", ""],
    ]  # fmt: skip
    assert list(csv.reader(io.StringIO(as_one_csv([MARKED]))))[1:] == [
        ["systems", "a", "m", "0.5", "†", "", "", ""], ["systems", "b", "m", "0.25", "", "", "", ""],
    ]  # fmt: skip
    assert "\na & 0.500\\dag{} \\\\\nb & 0.250 \\\\\n" in as_latex(MARKED)
    assert "<td class='number'>0.500†</td>" in as_html(MARKED)
    assert list(as_frame(MARKED)["m"]) == ["0.500†", "0.250"]


def test_csv():
    assert list(csv.reader(io.StringIO(as_csv(SMALL)))) == [
        ["metric", "n", "half", "half 95 % low", "half 95 % high", "p", "exact", "test", "signature", "undefined"],
        ["rouge1", "3", "0.6666666666666666", "0.25", "1.0", "1e-05", "True", "McNemar", "rouge1|x:1", ""],
        ["b_50%", "0", "", "", "", "0.25", "False", "none", "b|x:2", f"half: {NO_PAIR}; half 95 %: one document"],
    ]


def test_csv_of_several_tables():
    bins = Table("bins", "Bins", [{"metric": "a", "n": 1}, {"metric": "a", "n": 2}, {"metric": "b", "n": 3}])
    plan = Table("plan", "Plan", [{"pairs": 306}])
    rows = list(csv.reader(io.StringIO(as_one_csv([SMALL, bins, plan, EMPTY], [("seed", "7")]))))
    assert rows == [
        ["table", "row", "column", "value", "mark", "low", "high", "undefined"],
        ["facts", "seed", "seed", "7", "", "", "", ""],
        ["agreement", "rouge1", "n", "3", "", "", "", ""],
        ["agreement", "rouge1", "half", "0.6666666666666666", "", "", "", ""],
        ["agreement", "rouge1", "half 95 %", "", "", "0.25", "1.0", ""],
        ["agreement", "rouge1", "p", "1e-05", "", "", "", ""],
        ["agreement", "rouge1", "exact", "True", "", "", "", ""],
        ["agreement", "rouge1", "test", "McNemar", "", "", "", ""],
        ["agreement", "rouge1", "signature", "rouge1|x:1", "", "", "", ""],
        ["agreement", "b_50%", "n", "0", "", "", "", ""],
        ["agreement", "b_50%", "half", "", "", "", "", NO_PAIR],
        ["agreement", "b_50%", "half 95 %", "", "", "", "", "one document"],
        ["agreement", "b_50%", "p", "0.25", "", "", "", ""],
        ["agreement", "b_50%", "exact", "False", "", "", "", ""],
        ["agreement", "b_50%", "test", "none", "", "", "", ""],
        ["agreement", "b_50%", "signature", "b|x:2", "", "", "", ""],
        ["bins", "a 1", "n", "1", "", "", "", ""],  # rows that begin alike can be told apart
        ["bins", "a 2", "n", "2", "", "", "", ""],
        ["bins", "b", "n", "3", "", "", "", ""],
        ["plan", "1", "pairs", "306", "", "", "", ""],
        ["ranking", "", "", "", "", "", "", "nobody judged"],
    ]


def test_latex():
    assert as_latex(SMALL).splitlines() == [
        r"\begin{table}",
        r"\caption{Agreement \& more}",
        r"\label{tab:agreement}",
        r"\centering",
        r"\begin{tabular}{lrrrrrl}",
        r"\toprule",
        r"metric & n & half & half 95 \% & p & exact & test \\",
        r"\midrule",
        r"rouge1 & 3 & 0.667 & {[}0.250, 1.000{]} & \textless{} .001 & True & McNemar \\",
        r"b\_50\% & 0 & undefined & undefined & .250 & False & none \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\par\smallskip\footnotesize",
        rf"undefined (b\_50\%: half): {NO_PAIR}\par",
        r"undefined (b\_50\%: half 95 \%): one document\par",
        r"A note, 100 \%.\par",
        r"rouge1\textbar{}x:1\par",
        r"b\textbar{}x:2\par",
        r"\end{table}",
    ]


def test_latex_by_another_name_and_with_other_digits():
    lines = as_latex(SMALL, caption="A & B", label="tab:x", digits={"half": 1}, signed=False).splitlines()
    assert lines[1:3] == [r"\caption{A \& B}", r"\label{tab:x}"]
    assert r"rouge1 & 3 & 0.7 & {[}0.250, 1.000{]} & \textless{} .001 & True & McNemar \\" in lines
    assert lines[13:] == [*as_latex(SMALL).splitlines()[13:-3], r"\end{table}"]


def test_text_of_a_width():
    whole, broken = as_text(SMALL), as_text(SMALL, width=20)
    rows = len(SMALL.rows) + 2
    assert broken.splitlines()[:rows] == whole.splitlines()[:rows]  # the table is not broken
    notes = broken.splitlines()[rows:]
    assert all(len(line) <= 20 or " " not in line for line in notes)
    assert " ".join(notes) == " ".join(whole.splitlines()[rows:])


def test_html():
    page = parsed(as_html(SMALL))
    assert page.rows == [
        ["metric", "n", "half", "half 95 %", "p", "exact", "test", "signature"],
        ["rouge1", "3", "0.667", "[0.250, 1.000]", "< .001", "True", "McNemar", "rouge1|x:1"],
        ["b_50%", "0", "undefined", "undefined", ".250", "False", "none", "b|x:2"],
    ]
    assert page.texts["h2"] == ["Agreement & more"]
    assert page.texts["p"] == [*reasons(SMALL), "A note, 100 %."]
    assert [attributes["title"] for tag, attributes in page.tags if "title" in attributes] == [NO_PAIR, "one document"]


def test_a_long_html_table_is_folded():
    rows = [{"n": number} for number in range(LONG + 1)]
    assert parsed(as_html(Table("x", "x", rows))).texts["summary"] == ["61 rows"]
    assert "summary" not in parsed(as_html(Table("x", "x", rows[:LONG]))).texts


def test_frame():
    frame = as_frame(SMALL)
    assert list(frame["half"].isna()) == [False, True]
    assert frame["half"].dtype == float
    assert list(frame["half 95 %"].fillna("")) == ["[0.250, 1.000]", ""]
    assert list(frame["n"]) == [3, 0]


def test_rounding_leaves_no_negative_zero_in_a_frame():
    frame = as_frame(Table("x", "x", [{"input": -1.4e-17}, {"input": -0.0002}]))
    assert [f"{value:.3f}" for value in frame["input"]] == ["0.000", "-0.000"]
    assert list(frame["input"]) == [0.0, -0.0002]


def test_a_table_without_rows_says_why_in_every_format():
    assert as_text(EMPTY) == "Systems\nundefined: nobody judged\nA note."
    assert as_json(EMPTY) == {"title": "Systems", "undefined": "nobody judged", "rows": [], "notes": ["A note."]}
    assert as_csv(EMPTY) == "undefined\r\nnobody judged\r\n"
    assert r"undefined: nobody judged \\" in as_latex(EMPTY).splitlines()
    assert r"\begin{tabular}{l}" in as_latex(EMPTY).splitlines()
    assert parsed(as_html(EMPTY)).texts["p"] == ["undefined: nobody judged", "A note."]
    assert as_frame(EMPTY).empty


# --- texts stay texts -------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """The tags of a fragment, the text of each kind of element, and its table's rows."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.rows: list[list[str]] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)
        self.texts.setdefault(tag, []).append("")
        if tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"}:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag  # well-formed: what was opened last is closed first

    def handle_data(self, data):
        self.texts[self.open[-1]][-1] += data
        if self.open[-1] in {"td", "th"}:
            self.rows[-1][-1] += data


def parsed(fragment: str) -> Page:
    page = Page()
    page.feed(fragment)
    page.close()
    assert page.open == []
    return page


OURS = {
    "section": {"id"}, "h2": set(), "div": {"class"}, "table": set(), "thead": set(), "tbody": set(), "tr": set(),
    "th": {"scope"}, "td": {"class", "title"}, "p": {"class"},
}  # fmt: skip


@given(TEXTS)
def test_html_shows_the_text_and_nothing_of_it_is_markup(text):
    page = parsed(as_html(of_text(text)))
    message = in_one_line(text)
    assert {tag for tag, _ in page.tags} == set(OURS)
    assert all(set(attributes) <= OURS[tag] for tag, attributes in page.tags)
    assert page.rows == [
        ["system", "n", "share", "test", f"by {message}"],
        [message, "1", "undefined", message, "0.500"],
    ]
    assert page.texts["h2"] == [message]
    assert page.texts["p"][1:] == [message]
    assert page.texts["p"][0] == in_one_line(f"undefined ({text}: share): {text}")
    [title] = [attributes["title"] for _, attributes in page.tags if "title" in attributes]
    assert title == message


# What each special character becomes, read backwards; what is left has none.
BACK = {
    r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^", r"\textless{}": "<",
    r"\textgreater{}": ">", r"\textbar{}": "|", r"\&": "&", r"\%": "%", r"\$": "$", r"\#": "#", r"\_": "_",
    r"\{": "{", r"\}": "}", "{[}": "[", "{]}": "]", "{*}": "*", "{-}": "-",
}  # fmt: skip
WRITTEN = re.compile("|".join(map(re.escape, BACK)))


@given(TEXTS)
def test_latex_escapes_every_special_character(text):
    written = escape_latex(text)
    assert not re.search(r"[\\{}&%$#_~^<>|\[\]*\r\n]|--", WRITTEN.sub("x", written))
    assert WRITTEN.sub(lambda item: BACK[item.group()], written) == in_one_line(text)


@given(TEXTS)
def test_a_latex_table_keeps_its_columns(text):
    lines = as_latex(of_text(text)).splitlines()
    body = lines[lines.index(r"\toprule") : lines.index(r"\bottomrule")]
    assert body[2] == r"\midrule"
    for row in (body[1], body[3]):
        assert row.endswith(r" \\")
        assert not row.startswith(("[", "*"))
        assert len(re.findall(r"(?<!\\)&", row)) == 4
    assert len(body) == 4
    assert lines[4] == r"\begin{tabular}{lrrlr}"


@given(TEXTS)
def test_text_stays_in_its_lines(text):
    lines = as_text(of_text(text)).splitlines()
    assert len(lines) == 5  # title, header, row, reason, note
    assert lines[0] == lines[4] == in_one_line(text)


@given(TEXTS)
def test_csv_has_no_formulas(text):
    for written in (as_csv(of_text(text)), as_one_csv([of_text(text)], [(text, text)])):
        rows = list(csv.reader(io.StringIO(written, newline="")))
        assert len({len(row) for row in rows}) == 1
        assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) for row in rows for cell in row)


@given(TEXTS)
def test_json_keeps_the_text(text):
    answer = json.loads(json.dumps(as_json(of_text(text)), allow_nan=False))
    assert answer["title"] == answer["rows"][0]["system"] == answer["rows"][0]["undefined"]["share"] == text
