"""The figures of the README and of docs/, computed again and written there.

    python -m benchmarks.figures [NAME ...]

A figure, or a table of them, stands between `<!-- figures: NAME -->` and `<!-- end -->`; without a name all are made.
Times and rates are not among them: those are recorded from `make benchmarks`.
"""

import json
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from click.testing import CliRunner

from benchmarks.documents import SUMMEVAL, rouge1_against_length
from relevance.analysis.agreement.counts import count_agreement, within_document_pairs
from relevance.analysis.correlation.levels import correlate
from relevance.data.demo import AUTHOR, FILE
from relevance.data.importers import read_documents
from relevance.data.preferences import rated_pairs
from relevance.data.records import make_examples
from relevance.metrics import make_metrics
from relevance.metrics.apes import Apes
from relevance.metrics.apes.conditions import GOLD, INTERCHANGED, LEAD, SHUFFLED, SOURCE, conditions
from relevance.metrics.apes.metric import VALUES, total_credit
from relevance.metrics.scoring import score_cells
from relevance.reports.published import PUBLISHED
from relevance.summarizers import summarizer

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
BLOCK = r"<!-- figures: {} -->\n(.*?)<!-- end -->"


def main() -> None:
    """Make what is asked for and write it down."""
    for name in sys.argv[1:] or FIGURES:
        pattern = re.compile(BLOCK.format(re.escape(name)), re.DOTALL)
        (page,) = (path for path in PAGES if pattern.search(path.read_text()))
        text = page.read_text()
        (shown,) = pattern.findall(text)
        made = FIGURES[name](shown)
        print(f"{name}: {'as it was' if made == shown else 'changed'}", file=sys.stderr)
        text = pattern.sub(lambda _, name=name, made=made: f"<!-- figures: {name} -->\n{made}<!-- end -->", text)
        page.write_text(text)


def run(line: str) -> str:
    """What the command line prints."""
    from relevance.cli import main as command

    result = CliRunner().invoke(command, shlex.split(line))
    if result.exit_code:
        raise RuntimeError(f"relevance {line}: {result.output}")
    return result.stdout


