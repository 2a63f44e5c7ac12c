"""Pools that grow while assessors judge: the next document is chosen from the judgments so far.

`live.Adaptive` hands out what a `live.Chooser`, one for each topic, chooses, to several assessors at once.

To add a strategy: copy the nearest module here. A run as the arm of a bandit is a `bandits.Bandit` with
`values`; a document scored from the judgments extends `rank_biased.Residual`; anything else implements
`live.Chooser`. Declare it as a `Strategy` and add its line to `ADAPTIVE` in
`workbench.pooling.strategies`.
"""
