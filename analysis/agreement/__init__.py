"""Agreement of metrics with people's preferences: counts, ties, very many pairs, planning and stopping."""
