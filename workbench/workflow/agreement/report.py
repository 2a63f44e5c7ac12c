"""Agreement reports of a campaign, cached until a judgment is added."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from math import fsum
from typing import TypeVar, cast

from sqlalchemy.orm import Session

from workbench.agreement.estimates import Estimate, coefficients_of
from workbench.agreement.options import AgreementOptions
from workbench.agreement.pair_report import PairReport, pair_report
from workbench.agreement.pairwise import AssessorPair, assessor_pairs
from workbench.agreement.report import AgreementReport, Matrix, agreement_report, matrix
from workbench.agreement.selection import Selection
from workbench.workflow.agreement.selection import campaign_ratings, judgments_version
from workbench.workflow.caching import Cache

Report = TypeVar("Report")


@dataclass(frozen=True, slots=True)
class People:
    """Point values for people alone: every two of them, and the mean pooled kappa, None where undefined."""

    names: tuple[str, ...]
    pairs: tuple[AssessorPair, ...]
    mean: float | None

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


def campaign_agreement(db: Session, campaign_id: int, options: AgreementOptions) -> AgreementReport:
    """The whole report; raises WorkbenchError where fewer than two gave grades, and for what cannot be."""
    return _cached(db, campaign_id, options, "report", agreement_report)


def campaign_coefficients(
    db: Session, campaign_id: int, options: AgreementOptions
) -> tuple[Selection, tuple[Estimate, ...]]:
    """What is included, and the coefficients of all assessors alone; raises as `campaign_agreement` does."""
    return _cached(db, campaign_id, options, "coefficients", coefficients_of)


def campaign_matrix(db: Session, campaign_id: int, options: AgreementOptions) -> Matrix:
    """Every two assessors, ordered by the options' coefficient; raises as `campaign_agreement` does."""
    return _cached(db, campaign_id, options, "matrix", matrix)


def campaign_pair(
    db: Session, campaign_id: int, options: AgreementOptions, *, first: str, second: str
) -> PairReport:
    """Two assessors by name, among all that are included; raises WorkbenchError for names that are not."""

    def make(selection: Selection, options: AgreementOptions) -> PairReport:
        return pair_report(selection, options, first=first, second=second)

    return _cached(db, campaign_id, options, ("pair", first, second), make)


def agreement_of_people(db: Session, campaign_id: int) -> People:
    """Point values for people, with the campaign's options; raises WorkbenchError for fewer than two."""
    options = AgreementOptions()
    found = campaign_ratings(db, campaign_id, options)
    pairs = assessor_pairs(found.ratings, options, intervals=False)
    return People(tuple(one.name for one in found.assessors), pairs, _mean(pairs))


def _cached(
    db: Session,
    campaign_id: int,
    options: AgreementOptions,
    what: Hashable,
    make: Callable[[Selection, AgreementOptions], Report],
) -> Report:
    selection = campaign_ratings(db, campaign_id, options)
    # The scale, its threshold and the number of documents can be changed without a judgment.
    changing = selection.by_grade.categories, selection.relevant_from, selection.n_pairs
    key = (what, judgments_version(db, campaign_id), changing, options)
    return cast(Report, _REPORTS.get(key, lambda: make(selection, options)))


def _mean(pairs: tuple[AssessorPair, ...]) -> float | None:
    values = [value for two in pairs if (value := two.estimate("pooled").value) is not None]
    return fsum(values) / len(values) if values else None


_REPORTS: Cache[Hashable, object] = Cache(16)
