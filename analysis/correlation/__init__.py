"""How scores correlate with what people say: coefficients at three levels, their intervals and tests."""
