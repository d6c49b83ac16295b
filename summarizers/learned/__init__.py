"""Learned extractors: two that come with this package, and those in folders written by `training`."""
