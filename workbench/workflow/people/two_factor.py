"""Two-factor sign-in: an account's authenticator app and its recovery codes.

Decisions:

- The secret of the app is stored as it is: codes are computed with it, and this program has no key outside of
  the database. Whoever reads the database can compute codes and still lacks the password, of which only an
  Argon2 hash is stored; of recovery codes there are only hashes as well.
- A code is marked as used by an update that demands that neither it nor a later one was: of two who use it at
  the same time, in whatever processes, one finds the row changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Exists, Select, delete, exists, false, or_, select, update
from sqlalchemy.orm import Session

from workbench.errors import Conflict
from workbench.settings import TwoFactorDemand
from workbench.storage import Connection
from workbench.storage.tables import AccountRow, CodeStepRow, MemberRow, TwoFactorRow
from workbench.workflow.clock import utc_now
from workbench.workflow.people.one_time_codes import (
    matching_step,
    new_app_secret,
    new_recovery_codes,
    recovery_hash,
)
from workbench.workflow.people.roles import Role


@dataclass(frozen=True, slots=True)
class TwoFactorState:
    """Since when two-factor sign-in is on, None while it is off, and how many recovery codes are left.

    `secret` is that of an app which waits for its first code; it is empty at any other time.
    """

    on_since: datetime | None = None
    recovery_left: int = 0
    secret: str = field(default="", repr=False)


def two_factor_state(db: Session, account_id: int) -> TwoFactorState:
    """Whether two-factor sign-in is on for an account."""
    row = db.get(TwoFactorRow, account_id)
    if row is None:
        return TwoFactorState()
    if row.confirmed_at is None:
        return TwoFactorState(secret=row.secret)
    return TwoFactorState(row.confirmed_at, len(row.recovery_hashes.split()))


def is_turned_on(db: Session, account_id: int) -> bool:
    """Whether an account needs a code to sign in."""
    return bool(db.scalar(select(_turned_on(account_id))))


def is_required(connection: Connection, account_id: int, demand: TwoFactorDemand) -> bool:
    """Whether a site with this demand requires two-factor sign-in of an account."""
    return connection.execute(_required(account_id, demand)).first() is not None


def has_to_turn_on(connection: Connection, account_id: int, demand: TwoFactorDemand) -> bool:
    """Whether a site with this demand requires it of an account that has it off."""
    lacks = _required(account_id, demand).where(~_turned_on(account_id))
    return connection.execute(lacks).first() is not None


def prepare_app(db: Session, account_id: int) -> None:
    """Make a secret for an app, which a code has to confirm; replaces one that none has confirmed yet.

    Raises Conflict if two-factor sign-in is on.
    """
    if is_turned_on(db, account_id):
        raise Conflict("two-factor sign-in is on", remedy="turn it off first to use another app")
    db.merge(TwoFactorRow(account_id=account_id, secret=new_app_secret(), confirmed_at=None, last_step=0))
    db.flush()


def turn_on(db: Session, account_id: int, typed: str) -> tuple[str, ...] | None:
    """Turn two-factor sign-in on if the app's code was typed; the recovery codes, which are told here only.

    Raises Conflict if no app waits for its first code.
    """
    row = db.get(TwoFactorRow, account_id)
    if row is None or row.confirmed_at is not None:
        raise Conflict("no authenticator app is being set up", remedy="open the page again")
    moment = utc_now()
    step = matching_step(row.secret, typed, moment)
    if step is None:
        return None
    # The same secret, confirmed once: another page of the same person may have begun anew meanwhile.
    confirmed = (
        update(TwoFactorRow)
        .where(
            TwoFactorRow.account_id == account_id,
            TwoFactorRow.secret == row.secret,
            TwoFactorRow.confirmed_at.is_(None),
        )
        .values(confirmed_at=moment, last_step=step)
        .returning(TwoFactorRow.account_id)
    )
    if db.scalar(confirmed) is None:
        raise Conflict("the authenticator app was changed meanwhile", remedy="open the page again")
    return renew_recovery_codes(db, account_id)


def use_code(db: Session, account_id: int, typed: str) -> bool:
    """Use a code of the app, or a recovery code; False if it is none, or was used before."""
    row = db.get(TwoFactorRow, account_id, populate_existing=True)
    if row is None or row.confirmed_at is None:
        return False
    step = matching_step(row.secret, typed, utc_now(), after=row.last_step)
    if step is None:
        return _use_recovery_code(db, row, typed)
    used = (
        update(TwoFactorRow)
        .where(TwoFactorRow.account_id == account_id, TwoFactorRow.last_step < step)
        .values(last_step=step)
        .returning(TwoFactorRow.account_id)
    )
    return db.scalar(used) is not None


def renew_recovery_codes(db: Session, account_id: int) -> tuple[str, ...]:
    """Replace all recovery codes; the new ones are told here only."""
    codes = new_recovery_codes()
    hashes = "\n".join(map(recovery_hash, codes))
    db.execute(
        update(TwoFactorRow).where(TwoFactorRow.account_id == account_id).values(recovery_hashes=hashes)
    )
    return codes


def turn_off(db: Session, account_id: int) -> bool:
    """Delete secret and recovery codes, so that the password alone signs in; whether it was on before."""
    db.execute(delete(CodeStepRow).where(CodeStepRow.account_id == account_id))
    ended = delete(TwoFactorRow).where(TwoFactorRow.account_id == account_id)
    return db.scalar(ended.returning(TwoFactorRow.confirmed_at)) is not None


def _use_recovery_code(db: Session, row: TwoFactorRow, typed: str) -> bool:
    before, used = row.recovery_hashes, recovery_hash(typed)
    left = [one for one in before.split() if one != used]
    if len(left) == len(before.split()):
        return False
    # Whoever uses one at the same time finds the row changed.
    changed = (
        update(TwoFactorRow)
        .where(TwoFactorRow.account_id == row.account_id, TwoFactorRow.recovery_hashes == before)
        .values(recovery_hashes="\n".join(left))
        .returning(TwoFactorRow.account_id)
    )
    return db.scalar(changed) is not None


def _required(account_id: int, demand: TwoFactorDemand) -> Select[int]:
    account = select(AccountRow.id).where(AccountRow.id == account_id)
    if demand is TwoFactorDemand.EVERYBODY:
        return account
    organises = exists().where(MemberRow.account_id == AccountRow.id, MemberRow.role == Role.ORGANISER)
    responsible = or_(AccountRow.administrator, organises)
    return account.where(responsible if demand is TwoFactorDemand.RESPONSIBLE else false())


def _turned_on(account_id: int) -> Exists:
    return exists().where(TwoFactorRow.account_id == account_id, TwoFactorRow.confirmed_at.is_not(None))
