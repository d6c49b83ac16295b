"""Oracles: extracts of a document with the highest ROUGE-N F1 against its references, or nearly so.

They read the references, so they do not compete with systems: they tell how high any extract could score. `ALGORITHMS`
lists the searches, `Target` is the score to maximise, `find_extract` runs a search on a document, and `Oracle` makes a
system of it.

The score is ROUGE-N of the n-grams inside the extract's sentences. Clipped ROUGE-1 is the ordinary ROUGE-1 of the
joined text. Ordinary ROUGE-2 is another number: it also counts bigrams across sentence ends, and may be higher, so that
the optimum here does not bound it. Special cases:

- a document without a sentence, or without a reference that has a token, has no oracle (`find_extract` gives None);
- if no sentence shares an n-gram with the reference, or none keeps the limits, every algorithm returns the empty
  extract with F1 0, and `Oracle` writes no summary;
- sentences without an n-gram of the reference are never taken, as they only make an extract longer, except by the
  searches of the paper, whose extracts keep their number of sentences;
- of two sentences with the same words the extract has one, or both if the reference has them twice (`clipped`). In the
  `set` definition both are worth as much as one: a random search may take both, the exact one does not. The choice
  between them depends on the search, but is the same in every run.
"""

from relevance.summarizers.oracles.algorithms import ALGORITHMS, BY_DEFAULT
from relevance.summarizers.oracles.oracle import REFERENCE_RULES, Oracle, Target, find_extract
from relevance.summarizers.oracles.problem import DEFINITIONS, Limits, Problem, Solution

__all__ = [
    "ALGORITHMS",
    "BY_DEFAULT",
    "DEFINITIONS",
    "REFERENCE_RULES",
    "Limits",
    "Oracle",
    "Problem",
    "Solution",
    "Target",
    "find_extract",
]