def example(shown: str) -> str:
    """The commands of the first example with what they print, on a database of their own."""
    commands = re.findall(r"^\$ relevance (.*)$", shown, re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RELEVANCE_DATABASE_URL"] = f"sqlite:///{folder}/relevance.db"
        os.chdir(ROOT)
        printed = "".join(f"$ relevance {line}\n{run(line)}" for line in commands)
    return f"```console\n{printed}```\n"


def oracles(shown: str) -> str:
    """The beginning of what `relevance oracle` prints, as far as it is shown."""
    (line,) = re.findall(r"^\$ relevance (.*)$", shown, re.MULTILINE)
    lines = shown.count("\n") - 4  # the fences, the command and the dots
    os.chdir(ROOT)
    printed = "".join(run(line).splitlines(keepends=True)[:lines])
    return f"```text\n$ relevance {line}\n{printed}...\n```\n"


def caption(shown: str) -> str:
    """What the first picture shows: the demo corpus by its author's labels."""
    tables = against_people(list(read_documents(FILE)), AUTHOR, ["rouge1", "rouge_k"], "max")
    percent = {name: f"{100 * row[2]:.0f} %" for name, row in tables.items()}
    return re.sub(
        r"ROUGE-K agrees with the author's labels on \d+ % of the pairs, ROUGE-1 on \d+ %",
        f"ROUGE-K agrees with the author's labels on {percent['rouge_k']} of the pairs, ROUGE-1 on {percent['rouge1']}",
        shown,
    )


Row = tuple[int, float, float, float, float, float, float]
"""n, strict, half, decided; Pearson's r pooled, within documents, of systems."""


def against_people(records: list, aspect: str, names: Sequence[str], references: str) -> dict[str, Row]:  # type: ignore[type-arg]
    """Agreement and correlation of some metrics with the ratings of an aspect."""
    chosen = make_metrics(names, references=references, lsum_sentences="split")
    cells, _ = score_cells(records, chosen)
    preferences = rated_pairs(cells, aspect)
    differences = preferences.differences()
    rows = {}
    for metric in chosen:
        counts = count_agreement(preferences.choices, differences[metric.signature])
        levels = correlate(cells.ratings[aspect], cells.scores[metric.signature], cells.documents, cells.systems)
        values = (counts.strict, counts.half, counts.decided, *(level.r for level in levels))
        rows[metric.name] = (counts.pairs, *map(known, values))
    return rows  # type: ignore[return-value]


def known(value: float | None) -> float:
    """A figure that must be there."""
    if value is None:
        raise RuntimeError("a figure of the documentation is undefined")
    return value


def short(value: float) -> str:
    """Three decimals without a zero before them."""
    return f"{value:.3f}".replace("0.", ".", 1)


def summeval(_: str) -> str:
    """Metrics against the relevance that experts gave, on SummEval."""
    names = ["rouge1", "rouge2", "rougeL", "rougeLsum", "rougeSU4", "rouge_k", "bertscore", "carouge", "apes", "length"]
    tables = against_people(list(read_documents(SUMMEVAL)), "relevance", names, "first")
    lines = [
        "| | n | strict | half | decided | Pearson, pooled | within documents | system level |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, (n, *values) in tables.items():
        of = {"rouge_k": " (all 11 references)", "rougeLsum": " (`--lsum-sentences split`)"}.get(name, "")
        lines.append(f"| `{name}`{of} | {n:,} | {' | '.join(map(short, values))} |")
    return "\n".join(lines) + "\n"


def apes(_: str) -> str:
    """Whether the reader of APES can be believed, and how its values agree with people, on SummEval."""
    records = list(read_documents(SUMMEVAL))
    batch = [each for document, summaries in records for each in make_examples(document, summaries)]
    ratings = np.array([summary.human["relevance"] for _, summaries in records for summary in summaries])
    table = json.loads(SUMMEVAL.with_name("published_tables.json").read_text())["apes"]["table4_apes_percent"]
    published = [f"{table[row]:.1f}" for row in ("gold", "source", "lead3", "shuffled_gold")]
    lines = [
        "| SummEval, embedded parts | gold | source | lead-3 | words shuffled | names interchanged "
        "| Pearson, pooled | within documents | system level | half | ties |",
        f"|{' --- |' * 11}",
        f"| the paper: CNN / Daily Mail, trained reader | {' | '.join(published)} |{' |' * 6}",
    ]
    for questions, references, seeds in (("first", "the first reference", 5), ("all", "all references", 1)):
        scores = Apes(questions).score(batch)
        every = [score.evidence.traces if score.value is not None else () for score in scores]
        read_once = {
            value: {row.name: row for row in conditions(Apes(questions, value=value), records, seeds=seeds)}
            for value in (VALUES if questions == "first" else VALUES[:1])  # the conditions of all references take long
        }
        for value, name in NAMED.items():
            rows = read_once.get("share" if value == "occurs" else value, {})
            controls = [rows.get(control) for control in (GOLD, SOURCE, LEAD, SHUFFLED, INTERCHANGED)]
            shown = [percent(row and (row.occurs if value == "occurs" else row.apes)) for row in controls]
            values = np.array([worth(traces, value) for traces in every])
            there = ~np.isnan(values)
            documents = [each.document_id for each, kept in zip(batch, there, strict=True) if kept]
            systems = [each.system for each, kept in zip(batch, there, strict=True) if kept]
            first, second = map(np.array, within_document_pairs(documents))
            people, machine = ratings[there], values[there]
            counts = count_agreement(people[first] - people[second], machine[first] - machine[second])
            levels = [short(known(level.r)) for level in correlate(people, machine, documents, systems)]
            ties = short(counts.tied / counts.pairs)
            row = [f"{name}, questions of {references}", *shown, *levels, short(known(counts.half)), ties]
            lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


NAMED = {
    "share": "APES",
    "graded": "`graded`",
    "strict": "`strict`",
    "occurs": "*the answer occurs*, its lexical baseline",
}


def percent(share: float | None) -> str:
    """A share of questions in percent, nothing where it was not counted."""
    return "" if share is None else f"{100 * share:.1f}"


def worth(traces: Sequence, value: str) -> float:  # type: ignore[type-arg]
    """What a summary earns by one way of counting; NaN without questions."""
    if not traces:
        return float("nan")
    if value == "occurs":
        return sum(trace.right in trace.candidates for trace in traces) / len(traces)
    return total_credit(traces, value) / len(traces)


def documents(shown: str) -> str:
    """What it does to a p value that pairs of one document are not independent."""
    result = rouge1_against_length("strict")
    text = f"p = {known(result.p_pairs):.0e} pair by pair and {short(known(result.p_documents))} by documents"
    return re.sub(r"p = \S+ pair by pair and \S+ by documents", text, shown)


EXTRACTS = {
    "lead-1": "`lead-1`",
    "lexrank-1": "`lexrank-1`",
    "tldr-linear": "`tldr-linear`",
    "tldr-minilm": "`tldr-minilm`",
    "oracle-exact-rouge1-1": "*best sentence by ROUGE-1, an upper bound*",
}

MEASURED = ("rouge1", "rouge2", "rougeL", "rouge_k")


def summarizers(_: str) -> str:
    """Extracts of one sentence on SciTLDR test, beside what is published of systems that write."""
    documents = [document for document, _ in read_documents(SUMMEVAL.parent / "scitldr" / "test.jsonl")]
    metrics = make_metrics([*MEASURED, "length"])
    lines = ["| | ROUGE-1 | ROUGE-2 | ROUGE-L | ROUGE-K | words |", f"|{' --- |' * 6}"]
    for name, label in EXTRACTS.items():
        written = {summary.document_id: summary for summary in summarizer(name).summarize(documents)}
        examples = [each for document in documents for each in make_examples(document, [written[document.id]])]
        means = [np.mean([s.value for s in metric.score(examples) if s.value is not None]) for metric in metrics]
        lines.append(f"| {label} | {' | '.join(f'{100 * mean:.2f}' for mean in means[:-1])} | {means[-1]:.0f} |")
    for system in PUBLISHED["scitldr"].systems:
        means = [system.means[name] for name in MEASURED]
        lines.append(f"| *published: {system.system}* | {' | '.join(f'{100 * mean:.2f}' for mean in means)} | |")
    return "\n".join(lines) + "\n"


FIGURES: dict[str, Callable[[str], str]] = {
    "caption": caption,
    "example": example,
    "summeval": summeval,
    "apes": apes,
    "documents": documents,
    "oracles": oracles,
    "summarizers": summarizers,
}

if __name__ == "__main__":
    main()
