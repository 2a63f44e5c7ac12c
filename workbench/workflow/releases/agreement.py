"""The agreement that a release states: of people, of what they answered before they discussed a pair."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from sqlalchemy.orm import Session

from workbench.agreement.estimates import Estimate, coefficients_of
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import Answers, Assessor
from workbench.agreement.selection import select_ratings
from workbench.records import Scale
from workbench.releases.contents import ReleasedAssessor, ReleasedEstimate
from workbench.workflow.agreement.selection import independent_answers
from workbench.workflow.people.assessors import assessor_names

PLACES = 6
"""Of released coefficients: further digits depend on the order of additions, and so on the machine."""


def released_agreement(
    db: Session, campaign_id: int, people: Mapping[int, ReleasedAssessor], scale: Scale
) -> tuple[ReleasedEstimate, ...]:
    """Every coefficient, relevant or not, with the assessors in the order of their pseudonyms.

    Raises WorkbenchError where fewer than two people gave grades.
    """
    answers = independent_answers(db, campaign_id)
    ids = {name: number for number, name in assessor_names(db, campaign_id).items()}
    row_of = {ids[one.name]: at for at, one in enumerate(answers.assessors)}
    released = Answers(
        tuple(Assessor(one.pseudonym, one.machine) for one in people.values()),
        answers.grades[np.array([row_of[number] for number in people], dtype=np.int64)],
        answers.pairs,
        answers.topics,
        answers.topic_names,
    )
    options = AgreementOptions(relevant_from=scale.relevant_from)
    grades = sorted((grade.value for grade in scale.grades), reverse=True)
    return tuple(map(_estimate, coefficients_of(select_ratings(released, grades, options), options)[1]))


def _estimate(one: Estimate) -> ReleasedEstimate:
    interval = one.interval
    return ReleasedEstimate(
        name=one.name,
        label=one.label,
        value=_rounded(one.value),
        n=one.found.n,
        low=_rounded(interval.low) if interval else None,
        high=_rounded(interval.high) if interval else None,
        level=interval.level if interval else None,
        method=interval.method if interval else "",
        undefined=one.found.undefined,
    )


def _rounded(value: float | None) -> float | None:
    # Adding 0 makes the one zero of the other, which is written otherwise.
    return None if value is None else round(float(value), PLACES) + 0.0
