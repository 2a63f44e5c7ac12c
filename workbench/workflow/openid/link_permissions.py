"""Permissions to link an account: given where its password was right, for one session and ten minutes.

A permission travels in the cookie of the trip, which its browser can change. So it is sealed with the stored
password hash, which nobody knows who has not read the database: whoever took over a session, and not the
password, can make none. Another password ends it.
"""

from __future__ import annotations

import hashlib
import hmac

from sqlalchemy.orm import Session

from workbench.storage.tables import AccountRow
from workbench.workflow.clock import utc_now
from workbench.workflow.openid.browser_trips import TRIP_LASTS
from workbench.workflow.people.accounts import has_password
from workbench.workflow.people.tokens import token_hash


def link_permission(db: Session, account_id: int, token: str) -> str:
    """Permission to link an account in the session with this token; call it once the password was right."""
    until = int((utc_now() + TRIP_LASTS).timestamp())
    return f"{until}.{_seal(db, account_id, token, until)}"


def is_permitted(db: Session, permission: str, account_id: int, token: str) -> bool:
    """Whether this is a permission for this account and session that has not ended."""
    stated, _, seal = permission.partition(".")
    if not (stated.isdecimal() and stated.isascii() and len(stated) < 20 and has_password(db, account_id)):
        return False
    expected = _seal(db, account_id, token, int(stated))
    return hmac.compare_digest(expected, seal) and int(stated) >= utc_now().timestamp()


def _seal(db: Session, account_id: int, token: str, until: int) -> str:
    secret = db.get_one(AccountRow, account_id).password_hash.encode()
    stated = f"link {account_id} {token_hash(token)} {until}".encode()
    return hmac.new(secret, stated, hashlib.sha256).hexdigest()
