"""Moving one campaign into an instance that may have others.

Rows get numbers of the new database, drawn in the old order, and every reference to them follows; all else
stays as it is stored. What arrived is read back, numbered as before, and compared with the source, before
anything of it can be seen.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlalchemy import ColumnElement, Table, func, insert, select, text
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DataError, IntegrityError

from workbench.errors import Conflict, WorkbenchError
from workbench.storage.engine import Database
from workbench.storage.migrate import known_revisions
from workbench.storage.portable.contents import Contents, differing_tables
from workbench.storage.portable.loading import Copied
from workbench.storage.portable.moving import address_of
from workbench.storage.portable.rows import (
    FETCHED_BYTES,
    MOST_ROWS,
    Progress,
    TableSurvey,
    check_fits,
    lines_of,
    no_progress,
    row_of,
)
from workbench.storage.portable.schema import PortableTable, schema_of
from workbench.storage.tables import (
    AccountRow,
    Base,
    CampaignRow,
    MailAddressRow,
    OpenIdIdentityRow,
    RecoveryCodeRow,
    SchemaUpgradeRow,
    TrailRow,
    TwoFactorRow,
)
from workbench.workflow.campaigns.archive import archive_campaign, restore_campaign
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.judging.training import WAIVED

ACCOUNT, CAMPAIGN = AccountRow.__tablename__, CampaignRow.__tablename__
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


@dataclass(frozen=True, slots=True)
class CampaignMove:
    """What is to be moved, under which short name there, and whether equal sign-in names are one person."""

    slug: str
    new_slug: str
    same_people: bool = False


class Numbers:
    """The numbers of a table's rows, the old ones ascending, and the new one of each."""

    def __init__(self, old: array[int], new: array[int]) -> None:
        self._there = (old, new)
        order = sorted(range(len(new)), key=new.__getitem__)
        self._back = (array("q", (new[at] for at in order)), array("q", (old[at] for at in order)))

    def new(self, old: int) -> int:
        """The number in the new database of a row of the old one; raises KeyError for another campaign's."""
        return _opposite(*self._there, old)

    def old(self, new: int) -> int:
        """The number in the old database of a row of the new one."""
        return _opposite(*self._back, new)


def _opposite(these: array[int], those: array[int], number: int) -> int:
    place = bisect_left(these, number)
    if place == len(these) or these[place] != number:
        raise KeyError(number)
    return those[place]


class CampaignRows:
    """The rows of one campaign in one database, by table, each after those that it refers to."""

    def __init__(self, connection: Connection, campaign_id: int) -> None:
        self.connection = connection
        self._campaign_id = campaign_id
        self.tables = {
            one.name: one for one in schema_of(known_revisions()[-1]) if one.name not in _OF_INSTANCE
        }

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

    def numbers(self, table: PortableTable) -> array[int]:
        """The numbers of a table's rows, ascending."""
        column = table.table.columns["id"]
        asked = select(column).where(self.belonging(table)).order_by(column)
        options = {"yield_per": 10_000}
        return array("q", self.connection.execute(asked, execution_options=options).scalars())

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


def references(table: str) -> Mapping[str, str]:
    """The columns of a table that hold the number of a row, its own included, with that row's table."""
    own: Table = Base.metadata.tables[table]
    found = {column.name: key.column.table.name for column in own.columns for key in column.foreign_keys}
    if "id" in own.columns:
        found["id"] = table
    return found


def renumbered(table: str, values: Values, number: Renumber) -> Values:
    """The values of a row with other numbers, those within its JSON too."""
    changed = dict(values)
    for column, parent in references(table).items():
        if changed[column] is not None:
            changed[column] = number(parent, changed[column])
    if table == "adjudication_event":
        seen = json.loads(changed["said"])
        events = [
            [number("judgment_event", event), number("assessor", who), *rest] for event, who, *rest in seen
        ]
        changed["said"] = json.dumps(events)
    elif table == CAMPAIGN:
        rules = json.loads(changed["desk_rules"])
        for one in rules.get(WAIVED, ()):
            one["assignment"] = number("assignment", one["assignment"])
            one["by"] = number(ACCOUNT, one["by"]) if one["by"] is not None else None
        changed["desk_rules"] = json.dumps(rules)
    return changed


