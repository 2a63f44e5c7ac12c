"""A campaign made from a release: what the release carries, so that a release of it has the same bytes.

Assessors come under their pseudonyms and have no account, so that nobody can sign in as one. Pools come by
their pairs and are closed; runs come where the release includes them. What no row can hold without them
(hashes of documents that are not here, runs without their files, what a sample left) stands in the row of the
origin.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.exc import DataError, IntegrityError
from sqlalchemy.orm import Session

from workbench.consensus.rule_choice import RuleChoice
from workbench.consensus.simple import ASSESSOR
from workbench.errors import Finding, InvalidInput
from workbench.records import Document
from workbench.releases.contents import (
    ReleaseContents,
    ReleasedAnswer,
    ReleasedPool,
    ReleasedRun,
)
from workbench.releases.record_form import as_object
from workbench.storage.events import append_events
from workbench.storage.tables import (
    AdjudicationEventRow,
    AssessorRow,
    CampaignRow,
    PoolEventRow,
    PoolRow,
    PreferenceEventRow,
    PreferenceTaskRow,
    ReleaseOriginRow,
    RunRow,
)
from workbench.workflow.campaigns.campaigns import Campaign, create_campaign
from workbench.workflow.campaigns.collection import load_documents, load_topics
from workbench.workflow.clock import utc_now
from workbench.workflow.judging.desk_rules import Question, save_desk_questions
from workbench.workflow.judging.importing import IMPORTED
from workbench.workflow.people.groups import add_group
from workbench.workflow.pools.making import write_entries
from workbench.workflow.releases.checking import check_importable
from workbench.workflow.releases.collecting import ReleaseRequest, released_entries
from workbench.workflow.releases.originals import released_documents
from workbench.workflow.runs.run_metadata import RunKind, RunMetadata
from workbench.workflow.runs.store import add_runs

SOURCE = "release"
UNQUOTED = "…"
"""Stands for the words of a passage where the release leaves them out."""


@dataclass(frozen=True, slots=True)
class ImportedRelease:
    """A campaign that was made from a release, and how much of it came."""

    campaign: Campaign
    version: str
    topics: int
    documents: int
    answers: int
    decisions: int
    pools: int
    runs: int


def import_release(
    db: Session,
    contents: ReleaseContents,
    *,
    sha256: str,
    slug: str | None = None,
    organiser: int | None = None,
    now: datetime | None = None,
    documents: tuple[Document, ...] | None = None,
) -> ImportedRelease:
    """Make a campaign of a release; `sha256` is of its zip, `documents` its `released_documents`.

    The campaign has the release's short name where that is free, and no `slug` is given. Raises InvalidInput
    for a release that contradicts itself, Conflict for a slug that is taken; then nothing is kept.
    """
    check_importable(contents)
    now = utc_now(now)
    given = released_documents(contents) if documents is None else documents
    try:
        campaign = _new_campaign(db, contents, slug or _free(db, contents.about.name), organiser)
        return _imported(db, campaign, contents, given, sha256, now)
    except (IntegrityError, DataError):
        message = "the release contradicts itself: the database refuses a record of it"
        raise InvalidInput([Finding(SOURCE, None, "record", message, "ask whoever made it")]) from None


def request_like(contents: ReleaseContents) -> ReleaseRequest:
    """The request by which a campaign made of a release gives that very release again."""
    about, names = contents.about, {one.pseudonym: one.name or one.pseudonym for one in contents.assessors}
    given = dict(contents.rule.parameters)
    if ASSESSOR.name in given:
        given[ASSESSOR.name] = names.get(given[ASSESSOR.name], given[ASSESSOR.name])
    return ReleaseRequest(
        about.version,
        RuleChoice(contents.rule.name, contents.rule.machines, tuple(given.items())),
        contents.included,
        about.title,
        about.description,
        about.authors,
        about.licence,
        about.homepage,
    )


def _new_campaign(
    db: Session, contents: ReleaseContents, slug: str | None, organiser: int | None
) -> Campaign:
    return create_campaign(
        db,
        name=contents.about.title[:200],
        scale=contents.scale,
        guidelines=contents.guidelines,
        organiser=organiser,
        slug=slug,
    )


def _imported(
    db: Session,
    campaign: Campaign,
    contents: ReleaseContents,
    documents: tuple[Document, ...],
    sha256: str,
    now: datetime,
) -> ImportedRelease:
    load_topics(db, campaign.id, contents.topics, source=SOURCE)
    load_documents(db, campaign.id, documents, source=SOURCE)
    questions = [Question(one.name, one.labels, one.required) for one in contents.questions]
    save_desk_questions(db, campaign.id, questions, ())
    runs = _add_runs(db, campaign.id, contents.runs)
    people = _add_assessors(db, campaign.id, contents)
    _add_answers(db, campaign.id, contents.answers, people)
    _add_decisions(db, campaign.id, contents, people)
    _add_preferences(db, campaign.id, contents, people, now)
    entries = released_entries(db, campaign.id) if any(pool.events for pool in contents.pools) else ()
    answered = {(who, topic, docno, entry): number for number, who, topic, docno, entry in entries}
    for pool in contents.pools:
        pool_id = _add_pool(db, campaign.id, pool, now)
        _add_pool_events(db, pool_id, pool, people, answered)
    origin = _origin(contents)
    db.add(ReleaseOriginRow(campaign_id=campaign.id, sha256=sha256, contents=origin, imported_at=now))
    db.flush()
    return ImportedRelease(
        campaign,
        contents.about.version,
        len(contents.topics),
        len(documents),
        len(contents.answers),
        len(contents.decisions),
        len(contents.pools),
        runs,
    )


def _free(db: Session, name: str) -> str | None:
    """The short name of the release if no campaign has it, else None, by which one is derived."""
    campaigns = db.scalar(select(func.count()).where(CampaignRow.slug == name))
    return None if campaigns else name


def _add_runs(db: Session, campaign_id: int, runs: tuple[ReleasedRun, ...]) -> int:
    """Add the runs that are included, as they were sent; returns how many."""
    groups: dict[str, int] = {}
    for run in runs:
        if run.content is None:
            continue
        if run.group and run.group not in groups:
            groups[run.group] = add_group(db, campaign_id, run.group)
        metadata = RunMetadata(
            groups.get(run.group), RunKind(run.kind) if run.kind else None, run.description, run.priority
        )
        done = add_runs(db, campaign_id, [(f"{run.tag}.txt", io.BytesIO(run.content))], metadata)
        if done.refused:
            raise InvalidInput(done.refused[0].errors)
        row = db.scalars(select(RunRow).where(RunRow.campaign_id == campaign_id, RunRow.tag == run.tag)).one()
        row.verdict = run.verdict
    db.flush()
    return sum(run.content is not None for run in runs)


def _add_assessors(db: Session, campaign_id: int, contents: ReleaseContents) -> dict[str, int]:
    """The ids of the assessors by pseudonym."""
    rows = [
        AssessorRow(
            campaign_id=campaign_id,
            name=one.name or one.pseudonym,
            machine=one.machine,
            pseudonym=one.pseudonym,
        )
        for one in contents.assessors
    ]
    db.add_all(rows)
    db.flush()
    return {row.pseudonym or "": row.id for row in rows}


def _add_answers(
    db: Session, campaign_id: int, answers: tuple[ReleasedAnswer, ...], people: Mapping[str, int]
) -> None:
    events = [_event(campaign_id, people[one.assessor], at, one) for at, one in enumerate(answers)]
    # A statement has one set of columns; what is absent must stay so, since JSON has a null of its own.
    for _, alike in groupby(events, key=_columns):
        append_events(db, list(alike))


def _columns(event: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(event)


def _event(campaign_id: int, assessor_id: int, number: int, one: ReleasedAnswer) -> dict[str, Any]:
    beside = {
        "evidence": [[start, end, quote or UNQUOTED] for start, end, quote in one.evidence],
        "ratings": dict(one.ratings),
        "subtopics": list(one.subtopics),
    }
    return {
        "campaign_id": campaign_id,
        "assessor_id": assessor_id,
        "topic": one.topic,
        "docno": one.docno,
        "answer": one.answer,
        "grade": one.grade,
        "reason": one.reason,
        "comment": one.comment,
        "client_id": f"{SOURCE}-{number:08}",
        "source": f"{IMPORTED}{SOURCE}" if IMPORTED.startswith(one.source) else one.source,
        "purpose": one.purpose,
        "assignment_id": None,
        "document_sha256": one.document_sha256,
        "position": one.shown_at,
        "order_rule": one.order_rule,
        "seed": one.seed,
        "active_ms": one.active_ms,
        "said_at": one.given_at,
        "recorded_at": one.recorded_at,
        **{name: value for name, value in beside.items() if value},
    }


def _add_decisions(
    db: Session, campaign_id: int, contents: ReleaseContents, people: Mapping[str, int]
) -> None:
    released = released_entries(db, campaign_id) if contents.decisions else ()
    events = {tuple(pair): number for number, *pair in released}
    for number, one in enumerate(contents.decisions):
        seen = [
            [
                events.get((people[each.assessor], one.topic, one.docno, each.entry), 0),
                people[each.assessor],
                each.answer,
                each.grade,
            ]
            for each in one.seen
        ]
        db.add(
            AdjudicationEventRow(
                campaign_id=campaign_id,
                topic=one.topic,
                docno=one.docno,
                decision=one.decision,
                grade=one.grade,
                reason=one.reason,
                seen=seen,
                client_id=f"{SOURCE}-{number:08}",
                active_ms=one.active_ms,
                recorded_at=one.recorded_at,
            )
        )
        # One by one, since the order of the rows is that of the decisions.
        db.flush()


def _add_preferences(
    db: Session, campaign_id: int, contents: ReleaseContents, people: Mapping[str, int], now: datetime
) -> None:
    """The preferences in tasks that are over: one for an assessor, topic and kind, more if a pair recurs."""
    tasks: dict[tuple[str, str, str, int], PreferenceTaskRow] = {}
    times: dict[tuple[str, ...], int] = {}
    for number, one in enumerate(contents.preferences):
        pair = (one.kind, one.assessor, one.topic, one.first, one.second)
        times[pair] = times.get(pair, 0) + 1
        key = (one.kind, one.assessor, one.topic, times[pair])
        if key not in tasks:
            tasks[key] = PreferenceTaskRow(
                campaign_id=campaign_id, topic=one.topic, kind=one.kind, assessor_id=people[one.assessor],
                pairs=[], seed=0, assigned_at=now, revoked_at=now,
            )  # fmt: skip
            db.add(tasks[key])
        task = tasks[key]
        task.pairs = [*task.pairs, [one.first, one.second]]
        db.flush()
        db.add(
            PreferenceEventRow(
                task_id=task.id,
                first=one.first,
                second=one.second,
                first_was_left=one.first_was_left,
                choice=one.choice,
                reason=one.reason,
                client_id=f"{SOURCE}-{number:08}",
                active_ms=one.active_ms,
                recorded_at=one.recorded_at,
            )
        )
    db.flush()


def _add_pool(db: Session, campaign_id: int, pool: ReleasedPool, now: datetime) -> int:
    """Add a pool with its pairs; returns its id."""
    row = PoolRow(
        campaign_id=campaign_id,
        name=pool.name,
        recipe=pool.recipe,
        pairs=len(pool.entries),
        largest_possible=pool.largest_possible,
        created_at=pool.created_at,
        opened_at=pool.opened_at,
        closed_at=now,
        per_pair=pool.per_pair,
    )
    db.add(row)
    db.flush()
    write_entries(db, row.id, list(_entries(pool)))
    return row.id


def _add_pool_events(
    db: Session,
    pool_id: int,
    pool: ReleasedPool,
    people: Mapping[str, int],
    answered: Mapping[tuple[int, str, str, int], int],
) -> None:
    """The events of an adaptive pool; `answered` are the ids of answers by assessor, pair and number."""
    rows = []
    for one in pool.events:
        assessor_id = people.get(one.assessor)
        answer = None if assessor_id is None else answered.get((assessor_id, one.topic, one.docno, one.entry))
        rows.append(
            {
                "pool_id": pool_id,
                "topic": one.topic,
                "number": one.number,
                "happening": one.happening,
                "docno": one.docno,
                "relevant": one.relevant,
                "assessor_id": assessor_id,
                "judgment_event_id": answer,
                "at": one.at,
                "origin": one.origin or None,
                "round": one.round,
                "rank": one.rank,
                "score": one.score,
            }
        )
    if rows:
        db.execute(insert(PoolEventRow), rows)


def _entries(pool: ReleasedPool) -> Iterator[dict[str, Any]]:
    for one in pool.entries:
        yield {
            "topic": one.topic,
            "docno": one.docno,
            "brought_by": [list(each) for each in one.brought_by],
            "best_rank": one.best_rank,
            "run_count": one.runs,
            "weight": one.weight,
            "inclusion": one.inclusion,
            "stratum": one.stratum,
            "added_by": None,
            "added_at": one.added_at,
            "reason": one.reason or None,
        }


def _origin(contents: ReleaseContents) -> dict[str, Any]:
    without = [one for one in contents.runs if one.content is None]
    return {
        "documents": {one.docno: one.sha256 for one in contents.documents if one.text is None and one.sha256},
        "runs": [as_object(one) for one in without],
        "undrawn": {pool.name: [as_object(one) for one in pool.undrawn] for pool in contents.pools},
    }
