"""ONE grade from several.

To add a rule, write it in a module of its own as a `votes.Rule` (or, where it looks at the grades of one pair
only, as a function and an entry of `rules.SIMPLE`), and name it in `rules.RULES`. The qrels page, the
preview, the scores page, the options and the help of every command, JSON, CSV and the laws of all rules
(`tests/consensus/test_consensus_laws.py`) read that registry.

Decisions:

- Majority means plurality, the most frequent grade; what happens to ties must be stated. *Adjudicated
  first* has another rule behind it and is the default once anything is adjudicated. *Two and an
  adjudicator* leaves out a pair that one assessor alone graded, *sum* pairs with fewer grades than the
  best judged pair. *Mean* is a soft label, an export of its own, never qrels. Of repeated judgments the
  latest counts.
"""
