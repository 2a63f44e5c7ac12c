"""The tab "Scores": the leaderboard, one run, two runs, all pairs of runs, topics, curves.

Every page reads the same table, which `leaderboard.scored` computes some runs at a time: a page whose table
is not whole yet shows how far it has come and asks again by itself.
"""

from workbench.web.pages.scores import leaderboard, runs

BLUEPRINTS = (leaderboard.blueprint, runs.blueprint, runs.pairs, leaderboard.topics, runs.curves)
