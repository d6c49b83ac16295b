"""The training methods of the papers: what each changes in a model, in its loss and in decoding."""
