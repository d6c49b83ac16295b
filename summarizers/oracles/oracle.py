"""Oracles over a document's references, and as systems of a data set."""

from collections.abc import Sequence
from typing import NamedTuple

from relevance.data.records import ORACLE_SYSTEM, Document, Summary
from relevance.data.signatures import signature
from relevance.metrics.base import check_option
from relevance.metrics.languages import ENGLISH, LANGUAGES, settings_of
from relevance.metrics.rouge import TOKENIZERS
from relevance.metrics.text import Reading, rouge_words
from relevance.summarizers.base import VERSION, SummaryLength, check_length
from relevance.summarizers.oracles.algorithms import ALGORITHMS, SECONDS
from relevance.summarizers.oracles.problem import DEFINITIONS, NO_LIMITS, Limits, Problem, Solution
from relevance.summarizers.sentences import sentences_of

REFERENCE_RULES = ("max", "first")
"""The reference that counts: the one with the highest F1, or the first. A mean over references is not offered: it is no
ratio of two sums, which the exact search needs."""


class Target(NamedTuple):
    """The score that an oracle maximises: ROUGE-N F1 by a definition, a rule for references and a tokenizer.

    For languages other than English, `tokenizer` is the code of the language.
    """

    n: int = 1
    definition: str = "clipped"
    references: str = "max"
    tokenizer: str = "ascii"

    @property
    def reading(self) -> Reading:
        """How words are read: stemmed, in lower case."""
        return Reading(self.tokenizer)

    @property
    def options(self) -> dict[str, object]:
        """The settings in signatures. N-grams are counted in sentences (`relevance.summarizers.oracles.problem`)."""
        return {
            "metric": f"rouge{self.n}",
            "definition": self.definition,
            "ngrams": "within-sentences",
            "refs": self.references,
            "tok": TOKENIZERS.get(self.tokenizer, "unicode"),
            **(settings_of(self.tokenizer) if self.tokenizer in LANGUAGES else {"stem": "porter"}),
        }


def checked_target(target: Target) -> Target:
    """Return a target, checked. Raises ValueError for unknown options, or an `n` below 1."""
    check_option("definition", target.definition, DEFINITIONS)
    check_option("references", target.references, REFERENCE_RULES)
    check_option("tokenizer", target.tokenizer, (*TOKENIZERS, *(code for code in LANGUAGES if code != ENGLISH)))
    if target.n < 1:
        raise ValueError(f"an n-gram has at least 1 word, not {target.n}")
    return target


class FoundExtract(NamedTuple):
    """The result of a search for a document."""

    solution: Solution
    """The best extract over the references that count. Its bound, if there is one, holds for all of them; its
    iterations are their sum."""
    reference: int
    """The index of the reference of its F1, the first of equal ones."""
    text: str
    """Its sentences joined by spaces; empty if nothing matches."""


def find_extract(
    document: Document,
    target: Target = Target(),  # noqa: B008  immutable
    algorithm: str = "exact",
    *,
    limits: Limits = NO_LIMITS,
    seed: int = 0,
    seconds: float = SECONDS,
) -> FoundExtract | None:
    """Search for the best extract of a document; None if it has no sentence, or no reference with a token.

    `seconds` is the time limit for one reference. Raises ValueError for unknown options and limits below 1.
    """
    check_option("algorithm", algorithm, ALGORITHMS)
    checked_target(target)
    sentences = sentences_of(document)
    references = document.references[:1] if target.references == "first" else document.references
    kept = [index for index, text in enumerate(references) if rouge_words(text, target.reading)]
    if not sentences or not kept:
        return None
    solutions = [
        ALGORITHMS[algorithm].search(
            Problem(
                sentences, references[index], target.n, target.definition, limits=limits, tokenizer=target.tokenizer
            ),
            seed=seed,
            seconds=seconds,
        )
        for index in kept
    ]
    best = max(range(len(kept)), key=lambda place: (solutions[place].f1, -place))
    bounds = [solution.bound for solution in solutions if solution.bound is not None]
    solution = solutions[best]._replace(
        bound=max(bounds) if len(bounds) == len(solutions) else None,
        iterations=sum(solution.iterations for solution in solutions),
    )
    return FoundExtract(solution, kept[best], " ".join(sentences[place] for place in solution.sentences))


def limits_of(length: SummaryLength | None, document: Document) -> Limits | None:
    """Return the limits of a document's extract; None if the reference gives the length and there is none."""
    if length is None:
        return NO_LIMITS
    if length.unit == "sentences":
        return Limits(sentences=length.amount)
    return Limits(words=words) if (words := length.words(document)) else None


class Oracle:
    """A system that writes the extract found by a search: an upper bound that reads the references.

    Its name is `oracle-exact-rouge1`, `oracle-vns_greedy-rouge2-set-first` and so on, with `-3`, `-100w` or `-ref` if a
    `length` limits it and `-seed7` for a seed other than 0. Unlike a baseline's extract, it never exceeds its number of
    words. In a `language` other than English, whose words ROUGE then uses, its name is `oracle-exact-rouge1-de`. A
    document without a suitable sentence has no summary. If the time limit ends an exact search, the summary is the best
    extract so far; `find_extract` tells whether it is proven. Raises ValueError for unknown options.
    """

    def __init__(
        self,
        algorithm: str = "exact",
        target: Target = Target(),  # noqa: B008  immutable
        length: SummaryLength | None = None,
        seed: int = 0,
        seconds: float = SECONDS,
        language: str = ENGLISH,
    ) -> None:
        check_option("language", language, LANGUAGES)
        check_option("algorithm", algorithm, ALGORITHMS)
        self.algorithm = algorithm
        self.target = checked_target(target if language == ENGLISH else target._replace(tokenizer=language))
        self.length = check_length(length) if length else None
        self.seed = seed
        self.seconds = seconds

    @property
    def name(self) -> str:
        """The system's name in a data set."""
        made_of = (
            f"{ORACLE_SYSTEM}{self.algorithm}-rouge{self.target.n}",
            "-set" if self.target.definition == "set" else "",
            "-first" if self.target.references == "first" else "",
            f"-{self.target.tokenizer}" if self.target.tokenizer in LANGUAGES else "",
            (self.length.suffix or f"-{self.length.amount}") if self.length else "",
            f"-seed{self.seed}" if self.seed else "",
        )
        return "".join(made_of)

    @property
    def signature(self) -> str:
        """Everything that its output depends on."""
        algorithm = ALGORITHMS[self.algorithm]
        return signature(
            "oracle",
            VERSION,
            algorithm=self.algorithm,
            **algorithm.settings,
            **({"seconds": f"{self.seconds:.12g}"} if algorithm.timed else {}),
            **({"seed": self.seed} if algorithm.seeded else {}),
            **self.target.options,
            **(self.length.option if self.length else {}),
        )

    def summarize(self, documents: Sequence[Document]) -> list[Summary]:
        """Write one summary per document, in order; one that has no summary is left out."""
        return [
            Summary(document.id, self.name, extract.text)
            for document in documents
            if (limits := limits_of(self.length, document)) is not None
            and (
                extract := find_extract(
                    document, self.target, self.algorithm, limits=limits, seed=self.seed, seconds=self.seconds
                )
            )
            and extract.text
        ]
