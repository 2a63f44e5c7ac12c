"""The sums of one topic that the agreement of a whole campaign is made of, for campaigns of any size.

Coefficients follow from sums over pairs. Taken topic by topic, each with the few assessors that it has, they
need no table of all assessors by all pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.contingency import MISSING
from workbench.agreement.ratings import Ratings, pair_tables
from workbench.agreement.tally import Tally, tally
from workbench.agreement.weights import Weights

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class TopicSums:
    """The sums of a topic: its tally without assessors, as a single group; `graded` are who gave grades.

    `tables` are those of every two assessors over the pairs that both judged, by their numbers, the lower
    first; `shared` counts the grades that each gave to pairs that somebody else graded, too.
    """

    tally: Tally
    graded: frozenset[int]
    tables: Mapping[tuple[int, int], NDArray[np.int64]]
    shared: Mapping[int, int]


def topic_sums(
    places: Numbers, assessors: Numbers, codes: Numbers, *, categories: tuple[int, ...], weights: Weights
) -> TopicSums:
    """The sums of grades: `codes[i]` is the place among the categories of what `assessors[i]` gave to pair
    `places[i]`. Pairs that one alone judged count towards the expected agreement."""
    who, rows = np.unique(assessors, return_inverse=True)
    pairs, columns = np.unique(places, return_inverse=True)
    matrix = np.full((len(who), len(pairs)), MISSING, np.int8)
    matrix[rows, columns] = codes
    ratings = Ratings(matrix, categories, np.zeros(len(pairs), np.int64), 1)
    counts = tally(ratings, weights, by_assessor=False)
    both = pair_tables(ratings)
    names = who.tolist()
    tables = {
        (one, other): both[first, second]
        for first, one in enumerate(names)
        for second, other in enumerate(names)
        if first < second and both[first, second].any()
    }
    several = np.bincount(columns, minlength=len(pairs)) >= 2
    shared = np.bincount(rows[several[columns]], minlength=len(who)).tolist()
    return TopicSums(counts, frozenset(names), tables, dict(zip(names, shared, strict=True)))


def by_topic(several: Sequence[TopicSums]) -> Tally:
    """The sums of several topics, a group for each."""
    parts = [one.tally for one in several]
    return Tally(*(np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(Tally)))
