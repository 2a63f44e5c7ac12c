"""The bytes of releases, stored in parts: written once, read again in order, never changed."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from workbench.storage.tables import ReleasePartRow

PART = 2**20
"""Bytes of a part: no statement is so large that it holds others up."""


def store_parts(db: Session, release_id: int, content: bytes) -> None:
    """Store the bytes of a release that has none yet."""
    for number, start in enumerate(range(0, len(content), PART)):
        part = content[start : start + PART]
        db.execute(insert(ReleasePartRow).values(release_id=release_id, number=number, content=part))


def read_parts(db: Session, release_id: int) -> Iterator[bytes]:
    """The parts of a release in order, one read at a time."""
    part = ReleasePartRow
    chosen = select(part.content).where(part.release_id == release_id)
    for number in db.scalars(select(part.number).where(part.release_id == release_id).order_by(part.number)):
        yield db.scalars(chosen.where(part.number == number)).one()
