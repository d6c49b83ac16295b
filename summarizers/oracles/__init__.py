"""Oracles: the extracts of a document that score the highest ROUGE-N F1 against its references, or nearly so.

They read the references, so that they are no competitors: they say how high any extract could score. `ALGORITHMS` names
the searches, `Target` says what is maximised, `find_extract` runs a search on a document, `Oracle` makes a system of
it.

What is maximised is ROUGE-N of the n-grams inside the extract's sentences. Clipped ROUGE-1 is the ordinary ROUGE-1 of
the joined text. Ordinary ROUGE-2 is another number: it also counts the bigrams across sentence ends, and may be higher,
so that the optimum here does not bound it. What is defined where there is little to choose from:

- a document without a sentence, or without a reference that has a token, has no oracle (`find_extract` gives None);
- where no sentence shares an n-gram with the reference, or none keeps the limits, every algorithm returns the empty
  extract with F1 0, and `Oracle` writes no summary;
- sentences without an n-gram of the reference are never taken, save by the searches of the paper, whose extracts keep
  their number of sentences: they make an extract longer and nothing else;
- of two sentences that say the same the extract has one, or both where the reference says it twice (`clipped`). In the
  `set` definition both are worth as much as one: a random search may take both, the exact one does not. Which one it
  is depends on the search, but is the same at every run.
"""

from summarizers.oracles.algorithms import ALGORITHMS
from summarizers.oracles.oracle import REFERENCE_RULES, Oracle, Target, find_extract
from summarizers.oracles.problem import DEFINITIONS, Limits, Problem, Solution

__all__ = [
    "ALGORITHMS",
    "DEFINITIONS",
    "REFERENCE_RULES",
    "Limits",
    "Oracle",
    "Problem",
    "Solution",
    "Target",
    "find_extract",
]
