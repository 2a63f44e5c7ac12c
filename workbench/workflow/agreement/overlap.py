"""How many pairs of a campaign need several judgments, from its own judgments or from stated guesses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import NO_ANSWER
from workbench.agreement.sample_export import plans_export
from workbench.agreement.sample_influence import (
    assessor_bias,
    expected_value,
    influence_of_pairs,
    intraclass_correlation,
    mean_topic_size,
)
from workbench.agreement.sample_model import OutcomeModel, expected_shares, kappa_of_shares, lowest_kappa
from workbench.agreement.sample_request import Target
from workbench.agreement.sample_simulation import ROUNDS, PlannedDraw, outcome_model, plan_draws
from workbench.agreement.sample_size import LEVEL, Floats, SampleSize
from workbench.agreement.selection import select_ratings as enter
from workbench.agreement.tally import tally
from workbench.agreement.weights import nominal
from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.export import Export
from workbench.storage.tables import AssessorRow, AssignmentRow, PoolRow
from workbench.workflow.agreement.selection import ComparedGrades, compared_grades, current_answers
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.judging.handouts import shares_of
from workbench.workflow.pools.pace import Pace, pace_of

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair and who judged it: the assessor's id, and the label, as its place among the categories.

    `able` are the assessors, of those asked for, who have said nothing of it.
    """

    topic: str
    docno: str
    label: int
    able: frozenset[int]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidates in the order of their ids' bytes, how many have each label, and how many each topic."""

    found: tuple[Candidate, ...]
    by_label: tuple[int, ...]
    topic_sizes: tuple[int, ...]

    @property
    def pairs(self) -> int:
        """How many there are."""
        return len(self.found)


def candidates_of(
    db: Session,
    campaign_id: int,
    *,
    line: int | None,
    second: Collection[int] | None = None,
    others: int = 1,
) -> Candidates:
    """The pairs that exactly one person graded and that no other person has been given.

    Labels are relevant (0) or not (1) from `line`, or with None grades, highest first. Of the assessors in
    `second` at least `others` must have said nothing of the pair; without them everybody may.
    """
    scale = campaign_of(db, campaign_id).scale
    grades = sorted((grade.value for grade in scale.grades), reverse=True)
    places = {grade: place for place, grade in enumerate(grades)}
    answers = current_answers(db, campaign_id)
    ids = dict(
        db.execute(
            select(AssessorRow.name, AssessorRow.id).where(AssessorRow.campaign_id == campaign_id)
        ).all()
    )
    people = [row for row, voice in enumerate(answers.assessors) if not voice.machine]
    said = answers.grades[people]
    numbers = [ids[answers.assessors[row].name] for row in people]
    given = _given(db, campaign_id)
    found = []
    for column in np.flatnonzero((said >= 0).sum(axis=0) == 1).tolist():
        topic, docno = answers.pairs[column]
        (judge,) = np.flatnonzero(said[:, column] >= 0).tolist()
        if given.get((topic, docno), set()) - {numbers[judge]}:
            continue
        spoke = {numbers[row] for row in np.flatnonzero(said[:, column] != NO_ANSWER).tolist()}
        able = frozenset() if second is None else frozenset(second) - spoke
        if second is not None and len(able) < others:
            continue
        grade = int(said[judge, column])
        label = places[grade] if line is None else int(grade < line)
        found.append(Candidate(topic, docno, label, able))
    labels = Counter(one.label for one in found)
    return Candidates(
        tuple(found),
        tuple(labels[place] for place in range(len(grades) if line is None else 2)),
        tuple(Counter(one.topic for one in found).values()),
    )


def _given(db: Session, campaign_id: int) -> dict[Pair, set[int]]:
    """To which people every pair is given in a pool that is open."""
    rows = db.execute(
        select(AssignmentRow.pool_id, AssignmentRow.topic, AssignmentRow.assessor_id)
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .where(
            PoolRow.campaign_id == campaign_id,
            PoolRow.closed_at.is_(None),
            AssignmentRow.revoked_at.is_(None),
        )
    ).all()
    shares = shares_of(db, campaign_id)
    given: dict[Pair, set[int]] = {}
    for pool_id, topic, assessor_id in rows:
        for docno in shares.docnos(pool_id, topic, assessor_id):
            given.setdefault((topic, docno), set()).add(assessor_id)
    return given


HALF_WIDTH = 0.05
ENOUGH = 30
"""From so many doubly judged pairs on the campaign's own table is used."""

