"""Strategies that sample the depth pool: what was drawn, with which probability, from which stratum.

To add one: copy `at_random` (one rate) or `stratified` (several), draw by `strata.first_by_seed` so that the
same seed gives the same sample, fill `Pool.inclusion` and `Pool.strata`, which the estimators read, and add
its line to `workbench.pooling.strategies`.
"""
