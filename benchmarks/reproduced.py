"""Writes the tables of docs/reproduce: figures of the four papers, beside what the commands above them print here.

`make figures` writes them; a test makes them again. They need the development data in ../shared/data.
"""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.corpora import corpora_rouge_k, corpora_sources, corpora_table
from benchmarks.prepared import ROOT, SHARED, Lines, block, number, percent, pick, prepared, published, run, tables

PAGES = ROOT / "docs" / "reproduce"
BLOCK = re.compile(r"(<!-- figures: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def main() -> None:
    """Make all tables and write them down."""
    with prepared():
        for path in sorted(PAGES.glob("*.md")):
            text = path.read_text(encoding="utf-8")
            made = rewritten(text)
            print(f"{path.name}: {'as it was' if made == text else 'changed'}", file=sys.stderr)
            path.write_text(made, encoding="utf-8")


def rewritten(text: str) -> str:
    """A page with its tables made anew, in a `prepared` folder."""
    return BLOCK.sub(lambda match: f"{match[1]}{TABLES[match[2]]()}{match[3]}", text)


# --- ROUGE-K ------------------------------------------------------------------------------------------------------

LEXICAL = ("rouge1", "rouge2", "rougeL", "rouge_k")
ASKED_PEOPLE = "analyze summeval-25.jsonl --metrics rouge1,rouge2,rougeL,bertscore,rouge_k --tables agreement,rouge_k"
SYSTEMS = (
    "import scitldr/test.jsonl --name scitldr",
    "summarize scitldr --system lead-1,lexrank-1,tldr-linear",
    f"analyze scitldr --metrics {','.join(LEXICAL)} --tables systems,systems_published,length,rouge_k,discrepancies",
)


def scitldr() -> dict[str, Any]:
    """The tables of three systems on SciTLDR test."""
    for line in SYSTEMS[:-1]:
        run(line)
    return tables(SYSTEMS[-1])


def rouge_k_example() -> str:
    """Table 1: two hypotheses of one paper."""
    line = "analyze hawaiian.jsonl --metrics rouge1,bertscore,rouge_k --tables systems"
    ours = tables(line)["systems"]
    paper = json.loads((SHARED / "rouge_k_table1.json").read_text(encoding="utf-8"))["hypotheses"]
    rows = []
    for each in paper:
        row, of = pick(ours, system=each["name"]), each["published"]
        shown = [number(of["rouge1_f1"], 4), number(row["rouge1"], 4), number(of["bertscore_f1"], 4)]
        rows.append([each["name"], *shown, number(row["bertscore"], 4), number(row["rouge_k"], 4)])
    head = ["", "ROUGE-1, paper", "ours", "BERTScore, paper", "ours", "ROUGE-K, ours"]
    return block([line], head, rows)


def rouge_k_agreement() -> str:
    """Table 3: how often metrics agree with people."""
    paper, ours = published("rouge_k")["table3_agreement_percent"], tables(ASKED_PEOPLE)["agreement"]
    datasets = ("SciTLDR", "XSum")
    rows = [
        [
            f"`{name}`",
            *(number(paper[of][name], 2) for of in ("SciTLDR", "XSum")),
            percent(row["strict"]),
            percent(row["half"]),
            percent(row["T"] / row["n"]),
        ]
        for name in ("rouge1", "rouge2", "rougeL", "bertscore", "rouge_k")
        for row in [pick(ours, metric=name)]
    ]
    pairs = [f"{paper[of]['pairs']:,}" for of in datasets]
    rows.append(["pairs", *pairs, f"{ours[0]['n']:,}", "", ""])
    head = ["agreement in %", "paper: SciTLDR", "paper: XSum", "ours: SummEval", "ties as half", "ties of the metric"]
    return block([ASKED_PEOPLE], head, rows)


def rouge_k_discrepancy() -> str:
    """How often ROUGE-K and ROUGE-1 prefer different summaries."""
    row = pick(scitldr()["discrepancies"], first="rouge_k", second="rouge1")
    low, high = (percent(share) for share in row["share 95 %"])
    ours = f"{percent(row['share'])} ({low} to {high})"
    paper = number(published("rouge_k")["discrepancy_percent"], 1)
    return block(
        SYSTEMS, ["pairs on which ROUGE-K and ROUGE-1 part, in %", "paper", "ours"], [["SciTLDR", paper, ours]]
    )


def rouge_k_keywords() -> str:
    """Table 4: references and keywords of SciTLDR."""
    lines = [f"analyze scitldr/{split}.jsonl --tables dataset" for split in ("train", "dev", "test")]
    ours = [tables(line)["dataset_keywords"][0] for line in lines]
    paper = published("rouge_k")["table4_keywords_train_val_test"]
    rows = []
    for column, name in (
        ("references per document", "references_per_document"),
        ("keywords per document", "keywords_per_summary"),
        ("words per keyword", "keyword_length_words"),
    ):
        figures = [
            f"{number(published, 1)} / {number(of[column], 1)}"
            for published, of in zip(paper["SciTLDR"][name], ours, strict=True)
        ]
        rows.append([column, *figures])
    return block(lines, ["SciTLDR, paper / ours", "train", "dev", "test"], rows)


def rouge_k_length() -> str:
    """Table 6: correlation with length."""
    paper, ours = published("rouge_k")["table6_pearson_with_length"], scitldr()["length"]
    rows = [
        [f"`{name}`", *(number(paper[of][name]) for of in paper), number(row["global"]), number(row["input"])]
        for name in LEXICAL
        for row in [pick(ours, first=name, coefficient="pearson")]
    ]
    head = ["Pearson's r with length", *(f"paper: {of}" for of in paper), "ours: SciTLDR, pooled", "within documents"]
    return block(SYSTEMS, head, rows)


def rouge_k_other_metrics() -> str:
    """Table 7: correlation with ROUGE-K."""
    paper = published("rouge_k")["table7_pearson_with_rouge_k"]
    here, there = scitldr()["rouge_k"], tables(ASKED_PEOPLE)["rouge_k"]
    rows = []
    for name, metric in (("rouge1_mean", "rouge1 (refs:mean)"), ("rouge1_max", "rouge1"), ("bertscore", "bertscore")):
        ours = [
            number(
                next((row["global"] for row in of if (row["first"], row["coefficient"]) == (metric, "pearson")), None)
            )
            for of in (here, there)
        ]
        rows.append([f"`{metric}`", *(number(paper[of][name]) for of in paper), *ours])
    head = ["Pearson's r with ROUGE-K", *(f"paper: {of}" for of in paper), "ours: SciTLDR", "ours: SummEval"]
    return block([*SYSTEMS, ASKED_PEOPLE], head, rows)


AS_PUBLISHED = "analyze scitldr --metrics rouge_k --lemmas spacy --match substring --tables systems"
"""ROUGE-K as the published code computes it, by which the paper's figures were made."""


def rouge_k_systems() -> str:
    """Tables 5, 8, 9 and 10: means of systems, and by where keywords occur."""
    measured = scitldr()
    names = (*LEXICAL, "IN-SRC", "OUT-SRC")
    by_their_code = {row["system"]: row["rouge_k"] for row in tables(AS_PUBLISHED)["systems"]}
    rows = [
        [f"`{row['system']}`", *(percent(row[name], 2) for name in names), percent(by_their_code[row["system"]], 2)]
        for row in measured["systems"]
    ]
    for row in measured["systems_published"]:
        shares = ["–" if name == "rouge_k" or row[name] is None else percent(row[name], 2) for name in names]
        rows.append([f"*{row['system']}*", *shares, percent(row["rouge_k"], 2)])
    return block([*SYSTEMS, AS_PUBLISHED], ["in %", *names, "rouge_k by their code"], rows)


# --- CAROUGE ------------------------------------------------------------------------------------------------------


def carouge_example() -> str:
    """The example of the section on the metric."""
    lines = [
        f"score -c summary.txt -r reference.txt --metrics rouge1,carouge --norm {norm} --vectors glove.6B.50d.txt "
        f"-o {norm}.jsonl"
        for norm in ("reference", "summary")
    ]
    rows = []
    for line, norm in zip(lines, ("its code (`reference`)", "its words (`summary`)"), strict=True):
        run(line)
        scores = json.loads(Path(line.split()[-1]).read_text(encoding="utf-8"))["metrics"]
        rows.append([norm, number(scores["carouge"], 4), number(scores["rouge1"], 4)])
    paper = published("carouge")["example"]
    rows.insert(0, ["paper", number(paper["carouge"], 4), number(paper["rouge1"], 4)])
    return block(lines, ["“A wonderful article” for “The great paper”", "CAROUGE", "ROUGE-1"], rows)


def carouge_rows(lines: Lines, systems: dict[str, str], paper: dict[str, Any], ours: str) -> str:
    """The means of systems here beside those of the paper, by the label that both have."""
    for line in lines[:-1]:
        run(line)
    of_systems = tables(lines[-1])["systems"]
    rows = []
    for label, system in systems.items():
        of, row = paper[label], pick(of_systems, system=system)
        published = [number(of[name], 2) for name in ("rouge1", "rouge2", "carouge1")]
        rows.append(
            [label, *published, f"`{system}`", *(number(row[name], 2) for name in ("rouge1", "rouge2", "carouge"))]
        )
    head = ["paper", "ROUGE-1", "ROUGE-2", "CAROUGE-1", ours, "ROUGE-1", "ROUGE-2", "CAROUGE"]
    return block(lines, head, rows)


BY_THE_PAPER = "--metrics rouge1,rouge2,carouge --value recall --counts set --tables systems"


def carouge_systems() -> str:
    """Table 3: RAKE and TextRank."""
    lines = [
        "import summeval-25.jsonl --name news",
        "summarize news --system rake-ref,textrank-ref",
        f"analyze news {BY_THE_PAPER} --references first",
    ]
    systems = {"RAKE": "rake-ref", "TextRank": "textrank-ref"}
    return carouge_rows(lines, systems, published("carouge")["table3_means"], "ours: 25 articles of SummEval")


def carouge_people() -> str:
    """Table 4: summaries by people."""
    lines = [
        "import scitldr-50.jsonl --name people",
        "summarize people --system reference:1",
        f"analyze people {BY_THE_PAPER}",
    ]
    paper = {"Human": published("carouge")["table4_human"]}
    return carouge_rows(lines, {"Human": "reference:1"}, paper, "ours: 50 papers of SciTLDR")


# --- APES ---------------------------------------------------------------------------------------------------------

HELD_TO_PEOPLE = (
    "analyze summeval-25.jsonl --metrics rouge1,rouge2,rougeL,rougeSU4,apes --references first --tables human,matrix"
)
COLUMNS = (
    "n",
    "APES",
    "sd",
    "micro",
    "occurs",
    "perfect",
    "zero",
    "questions",
    "entities",
    "salient",
    "density",
    "R-1",
    "R-2",
    "R-L",
)
"""Of the table of conditions, behind the name of a row."""
CONDITIONS = "apes summeval-10.jsonl --conditions --questions first"


def apes_people() -> str:
    """Table 1: correlation with people."""
    paper, ours = published("apes")["table1_pearson"], tables(HELD_TO_PEOPLE)["human"]
    rows = []
    for name in ("rouge1", "rouge2", "rougeL", "rougeSU4", "apes"):
        row = pick(ours, second=name, coefficient="pearson")
        in_paper = [number(paper[of][name.removesuffix("4")]) for of in ("pyramid", "responsiveness")]
        rows.append([f"`{name}`", *in_paper, *(number(row[level]) for level in ("global", "input", "system"))])
    head = ["Pearson's r with people", "paper: Pyramid", "paper: Responsiveness"]
    return block([HELD_TO_PEOPLE], [*head, "ours: pooled", "within documents", "system level"], rows)


def apes_metrics() -> str:
    """Table 2: correlation of metrics with each other."""
    paper, ours = published("apes")["table2_metric_correlation"], tables(HELD_TO_PEOPLE)["matrix"]
    rows = []
    for name, value in paper.items():
        first, second = name.split("_")
        row = pick(ours, first=first, second=second, coefficient="pearson")
        rows.append([f"`{first}`, `{second}`", number(value, 2), number(row["global"], 2)])
    return block([HELD_TO_PEOPLE], ["Pearson's r", "paper: TAC 2011", "ours: SummEval, pooled"], rows)


def conditions() -> dict[str, dict[str, str]]:
    """The table of conditions: APES, entities and salient ones by the name of a row."""
    _, *lines = run(CONDITIONS).partition("\n\n")[0].splitlines()
    cells = [line.rsplit(maxsplit=len(COLUMNS)) for line in lines]
    return {name.strip(): dict(zip(COLUMNS, row, strict=True)) for name, *row in cells}


def apes_entities() -> str:
    """Table 3: entities of summaries."""
    paper, ours = published("apes")["table3_entities"], conditions()
    rows = []
    for label, name in (("See et al.", "M8"), ("gold", "gold")):
        in_paper = [number(paper[label][0], 1), number(paper[label][1], 2), number(paper[label][2], 2)]
        rows.append(
            [label, *in_paper, f"`{name}`", *(ours[name][column] for column in ("APES", "entities", "salient"))]
        )
    head = [
        "paper",
        "APES in %",
        "entities",
        "salient",
        "ours: 10 articles of SummEval",
        "APES in %",
        "entities",
        "salient",
    ]
    return block([CONDITIONS], head, rows)


def apes_conditions() -> str:
    """Table 4: what the reader answers from which text."""
    paper, ours = published("apes")["table4_apes_percent"], conditions()
    rows = []
    for label, name in (
        ("source", "source"),
        ("gold", "gold"),
        ("shuffled_gold", "shuffled gold"),
        ("lead3", "lead-3"),
        ("pointer_generator_coverage", "M8"),
    ):
        rows.append([label.replace("_", " "), number(paper[label], 1), f"`{name}`", ours[name]["APES"]])
    return block([CONDITIONS], ["APES in %", "paper: CNN / Daily Mail", "ours: 10 articles of SummEval", ""], rows)


# --- the upper bound ----------------------------------------------------------------------------------------------

SEARCHES = ("vns", "greedy", "vns_greedy", "genetic", "genetic_greedy")


def upper_bound() -> str:
    """Means and lengths of extracts by each search."""
    by_text = [name if name == "greedy" else f"{name}@paper" for name in SEARCHES]
    algorithms = ",".join([*by_text, "vns@code", "vns_greedy@code", "exact"])
    line = f"oracle scitldr/test.jsonl --documents 50 --definition set --algorithms {algorithms}"
    of_algorithms = json.loads(run(f"{line} --format json"))["algorithms"]
    paper = published("rouge_upper_bound")
    rows = []
    for name in algorithms.split(","):
        of = of_algorithms[name]
        plain = name.partition("@")[0]
        in_paper = [number(value, 2) for value in paper["arxiv_means"].get(plain, (None, None))]
        in_paper.append(number(paper["mean_sentences"].get(plain), 0))
        ours = [number(of["mean"], 2), number(of["rouge2"], 2), number(of["sentences"], 1), number(of["gap"])]
        rows.append([f"`{name}`", *in_paper, *ours])
    head = ["", "paper: ROUGE-1", "ROUGE-2", "sentences", "ours: ROUGE-1", "ROUGE-2", "sentences", "gap to the optimum"]
    return block([line], head, rows)


TABLES: dict[str, Callable[[], str]] = {
    "rouge-k-1": rouge_k_example,
    "rouge-k-3": rouge_k_agreement,
    "rouge-k-discrepancy": rouge_k_discrepancy,
    "rouge-k-4": rouge_k_keywords,
    "rouge-k-6": rouge_k_length,
    "rouge-k-7": rouge_k_other_metrics,
    "rouge-k-8-9": rouge_k_systems,
    "carouge-example": carouge_example,
    "carouge-3": carouge_systems,
    "carouge-4": carouge_people,
    "apes-1": apes_people,
    "apes-2": apes_metrics,
    "apes-3": apes_entities,
    "apes-4": apes_conditions,
    "upper-bound": upper_bound,
    "corpora": corpora_table,
    "corpora-rouge-k": corpora_rouge_k,
    "corpora-sources": corpora_sources,
}
"""The tables by the names that stand in the pages."""

if __name__ == "__main__":
    main()
