"""Extractive coverage: the share of a summary's words in fragments that its source has, too (Grusky et al. 2018)."""

import re
from dataclasses import dataclass
from functools import partial

from relevance.metrics import MatchedEvidence, MetricKind, Score, TextMatch, option


@dataclass(frozen=True)
class Options:
    """What people can set, by `--shortest`."""

    shortest: int = option(1, "Coverage: words of the shortest fragment that counts.", given_as=int, least=1)


@dataclass(frozen=True)
class Coverage:
    """The metric; two of the same signature give the same scores."""

    shortest: int
    name = "coverage"

    @property
    def signature(self):
        """The name, the settings and the version of all that values depend on."""
        return f"coverage|shortest:{self.shortest}|version:1.0"

    def score(self, examples):
        """Score a batch: a `Score` for each example, in their order."""
        return [self.score_one(example) for example in examples]

    def score_one(self, example):
        """Score one summary, or say why it has no score."""
        if not example.source:
            return Score(None, "there is no source")
        words, source = (list(re.finditer(r"\w+", text)) for text in (example.candidate, example.source))
        if not words:
            return Score(None, "the summary has no word")
        fragments = [fragment for fragment in find_fragments(words, source) if fragment[2] >= self.shortest]
        covered = sum(length for _, _, length in fragments)
        sentence = f"{covered} of {len(words)} words are in {len(fragments)} fragments of the source"
        return Score(covered / len(words), explain=partial(make_evidence, words, source, fragments, sentence))


def find_fragments(words, source):
    """Find the longest fragments from left to right, each as its places in both texts and its length in words."""
    ours, theirs = ([word.group().lower() for word in matches] for matches in (words, source))
    places, start, fragments = {}, 0, []
    for place, word in enumerate(theirs):
        places.setdefault(word, []).append(place)
    while start < len(ours):
        length, place = 0, 0
        for begin in places.get(ours[start], ()):
            run = 1
            while start + run < len(ours) and begin + run < len(theirs) and ours[start + run] == theirs[begin + run]:
                run += 1
            length, place = max((length, place), (run, begin), key=lambda run: run[0])
        if length:
            fragments.append((start, place, length))
        start += max(1, length)
    return fragments


def make_evidence(words, source, fragments, sentence):
    """Return where the fragments lie in both texts; it is called only when somebody looks at it."""

    def span(words, start, length):
        return words[start].start(), words[start + length - 1].end()

    matches = (TextMatch(span(words, i, n), span(source, j, n), reference=None) for i, j, n in fragments)
    return MatchedEvidence(tuple(matches), sentence)


COVERAGE = MetricKind(
    "coverage",
    "Coverage",
    "share of the summary's words in fragments of the source",
    make=Coverage,
    options=Options,
    options_of=lambda settings: {"shortest": int(settings["shortest"])},
    evidence=MatchedEvidence,
    renderer="matched",
    source="Grusky, Naaman, Artzi (2018). Newsroom: A Dataset of 1.3 Million Summaries. NAACL",
)
