"""Agreement in a campaign: the whole report, two assessors in detail, and what further judgments may show."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy.orm import Session

from workbench.agreement.estimates import Estimate, chosen, coefficients_of
from workbench.agreement.options import AgreementOptions, Singles
from workbench.agreement.pair_report import PairReport, pair_report
from workbench.agreement.pairwise import AssessorPair, assessor_pairs
from workbench.agreement.report import AgreementReport, agreement_report
from workbench.agreement.sample_size import intraclass_correlation
from workbench.errors import WorkbenchError
from workbench.workflow.agreement.selection import campaign_ratings


def campaign_agreement(db: Session, campaign_id: int, options: AgreementOptions) -> AgreementReport:
    """The whole report; raises WorkbenchError where fewer than two gave grades, and for what cannot be."""
    return agreement_report(campaign_ratings(db, campaign_id, options), options)


def campaign_pair(
    db: Session, campaign_id: int, options: AgreementOptions, *, first: str, second: str
) -> PairReport:
    """Two assessors by name, among all that are included; raises WorkbenchError for names that are not."""
    # Two are compared by the table of what both judged.
    options = replace(options, singles=Singles.LEFT_OUT)
    return pair_report(campaign_ratings(db, campaign_id, options), options, first=first, second=second)


@dataclass(frozen=True, slots=True)
class People:
    """How far people alone agree: every two of them, and the pooled kappa of all `together`.

    That is the figure of the agreement page, with its interval and the number of its pairs.
    """

    names: tuple[str, ...]
    together: Estimate
    pairs: tuple[AssessorPair, ...]


def agreement_of_people(db: Session, campaign_id: int) -> People:
    """How far people agree, with the default options; raises WorkbenchError for fewer than two."""
    options = AgreementOptions()
    selection = campaign_ratings(db, campaign_id, options)
    together = chosen(coefficients_of(selection, options)[1], "pooled")
    pairs = assessor_pairs(selection.ratings.shared(), options)
    return People(tuple(one.name for one in selection.assessors), together, pairs)


def expected_of(db: Session, campaign_id: int) -> dict[str, Any]:
    """Of a size request what is known of a campaign: kappa, relevant, topics (effective) and icc."""
    options = AgreementOptions()
    try:
        selection = campaign_ratings(db, campaign_id, options)
    except WorkbenchError:
        return {}
    pooled = chosen(coefficients_of(selection, options)[1], "pooled")
    # Of so few topics that there is no interval nothing else is known either.
    if pooled.value is None or pooled.interval is None or pooled.interval.low is None:
        return {}
    shared = selection.ratings.shared()
    given = shared.given()
    found: dict[str, Any] = {
        "kappa": min(max(round(pooled.value, 2), 0.0), 0.99),
        "relevant": min(max(round(float((given.codes == 0).mean()), 3), 0.001), 0.999),
        "topics": int(pooled.interval.effective or 0),
    }
    icc = intraclass_correlation(shared)
    return found if icc is None else found | {"icc": round(icc, 3)}
