"""Pools: planned, made, drafted, opened, added to, compared, analysed.

Decisions:

- An adaptive pool asks for one judgment of each document and hands nothing out ahead. Hours come from the
  median of people's timed answers once there are 20, else from a stated guess, else from half a minute;
  the page says which.
"""