def move_campaign(
    source: Database, destination: Database, request: CampaignMove, progress: Progress = no_progress
) -> Copied:
    """Carry one campaign with its people to another database of this version; it stays behind archived.

    Servers may run at both ends: the campaign is archived first, so that answers sent meanwhile wait in the
    browsers; SQLite as the destination is locked until all is there. Nobody becomes an administrator by it.
    Raises Conflict if the slug or a sign-in name is taken there, NotFound for an unknown campaign,
    WorkbenchError if rows cannot be stored or are not the same afterwards. Then nothing has changed there.
    """
    if address_of(source) == address_of(destination):
        raise Conflict("the campaign is in this database already", remedy="name another one with --to")
    with source.reading() as db:
        campaign = campaign_by_slug(db, request.slug, even_archived=True)
    archived = campaign.archived_at is not None
    with (
        _archived(source, campaign.id, already=archived),
        source.reading() as old,
        destination.writing() as new,
    ):
        rows = CampaignRows(_patient(old.connection(), source), campaign.id)
        copy = _Copy(rows, _patient(new.connection(), destination), request)
        before = _survey(rows, _as_it_is, progress, "Reading")
        copy.fill(progress, archived=archived)
        there = copy.survey(progress)
        with source.reading() as later:
            now = CampaignRows(_patient(later.connection(), source), campaign.id)
            after = _survey(now, _as_it_is, progress, "Verifying")
        _require_equal(before, after, "the campaign was changed while it was copied", "start again")
        _require_equal(before, there, "the copy is not complete", "run `workbench verify` on both databases")
    return Copied(Contents(known_revisions()[-1], before), 0)


def _require_equal(
    one: tuple[TableSurvey, ...], other: tuple[TableSurvey, ...], message: str, remedy: str
) -> None:
    if different := differing_tables(one, other):
        raise WorkbenchError(f"{message}: the rows of {', '.join(different)} differ", remedy=remedy)


@contextmanager
def _archived(source: Database, campaign_id: int, *, already: bool) -> Iterator[None]:
    """Archived meanwhile and afterwards; as it was if the move does not succeed."""
    if not already:
        with source.writing() as db:
            archive_campaign(db, campaign_id)
    try:
        yield
    except BaseException:
        if not already:
            with source.writing() as db:
                restore_campaign(db, campaign_id)
        raise


def _patient(connection: Connection, database: Database) -> Connection:
    if not database.embedded:
        # One end waits while the other one is read and compared.
        connection.execute(text("set local idle_in_transaction_session_timeout = 0"))
    return connection


