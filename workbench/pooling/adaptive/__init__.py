"""Pools that grow while assessors judge: the next document is chosen from the judgments so far.

A strategy is a `chooser.Chooser`, one for each topic, and a line in the catalogue `strategies.ADAPTIVE`;
`live.Adaptive` hands out what it chooses, to several assessors at once.
"""
