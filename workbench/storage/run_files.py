"""The files of runs, which are stored gzipped: read and unpacked part by part, never whole in memory."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Text, cast, func, select
from sqlalchemy.orm import Session

from workbench.storage.engine import insert_or
from workbench.storage.tables import PackedRunRow, RunRow

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


Part = tuple[int, int]
"""Offset and length in bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class StoredForm:
    """What is stored beside the arrays of a packed form: its columns. Those read alike are one object."""

    width: int
    topics: list[Any]


def store_form(db: Session, run_id: int, kept: StoredForm, records: bytes) -> None:
    """Store the packed form of a run, replacing an existing one; two writers at once store the same."""
    values = {"width": kept.width, "topics": kept.topics, "records": records}
    statement = insert_or(db, PackedRunRow).values(run_id=run_id, **values)
    db.execute(statement.on_conflict_do_update(index_elements=["run_id"], set_=values))


def stored_forms(db: Session, run_ids: Iterable[int]) -> dict[int, StoredForm]:
    """The stored forms of these runs, by run, without the arrays."""
    row = PackedRunRow
    topics = cast(row.topics, Text)
    rows = db.execute(select(row.run_id, row.width, topics).where(row.run_id.in_(list(run_ids))))
    found: dict[int, StoredForm] = {}
    alike: dict[tuple[int, str], StoredForm] = {}
    for run_id, width, text in rows:
        # Most runs of a campaign have the same topics and lengths, which take as long to read as documents.
        if (width, text) not in alike:
            alike[width, text] = StoredForm(width, json.loads(text))
        found[run_id] = alike[width, text]
    return found


def parts_of(db: Session, requested: Mapping[int, Sequence[Part]]) -> dict[int, tuple[bytes, ...]]:
    """Parts of the arrays of runs, each of which must have a packed form.

    Both drivers are used directly: SQLite reads a whole value even if SQL takes only a part of it, which for
    71 runs costs more than everything else; PostgreSQL returns bytes as text unless the cursor is binary.
    """
    connection: Any = db.connection().connection.driver_connection
    if db.get_bind().dialect.name == "sqlite":
        return {run_id: _from_sqlite(connection, run_id, parts) for run_id, parts in requested.items()}
    # Runs of the same shape need the same parts, and mostly all runs of a campaign have one shape.
    by_parts: dict[tuple[Part, ...], list[int]] = {}
    for run_id, parts in requested.items():
        by_parts.setdefault(tuple(parts), []).append(run_id)
    found: dict[int, tuple[bytes, ...]] = {}
    for same, run_ids in by_parts.items():
        found.update(_from_postgresql(connection, run_ids, same))
    return {run_id: found[run_id] for run_id in requested}


def _from_sqlite(connection: Any, run_id: int, parts: Sequence[Part]) -> tuple[bytes, ...]:
    read = []
    with connection.blobopen("packed_run", "records", run_id, readonly=True) as blob:
        for offset, length in parts:
            blob.seek(offset)
            read.append(blob.read(length))
    return tuple(read)


def _from_postgresql(
    connection: Any, run_ids: list[int], parts: Sequence[Part]
) -> Iterator[tuple[int, tuple[bytes, ...]]]:
    columns = "".join(", substr(records, %s, %s)" for _ in parts)
    numbers = [number for offset, length in parts for number in (offset + 1, length)]
    statement = f"select run_id{columns} from packed_run where run_id = any(%s)"  # noqa: S608  # contains no user input
    with connection.cursor(binary=True) as cursor:
        for run_id, *read in cursor.execute(statement, [*numbers, run_ids]):
            yield run_id, tuple(read)
