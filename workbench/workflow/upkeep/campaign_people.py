"""The people of a campaign that is moved: found at the new place, or added there when it is complete."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from workbench.errors import Conflict
from workbench.storage.tables import AccountRow, Base
from workbench.workflow.clock import utc_now
from workbench.workflow.people.accounts import placeholder_login

_TABLE = Base.metadata.tables[AccountRow.__tablename__]
_UNUSABLE = "-"
"""No hash, so no password matches it."""


class MovedPeople:
    """The accounts of those who took part, and the numbers that they have in both databases."""

    def __init__(self, accounts: Sequence[dict[str, Any]], *, same_people: bool) -> None:
        self._accounts, self._same_people = accounts, same_people
        self._there: dict[int, int] = {}
        self._back: dict[int, int] = {}
        self._added: list[dict[str, Any]] = []

    def add(self, old: int, new: int) -> None:
        """Note the number of one more account."""
        self._there[old] = new
        self._back[new] = old

    def new(self, old: int) -> int:
        """The number in the new database of an account of the old one."""
        return self._there[old]

    def old(self, new: int) -> int:
        """The number in the old database of an account of the new one."""
        return self._back[new]

    def add_placeholders(
        self, connection: Connection, campaign_id: int, draw: Callable[[int], Sequence[int]]
    ) -> None:
        """Find them, and add an account that nobody can use for each of the others.

        Raises Conflict for sign-in names that are there, unless they are the same people.
        """
        self._find(connection)
        now = utc_now(None)
        for one, number in zip(self._added, draw(len(self._added)), strict=True):
            self.add(one["id"], number)
            hidden = {
                "id": number,
                "login": placeholder_login(campaign_id, number),
                "name": "",
                "password_hash": _UNUSABLE,
                "administrator": False,
                "created_at": now,
                "disabled_at": now,
                "desk": {},
            }
            connection.execute(insert(_TABLE).values(hidden))

    def find_placeholders(self, connection: Connection, campaign_id: int) -> bool:
        """Find them, and what `add_placeholders` has added; whether that is one for each of the others.

        Raises Conflict as that does.
        """
        self._find(connection)
        theirs = _TABLE.c.login.startswith(placeholder_login(campaign_id))
        numbers = connection.execute(select(_TABLE.c.id).where(theirs).order_by(_TABLE.c.id)).scalars().all()
        if len(numbers) != len(self._added):
            return False
        for one, number in zip(self._added, numbers, strict=True):
            self.add(one["id"], number)
        return True

    def _find(self, connection: Connection) -> None:
        known = self._known(connection, [one["login"] for one in self._accounts])
        if known and not self._same_people:
            raise _conflict(known)
        self._added = [one for one in self._accounts if one["login"] not in known]
        for one in self._accounts:
            if one["login"] in known:
                self.add(one["id"], known[one["login"]])

    def complete(self, connection: Connection) -> None:
        """Give the accounts that were added their names and passwords, and no right to administer."""
        if known := self._known(connection, [one["login"] for one in self._added]):
            raise _conflict(known)
        for one in self._added:
            # Without the number: SQLite would look for rows that refer to it in whole tables.
            values = {name: value for name, value in one.items() if name != "id"} | {"administrator": False}
            named = update(_TABLE).where(_TABLE.c.id == self.new(one["id"])).values(values)
            try:
                connection.execute(named)
            except IntegrityError:
                # PostgreSQL waits for whoever is about to take the name.
                raise _conflict([one["login"]]) from None

    def _known(self, connection: Connection, logins: Sequence[str]) -> dict[str, int]:
        asked = select(_TABLE.c.login, _TABLE.c.id).where(_TABLE.c.login.in_(logins))
        return dict(connection.execute(asked).all())


def _conflict(known: Iterable[str]) -> Conflict:
    return Conflict(
        f"there are accounts already with the sign-in names {', '.join(sorted(known))}",
        remedy="if they are the same people, add --same-people; if not, rename one of them first",
    )
