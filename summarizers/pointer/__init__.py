"""LSTMs with attention that learn to write: Seq2Seq, the pointer-generator, and the one optimised for APES.

`method` has the three as training methods, `words` their vocabulary, `network` computes them, `losses` and `entities`
say what they learn, `search` writes with them.
"""
