"""Disputes, what adjudicators decide about them, and discussions between assessors.

Decisions:

- The distance between grades is counted in steps of the scale. A decision stands when assessors change
  their answers afterwards, and the queue says so.
"""
