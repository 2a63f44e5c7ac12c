"""Agreement in a campaign: the whole report, two assessors in detail, and how far its people agree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import fsum

from sqlalchemy.orm import Session

from workbench.agreement.bands import Band, verdict
from workbench.agreement.estimates import Estimate, chosen, coefficients_of
from workbench.agreement.options import AgreementOptions, Singles
from workbench.agreement.pair_report import PairReport, pair_report
from workbench.agreement.pairwise import AssessorPair, assessor_pairs
from workbench.agreement.report import AgreementReport, agreement_report
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
    """How far people alone agree: the pooled kappa of all `together`, every two of them, and their mean.

    `together` is the figure of the agreement page, with its interval and the number of its pairs; the mean is
    None where every two are undefined.
    """

    names: tuple[str, ...]
    together: Estimate
    pairs: tuple[AssessorPair, ...]
    mean: float | None

    @property
    def band(self) -> Band | None:
        """The verdict on the mean, None where there is none."""
        return verdict(self.mean, enough=self.together.enough)

    @property
    def defined(self) -> int:
        """For how many of the pairs the kappa is defined."""
        return sum(two.estimate("pooled").value is not None for two in self.pairs)

    @property
    def undefined(self) -> str:
        """Why there is no mean."""
        reasons = {two.estimate("pooled").found.undefined for two in self.pairs}
        return reasons.pop() if len(reasons) == 1 else "kappa is undefined for every two of them"

    def mean_of(self, number: int) -> float | None:
        """The mean pooled kappa of one of them with the others."""
        return _mean(tuple(two for two in self.pairs if number in (two.first, two.second)))


def agreement_of_people(db: Session, campaign_id: int) -> People:
    """How far people agree, with the default options; raises WorkbenchError for fewer than two."""
    options = AgreementOptions()
    selection = campaign_ratings(db, campaign_id, options)
    together = chosen(coefficients_of(selection, options)[1], "pooled")
    pairs = assessor_pairs(selection.ratings.shared(), options)
    return People(tuple(one.name for one in selection.assessors), together, pairs, _mean(pairs))


def _mean(pairs: tuple[AssessorPair, ...]) -> float | None:
    """The mean of the pooled kappas that are defined, None without any."""
    values = [value for two in pairs if (value := two.estimate("pooled").value) is not None]
    return fsum(values) / len(values) if values else None
