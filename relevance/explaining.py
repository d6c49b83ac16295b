"""Explanations of metrics' scores of the summaries of one document, by their evidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from relevance.data.reading import trim_name
from relevance.data.records import Example
from relevance.frames import BadFrame, has_references, read_examples, require
from relevance.metrics.explained import Explained
from relevance.metrics.explained import explain as explain_example
from relevance.metrics.functions import Function
from relevance.metrics.registry import label_of, make_asked, usual_options
from relevance.reports.escaping import esc
from relevance.reports.evidence.blocks import no_evidence
from relevance.reports.evidence.highlighting import HIGHLIGHT_STYLE
from relevance.reports.evidence.renderers import renderer_of
from relevance.reports.evidence.words import in_words

LETTERS = "ABCD"
"""The names of summaries in sentences, which limit how many can be explained together."""

STYLE = f"""{HIGHLIGHT_STYLE}<style>
.relevance .text {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
.relevance h4 {{ margin: .75em 0 .25em; }}
.relevance .said {{ margin: .25em 0; }}
</style>"""


@dataclass(frozen=True, repr=False)
class Explanation:
    """The evidence of metrics in one to four summaries of a document; a notebook shows it with the texts marked."""

    examples: tuple[Example, ...]
    """The summaries, named A to D in this order."""
    explained: dict[str, tuple[Explained, ...]]
    """The score and evidence of each summary, by signature."""

    @property
    def scores(self) -> pd.DataFrame:
        """The scores, with a row for each summary and a column for each metric; NaN if there is none."""
        columns = {label_of(name): [score.value for score in scores] for name, scores in self.explained.items()}
        return pd.DataFrame(columns, index=[example.system for example in self.examples], dtype="float64")

    def sentences(self) -> dict[str, list[str]]:
        """Describe the evidence by signature: which summary a metric prefers and why."""
        return {name: in_words(name, self.examples, scores, LETTERS) for name, scores in self.explained.items()}

    def __repr__(self) -> str:
        named = [f"{letter}: {example.system}" for letter, example in zip(LETTERS, self.examples, strict=False)]
        lines = [f"Document {self.examples[0].document_id} ({', '.join(named)})"]
        for name, written in self.sentences().items():
            values = [
                f"{explained.value:.4f}" if explained.value is not None else "–" for explained in self.explained[name]
            ]
            lines += [f"{label_of(name)}: {', '.join(values)}", *(f"  {sentence}" for sentence in written)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the HTML for a notebook: texts of the data are escaped, and nothing is loaded from elsewhere."""
        parts = [STYLE, '<div class="relevance">']
        sentences = self.sentences()
        for name, scores in self.explained.items():
            parts.append(f"<h4>{esc(label_of(name))}</h4>")
            parts += [f'<p class="said">{esc(sentence)}</p>' for sentence in sentences[name]]
            renderer = renderer_of(name)
            for letter, example, score in zip(LETTERS, self.examples, scores, strict=False):
                value = "no score" if score.value is None else f"{score.value:.4f}"
                shown = (
                    no_evidence(score.missing)
                    if renderer is None or score.evidence is None
                    else renderer.html(score.evidence, example)
                )
                head = f"{letter} · {esc(example.system)} · {value}"
                parts.append(f"<details open><summary>{head}</summary>{shown}</details>")
        return "".join([*parts, "</div>"])


def explain(
    frame: pd.DataFrame,
    document: str,
    systems: Sequence[str] | None = None,
    metrics: Sequence[str | Function] | None = None,
    *,
    clean: bool = False,
    **options: Any,
) -> Explanation:
    """Explain the scores of one document's summaries: what each metric saw of them.

    - `frame`, `metrics`, `clean`, `options`: those of `score`.
    - `document`: its name in the frame.
    - `systems`: one to four; by default all that the document has.

    Returns an `Explanation`, which a notebook shows as marked texts. Raises `BadFrame` for an unknown document or
    system and for more than four summaries, `UnknownMetric`, and errors of a metric's model, such as
    `ModelUnavailable`.

    >>> import pandas as pd
    >>> texts = {"document": "d", "system": ["A"], "summary": ["The flood rose."]}
    >>> found = explain(pd.DataFrame({**texts, "references": "The flood rose fast."}), "d", metrics=["rouge1"])
    >>> [one.system for one in found.examples]
    ['A']
    """
    require(frame, ("document", "system"))
    rows = frame[frame["document"].astype(str).map(trim_name) == trim_name(str(document))]
    if rows.empty:
        raise BadFrame(f"the frame has no document {document!r}")
    by_system = {example.system: example for example in read_examples(rows, clean=clean)}
    chosen = list(dict.fromkeys(by_system if systems is None else systems))
    if missing := [name for name in chosen if name not in by_system]:
        raise BadFrame(f"document {document!r} has no summary by {', '.join(missing)}; it has {', '.join(by_system)}")
    if not 0 < len(chosen) <= len(LETTERS):
        raise BadFrame(f"one to {len(LETTERS)} summaries are explained together, not {len(chosen)}; name some systems")
    examples = tuple(by_system[name] for name in chosen)
    usual = usual_options(referenced=has_references(frame))
    made = make_asked(metrics, **usual | options)
    return Explanation(
        examples, {metric.signature: tuple(explain_example(metric, e) for e in examples) for metric in made}
    )
