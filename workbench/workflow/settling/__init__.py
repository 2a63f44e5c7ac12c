"""Disputes, adjudication and discussion; the rules that make qrels, and what they are worth."""
