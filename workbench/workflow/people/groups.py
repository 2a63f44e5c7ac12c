"""Groups: who sends the runs, and the accounts that do it for them and see nobody else's."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import delete, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput, NotFound
from workbench.frozen import frozen_dataclass
from workbench.records import Verdict
from workbench.storage.tables import (
    AccountRow,
    CheckedFileRow,
    GroupMemberRow,
    GroupRow,
    InvitationRow,
    RunRow,
)
from workbench.workflow.clock import utc_now
from workbench.workflow.people.accounts import clean_name, has_invisible
from workbench.workflow.people.membership import Role, grant_role, remove_role, require_one_side

LONGEST_GROUP_NAME = 120


@frozen_dataclass
class GroupMember:
    """An account that sends runs for a group."""

    account_id: int
    login: str
    name: str


@frozen_dataclass
class Sender:
    """Who sends runs: an organiser, or a participant, who sends for some groups and sees theirs only.

    `groups` are the participant's, names by number; None for an organiser.
    """

    account_id: int | None = None
    groups: Mapping[int, str] | None = None

    @property
    def organiser(self) -> bool:
        """Whether this sender acts for the whole campaign."""
        return self.groups is None


ORGANISER = Sender()
"""An organiser at a terminal, where nobody has signed in."""


@frozen_dataclass
class Group:
    """A group of a campaign; `runs` counts those that hold, `waiting` those of them without a verdict."""

    id: int
    name: str
    runs: int
    waiting: int
    members: tuple[GroupMember, ...]


def add_group(db: Session, campaign_id: int, name: str) -> int:
    """Make a group and give its number; raises InvalidInput for its name, Conflict where it is taken."""
    row = GroupRow(campaign_id=campaign_id, created_at=utc_now())
    _name(db, row, name)
    return row.id


def rename_group(db: Session, campaign_id: int, group_id: int, name: str) -> None:
    """Call a group otherwise; raises as `add_group` does, and NotFound."""
    _name(db, _row(db, campaign_id, group_id), name)


def remove_group(db: Session, campaign_id: int, group_id: int) -> None:
    """Forget a group that has no runs and no accounts; raises NotFound and Conflict."""
    row = _row(db, campaign_id, group_id)
    if _count(db, RunRow, group_id) or _count(db, GroupMemberRow, group_id):
        raise Conflict(
            f"{row.name} has runs or accounts",
            remedy="move or remove its runs, and remove its accounts from the group first",
        )
    db.execute(delete(InvitationRow).where(InvitationRow.group_id == group_id))
    db.execute(delete(CheckedFileRow).where(CheckedFileRow.group_id == group_id))
    db.delete(row)
    db.flush()


def groups_of(db: Session, campaign_id: int) -> tuple[Group, ...]:
    """The groups of a campaign by name, with how many runs they have and who sends them."""
    rows = db.scalars(select(GroupRow).where(GroupRow.campaign_id == campaign_id)).all()
    runs, waiting = _runs(db, campaign_id), _runs(db, campaign_id, Verdict.RECEIVED)
    people = db.execute(
        select(GroupMemberRow.group_id, AccountRow)
        .join(AccountRow, AccountRow.id == GroupMemberRow.account_id)
        .join(GroupRow, GroupRow.id == GroupMemberRow.group_id)
        .where(GroupRow.campaign_id == campaign_id)
        .order_by(AccountRow.name, AccountRow.login)
    )
    members: dict[int, list[GroupMember]] = {}
    for group_id, account in people:
        members.setdefault(group_id, []).append(GroupMember(account.id, account.login, account.name))
    return tuple(
        Group(row.id, row.name, runs.get(row.id, 0), waiting.get(row.id, 0), tuple(members.get(row.id, ())))
        for row in sorted(rows, key=lambda row: (row.name.casefold(), row.name))
    )


def group_names(db: Session, campaign_id: int) -> Mapping[str, int]:
    """The numbers of a campaign's groups by name, in the order of names."""
    rows = db.execute(select(GroupRow.name, GroupRow.id).where(GroupRow.campaign_id == campaign_id)).all()
    return dict(sorted(rows, key=lambda row: (row[0].casefold(), row[0])))


def group_named(db: Session, campaign_id: int, name: str) -> int:
    """The number of the group that is called so, however its case is written; raises NotFound."""
    found = matching(name, group_names(db, campaign_id))
    if found is None:
        raise NotFound(f"there is no group {name!r} in this campaign", remedy="create it first")
    return found


