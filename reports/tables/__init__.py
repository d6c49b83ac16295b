"""One function makes each table."""
