"""The assessors of a campaign: people with or without an account, and machines; who of them can judge now."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from sqlalchemy import ColumnElement, Select, select
from sqlalchemy.orm import Session

from workbench.frozen import frozen_dataclass
from workbench.storage.tables import AccountRow, AssessorRow, MemberRow
from workbench.workflow.people.accounts import NO_PASSWORD
from workbench.workflow.people.roles import Role


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
