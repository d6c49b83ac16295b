"""Extractors that are learned: two that come with this package, and those of folders that `training` writes."""
