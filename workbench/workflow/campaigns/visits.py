"""Visits: who sends a request, and what roles they have in the campaign of its address, in one statement."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, select
from sqlalchemy.engine import Connection, Row

from workbench.frozen import frozen_dataclass
from workbench.storage.tables import AccessTokenRow, AccountRow, CampaignRow, MemberRow, SessionRow
from workbench.workflow.campaigns.campaigns import DELETED
from workbench.workflow.clock import utc_now
from workbench.workflow.people.accounts import Account, account_key, token_hash
from workbench.workflow.people.membership import Role
from workbench.workflow.people.sessions import NOTED_EVERY, Scope, last_use, scopes_of, unused_since

# The part of an account's settings of the desk that says how text looks.
TEXT_PART = "text"


@frozen_dataclass
class VisitedCampaign:
    """The campaign of an address, and all roles that the visitor has in it."""

    id: int
    slug: str
    name: str
    illustrative: bool
    archived_at: datetime | None
    roles: frozenset[Role]


@frozen_dataclass
class Visit:
    """Whose session a token is; `campaign` is None where the address has none or there is none.

    `look` is what the account has chosen for reading, as it was stored: every page is drawn with it.
    `unnoted` says that this use of the session is to be noted, once an hour.
    """

    account: Account
    disabled: bool
    campaign: VisitedCampaign | None
    look: Any
    unnoted: bool


@frozen_dataclass
class TokenVisit:
    """The visit of a program by an access token, and what the token may be used for."""

    visit: Visit
    token_id: int
    scopes: tuple[Scope, ...]
    used_at: datetime | None


def visit_of(
    connection: Connection,
    token: str,
    slug: str | None = None,
    *,
    idle: timedelta | None = None,
) -> Visit | None:
    """The visit that a session token and the slug of an address make; None where the session has ended.

    It has as well where it was not used for the time `idle`, if that is given.
    """
    moment = utc_now()
    rows = _rows(_VISIT, connection, token, slug, moment, used_after=unused_since(moment, idle))
    return _visit(rows, moment) if rows else None


def token_visit_of(connection: Connection, secret: str, slug: str | None = None) -> TokenVisit | None:
    """The visit that an access token makes; None for one that was revoked, expired, or never there."""
    moment = utc_now()
    rows = _rows(_TOKEN_VISIT, connection, secret, slug, moment)
    if not rows:
        return None
    row = rows[0]
    return TokenVisit(_visit(rows, moment), row.token_id, scopes_of(row.scopes), row.used_at)


def _rows(
    statement: Select[*tuple[Any, ...]],
    connection: Connection,
    token: str,
    slug: str | None,
    moment: datetime,
    **further: datetime,
) -> Sequence[Row[*tuple[Any, ...]]]:
    asked = {"token_hash": token_hash(token), "now": moment, "slug": slug or "", **further}
    return connection.execute(statement, asked).all()


def _visit(rows: Sequence[Row[*tuple[Any, ...]]], moment: datetime) -> Visit:
    row = rows[0]
    key = account_key(row.id, row.created_at)
    account = Account(row.id, row.login, row.name, row.administrator, key)
    campaign = None
    if row.campaign_id is not None and not row.slug.startswith(DELETED):
        campaign = VisitedCampaign(
            row.campaign_id,
            row.slug,
            row.campaign_name,
            row.illustrative,
            row.archived_at,
            frozenset(Role(each.role) for each in rows if each.role is not None),
        )
    unnoted = row.used_at is None or moment - row.used_at >= NOTED_EVERY
    return Visit(account, row.disabled_at is not None, campaign, row.look, unnoted)


def _visits(
    source: type[SessionRow] | type[AccessTokenRow], *columns: ColumnElement[Any]
) -> Select[*tuple[Any, ...]]:
    """A row for each role that an account has in a campaign, or one without campaign or role."""
    return (
        select(
            *columns,
            AccountRow.id,
            AccountRow.login,
            AccountRow.name,
            AccountRow.administrator,
            AccountRow.created_at,
            AccountRow.disabled_at,
            AccountRow.desk[TEXT_PART].label("look"),
            source.used_at,
            CampaignRow.id.label("campaign_id"),
            CampaignRow.slug,
            CampaignRow.name.label("campaign_name"),
            CampaignRow.illustrative,
            CampaignRow.archived_at,
            MemberRow.role,
        )
        .select_from(source)
        .join(AccountRow, AccountRow.id == source.account_id)
        .outerjoin(CampaignRow, CampaignRow.slug == bindparam("slug"))
        .outerjoin(
            MemberRow, (MemberRow.campaign_id == CampaignRow.id) & (MemberRow.account_id == AccountRow.id)
        )
        .where(source.token_hash == bindparam("token_hash"), source.expires_at > bindparam("now"))
    )


_VISIT = _visits(SessionRow).where(last_use() > bindparam("used_after"))
_TOKEN_VISIT = _visits(
    AccessTokenRow, AccessTokenRow.id.label("token_id"), AccessTokenRow.scopes.label("scopes")
)
