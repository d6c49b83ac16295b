"""Writes and executes docs/notebook.ipynb, the Python interface on the demo corpus, and its page: `make notebook`."""

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).resolve().parents[1] / "docs" / "notebook.ipynb"

CELLS = (
    """# Which metric agrees with people?

The Python interface of relevance in four calls, on the demo corpus that comes with it: 24 documents, each with four
summaries, which its author rated.""",
    """import relevance
from relevance.data.demo import FILE

frame = relevance.load(FILE)
frame[["document", "system", "summary", "author"]].head(4)""",
    """`load` reads any format that `relevance import` takes. A frame of your own does as well: a row a summary, with
the columns `document`, `system`, `summary`, `references` and the ratings of people. `score` adds a column for each
metric, and keeps the signature of each: everything that a value depends on.""",
    """scored = relevance.score(frame, ["rouge1", "rougeL", "rouge_k", "length"])
print(scored.attrs["signatures"]["rouge_k"])
scored[["document", "system", "author", "rouge1", "rougeL", "rouge_k", "length"]].head(4).round(3)""",
    """How often does a metric prefer the summary that was rated higher? A metric's tie counts as half a hit; the
interval takes the documents for a sample.""",
    """agreement = relevance.agreement(scored, "author")
agreement[["metric", "agreement", "low", "high", "pairs", "metric ties"]].round(3)""",
    """And how do the scores correlate with the ratings: pooled over all summaries, within documents, and of the
systems' means? Four systems say next to nothing, which the intervals show.""",
    """correlations = relevance.correlate(scored, "author", methods=["kendall"])
correlations.pivot(index="metric", columns="level", values=["r", "low", "high"]).round(3)""",
    """Why do two metrics disagree about a document? `explain` shows what each of them saw. ROUGE-1 prefers the first
summary by its many common words, ROUGE-K the second by its keywords.""",
    """explanation = relevance.explain(frame, "science-01", ["fluent", "keyword"], ["rouge1", "rouge_k"])
print(explanation)""",
    "Left to itself, a notebook marks the texts:",
    "explanation",
)
"""The cells in order: text and code in turn."""

TEXTS = range(0, len(CELLS), 2)


def make() -> Any:
    """The notebook with what its cells print, in a process of its own; nothing in it says when or where that was."""
    cells = [
        (nbformat.v4.new_markdown_cell if number in TEXTS else nbformat.v4.new_code_cell)(text, id=f"cell-{number}")
        for number, text in enumerate(CELLS)
    ]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=600, kernel_name="python3", record_timing=False).execute()
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return notebook


def as_page(notebook: Any) -> str:
    """The notebook as a page of the site, with what its cells show; what is shown as HTML stays HTML."""
    parts = [f"*This page is a [notebook]({NOTEBOOK.name}).*"]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        for output in cell.outputs:
            if "text" in output:
                parts.append(f'```text title="printed"\n{output["text"]}```')
            else:
                parts.append(f"<div>{' '.join(output['data']['text/html'].splitlines())}</div>")
    title, *rest = parts[1].split("\n", 1)
    return "\n\n".join([title, parts[0], *(line.strip() for line in rest), *parts[2:]]) + "\n"


def main() -> None:
    """Write the notebook and its page."""
    notebook = make()
    NOTEBOOK.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
    NOTEBOOK.with_suffix(".md").write_text(as_page(notebook), encoding="utf-8")


if __name__ == "__main__":
    main()
