"""Packed forms of runs: stored once, and read in parts, as deep as needed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import Text, cast, select
from sqlalchemy.orm import Session

from workbench.storage.engine import insert_or
from workbench.storage.tables import PackedRunRow

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
    return {run_id: _read_form(width, text) for run_id, width, text in rows}


@lru_cache(maxsize=64)
def _read_form(width: int, topics: str) -> StoredForm:
    # Most runs of a campaign have the same topics and lengths: reading each takes as long as their documents.
    return StoredForm(width, json.loads(topics))


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
