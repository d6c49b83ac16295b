"""The summarizers by name: `SUMMARIZERS` and `NUMBERED` list them all.

A summarizer writes at most one summary per document; if it skips some, `len(summaries) < len(documents)`.
"""

import re
from collections.abc import Callable, Iterable
from functools import partial
from itertools import product

from relevance.data.plugins import Registry, check_callable
from relevance.data.records import ORACLE_SYSTEM, REFERENCE_SYSTEM, TITLE_SYSTEM
from relevance.metrics.languages import ENGLISH, LANGUAGES
from relevance.summarizers.base import LENGTH_NAME, NUMBER, Summarizer, read_length
from relevance.summarizers.human import Reference, Title
from relevance.summarizers.lead import Lead
from relevance.summarizers.learned.extractor import SHIPPED, shipped
from relevance.summarizers.lexrank import LexRank
from relevance.summarizers.lsa import Lsa
from relevance.summarizers.oracles.algorithms import ALGORITHMS
from relevance.summarizers.oracles.oracle import Oracle, Target
from relevance.summarizers.plugins import make_checked
from relevance.summarizers.rake import Rake
from relevance.summarizers.random_sentences import Random
from relevance.summarizers.sumbasic import SumBasic
from relevance.summarizers.textrank import TextRank
from relevance.summarizers.tfidf import TfIdf


class UnknownSummarizer(ValueError):
    """There is no summarizer of a name."""


BASELINES: dict[str, Callable[..., Summarizer]] = {
    "lead": Lead,
    "random": Random,
    "textrank": TextRank,
    "lexrank": LexRank,
    "tfidf": TfIdf,
    "sumbasic": SumBasic,
    "lsa": Lsa,
    "rake": Rake,  # has no length in sentences: `rake` is `rake-ref`
}
"""Systems that do not see the references; each takes a `length`."""

LEARNED: dict[str, Callable[..., Summarizer]] = {name: partial(shipped, kind) for name, kind in SHIPPED.items()}
"""Extractors that come trained with this package, for a summary of one sentence; each takes a `length`."""

ORACLES: dict[str, Callable[..., Summarizer]] = {
    f"{ORACLE_SYSTEM}{algorithm}-rouge{n}{'-set' * (definition == 'set')}{'-first' * (references == 'first')}": partial(
        Oracle, algorithm, Target(n, definition, references)
    )
    for algorithm, n, definition, references in product(ALGORITHMS, (1, 2), ("clipped", "set"), ("max", "first"))
}
"""Systems that see the references; each takes a `length`, without which its length is not limited."""

OURS: dict[str, Callable[..., Summarizer]] = {**BASELINES, **LEARNED, **ORACLES, TITLE_SYSTEM: Title}

SUMMARIZERS = Registry(OURS, "relevance.summarizers", check_callable)
"""All of these by name, and the systems that installed packages bring."""

SEEDED = {"random", *(name for name in ORACLES if ALGORITHMS[name.split("-")[1]].seeded)}
"""The systems that take a `seed`."""

SPEAKING = {"textrank", "lexrank", "tfidf", "sumbasic", "lsa", "rake", *ORACLES}
"""The systems that take a `language`; the others do not look at words."""

NUMBERED: dict[str, Callable[[int], Summarizer]] = {REFERENCE_SYSTEM: Reference}  # by the name before the number

NAME = re.compile(
    rf"(?P<system>.+?)(?:-(?P<language>{'|'.join(code for code in LANGUAGES if code != ENGLISH)}))?"
    rf"(?:-cut(?P<longest>{NUMBER}))?"
    rf"(?:-(?P<length>{LENGTH_NAME}))?"
    rf"(?:-seed(?P<seed>0|{NUMBER}))?"
)

KNOWN = (
    f"{', '.join(BASELINES)} (-K: so many sentences, -Kw: words, -ref: words of the first reference; random-seedK; "
    f"rake-cutK: phrases of at most K words), {', '.join(LEARNED)} (the same lengths), "
    f"{TITLE_SYSTEM}, {REFERENCE_SYSTEM}K, oracle-A-rouge1, oracle-A-rouge2 (A is {', '.join(ALGORITHMS)}; "
    "-set: each n-gram once, -first: the first reference only; then a length or seed, as above), where K is a number "
    "from 1; and checkpoints and language models, such as seq2seq:DIR, gguf:FILE, llm:MODEL (all: --list)"
)


def baselines_among(systems: Iterable[str]) -> tuple[str, ...]:
    """Select the systems named like one of `BASELINES`, of any length and seed, in their order."""
    return tuple(
        system for system in systems if (read := NAME.fullmatch(system)) is not None and read["system"] in BASELINES
    )


