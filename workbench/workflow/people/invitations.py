"""Invitations: links by which one person joins a campaign in a role, once and within two weeks.

Of a link only a hash is stored, so it is shown once. An invitation whose link is lost, has expired or was
withdrawn gets a new one, and the one before it stops working.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session, aliased
from typing_extensions import TypedDict

from workbench.errors import Conflict, Finding, InvalidInput, NotFound, WorkbenchError
from workbench.frozen import filled, frozen_dataclass, record_of
from workbench.storage import locks
from workbench.storage.tables import AccountRow, CampaignRow, GroupRow, InvitationRow, MailMessageRow
from workbench.workflow.clock import utc_now
from workbench.workflow.people.accounts import Account, NewAccount, create_account, new_token, token_hash
from workbench.workflow.people.groups import join, require_group
from workbench.workflow.people.mail_addresses import address_of, set_address
from workbench.workflow.people.membership import Role, add_role

INVITATION_LASTS = timedelta(days=14)
LONGEST_NOTE = 200
MOST_AT_ONCE = 200
NOT_VALID = "this invitation was used or withdrawn, or has expired"
_ADDRESS = re.compile(r"[^\s<>,;:\"()@]++@[^\s<>,;:\"()@.]++(?:\.[^\s<>,;:\"()@.]++)++")
_FORM = re.compile(r"[0-9a-zA-Z-]{8,64}")


class InvitationJson(TypedDict):
    """An invitation: to whom, as what, and what became of it."""

    invitation: int
    person: str
    role: str
    group: str
    state: str
    expires_at: str
    accepted_by: str


class InvitationState(StrEnum):
    """What became of an invitation; all but accepted ones can get a new link."""

    OPEN = "open"
    ACCEPTED = "accepted"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


@frozen_dataclass
class Invitation:
    """An invitation in the organiser's list; `used_by` is a person's name, `group` that of a participant.

    `mail_failed` is why its last message could not be sent, empty unless it failed for good.
    """

    id: int
    role: Role
    group: str
    note: str
    invited_by: str
    expires_at: datetime
    used_at: datetime | None
    used_by: str
    state: InvitationState
    mail_failed: str


@frozen_dataclass
class OfferedRole:
    """The role that an invitation offers; that of a participant is in a group, and no other is.

    Raises WorkbenchError for a participant without a group and for another role with one.
    """

    role: Role
    group_id: int | None = None

    def __post_init__(self) -> None:
        if (self.role is Role.PARTICIPANT) != (self.group_id is not None):
            message = "a participant, and no other role, needs a group"
            raise WorkbenchError(message, remedy="name the group of a participant, or choose another role")


@frozen_dataclass
class Invited:
    """An invitation with its link's token, which is returned here only, never again."""

    id: int
    token: str
    note: str
    role: Role
    group: str
    expires_at: datetime

    @property
    def address(self) -> str:
        """The e-mail address in the note, if it has one."""
        return _address_in(self.note)


@frozen_dataclass
class Offer:
    """What an invitation offers: a role in a campaign, and for a participant the `group`.

    `mailed_to` is the address to which its link was sent, empty where an organiser passed it on.
    """

    campaign: str
    slug: str
    role: Role
    group: str
    invited_by: str
    expires_at: datetime
    mailed_to: str = ""


def invite_all(
    db: Session,
    campaign_id: int,
    notes: Sequence[str],
    offered: OfferedRole,
    *,
    invited_by: int | None,
    form: str | None = None,
) -> tuple[Invited, ...]:
    """Create an invitation for each note, or none; it says who it is for, as a name or an address.

    Empty notes are passed over; without any other there is one invitation for somebody without a name.

    The same `form` once more creates nothing, but gives each of its invitations a new link. Raises
    InvalidInput, with its line, for a note that is too long, stands twice or is that of an open invitation in
    this role; NotFound for a group of another campaign.
    """
    if offered.group_id is not None:
        require_group(db, campaign_id, offered.group_id)
    # Locked, so that a second click waits and finds what the first one made.
    db.get_one(CampaignRow, campaign_id, with_for_update=True)
    moment = utc_now()
    form = form if form and _FORM.fullmatch(form) else None
    if form is not None:
        of_form = InvitationRow.campaign_id == campaign_id, InvitationRow.form == form
        before = db.scalars(select(InvitationRow).where(*of_form).order_by(InvitationRow.id)).all()
        if before:
            return tuple(_renewed(db, row, moment) for row in before if row.used_at is None)
    tidy = [" ".join(note.replace("\0", "").split()) for note in notes]
    findings = _note_findings(db, campaign_id, tidy, offered, moment)
    if findings:
        raise InvalidInput(findings)
    made = []
    for note in [note for note in tidy if note] or [""]:
        row = InvitationRow(
            campaign_id=campaign_id,
            role=offered.role,
            note=note,
            group_id=offered.group_id,
            invited_by=invited_by,
            created_at=moment,
            form=form,
        )
        db.add(row)
        made.append(_renewed(db, row, moment))
    return tuple(made)


