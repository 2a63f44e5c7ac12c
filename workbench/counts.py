"""Counts for people: a number with its noun, for pages, terminal and reports."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun, whose plural ends in s unless `many` has it.

    >>> counted(1, "topic"), counted(1239, "topic"), counted(2, "query", "queries")
    ('1 topic', '1,239 topics', '2 queries')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
