"""The protocol of a study: its file `study.toml`, and the versions of it."""
