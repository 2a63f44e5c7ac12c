"""Models of assessors: the grade that is most likely, given how reliable each assessor is.

A model takes `votes.Votes` and returns a `votes.Posterior`; `votes.most_likely` makes it a rule.
"""
