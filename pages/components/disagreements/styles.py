"""The style of examples on the page, as slides and on paper."""

# Letters grow with the screen, so that they can be read from afar; tables become lists on narrow screens.
PRESENTED_STYLE = """<style>
.presented { font-size: clamp(1rem, .7rem + .72vw, 1.6rem); line-height: 1.45; overflow-wrap: anywhere; }
@media screen { .presented + .presented { border-top: 2px solid; margin-top: 3em; padding-top: 1.5em; } }
.presented h2 { font-size: 1.45em; line-height: 1.25; margin: 0; padding: 0; }
.presented :is(p, ul, li, summary) { font-size: inherit; }
.presented .why { font-weight: 600; margin: 0 0 .2em; }
.presented .camps { display: flex; flex-wrap: wrap; gap: .4em 1.6em; margin: .6em 0; }
.presented .camp { display: flex; flex-wrap: wrap; align-items: baseline; gap: .3em .5em; }
.presented .camp .chip { border: 1px solid rgb(128 128 128 / .7); border-radius: 1em; padding: 0 .6em; font-size: .85em;
  font-variant-numeric: tabular-nums; }
.presented .camp.right .chip { background: rgb(37 99 235 / .16); }
.presented .camp.wrong .chip { background: rgb(217 119 6 / .18); border-style: dashed; }
.presented .chip small { font-size: .85em; }
.presented .summary.preferred { border-width: 3px; }
.presented .evidence .name { font-size: .85em; }
.presented .legend { font-size: .75em; }
.presented .text { line-height: 1.45; white-space: pre-wrap; }
.presented .evidence > :is(.summary, .reference) { flex-basis: max(min(100%, 18rem), 40%); }
.presented .summary { border: 1px solid rgb(128 128 128 / .45); border-radius: .4em; padding: .5em .8em; }
.presented .summary .text { font-size: 1.08em; }
.presented .reference { font-size: .85em; padding: 0 .8em; }
.presented ul { margin: 0; padding-inline-start: 1.2em; }
.presented .keywords { display: flex; flex-wrap: wrap; gap: .1em 1.6em; list-style: none; padding: 0; }
.presented table { border-collapse: collapse; width: 100%; margin: .6em 0; font-variant-numeric: tabular-nums; }
.presented caption { caption-side: top; text-align: start; font-weight: 600; }
.presented th, .presented td { text-align: start; vertical-align: baseline; padding: .3em .9em .3em 0;
  border-bottom: 1px solid rgb(128 128 128 / .35); overflow-wrap: normal; }
.presented td.number, .presented td.prefers { white-space: nowrap; }
.presented td.best { font-weight: 700; }
.presented td.words { font-size: .8em; width: 62%; overflow-wrap: anywhere; }
.presented tr.people th, .presented tr.people td { border-bottom: 2px solid currentColor; }
.presented .waiting { font-style: italic; }
.presented details { font-size: .8em; }
.code { margin: 0; display: flex; align-items: center; gap: .8em; overflow-wrap: anywhere; }
.code img { width: min(11rem, 40vh); image-rendering: pixelated; }
.presented .signatures { font-size: .7em; overflow-wrap: anywhere; }
@media screen and (max-width: 900px) {
  .presented thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .presented table, .presented tbody { display: block; }
  .presented tr { display: flex; flex-wrap: wrap; gap: 0 1em; padding: .4em 0;
    border-bottom: 1px solid rgb(128 128 128 / .35); }
  .presented th, .presented td, .presented tr.people th, .presented tr.people td { border: 0; padding: 0; }
  .presented tr.people { border-bottom: 2px solid currentColor; }
  .presented th { flex-basis: 100%; }
  .presented td.number::before { content: attr(data-letter) " "; font-weight: 400; }
  .presented td.words { width: 100%; flex-basis: 100%; }
}
</style>"""


