"""The order in which an assessor sees the pairs of a topic."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from enum import StrEnum

from workbench.records import id_bytes


class OrderRule(StrEnum):
    """In which order an assessor sees the pairs of a topic."""

    SHUFFLED = "shuffled"
    DOCNO = "docno"
    PRIORITY = "priority"

    @property
    def description(self) -> str:
        """What the rule does, in one line."""
        return ORDER_RULES[self]


ORDER_RULES = {
    OrderRule.SHUFFLED: "shuffled for each assessor with a stored seed, so that ranks stay hidden",
    OrderRule.DOCNO: "by docno, as NIST does",
    OrderRule.PRIORITY: "best rank first, then the number of contributing runs",
}


def in_order(
    entries: Iterable[tuple[str, int | None, int]], *, topic: str, rule: OrderRule, seed: int
) -> list[str]:
    """The docnos of a topic's (docno, best rank, runs) in the order in which an assessor sees them.

    What no run brought has no rank and comes last by priority.

    The shuffle sorts by SHA-256 of seed, topic and docno: the same in every version and on every machine, and
    a document that joins later moves no other.
    """
    if rule is OrderRule.DOCNO:
        return sorted((docno for docno, _, _ in entries), key=id_bytes)
    if rule is OrderRule.PRIORITY:
        ranked = sorted(entries, key=lambda entry: (entry[1] or sys.maxsize, -entry[2], id_bytes(entry[0])))
        return [docno for docno, _, _ in ranked]

    def lot(docno: str) -> bytes:
        return hashlib.sha256(b"\0".join([str(seed).encode(), id_bytes(topic), id_bytes(docno)])).digest()

    return sorted((docno for docno, _, _ in entries), key=lot)
