"""Lots: every pair has one, drawn by SHA-256 from seed, topic and docno, the same in any language."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from workbench.pooling.candidates import Candidates
from workbench.records import id_bytes


def lot(seed: int, topic: str, docno: str) -> bytes:
    """The lot of a pair: SHA-256 of seed (in decimal), topic and docno, a line feed between each."""
    return sha256(b"%d\n%b\n%b" % (seed, id_bytes(topic), id_bytes(docno))).digest()


def drawn(topic: Candidates, documents: Iterable[int], count: int, *, seed: int) -> list[int]:
    """The `count` of these documents (places in the topic's docnos) that have the smallest lots.

    As lots do not depend on one another, this is a simple random sample without replacement, and a larger
    count only adds to a smaller one.
    """
    return sorted(documents, key=lambda place: lot(seed, topic.topic, topic.docnos[place]))[:count]
