"""The command `analyze`: a file for each kind of input, and the options of all."""
