"""How far assessors agreed before their discussions and after them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial

from sqlalchemy.orm import Session

from workbench.agreement.options import Occasion
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
from workbench.json_forms import DiscussionReportJson
from workbench.records import Scale
from workbench.workflow.agreement.independent_answers import Pair, discussed_pairs
from workbench.workflow.agreement.selection import answers_on, judgments_version
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.judging.current_judgments import recorded_version

Grades = dict[str, dict[tuple[str, str], int]]


@dataclass(frozen=True, slots=True)
class DiscussionReport:
    """Before and after the discussions of a campaign: over all pairs, and over those discussed only."""

    discussed: int
    everything: Rounds
    only_discussed: Rounds


def discussion_report(db: Session, campaign_id: int) -> DiscussionReport:
    """The agreement of the independent answers, given before the first discussion of each pair, and now.

    Both are the figures of the agreement page. A pair that was never discussed says the same in both;
    machines, and answers that are no grade, do not enter. Raises WorkbenchError where nothing was discussed.
    """
    discussed = discussed_pairs(db, campaign_id)
    if not discussed:
        raise WorkbenchError(
            "no pair of this campaign was discussed", remedy="send disputed pairs back to their assessors"
        )
    scale = campaign_of(db, campaign_id).scale
    state = judgments_version(db, campaign_id)
    make = partial(_report, db, campaign_id, scale, discussed)
    return _REPORTS.get((*state[:2], scale), make, version=state, patience=0.0)


def _report(db: Session, campaign_id: int, scale: Scale, discussed: set[Pair]) -> DiscussionReport:
    before, after = (_of_people(db, campaign_id, which) for which in Occasion)
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


def discussion_data(found: DiscussionReport, *, names: bool = True) -> DiscussionReportJson:
    """The report as plain data; without `names` nothing of single assessors."""
    return {
        "discussed": found.discussed,
        "everything": rounds_data(found.everything, names=names),
        "only_discussed": rounds_data(found.only_discussed, names=names),
    }


def _of_people(db: Session, campaign_id: int, which: Occasion) -> Grades:
    """The grades of people, as the report of agreement has them."""
    people = {
        number: name for number, name, machine in recorded_version(db, campaign_id).assessors if not machine
    }
    found: Grades = {name: {} for name in people.values()}
    for answers in answers_on(db, campaign_id, which):
        docnos, topic = answers.docnos, answers.topic
        graded = answers.codes >= 0
        rows = (part[graded].tolist() for part in (answers.places, answers.assessors, answers.codes))
        for place, assessor, grade in zip(*rows, strict=True):
            if assessor in people:
                found[people[assessor]][topic, docnos[place]] = grade
    return found


# Of older judgments none is kept.
_REPORTS: Cache[Hashable, DiscussionReport] = Cache(4)
