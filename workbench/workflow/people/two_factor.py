"""Two-factor sign-in: an account's authenticator app, its recovery codes, and sign-ins that wait for a code.

Decisions:

- Codes are those of TOTP (RFC 6238) with SHA-1, six digits and 30 seconds, its defaults: some apps ignore
  anything else they are told. A clock may be one period wrong in either direction (section 5.2 recommends at
  most one).
- The secret of the app is stored as it is: codes are computed with it, and this program has no key outside of
  the database. Whoever reads the database can compute codes and still lacks the password, of which only an
  Argon2 hash is stored; of recovery codes there are only hashes as well.
- A code is marked as used by an update that demands that neither it nor a later one was: of two who use it at
  the same time, in whatever processes, one finds the row changed.
- Nobody is signed in between password and code: a token of its own names that step, and opens nothing else.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import field
from datetime import datetime, timedelta
from hmac import compare_digest

import pyotp
from sqlalchemy import Exists, Select, exists, false, or_, select, update
from sqlalchemy.orm import Session, aliased

from workbench.errors import Conflict
from workbench.frozen import frozen_dataclass
from workbench.settings import TwoFactorDemand
from workbench.storage import Connection
from workbench.storage.tables import AccountRow, MemberRow
from workbench.workflow.clock import utc_now
from workbench.workflow.people.accounts import (
    Account,
    Opens,
    account_from,
    forget_one_time_tokens,
    make_one_time_token,
    one_time_account,
)
from workbench.workflow.people.membership import Role

PERIOD_SECONDS = 30
DIGITS = 6
DRIFT = 1
"""How many periods an app may be early or late."""
RECOVERY_CODES = 10
RECOVERY_BITS = 80
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"  # Base32, of which a character carries 5 bits
_RECOVERY_LENGTH, _GROUP = RECOVERY_BITS // 5, 4


def new_app_secret() -> str:
    """160 random bits in Base32, as long as the hash (RFC 4226, section 4, R6)."""
    return pyotp.random_base32(32)


def app_address(secret: str, login: str, site: str) -> str:
    """The `otpauth` address that an app reads from a QR code; `site` is what it calls the site."""
    return pyotp.TOTP(secret).provisioning_uri(name=login, issuer_name=site)


def code_at(secret: str, step: int) -> str:
    """The code of one period, counted from 1970."""
    return pyotp.TOTP(secret, digits=DIGITS, interval=PERIOD_SECONDS).generate_otp(step)


def step_at(now: datetime) -> int:
    """The number of the period of 30 seconds in which a moment is."""
    return int(now.timestamp()) // PERIOD_SECONDS


def matching_step(secret: str, typed: str, now: datetime, *, after: int = 0) -> int | None:
    """The period whose code was typed, None if it is not valid now; those up to `after` were used before."""
    code = plain_code(typed).encode("utf-8", "replace")
    current = step_at(now)
    for step in range(current - DRIFT, current + DRIFT + 1):
        if step > after and compare_digest(code_at(secret, step).encode(), code):
            return step
    return None


def new_recovery_codes() -> tuple[str, ...]:
    """Ten codes of 80 random bits each, in groups of four characters."""
    groups = range(_RECOVERY_LENGTH // _GROUP)
    return tuple(
        "-".join("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in groups)
        for _ in range(RECOVERY_CODES)
    )


def recovery_hash(typed: str) -> str:
    """The SHA-256 under which a recovery code is stored; unsalted, since 80 random bits cannot be guessed."""
    return hashlib.sha256(plain_code(typed).encode("utf-8", "replace")).hexdigest()


def plain_code(typed: str) -> str:
    """A code without the spaces and hyphens by which people group it, in lower case."""
    return "".join(typed.split()).replace("-", "").casefold()


@frozen_dataclass
class TwoFactorState:
    """Since when two-factor sign-in is on, None while it is off, and how many recovery codes are left.

    `secret` is that of an app which waits for its first code; it is empty at any other time.
    """

    on_since: datetime | None = None
    recovery_left: int = 0
    secret: str = field(default="", repr=False)


def two_factor_state(db: Session, account_id: int) -> TwoFactorState:
    """Whether two-factor sign-in is on for an account."""
    row = db.get(AccountRow, account_id)
    if row is None or row.app_secret is None:
        return TwoFactorState()
    if row.app_confirmed_at is None:
        return TwoFactorState(secret=row.app_secret)
    return TwoFactorState(row.app_confirmed_at, len(row.recovery_hashes.split()))


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
    row = db.get_one(AccountRow, account_id)
    row.app_secret, row.last_step = new_app_secret(), 0
    db.flush()


def turn_on(db: Session, account_id: int, typed: str) -> tuple[str, ...] | None:
    """Turn two-factor sign-in on if the app's code was typed; the recovery codes, which are told here only.

    Raises Conflict if no app waits for its first code.
    """
    row = db.get(AccountRow, account_id)
    if row is None or row.app_secret is None or row.app_confirmed_at is not None:
        raise Conflict("no authenticator app is being set up", remedy="open the page again")
    moment = utc_now()
    step = matching_step(row.app_secret, typed, moment)
    if step is None:
        return None
    # The same secret, confirmed once: another page of the same person may have begun anew meanwhile.
    confirmed = (
        update(AccountRow)
        .where(
            AccountRow.id == account_id,
            AccountRow.app_secret == row.app_secret,
            AccountRow.app_confirmed_at.is_(None),
        )
        .values(app_confirmed_at=moment, last_step=step)
        .returning(AccountRow.id)
    )
    if db.scalar(confirmed) is None:
        raise Conflict("the authenticator app was changed meanwhile", remedy="open the page again")
    return renew_recovery_codes(db, account_id)


def use_code(db: Session, account_id: int, typed: str) -> bool:
    """Use a code of the app, or a recovery code; False if it is none, or was used before."""
    own = AccountRow.app_secret, AccountRow.last_step, AccountRow.recovery_hashes
    turned_on = (AccountRow.id == account_id) & AccountRow.app_confirmed_at.is_not(None)
    row = db.execute(select(*own).where(turned_on)).one_or_none()
    if row is None or row.app_secret is None:
        return False
    step = matching_step(row.app_secret, typed, utc_now(), after=row.last_step)
    if step is None:
        return _use_recovery_code(db, account_id, row.recovery_hashes, typed)
    used = (
        update(AccountRow)
        .where(AccountRow.id == account_id, AccountRow.last_step < step)
        .values(last_step=step)
        .returning(AccountRow.id)
    )
    return db.scalar(used) is not None


def renew_recovery_codes(db: Session, account_id: int) -> tuple[str, ...]:
    """Replace all recovery codes; the new ones are told here only."""
    codes = new_recovery_codes()
    hashes = "\n".join(map(recovery_hash, codes))
    db.execute(update(AccountRow).where(AccountRow.id == account_id).values(recovery_hashes=hashes))
    return codes


def turn_off(db: Session, account_id: int) -> bool:
    """Delete secret and recovery codes, so that the password alone signs in; whether it was on before."""
    forget_one_time_tokens(db, account_id, Opens.SIGN_IN)
    row = db.get_one(AccountRow, account_id)
    was_on = row.app_confirmed_at is not None
    row.app_secret, row.app_confirmed_at, row.last_step, row.recovery_hashes = None, None, 0, ""
    db.flush()
    return was_on


def _use_recovery_code(db: Session, account_id: int, before: str, typed: str) -> bool:
    used = recovery_hash(typed)
    left = [one for one in before.split() if one != used]
    if len(left) == len(before.split()):
        return False
    # Whoever uses one at the same time finds the row changed.
    changed = (
        update(AccountRow)
        .where(AccountRow.id == account_id, AccountRow.recovery_hashes == before)
        .values(recovery_hashes="\n".join(left))
        .returning(AccountRow.id)
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
    own = aliased(AccountRow)
    return exists().where(own.id == account_id, own.app_confirmed_at.is_not(None))


CODE_STEP_LASTS = timedelta(minutes=5)


@frozen_dataclass
class CodeNeeded:
    """A sign-in that waits for a code; the token is sent to the browser and stored nowhere else."""

    token: str


def ask_for_code(db: Session, account_id: int) -> CodeNeeded:
    """Have a code entered for an account; expires after five minutes."""
    return CodeNeeded(make_one_time_token(db, account_id, Opens.SIGN_IN, lasts=CODE_STEP_LASTS))


def waiting_account(db: Session, token: str | None) -> Account | None:
    """Whose code is waited for; None once the step has ended or expired."""
    row = one_time_account(db, token, Opens.SIGN_IN) if token else None
    return account_from(row) if row is not None else None
