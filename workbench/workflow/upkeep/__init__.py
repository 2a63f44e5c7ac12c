"""Upkeep of an installation: whether everything in the database is what it says it is.

`checks.py` hashes what has a hash, recounts what judging, pooling and deciding left, and has the list of all
checks. To add a check: a function from a session to findings, and a line in `CHECKS`.
"""
