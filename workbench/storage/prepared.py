"""Prepared statements: what every judgment asks, put together once and given to the driver as it is.

SQLAlchemy takes some 90 microseconds to execute a statement that it knows already, the driver 6 (SQLite, the
statement of a saved judgment). Only what a crowd asks all day is worth it; everything else is executed by the
connection.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import ClauseElement, Select
from sqlalchemy.engine import Connection, Dialect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.types import TypeEngine

Convert = Callable[[Any], Any] | None


class PreparedStatement:
    """A statement of one form: every parameter is a single value, and `columns` are those that it returns.

    An insertion sets the columns that `sets` names, each by a parameter of its name.
    """

    def __init__(
        self, statement: ClauseElement, columns: Sequence[Any], *, sets: Sequence[str] | None = None
    ) -> None:
        self._statement = statement
        self._types = [column.type for column in columns]
        self._sets = sets
        self._compiled: dict[str, _Compiled] = {}

    @classmethod
    def of(cls, statement: Select[*tuple[Any, ...]]) -> PreparedStatement:
        """A statement that reads."""
        return cls(statement, list(statement.selected_columns))

    def rows(self, connection: Connection, values: Mapping[str, Any]) -> list[Sequence[Any]]:
        """The rows of the statement, in the connection's transaction.

        Raises DBAPIError as the connection does, and KeyError where a parameter has no value.
        """
        compiled = self._compiled.get(connection.dialect.name)
        if compiled is None:
            # Two threads may both do it: they find the same.
            compiled = _Compiled(self._statement, self._types, self._sets, connection.dialect)
            self._compiled[connection.dialect.name] = compiled
        if not connection.in_transaction():
            connection.begin()
        driver = connection.connection.dbapi_connection
        if driver is None:
            raise RuntimeError("the connection was closed")
        parameters = compiled.parameters(values)
        # Whoever watches what a connection executes sees this too.
        connection.dispatch.before_cursor_execute(connection, None, compiled.text, parameters, None, False)
        try:
            found = driver.execute(compiled.text, parameters).fetchall()
        except connection.dialect.loaded_dbapi.Error as error:
            raise _wrapped(connection, compiled.text, error) from error
        return [compiled.converted(row) for row in found]

    def row(self, connection: Connection, values: Mapping[str, Any]) -> Sequence[Any] | None:
        """The only row, or None; otherwise as `rows`."""
        found = self.rows(connection, values)
        if len(found) > 1:
            raise RuntimeError("a statement of one row found several")
        return found[0] if found else None


class _Compiled:
    """A statement as the driver of one kind of database takes it."""

    def __init__(
        self,
        statement: ClauseElement,
        types: Sequence[TypeEngine[Any]],
        sets: Sequence[str] | None,
        dialect: Dialect,
    ) -> None:
        compiled: Any = statement.compile(dialect=dialect, column_keys=list(sets) if sets else None)
        self.text = str(compiled)
        self._names: Sequence[str] | None = compiled.positiontup
        constants = {name: one.value for name, one in compiled.binds.items() if not one.required}
        self._parameters: list[tuple[str, bool, Any, Convert]] = []
        for name in compiled.positiontup or compiled.binds:
            convert = _impl(compiled.binds[name].type, dialect).bind_processor(dialect)
            given = name not in constants or (sets is not None and name in sets)
            value = None if given else _convert(convert, constants[name])
            self._parameters.append((name, given, value, convert))
        processors = [_impl(each, dialect).result_processor(dialect, None) for each in types]
        self._processors = [(at, one) for at, one in enumerate(processors) if one is not None]

    def parameters(self, values: Mapping[str, Any]) -> Any:
        """What the driver takes: a tuple, or a mapping where parameters have names."""
        converted = tuple(
            _convert(convert, values[name]) if given else constant
            for name, given, constant, convert in self._parameters
        )
        if self._names is not None:
            return converted
        return {name: value for (name, *_), value in zip(self._parameters, converted, strict=True)}

    def converted(self, row: Sequence[Any]) -> Sequence[Any]:
        """The values of a row as Python has them."""
        values = list(row)
        for at, convert in self._processors:
            values[at] = convert(values[at])
        return values


def _impl(found: TypeEngine[Any], dialect: Dialect) -> TypeEngine[Any]:
    return found.dialect_impl(dialect)


def _convert(convert: Convert, value: Any) -> Any:
    return value if convert is None else convert(value)


def _wrapped(connection: Connection, text: str, error: Exception) -> Exception:
    """The driver's error as SQLAlchemy tells of it; a connection that was lost is not used again."""
    dialect = connection.dialect
    raised: Any = error  # by a driver whose errors SQLAlchemy has a protocol for
    lost = dialect.is_disconnect(raised, connection.connection.dbapi_connection, None)
    if lost:
        connection.invalidate(error)
    return DBAPIError.instance(
        text, None, error, dialect.loaded_dbapi.Error, connection_invalidated=lost, dialect=dialect
    )
