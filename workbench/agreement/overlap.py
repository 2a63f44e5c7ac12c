"""Voorhees' overlap: of what any assessor called relevant for a topic, how much all of them did."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import fsum

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.several.ratings import Ratings
from workbench.agreement.table import MISSING


@dataclass(frozen=True, slots=True)
class Overlap:
    """The overlap of some assessors' relevant sets: by topic, and its mean over topics that have one.

    `by_topic` is None where nobody called anything relevant; `empty` counts these topics, and `mean` is None
    where all are such. `together` is the overlap of all topics taken as one set.
    """

    assessors: tuple[int, ...]
    by_topic: tuple[float | None, ...]
    mean: float | None
    together: float | None
    empty: int


def overlap(binary: Ratings, assessors: tuple[int, ...]) -> Overlap:
    """The overlap of two or more assessors (by number) on the pairs that all of them judged.

    `binary` has the categories 1 and 0. A pair that one of them has not judged is no disagreement and is left
    out. Source: Voorhees 1998, 2000; two of three assessors' sets there, mean over topics.
    """
    return _overlap(binary, *_sets(binary), assessors)


def overlaps(binary: Ratings, size: int = 2) -> tuple[Overlap, ...]:
    """The overlaps of every `size` assessors, 2 or 3 as in Voorhees 2000."""
    sets = _sets(binary)
    return tuple(_overlap(binary, *sets, chosen) for chosen in combinations(range(binary.n_assessors), size))


def _sets(binary: Ratings) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    return binary.codes != MISSING, binary.codes == binary.categories.index(1)


def _overlap(
    binary: Ratings, judged: NDArray[np.bool_], relevant: NDArray[np.bool_], assessors: tuple[int, ...]
) -> Overlap:
    by_all, by_any, seen = relevant[assessors[0]], relevant[assessors[0]], judged[assessors[0]]
    for one in assessors[1:]:
        by_all, by_any, seen = by_all & relevant[one], by_any | relevant[one], seen & judged[one]
    all_of = np.bincount(binary.topics[by_all], minlength=binary.n_topics).tolist()
    any_of = np.bincount(binary.topics[by_any & seen], minlength=binary.n_topics).tolist()
    by_topic = tuple(both / union if union else None for both, union in zip(all_of, any_of, strict=True))
    there = [share for share in by_topic if share is not None]
    return Overlap(
        assessors=assessors,
        by_topic=by_topic,
        mean=fsum(there) / len(there) if there else None,
        together=sum(all_of) / sum(any_of) if sum(any_of) else None,
        empty=len(by_topic) - len(there),
    )