class _Copy:
    """The rows on their way, with the numbers that they have at both ends."""

    def __init__(self, rows: CampaignRows, connection: Connection, request: CampaignMove) -> None:
        self._rows, self._connection, self._request = rows, connection, request
        self._postgresql = connection.dialect.name == "postgresql"
        used = select(func.count()).where(CampaignRow.slug == request.new_slug)
        if connection.execute(used).scalar_one():
            raise Conflict(
                f"there is a campaign {request.new_slug} already", remedy="give another name with --slug"
            )
        self._numbers = {ACCOUNT: self._accounts()}
        for table in rows.tables.values():
            if "id" in table.columns:
                old = rows.numbers(table)
                self._numbers[table.name] = Numbers(old, self._drawn(table.name, len(old)))

    def _drawn(self, table: str, count: int) -> array[int]:
        """Numbers that no row of a table of the new database has or will get, ascending."""
        if self._postgresql:
            series = func.generate_series(1, count).table_valued("n")
            drawn = select(func.nextval(func.pg_get_serial_sequence(table, "id"))).select_from(series)
            return array("q", sorted(self._connection.execute(drawn).scalars()))
        column = Base.metadata.tables[table].columns["id"]
        last = self._connection.execute(select(func.max(column))).scalar_one() or 0
        return array("q", range(last + 1, last + 1 + count))

    def _accounts(self) -> Numbers:
        """Those who took part, found there or added without the right to administer."""
        table = Base.metadata.tables[ACCOUNT]
        people = self._rows.people()
        asked = select(table).where(table.c.id.in_(people)).order_by(table.c.id)
        old = [dict(row._mapping) for row in self._rows.connection.execute(asked)]
        logins = {one["login"] for one in old}
        asked = select(table.c.login, table.c.id).where(table.c.login.in_(logins))
        known: dict[str, int] = dict(self._connection.execute(asked).all())
        if known and not self._request.same_people:
            raise Conflict(
                f"there are accounts already with the sign-in names {', '.join(sorted(known))}",
                remedy="if they are the same people, add --same-people; if not, rename one of them first",
            )
        drawn = iter(self._drawn(ACCOUNT, len(logins - known.keys())))
        numbers: dict[int, int] = {}
        for one in old:
            numbers[one["id"]] = known.get(one["login"]) or next(drawn)
            if one["login"] not in known:
                added = one | {"id": numbers[one["id"]], "administrator": False}
                self._connection.execute(insert(table).values(added))
        return Numbers(array("q", numbers), array("q", numbers.values()))

    def fill(self, progress: Progress, *, archived: bool) -> None:
        """Store all rows under their new numbers, the campaign as it was before the move."""
        for table in self._rows.tables.values():
            batch: list[Values] = []
            size = 0
            for length, values in self._rows.values(table):
                row = renumbered(table.name, values, self._new)
                if table.name == CAMPAIGN:
                    row["slug"] = self._request.new_slug
                    row["archived_at"] = values["archived_at"] if archived else None
                if self._postgresql:
                    check_fits(row, table)
                batch.append(row)
                size += length
                if len(batch) == MOST_ROWS or size >= FETCHED_BYTES:
                    self._store(table, batch, progress)
                    batch, size = [], 0
            if batch:
                self._store(table, batch, progress)

    def _store(self, table: PortableTable, batch: list[Values], progress: Progress) -> None:
        try:
            self._connection.execute(insert(table.table), batch)
        except (DataError, IntegrityError) as error:
            raise WorkbenchError(
                f"rows of {table.name} cannot be stored: {str(error.orig).strip().splitlines()[0]}",
                remedy="run `workbench verify` on both databases",
            ) from error
        progress("Copying", len(batch))

    def survey(self, progress: Progress) -> tuple[TableSurvey, ...]:
        """The rows that arrived, numbered as in the source, counted and hashed."""
        rows = CampaignRows(self._connection, self._new(CAMPAIGN, self._campaign_id))
        return _survey(rows, self._old, progress, "Verifying")

    @cached_property
    def _campaign_id(self) -> int:
        return self._rows.numbers(self._rows.tables[CAMPAIGN])[0]

    def _new(self, table: str, number: int) -> int:
        return self._numbers[table].new(number)

    def _old(self, table: str, number: int) -> int:
        return self._numbers[table].old(number)


def _as_it_is(_: str, number: int) -> int:
    return number


def _survey(rows: CampaignRows, number: Renumber, progress: Progress, step: str) -> tuple[TableSurvey, ...]:
    found = []
    for table in rows.tables.values():
        count, total = 0, 0
        for _, values in rows.values(table):
            row = renumbered(table.name, values, number)
            if table.name == CAMPAIGN:
                # These two are another's there on purpose.
                del row["slug"], row["archived_at"]
            line = json.dumps(row, sort_keys=True, default=repr).encode()
            # A sum, since those who were there before stand at other places of an order by number.
            total += int.from_bytes(hashlib.sha256(line).digest())
            count += 1
            progress(step, 1)
        found.append(TableSurvey(table.name, table.columns, count, f"{total % 2**256:064x}"))
    return tuple(found)
