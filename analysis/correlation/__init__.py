"""Correlations of scores with people's ratings: coefficients at three levels, their intervals and tests."""
