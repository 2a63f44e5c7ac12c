"""Invitations: links by which one person joins a campaign in a role, once and within two weeks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session, aliased

from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.storage.tables import AccountRow, CampaignRow, GroupRow, InvitationRow
from workbench.workflow.clock import utc_now
from workbench.workflow.people.accounts import Account, NewAccount, create_account
from workbench.workflow.people.groups import join, require_group
from workbench.workflow.people.membership import add_role
from workbench.workflow.people.roles import Role
from workbench.workflow.people.signing_in import new_token, token_hash

INVITATION_LASTS = timedelta(days=14)
LONGEST_NOTE = 200
NOT_VALID = "this invitation was used or revoked, or has expired"


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation in the organiser's list; `used_by` is a person's name, `group` that of a participant."""

    id: int
    role: Role
    group: str
    note: str
    invited_by: str
    expires_at: datetime
    used_at: datetime | None
    used_by: str
    expired: bool


@dataclass(frozen=True, slots=True)
class Invited:
    """A new invitation; its token is returned here only, never again."""

    id: int
    token: str


@dataclass(frozen=True, slots=True)
class Offer:
    """What an invitation offers: a role in a campaign, and for a participant the `group`."""

    campaign: str
    slug: str
    role: Role
    group: str
    invited_by: str
    expires_at: datetime


def invite(
    db: Session,
    campaign_id: int,
    *,
    role: Role,
    note: str = "",
    group_id: int | None = None,
    invited_by: int | None,
    now: datetime | None = None,
) -> Invited:
    """Create an invitation for one person; `note` reminds the organiser who it is for.

    A participant is invited to a group. Raises WorkbenchError for a note that is too long, for a participant
    without a group and for another role with one, NotFound for a group of another campaign.
    """
    if (role is Role.PARTICIPANT) != (group_id is not None):
        message = "a participant, and no other role, needs a group"
        raise WorkbenchError(message, remedy="name the group of a participant, or choose another role")
    if group_id is not None:
        require_group(db, campaign_id, group_id)
    note = " ".join(note.replace("\0", "").split())
    if len(note) > LONGEST_NOTE:
        raise WorkbenchError(f"the note has {len(note)} characters", remedy=f"at most {LONGEST_NOTE}")
    token, moment = new_token(), utc_now(now)
    row = InvitationRow(
        campaign_id=campaign_id,
        role=role,
        note=note,
        token_hash=token_hash(token),
        group_id=group_id,
        invited_by=invited_by,
        created_at=moment,
        expires_at=moment + INVITATION_LASTS,
    )
    db.add(row)
    db.flush()
    return Invited(row.id, token)


def invitations(db: Session, campaign_id: int, *, now: datetime | None = None) -> tuple[Invitation, ...]:
    """The invitations of a campaign, latest first."""
    inviter, guest = aliased(AccountRow), aliased(AccountRow)
    rows = db.execute(
        select(InvitationRow, inviter.name, guest.name, GroupRow.name)
        .outerjoin(inviter, inviter.id == InvitationRow.invited_by)
        .outerjoin(guest, guest.id == InvitationRow.used_by)
        .outerjoin(GroupRow, GroupRow.id == InvitationRow.group_id)
        .where(InvitationRow.campaign_id == campaign_id)
        .order_by(InvitationRow.id.desc())
    )
    moment = utc_now(now)
    return tuple(
        Invitation(
            id=row.id,
            role=Role(row.role),
            group=group or "",
            note=row.note,
            invited_by=invited_by or "",
            expires_at=row.expires_at,
            used_at=row.used_at,
            used_by=used_by or "",
            expired=row.used_at is None and row.expires_at <= moment,
        )
        for row, invited_by, used_by, group in rows
    )


def revoke_invitation(db: Session, campaign_id: int, invitation_id: int) -> None:
    """Revoke an invitation; raises NotFound, or Conflict if it was used already."""
    row = db.scalar(
        select(InvitationRow)
        .where(InvitationRow.id == invitation_id, InvitationRow.campaign_id == campaign_id)
        .with_for_update()
    )
    if row is None:
        raise NotFound("there is no such invitation")
    if row.used_at is not None:
        raise Conflict("this invitation was used already", remedy="remove the role instead")
    db.execute(delete(InvitationRow).where(InvitationRow.id == invitation_id))


def offer_of(db: Session, token: str, *, now: datetime | None = None) -> Offer:
    """What an invitation offers; raises NotFound if it is unknown, used, revoked or expired."""
    found = db.execute(
        select(InvitationRow, CampaignRow, AccountRow.name, GroupRow.name)
        .join(CampaignRow, CampaignRow.id == InvitationRow.campaign_id)
        .outerjoin(AccountRow, AccountRow.id == InvitationRow.invited_by)
        .outerjoin(GroupRow, GroupRow.id == InvitationRow.group_id)
        .where(
            InvitationRow.token_hash == token_hash(token),
            InvitationRow.used_at.is_(None),
            InvitationRow.expires_at > utc_now(now),
        )
    ).one_or_none()
    if found is None:
        raise _not_valid()
    row, campaign, invited_by, group = found
    return Offer(campaign.name, campaign.slug, Role(row.role), group or "", invited_by or "", row.expires_at)


def accept(db: Session, token: str, account_id: int, *, now: datetime | None = None) -> Offer:
    """Accept an invitation; raises NotFound as `offer_of` does, also for the second of two at the same time.

    Raises Conflict, and leaves the invitation unused, for a person who would judge and submit runs.
    """
    offer, moment = offer_of(db, token, now=now), utc_now(now)
    used = db.execute(
        update(InvitationRow)
        .where(InvitationRow.token_hash == token_hash(token), InvitationRow.used_at.is_(None))
        .values(used_at=moment, used_by=account_id)
        .returning(InvitationRow.campaign_id, InvitationRow.group_id)
    ).one_or_none()
    if used is None:
        raise _not_valid()
    campaign_id, group_id = used
    if group_id is not None:
        join(db, campaign_id, group_id, account_id)
    else:
        add_role(db, campaign_id, account_id, offer.role)
    return offer


def accept_as_new(
    db: Session, token: str, new: NewAccount, *, now: datetime | None = None
) -> tuple[Account, Offer]:
    """Create an account and accept an invitation with it; raises as `create_account` and `accept` do."""
    offer_of(db, token, now=now)
    account = create_account(db, new, now=now)
    return account, accept(db, token, account.id, now=now)


def _not_valid() -> NotFound:
    return NotFound(NOT_VALID, remedy="ask the organiser for a new link")
