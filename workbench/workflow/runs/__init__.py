"""Runs: checked, kept, told apart, packed for use; the groups that send them.

Decisions:

- Queries for participants start from the account's groups, never from the campaign. A tag of another
  group is in use, and nothing more is shown of it.
"""
