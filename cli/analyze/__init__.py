"""`relevance analyze`: a file for each kind of what is analysed, and the options of all."""
