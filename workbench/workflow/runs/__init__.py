"""Runs: checked, kept, told apart, packed for use; the groups that send them."""
