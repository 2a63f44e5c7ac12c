"""Pseudonyms of assessors: given with the first release that needs them, kept, never reused."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.releases.contents import ReleasedAssessor
from workbench.storage.tables import AssessorRow

PERSON, MACHINE = "assessor", "machine"
SEEDS = 2**63
"""One of so many orders: from a release nobody can find the seed by trying names."""


def have_pseudonyms(db: Session, campaign_id: int, needed: Collection[int]) -> bool:
    """Whether all these assessors have a pseudonym."""
    return all(row.pseudonym for row in _rows(db, campaign_id) if row.id in needed)


def give_pseudonyms(db: Session, campaign_id: int, needed: Collection[int], *, seed: int) -> None:
    """Give those of these assessors who have none the next numbers, in an order that the seed decides.

    The order depends on the names too, and on nothing else. The caller has locked the campaign.
    """
    rows = _rows(db, campaign_id)
    for kind in (PERSON, MACHINE):
        own = [row for row in rows if row.machine == (kind == MACHINE)]
        highest = max((pseudonym_number(row.pseudonym) for row in own if row.pseudonym), default=0)
        new = [row for row in own if row.id in needed and not row.pseudonym]
        new.sort(key=lambda row: (_shuffled(seed, row.name), row.name))
        for number, row in enumerate(new, highest + 1):
            row.pseudonym = f"{kind}-{number}"
    db.flush()


def released_assessors(db: Session, campaign_id: int, needed: Collection[int]) -> dict[int, ReleasedAssessor]:
    """These assessors as releases call them, by id: people before machines, in the order of their numbers."""
    named = [row for row in _rows(db, campaign_id) if row.id in needed]
    named.sort(key=lambda row: (row.machine, pseudonym_number(row.pseudonym or "")))
    return {
        row.id: ReleasedAssessor(row.pseudonym or "", row.machine, row.name if row.machine else "")
        for row in named
    }


def pseudonym_number(pseudonym: str) -> int:
    """The number at the end of a pseudonym, 0 where there is none."""
    number = pseudonym.rpartition("-")[2]
    return int(number) if number.isascii() and number.isdecimal() else 0


def _rows(db: Session, campaign_id: int) -> Sequence[AssessorRow]:
    return db.scalars(select(AssessorRow).where(AssessorRow.campaign_id == campaign_id)).all()


def _shuffled(seed: int, name: str) -> bytes:
    return hmac.digest(seed.to_bytes(8, "big"), name.encode(), hashlib.sha256)
