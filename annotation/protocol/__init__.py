"""The protocol of a study: what its file `study.toml` says, and the versions that it has had."""
