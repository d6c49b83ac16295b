"""Bundles: a study with all that it rests on in one file, which anybody can check and run again."""
