"""The values of the rows that a campaign made from a release has, and the request that gives it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from workbench.releases.contents import (
    ReleaseContents,
    ReleasedAnswer,
    ReleasedDecision,
    ReleasedEvent,
    ReleasedPool,
    ReleasedPreference,
)
from workbench.releases.record_form import as_object
from workbench.workflow.judging.importing import IMPORTED

SOURCE = "release"
UNQUOTED = "…"
"""Stands for the words of a passage where the release leaves them out."""
Answered = Mapping[tuple[int, str, str, int], int]
"""The ids of answers by assessor, topic, docno and number in the history of these."""
TaskKey = tuple[str, str, str, int]
"""The kind, assessor and topic of preferences, and how often their pairs came before."""


def event_of(campaign_id: int, assessor_id: int, number: int, one: ReleasedAnswer) -> dict[str, Any]:
    """The values of an event for an answer; `number` is its place in the release."""
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
        "instructions": one.instructions,
        "said_at": one.given_at,
        "recorded_at": one.recorded_at,
        **{name: value for name, value in beside.items() if value},
    }


def decision_of(
    campaign_id: int, number: int, one: ReleasedDecision, people: Mapping[str, int], answered: Answered
) -> dict[str, Any]:
    """The values of a decision with the answers that it saw."""
    seen = [
        [
            answered.get((people[each.assessor], one.topic, one.docno, each.entry), 0),
            people[each.assessor],
            each.answer,
            each.grade,
        ]
        for each in one.seen
    ]
    named = {"campaign_id": campaign_id, "seen": seen, "client_id": f"{SOURCE}-{number:08}"}
    return {**asdict(one), **named}


def preference_of(task_id: int, number: int, one: ReleasedPreference) -> dict[str, Any]:
    """The values of an event for a preference."""
    return {
        "task_id": task_id,
        "first": one.first,
        "second": one.second,
        "first_was_left": one.first_was_left,
        "choice": one.choice,
        "reason": one.reason,
        "client_id": f"{SOURCE}-{number:08}",
        "active_ms": one.active_ms,
        "recorded_at": one.recorded_at,
    }


def preference_keys(contents: ReleaseContents) -> Iterator[TaskKey]:
    """The task of each preference: one for an assessor, topic and kind, more if a pair recurs."""
    times: dict[tuple[str, ...], int] = {}
    for one in contents.preferences:
        pair = (one.kind, one.assessor, one.topic, one.first, one.second)
        times[pair] = times.get(pair, 0) + 1
        yield one.kind, one.assessor, one.topic, times[pair]


def pool_event_of(
    pool_id: int, one: ReleasedEvent, people: Mapping[str, int], answered: Answered
) -> dict[str, Any]:
    """The values of an event of an adaptive pool."""
    assessor_id = people.get(one.assessor)
    answer = None if assessor_id is None else answered.get((assessor_id, one.topic, one.docno, one.entry))
    return {
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


def pool_of(campaign_id: int, pool: ReleasedPool, now: datetime) -> dict[str, Any]:
    """The values of a pool, which is closed."""
    return {
        "campaign_id": campaign_id,
        "name": pool.name,
        "recipe": pool.recipe,
        "pairs": len(pool.entries),
        "largest_possible": pool.largest_possible,
        "created_at": pool.created_at,
        "opened_at": pool.opened_at,
        "closed_at": now,
        "per_pair": pool.per_pair,
    }


def entries_of(pool: ReleasedPool) -> Iterator[dict[str, Any]]:
    """The values of a pool's pairs."""
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


def origin_of(contents: ReleaseContents) -> dict[str, Any]:
    """What no other row can hold."""
    without = [one for one in contents.runs if one.content is None]
    return {
        "documents": {one.docno: one.sha256 for one in contents.documents if one.text is None and one.sha256},
        "runs": [as_object(one) for one in without],
        "undrawn": {pool.name: [as_object(one) for one in pool.undrawn] for pool in contents.pools},
    }
