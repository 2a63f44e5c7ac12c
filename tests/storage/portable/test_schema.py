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


@pytest.mark.slow
def test_an_earlier_revision_has_its_own_tables() -> None:
    tables = {table.name: table.columns for table in schema_of("0001")}
    assert "collection_release" not in tables
    assert tables["assessor"] == ("id", "account_id", "campaign_id", "machine", "name")
