"""What the judgments of a campaign let one expect of further ones, for the calculator of sizes."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from workbench.agreement.estimates import chosen, coefficients_of
from workbench.agreement.options import AgreementOptions
from workbench.agreement.sample_size import intraclass_correlation
from workbench.errors import WorkbenchError
from workbench.workflow.agreement.selection import campaign_ratings


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
