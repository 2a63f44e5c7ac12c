"""Access tokens: by each, a program acts for one account, with no more than that account may do.

Decisions:

- A token has the rights of its owner at the moment of a call, and of these only what its scopes name. It
  says nothing of roles, so that whoever loses a role loses it in every program too.
- What locks somebody out of an account, as another password does, revokes its tokens (`signing_in`).
- Every token ends: a year is the most. It is shown once; the database has its SHA-256.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput, NotFound
from workbench.storage.tables import AccessTokenRow
from workbench.workflow.checks import record_of, storable
from workbench.workflow.clock import utc_now
from workbench.workflow.people.tokens import new_token, token_hash

PREFIX = "wbt_"
"""How every token begins, so that it is recognised where it does not belong, as in a public repository."""
LONGEST_TOKEN_NAME = 80
MOST_TOKENS = 50
MOST_DAYS = 366
USUAL_DAYS = 90
MINUTE = timedelta(minutes=1)


class Scope(StrEnum):
    """What a token may be used for."""

    READ = "read"
    JUDGE = "judge"
    DECIDE = "decide"
    RUNS = "runs"
    MANAGE = "manage"

    @property
    def description(self) -> str:
        """What the scope opens, in one line."""
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    Scope.READ: "Read what your pages show",
    Scope.JUDGE: "Record judgments for your own assignments",
    Scope.DECIDE: "Decide disputed pairs",
    Scope.RUNS: "Check, submit and describe runs",
    Scope.MANAGE: "Change campaigns: settings, topics, documents, pools, people, assignments, releases",
}


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token as its owner sees it; `used_at` is right to the minute, None before its first use."""

    id: int
    name: str
    scopes: tuple[Scope, ...]
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None
    expired: bool


@dataclass(frozen=True, slots=True)
class NewAccessToken:
    """A token that was just made; `secret` is shown once and stored nowhere."""

    secret: str
    token: AccessToken


def make_access_token(
    db: Session,
    account_id: int,
    *,
    name: str,
    scopes: Collection[str],
    days: int = USUAL_DAYS,
) -> NewAccessToken:
    """Make a token for an account, valid for `days`.

    Raises InvalidInput with every error, whose codes are the names of the fields, and Conflict for an account
    that has 50 already.
    """
    name = " ".join(storable(name).split())
    findings = _findings(name, scopes, days)
    if findings:
        raise InvalidInput(findings)
    own = select(func.count()).where(AccessTokenRow.account_id == account_id)
    if (db.scalar(own) or 0) >= MOST_TOKENS:
        raise Conflict(f"an account has at most {MOST_TOKENS} tokens", remedy="revoke one first")
    secret, moment = PREFIX + new_token(), utc_now()
    row = AccessTokenRow(
        account_id=account_id,
        name=name,
        token_hash=token_hash(secret),
        scopes=" ".join(scope for scope in Scope if scope in scopes),
        created_at=moment,
        expires_at=moment + timedelta(days=days),
    )
    db.add(row)
    db.flush()
    return NewAccessToken(secret, _access_token(row, moment))


def access_tokens(db: Session, account_id: int) -> tuple[AccessToken, ...]:
    """The tokens of an account, expired ones too, the latest first."""
    own = select(AccessTokenRow).where(AccessTokenRow.account_id == account_id)
    moment = utc_now()
    return tuple(_access_token(row, moment) for row in db.scalars(own.order_by(AccessTokenRow.id.desc())))


def revoke_access_token(db: Session, account_id: int, token_id: int) -> AccessToken:
    """Revoke a token of an account, from this moment on; raises NotFound."""
    row = db.get(AccessTokenRow, token_id)
    if row is None or row.account_id != account_id:
        raise NotFound("this account has no such token", remedy="see the list of its tokens")
    found = _access_token(row, utc_now())
    db.delete(row)
    db.flush()
    return found


def note_use(db: Session, token_id: int) -> None:
    """Store that a token is used now."""
    db.execute(update(AccessTokenRow).where(AccessTokenRow.id == token_id).values(used_at=utc_now()))


def use_is_noted(used_at: datetime | None) -> bool:
    """Whether the last use of a token that is stored is less than a minute ago."""
    return used_at is not None and utc_now() - used_at < MINUTE


def _findings(name: str, scopes: Collection[str], days: int) -> list[Finding]:
    findings = []
    if not name:
        findings.append(Finding("Name", None, "name", "the name is missing", "name what will use the token"))
    elif len(name) > LONGEST_TOKEN_NAME:
        most = f"at most {LONGEST_TOKEN_NAME} characters"
        findings.append(Finding("Name", None, "name", "the name is too long", most))
    unknown = sorted(set(scopes) - set(Scope))
    if unknown:
        known = f"choose from {', '.join(Scope)}"
        findings.append(Finding("Scopes", None, "scopes", f"{unknown[0][:40]!r} is not a scope", known))
    elif not scopes:
        findings.append(Finding("Scopes", None, "scopes", "no scope is chosen", "choose one or more"))
    if not 1 <= days <= MOST_DAYS:
        bounds = f"1 to {MOST_DAYS} days"
        findings.append(
            Finding("Valid for", None, "days", f"a token cannot be valid for {days} days", bounds)
        )
    return findings


def _access_token(row: AccessTokenRow, moment: datetime) -> AccessToken:
    return record_of(AccessToken, row, scopes=scopes_of(row.scopes), expired=row.expires_at <= moment)


def scopes_of(stored: str) -> tuple[Scope, ...]:
    """The scopes in a stored text; one that this version does not know opens nothing."""
    return tuple(scope for scope in Scope if scope in stored.split())