def matching(name: str, groups: Mapping[str, int]) -> int | None:
    """The number of the group that is called so among these, whatever the case; None where there is none."""
    folded = clean_name(name).casefold()
    return next((number for known, number in groups.items() if known.casefold() == folded), None)


def require_group(db: Session, campaign_id: int, group_id: int) -> str:
    """The name of a group of this campaign; raises NotFound for any other."""
    return _row(db, campaign_id, group_id).name


def own_groups(db: Session, campaign_id: int, account_id: int) -> Mapping[int, str]:
    """The names, by number, of the groups for which an account sends runs."""
    rows = db.execute(
        select(GroupRow.id, GroupRow.name)
        .join(GroupMemberRow, GroupMemberRow.group_id == GroupRow.id)
        .where(GroupRow.campaign_id == campaign_id, GroupMemberRow.account_id == account_id)
        .order_by(GroupRow.name)
    ).all()
    return dict(rows)


def participant(db: Session, campaign_id: int, account_id: int) -> Sender:
    """An account as the sender of runs for its groups, and for no other."""
    return Sender(account_id, own_groups(db, campaign_id, account_id))


def own_run_count(db: Session, campaign_id: int, account_id: int) -> int:
    """How many runs that hold the groups of an account have."""
    runs = _runs(db, campaign_id)
    return sum(runs.get(group_id, 0) for group_id in own_groups(db, campaign_id, account_id))


def join(db: Session, campaign_id: int, group_id: int, account_id: int, *, both_sides: bool = False) -> None:
    """Let an account send runs for a group and see those of the group; one that does already stays.

    Who judges sends no runs, unless `both_sides` says that the organiser wants it. Raises NotFound, and
    Conflict for somebody who judges.
    """
    _row(db, campaign_id, group_id)
    if not both_sides:
        require_one_side(db, campaign_id, account_id, Role.PARTICIPANT)
    grant_role(db, campaign_id, account_id, Role.PARTICIPANT)
    if db.get(GroupMemberRow, (group_id, account_id)) is None:
        db.add(GroupMemberRow(group_id=group_id, account_id=account_id))
    try:
        db.flush()
    except IntegrityError:
        raise Conflict("the person joined at the same moment", remedy="load the page again") from None


def leave(db: Session, campaign_id: int, group_id: int, account_id: int) -> None:
    """Let an account send nothing for a group any more; its runs stay. Raises NotFound."""
    _row(db, campaign_id, group_id)
    gone = db.scalar(
        delete(GroupMemberRow)
        .where(GroupMemberRow.group_id == group_id, GroupMemberRow.account_id == account_id)
        .returning(GroupMemberRow.account_id)
    )
    if gone is None:
        raise NotFound("this person does not submit runs for this group")
    if not own_groups(db, campaign_id, account_id):
        remove_role(db, campaign_id, account_id, Role.PARTICIPANT)


def _name(db: Session, row: GroupRow, name: str) -> None:
    """Give a group a name and store it, if the name is right and no other group of the campaign has it."""
    name = clean_name(name)
    wrong = None
    if not name:
        wrong = "the group has no name", "enter the name its members use"
    elif len(name) > LONGEST_GROUP_NAME:
        wrong = f"the name of the group has {len(name)} characters", f"at most {LONGEST_GROUP_NAME}"
    elif has_invisible(name):
        wrong = "the name has invisible characters", "type it again"
    if wrong is not None:
        raise InvalidInput([Finding("Name", None, "group", *wrong)])
    used = Conflict(f"two groups cannot be called {name}", remedy="choose another name")
    if matching(name, group_names(db, row.campaign_id)) not in {None, row.id}:
        raise used
    row.name = name
    db.add(row)
    try:
        db.flush()
    except IntegrityError:
        raise used from None


def _runs(db: Session, campaign_id: int, verdict: Verdict | None = None) -> dict[int, int]:
    chosen = select(RunRow.group_id, func.count()).where(
        RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None)
    )
    if verdict is not None:
        chosen = chosen.where(RunRow.verdict == verdict)
    rows = db.execute(chosen.group_by(RunRow.group_id))
    return {group: count for group, count in rows if group is not None}


def _count(db: Session, table: type[RunRow | GroupMemberRow], group_id: int) -> int:
    return db.scalar(select(func.count()).select_from(table).where(table.group_id == group_id)) or 0


def _row(db: Session, campaign_id: int, group_id: int) -> GroupRow:
    row = db.get(GroupRow, group_id)
    if row is None or row.campaign_id != campaign_id:
        raise NotFound("there is no such group in this campaign", remedy="see the list of groups")
    return row
