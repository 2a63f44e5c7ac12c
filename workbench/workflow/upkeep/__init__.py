"""Upkeep of an installation: whether everything in the database is what it says it is.

`verify.py` has the list of checks; `checks.py` hashes what has a hash, and recounts what judging,
pooling and deciding left. To add a check: a function from a session to findings, and a line in
`CHECKS`.
"""
