"""Erasure: everything that names a person is deleted, and everything that the person judged stays.

Decisions:

- The account stays as a number without login, name, password or settings, disabled for good: judgments,
  decisions, runs and the trail refer to it. So agreement, qrels and releases do not change.
- The trail never had a name, a login or an address, only the number of the account. So no entry has to
  change, and its chain of hashes holds.
- Free texts are part of judgments and records, and are not changed. Where they name the person, that is told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, String, Table, cast, delete, func, or_, select, text, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from workbench.errors import Finding, InvalidInput
from workbench.storage.engine import Database
from workbench.storage.tables import (
    AccountRow,
    AdjudicationEventRow,
    AssessorNoteRow,
    AssessorRow,
    Base,
    CampaignRow,
    CheckedFileRow,
    CollectionListRow,
    ComputedResultRow,
    GroupMemberRow,
    GroupRow,
    InvitationRow,
    JudgmentEventRow,
    KeptAsideRow,
    KnownAnswerRow,
    MailAddressRow,
    MailMessageRow,
    MemberRow,
    OpenIdIdentityRow,
    PoolEntryRow,
    PoolRow,
    PreferenceEventRow,
    ReleaseRow,
    RunRow,
    SearchRow,
    SignInAttemptRow,
    TopicDraftRow,
    TrailRow,
)
from workbench.workflow.people.accounts import fold_login
from workbench.workflow.people.administration import NO_PASSWORD, disable_account, require_account
from workbench.workflow.people.membership import remove_role
from workbench.workflow.people.roles import Role
from workbench.workflow.people.throttling import counted_names

# What people write, in which somebody may be named.
FREE_TEXTS: tuple[InstrumentedAttribute[Any], ...] = (
    JudgmentEventRow.comment,
    JudgmentEventRow.reason,
    AdjudicationEventRow.reason,
    PreferenceEventRow.reason,
    AssessorNoteRow.note,
    KeptAsideRow.answer,
    RunRow.description,
    RunRow.file_name,
    RunRow.verdict_reason,
    RunRow.tag,
    CheckedFileRow.file_name,
    CollectionListRow.file_name,
    SearchRow.typed,
    PoolEntryRow.reason,
    KnownAnswerRow.feedback,
    GroupRow.name,
    PoolRow.name,
    PoolRow.recipe,
    CampaignRow.name,
    CampaignRow.guidelines,
    CampaignRow.adjudication_rules,
    TopicDraftRow.title,
    TopicDraftRow.description,
    TopicDraftRow.narrative,
    TopicDraftRow.reason,
    ReleaseRow.rule,
    ReleaseRow.figures,
    ReleaseRow.withdrawn_reason,
    TrailRow.details,
)


@dataclass(frozen=True, slots=True)
class ErasedPerson:
    """What an account is called from now on, and how many rows of which free text still name the person."""

    account_id: int
    login: str
    name: str
    mentions: tuple[tuple[str, int], ...]


def erase_person(
    db: Session, account_id: int, *, typed_login: str, now: datetime | None = None
) -> ErasedPerson:
    """Delete what names the person of an account; judgments stay, under a name without meaning.

    Raises NotFound; InvalidInput unless `typed_login` is the login name; Conflict for the last administrator
    and for the last organiser of a campaign. Call `overwrite_erased` once this is committed.
    """
    row = require_account(db, account_id)
    if fold_login(typed_login) != row.login:
        message = "this is not the login name of the account"
        raise InvalidInput([Finding("Login name", None, "login", message, f"type: {row.login}")])
    if db.get_bind().dialect.name == "sqlite":
        # Deleted content is overwritten in the pages of the file, instead of being left there until needed.
        db.execute(text("pragma secure_delete = on"))
    login, names = row.login, {row.name}
    address = db.get(MailAddressRow, account_id)
    addresses = (
        {one for one in (address.address, address.new_address) if one} if address is not None else set()
    )
    of_person = OpenIdIdentityRow.account_id == account_id
    addresses |= set(db.scalars(select(OpenIdIdentityRow.known_as).where(of_person))) - {""}
    disable_account(db, account_id, now=now)
    _leave_campaigns(db, account_id)
    names |= _rename_assessors(db, account_id)
    row.administrator = False
    row.login, row.name = f"erased-{account_id}", f"Erased account {account_id}"
    row.password_hash, row.desk = NO_PASSWORD, {}
    for table in _tables_of_accounts():
        db.execute(delete(table).where(table.c.account_id == account_id))
    db.execute(delete(SignInAttemptRow).where(SignInAttemptRow.login.in_(counted_names({login, *addresses}))))
    # An invitation to the address belongs to no account, nor does a request of which nobody knows yet whose.
    meant = MailMessageRow.address.in_(addresses) | MailMessageRow.asked.in_({login, *addresses})
    db.execute(delete(MailMessageRow).where(meant))
    _clear_invitations(db, account_id, {login, *names, *addresses})
    # What was computed names assessors, and is computed again as it is asked for.
    db.execute(delete(ComputedResultRow))
    db.flush()
    return ErasedPerson(account_id, row.login, row.name, _mentions(db, {login, *names, *addresses}))


def overwrite_erased(database: Database) -> None:
    """Let nothing that was erased stay in the log beside SQLite's file; PostgreSQL's vacuum does it there."""
    if database.embedded:
        with database.asking() as connection:
            connection.execute(text("pragma wal_checkpoint(truncate)"))


def _tables_of_accounts() -> list[Table]:
    """The tables whose rows go with their account: sessions, browsers, links and the like."""
    return [
        table
        for table in Base.metadata.sorted_tables
        for key in table.foreign_keys
        if key.column.table.name == AccountRow.__tablename__ and key.ondelete == "CASCADE"
    ]


def _leave_campaigns(db: Session, account_id: int) -> None:
    for campaign_id in db.scalars(
        select(MemberRow.campaign_id).where(
            MemberRow.account_id == account_id, MemberRow.role == Role.ORGANISER
        )
    ).all():
        remove_role(db, campaign_id, account_id, Role.ORGANISER)
    for table in (MemberRow, GroupMemberRow):
        db.execute(delete(table).where(table.account_id == account_id))


def _rename_assessors(db: Session, account_id: int) -> set[str]:
    """Give the person's assessors names by their numbers; the names so far."""
    found = set()
    for row in db.scalars(select(AssessorRow).where(AssessorRow.account_id == account_id)).all():
        found.add(row.name)
        row.name = f"Erased assessor {row.id}"
        db.execute(delete(AssessorNoteRow).where(AssessorNoteRow.assessor_id == row.id))
    return found


