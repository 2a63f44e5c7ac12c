"""Mail addresses of accounts: where messages go, and how a new address is confirmed.

Decisions:

- A new address counts once its owner has opened the link that was sent to it; until then the one before
  stays. Changing it takes the password, or whoever borrows an open browser could have the next reset link
  sent to themselves.
- An address may belong to several accounts: refusing one would tell that somebody else has it.
"""

from __future__ import annotations

import re
from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import InvalidInput, NotFound, rejected
from workbench.frozen import frozen_dataclass
from workbench.storage.tables import AccountRow
from workbench.workflow.people.accounts import (
    Account,
    Opens,
    account_from,
    fold_login,
    forget_one_time_tokens,
    make_one_time_token,
    one_time_account,
)

CONFIRMATION_LASTS = timedelta(days=2)
LONGEST_ADDRESS = 254
"""Of RFC 5321, without the brackets around it."""
MOST_WITH_ONE_ADDRESS = 3
# What RFC 5322 calls a dot-atom, and a domain of letters, digits and hyphens: no quotes, no comments.
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ADDRESS = re.compile(rf"{_ATOM}(?:\.{_ATOM})*@{_LABEL}(?:\.{_LABEL})+")


@frozen_dataclass
class MailAddress:
    """The address of an account, empty without one, and the new one that is not confirmed yet."""

    address: str = ""
    unconfirmed: str = ""


def checked_address(text: str) -> str:
    """A mail address as it is stored, its domain in lower case; raises InvalidInput."""
    text = text.strip()
    if len(text) <= LONGEST_ADDRESS and _ADDRESS.fullmatch(text) and len(text.partition("@")[0]) <= 64:
        name, _, domain = text.partition("@")
        return f"{name}@{domain.lower()}"
    message = "the address is missing" if not text else "messages cannot be sent to this address"
    remedy = "enter one address such as ada@example.org; write a domain with other letters in its xn-- form"
    raise rejected("E-mail address", None, "address", message, remedy)


def address_of(db: Session, account_id: int) -> MailAddress:
    """The address of an account."""
    row = db.get(AccountRow, account_id)
    return MailAddress(row.address or "", row.new_address or "") if row is not None else MailAddress()


def propose_address(db: Session, account_id: int, address: str) -> None:
    """Store a checked address that its owner has to confirm; it replaces another that waited."""
    db.get_one(AccountRow, account_id).new_address = address
    forget_one_time_tokens(db, account_id, Opens.ADDRESS)
    db.flush()


def make_confirmation(db: Session, account_id: int, address: str) -> str | None:
    """The token of a new link that confirms an address; None where that is no longer proposed."""
    row = db.get(AccountRow, account_id)
    if row is None or row.new_address != address:
        return None
    return make_one_time_token(db, account_id, Opens.ADDRESS, lasts=CONFIRMATION_LASTS)


def proposed_by(db: Session, token: str) -> tuple[Account, str]:
    """Whose address a link confirms, and which; raises NotFound if it was used or has expired."""
    row = one_time_account(db, token, Opens.ADDRESS)
    if row is None:
        message, remedy = "this link was used or replaced, or has expired", "enter the address again"
        raise NotFound(message, remedy=f"{remedy} under Your account")
    return account_from(row), row.new_address or ""


def confirm_address(db: Session, token: str) -> str:
    """Have messages go to the address that a link confirms; gives it. Raises as `proposed_by`."""
    account, address = proposed_by(db, token)
    set_address(db, account.id, address)
    return address


def set_address(db: Session, account_id: int, address: str) -> None:
    """Have messages go to an address that somebody vouches for: its owner's link, or an administrator."""
    _set(db, account_id, address)


def remove_address(db: Session, account_id: int) -> None:
    """Let an account have no address; links that were to confirm one stop working."""
    _set(db, account_id, None)


def _set(db: Session, account_id: int, address: str | None) -> None:
    row = db.get_one(AccountRow, account_id)
    row.address, row.new_address = address, None
    forget_one_time_tokens(db, account_id, Opens.ADDRESS)
    db.flush()


def accounts_meant(db: Session, text: str) -> list[AccountRow]:
    """The enabled accounts of a login name or a confirmed address, at most three."""
    folded = fold_login(text)
    rows = select(AccountRow).where(AccountRow.disabled_at.is_(None))
    by_login = db.scalars(rows.where(AccountRow.login == folded)).all()
    if by_login:
        return list(by_login)
    try:
        address = checked_address(text)
    except InvalidInput:
        return []
    chosen = rows.where(AccountRow.address == address).order_by(AccountRow.id)
    return list(db.scalars(chosen.limit(MOST_WITH_ONE_ADDRESS)).all())
