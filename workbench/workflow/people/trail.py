"""The audit trail: who did what, when, and what it changed; nobody can change an entry.

Decisions:

- An entry is stored in the transaction of what it tells, as its last statement: neither is there without the
  other.
- Triggers of the database refuse to change or delete entries. Whoever gets past them breaks the chain: each
  entry is hashed together with the hash of the one before, and `workbench verify` computes all of them again.
- What is saved while somebody types leaves one entry for a stretch of writing, whose text is there from its
  beginning: the text at its end is in the next entry that concerns it, or still stored.
- People are named by the number of their account only, and no text that a person is known by is copied, so
  that an account can be deleted and the trail stays.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from workbench.errors import Finding
from workbench.frozen import frozen_dataclass, record_of
from workbench.storage.tables import AccountRow, CampaignRow, TrailRow
from workbench.workflow.clock import utc_now
from workbench.workflow.people.acts import (
    COMMAND,
    Changes,
    act_in_words,
    acts_like,
    outcome_in_words,
    watching,
)

DONE = "done"
FIRST = "0" * 64
"""What the first entry is hashed with."""
LOCK = 0x7472_6169_6C
"""Of PostgreSQL, whose writers would take the same number at the same time."""
PORTION = 1000


@frozen_dataclass
class Act:
    """What somebody does: the name of an endpoint or a command.

    `account_id` is None for a command and for somebody who is not signed in; `request` is the id of the
    request, `asked` what its address names.
    """

    name: str
    account_id: int | None = None
    campaign_id: int | None = None
    request: str = ""
    asked: dict[str, Any] = field(default_factory=dict)


@frozen_dataclass
class TrailEntry:
    """An entry as it is shown; login and campaign are empty where there is none, or none any more.

    `act` is the name of an endpoint or a command.
    """

    number: int
    at: datetime
    login: str
    account_id: int | None
    act: str
    outcome: str
    campaign: str
    request: str
    details: dict[str, Any]
    hash: str

    @property
    def who(self) -> str:
        """Who acted: a login, the number of an account, the system's user of a command, or nobody."""
        if self.act.startswith(COMMAND):
            user = _system_name(self.details.get("asked", {}).get("uid"))
            return f"command line, {user}" if user else "command line"
        return self.login or (f"account {self.account_id}" if self.account_id else "")

    @property
    def act_name(self) -> str:
        """The act in plain words."""
        return act_in_words(self.act)

    @property
    def outcome_name(self) -> str:
        """The outcome in plain words."""
        return outcome_in_words(self.outcome)


@frozen_dataclass
class TrailFilter:
    """Which entries are listed: all, if nothing is given. `act` is a part of its name or words."""

    login: str = ""
    act: str = ""
    campaign: str = ""
    request: str = ""


def add_entry(
    db: Session,
    act: Act,
    *,
    outcome: str = DONE,
    changes: Sequence[dict[str, Any]] = (),
) -> None:
    """Store an act as the latest entry; `changes` are those of `Changes`."""
    if db.get_bind().dialect.name == "postgresql":
        # SQLite lets one writer in at a time anyway.
        db.execute(select(func.pg_advisory_xact_lock(LOCK)))
    latest = select(TrailRow.id, TrailRow.hash).order_by(TrailRow.id.desc()).limit(1)
    number, previous = db.execute(latest).one_or_none() or (0, FIRST)
    row = TrailRow(
        id=number + 1,
        at=utc_now(),
        account_id=act.account_id,
        act=act.name[:80],
        outcome=outcome[:20],
        campaign_id=act.campaign_id,
        request=act.request[:32],
        details=_json({"asked": act.asked, "changes": list(changes)}),
        previous=previous,
    )
    row.hash = _hash(row)
    db.add(row)
    db.flush()


@contextmanager
def recorded(db: Session, act: Act) -> Iterator[None]:
    """Store an act with all that it changes in a session meanwhile; an exception stores nothing."""
    with watching(db, Changes()) as changes:
        yield
        db.flush()
    add_entry(db, act, changes=changes.as_data())


