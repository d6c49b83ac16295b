"""The pages Studies and New study."""
