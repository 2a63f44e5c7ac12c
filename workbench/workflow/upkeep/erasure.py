"""Erasure: everything that names a person is deleted, and everything that the person judged stays.

Decisions:

- The account stays as a number without login, name, password or settings, disabled for good: judgments,
  decisions, runs and the trail refer to it. So agreement, qrels and releases do not change.
- The trail never had a name, a login or an address, only the number of the account. So no entry has to
  change, and its chain of hashes holds.
- Free texts are part of judgments and records, and are not changed. Where they name the person, that is told.
- Nobody who saves waits for it: results that name assessors are deleted before, in portions, and the
  transaction that deletes the rest deletes those that came meanwhile; free texts are searched after it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection
from itertools import groupby
from operator import attrgetter
from typing import Any

from sqlalchemy import (
    ColumnElement,
    String,
    Table,
    case,
    cast,
    delete,
    func,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.orm import InstrumentedAttribute, Session

from workbench.errors import rejected
from workbench.frozen import frozen_dataclass
from workbench.storage import sqlite
from workbench.storage.engine import BUSY_SECONDS, Database, Writing
from workbench.storage.tables import (
    AccountRow,
    AdjudicationEventRow,
    AssessorNoteRow,
    AssessorRow,
    Base,
    CampaignRow,
    CheckedFileRow,
    CollectionListRow,
    GroupMemberRow,
    GroupRow,
    InvitationRow,
    JobRow,
    JudgmentEventRow,
    KeptAsideRow,
    KnownAnswerRow,
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
    TrailRow,
)
from workbench.workflow.campaigns.archive import delete_in_portions
from workbench.workflow.people.accounts import NO_PASSWORD, fold_login
from workbench.workflow.people.administration import disable_account, require_account
from workbench.workflow.people.mail_addresses import address_of, remove_address
from workbench.workflow.people.membership import Role, remove_role
from workbench.workflow.people.throttling import counted_names
from workbench.workflow.people.two_factor import turn_off

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
    ReleaseRow.rule,
    ReleaseRow.figures,
    ReleaseRow.withdrawn_reason,
    TrailRow.details,
)


LOG_SECONDS = 0.03
"""How long the log waits at a time for those who read an older state, while nobody can write."""
LOG_TRIES, LOG_PAUSE = 20, 0.5
"""How often it is tried, with a pause of so many seconds."""


@frozen_dataclass
class ErasedPerson:
    """What an account is called from now on, and how many rows of which free text still name the person.

    Unless it is `overwritten`, SQLite's log beside its file still has what was deleted.
    """

    account_id: int
    login: str
    name: str
    mentions: tuple[tuple[str, int], ...]
    overwritten: bool

    @property
    def log_in_use(self) -> str:
        """What to do unless it is overwritten."""
        return (
            "The database log still contains the deleted data, because something still reads an older state."
            f" When exports and backups are done, run `workbench account erase {self.login}` to empty it."
        )


def erase_person(
    database: Database,
    account_id: int,
    *,
    typed_login: str,
    writing: Writing | None = None,
) -> ErasedPerson:
    """Delete what names the person of an account; judgments stay, under a name without meaning.

    `writing` opens the transaction that does so. Raises NotFound; InvalidInput unless `typed_login` is the
    login name; Conflict for the last administrator and for the last organiser of a campaign.
    """
    with database.reading() as db:
        _confirmed(db, account_id, typed_login)
    delete_in_portions(database, _delete_results)
    with (database.writing if writing is None else writing)() as db:
        row = _confirmed(db, account_id, typed_login)
        known = _erase(db, row)
        login, name = row.login, row.name
    overwritten = _overwrite_log(database)
    with database.reading() as db:
        return ErasedPerson(account_id, login, name, _mentions(db, known), overwritten)


def _confirmed(db: Session, account_id: int, typed_login: str) -> AccountRow:
    row = require_account(db, account_id)
    if fold_login(typed_login) != row.login:
        message = "this is not the login name of the account"
        raise rejected("Login name", None, "login", message, f"type: {row.login}")
    return row


def _erase(db: Session, row: AccountRow) -> set[str]:
    """Delete what names the person, and return by what he or she was known."""
    _overwrite_rows(db)
    login, names = row.login, {row.name}
    found = address_of(db, row.id)
    known_as = select(OpenIdIdentityRow.known_as).where(OpenIdIdentityRow.account_id == row.id)
    addresses = {found.address, found.unconfirmed, *db.scalars(known_as)} - {""}
    disable_account(db, row.id)
    _leave_campaigns(db, row.id)
    names |= _rename_assessors(db, row.id)
    row.administrator = False
    row.login = _free(db, AccountRow.login, f"erased-{row.id}", AccountRow.id != row.id)
    row.name = f"Erased account {row.id}"
    row.password_hash, row.desk = NO_PASSWORD, {}
    turn_off(db, row.id)
    remove_address(db, row.id)
    for table in _tables_of_accounts():
        db.execute(delete(table).where(table.c.account_id == row.id))
    db.execute(delete(SignInAttemptRow).where(SignInAttemptRow.login.in_(counted_names({login, *addresses}))))
    # An invitation to the address belongs to no account, nor does a request of which nobody knows yet whose.
    meant = MailMessageRow.address.in_(addresses) | MailMessageRow.asked.in_({login, *addresses})
    db.execute(delete(MailMessageRow).where(meant))
    known = {login, *names, *addresses}
    _clear_invitations(db, row.id, known)
    # What was computed names assessors, and is computed again as it is asked for.
    db.execute(delete(JobRow))
    db.flush()
    return known


def _delete_results(db: Session, number: int) -> int:
    """Delete so many results at most, and return how many there were."""
    _overwrite_rows(db)
    some = select(JobRow.id).limit(number)
    return db.connection().execute(delete(JobRow).where(JobRow.id.in_(some))).rowcount


def _overwrite_rows(db: Session) -> None:
    """Have what is deleted overwritten in the pages of SQLite's file, not left there until they are used."""
    if db.get_bind().dialect.name == "sqlite":
        db.execute(text("pragma secure_delete = on"))


