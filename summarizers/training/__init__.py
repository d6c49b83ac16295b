"""Training of the methods of `summarizers.methods`: one run, its resuming, the grid, runs over seeds."""