# Streamlit scrolls inside boxes of the window's height; on paper they must be as long as their contents.
PRINT_STYLE = """<style>
@media print {
  @page { margin: 12mm; }
  :root, .stApp { color-scheme: light !important; }
  html, body, #root, .stApp, .stApp > div, [data-testid="stAppViewContainer"], [data-testid="stMain"],
  .stMainBlockContainer { position: static !important; display: block !important; height: auto !important;
    min-height: 0 !important; overflow: visible !important; background: #fff !important; }
  .stMainBlockContainer { padding: 0 !important; max-width: none !important; }
  .stMainBlockContainer * { color: #000 !important; }
  [data-testid="stVerticalBlock"], [data-testid="stLayoutWrapper"], [data-testid="stElementContainer"] {
    display: block !important; overflow: visible !important; height: auto !important; }
  .stMainBlockContainer .presented { font-size: 9.5pt; }
  .stMainBlockContainer h1 { font-size: 16pt !important; padding: 0 !important; }
  .stMainBlockContainer [data-testid="stMarkdownContainer"] p { font-size: 9.5pt; }
  .presented + .presented { break-before: page; }
  .presented .summary, .presented tr { break-inside: avoid; }
  .presented mark, .presented .summary { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  header, [data-testid="stHeader"], [data-testid="stToolbar"], [data-testid="stDecoration"],
  [data-testid="stStatusWidget"], [data-testid="stSidebar"], .stApp .st-key-presenting, .stApp .st-key-how_to_present,
  .presented details { display: none !important; }
}
</style>"""


# A slide is as wide as 16:9 allows, and its letters grow with it; on a phone it is as long as its contents.
SLIDE_STYLE = """<style>
[data-testid="stHeader"], [data-testid="stSidebar"], [data-testid="stSidebarCollapsedControl"] { display: none; }
.stMainBlockContainer { max-width: none; padding: 1vh 2vw 0; }
.presented.slide { box-sizing: border-box; width: min(94vw, 160vh); margin: 0 auto; font-size: min(2.1vw, 3.45vh);
  min-height: calc(min(94vw, 160vh) * 9 / 16); display: flex; flex-direction: column; gap: .6em; }
.presented.slide .evidence { align-content: start; margin: 0; }
.presented.slide h2 { font-size: 1.2em; display: -webkit-box; -webkit-box-orient: vertical;
  -webkit-line-clamp: 2; overflow: hidden; }
.presented.slide .reference { flex-basis: 100%; padding: 0; }
.presented.slide[data-shows="document"] .reference { font-size: 1.1em; }
.presented.slide .reference .text { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3;
  overflow: hidden; }
.presented.slide[data-shows="document"] .reference .text { -webkit-line-clamp: 10; }
.presented.slide .summary .text { font-size: calc(1.08em * var(--letters)); display: -webkit-box;
  -webkit-box-orient: vertical; -webkit-line-clamp: 10; overflow: hidden; }
.presented.slide .keywords { font-size: .85em; }
.presented.slide .band { margin-top: auto; display: flex; flex-direction: column; gap: .2em; }
.presented.slide .band p { margin: 0; }
.presented.slide :is(.asked, .verdict, .why) { font-size: 1.15em; font-weight: 600; }
.presented.slide .verdict small { font-size: .8em; font-weight: 400; font-variant-numeric: tabular-nums; }
.presented.slide .words { font-size: .8em; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3;
  overflow: hidden; }
.presented.slide .room { font-size: 1.15em; font-variant-numeric: tabular-nums; }
.presented.slide .camps { margin: 0; font-size: .85em; gap: .2em 1.6em; }
.presented.slide .camps:has(.chip:nth-of-type(9)) { font-size: .7em; }
.presented.slide[data-shows="all"]:has(.chip:nth-of-type(9)) .summary .text { -webkit-line-clamp: 6;
  font-size: calc(.8em * var(--letters)); }
.presented.slide .band:has(.code) { display: grid; grid-template: 1fr auto / 1fr auto; align-items: end; }
.presented.slide .code { grid-area: 1 / 2 / span 2; }
.presented.slide .code img { width: 30vh; }
.st-key-presenting { justify-content: center; }
@media (max-width: 640px) {
  .presented.slide { width: auto; min-height: 0; font-size: 1rem; }
  .presented.slide :is(.reference, .summary) .text { font-size: 1em; display: block; overflow: visible; }
}
</style>"""
