"""Decisions from elsewhere, and out again: adjudicated grades in a file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from uuid import uuid4

from sqlalchemy import insert
from sqlalchemy.orm import Session

from workbench.consensus.votes import Pair
from workbench.errors import Finding, InvalidInput
from workbench.formats.graded_pairs import GradedPair
from workbench.formats.identifiers import storable
from workbench.frozen import frozen_dataclass
from workbench.records import id_bytes
from workbench.storage.adjudications import current_adjudications
from workbench.storage.events import CurrentEvent, current_events
from workbench.storage.tables import AdjudicationEventRow
from workbench.workflow.adjudication.decisions import Decision, locked_campaign
from workbench.workflow.adjudication.queue_table import queue_source
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.judging.submission import LONGEST_REASON

MOST_FINDINGS = 1000


@frozen_dataclass
class DecisionsImported:
    """What an import of decisions did: `new` of those `read`; the others were decided so before.

    `undisputed` counts those on which the assessors do not differ by the campaign's setting, `ungiven` those
    of a grade that no assessor gave.
    """

    source: str
    read: int
    new: int
    undisputed: int
    ungiven: int


def import_decisions(
    db: Session, campaign_id: int, files: Sequence[tuple[str, Sequence[GradedPair]]]
) -> tuple[DecisionsImported, ...]:
    """Append decisions made elsewhere, by file; importing a file twice adds nothing.

    Raises InvalidInput with every decision of an unknown topic, a grade outside the scale or a pair that
    nobody has judged; then nothing is kept.
    """
    locked_campaign(db, campaign_id)
    queue = queue_source(db, campaign_id)
    answers: dict[Pair, list[CurrentEvent]] = {}
    for event in current_events(db, campaign_id):
        if queue.rules.machines or not queue.people[event.assessor_id].machine:
            answers.setdefault((event.topic, event.docno), []).append(event)
    values = {grade.value for grade in queue.scale.grades}
    topics = topic_titles(db, campaign_id)
    findings = [
        finding
        for source, decisions in files
        for one in decisions
        for finding in _wrong(one, topics, values, answers, source)
    ]
    if findings:
        raise InvalidInput(findings[:MOST_FINDINGS])
    current: dict[Pair, tuple[int | None, str]] = {
        (row.topic, row.docno): (row.grade, row.reason) for row in current_adjudications(db, campaign_id)
    }
    disputed = queue.disputed
    rows: list[dict[str, object]] = []
    done = []
    for source, decisions in files:
        new = [one for one in decisions if current.get((one.topic, one.docno)) != (one.grade, _reason(one))]
        current |= {(one.topic, one.docno): (one.grade, _reason(one)) for one in new}
        rows += [_row(campaign_id, one, answers[one.topic, one.docno]) for one in new]
        places = (queue.answers.find(one.topic, one.docno) for one in decisions)
        undisputed = sum(place is None or not disputed[place] for place in places)
        ungiven = sum(
            one.grade not in {event.grade for event in answers[one.topic, one.docno]} for one in decisions
        )
        done.append(DecisionsImported(source, len(decisions), len(new), undisputed, ungiven))
    if rows:
        now = datetime.now(UTC)
        db.execute(insert(AdjudicationEventRow), [row | {"recorded_at": now} for row in rows])
    return tuple(done)


def decisions_made(db: Session, campaign_id: int) -> tuple[GradedPair, ...]:
    """The adjudicated grades that hold, as `import_decisions` takes them, sorted as bytes."""
    rows = [row for row in current_adjudications(db, campaign_id) if row.decision == Decision.GRADE]
    rows.sort(key=lambda row: (id_bytes(row.topic), id_bytes(row.docno)))
    return tuple(
        GradedPair(row.topic, row.docno, row.grade, row.reason, line)
        for line, row in enumerate(rows, start=2)
        if row.grade is not None
    )


def _wrong(
    one: GradedPair, topics: Collection[str], values: set[int], answers: Mapping[Pair, object], source: str
) -> Iterable[Finding]:
    if one.topic not in topics:
        message = f"topic {one.topic!r} is not in this campaign"
        yield Finding(source, one.line, "unknown-topic", message, "load the topic, or remove the line")
    elif (one.topic, one.docno) not in answers:
        message = f"nobody has judged document {one.docno!r} of topic {one.topic!r}"
        yield Finding(source, one.line, "not-judged", message, "import the judgments first")
    if one.grade not in values:
        message = f"{one.grade} is not on this scale"
        yield Finding(source, one.line, "grade", message, f"use one of {', '.join(map(str, sorted(values)))}")


def _row(campaign_id: int, one: GradedPair, answers: Sequence[CurrentEvent]) -> dict[str, object]:
    return {
        "campaign_id": campaign_id,
        "topic": one.topic,
        "docno": one.docno,
        "account_id": None,
        "decision": str(Decision.GRADE),
        "grade": one.grade,
        "reason": _reason(one),
        "seen": [[event.id, event.assessor_id, event.answer, event.grade] for event in answers],
        "client_id": str(uuid4()),
        "active_ms": None,
    }


def _reason(one: GradedPair) -> str:
    return storable(one.words.strip())[:LONGEST_REASON]