def in_language(name: str, language: str) -> str:
    """Return a system's name for a language: `textrank-de-2` for `textrank-2`; unchanged if it ignores words."""
    read = NAME.fullmatch(name)
    if language == ENGLISH or read is None or read["system"] not in SPEAKING or read["language"]:
        return name
    return f"{read['system']}-{language}{name.removeprefix(read['system'])}"


def guide() -> str:
    """Explain the names of systems and list them all, in lines of at most 80 characters."""
    return "\n".join(
        [
            "A name is a system, then a language, a length and a seed; the last three may be",
            "left out.",
            f"language: -{' -'.join(code for code in LANGUAGES if code != ENGLISH)},",
            "of all that look at words; without it they are those of English",
            "length: -K sentences, -Kw words, -ref as many words as the first reference",
            "seed: -seedK, of random and oracles but for greedy and exact",
            "such as lead, textrank-2, lexrank-100w, random-5-seed7, oracle-exact-rouge1,",
            "oracle-vns-rouge2-set-ref-seed3",
            "",
            "Systems that do not see the references (3 sentences each, rake -ref):",
            *(f"  {name}" for name in BASELINES if name != "rake"),
            "  rake (key phrases; no length in sentences; rake-cutN: of at most N words)",
            "",
            "Extractors that were trained on summaries of papers (1 sentence each):",
            *(f"  {name}" for name in LEARNED),
            "  extractor:DIR (of one's own: relevance train extractor)",
            "",
            "Models on this machine, from which nothing is downloaded or run but weights:",
            "  seq2seq:DIR (encoder-decoders such as BART and T5; those of relevance train)",
            "  causal:DIR  (language models), gguf:FILE (those of llama.cpp)",
            "  presumm:DIR, pointer:DIR (those of relevance train presumm, lstm and pointer)",
            "",
            "Language models that are asked by a prompt, in the manner of the ROUGE-K paper:",
            "  llm:MODEL (at an address), llm:causal:DIR, llm:gguf:FILE (on this machine)",
            "",
            "Oracles, upper bounds that read the references (as long as they like):",
            "  oracle-A-rouge1|rouge2[-set][-first]",
            f"  A:      {', '.join(name for name in ALGORITHMS if '@paper' in name)},",
            f"          {', '.join(name for name in ALGORITHMS if '@code' in name)},",
            f"          {', '.join(name for name in ALGORITHMS if '@' not in name)}",
            "          (greedy, @paper: of Akhmetov et al. 2022; @code: by their notebook)",
            "  rouge2: of the bigrams inside sentences, no bound of ordinary ROUGE-2",
            "  -set:   each n-gram counts once, not as often as both texts have it",
            "  -first: only the first reference counts, not the one best reached",
            "",
            *(
                ["Systems of other packages:", *(f"  {name}" for name in SUMMARIZERS.others), ""]
                if SUMMARIZERS.others
                else []
            ),
            "Texts that people wrote (no length, no seed):",
            f"  {TITLE_SYSTEM}",
            *(f"  {name}K" for name in NUMBERED),
        ]
    )


def summarizer(name: str) -> Summarizer:
    """Make a summarizer by its name, such as `lead`, `textrank-2`, `lexrank-100w` or `oracle-exact-rouge1-ref`.

    Raises `UnknownSummarizer`, and ValueError for `rake` with a length in sentences.
    """
    numbered = re.fullmatch(rf"(.*?)({NUMBER})", name)
    if numbered and numbered[1] in NUMBERED:
        return NUMBERED[numbered[1]](int(numbered[2]))
    read = NAME.fullmatch(name)
    if read is None or (system := read["system"]) not in SUMMARIZERS:
        why = SUMMARIZERS.tell_why(read["system"]) if read else ""
        raise UnknownSummarizer(
            f"unknown summarizer {name!r}{why}; known are {', '.join([*SUMMARIZERS.others, KNOWN])}"
        )
    options: dict[str, object] = {}
    if length := read_length(read["length"] or ""):
        options["length"] = length
    if read["seed"]:
        options["seed"] = int(read["seed"])
    if read["language"]:
        options["language"] = read["language"]
    if read["longest"]:
        options["longest"] = int(read["longest"])
    if system not in OURS:
        return make_checked(name, SUMMARIZERS[system], options)
    if (
        (length and system == TITLE_SYSTEM)
        or (read["seed"] and system not in SEEDED)
        or (read["language"] and system not in SPEAKING)
        or (read["longest"] and system != "rake")
    ):
        raise UnknownSummarizer(f"unknown summarizer {name!r}; known are {KNOWN}")
    return SUMMARIZERS[system](**options)
