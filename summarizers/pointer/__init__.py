"""LSTMs with attention: Seq2Seq, the pointer-generator, and the pointer-generator optimised for APES.

`method` has the three as training methods, `words` their vocabulary, `network` their layers, `losses` and `entities`
their training targets, and `search` writes with them.
"""