def renew_invitations(db: Session, campaign_id: int, ids: Collection[int]) -> tuple[Invited, ...]:
    """Give invitations new links for two weeks; those before them stop working.

    Those that were accepted are left out; raises NotFound where there are none, Conflict where all were.
    """
    return tuple(_renewed(db, row, utc_now()) for row in _unused(db, campaign_id, ids))


def renew_for_message(db: Session, invitation_id: int, address: str) -> tuple[Invited, str] | None:
    """A new link for a message to an address, with the campaign's name; None for an invitation not open.

    Nobody else has this link, so whoever uses it has that address.
    """
    row, moment = db.get(InvitationRow, invitation_id), utc_now()
    if row is None or _state(row, moment) is not InvitationState.OPEN:
        return None
    campaign = db.get_one(CampaignRow, row.campaign_id)
    if campaign.archived_at is not None:
        return None
    invited = _renewed(db, row, moment)
    row.mailed_to = address
    db.flush()
    return invited, campaign.name


def withdraw_invitations(db: Session, campaign_id: int, ids: Collection[int]) -> int:
    """Withdraw invitations, whose links stop working, and return their number; raises as `renew_invitations`.

    Those that were withdrawn already stay as they are.
    """
    rows = _unused(db, campaign_id, ids)
    for row in rows:
        row.withdrawn_at = row.withdrawn_at or utc_now()
    db.flush()
    return len(rows)


def invitations(db: Session, campaign_id: int) -> tuple[Invitation, ...]:
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
    mail = MailMessageRow
    last = select(func.max(mail.id)).where(mail.campaign_id == campaign_id).group_by(mail.invitation_id)
    failures = select(mail.invitation_id, mail.reason).where(mail.id.in_(last), mail.state == "failed")
    failed = dict(db.execute(failures).all())
    moment = utc_now()
    return tuple(
        record_of(
            Invitation,
            row,
            role=Role(row.role),
            group=group or "",
            invited_by=invited_by or "",
            used_by=used_by or "",
            state=_state(row, moment),
            mail_failed=failed.get(row.id, ""),
        )
        for row, invited_by, used_by, group in rows
    )


def offer_of(db: Session, token: str) -> Offer:
    """What an invitation offers; raises NotFound if it is unknown, used, withdrawn or expired.

    Raises Conflict where its campaign is archived.
    """
    found = db.execute(
        select(InvitationRow, CampaignRow, AccountRow.name, GroupRow.name)
        .join(CampaignRow, CampaignRow.id == InvitationRow.campaign_id)
        .outerjoin(AccountRow, AccountRow.id == InvitationRow.invited_by)
        .outerjoin(GroupRow, GroupRow.id == InvitationRow.group_id)
        .where(InvitationRow.token_hash == token_hash(token))
    ).one_or_none()
    if found is None or _state(found[0], utc_now()) is not InvitationState.OPEN:
        raise _not_valid()
    row, campaign, invited_by, group = found
    if campaign.archived_at is not None:
        raise Conflict("the campaign of this invitation is archived", remedy="ask the organiser")
    return Offer(
        campaign.name,
        campaign.slug,
        Role(row.role),
        group or "",
        invited_by or "",
        row.expires_at,
        row.mailed_to,
    )


