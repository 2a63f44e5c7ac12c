"""Administration of accounts: who has one, disabling and enabling, and who is an administrator.

Decisions:

- A disabled account stays, with its roles, judgments and everything else; only nobody can sign in with it.
- There is always an administrator who can sign in, so the last one is neither disabled nor demoted.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound
from workbench.frozen import frozen_dataclass, record_of
from workbench.storage.tables import (
    AccountRow,
    AssessorRow,
    CampaignRow,
    JudgmentEventRow,
    MemberRow,
    SessionRow,
)
from workbench.workflow.clock import utc_now
from workbench.workflow.people.accounts import NO_PASSWORD
from workbench.workflow.people.membership import Role
from workbench.workflow.people.signing_in import sign_out_everywhere
from workbench.workflow.people.two_factor import turn_off


@frozen_dataclass
class AccountLine:
    """An account in the administrator's list; `used_at`, to the hour, is that of its open sessions."""

    id: int
    login: str
    name: str
    administrator: bool
    created_at: datetime
    disabled_at: datetime | None
    erased: bool
    two_factor: bool
    sessions: int
    used_at: datetime | None


@frozen_dataclass
class AccountDetails:
    """An account with its campaigns: (slug, name, roles) of each, and how many answers it recorded."""

    line: AccountLine
    campaigns: tuple[tuple[str, str, tuple[Role, ...]], ...]
    answers: int


def accounts_found(
    db: Session, search: str = "", *, start: int = 0, most: int | None = None
) -> tuple[AccountLine, ...]:
    """The accounts whose login or name contains a text, by login."""
    return _lines(db, _matching(search), start, most)


def count_accounts(db: Session, search: str = "") -> int:
    """How many accounts have a login or name that contains a text."""
    return db.scalar(select(func.count()).select_from(AccountRow).where(*_matching(search))) or 0


def account_details(db: Session, account_id: int) -> AccountDetails:
    """An account with its campaigns; raises NotFound."""
    lines = _lines(db, [AccountRow.id == account_id])
    if not lines:
        raise _none()
    roles: dict[tuple[str, str], set[str]] = {}
    for slug, name, role in db.execute(
        select(CampaignRow.slug, CampaignRow.name, MemberRow.role)
        .join(MemberRow, MemberRow.campaign_id == CampaignRow.id)
        .where(MemberRow.account_id == account_id)
        .order_by(CampaignRow.name, CampaignRow.slug)
    ):
        roles.setdefault((slug, name), set()).add(role)
    answers = db.scalar(
        select(func.count())
        .select_from(JudgmentEventRow)
        .join(AssessorRow, AssessorRow.id == JudgmentEventRow.assessor_id)
        .where(AssessorRow.account_id == account_id)
    )
    campaigns = tuple(
        (slug, name, tuple(role for role in Role if role in given)) for (slug, name), given in roles.items()
    )
    return AccountDetails(lines[0], campaigns, answers or 0)


def require_account(db: Session, account_id: int) -> AccountRow:
    """The row of an account; raises NotFound."""
    row = db.get(AccountRow, account_id)
    if row is None:
        raise _none()
    return row


def disable_account(db: Session, account_id: int) -> AccountRow:
    """Let nobody sign in with an account, end its sessions and revoke its tokens; judgments stay.

    Raises NotFound; Conflict for the last administrator.
    """
    row = _locked(db, account_id)
    _require_another_administrator(db, row)
    row.disabled_at = row.disabled_at or utc_now()
    sign_out_everywhere(db, row.id)
    db.flush()
    return row


def enable_account(db: Session, account_id: int) -> AccountRow:
    """Let the owner of a disabled account sign in again, with the password so far.

    Raises NotFound; Conflict for an account that was erased.
    """
    row = _locked(db, account_id)
    if row.password_hash == NO_PASSWORD:
        raise Conflict("the personal data of this account was deleted", remedy="invite the person again")
    row.disabled_at = None
    db.flush()
    return row


def set_administrator(db: Session, account_id: int, administrator: bool) -> AccountRow:
    """Make an account an administrator, or no longer one.

    Raises NotFound; Conflict for the last administrator, and for a disabled account that would be one.
    """
    row = _locked(db, account_id)
    if administrator and row.disabled_at is not None:
        raise Conflict("the account is disabled", remedy="enable it first")
    if not administrator:
        _require_another_administrator(db, row)
    row.administrator = administrator
    db.flush()
    return row


def reset_two_factor(db: Session, account_id: int) -> AccountRow:
    """Have no code asked of a person who lost the app and the recovery codes; ends its sessions and tokens.

    Raises NotFound; Conflict if two-factor sign-in is off.
    """
    row = require_account(db, account_id)
    if not turn_off(db, row.id):
        raise Conflict("two-factor sign-in is off for this account", remedy="sign in with the password alone")
    sign_out_everywhere(db, row.id)
    db.flush()
    return row


def _matching(search: str) -> list[ColumnElement[bool]]:
    sought = search.strip()
    if not sought:
        return []
    return [
        or_(
            AccountRow.login.contains(sought.casefold(), autoescape=True),
            AccountRow.name.icontains(sought, autoescape=True),
        ),
    ]


def _lines(
    db: Session, chosen: Sequence[ColumnElement[bool]], start: int = 0, most: int | None = None
) -> tuple[AccountLine, ...]:
    own = SessionRow.account_id == AccountRow.id
    rows = db.execute(
        select(
            AccountRow,
            select(func.count()).select_from(SessionRow).where(own).scalar_subquery(),
            select(func.max(SessionRow.used_at)).where(own).scalar_subquery(),
            AccountRow.app_confirmed_at,
        )
        .where(*chosen)
        .order_by(AccountRow.login)
        .offset(start)
        .limit(most)
    )
    return tuple(
        record_of(
            AccountLine,
            row,
            erased=row.password_hash == NO_PASSWORD,
            two_factor=two_factor_since is not None,
            sessions=sessions,
            used_at=used_at,
        )
        for row, sessions, used_at, two_factor_since in rows
    )


def _locked(db: Session, account_id: int) -> AccountRow:
    # All administrators with it, so that the last two cannot remove each other at the same time; in one
    # order, so that two who do so wait for each other in turn.
    rows = db.scalars(
        select(AccountRow)
        .where(or_(AccountRow.id == account_id, AccountRow.administrator))
        .order_by(AccountRow.id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    found = {row.id: row for row in rows}
    if account_id not in found:
        raise _none()
    return found[account_id]


def _require_another_administrator(db: Session, row: AccountRow) -> None:
    if not row.administrator or row.disabled_at is not None:
        return
    others = select(AccountRow.id).where(
        AccountRow.administrator, AccountRow.disabled_at.is_(None), AccountRow.id != row.id
    )
    if db.scalar(others.limit(1)) is None:
        raise Conflict(
            "this is the only administrator who can sign in",
            remedy="make another account an administrator first",
        )


def _none() -> NotFound:
    return NotFound("there is no such account", remedy="see the list of accounts")
