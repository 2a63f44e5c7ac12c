"""The rows of one campaign in a database, read in order, and the numbers that they have in another one."""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Table, func, select
from sqlalchemy.engine import Connection

from workbench.errors import WorkbenchError
from workbench.storage.migrate import known_revisions
from workbench.storage.portable.rows import lines_of, row_of
from workbench.storage.portable.schema import PortableTable, schema_of
from workbench.storage.tables import (
    AccountRow,
    AdjudicationEventRow,
    Base,
    CampaignRow,
    MailAddressRow,
    OpenIdIdentityRow,
    RecoveryCodeRow,
    SchemaUpgradeRow,
    TrailRow,
    TwoFactorRow,
)
from workbench.workflow.judging.training import WAIVED

ACCOUNT, CAMPAIGN = AccountRow.__tablename__, CampaignRow.__tablename__
DECISION = AdjudicationEventRow.__tablename__
# What belongs to an instance and not to a campaign. Accounts go with those who took part, by themselves.
_OF_INSTANCE = frozenset(
    {
        ACCOUNT,
        MailAddressRow.__tablename__,
        OpenIdIdentityRow.__tablename__,
        RecoveryCodeRow.__tablename__,
        SchemaUpgradeRow.__tablename__,
        TrailRow.__tablename__,
        TwoFactorRow.__tablename__,
    }
)
Values = dict[str, Any]
Renumber = Callable[[str, int], int]


class Numbers:
    """The numbers of a table's rows in two databases, which ascend in both as the rows are added."""

    def __init__(self) -> None:
        self._old, self._new = array("q"), array("q")

    def add(self, old: int, new: int) -> None:
        """Note the number of one more row."""
        self._old.append(old)
        self._new.append(new)

    def new(self, old: int) -> int:
        """The number in the new database of a row of the old one; raises KeyError for another campaign's."""
        return _opposite(self._old, self._new, old)

    def old(self, new: int) -> int:
        """The number in the old database of a row of the new one."""
        return _opposite(self._new, self._old, new)


def _opposite(these: array[int], those: array[int], number: int) -> int:
    place = bisect_left(these, number)
    if place == len(these) or these[place] != number:
        raise KeyError(number)
    return those[place]


@cache
def _tables() -> Mapping[str, PortableTable]:
    carried = (one for one in schema_of(known_revisions()[-1]) if one.name not in _OF_INSTANCE)
    # Decisions name judgments without a reference that the schema shows.
    return {one.name: one for one in sorted(carried, key=lambda one: one.name == DECISION)}


class CampaignRows:
    """The rows of one campaign in one database, by table, each after those that it refers to."""

    def __init__(self, connection: Connection, campaign_id: int) -> None:
        self.connection = connection
        self._campaign_id = campaign_id
        self.tables = _tables()

    def belonging(self, table: PortableTable) -> ColumnElement[bool]:
        """The condition under which a row of a table is of this campaign."""
        columns = table.table.columns
        if table.name == CAMPAIGN:
            return columns["id"] == self._campaign_id
        if "campaign_id" in columns:
            return columns["campaign_id"] == self._campaign_id
        own = Base.metadata.tables[table.name]
        column, parent = next(
            (column, parent)
            for column, parent in references(table.name).items()
            if parent in self.tables and parent != table.name and not own.columns[column].nullable
        )
        above = self.tables[parent]
        return columns[column].in_(select(above.table.columns["id"]).where(self.belonging(above)))

    def values(self, table: PortableTable) -> Iterator[tuple[int, Values]]:
        """The size of each row in bytes and its values by column, in the order of the key."""
        for line in lines_of(self.connection, table, self.belonging(table)):
            yield len(line), row_of(line, table)

    def numbers(self, table: PortableTable) -> Sequence[int]:
        """The numbers of the rows of a table that has them, ascending."""
        number = table.table.columns["id"]
        chosen = select(number).where(self.belonging(table)).order_by(number)
        return self.connection.execute(chosen).scalars().all()

    def count(self, table: PortableTable) -> int:
        """How many rows a table has."""
        chosen = select(func.count()).select_from(table.table).where(self.belonging(table))
        return self.connection.execute(chosen).scalar_one()

    def people(self) -> frozenset[int]:
        """The accounts that any row of the campaign refers to."""
        found: set[int] = set()
        for table in self.tables.values():
            for column, parent in references(table.name).items():
                if parent == ACCOUNT:
                    asked = select(table.table.columns[column]).where(self.belonging(table)).distinct()
                    found.update(self.connection.execute(asked).scalars())
        ((_, campaign),) = self.values(self.tables[CAMPAIGN])
        found.update(one["by"] for one in json.loads(campaign["desk_rules"]).get(WAIVED, ()))
        return frozenset(found - {None})

    def accounts(self) -> list[dict[str, Any]]:
        """The accounts of `people`, with the values of all columns."""
        table = Base.metadata.tables[ACCOUNT]
        asked = select(table).where(table.c.id.in_(self.people())).order_by(table.c.id)
        return [dict(row._mapping) for row in self.connection.execute(asked)]


def references(table: str) -> Mapping[str, str]:
    """The columns of a table that hold the number of a row, its own included, with that row's table."""
    own: Table = Base.metadata.tables[table]
    found = {column.name: key.column.table.name for column in own.columns for key in column.foreign_keys}
    if "id" in own.columns:
        found["id"] = table
    return found


def renumbered(table: str, values: Values, number: Renumber) -> Values:
    """The values of a row with other numbers, those within its JSON too.

    Raises WorkbenchError for a decision about a judgment that has no other number.
    """
    changed = dict(values)
    for column, parent in references(table).items():
        if changed[column] is not None:
            changed[column] = number(parent, changed[column])
    if table == DECISION:
        changed["said"] = json.dumps([_seen(one, values["id"], number) for one in json.loads(values["said"])])
    elif table == CAMPAIGN:
        rules = json.loads(changed["desk_rules"])
        for one in rules.get(WAIVED, ()):
            one["assignment"] = number("assignment", one["assignment"])
            one["by"] = number(ACCOUNT, one["by"]) if one["by"] is not None else None
        changed["desk_rules"] = json.dumps(rules)
    return changed


def _seen(one: Sequence[Any], decision: int, number: Renumber) -> list[Any]:
    """An answer that an adjudicator saw; one of which no event is known has 0 or nothing, and keeps it."""
    event, who, *rest = one
    try:
        return [number("judgment_event", event) if event else event, number("assessor", who), *rest]
    except KeyError as error:
        raise WorkbenchError(
            f"decision {decision} is about judgment {event} by assessor {who}, which is not in this campaign",
            remedy="run `workbench verify` on the instance that it comes from",
        ) from error
