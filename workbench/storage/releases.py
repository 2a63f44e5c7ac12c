"""The bytes of releases, stored in parts: written once, read again in order, never changed."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from workbench.storage.tables import ReleasePartRow

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer as Buffer

PART = 2**20
"""Bytes of a part: so many are in memory at a time."""


def store_parts(db: Session, release_id: int, file: IO[bytes]) -> None:
    """Store the bytes of a release, from where a file stands to its end."""
    for number, content in enumerate(iter(lambda: file.read(PART), b"")):
        values = {"release_id": release_id, "number": number, "content": content}
        db.execute(insert(ReleasePartRow).values(values))


def read_parts(db: Session, release_id: int) -> Iterator[bytes]:
    """The parts of a release in order, one read at a time."""
    part = ReleasePartRow
    chosen = select(part.content).where(part.release_id == release_id)
    for number in db.scalars(select(part.number).where(part.release_id == release_id).order_by(part.number)):
        yield db.scalars(chosen.where(part.number == number)).one()


class StoredFile(io.RawIOBase):
    """The bytes of a release as a file to seek in; a part is read once something of it is asked for."""

    def __init__(self, db: Session, release_id: int, size: int) -> None:
        super().__init__()
        self._db, self._release_id, self._size = db, release_id, size
        self._at = 0
        self._number, self._content = -1, b""

    def readable(self) -> bool:
        """True."""
        return True

    def seekable(self) -> bool:
        """True."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a place, from the beginning, the present place or the end."""
        self._at = max(0, {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence] + offset)
        return self._at

    def tell(self) -> int:
        """The present place."""
        return self._at

    def readinto(self, buffer: Buffer) -> int:
        """Read at most to the end of a part."""
        view = memoryview(buffer).cast("B")
        number, start = divmod(self._at, PART)
        if self._at >= self._size or not len(view):
            return 0
        if number != self._number:
            part = ReleasePartRow
            asked = select(part.content).where(part.release_id == self._release_id, part.number == number)
            self._content, self._number = self._db.scalars(asked).one(), number
        found = self._content[start : start + len(view)]
        view[: len(found)] = found
        self._at += len(found)
        return len(found)
