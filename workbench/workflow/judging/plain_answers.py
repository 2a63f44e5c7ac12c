"""Plain answers: what nearly every request of a desk brings, recorded by a statement that reads
and one that writes.

A plain answer is one to a document of a plain standing. Everything else is left to `record`, which knows all
cases and says what is wrong; of a plain answer both make the same event.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import Select, Text, bindparam, cast, or_, select
from sqlalchemy.engine import Connection
from sqlalchemy.orm import Session, aliased

from workbench.pooling.adaptive.live import Happening
from workbench.storage.events import CURRENT_PURPOSES, SCREEN, append_new
from workbench.storage.prepared import PreparedStatement
from workbench.storage.tables import (
    AccountRow,
    AssessorRow,
    AssignmentRow,
    CampaignRow,
    JudgmentEventRow,
    MemberRow,
    PoolEventRow,
    PoolRow,
)
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.judging.fixed_orders import FixedOrder, KnownOrder, fixed_order
from workbench.workflow.judging.quality_checks import CHECKS_RULE
from workbench.workflow.judging.record import Place, drops_unseen_comment, event_columns
from workbench.workflow.judging.submission import Submission, SubmissionKind
from workbench.workflow.people.roles import Role
from workbench.workflow.pools.pool_rows import REMOVED


class DeskStanding(NamedTuple):
    """An assignment that is or was an account's, with what its pool, campaign and account say of it now.

    A tuple, since the row of the statement is one. `role` is None for who is no assessor any more; `scale`
    and `desk_rules` are JSON; `removed` are pairs that were taken out of the pool.
    """

    assignment_id: int
    assessor_id: int
    topic: str
    order_rule: str
    seed: int
    revoked_at: datetime | None
    disabled_at: datetime | None
    role: str | None
    campaign_id: int
    archived_at: datetime | None
    scale: str
    desk_rules: str
    instructions: int
    pool_id: int
    created_at: datetime
    closed_at: datetime | None
    per_pair: int | None
    pairs: int
    adaptive: bool | None
    removed: list[Any] | None

    @property
    def may_judge(self) -> bool:
        """Whether the account is an assessor to whom the topic is assigned now."""
        return self.revoked_at is None and self.disabled_at is None and self.role is not None

    @property
    def is_plain(self) -> bool:
        """Whether every assessor gets all pairs of the pool, and no quality checks among them."""
        return self.per_pair is None and not self.adaptive and not _has_checks(self.desk_rules)

    @property
    def takes_answers(self) -> bool:
        """Whether the pool is not closed, nor the campaign archived."""
        return self.closed_at is None and self.archived_at is None

    @property
    def contents(self) -> Hashable:
        """What differs whenever the pairs of the pool do, as `contents_of` says it."""
        return self.created_at, self.pairs, len(self.removed or ())

    @property
    def grades(self) -> frozenset[int]:
        """The values of the scale."""
        return _grades(self.scale)

    def order(self, connection: Connection) -> KnownOrder:
        """The docnos of a plain standing as the assessor sees them."""
        return fixed_order(
            connection,
            FixedOrder(self.pool_id, self.contents, self.topic, self.order_rule, self.seed),
        )


def standing_of(connection: Connection, assignment_id: int, account_id: int) -> DeskStanding | None:
    """The standing of an account in an assignment; None where it never was this account's."""
    asked = {"assignment_id": assignment_id, "account_id": account_id}
    row = _STANDING.row(connection, asked)
    return None if row is None else DeskStanding._make(row)


def standings(*more: Any) -> Select[*tuple[Any, ...]]:
    """The statement behind `standing_of`, with further columns after those of a standing."""
    return (
        select(
            AssignmentRow.id,
            AssignmentRow.assessor_id,
            AssignmentRow.topic,
            AssignmentRow.order_rule,
            AssignmentRow.seed,
            AssignmentRow.revoked_at,
            AccountRow.disabled_at,
            MemberRow.role,
            CampaignRow.id,
            CampaignRow.archived_at,
            # As text: each is read once for all requests, and not at each.
            cast(CampaignRow.scale, Text),
            cast(CampaignRow.desk_rules, Text),
            CampaignRow.instructions,
            PoolRow.id,
            PoolRow.created_at,
            PoolRow.closed_at,
            PoolRow.per_pair,
            PoolRow.pairs,
            # A recipe lists all runs: only what is asked of it is read.
            PoolRow.recipe["adaptive"].as_boolean(),
            PoolRow.recipe[REMOVED],
            *more,
        )
        .select_from(AssignmentRow)
        .join(AssessorRow, AssessorRow.id == AssignmentRow.assessor_id)
        .join(AccountRow, AccountRow.id == AssessorRow.account_id)
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .join(CampaignRow, CampaignRow.id == AssessorRow.campaign_id)
        .outerjoin(
            MemberRow,
            (MemberRow.campaign_id == AssessorRow.campaign_id)
            & (MemberRow.account_id == AssessorRow.account_id)
            & (MemberRow.role == Role.ASSESSOR),
        )
        .where(
            AssignmentRow.id == bindparam("assignment_id"), AssessorRow.account_id == bindparam("account_id")
        )
    )


