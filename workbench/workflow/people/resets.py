"""Resets: links by which a person who forgot the password chooses another, once and within a day.

Decisions:

- The password so far and the sessions stay until the link is used, so that making a link harms nobody: not
  the owner who remembers the password after all, nor one whose link was made by mistake.
- An account has one link at a time; a new one replaces it. A disabled account has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound
from workbench.storage.tables import AccountRow, PasswordResetRow
from workbench.workflow.clock import utc_now
from workbench.workflow.people.accounts import Account, account_from
from workbench.workflow.people.code_steps import CodeNeeded
from workbench.workflow.people.signing_in import Browser, SignedIn, enter, replace_password
from workbench.workflow.people.tokens import new_token, token_hash

RESET_LASTS = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ResetLink:
    """A link for an account, with its token, which is returned here only, never again."""

    account: Account
    token: str
    expires_at: datetime


def make_reset(db: Session, account_id: int) -> ResetLink:
    """Make a link that replaces the one before; raises NotFound, Conflict for a disabled account."""
    row = db.get(AccountRow, account_id)
    if row is None:
        raise NotFound("there is no such account")
    if row.disabled_at is not None:
        raise Conflict("the account is disabled", remedy="enable it first")
    token, moment = new_token(), utc_now()
    db.execute(delete(PasswordResetRow).where(PasswordResetRow.expires_at <= moment))
    db.merge(
        PasswordResetRow(account_id=row.id, token_hash=token_hash(token), expires_at=moment + RESET_LASTS)
    )
    db.flush()
    return ResetLink(account_from(row), token, moment + RESET_LASTS)


def reset_owner(db: Session, token: str) -> Account:
    """Whose password a link replaces; raises NotFound if it is unknown, used, replaced or expired."""
    row = db.scalar(
        select(AccountRow)
        .join(PasswordResetRow, PasswordResetRow.account_id == AccountRow.id)
        .where(
            PasswordResetRow.token_hash == token_hash(token),
            PasswordResetRow.expires_at > utc_now(),
            AccountRow.disabled_at.is_(None),
        )
    )
    if row is None:
        raise NotFound(
            "this link was used or replaced, or has expired", remedy="ask an administrator for a new one"
        )
    return account_from(row)


def use_reset(db: Session, token: str, password_hash: str, browser: Browser) -> SignedIn | CodeNeeded:
    """Replace the password, end all sessions, and open a new one or ask for the code that the account needs.

    Raises as `reset_owner`, also for the second of two at the same time.
    """
    owner = reset_owner(db, token)
    used = delete(PasswordResetRow).where(PasswordResetRow.token_hash == token_hash(token))
    if db.scalar(used.returning(PasswordResetRow.account_id)) is None:
        raise NotFound("this link was used", remedy="ask an administrator for a new one")
    replace_password(db, owner.id, password_hash)
    return enter(db, owner, browser)
