"""Strategies that fuse the runs: every document gets a weight, and the heaviest of each topic are pooled.

To add one: copy a module, replace its `weigh`, and add its line to `workbench.pooling.strategies`.
"""
