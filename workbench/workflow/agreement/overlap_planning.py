"""How many pairs a second assessor must judge: from what the campaign knows of itself, or from guesses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from sqlalchemy.orm import Session

from workbench.agreement.sample_estimates import likeness, mean_topic_size
from workbench.agreement.sample_plans import Planned, plans
from workbench.agreement.sample_size import (
    LEVEL,
    Chance,
    Floats,
    Needed,
    expected_shares,
    kappa_of_shares,
)
from workbench.agreement.several.entering import entering as enter
from workbench.agreement.several.tally import tally
from workbench.agreement.several.weights import nominal
from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.workflow.agreement.entering import answers_in
from workbench.workflow.agreement.overlap_candidates import Candidates, candidates_of
from workbench.workflow.campaigns.campaigning import campaign_of
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

    `likeness` is how much the pairs of a topic resemble one another in what they say of kappa.
    """

    pairs: int
    topics: int
    table: Floats
    kappa: float | None
    likeness: float


@dataclass(frozen=True, slots=True, eq=False)
class OverlapPlan:
    """The pairs that every way of drawing needs for an interval of kappa, and what they were reckoned from.

    `categories` are grades, highest first (1 and 0 where relevant or not is compared); `prevalence` and
    `shares` are in their order. `known` is None before two people have judged one pair.
    """

    source: Source
    categories: tuple[int, ...]
    relevant_from: int
    graded: bool
    half_width: float
    level: float
    chance: Chance
    prevalence: tuple[float, ...]
    kappa: float | None
    likeness: float
    topic_size: float
    shares: Floats
    planned: tuple[Planned, ...]
    known: Known | None
    candidates: Candidates
    pace: Pace
    seed: int
    assessors: int = 2

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
    chance: Chance = Chance.POOLED,
    relevant_from: int | None = None,
    graded: bool = False,
    kappa: float | None = None,
    prevalence: Sequence[float] | None = None,
    topic_likeness: float | None = None,
    assessors: int = 2,
    seed: int = 1,
) -> OverlapPlan:
    """Plan an overlap: by the table of the pairs that two people judged, if there are enough, or by guesses.

    A guessed `kappa` or `prevalence` (shares of the grades, highest first) stands before what was measured;
    what is not guessed is what the grades so far say. To every cell of a measured table 1 / grades is added:
    what has not happened yet is not held impossible. Where more than two `assessors` judge each pair, a kappa
    below 0 that nobody guessed counts as 0. Raises WorkbenchError for a line that cannot be, and InvalidInput
    for what cannot be asked for.
    """
    scale = campaign_of(db, campaign_id).scale
    values = tuple(sorted((grade.value for grade in scale.grades), reverse=True))
    line = scale.relevant_from if relevant_from is None else relevant_from
    if line not in values[:-1]:
        raise WorkbenchError(f"{line} cannot be the lowest relevant grade", remedy="choose one of the scale")
    categories = values if graded else (1, 0)
    candidates = candidates_of(db, campaign_id, line=None if graded else line)
    known = _known(db, campaign_id, values, line, graded)
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
    topic_size = mean_topic_size(candidates.topic_sizes) if candidates.pairs else 1.0
    if assessors > 2 and kappa is None and float(kappa_of_shares(shares, Chance.POOLED)) < 0:
        mean = (shares.sum(axis=0) + shares.sum(axis=1)) / 2
        shares = np.outer(mean, mean)
    expected = float(kappa_of_shares(shares, chance))
    return OverlapPlan(
        source=Source.MEASURED if measured else Source.GUESSED,
        categories=categories,
        relevant_from=line,
        graded=graded,
        half_width=half_width,
        level=level,
        chance=chance,
        prevalence=tuple(((shares.sum(axis=0) + shares.sum(axis=1)) / 2).tolist()),
        kappa=expected if np.isfinite(expected) else None,
        likeness=topic_likeness,
        topic_size=topic_size,
        shares=shares,
        planned=plans(
            shares,
            half_width=half_width,
            chance=chance,
            level=level,
            topic_size=topic_size,
            likeness=topic_likeness,
            assessors=assessors,
            seed=seed,
        ),
        known=known,
        candidates=candidates,
        pace=pace_of(db, campaign_id),
        seed=seed,
        assessors=assessors,
    )


def _known(
    db: Session, campaign_id: int, values: Sequence[int], relevant_from: int, graded: bool
) -> Known | None:
    try:
        found = enter(answers_in(db, campaign_id), values, relevant_from=relevant_from, graded=graded)
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
    kappa = float(kappa_of_shares(table / table.sum(), Chance.POOLED))
    return Known(
        pairs=len(found.pairs),
        topics=ratings.n_topics,
        table=table,
        kappa=kappa if np.isfinite(kappa) else None,
        likeness=likeness(tables),
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
