"""Moving one campaign into an instance that may have others.

Rows get numbers of the new database, drawn in the old order, and every reference to them follows; all else
stays as it is stored. They are written in portions, hidden (`arrivals`). What arrived is read back, numbered
as before, and compared with the source, before anything of it can be seen.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import islice

from sqlalchemy import func, insert, select, text, update
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DataError, IntegrityError
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Unavailable, WorkbenchError
from workbench.storage.engine import Database
from workbench.storage.migrate import known_revisions
from workbench.storage.portable.contents import Contents, differing_tables
from workbench.storage.portable.loading import Copied
from workbench.storage.portable.moving import address_of
from workbench.storage.portable.rows import (
    FETCHED_BYTES,
    Progress,
    TableSurvey,
    check_fits,
    no_progress,
    whole_sha256,
)
from workbench.storage.portable.schema import PortableTable
from workbench.storage.tables import Base, InvitationRow, MemberRow
from workbench.workflow.campaigns.archive import archive_campaign, restore_campaign
from workbench.workflow.campaigns.arrivals import (
    FIRST_PORTION,
    Arrival,
    Superseded,
    arriving,
    arriving_campaigns,
    give_up,
    require_free,
)
from workbench.workflow.campaigns.campaigns import ARRIVING, Campaign, campaign_by_slug
from workbench.workflow.upkeep.campaign_people import MovedPeople
from workbench.workflow.upkeep.campaign_rows import (
    ACCOUNT,
    CAMPAIGN,
    CampaignRows,
    Numbers,
    Renumber,
    Values,
    renumbered,
)

# Written last, in one transaction: by them the campaign is there, and its rules name rows of other tables.
_AT_THE_END = frozenset({CAMPAIGN, MemberRow.__tablename__, InvitationRow.__tablename__})
# In the desk rules of a campaign that is not complete: what is moved there.
_MOVED = "moved"


@dataclass(frozen=True, slots=True)
class CampaignMove:
    """What is to be moved, under which short name there, and whether equal sign-in names are one person."""

    slug: str
    new_slug: str
    same_people: bool = False


def move_campaign(
    source: Database, destination: Database, request: CampaignMove, progress: Progress = no_progress
) -> Copied:
    """Carry one campaign with its people to another database of this version; it stays behind archived.

    Servers may run at both ends: the campaign is archived first, so that answers sent meanwhile wait in the
    browsers, and others write to the destination between portions. Nobody becomes an administrator by it.
    An interrupted move is gone on with by the next one, if the campaign is unchanged; it stays archived.
    Raises Conflict if the slug or a sign-in name is taken there, NotFound for an unknown campaign,
    WorkbenchError if rows cannot be stored or are not the same afterwards; then nothing of it is there.
    Raises Superseded if another process goes on with it.
    """
    if address_of(source) == address_of(destination):
        raise Conflict("the campaign is in this database already", remedy="name another one with --to")
    with source.reading() as db:
        campaign = campaign_by_slug(db, request.slug, even_archived=True)
    with _archived(source, campaign), source.reading() as old:
        with destination.reading() as db:
            require_free(db, request.new_slug)
        rows = CampaignRows(_patient(old.connection(), source), campaign.id)
        before = _survey(rows, rows.tables, _as_it_is, progress, "Reading")
        copy = _Copy(rows, request, _Moved.of(campaign, before))
        with arriving(destination, copy.begin, left=copy.left) as arrival:
            copy.fill(arrival, progress)
            there = copy.survey(destination, progress)
            with source.reading() as later:
                now = CampaignRows(_patient(later.connection(), source), campaign.id)
                after = _survey(now, now.tables, _as_it_is, progress, "Verifying")
            _require_equal(before, after, "the campaign was changed while it was copied", "start again")
            with destination.writing() as new:
                require_free(new, request.new_slug)
                there += copy.complete(new, progress)
                remedy = "run `workbench verify` on both databases"
                _require_equal(before, there, "the copy is not complete", remedy)
                arrival.show(new, request.new_slug, archived_at=copy.archived_at)
    return Copied(Contents(known_revisions()[-1], before), copy.resumed)


def _require_equal(
    one: Sequence[TableSurvey], other: Sequence[TableSurvey], message: str, remedy: str
) -> None:
    if different := differing_tables(one, other):
        raise WorkbenchError(f"{message}: the rows of {', '.join(different)} differ", remedy=remedy)


@contextmanager
def _archived(source: Database, campaign: Campaign) -> Iterator[None]:
    """Archived meanwhile and afterwards; as it was if the move fails, and not if it can be gone on with."""
    already = campaign.archived_at is not None
    if not already:
        with source.writing() as db:
            archive_campaign(db, campaign.id)
    try:
        yield
    except (KeyboardInterrupt, Unavailable, Superseded):
        raise
    except BaseException:
        if not already:
            with source.writing() as db:
                restore_campaign(db, campaign.id)
        raise


def _patient(connection: Connection, database: Database) -> Connection:
    if not database.embedded:
        # One end waits while the other one is written, read and compared.
        connection.execute(text("set local idle_in_transaction_session_timeout = 0"))
    return connection


@dataclass(frozen=True, slots=True)
class _Moved:
    """What a campaign that is not complete says of its source.

    That is the `campaign` there, by its number and the moment when it was made, the hash of its `contents`,
    and when it was `archived`, apart from being moved.
    """

    campaign: str
    contents: str
    archived: str | None

    @classmethod
    def of(cls, campaign: Campaign, tables: Sequence[TableSurvey]) -> _Moved:
        archived = campaign.archived_at
        return cls(
            f"{campaign.id} of {campaign.created_at.isoformat()}",
            whole_sha256(tables),
            None if archived is None else archived.isoformat(),
        )


class _Copy:
    """The rows on their way, with the numbers that they have at both ends.

    Each table is copied in the order of its key, and new numbers ascend: by how many of a table are there it
    is known which, and which number each has got. So an attempt that was interrupted is gone on with.
    """

    def __init__(self, rows: CampaignRows, request: CampaignMove, moved: _Moved) -> None:
        self._rows, self._request, self._moved = rows, request, moved
        self._left: dict[str, int] = {}
        self._people = MovedPeople(rows.accounts(), same_people=request.same_people)
        self._numbers: dict[str, Numbers | MovedPeople] = {ACCOUNT: self._people}
        self._numbers |= {name: Numbers() for name, table in rows.tables.items() if "id" in table.columns}
        ((_, self._campaign),) = rows.values(rows.tables[CAMPAIGN])

    @property
    def archived_at(self) -> datetime | None:
        """When the campaign was archived, apart from being moved."""
        archived = self._moved.archived
        return None if archived is None else datetime.fromisoformat(archived)

    @property
    def resumed(self) -> int:
        """How many rows were there from an earlier attempt."""
        return sum(self._left.values())

    def left(self, db: Session) -> int | None:
        """The number of what an interrupted attempt left there, None where none can be gone on with."""
        found = None
        for number, rules in arriving_campaigns(db).items():
            if _MOVED not in rules:
                continue
            moved = _Moved(**rules[_MOVED])
            if moved.campaign != self._moved.campaign:
                continue
            if found is None and moved.contents == self._moved.contents and self._goes_on(db, number):
                # It is archived by that attempt now.
                found, self._moved = number, moved
            else:
                give_up(db, number)
        return found

    def _goes_on(self, db: Session, campaign_id: int) -> bool:
        """Whether the people and rows that are there are a beginning of these; notes their numbers."""
        there = CampaignRows(db.connection(), campaign_id)
        if not self._people.find_placeholders(db.connection(), campaign_id):
            return False
        self._numbers[CAMPAIGN].add(self._campaign["id"], campaign_id)
        for table in self._filled():
            if table.name in self._numbers:
                new = there.numbers(table)
                for one in zip(self._rows.numbers(table), new, strict=False):
                    self._numbers[table.name].add(*one)
                self._left[table.name] = len(new)
            else:
                self._left[table.name] = there.count(table)
        return True

    def begin(self, db: Session) -> int:
        """Write the row of the campaign and its people, hidden; returns its number there."""
        require_free(db, self._request.new_slug)
        connection = db.connection()
        table = self._rows.tables[CAMPAIGN]
        (number,) = _drawn(connection, CAMPAIGN, 1)
        self._numbers[CAMPAIGN].add(self._campaign["id"], number)
        hidden = {
            "id": number,
            "slug": f"{ARRIVING}{number}",
            "desk_rules": json.dumps({_MOVED: asdict(self._moved)}),
        }
        self._insert(connection, table, [self._campaign | hidden])
        self._people.add_placeholders(connection, number, lambda count: _drawn(connection, ACCOUNT, count))
        return number

    def fill(self, arrival: Arrival, progress: Progress) -> None:
        """Store the rows under their new numbers, some in a transaction."""
        for table in self._filled():
            arrival.rows = FIRST_PORTION
            batch: list[Values] = []
            size = 0
            for length, values in islice(self._rows.values(table), self._left.get(table.name, 0), None):
                batch.append(values)
                size += length
                if len(batch) >= arrival.rows or size >= FETCHED_BYTES:
                    self._store(arrival, table, batch, progress)
                    batch, size = [], 0
            if batch:
                self._store(arrival, table, batch, progress)

    def _filled(self) -> Iterator[PortableTable]:
        return (table for name, table in self._rows.tables.items() if name not in _AT_THE_END)

    def _store(
        self, arrival: Arrival, table: PortableTable, batch: Sequence[Values], progress: Progress
    ) -> None:
        with arrival.portion() as db:
            self._number(db.connection(), table, batch)
            rows = [renumbered(table.name, values, self._new) for values in batch]
            self._insert(db.connection(), table, rows)
        progress("Copying", len(batch))

    def _number(self, connection: Connection, table: PortableTable, batch: Sequence[Values]) -> None:
        if "id" in table.columns:
            drawn = _drawn(connection, table.name, len(batch))
            for values, number in zip(batch, drawn, strict=True):
                self._numbers[table.name].add(values["id"], number)

    def _insert(self, connection: Connection, table: PortableTable, rows: Sequence[Values]) -> None:
        if connection.dialect.name == "postgresql":
            for row in rows:
                check_fits(row, table)
        try:
            connection.execute(insert(table.table), rows)
        except (DataError, IntegrityError) as error:
            raise WorkbenchError(
                f"rows of {table.name} cannot be stored: {str(error.orig).strip().splitlines()[0]}",
                remedy="run `workbench verify` on both databases",
            ) from error

    def survey(self, destination: Database, progress: Progress) -> tuple[TableSurvey, ...]:
        """The rows that arrived so far, numbered as in the source, counted and hashed."""
        with destination.reading() as db:
            rows = self._there(_patient(db.connection(), destination))
            return _survey(rows, [table.name for table in self._filled()], self._old, progress, "Verifying")

    def complete(self, db: Session, progress: Progress) -> tuple[TableSurvey, ...]:
        """Store what is still missing, the people too; returns it numbered as in the source, and hashed."""
        connection = db.connection()
        self._people.complete(connection)
        campaign = self._rows.tables[CAMPAIGN]
        row = renumbered(CAMPAIGN, self._campaign, self._new)
        kept = {name: value for name, value in row.items() if name not in {"id", "slug", "archived_at"}}
        number = campaign.table.columns["id"] == row["id"]
        connection.execute(update(campaign.table).where(number).values(kept))
        for name in sorted(_AT_THE_END - {CAMPAIGN}):
            table = self._rows.tables[name]
            batch = [values for _, values in self._rows.values(table)]
            self._number(connection, table, batch)
            if batch:
                self._insert(connection, table, [renumbered(name, values, self._new) for values in batch])
                progress("Copying", len(batch))
        return _survey(self._there(connection), sorted(_AT_THE_END), self._old, progress, "Verifying")

    def _there(self, connection: Connection) -> CampaignRows:
        return CampaignRows(connection, self._new(CAMPAIGN, self._campaign["id"]))

    def _new(self, table: str, number: int) -> int:
        return self._numbers[table].new(number)

    def _old(self, table: str, number: int) -> int:
        return self._numbers[table].old(number)


def _drawn(connection: Connection, table: str, count: int) -> Sequence[int]:
    """Numbers that no row of a table has or will get, ascending; in SQLite until the transaction ends."""
    if connection.dialect.name == "postgresql":
        series = func.generate_series(1, count).table_valued("n")
        drawn = select(func.nextval(func.pg_get_serial_sequence(table, "id"))).select_from(series)
        return sorted(connection.execute(drawn).scalars())
    column = Base.metadata.tables[table].columns["id"]
    last = connection.execute(select(func.max(column))).scalar_one() or 0
    return range(last + 1, last + 1 + count)


def _as_it_is(_: str, number: int) -> int:
    return number


def _survey(
    rows: CampaignRows, tables: Iterable[str], number: Renumber, progress: Progress, step: str
) -> tuple[TableSurvey, ...]:
    found = []
    for name in tables:
        table = rows.tables[name]
        count, total = 0, 0
        for _, values in rows.values(table):
            row = renumbered(name, values, number)
            if name == CAMPAIGN:
                # These two are another's there on purpose.
                del row["slug"], row["archived_at"]
            line = json.dumps(row, sort_keys=True, default=repr).encode()
            # A sum, since those who were there before stand at other places of an order by number.
            total += int.from_bytes(hashlib.sha256(line).digest())
            count += 1
            progress(step, 1)
        found.append(TableSurvey(name, table.columns, count, f"{total % 2**256:064x}"))
    return tuple(found)
