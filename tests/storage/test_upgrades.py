"""Whatever an older database holds is there after the upgrade, from every schema there has been."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from alembic import command
from sqlalchemy import Date, MetaData, func, insert, select
from sqlalchemy.engine import Connection

from workbench.records import BINARY
from workbench.storage.engine import Database
from workbench.storage.migrate import changing_schema, configuration, known_revisions, migrate
from workbench.storage.portable.schema import VERSION_TABLE, portable_table, revision_of
from workbench.storage.tables import SchemaUpgradeRow
from workbench.workflow.campaigns.scales import scale_to_json
from workbench.workflow.upkeep.verify import verify

pytestmark = [pytest.mark.engines, pytest.mark.slow]

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
RECIPE = {"strategy": "depth", "depth": 7, "ties": "file", "runs": [], "largest_possible": {}}
LATER_RECIPE = {"strategy": "depth", "parameters": {"depth": "7"}, "ties": "file", "runs": []}
# What a column must have, where any value of its type does not do; by table and column, or by column alone.
VALUES: dict[str, Any] = {
    "answer": "grade", "decision": "grade", "role": "organiser", "order_rule": "docno", "choice": "first",
    "happening": "judged", "verdict": "accepted", "purpose": "judging", "known_answer.purpose": "planted",
    "kind": "documents", "run.kind": "manual", "settlement": "recorded", "withdrawn_at": None,
    "withdrawn_reason": "", "campaign.scale": json.dumps(scale_to_json(BINARY)), "topic": "T1", "docno": "d1",
    "kept_aside.answer": "{}", "said": "[]", "adjudication_event.grade": 1, "pairs": 1,
    "preference_task.pairs": '[["d1", "d2"]]', "first": "d1", "second": "d2", "replaced_at": None,
    "inclusion": 0.5, "among": "all", "mail_message.state": "sent",
    "webhook_delivery.state": "sent", "topic_draft.state": "accepted",
}  # fmt: skip
BY_TYPE: dict[str, Any] = {
    "StoredJson": "{}", "Moment": NOW, "Boolean": False, "LargeBinary": b"x", "Double": 1.5, "BigInteger": 1,
    "String": "x",
}  # fmt: skip


def fill(connection: Connection, revision: str) -> dict[str, int]:
    """One row in every table of a schema; returns the rows of each that upgrades leave alone."""
    found = MetaData()
    found.reflect(connection)
    filled = {}
    for table in found.sorted_tables:
        if table.name == VERSION_TABLE:
            continue
        plain = portable_table(table).table
        row = {}
        for column in plain.columns:
            if isinstance(table.columns[column.name].type, Date):
                continue  # of messages alone, which are never carried
            kind = type(column.type).__name__
            usual = VALUES.get(column.name, BY_TYPE[kind])
            row[column.name] = VALUES.get(f"{table.name}.{column.name}", usual)
        if table.name == "pool":
            row["recipe"] = json.dumps(RECIPE if revision == "0001" else LATER_RECIPE)
        connection.execute(insert(plain).values(row))
        if table.name != SchemaUpgradeRow.__tablename__:
            filled[table.name] = 1
    return filled


def counted(database: Database, tables: dict[str, int]) -> dict[str, int]:
    """How many rows these tables have."""
    found = MetaData()
    found.reflect(database.engine)
    with database.reading() as db:
        return {name: db.scalar(select(func.count()).select_from(found.tables[name])) or 0 for name in tables}


def older(database: Database, revision: str) -> dict[str, int]:
    with changing_schema(database) as connection:
        command.upgrade(configuration(connection), revision)
        return fill(connection, revision)


@pytest.mark.parametrize("revision", known_revisions())
def test_every_schema_is_upgraded_with_its_rows(unmigrated_database: Database, revision: str) -> None:
    filled = older(unmigrated_database, revision)
    migrate(unmigrated_database)
    assert counted(unmigrated_database, filled) == filled
    # The rows mean nothing, but the schema, constraints and references must be right.
    codes = {one.code for one in verify(unmigrated_database).findings}
    assert not codes & {"schema", "constraint", "orphan", "file"}


UPGRADE = """
import sys
from workbench.storage.engine import Database
from workbench.storage.migrate import migrate

migrate(Database(sys.argv[1]))
"""


def test_two_processes_that_upgrade_an_older_schema_wait_for_one_another(
    unmigrated_database: Database,
) -> None:
    filled = older(unmigrated_database, "0003")
    unmigrated_database.close()
    begun = [subprocess.Popen([sys.executable, "-c", UPGRADE, unmigrated_database.url]) for _ in range(2)]
    assert [process.wait(300) for process in begun] == [0, 0]
    with unmigrated_database.engine.connect() as connection:
        assert revision_of(connection) == known_revisions()[-1]
    assert counted(unmigrated_database, filled) == filled


def test_an_upgrade_that_is_killed_leaves_the_old_schema_or_the_new(unmigrated_database: Database) -> None:
    filled = older(unmigrated_database, "0001")
    url = unmigrated_database.url
    for tenths in range(1, 100):
        unmigrated_database.close()
        process = subprocess.Popen([sys.executable, "-c", UPGRADE, url])
        time.sleep(0.3 * tenths)
        if process.poll() is None:
            process.kill()
        code = process.wait()
        with unmigrated_database.engine.connect() as connection:
            revision = revision_of(connection)
        if code == 0:
            break
        assert revision in {"0001", known_revisions()[-1]}
        assert counted(unmigrated_database, filled) == filled
    assert revision == known_revisions()[-1]
    assert counted(unmigrated_database, filled) == filled