class PortionsTrail:
    """The entries of an act that is done in many transactions: of the first, and one that sums up the others.

    The first entry is stored in the transaction of which it tells, so that no part of the act is without one.
    """

    def __init__(self) -> None:
        self._act: Act | None = None
        self._further = Changes()
        self._transactions = 0

    @contextmanager
    def recorded(self, db: Session, act: Callable[[], Act]) -> Iterator[None]:
        """Record a transaction; `act` is asked in the first one."""
        if self._act is not None:
            with watching(db, self._further):
                yield
            self._transactions += 1
            return
        begun = act()
        with recorded(db, begun):
            yield
        self._act = begun

    def summary(self) -> tuple[Act, list[dict[str, Any]]] | None:
        """The act with the number of further transactions, and what those changed; None if there is one."""
        if self._act is None or not self._transactions:
            return None
        asked = self._act.asked | {"further_transactions": self._transactions}
        return replace(self._act, asked=asked), self._further.as_data()


def trail_entries(
    db: Session, filters: TrailFilter, *, before: int | None = None, most: int | None = None
) -> list[TrailEntry]:
    """The entries that pass a filter, latest first; those before a number, and at most so many."""
    chosen = (
        select(TrailRow, AccountRow.login, CampaignRow.slug)
        .outerjoin(AccountRow, AccountRow.id == TrailRow.account_id)
        .outerjoin(CampaignRow, CampaignRow.id == TrailRow.campaign_id)
        .where(*_conditions(filters))
        .order_by(TrailRow.id.desc())
        .limit(most)
    )
    if before is not None:
        chosen = chosen.where(TrailRow.id < before)
    return [
        record_of(
            TrailEntry,
            row,
            number=row.id,
            login=login or "",
            campaign=slug or "",
            details=json.loads(row.details),
        )
        for row, login, slug in db.execute(chosen)
    ]


def every_entry(db: Session, filters: TrailFilter) -> Iterator[TrailEntry]:
    """All entries that pass a filter, latest first; PORTION of them are in memory at once."""
    before: int | None = None
    while portion := trail_entries(db, filters, before=before, most=PORTION):
        yield from portion
        before = portion[-1].number


def entry_data(entry: TrailEntry) -> dict[str, Any]:
    """An entry as plain data, in the order of an export."""
    return {
        "entry": entry.number,
        "time": entry.at.isoformat(),
        "login": entry.login,
        "account": entry.account_id,
        "who": entry.who,
        "act": entry.act,
        "act_name": entry.act_name,
        "outcome": entry.outcome,
        "campaign": entry.campaign,
        "request": entry.request,
        "details": entry.details,
        "hash": entry.hash,
    }


def last_number(db: Session) -> int:
    """The number of the latest entry, which is how many there are."""
    return db.scalar(select(func.max(TrailRow.id))) or 0


def check_trail(db: Session) -> Iterator[Finding]:
    """Entries that are missing or were changed: number or hash do not follow from the entry before."""
    number, previous = 0, FIRST
    for row in _in_order(db):
        if row.id != number + 1:
            message = f"entries {number + 1} to {row.id - 1} are missing"
        elif row.previous != previous:
            message = "it does not follow from the entry before"
        elif row.hash != _hash(row):
            message = "it was changed"
        else:
            message = ""
        if message:
            remedy = "compare it with a backup, and find out who can write to the database"
            yield Finding(f"trail {row.id}", None, "trail", message, remedy)
        number, previous = row.id, row.hash


def _system_name(uid: object) -> str:
    """What this machine calls a user; the number where it knows none, or has another system."""
    if not isinstance(uid, int):
        return ""
    try:
        import pwd

        return pwd.getpwuid(uid).pw_name
    except (ImportError, KeyError, OverflowError):
        return f"user {uid}"


def _in_order(db: Session) -> Iterator[TrailRow]:
    after = 0
    while portion := db.scalars(
        select(TrailRow).where(TrailRow.id > after).order_by(TrailRow.id).limit(PORTION)
    ).all():
        yield from portion
        after = portion[-1].id
        db.expunge_all()  # a long trail is not kept in memory


def _conditions(filters: TrailFilter) -> list[ColumnElement[bool]]:
    found = []
    if filters.login:
        found.append(AccountRow.login == filters.login.casefold())
    if filters.act:
        by_name = TrailRow.act.contains(filters.act, autoescape=True)
        found.append(or_(by_name, TrailRow.act.in_(acts_like(filters.act))))
    if filters.campaign:
        found.append(CampaignRow.slug == filters.campaign)
    if filters.request:
        found.append(TrailRow.request == filters.request)
    return found


def _hash(row: TrailRow) -> str:
    fields = [
        row.id,
        row.at.astimezone(UTC).isoformat(timespec="microseconds"),
        row.account_id,
        row.act,
        row.outcome,
        row.campaign_id,
        row.request,
        row.details,
        row.previous,
    ]
    return hashlib.sha256(_json(fields).encode()).hexdigest()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"), default=str)
