"""A sampled pool and its grades as the columns that the estimators of average precision read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from workbench.pooling.pool import Pair, Pool
from workbench.records import id_bytes, sorted_pairs

UNSAMPLED = "-1"


@dataclass(frozen=True, slots=True)
class StratumSize:
    """How many documents of a topic lie in a stratum, and how many of them were drawn."""

    topic: str
    stratum: int
    size: int
    drawn: int


def stratum_sizes(pool: Pool) -> tuple[StratumSize, ...]:
    """The strata of a sampled pool, topic by topic (bytes); empty for a pool that was not sampled."""
    sizes = Counter((topic, number) for (topic, _), number in pool.strata.items())
    drawn = Counter((topic, pool.strata[topic, docno]) for topic, docno in pool.inclusion)
    places = sorted(sizes, key=lambda place: (id_bytes(place[0]), place[1]))
    return tuple(StratumSize(*place, sizes[place], drawn[place]) for place in places)


def xinfap_rows(pool: Pool, grades: Mapping[Pair, int]) -> Iterator[tuple[str, ...]]:
    """The fields `topic 0 docno stratum grade` of all that could be drawn, for xinfAP and infNDCG.

    Grade -1 is what was not drawn, and what was drawn but is not in `grades`: the estimator may count as
    sampled only what has a grade. Rows are sorted by topic and docno (bytes).
    Source: NIST's sample_eval.pl (Yilmaz, Kanoulas and Aslam 2008).
    """
    for topic, docno in sorted_pairs(pool.strata):
        yield topic, "0", docno, str(pool.strata[topic, docno]), _grade(pool, grades, (topic, docno))


def infap_rows(pool: Pool, grades: Mapping[Pair, int]) -> Iterator[tuple[str, ...]]:
    """The fields `topic 0 docno grade` of all that could be drawn, for trec_eval's infAP; -1 as above.

    infAP has no strata: it is for a sample that is equally likely throughout.
    Source: trec_eval m_infap.c (Yilmaz and Aslam 2006).
    """
    for topic, docno in sorted_pairs(pool.strata):
        yield topic, "0", docno, _grade(pool, grades, (topic, docno))


def statap_rows(pool: Pool, grades: Mapping[Pair, int]) -> Iterator[tuple[str, ...]]:
    """The fields `topic docno grade method probability` of what was drawn and has a grade, for statAP.

    The method, which the estimator does not read, is always 1.
    Source: Aslam and Pavlu 2007.
    """
    for pair in sorted_pairs(pool.inclusion):
        if pair in grades:
            yield *pair, _grade(pool, grades, pair), "1", repr(pool.inclusion[pair])


def _grade(pool: Pool, grades: Mapping[Pair, int], pair: Pair) -> str:
    return str(grades[pair]) if pair in pool.inclusion and pair in grades else UNSAMPLED
