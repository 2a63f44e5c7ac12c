"""How many pairs of a campaign need several judgments: from its own judgments, or from stated guesses.

An overlap is drawn from the pairs that one person graded and nobody else has been given: the candidates. What
is expected of further assessors is the table of the doubly judged pairs, from 30 of them on, with 1 / grades
added to every cell, so that no outcome counts as impossible for not having happened yet; before that, the
model of `expected_shares` with the shares of the grades so far and a guessed kappa.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from sqlalchemy.orm import Session

from workbench.agreement.options import AgreementOptions, Singles
from workbench.agreement.ratings import Ratings
from workbench.agreement.sample_export import plans_export
from workbench.agreement.sample_influence import (
    assessor_bias,
    expected_value,
    influence_of_pairs,
    intraclass_correlation,
    mean_topic_size,
)
from workbench.agreement.sample_model import (
    OutcomeModel,
    expected_shares,
    kappa_of_shares,
    lowest_kappa,
    outcome_model,
)
from workbench.agreement.sample_request import PlanRequest, Target
from workbench.agreement.sample_simulation import ROUNDS, PlannedDraw, plan_draws
from workbench.agreement.sample_size import Floats, SampleSize
from workbench.agreement.tally import tally
from workbench.agreement.weights import nominal
from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.export import Export
from workbench.workflow.agreement.overlap_candidates import Candidates, candidates_of
from workbench.workflow.agreement.selection import ComparedGrades, campaign_ratings, compared_grades
from workbench.workflow.pools.pace import Pace, pace_of

ENOUGH = 30
"""From so many doubly judged pairs on the campaign's own table is used."""
GUESSED_KAPPA, GUESSED_ICC = 0.6, 0.05


class Source(StrEnum):
    """Where the expected table comes from."""

    MEASURED = "measured"
    GUESSED = "guessed"


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """The doubly judged pairs of a campaign: how many, of how many topics, and their table, symmetrical.

    `icc` is the intraclass correlation of the pairs of a topic in their influence on the coefficient, and
    `topic_size` the mean size of the topic in which a pair lies. `bias` has, for everybody with enough pairs,
    those with the most first, how far their shares of the grades are from the others' on the same pairs.
    """

    pairs: int
    topics: int
    table: Floats
    kappa: float | None
    icc: float
    topic_size: float
    bias: Floats


@dataclass(frozen=True, slots=True, eq=False)
class OverlapPlan:
    """The pairs that every way of drawing needs for an interval of a coefficient, and what that rests on.

    The `request` is the one asked for, with what the campaign adds: the relevance threshold, the size of
    topics and their intraclass correlation. `categories` are grades, highest first (1 and 0 where relevant or
    not is compared); `shares` and `model` are in their order. `value` is the expected value of the target
    coefficient, `kappa` that of the pooled one with the same weights. `individual` says whether assessors
    differ in bias. `known` is None before two people have judged one pair.
    """

    request: PlanRequest
    source: Source
    categories: tuple[int, ...]
    shares: tuple[float, ...]
    value: float | None
    kappa: float | None
    model: OutcomeModel
    planned: tuple[PlannedDraw, ...]
    known: Known | None
    candidates: Candidates
    pace: Pace
    individual: bool = False

    def enough(self, size: SampleSize) -> bool:
        """Whether there are so many pairs that one person has judged."""
        return size.pairs is not None and size.pairs <= self.candidates.pairs


def plan_overlap(
    db: Session, campaign_id: int, request: PlanRequest | None = None, *, rounds: int = ROUNDS
) -> OverlapPlan:
    """How many pairs must be judged by so many assessors for the interval that is requested.

    A kappa or shares that are given are used; else the doubly judged pairs of the campaign if there are 30 or
    more; else a kappa of 0.6 with the shares of the grades so far. The unpooled kappa is planned for
    assessors with the bias of those here. For more than two assessors per pair, a kappa that was not given is
    at least as high as theirs can be. Without `rounds` no sample is simulated. Raises InvalidInput for a
    request that cannot be met.
    """
    request = request or PlanRequest()
    grades = compared_grades(db, campaign_id, relevant_from=request.relevant_from, graded=request.graded)
    # Two grades have only one weight.
    target = request.target if request.graded else Target(request.target.method)
    candidates = candidates_of(
        db, campaign_id, relevant_from=None if request.graded else grades.relevant_from
    )
    known = _known(db, campaign_id, grades, target)
    request = replace(
        request,
        target=target,
        relevant_from=grades.relevant_from,
        icc=_icc(known) if request.icc is None else request.icc,
        topic_size=_topic_size(known, candidates),
    )
    source, table = _expected_table(request, known, candidates, len(grades.categories))
    shares = tuple(((table.sum(axis=0) + table.sum(axis=1)) / 2).tolist())
    bias = known.bias if known is not None and len(known.bias) else None
    # A measured kappa may be lower than more than two assessors can have; a given one is refused.
    guarded = request.kappa is None and request.assessors > 2
    lowest = lowest_kappa(shares, request.assessors) if guarded else None
    model = outcome_model(table, request, bias=bias, lowest=lowest)
    planned = plan_draws(model, request, rounds=rounds)
    return OverlapPlan(
        request,
        source,
        grades.categories,
        shares,
        value=planned[0].size.value,
        kappa=expected_value(model, Target("pooled", target.weights)),
        model=model,
        planned=planned,
        known=known,
        candidates=candidates,
        pace=pace_of(db, campaign_id),
        individual=bias is not None and target.method == "unpooled",
    )


