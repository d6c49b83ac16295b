"""How often a metric prefers what people prefer: counts, ties, intervals of very many pairs, plans and stopping."""
