"""The files of runs, which are stored gzipped: read and unpacked part by part, never whole in memory."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
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
    return plain_file_apart(lambda: nullcontext(db), run_id)


def plain_file_apart(reading: Callable[[], AbstractContextManager[Session]], run_id: int) -> Iterator[bytes]:
    """The same with a transaction for each part that is stored; EOFError too if the run goes meanwhile.

    Between two parts nothing is open, so that what they are used for can take its time, and write.
    """

    def stored() -> Iterator[bytes]:
        start = 0
        while True:
            with reading() as db:
                part = _part(db, run_id, start, PART)
            if not part:
                return
            yield part
            start += len(part)

    return unpacked(stored())


def plain_size(db: Session, run_id: int) -> int:
    """The size of a run's plain file in bytes; 0 of a run that does not exist."""
    return plain_check(db, run_id)[1]


def plain_check(db: Session, run_id: int) -> tuple[int, int]:
    """The CRC-32 of a run's plain file, and its size in bytes; 0 both of a run that does not exist."""
    # Gzip ends with both, the size modulo 4 GiB; ours has one member (RFC 1952, section 2.3.1).
    size = _size(db, run_id)
    crc, plain = struct.unpack("<2I", _part(db, run_id, size - 8, 8) if size >= 8 else bytes(8))
    return crc, plain


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


def _size(db: Session, run_id: int) -> int:
    # Neither database reads the file for this.
    return db.scalar(select(func.length(RunRow.content_gzip)).where(RunRow.id == run_id)) or 0


def _part(db: Session, run_id: int, start: int, length: int) -> bytes:
    """Some bytes of a stored file, fewer at its end, none behind it and of a run that does not exist.

    Both drivers are used directly, as for packed forms.
    """
    if start >= _size(db, run_id):
        return b""
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