def accept(db: Session, token: str, account_id: int) -> Offer:
    """Accept an invitation; raises NotFound as `offer_of` does, also for the second of two at the same time.

    Raises Conflict, and leaves the invitation unused, for a person who would judge and submit runs.
    """
    moment = utc_now()
    hashed = InvitationRow.token_hash == token_hash(token)
    campaign_id = db.scalar(select(InvitationRow.campaign_id).where(hashed))
    if campaign_id is not None:
        locks.change(db, campaign_id)
    offer = offer_of(db, token)
    used = db.execute(
        update(InvitationRow)
        .where(
            hashed,
            InvitationRow.used_at.is_(None),
            InvitationRow.withdrawn_at.is_(None),
        )
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
    if offer.mailed_to and not address_of(db, account_id).address:
        # Whoever has the link reads the messages that go there.
        set_address(db, account_id, offer.mailed_to)
    return offer


def accept_as_new(db: Session, token: str, new: NewAccount) -> tuple[Account, Offer]:
    """Create an account and accept an invitation with it; raises as `create_account` and `accept` do."""
    offer_of(db, token)
    account = create_account(db, new)
    return account, accept(db, token, account.id)


def invitation_text(invited: Invited, *, campaign: str, link: str) -> str:
    """A message to send with a link, ready to be pasted into a mail."""
    role = f"{invited.role} for {invited.group}" if invited.group else str(invited.role)
    until = f"{invited.expires_at:%d %B %Y}".removeprefix("0")
    return (
        f"You are invited to “{' '.join(campaign.split())}” as {role}.\n\n"
        f"To join, open this link:\n{link}\n\n"
        f"The link is for you only. It works once, until {until}.\n"
    )


def _address_in(note: str) -> str:
    found = _ADDRESS.search(note)
    return found[0] if found else ""


def _guest(note: str) -> str:
    """Whom a note means: `Ann <a@example.org>` and `a@example.org` are one person."""
    return (_address_in(note) or note).casefold()


def _note_findings(
    db: Session, campaign_id: int, notes: Sequence[str], offered: OfferedRole, moment: datetime
) -> list[Finding]:
    if len(notes) > MOST_AT_ONCE:
        message = f"{len(notes):,} people are too many at once"
        return [Finding("People", None, "people", message, f"at most {MOST_AT_ONCE}")]
    waiting = {
        _guest(row.note)
        for row in db.scalars(
            select(InvitationRow).where(
                InvitationRow.campaign_id == campaign_id,
                InvitationRow.role == offered.role,
                InvitationRow.group_id.is_not_distinct_from(offered.group_id),
            )
        )
        if row.note and _state(row, moment) is InvitationState.OPEN
    }
    findings: list[Finding] = []
    seen: dict[str, int] = {}
    for line, note in enumerate(notes, 1):
        if not note:
            continue
        if len(note) > LONGEST_NOTE:
            message, remedy = f"the line has {len(note):,} characters", f"at most {LONGEST_NOTE}"
        elif _guest(note) in seen:
            message = f"{note} is already on line {seen[_guest(note)]}"
            remedy = "remove one, or add something that tells the two apart"
        elif _guest(note) in waiting:
            message, remedy = f"{note} has an open invitation", "make a new link for it, or remove the line"
        else:
            seen[_guest(note)] = line
            continue
        findings.append(Finding("People", line, "people", message, remedy))
    return findings


def _renewed(db: Session, row: InvitationRow, moment: datetime) -> Invited:
    token = new_token()
    row.token_hash, row.expires_at, row.withdrawn_at = token_hash(token), moment + INVITATION_LASTS, None
    row.mailed_to = ""
    db.flush()
    group = db.get_one(GroupRow, row.group_id).name if row.group_id is not None else ""
    return Invited(row.id, token, row.note, Role(row.role), group, row.expires_at)


def _unused(db: Session, campaign_id: int, ids: Collection[int]) -> list[InvitationRow]:
    rows = db.scalars(
        select(InvitationRow)
        .where(InvitationRow.id.in_(ids), InvitationRow.campaign_id == campaign_id)
        .order_by(InvitationRow.id)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).all()
    if not rows:
        message = "there is no such invitation" if ids else "no invitation is selected"
        raise NotFound(message, remedy="select one from the list")
    unused = [row for row in rows if row.used_at is None]
    if not unused:
        raise Conflict("accepted invitations cannot be changed", remedy="remove the role instead")
    return unused


def _state(row: InvitationRow, moment: datetime) -> InvitationState:
    if row.used_at is not None:
        return InvitationState.ACCEPTED
    if row.withdrawn_at is not None:
        return InvitationState.WITHDRAWN
    return InvitationState.EXPIRED if row.expires_at <= moment else InvitationState.OPEN


def _not_valid() -> NotFound:
    return NotFound(NOT_VALID, remedy="ask the organiser for a new link")


def invitation_json(one: Invitation) -> InvitationJson:
    """An invitation without its link."""
    return filled(InvitationJson, one, invitation=one.id, person=one.note, accepted_by=one.used_by)
