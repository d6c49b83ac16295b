"""Metric against human: agreement with choices, correlation with ratings, and how sure either is.

Numbers in, results out: every function takes flat arrays, one entry a cell (a summary of a document by a
system) or one entry a pair of cells of one document, and returns named tuples with the counts they rest on.
What cannot be computed is None with a reason, never NaN.
"""

import numpy as np  # noqa: F401  # brings the library that the limit is for
from threadpoolctl import threadpool_limits

# Most products of matrices are small here: with two threads each, which wait for each other, permutation tests took at
# least twice as long. What takes long is done in threads of our own.
threadpool_limits(1, "blas")
