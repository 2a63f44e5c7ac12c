"""Trips: a browser on its way to the provider and back, with the permission to link an account.

All that has to fit on the way back follows from the cookie of the trip (`kept`), which the browser sends to
this site only: `state` by which the answer is recognised, `nonce` for the ID token, `verifier` for PKCE.

A permission is given where the password of an account was right, for one session and ten minutes. Its browser
can change the cookie in which it travels. So it is sealed with the stored password hash, which nobody knows
who has not read the database: whoever took over a session, and not the password, can make none. Another
password ends it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from dataclasses import field
from datetime import timedelta
from enum import StrEnum

from sqlalchemy.orm import Session

from workbench.frozen import frozen_dataclass
from workbench.outside import parsed_json
from workbench.storage.tables import AccountRow
from workbench.workflow.clock import utc_now
from workbench.workflow.people.accounts import has_password, new_token, token_hash

TRIP_LASTS = timedelta(minutes=10)
LONGEST_TARGET = 2000
"""In characters; a browser keeps cookies of 4,096 bytes."""


class TripPurpose(StrEnum):
    """What a person goes to the provider for."""

    SIGN_IN = "sign in"
    JOIN = "join"
    LINK = "link"


@frozen_dataclass
class BrowserTrip:
    """A trip with its purpose and its `target`.

    The target is where to go on after signing in, the token of an invitation to join with, or a permission to
    link an account. `kept` is the value of the cookie: its browser can make up any, so that the target has to
    prove itself.
    """

    purpose: TripPurpose
    target: str = field(repr=False)
    kept: str = field(repr=False)

    @property
    def state(self) -> str:
        """What the provider sends back unchanged; by it the answer is known to be to this trip."""
        return self._derived("state")

    @property
    def nonce(self) -> str:
        """What the ID token has to repeat, so that none of another sign-in is accepted."""
        return self._derived("nonce")

    @property
    def verifier(self) -> str:
        """The PKCE verifier of RFC 7636, without which the provider exchanges the code for nobody."""
        return self._derived("verifier")

    def _derived(self, use: str) -> str:
        return _unpadded(hashlib.sha256(f"{use}\0{self.kept}".encode()).digest())


def new_trip(purpose: TripPurpose, target: str = "") -> BrowserTrip:
    """A trip that begins now; a target that no cookie can hold is left out."""
    target = target if len(target) <= LONGEST_TARGET and target.isascii() else ""
    content = [purpose, target, int(utc_now().timestamp()), new_token()]
    return BrowserTrip(purpose, target, _unpadded(json.dumps(content).encode()))


def returned_trip(kept: str, state: str) -> BrowserTrip | None:
    """The trip of a cookie, if the state that came back is its own; None if not, or after ten minutes."""
    try:
        content = base64.urlsafe_b64decode(kept + "=" * (-len(kept) % 4))
        purpose, target, begun, _secret = parsed_json(content)
        trip = BrowserTrip(TripPurpose(purpose), str(target), kept)
        age = utc_now().timestamp() - float(begun)
    except (ValueError, TypeError):
        return None
    fits = hmac.compare_digest(trip.state.encode(), state.encode("utf-8", "replace"))
    return trip if fits and 0 <= age <= TRIP_LASTS.total_seconds() else None


def _unpadded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


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
