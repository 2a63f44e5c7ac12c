"""ONE grade from several.

To add a rule, write it in a module of its own as a `rule.Rule` (or, where it looks at the grades of one pair
only, as a function and an entry of `simple.SIMPLE`), and name it in `rules.RULES`. The qrels page, the
preview, the scores page, the options and the help of every command, JSON, CSV and the laws of all rules
(`tests/consensus/test_consensus_laws.py`) read that registry.
"""