GUESSED_KAPPA, GUESSED_LIKENESS = 0.6, 0.05


class Source(StrEnum):
    """Where the expected table comes from."""

    MEASURED = "measured"
    GUESSED = "guessed"


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """The doubly judged pairs of a campaign: how many, of how many topics, and their table, symmetrical.

    `likeness` is how much the pairs of a topic resemble one another in what they say of the coefficient, and
    `topic_size` the mean size of the topic in which a pair lies. `strictness` holds, for everybody with
    enough pairs, those with the most first, how far one's own shares of the grades are from the others' on
    the same pairs.
    """

    pairs: int
    topics: int
    table: Floats
    kappa: float | None
    likeness: float
    topic_size: float
    strictness: Floats


@dataclass(frozen=True, slots=True, eq=False)
class OverlapPlan:
    """The pairs that every way of drawing needs for an interval of a coefficient, and what that rests on.

    `categories` are grades, highest first (1 and 0 where relevant or not is compared); `prevalence` and
    `expected` are in their order. `value` is what is expected of the coefficient that is the `aim`, `kappa`
    of the pooled one with the same weights. `missing` is the share of the others' judgments that are not
    expected to come, and `by_strictness` says whether assessors differ. `known` is None before two people
    have judged one pair.
    """

    source: Source
    categories: tuple[int, ...]
    relevant_from: int
    graded: bool
    half_width: float
    level: float
    aim: Target
    prevalence: tuple[float, ...]
    value: float | None
    kappa: float | None
    likeness: float
    topic_size: float
    expected: OutcomeModel
    planned: tuple[PlannedDraw, ...]
    known: Known | None
    candidates: Candidates
    pace: Pace
    seed: int
    assessors: int = 2
    missing: float = 0.0
    by_strictness: bool = False

    @property
    def others(self) -> int:
        """How many judge a pair beside the first."""
        return self.assessors - 1

    def enough(self, needed: SampleSize) -> bool:
        """Whether there are so many pairs that one person has judged."""
        return needed.pairs is not None and needed.pairs <= self.candidates.pairs


def plan_overlap(
    db: Session,
    campaign_id: int,
    *,
    half_width: float = HALF_WIDTH,
    level: float = LEVEL,
    aim: Target | None = None,
    relevant_from: int | None = None,
    graded: bool = False,
    kappa: float | None = None,
    prevalence: Sequence[float] | None = None,
    topic_likeness: float | None = None,
    assessors: int = 2,
    missing: float = 0.0,
    rounds: int = ROUNDS,
    seed: int = 1,
) -> OverlapPlan:
    """Plan an overlap: by the table of the pairs that two people judged, if there are enough, or by guesses.

    A guessed `kappa` or `prevalence` (shares of the grades, highest first) stands before what was measured;
    what is not guessed is what the grades so far say. To every cell of a measured table 1 / grades is added:
    what has not happened yet is not held impossible. The `aim` is the coefficient, the pooled kappa unless
    given. The unpooled kappa is planned for assessors who are as strict as those here. Where more than two
    `assessors` judge each pair, a kappa that nobody guessed is at least as high as theirs can be. Each of the
    others leaves out a share `missing` of the pairs. Without `rounds` no sample is simulated. Raises
    InvalidInput for what cannot be asked for.
    """
    grades = compared_grades(db, campaign_id, relevant_from=relevant_from, graded=graded)
    # Two grades have but one weight.
    aim = Target() if aim is None else aim if graded else Target(aim.method)
    categories = grades.categories
    candidates = candidates_of(db, campaign_id, line=None if graded else grades.relevant_from)
    known = _known(db, campaign_id, grades, aim)
    measured = kappa is None and prevalence is None and known is not None and known.pairs >= ENOUGH
    if known is not None and measured:
        smooth = known.table + 1 / len(categories)
        shares = smooth / smooth.sum()
    else:
        guessed = tuple(prevalence) if prevalence is not None else _so_far(known, candidates, len(categories))
        if len(guessed) != len(categories):
            message = f"{len(guessed)} shares do not fit {len(categories)} grades"
            raise InvalidInput(
                [Finding("Sample", None, "prevalence", message, "give one share for every grade")]
            )
        wished = kappa if kappa is not None else _kappa_so_far(known)
        shares = expected_shares(guessed, wished)
    if topic_likeness is None:
        enough = known is not None and known.pairs >= ENOUGH and known.topics > 1
        topic_likeness = known.likeness if known is not None and enough else GUESSED_LIKENESS
    if candidates.pairs:
        topic_size = mean_topic_size(candidates.topic_sizes)
    else:
        topic_size = 1.0 if known is None else known.topic_size
    mean: Floats = (shares.sum(axis=0) + shares.sum(axis=1)) / 2
    strict = known.strictness if known is not None and len(known.strictness) else None
    expected = outcome_model(
        shares,
        aim,
        assessors=assessors,
        missing=missing,
        strictness=strict,
        at_least=lowest_kappa(mean.tolist(), assessors) if kappa is None and assessors > 2 else None,
    )
    planned = plan_draws(
        expected, aim, half_width=half_width, level=level, topic_size=topic_size, likeness=topic_likeness,
        rounds=rounds, seed=seed,
    )  # fmt: skip
    return OverlapPlan(
        source=Source.MEASURED if measured else Source.GUESSED,
        categories=categories,
        relevant_from=grades.relevant_from,
        graded=graded,
        half_width=half_width,
        level=level,
        aim=aim,
        prevalence=tuple(mean.tolist()),
        value=planned[0].needed.value,
        kappa=expected_value(expected, Target("pooled", aim.weights)),
        likeness=topic_likeness,
        topic_size=topic_size,
        expected=expected,
        planned=planned,
        known=known,
        candidates=candidates,
        pace=pace_of(db, campaign_id),
        seed=seed,
        assessors=assessors,
        missing=missing,
        by_strictness=strict is not None and aim.method == "unpooled",
    )


