"""Pools with a budget: every document of a topic gets a weight from the runs, the heaviest are judged."""
