"""Slow computations in processes beside a hosted server, so that no visitor waits for another's table."""
