"""The files of runs, which are stored gzipped: read and unpacked part by part, never whole in memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.storage.tables import RunRow

PART = 256 * 1024
"""Bytes of a part, gzipped or plain."""
_GZIP = 16 + zlib.MAX_WBITS


def plain_file(db: Session, run_id: int) -> Iterator[bytes]:
    """The plain file of a run in parts, each read as it is asked for, within the transaction of `db`.

    Raises EOFError or zlib.error where what is stored is damaged.
    """
    return unpacked(_stored(db, run_id))


def plain_size(db: Session, run_id: int) -> int:
    """The size of a run's plain file in bytes; 0 of a run that does not exist."""
    # Gzip ends with the size of what went in, modulo 4 GiB; ours has one member (RFC 1952, section 2.3.1).
    size = _size(db, run_id)
    return int.from_bytes(_part(db, run_id, max(0, size - 4), 4), "little") if size else 0


def unpacked(packed: Iterable[bytes]) -> Iterator[bytes]:
    """What gzipped bytes, which come in parts, hold, in parts; raises EOFError or zlib.error."""
    reader, begun = zlib.decompressobj(_GZIP), False
    for part in packed:
        while part:
            begun = True
            if plain := reader.decompress(part, PART):
                yield plain
            part = reader.unconsumed_tail
            if reader.eof:
                # Another member may follow: gzip files can be joined.
                part, reader, begun = reader.unused_data, zlib.decompressobj(_GZIP), False
    # What was put out in portions may leave a rest that needs no further input.
    while begun and (plain := reader.decompress(b"", PART)):
        yield plain
    if begun and not reader.eof:
        raise EOFError("a gzipped file ends before its end")


def _stored(db: Session, run_id: int) -> Iterator[bytes]:
    size = _size(db, run_id)
    for start in range(0, size, PART):
        yield _part(db, run_id, start, min(PART, size - start))


def _size(db: Session, run_id: int) -> int:
    # Neither database reads the file for this.
    return db.scalar(select(func.length(RunRow.content_gzip)).where(RunRow.id == run_id)) or 0


def _part(db: Session, run_id: int, start: int, length: int) -> bytes:
    """Some bytes of a stored file; both drivers are used directly, as for packed forms."""
    connection: Any = db.connection().connection.driver_connection
    if db.get_bind().dialect.name == "sqlite":
        # SQL would read all of the file for each part of it.
        with connection.blobopen("run", "content_gzip", run_id, readonly=True) as blob:
            blob.seek(start)
            found: bytes = blob.read(length)
            return found
    statement = "select substr(content_gzip, %s, %s) from run where id = %s"
    with connection.cursor(binary=True) as cursor:
        (found,) = cursor.execute(statement, [start + 1, length, run_id]).fetchone()
        return bytes(found)