@lru_cache(maxsize=256)
def _grades(scale: str) -> frozenset[int]:
    return frozenset(grade.value for grade in scale_from_json(json.loads(scale)).grades)


@lru_cache(maxsize=256)
def _has_checks(desk_rules: str) -> bool:
    return CHECKS_RULE in json.loads(desk_rules)


_STANDING = PreparedStatement.of(standings())


class AnswerBefore(NamedTuple):
    """The latest event of the pair before a recorded answer."""

    client_id: str
    answer: str
    grade: int | None
    recorded_at: datetime
    comment: str


class PlainRecord(NamedTuple):
    """A recorded plain answer, with what it replaced, and the version of the instructions that is current."""

    before: AnswerBefore | None
    instructions: int


def record_plainly(
    db: Session, assignment_id: int, account_id: int, submission: Submission
) -> PlainRecord | None:
    """Record a plain answer whose client id is new; None, and nothing is changed, for anything else."""
    if submission.kind is not SubmissionKind.ANSWER:
        return None
    connection = db.connection()
    asked = {"assignment_id": assignment_id, "account_id": account_id, "docno": submission.docno}
    row = _TO_ANSWER.row(connection, asked)
    if row is None:
        return None
    standing, handed_out = DeskStanding._make(row[: len(DeskStanding._fields)]), row[-1]
    # A pool that handed the document out wants to be told.
    if handed_out or not (standing.may_judge and standing.takes_answers and standing.is_plain):
        return None
    order = standing.order(connection)
    if submission.docno not in order:
        return None
    before = AnswerBefore._make(row[len(DeskStanding._fields) : -1])
    if drops_unseen_comment(submission, before.client_id, before.comment):
        return None
    if submission.grade is not None and submission.grade not in standing.grades:
        return None
    place = Place(
        campaign_id=standing.campaign_id,
        assessor_id=standing.assessor_id,
        topic=standing.topic,
        docno=submission.docno,
        source=SCREEN,
        assignment_id=standing.assignment_id,
        position=order.index(submission.docno) + 1,
        order_rule=standing.order_rule,
        seed=standing.seed,
    )
    if append_new(db, event_columns(place, submission, datetime.now(UTC))) is None:
        return None
    return PlainRecord(before if before.client_id is not None else None, standing.instructions)


_EVENT, _LATEST = JudgmentEventRow, aliased(JudgmentEventRow)
# As `storage.events` finds the current event of a pair, and for the same reasons.
_LATEST_ID = (
    select(_EVENT.id)
    .where(
        _EVENT.campaign_id == AssessorRow.campaign_id,
        _EVENT.assessor_id == AssessorRow.id,
        _EVENT.topic == AssignmentRow.topic,
        _EVENT.docno == bindparam("docno"),
        or_(*(_EVENT.purpose == purpose for purpose in CURRENT_PURPOSES)),
    )
    .order_by((_EVENT.id + 0).desc())
    .limit(1)
    .correlate(AssessorRow, AssignmentRow)
    .scalar_subquery()
)
_HANDING = aliased(PoolRow)
_HANDED_OUT = (
    select(PoolEventRow.pool_id)
    .join(_HANDING, _HANDING.id == PoolEventRow.pool_id)
    .where(
        PoolEventRow.topic == AssignmentRow.topic,
        PoolEventRow.docno == bindparam("docno"),
        PoolEventRow.assessor_id == AssessorRow.id,
        PoolEventRow.happening == str(Happening.HANDED_OUT),
        _HANDING.campaign_id == AssessorRow.campaign_id,
        _HANDING.closed_at.is_(None),
    )
    .correlate(AssessorRow, AssignmentRow)
    .exists()
)
# The pool stays as it is until the transaction ends: nobody closes it or takes a pair out of it.
_TO_ANSWER = PreparedStatement.of(
    standings(*(getattr(_LATEST, name) for name in AnswerBefore._fields), _HANDED_OUT)
    .outerjoin(_LATEST, _LATEST.id == _LATEST_ID)
    .with_for_update(read=True, of=PoolRow)
)
