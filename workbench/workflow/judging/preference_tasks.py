"""Side-by-side tasks: pairs of documents or runs, assigned to assessors."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import combinations

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Finding, InvalidInput, NotFound, WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.records import id_bytes, sorted_ids
from workbench.storage.events import current_events
from workbench.storage.tables import (
    AssessorRow,
    CampaignRow,
    DocumentRow,
    PreferenceTaskRow,
    TopicRow,
)
from workbench.workflow.campaigns.campaigns import scale_from_json
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.judging.preferences import PreferenceKind, current_choices
from workbench.workflow.people.membership import assignable_ids
from workbench.workflow.runs.run_records import listed_runs

Pair = tuple[str, str]


@frozen_dataclass
class PreferenceTask:
    """One topic's pairs for one assessor; `done` counts those with an answer."""

    id: int
    kind: PreferenceKind
    topic: str
    title: str
    assessor: str
    pairs: int
    done: int
    seed: int


def tasks_of(db: Session, campaign_id: int, *, account_id: int | None = None) -> tuple[PreferenceTask, ...]:
    """The tasks of a campaign that are in force, or those of an account; by topic, then assessor."""
    chosen = (
        select(PreferenceTaskRow, AssessorRow.name, TopicRow.title)
        .join(AssessorRow, AssessorRow.id == PreferenceTaskRow.assessor_id)
        .join(
            TopicRow,
            (TopicRow.campaign_id == PreferenceTaskRow.campaign_id)
            & (TopicRow.topic == PreferenceTaskRow.topic),
        )
        .where(PreferenceTaskRow.campaign_id == campaign_id, PreferenceTaskRow.revoked_at.is_(None))
        .order_by(TopicRow.position, AssessorRow.name, PreferenceTaskRow.id)
    )
    if account_id is not None:
        chosen = chosen.where(AssessorRow.account_id == account_id)
    rows = db.execute(chosen).all()
    choices = current_choices(db, [row.id for row, _, _ in rows])
    return tuple(
        PreferenceTask(
            row.id,
            PreferenceKind(row.kind),
            row.topic,
            title,
            name,
            len(row.pairs),
            len(choices.get(row.id, {})),
            row.seed,
        )
        for row, name, title in rows
    )


def left_to_compare(db: Session, campaign_id: int, account_id: int) -> int:
    """How many pairs an account has still to compare."""
    return sum(task.pairs - task.done for task in tasks_of(db, campaign_id, account_id=account_id))


def all_left_to_compare(db: Session, campaign_id: int) -> dict[str, int]:
    """The same of everybody who has a task, by the assessor's name."""
    found: dict[str, int] = {}
    for task in tasks_of(db, campaign_id):
        found[task.assessor] = found.get(task.assessor, 0) + task.pairs - task.done
    return found


def require_task(db: Session, campaign_id: int, task_id: int) -> None:
    """Raise NotFound where a task is not of this campaign."""
    _row(db, campaign_id, task_id)


def revoke_task(db: Session, campaign_id: int, task_id: int) -> None:
    """Remove a task; the answers to its pairs stay. Raises NotFound."""
    row = _row(db, campaign_id, task_id)
    row.revoked_at = row.revoked_at or datetime.now(UTC)
    db.flush()


def shown_left(seed: int, pair: Pair) -> bool:
    """Whether the first of a pair is on the left: drawn by seed, the same on every machine."""
    content = b"\0".join([str(seed).encode(), id_bytes(pair[0]), id_bytes(pair[1])])
    return hashlib.sha256(content).digest()[0] % 2 == 0


def _row(db: Session, campaign_id: int, task_id: int) -> PreferenceTaskRow:
    row = db.get(PreferenceTaskRow, task_id)
    if row is None or row.campaign_id != campaign_id:
        raise NotFound("this task does not exist")
    return row


SEEDS = 2**31
MOST_PAIRS = 500
"""Pairs of one topic and assessor; more would be weeks of work from one slip."""


def compare_documents(
    db: Session,
    campaign_id: int,
    pairs: Mapping[str, Sequence[Pair]],
    *,
    assessor_ids: Iterable[int],
    seed: int | None = None,
) -> int:
    """Give pairs of documents by topic to every named assessor; returns how many tasks are new.

    A pair counts once whatever its order, and is left out where the assessor has it already. Raises
    InvalidInput with everything that is not in the campaign, NotFound for an assessor without an account.
    """
    findings: list[Finding] = []
    known = set(db.scalars(select(DocumentRow.docno).where(DocumentRow.campaign_id == campaign_id)))
    topics = topic_titles(db, campaign_id)
    for topic, listed in pairs.items():
        if topic not in topics:
            findings.append(Finding("Pairs", None, "pairs", f"there is no topic {topic}", "see the topics"))
        missing = {docno for pair in listed for docno in pair} - known
        findings += [
            Finding("Pairs", None, "pairs", f"document {docno} is not loaded", "load its text first")
            for docno in sorted_ids(missing)
        ]
    if findings:
        raise InvalidInput(findings)
    return _assign(db, campaign_id, PreferenceKind.DOCUMENTS, pairs, assessor_ids, seed)


