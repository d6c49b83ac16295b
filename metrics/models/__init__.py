"""Models on this machine: their files, the shared encoder, word vectors."""
