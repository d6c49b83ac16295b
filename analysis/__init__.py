"""Metric against human: agreement with choices, correlation with ratings, and how sure either is.

Every function takes flat arrays, with one entry for each cell (a summary of a document by a system) or for each pair of
cells of one document, and returns named tuples with the counts that the results rest on. A value that cannot be
computed is None with a reason, never NaN.
"""

import numpy as np  # noqa: F401  # loads the library that the limit is for
from threadpoolctl import threadpool_limits

# Most matrix products are small here: with two BLAS threads, which wait for each other, permutation tests took at least
# twice as long. Long computations run in threads of our own.
threadpool_limits(1, "blas")
