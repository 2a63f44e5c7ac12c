"""How far a campaign has come, in numbers: for its overview, and for the list of a person's campaigns."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.storage.events import CurrentEvent, current_events
from workbench.storage.tables import (
    AssessorRow,
    AssignmentRow,
    CampaignRow,
    DocumentRow,
    MemberRow,
    PoolEntryRow,
    PoolRow,
    RunRow,
    TopicRow,
)
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.judging.assignments import left_to_judge
from workbench.workflow.judging.handout import handouts_of
from workbench.workflow.judging.worklists import effective_roles
from workbench.workflow.people.groups import own_run_count
from workbench.workflow.people.roles import Role
from workbench.workflow.pools.judged_pairs import events_of_people, judged_pairs, pooled_pairs


@dataclass(frozen=True, slots=True)
class TopicProgress:
    """A topic: its pairs, how many of them a person has graded, and these by their highest grade.

    Disputed are those that people graded differently; machine judgments are not counted.
    """

    topic: str
    title: str
    pairs: int
    judged: int
    by_grade: tuple[tuple[int, int], ...]
    disputed: int


@dataclass(frozen=True, slots=True)
class AssessorProgress:
    """An assessor: assigned pairs, how many of them answered; `judgments` counts all grades."""

    name: str
    machine: bool
    assigned: int
    answered: int
    judgments: int
    unsure: int
    cannot_judge: int


@dataclass(frozen=True, slots=True)
class Overview:
    """A campaign at a glance; pairs are (topic, document), each counted once over all pools.

    Draft pools are not counted.
    """

    topics: int
    documents: int
    runs: int
    pools: int
    pairs: int
    judged: int
    disputed: int
    assigned: int
    answered: int
    missing_documents: int
    by_topic: tuple[TopicProgress, ...]
    by_assessor: tuple[AssessorProgress, ...]


def overview(db: Session, campaign_id: int) -> Overview:
    """The progress of a campaign, as the overview page shows it."""
    events = current_events(db, campaign_id)
    by_topic = _by_topic(db, campaign_id, events_of_people(db, campaign_id, events))
    by_assessor = _by_assessor(db, campaign_id, events)
    return Overview(
        topics=_count(db, TopicRow, campaign_id),
        documents=_count(db, DocumentRow, campaign_id),
        runs=_runs(db, campaign_id),
        pools=_opened(db, campaign_id),
        pairs=sum(line.pairs for line in by_topic),
        judged=sum(line.judged for line in by_topic),
        disputed=sum(line.disputed for line in by_topic),
        assigned=sum(line.assigned for line in by_assessor),
        answered=sum(line.answered for line in by_assessor),
        missing_documents=_missing(db, campaign_id),
        by_topic=by_topic,
        by_assessor=by_assessor,
    )


def _by_topic(db: Session, campaign_id: int, events: tuple[CurrentEvent, ...]) -> tuple[TopicProgress, ...]:
    pooled: dict[str, set[str]] = {}
    rows = db.execute(
        select(PoolEntryRow.topic, PoolEntryRow.docno)
        .join(PoolRow)
        .where(PoolRow.campaign_id == campaign_id, PoolRow.opened_at.is_not(None))
    )
    for topic, docno in rows:
        pooled.setdefault(topic, set()).add(docno)
    grades: dict[str, dict[str, set[int]]] = {}
    for event in events:
        if event.grade is not None:
            grades.setdefault(event.topic, {}).setdefault(event.docno, set()).add(event.grade)
    return tuple(
        _topic_progress(topic, title, pooled.get(topic, set()), grades.get(topic, {}))
        for topic, title in topic_titles(db, campaign_id).items()
    )


def _topic_progress(topic: str, title: str, pooled: set[str], grades: dict[str, set[int]]) -> TopicProgress:
    # Imported judgments may be of pairs that were never pooled: they count as pairs of the topic as well.
    pairs = pooled | grades.keys()
    highest = Counter(max(given) for given in grades.values())
    return TopicProgress(
        topic=topic,
        title=title,
        pairs=len(pairs),
        judged=len(grades),
        by_grade=tuple(sorted(highest.items())),
        disputed=sum(len(given) > 1 for given in grades.values()),
    )


def _by_assessor(
    db: Session, campaign_id: int, events: tuple[CurrentEvent, ...]
) -> tuple[AssessorProgress, ...]:
    answers: dict[int, Counter[str]] = {}
    answered: dict[int, set[tuple[str, str]]] = {}
    for event in events:
        answers.setdefault(event.assessor_id, Counter())[event.answer] += 1
        answered.setdefault(event.assessor_id, set()).add((event.topic, event.docno))
    assigned = _assigned_pairs(db, campaign_id)
    assessors = db.scalars(
        select(AssessorRow).where(AssessorRow.campaign_id == campaign_id).order_by(AssessorRow.name)
    )
    lines = []
    for row in assessors:
        mine, given = assigned.get(row.id, set()), answers.get(row.id, Counter())
        lines.append(
            AssessorProgress(
                name=row.name,
                machine=row.machine,
                assigned=len(mine),
                answered=len(mine & answered.get(row.id, set())),
                judgments=given["grade"],
                unsure=given["unsure"],
                cannot_judge=given["cannot_judge"],
            )
        )
    return tuple(lines)


def _assigned_pairs(db: Session, campaign_id: int) -> dict[int, set[tuple[str, str]]]:
    rows = db.execute(
        select(AssignmentRow.assessor_id, AssignmentRow.pool_id, AssignmentRow.topic)
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .where(PoolRow.campaign_id == campaign_id, AssignmentRow.revoked_at.is_(None))
    )
    shares = handouts_of(db, campaign_id)
    assigned: dict[int, set[tuple[str, str]]] = {}
    for assessor_id, pool_id, topic in rows:
        docnos = shares.docnos(pool_id, topic, assessor_id)
        assigned.setdefault(assessor_id, set()).update((topic, docno) for docno in docnos)
    return assigned


def _runs(db: Session, campaign_id: int) -> int:
    current = select(func.count()).where(RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None))
    return db.scalar(current) or 0


def _count(db: Session, table: type[TopicRow | DocumentRow], campaign_id: int) -> int:
    return db.scalar(select(func.count()).select_from(table).where(table.campaign_id == campaign_id)) or 0


def _opened(db: Session, campaign_id: int) -> int:
    opened = select(func.count()).where(PoolRow.campaign_id == campaign_id, PoolRow.opened_at.is_not(None))
    return db.scalar(opened) or 0


def _missing(db: Session, campaign_id: int) -> int:
    known = select(DocumentRow.docno).where(DocumentRow.campaign_id == campaign_id)
    lacking = (
        select(PoolEntryRow.docno)
        .join(PoolRow)
        .where(
            PoolRow.campaign_id == campaign_id,
            PoolRow.opened_at.is_not(None),
            PoolEntryRow.docno.not_in(known),
        )
        .distinct()
        .subquery()
    )
    return db.scalar(select(func.count()).select_from(lacking)) or 0


@dataclass(frozen=True, slots=True)
class CampaignCard:
    """A campaign in a person's list; `mine_left` counts the pairs that this person has left to judge.

    `own_runs` counts the runs of a participant's groups, None for other roles. People who only submit runs or
    only judge do not learn about the progress of others.
    """

    slug: str
    name: str
    illustrative: bool
    roles: frozenset[Role]
    pairs: int
    judged: int
    mine_left: int
    own_runs: int | None

    @property
    def shows_judging(self) -> bool:
        """Whether this person may see the progress of judging."""
        return not _sees_own_only(self.roles)


def campaigns_of(db: Session, account_id: int) -> tuple[CampaignCard, ...]:
    """The campaigns in which an account has a role, by name."""
    rows = db.scalars(
        select(CampaignRow)
        .where(CampaignRow.id.in_(select(MemberRow.campaign_id).where(MemberRow.account_id == account_id)))
        .order_by(CampaignRow.name)
    )
    return tuple(_card(db, row, account_id) for row in rows)


def _card(db: Session, row: CampaignRow, account_id: int) -> CampaignCard:
    roles = effective_roles(db, row.id, account_id)
    blind = _sees_own_only(roles)
    return CampaignCard(
        slug=row.slug,
        name=row.name,
        illustrative=row.illustrative,
        roles=roles,
        pairs=0 if blind else pooled_pairs(db, row.id),
        judged=0 if blind else judged_pairs(db, row.id),
        mine_left=left_to_judge(db, row.id, account_id),
        own_runs=own_run_count(db, row.id, account_id) if Role.PARTICIPANT in roles else None,
    )


def _sees_own_only(roles: frozenset[Role]) -> bool:
    """Whether these roles give access to one's own work only."""
    return roles <= {Role.PARTICIPANT, Role.ASSESSOR}
