"""A campaign of which one assessor has judged eighty pairs, before others are given some."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from tests.builders import Made
from workbench.storage import Session
from workbench.storage.events import append_events

# Ada judged forty pairs of each topic, every fourth relevant.
DOCNOS = [f"n{number:02}" for number in range(40)]
FIRST = {(topic, docno): int(at % 4 == 0) for topic in ("T1", "T2") for at, docno in enumerate(DOCNOS)}


def judge(
    db: Session, made: Made, name: str, said: Mapping[tuple[str, str], int | None], turn: str = ""
) -> None:
    """What somebody says of pairs; None takes back. With another turn it may be said of them again."""
    events = [
        {
            "campaign_id": made.campaign.id, "assessor_id": made.assessors[name], "topic": topic,
            "docno": docno, "answer": "withdrawn" if grade is None else "grade", "grade": grade,
            "reason": "", "source": "screen", "client_id": f"{name}-{topic}-{docno}{turn}",
            "assignment_id": None, "document_sha256": None,
            "position": None, "order_rule": None, "seed": None, "active_ms": None,
            "recorded_at": datetime.now(UTC),
        }
        for (topic, docno), grade in said.items()
    ]  # fmt: skip
    assert append_events(db, events) == len(events)
