"""How many pairs a second assessor must judge: from what the campaign knows of itself, or from guesses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from sqlalchemy.orm import Session

from workbench.agreement.options import AgreementOptions
from workbench.agreement.sample_aims import Aim
from workbench.agreement.sample_estimates import ROUNDS, likeness, mean_topic_size, strictness_of
from workbench.agreement.sample_expected import Expected
from workbench.agreement.sample_moves import expected_value, moves_of
from workbench.agreement.sample_plans import Planned, expected_of, plans
from workbench.agreement.sample_size import LEVEL, Floats, Needed
from workbench.agreement.sample_tables import expected_shares, kappa_of_shares, lowest_kappa
from workbench.agreement.selection import select_ratings as enter
from workbench.agreement.tally import tally
from workbench.agreement.weights import nominal
from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.workflow.agreement.overlap_candidates import Candidates, candidates_of
from workbench.workflow.agreement.selection import ComparedGrades, compared_grades, current_answers
from workbench.workflow.pools.pace import Pace, pace_of

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
    aim: Aim
    prevalence: tuple[float, ...]
    value: float | None
    kappa: float | None
    likeness: float
    topic_size: float
    expected: Expected
    planned: tuple[Planned, ...]
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

    def enough(self, needed: Needed) -> bool:
        """Whether there are so many pairs that one person has judged."""
        return needed.pairs is not None and needed.pairs <= self.candidates.pairs


def plan_overlap(
    db: Session,
    campaign_id: int,
    *,
    half_width: float = HALF_WIDTH,
    level: float = LEVEL,
    aim: Aim | None = None,
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
    aim = Aim() if aim is None else aim if graded else Aim(aim.method)
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
    expected = expected_of(
        shares,
        aim,
        assessors=assessors,
        missing=missing,
        strictness=strict,
        at_least=lowest_kappa(mean.tolist(), assessors) if kappa is None and assessors > 2 else None,
    )
    planned = plans(
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
        kappa=expected_value(expected, Aim("pooled", aim.weights)),
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


def _known(db: Session, campaign_id: int, grades: ComparedGrades, aim: Aim) -> Known | None:
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
    moved_by = Aim("pooled", aim.weights) if aim.method == "unpooled" else aim
    return Known(
        pairs=len(found.pairs),
        topics=ratings.n_topics,
        table=table,
        kappa=kappa if np.isfinite(kappa) else None,
        likeness=likeness(moves_of(ratings, moved_by), ratings.topics),
        topic_size=mean_topic_size(np.bincount(ratings.topics)),
        strictness=strictness_of(ratings, ENOUGH),
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
