"""The meaning of terms in tables and on pages, in a sentence each, for help of columns and for the glossary."""

TERMS: dict[str, str] = {
    "agreement": "The share of pairs on which a metric prefers the summary that people prefer. Chance is .500.",
    "half": "Agreement where a metric's tie counts half: (C + T/2) / n.",
    "strict": "Agreement where a metric's tie counts as a miss: C / n, the rule of the ROUGE-K paper.",
    "decided": "Agreement without the metric's ties: C / (C + D).",
    "n": "Pairs, or judgments, on which people prefer a summary and the metric has scores.",
    "ties": "Pairs on which the metric gives both summaries the same score.",
    "missing": "Pairs on which the metric has no score, such as ROUGE-K without keywords.",
    "coverage": "The share of pairs that the metric decides: (C + D) / n.",
    "acc_eq": "Pairwise accuracy that counts people's ties, too, with a fitted tie threshold (Deutsch et al. 2023).",
    "threshold": "The difference of scores up to which acc_eq takes a metric to tie.",
    "C": "Concordant: the metric prefers the summary that people prefer.",
    "D": "Discordant: the metric prefers the other one.",
    "T": "Ties of the metric.",
    "pooled": "All summaries of all documents together, called global in files.",
    "within documents": "Summary level: the mean over documents of the coefficient within each, called input in files.",
    "system level": "The coefficient of the systems' mean scores.",
    "left out": "Documents in which the scores or the ratings are all the same: they have no coefficient.",
    "p": "The chance of a difference at least as large if there were none, before any correction.",
    "p (Holm)": "The same after Holm's correction over all comparisons of the table.",
    "truncated": "Scores of texts whose end the model did not see.",
    "share": "Pairs on which ROUGE-K and the other metric prefer different summaries, of all that both score.",
    "wealth": "What somebody owns who began with 1 and bets that there is a difference; the study stops when it is "
    "enough.",
    "1/alpha": "The wealth that is enough: without a difference it is ever reached in alpha of the studies at most.",
    "counted": "Complete documents with a judgment in which people prefer a summary that the metrics have scores for.",
    "consistent": "The share of pairs of which a language model says the same in both orders.",
    "first shown": "The share of its answers that prefer the summary shown first; one half for a fair judge.",
    "words": "Mean number of words: keyword recall grows with length.",
}
"""Explanations by the term as tables and charts write it."""

CONCEPTS: dict[str, str] = {
    "Annotators": "People who chose between two summaries in a study of this app.",
    "Language model that judges": "A language model that was asked a study's question about each pair, in both orders.",
    "Ratings": "Scores that people gave single summaries, imported with a data set.",
    "Author labels": "Ranks that the author of the demo corpus gave its summaries.",
    "Interval": "95 % intervals; they hold for new documents of the same kind, and from five annotators on for others, "
    "too.",
    "Upper bound": "The ROUGE of the best extract that the document allows (Akhmetov et al. 2022).",
}
"""Explanations of the terms on pages, in the order of the glossary."""
