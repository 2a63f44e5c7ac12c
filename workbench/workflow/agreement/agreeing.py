"""How far the assessors of a campaign agree: reports that are kept until anybody says something more."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from math import fsum

from sqlalchemy.orm import Session

from workbench.agreement.report.how import How
from workbench.agreement.report.matrix import Matrix, matrix
from workbench.agreement.report.overview import Together, together
from workbench.agreement.report.pair import PairReport, pair_report
from workbench.agreement.report.two import Two, every_two
from workbench.workflow.agreement.entering import Basis, Entering, Machines, entering, state_of
from workbench.workflow.caching import Cache


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a campaign's judgments is compared, as `entering` takes it."""

    relevant_from: int | None = None
    graded: bool = False
    basis: Basis = Basis.BOTH
    machines: Machines = Machines.APART
    assessors: frozenset[str] | None = None
    documents: int | None = None


@dataclass(frozen=True, slots=True)
class People:
    """Point values for people alone: every two of them, and the mean pooled kappa, None where undefined."""

    names: tuple[str, ...]
    pairs: tuple[Two, ...]
    mean: float | None

    @property
    def defined(self) -> int:
        """For how many of the pairs the kappa is defined."""
        return sum(two.figure("pooled").value is not None for two in self.pairs)

    @property
    def undefined(self) -> str:
        """Why there is no mean."""
        reasons = {two.figure("pooled").coefficient.undefined for two in self.pairs}
        return reasons.pop() if len(reasons) == 1 else "kappa is undefined for every two of them"

    def mean_of(self, number: int) -> float | None:
        """The mean pooled kappa of one of them with the others."""
        return _mean(tuple(two for two in self.pairs if number in (two.first, two.second)))


def agreement(db: Session, campaign_id: int, asked: Asked, how: How) -> Together:
    """The whole report; raises WorkbenchError where fewer than two gave grades, and for what cannot be."""
    found = entered(db, campaign_id, asked)
    return _REPORTS.get(
        ("together", state_of(db, campaign_id), *_what(found), asked, how), lambda: together(found, how)
    )


def agreement_matrix(db: Session, campaign_id: int, asked: Asked, how: How, *, by: str) -> Matrix:
    """Every two assessors and the order in which they stand, by a coefficient; raises as `agreement` does."""
    found = entered(db, campaign_id, asked)
    key = ("matrix", state_of(db, campaign_id), *_what(found), asked, how, by)
    return _MATRICES.get(key, lambda: matrix(found, how, by=by))


def agreement_of_two(
    db: Session, campaign_id: int, asked: Asked, how: How, *, first: str, second: str
) -> PairReport:
    """Two assessors by name, among all that enter; raises WorkbenchError for names that do not."""
    found = entered(db, campaign_id, asked)
    return pair_report(found, how, first=first, second=second)


def agreement_of_people(db: Session, campaign_id: int) -> People:
    """Point values for people, from the campaign's line on; raises WorkbenchError for fewer than two."""
    found = entered(db, campaign_id, Asked())
    pairs = every_two(found.ratings, How(), intervals=False)
    return People(tuple(voice.name for voice in found.assessors), pairs, _mean(pairs))


def entered(db: Session, campaign_id: int, asked: Asked) -> Entering:
    """What enters of a campaign's answers, as asked."""
    return entering(
        db,
        campaign_id,
        assessors=asked.assessors,
        machines=asked.machines,
        basis=asked.basis,
        relevant_from=asked.relevant_from,
        graded=asked.graded,
        documents=asked.documents,
    )


def _what(found: Entering) -> tuple[Hashable, ...]:
    """What else a report depends on: the scale, the line and the number of documents can be changed."""
    return found.by_grade.categories, found.relevant_from, found.n_pairs


def _mean(pairs: tuple[Two, ...]) -> float | None:
    values = [value for two in pairs if (value := two.figure("pooled").value) is not None]
    return fsum(values) / len(values) if values else None


_REPORTS: Cache[Hashable, Together] = Cache(8)
_MATRICES: Cache[Hashable, Matrix] = Cache(8)
