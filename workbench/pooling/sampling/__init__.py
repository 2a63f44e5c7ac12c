"""Pools by lot: what was drawn, with which probability, from which stratum."""
