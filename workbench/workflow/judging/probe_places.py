"""Where probes stand among the documents of a topic: by seed, so that the same plan comes out every time."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from workbench.records import id_bytes
from workbench.storage.events import JUDGING

REPEAT, PLANTED, TRAINING = "repeat", "planted", "training"
PROBES = (REPEAT, PLANTED, TRAINING)
KEY_LENGTH = 24


@dataclass(frozen=True, slots=True)
class Slot:
    """A place at the desk: the document that stands there, and what its answer is for.

    `round` counts how often the training was gone through, from 1; everything else has only one.
    """

    docno: str
    purpose: str = JUDGING
    round: int = 1


def slot_key(slot: Slot, *, assignment_id: int, seed: int, topic: str) -> str:
    """What a desk calls a slot: tells neither the document nor what its answer is for."""
    about = (str(assignment_id), slot.purpose, slot.docno, *([str(slot.round)] if slot.round > 1 else []))
    return _lot(seed, topic, *about).hex()[:KEY_LENGTH]


def by_lot(docnos: Collection[str], *, seed: int, topic: str) -> list[str]:
    """Docnos in an order that the seed draws."""
    return sorted(docnos, key=lambda docno: _lot(seed, topic, "order", docno))


def probe_places(
    before: Sequence[str],
    coming: Sequence[str],
    *,
    seed: int,
    topic: str,
    one_in: int | None = None,
    distance: int = 0,
    planted: Collection[str] = (),
    repeated: Collection[str] = (),
) -> dict[int, list[Slot]]:
    """The probes of a topic by how many of the `coming` documents are shown before them (from 0).

    `before` are the documents judged already, oldest first: they can be repeated, but nothing is put among
    them. Of every `one_in` coming documents one place, drawn by lot, has a repeat of a document since which
    at least `distance` others came; every document at most once, none of `repeated`. Where there is no such
    document yet, the place stays empty. Planted ones are spread over all places but the last.
    """
    found: dict[int, list[Slot]] = {}
    if not coming:
        return found
    for docno in sorted(planted, key=id_bytes):
        at = int.from_bytes(_lot(seed, topic, PLANTED, docno)[:8]) % len(coming)
        found.setdefault(at, []).append(Slot(docno, PLANTED))
    if one_in is None:
        return found
    shown = [*before, *coming]
    barred, waiting, ripe = set(repeated), 0, list[tuple[bytes, str]]()
    for block in range(len(coming) // one_in):
        drawn = int.from_bytes(_lot(seed, topic, "place", str(block))[:8])
        at = block * one_in + drawn % one_in + 1
        while waiting < len(before) + at - distance:
            docno = shown[waiting]
            waiting += 1
            if docno not in barred:
                heappush(ripe, (_lot(seed, topic, REPEAT, docno), docno))
        if ripe:
            found.setdefault(at, []).append(Slot(heappop(ripe)[1], REPEAT))
    return found


def _lot(seed: int, topic: str, *about: str) -> bytes:
    parts = [str(seed).encode(), id_bytes(topic), *map(id_bytes, about)]
    return hashlib.sha256(b"\0".join(parts)).digest()
