"""Training of the methods of `relevance.summarizers.methods`: one run, its resuming, the grid, runs over seeds."""
