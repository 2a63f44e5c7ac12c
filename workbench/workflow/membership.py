"""Membership: who is what in a campaign."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound
from workbench.storage.tables import AccountRow, AssessorRow, AssignmentRow, MemberRow, PoolRow
from workbench.workflow.roles import Role

LONGEST_ASSESSOR_NAME = 120


@dataclass(frozen=True, slots=True)
class Member:
    """A person of a campaign with all roles given; an assessor's others may rest while work is open."""

    account_id: int
    login: str
    name: str
    roles: tuple[Role, ...]


def members(db: Session, campaign_id: int) -> tuple[Member, ...]:
    """The people of a campaign, by name; roles in the order in which the enumeration has them."""
    rows = db.execute(
        select(AccountRow, MemberRow.role)
        .join(MemberRow, MemberRow.account_id == AccountRow.id)
        .where(MemberRow.campaign_id == campaign_id)
    )
    accounts: dict[int, AccountRow] = {}
    given: dict[int, set[str]] = {}
    for account, role in rows:
        accounts[account.id] = account
        given.setdefault(account.id, set()).add(role)
    people = sorted(accounts.values(), key=lambda account: (account.name.casefold(), account.login))
    return tuple(
        Member(one.id, one.login, one.name, tuple(role for role in Role if role in given[one.id]))
        for one in people
    )


def add_role(db: Session, campaign_id: int, account_id: int, role: Role) -> None:
    """Give a role; one that is held already stays. An assessor gets a name under which judgments stand.

    Raises NotFound where there is no such account.
    """
    account = db.get(AccountRow, account_id)
    if account is None:
        raise NotFound("there is no such account")
    if db.get(MemberRow, (campaign_id, account_id, role)) is None:
        db.add(MemberRow(campaign_id=campaign_id, account_id=account_id, role=role))
    if role is Role.ASSESSOR and not _is_assessor(db, campaign_id, account_id):
        name = _free_assessor_name(db, campaign_id, account.name)
        db.add(AssessorRow(campaign_id=campaign_id, account_id=account_id, name=name, machine=False))
    try:
        db.flush()
    except IntegrityError:
        raise Conflict("the role was given at the same moment", remedy="load the page again") from None


def remove_role(db: Session, campaign_id: int, account_id: int, role: Role) -> None:
    """Take a role back; what an assessor judged stays.

    Raises NotFound where the role is not held, Conflict for the last organiser.
    """
    if role is Role.ORGANISER:
        # Locked, so that the last two cannot remove each other at one moment.
        organisers = db.scalars(
            select(MemberRow.account_id)
            .where(MemberRow.campaign_id == campaign_id, MemberRow.role == role)
            .with_for_update()
        ).all()
        if list(organisers) == [account_id]:
            raise Conflict(
                "the last organiser of a campaign cannot leave", remedy="make another organiser first"
            )
    removed = db.scalar(
        delete(MemberRow)
        .where(
            MemberRow.campaign_id == campaign_id, MemberRow.account_id == account_id, MemberRow.role == role
        )
        .returning(MemberRow.account_id)
    )
    if removed is None:
        raise NotFound("this person does not have this role")


def require_member(db: Session, campaign_id: int, account_id: int) -> None:
    """Raise NotFound unless an account has some role in a campaign."""
    held = select(MemberRow.role).where(
        MemberRow.campaign_id == campaign_id, MemberRow.account_id == account_id
    )
    if db.scalar(held.limit(1)) is None:
        raise NotFound("this person has no role here", remedy="make an invitation")


def require_assignment(db: Session, campaign_id: int, assignment_id: int) -> None:
    """Raise NotFound unless an assignment belongs to a campaign."""
    found = db.scalar(
        select(AssignmentRow.id)
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .where(AssignmentRow.id == assignment_id, PoolRow.campaign_id == campaign_id)
    )
    if found is None:
        raise NotFound("this is not (or no longer) assigned to you", remedy="see the list of your topics")


def _is_assessor(db: Session, campaign_id: int, account_id: int) -> bool:
    row = select(AssessorRow.id).where(
        AssessorRow.campaign_id == campaign_id, AssessorRow.account_id == account_id
    )
    return db.scalar(row) is not None


def _free_assessor_name(db: Session, campaign_id: int, name: str) -> str:
    taken = set(db.scalars(select(AssessorRow.name).where(AssessorRow.campaign_id == campaign_id)))
    candidate, number = name, 2
    while candidate in taken:
        ending = f" {number}"
        candidate, number = name[: LONGEST_ASSESSOR_NAME - len(ending)] + ending, number + 1
    return candidate
