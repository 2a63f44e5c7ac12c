"""Pools as queues: each assessor takes the next pairs that still need judging, under leases that expire."""
