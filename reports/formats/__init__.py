"""Tables as text, JSON, CSV, LaTeX, Markdown and HTML, a file for each format."""

from relevance.reports.formats.csv import as_csv, as_one_csv
from relevance.reports.formats.html import as_html
from relevance.reports.formats.json import as_json
from relevance.reports.formats.latex import as_latex, as_one_latex
from relevance.reports.formats.markdown import as_markdown
from relevance.reports.formats.text import as_text

__all__ = ["as_csv", "as_html", "as_json", "as_latex", "as_markdown", "as_one_csv", "as_one_latex", "as_text"]
