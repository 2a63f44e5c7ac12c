"""What is drawn at random to compare every two runs, kept in the database: a minute's work of 1,000 runs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

from workbench.scoring.pairs_of_runs import Ranges, random_ranges
from workbench.scoring.relevance import Floats
from workbench.workflow.kept_results import KeptResults


@dataclass(frozen=True, slots=True, eq=False)
class _RandomRanges:
    """The largest difference of means in each round; shape (rounds,)."""

    values: Floats


_KEPT = KeptResults(_RandomRanges, "formats", "scoring", "workflow/scores/kept_ranges.py")


def kept_ranges(db: Session, campaign_id: int) -> Ranges:
    """What is drawn at random for a campaign's runs, once for all processes."""

    def ranges(scores: Floats, /, *, rounds: int, seed: int) -> Floats:
        def draw() -> _RandomRanges:
            return _RandomRanges(random_ranges(scores, rounds=rounds, seed=seed))

        return _KEPT.get(db, campaign_id, (scores_hash(scores), rounds, seed), draw).values

    return ranges


def scores_hash(scores: Floats) -> str:
    """A hash of scores, the same in every process."""
    return hashlib.sha256(np.ascontiguousarray(scores).tobytes() + repr(scores.shape).encode()).hexdigest()
