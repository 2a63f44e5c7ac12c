"""How far the assessors of a campaign agree."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.agreement.pairwise import compare
from workbench.agreement.report import AgreementReport, Basis
from workbench.errors import WorkbenchError
from workbench.records import Answer, Judgment, id_bytes
from workbench.storage.events import current_events
from workbench.storage.tables import AssessorRow
from workbench.workflow.campaigning import campaign_of


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


def agreement(
    db: Session,
    campaign_id: int,
    *,
    relevant_from: int | None = None,
    graded: bool = False,
    basis: Basis = Basis.BOTH,
    universe: int | None = None,
    assessors: Collection[str] | None = None,
) -> AgreementReport:
    """Every two assessors compared, over the grades that they gave; unsure and cannot-judge do not enter.

    Binary from `relevant_from` (the campaign's own line if None) unless `graded`; `basis` and `universe` as
    in `workbench.agreement.pairwise.compare`. Raises WorkbenchError for a grade that cannot be the line, and
    where fewer than two assessors have given a grade.
    """
    scale = campaign_of(db, campaign_id).scale
    values = tuple(grade.value for grade in scale.grades)
    line = scale.relevant_from if relevant_from is None else relevant_from
    if line not in values[1:]:
        raise WorkbenchError(
            f"{line} cannot be the lowest relevant grade", remedy=f"one of {', '.join(map(str, values[1:]))}"
        )
    judgments: dict[str, dict[tuple[str, str], int]] = {}
    for judgment in current_judgments(db, campaign_id, assessors=assessors):
        if judgment.grade is not None:
            judgments.setdefault(judgment.assessor, {})[judgment.topic, judgment.docno] = judgment.grade
    return compare(
        judgments,
        categories=values if graded else None,
        relevant_from=None if graded else line,
        basis=basis,
        universe=universe,
    )