def _clear_invitations(db: Session, account_id: int, known: set[str]) -> None:
    """Empty the notes of invitations that were for the person, and delete the messages that brought them."""
    named = re.compile("|".join(rf"(?<!\w){re.escape(one)}(?!\w)" for one in sorted(known)), re.IGNORECASE)
    for number, note, used_by in db.execute(
        select(InvitationRow.id, InvitationRow.note, InvitationRow.used_by).where(
            or_(InvitationRow.note != "", InvitationRow.mailed_to != "")
        )
    ).all():
        if used_by == account_id or named.search(note):
            db.execute(update(InvitationRow).where(InvitationRow.id == number).values(note="", mailed_to=""))
            # It may have been sent to an address that the account does not have.
            db.execute(delete(MailMessageRow).where(MailMessageRow.invitation_id == number))


def _mentions(db: Session, known: set[str]) -> tuple[tuple[str, int], ...]:
    found = []
    for column in FREE_TEXTS:
        plain = cast(column, String)
        contains: list[ColumnElement[bool]] = [plain.icontains(one, autoescape=True) for one in sorted(known)]
        number = db.scalar(select(func.count()).select_from(column.class_).where(or_(*contains))) or 0
        if number:
            found.append((f"{column.class_.__tablename__}.{column.key}", number))
    return tuple(found)