def _known(db: Session, campaign_id: int, grades: ComparedGrades, aim: Target) -> Known | None:
    try:
        found = enter(
            current_answers(db, campaign_id),
            grades.scale,
            AgreementOptions(relevant_from=grades.relevant_from, graded=grades.graded),
        )
    except WorkbenchError:
        return None
    if not found.pairs:
        return None
    ratings = found.ratings
    # Every pair counts once, both ways round: no assessor is the first of two.
    tables = tally(ratings, nominal(len(ratings.categories)), by_topic=True).coincidences
    tables = tables / np.maximum(tables.sum(axis=(1, 2)), 1)[:, None, None]
    tables *= np.bincount(ratings.topics, minlength=ratings.n_topics)[:, np.newaxis, np.newaxis]
    table = tables.sum(axis=0)
    kappa = float(kappa_of_shares(table / table.sum()))
    # Who gave which grade, as the unpooled kappa asks, is a row a pair and person: too much of a crowd.
    moved_by = Target("pooled", aim.weights) if aim.method == "unpooled" else aim
    return Known(
        pairs=len(found.pairs),
        topics=ratings.n_topics,
        table=table,
        kappa=kappa if np.isfinite(kappa) else None,
        likeness=intraclass_correlation(influence_of_pairs(ratings, moved_by), ratings.topics),
        topic_size=mean_topic_size(np.bincount(ratings.topics)),
        strictness=assessor_bias(ratings, ENOUGH),
    )


def _so_far(known: Known | None, candidates: Candidates, grades: int) -> tuple[float, ...]:
    """The shares of the grades given so far, each counted as if given once more."""
    counts = np.asarray(candidates.by_label, dtype=np.float64) + 1
    if known is not None:
        counts += known.table.sum(axis=1)
    elif not candidates.pairs and grades == 2:
        return 0.2, 0.8
    return tuple((counts / counts.sum()).tolist())


def _kappa_so_far(known: Known | None) -> float:
    few = known is None or known.pairs < ENOUGH or known.kappa is None
    return GUESSED_KAPPA if few or known is None or known.kappa is None else min(known.kappa, 0.99)


def plan_said(plan: OverlapPlan) -> dict[str, object]:
    """What the plan rests on, and what is wished."""
    return {
        "source": str(plan.source),
        "kappa": plan.kappa,
        "shares": list(plan.prevalence),
        "half_width": plan.half_width,
        "level": plan.level,
        "coefficient": plan.aim.method,
        "weights": plan.aim.weights,
        "value": plan.value,
        "missing": plan.missing,
        "assessors": plan.assessors,
        "relevant_from": None if plan.graded else plan.relevant_from,
        "doubly_judged": plan.known.pairs if plan.known else 0,
        "likeness": plan.likeness,
        "topic_size": plan.topic_size,
        "to_draw_from": plan.candidates.pairs,
    }


def plan_export(plan: OverlapPlan) -> Export:
    """The plan as a table, as plain data and as LaTeX."""
    return plans_export(plan.planned, plan_said(plan))
