"""Pools: planned, made, drafted, opened, added to, compared, analysed."""
