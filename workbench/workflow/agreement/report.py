"""Agreement reports of a campaign, cached until a judgment is added."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import TypeVar, cast

from sqlalchemy.orm import Session

from workbench.agreement.estimates import Estimate, chosen, coefficients_of
from workbench.agreement.options import AgreementOptions, Singles
from workbench.agreement.pair_report import PairReport, pair_report
from workbench.agreement.pairwise import assessor_pairs
from workbench.agreement.report import (
    AgreementReport,
    LeniencyReport,
    Matrix,
    agreement_report,
    leniency_report,
    matrix,
)
from workbench.agreement.selection import Selection
from workbench.workflow.agreement.people import People, mean_of_pairs, people_by_topic
from workbench.workflow.agreement.selection import campaign_ratings, ratings_state
from workbench.workflow.caching import Cache

Report = TypeVar("Report")


def campaign_agreement(db: Session, campaign_id: int, options: AgreementOptions) -> AgreementReport:
    """The whole report; raises WorkbenchError where fewer than two gave grades, and for what cannot be."""
    return _cached(db, campaign_id, options, "report", agreement_report)


def campaign_coefficients(
    db: Session, campaign_id: int, options: AgreementOptions
) -> tuple[Selection, tuple[Estimate, ...]]:
    """What is included, and the coefficients of all assessors alone; raises as `campaign_agreement` does."""
    return _cached(db, campaign_id, options, "coefficients", coefficients_of)


def campaign_leniency(db: Session, campaign_id: int, options: AgreementOptions) -> LeniencyReport:
    """The leniency of every assessor, as the whole report has it; raises as `campaign_ratings` does."""
    return _cached(db, campaign_id, options, "leniency", leniency_report)


def campaign_matrix(db: Session, campaign_id: int, options: AgreementOptions) -> Matrix:
    """Every two assessors, ordered by the options' coefficient; raises as `campaign_agreement` does."""
    return _cached(db, campaign_id, _of_two(options), "matrix", matrix)


def campaign_pair(
    db: Session, campaign_id: int, options: AgreementOptions, *, first: str, second: str
) -> PairReport:
    """Two assessors by name, among all that are included; raises WorkbenchError for names that are not."""

    def make(selection: Selection, options: AgreementOptions) -> PairReport:
        return pair_report(selection, options, first=first, second=second)

    return _cached(db, campaign_id, _of_two(options), ("pair", first, second), make)


def _of_two(options: AgreementOptions) -> AgreementOptions:
    """The options for every two: they are compared by the table of what both judged."""
    return replace(options, singles=Singles.LEFT_OUT)


def agreement_of_people(db: Session, campaign_id: int) -> People:
    """How far people agree, with the default options; raises WorkbenchError for fewer than two."""
    return people_by_topic(db, campaign_id) or _cached(db, campaign_id, AgreementOptions(), "people", _people)


def _people(selection: Selection, options: AgreementOptions) -> People:
    found = chosen(coefficients_of(selection, options)[1], "pooled")
    pairs = assessor_pairs(selection.ratings.shared(), options)
    return People(tuple(one.name for one in selection.assessors), found, pairs, mean_of_pairs(pairs))


def _cached(
    db: Session,
    campaign_id: int,
    options: AgreementOptions,
    what: Hashable,
    make: Callable[[Selection, AgreementOptions], Report],
) -> Report:
    # The scale, its threshold and the number of documents can be changed without a judgment.
    state = ratings_state(db, campaign_id, options)
    key = (*state.judgments[:2], what, options)
    found = _REPORTS.get(
        key, lambda: make(campaign_ratings(db, campaign_id, options), options), version=state, patience=0.0
    )
    return cast(Report, found)


# Of older judgments none is kept: a report holds the ratings that it was made of.
_REPORTS: Cache[Hashable, object] = Cache(16)
