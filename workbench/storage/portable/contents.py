"""What a copy carries: the revision of the schema, and for each table its rows and their hash."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from workbench.storage.portable.rows import TableSurvey, whole_sha256
from workbench.storage.portable.schema import PortableTable, schema_of


@dataclass(frozen=True, slots=True)
class Contents:
    """What is carried; two databases with the same contents have the same `sha256`."""

    revision: str
    tables: tuple[TableSurvey, ...]

    @property
    def sha256(self) -> str:
        """One SHA-256 of all rows."""
        return whole_sha256(self.tables)

    @property
    def rows(self) -> int:
        """The rows of all tables."""
        return sum(one.rows for one in self.tables)

    @property
    def schema(self) -> tuple[PortableTable, ...]:
        """The tables of the revision, each after those that it refers to."""
        return schema_of(self.revision)

    def count(self, table: str) -> int:
        """The rows of one table; 0 for a table that the revision does not have."""
        return next((one.rows for one in self.tables if one.name == table), 0)


class CopySource(Protocol):
    """Where rows come from: a backup."""

    @property
    def contents(self) -> Contents:
        """What there is to carry."""

    def lines(self, table: PortableTable) -> Iterator[bytes]:
        """The rows of a table in the order of their key, one line each without its end."""


def differing_tables(one: Sequence[TableSurvey], other: Sequence[TableSurvey]) -> tuple[str, ...]:
    """The names of the tables whose rows are not the same, sorted."""
    left, right = ({survey.name: survey for survey in surveys} for surveys in (one, other))
    return tuple(sorted(name for name in left.keys() | right.keys() if left.get(name) != right.get(name)))
