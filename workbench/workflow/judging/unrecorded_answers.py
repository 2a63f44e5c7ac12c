"""What an event that was kept aside says: read out of all that was sent, whatever shape it has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy.orm import Session

from workbench.errors import WorkbenchError
from workbench.records import Answer
from workbench.storage.events import LATER, WITHDRAWN, CurrentEvent
from workbench.storage.tables import CampaignRow, KeptAsideRow
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.checks import id_finding
from workbench.workflow.clock import moment_said
from workbench.workflow.judging.annotations import (
    NO_ANNOTATIONS,
    Annotations,
    annotations_of,
    read_annotations,
)
from workbench.workflow.judging.recording import SHA256, Said


def said_in(db: Session, row: KeptAsideRow, answers: Mapping[str, CurrentEvent]) -> Said:
    """The answer that was sent, as it would be recorded; `answers` are what holds, by docno.

    Raises WorkbenchError for what can be no answer of this campaign.
    """
    sent = row.answer
    docno, kind, answer = (text_in(sent, name) for name in ("docno", "kind", "answer"))
    grade = sent.get("grade")
    if not docno or id_finding(docno, what="docno", source="answer"):
        raise WorkbenchError("it names no document", remedy="dismiss it")
    known = answers.get(docno)
    again = kind in {"comment", "extras"} and known is not None
    if again and known is not None:
        answer, grade = known.answer, known.grade
    elif kind in {"undo", "later"}:
        answer, grade = (WITHDRAWN if kind == "undo" else LATER), None
    elif kind != "answer" or answer not in set(Answer):
        raise WorkbenchError("it is no answer", remedy="dismiss it")
    if answer == Answer.GRADE:
        if not isinstance(grade, int) or isinstance(grade, bool):
            raise WorkbenchError("it carries no grade", remedy="dismiss it")
        scale_from_json(db.get_one(CampaignRow, row.campaign_id).scale).grade(grade)
    active_ms, shown = sent.get("active_ms"), text_in(sent, "shown_sha256")
    return Said(
        docno,
        answer,
        grade if answer == Answer.GRADE else None,
        row.client_id,
        reason=known.reason if again and known is not None else text_in(sent, "reason"),
        comment=known.comment if kind == "extras" and known is not None else text_in(sent, "comment"),
        active_ms=active_ms if isinstance(active_ms, int) else None,
        shown_sha256=shown if SHA256.fullmatch(shown) else None,
        said_at=moment_said(text_in(sent, "said_at")),
        extras=_extras(db, sent, known),
    )


def _extras(db: Session, sent: Mapping[str, Any], known: CurrentEvent | None) -> Annotations:
    """What goes with the answer, which is worth more than that: nothing where it has no right shape."""
    kind = text_in(sent, "kind")
    if kind == "comment" and known is not None:
        return annotations_of(db, known.assessor_id, known.topic).get(known.id, NO_ANNOTATIONS)
    if kind in {"undo", "later"}:
        return NO_ANNOTATIONS
    try:
        return read_annotations(*(sent.get(name) for name in ("evidence", "ratings", "subtopics")))
    except WorkbenchError:
        return NO_ANNOTATIONS


def text_in(sent: Mapping[str, Any], name: str) -> str:
    """A text that was sent under a name; empty where there is none."""
    found = sent.get(name, "")
    return found if isinstance(found, str) else ""
