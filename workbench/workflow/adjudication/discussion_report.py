"""How far assessors agreed before their discussions and after them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.agreement.rounds import (
    ROUND_COLUMNS,
    Rounds,
    compare_rounds,
    rounds_data,
    rounds_latex,
    rounds_rows,
)
from workbench.errors import WorkbenchError
from workbench.export import Export
from workbench.storage.events import CURRENT_PURPOSES, DISCUSSION
from workbench.storage.tables import AssessorRow, JudgmentEventRow
from workbench.workflow.campaigns.campaigns import campaign_of

Grades = dict[str, dict[tuple[str, str], int]]


@dataclass(frozen=True, slots=True)
class DiscussionReport:
    """Before and after the discussions of a campaign: over all pairs, and over those discussed only."""

    discussed: int
    everything: Rounds
    only_discussed: Rounds


def discussion_report(db: Session, campaign_id: int) -> DiscussionReport:
    """The agreement before the first discussion of each pair, and now.

    A pair that was never discussed says the same in both. Machines, and answers that are no grade, do not
    enter. Raises WorkbenchError where nothing was discussed.
    """
    scale = campaign_of(db, campaign_id).scale
    before, after, discussed = _rounds(db, campaign_id)
    if not discussed:
        raise WorkbenchError(
            "no pair of this campaign was discussed", remedy="send disputed pairs back to their assessors"
        )
    categories = tuple(grade.value for grade in scale.grades)
    found = []
    for pairs in (None, discussed):
        first, second = (
            {
                name: {pair: grade for pair, grade in given.items() if pairs is None or pair in pairs}
                for name, given in grades.items()
            }
            for grades in (before, after)
        )
        found.append(compare_rounds(first, second, categories=categories, relevant_from=scale.relevant_from))
    return DiscussionReport(len(discussed), *found)


def discussion_export(found: DiscussionReport, *, names: bool = True) -> Export:
    """All pairs as a table and as LaTeX, with those of the discussed ones besides as plain data."""
    return Export(
        ROUND_COLUMNS,
        partial(rounds_rows, found.everything, names=names),
        partial(discussion_data, found, names=names),
        partial(rounds_latex, found.everything, names=names),
    )


def discussion_data(found: DiscussionReport, *, names: bool = True) -> dict[str, object]:
    """The report as plain data; without `names` nothing of single assessors."""
    return {
        "discussed": found.discussed,
        "everything": rounds_data(found.everything, names=names),
        "only_discussed": rounds_data(found.only_discussed, names=names),
    }


def _rounds(db: Session, campaign_id: int) -> tuple[Grades, Grades, set[tuple[str, str]]]:
    """Grades by assessor before and after, and the pairs discussed."""
    event = JudgmentEventRow
    rows = db.execute(
        select(AssessorRow.name, event.topic, event.docno, event.grade, event.purpose)
        .join(AssessorRow, AssessorRow.id == event.assessor_id)
        .where(
            event.campaign_id == campaign_id,
            event.purpose.in_(CURRENT_PURPOSES),
            AssessorRow.machine.is_(False),
        )
        .order_by(event.id)
    )
    before: Grades = {}
    after: Grades = {}
    discussed: set[tuple[str, str]] = set()
    begun: set[tuple[str, str, str]] = set()
    for name, topic, docno, grade, purpose in rows:
        pair = (topic, docno)
        if purpose == DISCUSSION:
            discussed.add(pair)
            begun.add((name, topic, docno))
        for grades in (after,) if (name, topic, docno) in begun else (before, after):
            _say(grades.setdefault(name, {}), pair, grade)
    return before, after, discussed


def _say(given: dict[tuple[str, str], int], pair: tuple[str, str], grade: int | None) -> None:
    if grade is None:
        given.pop(pair, None)
    else:
        given[pair] = grade
