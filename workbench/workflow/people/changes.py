"""What a transaction changes, before and after, for the audit trail."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import (
    CursorResult,
    Delete,
    Insert,
    LargeBinary,
    Result,
    Select,
    Table,
    Update,
    event,
    inspect,
    select,
)
from sqlalchemy.engine import Connection
from sqlalchemy.orm import ORMExecuteState, Session

MOST_ROWS = 20
"""Of one table; further rows are only counted."""
LONGEST = 200
WITHHELD = "not recorded"
# What signing in leaves, and the trail itself.
PASSED_OVER = frozenset(
    {"trail", "session", "sign_in_attempt", "password_reset", "repeatable_request", "code_step"}
)
# What opens something, and what a person is known by: that they changed is recorded, and not how.
PRIVATE = frozenset(
    {
        ("account", "login"),
        ("account", "name"),
        ("assessor", "name"),
        ("invitation", "note"),
        ("access_token", "name"),
        ("account", "desk"),
        ("invitation", "mailed_to"),
        ("mail_address", "address"),
        ("mail_address", "new_address"),
        ("mail_message", "address"),
        ("mail_message", "asked"),
        ("mail_message", "reason"),
        ("openid_identity", "subject"),
        ("openid_identity", "known_as"),
        ("two_factor", "secret"),
    }
)

# Inserted many at once by a statement, which returns them. What else is inserted so is data.
BY_STATEMENT = frozenset({"assignment"})


class Changes:
    """The rows that a session inserts, updates and deletes, gathered as it sends them."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self._counts: Counter[tuple[str, str]] = Counter()

    def as_data(self) -> list[dict[str, Any]]:
        """One record for each table and kind of change: how many rows, and of the first what changed."""
        return [
            {"table": table, "kind": kind, "rows": count, "values": self._values.get((table, kind), [])}
            for (table, kind), count in sorted(self._counts.items())
        ]

    def flushed(self, session: Session, _context: Any) -> None:
        """Gather what a session has just sent of its objects."""
        for kind, rows in (("added", session.new), ("changed", session.dirty), ("deleted", session.deleted)):
            for row in rows:
                if kind != "changed" or session.is_modified(row):
                    self._add_row(kind, row)

    def executed(self, state: ORMExecuteState) -> Result[Any] | None:
        """Execute a statement that updates or deletes rows, and gather what it does; others go their way.

        Of those that insert rows it gathers what they put into tables `BY_STATEMENT`.
        """
        statement = state.statement
        if isinstance(statement, Insert) and isinstance(statement.table, Table):
            return self._inserted(state, statement.table.name)
        if not isinstance(statement, Update | Delete) or not isinstance(statement.table, Table):
            return None
        table, kind = statement.table, "changed" if isinstance(statement, Update) else "deleted"
        if table.name in PASSED_OVER:
            return None
        chosen = _readable(table).limit(MOST_ROWS)
        if statement.whereclause is not None:
            chosen = chosen.where(statement.whereclause)
        connection = state.session.connection()
        given = state.parameters if isinstance(state.parameters, dict) else None
        before = [row._asdict() for row in connection.execute(chosen, given)]
        result = state.invoke_statement()
        rows = result.rowcount if isinstance(result, CursorResult) else len(before)
        for row in before:
            values = {name: [_plain(table.name, name, value)] for name, value in row.items()}
            if kind == "changed":
                values = _difference(table, row, _again(connection, table, row))
            self._tell(table.name, kind, values)
        if rows > 0:
            self._counts[table.name, kind] += rows
        return result

    def _inserted(self, state: ORMExecuteState, table: str) -> Result[Any] | None:
        if table not in BY_STATEMENT:
            return None
        result = state.invoke_statement().freeze()
        rows = result().all()
        for row in rows[:MOST_ROWS]:
            values = {name: [None, _plain(table, name, value)] for name, value in row._asdict().items()}
            self._tell(table, "added", values)
        if rows:
            self._counts[table, "added"] += len(rows)
        return result()

    def _add_row(self, kind: str, row: Any) -> None:
        table = row.__tablename__
        if table in PASSED_OVER:
            return
        self._counts[table, kind] += 1
        if self._counts[table, kind] > MOST_ROWS:
            return
        state, values = inspect(row), {}
        for column in state.mapper.columns:
            name = state.mapper.get_property_by_column(column).key
            history = state.attrs[name].history
            after = _plain(table, column.name, state.dict.get(name))
            if kind == "added":
                values[column.name] = [None, after]
            elif kind == "deleted" or not history.has_changes():
                if kind == "deleted" or column.primary_key:
                    values[column.name] = [after]
            else:
                before = history.deleted[0] if history.deleted else None
                values[column.name] = [_plain(table, column.name, before), after]
        self._tell(table, kind, values)

    def _tell(self, table: str, kind: str, values: dict[str, Any]) -> None:
        rows = self._values.setdefault((table, kind), [])
        if len(rows) < MOST_ROWS:
            rows.append(values)


@contextmanager
def watching(db: Session, changes: Changes) -> Iterator[Changes]:
    """Gather the changes that a session makes meanwhile, by its objects and by statements."""
    event.listen(db, "after_flush", changes.flushed)
    event.listen(db, "do_orm_execute", changes.executed)
    try:
        yield changes
    finally:
        event.remove(db, "after_flush", changes.flushed)
        event.remove(db, "do_orm_execute", changes.executed)


def _readable(table: Table) -> Select[Any]:
    # Without files and the like, of which a row may have megabytes.
    return select(*(column for column in table.columns if not isinstance(column.type, LargeBinary)))


def _again(connection: Connection, table: Table, row: dict[str, Any]) -> dict[str, Any]:
    """What a row has become."""
    same = [column == row[column.name] for column in table.primary_key.columns]
    found = connection.execute(_readable(table).where(*same)).one_or_none()
    return found._asdict() if found is not None else {}


def _difference(table: Table, before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    key = {column.name for column in table.primary_key.columns}
    values: dict[str, Any] = {}
    for name, value in before.items():
        if name in key:
            values[name] = [_plain(table.name, name, value)]
        elif after.get(name) != value:
            values[name] = [_plain(table.name, name, value), _plain(table.name, name, after.get(name))]
    return values


def _plain(table: str, column: str, value: object) -> object:
    """A value as JSON has it; what is private is withheld, what is long shortened."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if (table, column) in PRIVATE or column.endswith("_hash"):
        return WITHHELD
    if isinstance(value, bytes):
        return f"{len(value):,} bytes, SHA-256 {hashlib.sha256(value).hexdigest()}"
    text = (
        value.isoformat()
        if isinstance(value, datetime)
        else value
        if isinstance(value, str)
        else json.dumps(value, sort_keys=True, default=str)
    )
    if len(text) > LONGEST:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{text[:LONGEST]}… ({len(text):,} characters, SHA-256 {digest})"
    return text
