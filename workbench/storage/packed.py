"""Packed forms of runs: put in once, and read in parts, as far as they are needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import LargeBinary, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from workbench.storage.tables import PackedRunRow


@dataclass(frozen=True, slots=True)
class KeptForm:
    """What is kept beside the arrays of a packed form: its columns."""

    form: int
    width: int
    topics: list[Any]


def put_form(db: Session, run_id: int, kept: KeptForm, records: bytes) -> None:
    """Keep the packed form of a run, in place of one that is there; two who do so at once do the same."""
    insert = sqlite.insert if db.get_bind().dialect.name == "sqlite" else postgresql.insert
    values = {"form": kept.form, "width": kept.width, "topics": kept.topics, "records": records}
    statement = insert(PackedRunRow.__table__).values(run_id=run_id, **values)  # type: ignore[arg-type]  # is a Table
    db.execute(statement.on_conflict_do_update(index_elements=["run_id"], set_=values))


def kept_forms(db: Session, run_ids: Iterable[int]) -> dict[int, KeptForm]:
    """What is kept of these runs, by run, without the arrays."""
    row = PackedRunRow
    rows = db.execute(
        select(row.run_id, row.form, row.width, row.topics).where(row.run_id.in_(list(run_ids)))
    )
    return {run_id: KeptForm(form, width, topics) for run_id, form, width, topics in rows}


def parts_of(db: Session, wanted: Mapping[int, Sequence[tuple[int, int]]]) -> dict[int, tuple[bytes, ...]]:
    """Parts of the arrays of runs, wanted by offset and length in bytes, in one statement where they can be.

    Runs of the same shape want the same parts, and mostly all runs of a campaign have one shape.
    """
    alike: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for run_id, parts in wanted.items():
        alike.setdefault(tuple(parts), []).append(run_id)
    found: dict[int, tuple[bytes, ...]] = {}
    for parts, run_ids in alike.items():
        columns = [
            func.substr(PackedRunRow.records, offset + 1, length, type_=LargeBinary)
            for offset, length in parts
        ]
        rows = db.execute(select(PackedRunRow.run_id, *columns).where(PackedRunRow.run_id.in_(run_ids)))
        found.update((row[0], tuple(row[1:])) for row in rows)
    return found
