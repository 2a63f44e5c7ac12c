"""What the assessors of a campaign say now, judgment by judgment."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import WorkbenchError
from workbench.records import Answer, Judgment, id_bytes
from workbench.storage.events import current_events
from workbench.storage.tables import AssessorRow


def current_judgments(
    db: Session, campaign_id: int, *, assessors: Collection[str] | None = None, machines: bool = True
) -> tuple[Judgment, ...]:
    """What every assessor (or those named) says now, sorted by topic and docno as bytes, then by assessor.

    Without `machines` those count only who are people. Raises WorkbenchError for an unknown name.
    """
    rows = db.execute(
        select(AssessorRow.id, AssessorRow.name, AssessorRow.machine).where(
            AssessorRow.campaign_id == campaign_id
        )
    )
    names = {
        number: name
        for number, name, machine in rows
        if (machines or not machine) and (assessors is None or name in assessors)
    }
    unknown = set(assessors or ()) - set(names.values())
    if unknown:
        raise WorkbenchError(
            f"{', '.join(sorted(unknown))} is no assessor of this campaign",
            remedy="see the list of assessors",
        )
    held = [
        Judgment(names[event.assessor_id], event.topic, event.docno, event.grade, Answer(event.answer))
        for event in current_events(db, campaign_id)
        if event.assessor_id in names
    ]
    return tuple(sorted(held, key=lambda j: (id_bytes(j.topic), id_bytes(j.docno), j.assessor)))
