"""Upkeep of an installation: whether everything in the database is what it says it is.

`verify.py` has the list of checks; `content_checks.py` hashes what has a hash, `record_checks.py` recounts
what judging, pooling and deciding left. To add a check: a function from a session to findings, and a line in
`CHECKS`.
"""