def plan_facts(plan: OverlapPlan) -> dict[str, object]:
    """What the plan rests on, and what is requested."""
    request = plan.request
    return {
        "source": str(plan.source),
        "kappa": plan.kappa,
        "shares": list(plan.shares),
        "half_width": request.half_width,
        "level": request.level,
        "coefficient": request.target.method,
        "weights": request.target.weights,
        "value": plan.value,
        "missing": request.non_response,
        "assessors": request.assessors,
        "relevant_from": None if request.graded else request.relevant_from,
        "doubly_judged": plan.known.pairs if plan.known else 0,
        "likeness": request.icc,
        "topic_size": request.topic_size,
        "to_draw_from": plan.candidates.pairs,
    }


def plan_export(plan: OverlapPlan) -> Export:
    """The plan as a table, as plain data and as LaTeX."""
    return plans_export(plan.planned, plan_facts(plan))


def _expected_table(
    request: PlanRequest, known: Known | None, candidates: Candidates, grades: int
) -> tuple[Source, Floats]:
    """The table expected of two assessors, as shares, and where it comes from."""
    measured = request.kappa is None and request.shares is None
    if measured and known is not None and known.pairs >= ENOUGH:
        smooth = known.table + 1 / grades
        return Source.MEASURED, smooth / smooth.sum()
    shares = _shares_so_far(known, candidates, grades) if request.shares is None else request.shares
    if len(shares) != grades:
        message = f"{len(shares)} shares do not fit {grades} grades"
        raise InvalidInput([Finding("Sample", None, "prevalence", message, "give one share for every grade")])
    kappa = _kappa_so_far(known) if request.kappa is None else request.kappa
    return Source.GUESSED, expected_shares(shares, kappa)


def _icc(known: Known | None) -> float:
    enough = known is not None and known.pairs >= ENOUGH and known.topics > 1
    return known.icc if known is not None and enough else GUESSED_ICC


def _topic_size(known: Known | None, candidates: Candidates) -> float:
    if candidates.pairs:
        return mean_topic_size(candidates.topic_sizes)
    return 1.0 if known is None else known.topic_size


def _known(db: Session, campaign_id: int, grades: ComparedGrades, target: Target) -> Known | None:
    options = AgreementOptions(
        relevant_from=grades.relevant_from, graded=grades.graded, singles=Singles.LEFT_OUT
    )
    try:
        ratings = campaign_ratings(db, campaign_id, options).ratings
    except WorkbenchError:
        return None
    if not len(ratings.topics):
        return None
    # The unpooled kappa needs a row for each pair and person, which is too much for a crowd.
    measured = Target("pooled", target.weights) if target.method == "unpooled" else target
    return ratings.keep(("doubly judged", measured), lambda: _doubly_judged(ratings, measured))


def _doubly_judged(ratings: Ratings, target: Target) -> Known:
    # Every pair counts once, in both orders: no assessor is the first of two.
    tables = tally(ratings, nominal(len(ratings.categories)), by_topic=True, by_assessor=False).coincidences
    tables = tables / np.maximum(tables.sum(axis=(1, 2)), 1)[:, None, None]
    tables *= np.bincount(ratings.topics, minlength=ratings.n_topics)[:, np.newaxis, np.newaxis]
    table = tables.sum(axis=0)
    kappa = float(kappa_of_shares(table / table.sum()))
    return Known(
        pairs=len(ratings.topics),
        topics=ratings.n_topics,
        table=table,
        kappa=kappa if np.isfinite(kappa) else None,
        icc=intraclass_correlation(influence_of_pairs(ratings, target), ratings.topics),
        topic_size=mean_topic_size(np.bincount(ratings.topics)),
        bias=assessor_bias(ratings, ENOUGH),
    )


def _shares_so_far(known: Known | None, candidates: Candidates, grades: int) -> tuple[float, ...]:
    """The shares of the grades given so far, each counted once more."""
    counts = np.asarray(candidates.by_label, dtype=np.float64) + 1
    if known is not None:
        counts += known.table.sum(axis=1)
    elif not candidates.pairs and grades == 2:
        return 0.2, 0.8
    return tuple((counts / counts.sum()).tolist())


def _kappa_so_far(known: Known | None) -> float:
    few = known is None or known.pairs < ENOUGH or known.kappa is None
    return GUESSED_KAPPA if few or known is None or known.kappa is None else min(known.kappa, 0.99)
