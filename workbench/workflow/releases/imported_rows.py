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


def _same(record: object, *names: str) -> dict[str, Any]:
    """What a row has as the release has it."""
    return {name: getattr(record, name) for name in names}


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
        **_same(one, "topic", "docno", "answer", "grade", "reason", "comment"),
        "client_id": f"{SOURCE}-{number:08}",
        "source": f"{IMPORTED}{SOURCE}" if IMPORTED.startswith(one.source) else one.source,
        "assignment_id": None,
        "position": one.shown_at,
        "said_at": one.given_at,
        **_same(
            one,
            "purpose",
            "document_sha256",
            "order_rule",
            "seed",
            "active_ms",
            "instructions",
            "recorded_at",
        ),
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
        "client_id": f"{SOURCE}-{number:08}",
        **_same(one, "first", "second", "first_was_left", "choice", "reason", "active_ms", "recorded_at"),
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
        "assessor_id": assessor_id,
        "judgment_event_id": answer,
        "origin": one.origin or None,
        **_same(one, "topic", "number", "happening", "docno", "relevant", "at", "round", "rank", "score"),
    }


def pool_of(campaign_id: int, pool: ReleasedPool, now: datetime) -> dict[str, Any]:
    """The values of a pool, which is closed."""
    return {
        "campaign_id": campaign_id,
        "pairs": len(pool.entries),
        "closed_at": now,
        **_same(pool, "name", "recipe", "largest_possible", "created_at", "opened_at", "per_pair"),
    }


def entries_of(pool: ReleasedPool) -> Iterator[dict[str, Any]]:
    """The values of a pool's pairs."""
    for one in pool.entries:
        yield {
            "brought_by": [list(each) for each in one.brought_by],
            "run_count": one.runs,
            "added_by": None,
            **_same(one, "topic", "docno", "best_rank", "weight", "inclusion", "stratum", "added_at"),
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