def compare_runs(
    db: Session,
    campaign_id: int,
    first: str,
    second: str,
    *,
    topics: Iterable[str],
    assessor_ids: Iterable[int],
    seed: int | None = None,
) -> int:
    """Give two runs' answers to these topics to every named assessor; returns how many tasks are new.

    Raises NotFound for a topic, run or assessor that is not there, WorkbenchError for a run and itself.
    """
    if first == second:
        raise WorkbenchError("a run cannot be compared with itself", remedy="choose two runs")
    tags = {run.tag for run in listed_runs(db, campaign_id)}
    for tag in (first, second):
        if tag not in tags:
            raise NotFound(f"there is no run {tag!r} in this campaign")
    known = topic_titles(db, campaign_id)
    chosen = list(dict.fromkeys(topics))
    for topic in chosen:
        if topic not in known:
            raise NotFound(f"there is no topic {topic!r} in this campaign")
    return _assign(
        db,
        campaign_id,
        PreferenceKind.RUNS,
        {topic: [(first, second)] for topic in chosen},
        assessor_ids,
        seed,
    )


def compare_best(
    db: Session,
    campaign_id: int,
    topics: Iterable[str],
    *,
    count: int,
    assessor_ids: Iterable[int],
    seed: int | None = None,
) -> int:
    """Give every named assessor every two of the best documents of each topic by that assessor's own grades.

    What only a colleague has graded is not among them, and no document that is not relevant: which ones come
    tells nobody what others said. Returns how many tasks are new; raises as `best_judged` and
    `compare_documents`.
    """
    chosen = tuple(dict.fromkeys(topics))
    return sum(
        compare_documents(
            db,
            campaign_id,
            best_judged(db, campaign_id, chosen, count, assessor_id=assessor_id),
            assessor_ids=[assessor_id],
            seed=seed,
        )
        for assessor_id in dict.fromkeys(assessor_ids)
    )


def best_judged(
    db: Session, campaign_id: int, topics: Iterable[str], count: int, *, assessor_id: int
) -> dict[str, list[Pair]]:
    """Every two of the `count` documents of a topic that this assessor graded highest, all of them relevant.

    Of equal grades the docno that comes first (bytes). A topic with fewer than two such documents that are
    loaded has no pairs. Raises WorkbenchError for a count below 2.
    """
    if count < 2:
        raise WorkbenchError("it takes two documents to compare", remedy="give 2 or more")
    scale = scale_from_json(db.get_one(CampaignRow, campaign_id).scale)
    known = set(db.scalars(select(DocumentRow.docno).where(DocumentRow.campaign_id == campaign_id)))
    grades: dict[str, dict[str, int]] = {}
    for event in current_events(db, campaign_id, assessor_ids=[assessor_id]):
        if event.grade is not None and event.grade >= scale.relevant_from and event.docno in known:
            grades.setdefault(event.topic, {})[event.docno] = event.grade
    chosen = {}
    for topic in dict.fromkeys(topics):
        graded = grades.get(topic, {})
        order = sorted(graded, key=lambda docno: (-graded[docno], id_bytes(docno)))
        chosen[topic] = list(combinations(order[:count], 2))
    return chosen


def _assign(
    db: Session,
    campaign_id: int,
    kind: PreferenceKind,
    pairs: Mapping[str, Sequence[Pair]],
    assessor_ids: Iterable[int],
    seed: int | None,
) -> int:
    able = assignable_ids(db, campaign_id)
    added = 0
    for assessor_id in dict.fromkeys(assessor_ids):
        if assessor_id not in able:
            raise NotFound(
                "only assessors with an account here can be assigned work", remedy="invite the person first"
            )
        has = _has(db, campaign_id, assessor_id, kind)
        for topic, listed in pairs.items():
            fresh = _fresh(topic, listed, has)
            if not fresh:
                continue
            number = secrets.randbelow(SEEDS) if seed is None else _mixed(seed, assessor_id, topic)
            db.add(
                PreferenceTaskRow(
                    campaign_id=campaign_id,
                    topic=topic,
                    kind=str(kind),
                    assessor_id=assessor_id,
                    pairs=_shuffled(fresh, number),
                    seed=number,
                    assigned_at=datetime.now(UTC),
                )
            )
            added += 1
    db.flush()
    return added


def _fresh(topic: str, listed: Sequence[Pair], has: set[tuple[str, frozenset[str]]]) -> list[Pair]:
    fresh: dict[frozenset[str], Pair] = {}
    for first, second in listed:
        if first == second:
            raise WorkbenchError(f"{first} cannot be compared with itself", remedy="name two documents")
        if (topic, frozenset((first, second))) not in has:
            fresh.setdefault(frozenset((first, second)), (first, second))
    if len(fresh) > MOST_PAIRS:
        raise WorkbenchError(
            f"{len(fresh):,} pairs of topic {topic} are too many to compare",
            remedy=f"at most {MOST_PAIRS} at once",
        )
    return list(fresh.values())


def _has(
    db: Session, campaign_id: int, assessor_id: int, kind: PreferenceKind
) -> set[tuple[str, frozenset[str]]]:
    rows = db.scalars(
        select(PreferenceTaskRow).where(
            PreferenceTaskRow.campaign_id == campaign_id,
            PreferenceTaskRow.assessor_id == assessor_id,
            PreferenceTaskRow.kind == str(kind),
            PreferenceTaskRow.revoked_at.is_(None),
        )
    )
    return {(row.topic, frozenset(pair)) for row in rows for pair in row.pairs}


def _shuffled(pairs: Sequence[Pair], seed: int) -> list[list[str]]:
    def lot(pair: Pair) -> bytes:
        return hashlib.sha256(b"\0".join([str(seed).encode(), b"order", *map(id_bytes, pair)])).digest()

    return [list(pair) for pair in sorted(pairs, key=lot)]


def _mixed(seed: int, assessor_id: int, topic: str) -> int:
    digest = hashlib.sha256(b"\0".join([str(seed).encode(), str(assessor_id).encode(), id_bytes(topic)]))
    return int.from_bytes(digest.digest()[:4], "big") % SEEDS
