"""Who takes part in a campaign: people with their roles, and its assessors, with or without an account."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from enum import StrEnum

from sqlalchemy import ColumnElement, Select, delete, exists, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session
from typing_extensions import TypedDict

from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.frozen import filled, frozen_dataclass
from workbench.storage.tables import (
    AccountRow,
    AssessorRow,
    AssignmentRow,
    GroupMemberRow,
    GroupRow,
    MemberRow,
    PoolRow,
)
from workbench.workflow.people.accounts import NO_PASSWORD


class MemberJson(TypedDict):
    """A person of a campaign with all roles; `groups` are those for which a participant submits runs."""

    login: str
    name: str
    roles: list[str]
    groups: list[str]


class Role(StrEnum):
    """A role in a campaign; one account may have several."""

    ORGANISER = "organiser"
    ASSESSOR = "assessor"
    ADJUDICATOR = "adjudicator"
    VIEWER = "viewer"
    PARTICIPANT = "participant"

    @property
    def description(self) -> str:
        """What a person in this role does, in one line."""
        return DESCRIPTIONS[self]


DESCRIPTIONS = {
    Role.ORGANISER: "loads runs, makes pools, assigns topics and sees everything",
    Role.ASSESSOR: "judges the assigned documents and does not see the judgments of others",
    Role.ADJUDICATOR: "decides pairs on which assessors disagree",
    Role.VIEWER: "sees agreement, qrels and scores; cannot change anything",
    Role.PARTICIPANT: "submits the runs of a group and sees only those",
}


LONGEST_ASSESSOR_NAME = 120
# People in these roles decide what is relevant, so they must not submit runs.
JUDGES = frozenset({Role.ASSESSOR, Role.ADJUDICATOR})


@frozen_dataclass
class Member:
    """A person of a campaign with all roles, including those suspended while an assessor has work left.

    `groups` are those for which a participant submits runs.
    """

    account_id: int
    login: str
    name: str
    roles: tuple[Role, ...]
    groups: tuple[str, ...]
    disabled: bool

    @property
    def both_sides(self) -> bool:
        """Whether this person judges and submits runs."""
        return Role.PARTICIPANT in self.roles and not JUDGES.isdisjoint(self.roles)


def members(db: Session, campaign_id: int) -> tuple[Member, ...]:
    """The people of a campaign, by name; roles in the order of the enumeration."""
    rows = db.execute(
        select(AccountRow, MemberRow.role)
        .join(MemberRow, MemberRow.account_id == AccountRow.id)
        .where(MemberRow.campaign_id == campaign_id)
    )
    given: dict[AccountRow, set[str]] = {}
    for account, role in rows:
        given.setdefault(account, set()).add(role)
    groups_of: dict[int, list[str]] = {}
    for account_id, name in db.execute(
        select(GroupMemberRow.account_id, GroupRow.name)
        .join(GroupRow, GroupRow.id == GroupMemberRow.group_id)
        .where(GroupRow.campaign_id == campaign_id)
        .order_by(GroupRow.name)
    ):
        groups_of.setdefault(account_id, []).append(name)
    return tuple(
        Member(
            one.id,
            one.login,
            one.name,
            tuple(role for role in Role if role in given[one]),
            tuple(groups_of.get(one.id, ())),
            one.disabled_at is not None,
        )
        for one in sorted(given, key=lambda account: (account.name.casefold(), account.login))
    )


def add_role(db: Session, campaign_id: int, account_id: int, role: Role, *, both_sides: bool = False) -> None:
    """Give an account a role, if it does not have it; an assessor also gets an assessor name.

    Nobody both submits runs and judges unless the organiser allows it by `both_sides`. Raises NotFound if
    there is no such account, Conflict for a person who would do both, and WorkbenchError for a participant,
    who joins a group instead.
    """
    if role is Role.PARTICIPANT:
        raise WorkbenchError("a participant submits runs for a group", remedy="name the group")
    if not both_sides:
        require_one_side(db, campaign_id, account_id, role)
    grant_role(db, campaign_id, account_id, role)


def require_one_side(db: Session, campaign_id: int, account_id: int, role: Role) -> None:
    """Raise Conflict if with this role an account would both judge and submit runs."""
    own = MemberRow.campaign_id == campaign_id, MemberRow.account_id == account_id
    roles = frozenset(map(Role, db.scalars(select(MemberRow.role).where(*own))))
    if role in JUDGES and Role.PARTICIPANT in roles:
        message = "this person submits runs and so should not judge"
    elif role is Role.PARTICIPANT and roles & JUDGES:
        message = "this person judges and so should not submit runs"
    else:
        return
    raise Conflict(message, remedy="ask an organiser, who can explicitly allow one person to do both")


def grant_role(db: Session, campaign_id: int, account_id: int, role: Role) -> None:
    """Give a role without checking for a conflict of interest; raises NotFound without such an account."""
    account = db.get(AccountRow, account_id)
    if account is None:
        raise NotFound("there is no such account")
    if db.get(MemberRow, (campaign_id, account_id, role)) is None:
        db.add(MemberRow(campaign_id=campaign_id, account_id=account_id, role=role))
    if role is Role.ASSESSOR:
        become_assessor(db, campaign_id, account)
    try:
        db.flush()
    except IntegrityError:
        raise Conflict("somebody else added the role at the same time", remedy="reload the page") from None
    organises = exists().where(
        MemberRow.campaign_id == campaign_id,
        MemberRow.account_id == account_id,
        MemberRow.role == Role.ORGANISER,
    )
    # It stays when the role goes: what was seen is not forgotten.
    db.execute(
        update(AssessorRow)
        .where(AssessorRow.campaign_id == campaign_id, AssessorRow.account_id == account_id, organises)
        .values(organiser=True)
    )


def remove_role(db: Session, campaign_id: int, account_id: int, role: Role) -> None:
    """Remove a role; the judgments of an assessor remain.

    Raises NotFound if the account does not have the role, Conflict for the last organiser.
    """
    if role is Role.ORGANISER:
        # Locked, so that the last two cannot remove each other at the same time.
        organisers = db.scalars(
            select(MemberRow.account_id)
            .where(MemberRow.campaign_id == campaign_id, MemberRow.role == role)
            .with_for_update()
        ).all()
        if list(organisers) == [account_id]:
            raise Conflict("a campaign needs an organiser", remedy="add another organiser first")
    removed = db.scalar(
        delete(MemberRow)
        .where(
            MemberRow.campaign_id == campaign_id, MemberRow.account_id == account_id, MemberRow.role == role
        )
        .returning(MemberRow.account_id)
    )
    if removed is None:
        raise NotFound("this person does not have this role", remedy="reload the page")
    if role is Role.PARTICIPANT:
        groups = select(GroupRow.id).where(GroupRow.campaign_id == campaign_id)
        db.execute(
            delete(GroupMemberRow).where(
                GroupMemberRow.account_id == account_id, GroupMemberRow.group_id.in_(groups)
            )
        )


def member_of(db: Session, campaign_id: int, account_id: int) -> Member:
    """The person of a campaign with this account; raises NotFound."""
    for one in members(db, campaign_id):
        if one.account_id == account_id:
            return one
    raise NotFound("this person has no role here", remedy="create an invitation")


def require_assignment(db: Session, campaign_id: int, assignment_id: int) -> None:
    """Raise NotFound unless an assignment, revoked or not, belongs to a campaign."""
    found = db.scalar(
        select(AssignmentRow.id)
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .where(AssignmentRow.id == assignment_id, PoolRow.campaign_id == campaign_id)
    )
    if found is None:
        raise NotFound("this is not assigned to you (any more)", remedy="see My topics")


def become_assessor(db: Session, campaign_id: int, account: AccountRow) -> AssessorRow:
    """The assessor of a campaign that an account is, from now on where it was none, whatever its roles."""
    row = db.scalar(
        select(AssessorRow).where(
            AssessorRow.campaign_id == campaign_id, AssessorRow.account_id == account.id
        )
    )
    if row is None:
        name = _free_assessor_name(db, campaign_id, account.name)
        row = AssessorRow(campaign_id=campaign_id, account_id=account.id, name=name, machine=False)
        db.add(row)
    return row


def _free_assessor_name(db: Session, campaign_id: int, name: str) -> str:
    used = names_in_use(db, campaign_id)
    candidate, number = name, 2
    while plain_name(candidate) in used:
        ending = f" {number}"
        candidate, number = name[: LONGEST_ASSESSOR_NAME - len(ending)] + ending, number + 1
    return candidate


def plain_name(name: str) -> str:
    """A name without case, width, spaces and invisible characters; equal ones are meant as one person."""
    letters = unicodedata.normalize("NFKC", name).casefold()
    return "".join(
        one for one in letters if not one.isspace() and unicodedata.category(one) not in {"Cc", "Cf"}
    )


def names_in_use(db: Session, campaign_id: int) -> Mapping[str, str]:
    """The assessors of a campaign by their plain names, and by the login names of those with an account."""
    rows = db.execute(
        select(AssessorRow.name, AccountRow.login)
        .outerjoin(AccountRow, AccountRow.id == AssessorRow.account_id)
        .where(AssessorRow.campaign_id == campaign_id)
    ).all()
    return {plain_name(login): name for name, login in rows if login} | {
        plain_name(name): name for name, _ in rows
    }


@frozen_dataclass
class AssessorLine:
    """An assessor of a campaign: a person with or without an account, or a machine.

    Work can be assigned to whoever is a member as an assessor and was not erased (`assignable`), also while
    the account is `disabled`; but only `able` people are assigned work that names nobody.
    """

    id: int
    name: str
    machine: bool
    assignable: bool = False
    disabled: bool = False

    @property
    def able(self) -> bool:
        """Whether the person can judge now."""
        return self.assignable and not self.disabled


def assessors_of(db: Session, campaign_id: int) -> tuple[AssessorLine, ...]:
    """The assessors of a campaign, by name; machines and people with imported judgments have no account."""
    rows = db.execute(
        select(AssessorRow.id, AssessorRow.name, AssessorRow.machine, _ASSIGNABLE, AccountRow.disabled_at)
        .outerjoin(AccountRow, AccountRow.id == AssessorRow.account_id)
        .outerjoin(MemberRow, _AS_ASSESSOR)
        .where(AssessorRow.campaign_id == campaign_id)
        .order_by(AssessorRow.name)
    )
    return tuple(
        AssessorLine(number, name, machine, bool(assignable), disabled_at is not None)
        for number, name, machine, assignable, disabled_at in rows
    )


def assessor_of(db: Session, campaign_id: int, account_id: int) -> int | None:
    """The assessor that an account is in a campaign, None where it is none."""
    return db.scalar(
        select(AssessorRow.id).where(
            AssessorRow.campaign_id == campaign_id, AssessorRow.account_id == account_id
        )
    )


def assignable_ids(db: Session, campaign_id: int) -> frozenset[int]:
    """The assessors to whom work can be assigned."""
    return frozenset(db.scalars(_with_role(campaign_id)))


def able_ids(db: Session, campaign_id: int) -> frozenset[int]:
    """The assessors who can judge now; what others have in hand goes to colleagues."""
    return frozenset(db.scalars(_with_role(campaign_id).where(AccountRow.disabled_at.is_(None))))


def assessor_names(db: Session, campaign_id: int) -> dict[int, str]:
    """The names of a campaign's assessors, people and machines, by id."""
    names = select(AssessorRow.id, AssessorRow.name).where(AssessorRow.campaign_id == campaign_id)
    return dict(db.execute(names).all())


_AS_ASSESSOR: ColumnElement[bool] = (
    (MemberRow.campaign_id == AssessorRow.campaign_id)
    & (MemberRow.account_id == AssessorRow.account_id)
    & (MemberRow.role == str(Role.ASSESSOR))
)
_ASSIGNABLE: ColumnElement[bool] = MemberRow.account_id.is_not(None) & (
    AccountRow.password_hash != NO_PASSWORD
)


def _with_role(campaign_id: int) -> Select[int]:
    return (
        select(AssessorRow.id)
        .join(AccountRow, AccountRow.id == AssessorRow.account_id)
        .join(MemberRow, _AS_ASSESSOR)
        .where(AssessorRow.campaign_id == campaign_id, _ASSIGNABLE)
    )


def member_json(member: Member) -> MemberJson:
    """A person of a campaign."""
    return filled(MemberJson, member)
