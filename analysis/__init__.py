"""Metric against human: agreement with choices, correlation with ratings, and how sure either is.

Numbers in, results out: every function takes flat arrays, one entry a cell (a summary of a document by a
system) or one entry a pair of cells of one document, and returns named tuples with the counts they rest on.
What cannot be computed is None with a reason, never NaN.
"""
