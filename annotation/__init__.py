"""The human side: studies, pairs, annotators and judgments, and their join with stored scores."""