def _overwrite_log(database: Database) -> bool:
    """Let nothing that was erased stay in the log beside SQLite's file; PostgreSQL's vacuum does it there.

    False if somebody reads an older state all the while: the log has to keep it.
    """
    if not database.embedded:
        return True
    for number in range(LOG_TRIES):
        if number:
            time.sleep(LOG_PAUSE)
        with (
            database.asking() as connection,
            sqlite.busy_limit(connection, LOG_SECONDS, BUSY_SECONDS),
        ):
            # Most of it while others write: emptying it, nobody can.
            connection.execute(text("pragma wal_checkpoint(passive)"))
            if connection.execute(text("pragma wal_checkpoint(truncate)")).one()[0] == 0:
                return True
    return False


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


def _free(db: Session, column: InstrumentedAttribute[str], name: str, *within: ColumnElement[bool]) -> str:
    """The name, or with further signs where somebody else is called so."""
    while db.scalar(select(func.count()).where(column == name, *within)):
        name += "-"
    return name


def _rename_assessors(db: Session, account_id: int) -> set[str]:
    """Give the person's assessors names by their numbers; the names so far."""
    found = set()
    for row in db.scalars(select(AssessorRow).where(AssessorRow.account_id == account_id)).all():
        found.add(row.name)
        own = (AssessorRow.campaign_id == row.campaign_id) & (AssessorRow.id != row.id)
        row.name = _free(db, AssessorRow.name, f"Erased assessor {row.id}", own)
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


def _mentions(db: Session, known: Collection[str]) -> tuple[tuple[str, int], ...]:
    found = []
    # Each table is read once: reading a million answers takes longer than looking at another of their texts.
    for table, columns in groupby(FREE_TEXTS, key=attrgetter("class_")):
        of_table = list(columns)
        naming = [
            or_(*(cast(column, String).icontains(one, autoescape=True) for one in sorted(known)))
            for column in of_table
        ]
        counts = db.execute(select(*(func.count(case((one, 1))) for one in naming)).select_from(table)).one()
        found += [
            (f"{table.__tablename__}.{column.key}", number)
            for column, number in zip(of_table, counts, strict=True)
            if number
        ]
    return tuple(found)
