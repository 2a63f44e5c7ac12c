"""The tables of a revision are the same whether its migrations or the classes of the rows are asked."""

from __future__ import annotations

from contextlib import closing

import pytest

from workbench.storage.engine import Database
from workbench.storage.migrate import changing_schema, known_revisions
from workbench.storage.portable.schema import migrated_in_memory, portable_table, schema_of


@pytest.mark.slow
def test_the_migrations_and_the_classes_agree() -> None:
    with closing(Database("sqlite://")) as database, changing_schema(database) as connection:
        found = migrated_in_memory(connection, known_revisions()[-1])
    for expected in schema_of(known_revisions()[-1]):
        table = portable_table(found.tables[expected.name])
        assert (table.columns, table.key) == (expected.columns, expected.key)
        types = [(column.name, repr(column.type)) for column in table.table.columns]
        assert types == [(column.name, repr(column.type)) for column in expected.table.columns]
