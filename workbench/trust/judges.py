"""Other judges: would the runs stand in the same order under other assessors' qrels, and as surely apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, astuple
from itertools import combinations
from operator import attrgetter

import numpy as np

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.tables import Export, Row, Table, result_export
from workbench.trust.alternatives import TopicScores
from workbench.trust.assessors import (
    AT_ONCE,
    MixedQrels,
    MixedRankings,
    PairOfRuns,
    draw,
    mixed_rankings,
    mixed_scores,
)
from workbench.trust.orders import (
    Orders,
    Percentiles,
    RankingOptions,
    ReferenceRanking,
    changed_pairs,
    means_of,
    orders_of,
    percentiles_of,
    rank_coefficients,
)

Progress = Callable[[Sequence[range]], Iterable[range]]
"""Passes on parts of the work one by one, and may show how far it is."""
EQUAL, DIFFERENT = 0.9, 0.8


@frozen_dataclass
class OtherQrels:
    """The ranking of the runs under other qrels beside that of the reference, on the `topics` of both.

    `coefficients` are by name, None where undefined. `swapped` counts pairs of runs that change places and
    `tied` those tied under these qrels. Of the `significant` differences of the reference on these topics
    `lost` are not significant here and `inverted` are so the other way round; `gained` are significant only
    here. On `without_relevant` of the topics every run scores 0. These qrels grade `graded` pairs.
    """

    name: str
    graded: int
    topics: int
    without_relevant: int
    coefficients: Mapping[str, float | None]
    swapped: int
    tied: int
    significant: int
    lost: int
    inverted: int
    gained: int


@frozen_dataclass
class Standing:
    """A run under the reference, and over the mixtures: 95 % of its scores and all of its ranks.

    `scores` are by the name of other qrels, each over the topics that these qrels have.
    """

    run: str
    score: float
    rank: int
    mixed: Percentiles
    best: int | None
    worst: int | None
    scores: Mapping[str, float]


@frozen_dataclass
class BetweenQrels:
    """The coefficients of the rankings under two qrels on the `topics` that both have."""

    first: str
    second: str
    topics: int
    coefficients: Mapping[str, float | None]


@frozen_dataclass
class OtherJudges:
    """How much the ranking of runs depends on who judged; `mixtures` is None of fewer than two assessors.

    `significant` of the pairs of runs are so under the reference, and `tied` are tied there; all qrels
    together grade `graded_pairs`. `pairs` are the runs that any mixture swaps or makes less sure, the most
    often swapped first, then in the order of their gaps; `standings` are the runs by rank.
    """

    measure: str
    options: RankingOptions
    topics: int
    graded_pairs: int
    assessors: tuple[str, ...]
    significant: int
    tied: int
    others: tuple[OtherQrels, ...]
    between: tuple[BetweenQrels, ...]
    mixtures: MixedQrels | None
    pairs: tuple[PairOfRuns, ...]
    standings: tuple[Standing, ...]

    @property
    def runs(self) -> int:
        """How many runs are ranked."""
        return len(self.standings)

    @property
    def run_pairs(self) -> int:
        """How many pairs of runs there are."""
        return self.runs * (self.runs - 1) // 2

    @property
    def two_alone(self) -> BetweenQrels | None:
        """The two assessors, one against the other, where there are no more: the plainest comparison."""
        if len(self.assessors) != 2:
            return None
        two = set(self.assessors)
        return next((one for one in self.between if {one.first, one.second} == two), None)

    @property
    def ties(self) -> bool:
        """Whether any of the qrels, or any mixture, ties two runs."""
        mixed = self.mixtures is not None and bool(self.mixtures.tied.mean)
        return mixed or self.tied > 0 or any(one.tied for one in self.others)


def other_judges(
    scores: TopicScores, assessors: Sequence[str], options: RankingOptions, progress: Progress = iter
) -> OtherJudges:
    """Compare the rankings under all qrels of `scores`, and under mixtures of the `assessors` among them.

    Mixtures are compared on the topics that any assessor judged. Raises WorkbenchError for fewer than two
    runs, and where the reference or an assessor is not among the qrels.
    """
    if len(scores.runs) < 2:
        raise WorkbenchError("a ranking needs two runs", remedy="give at least two")
    for name in (options.reference, *assessors):
        if name not in scores.qrels:
            raise WorkbenchError(
                f'there are no qrels called "{name}"', remedy=f"choose from {', '.join(scores.qrels)}"
            )
    reference = scores.qrels.index(options.reference)
    judged = [scores.covered[scores.qrels.index(name)] for name in assessors]
    one = ReferenceRanking(scores, reference, options, np.logical_or.reduce(judged) if judged else None)
    others = [place for place in range(len(scores.qrels)) if place != reference]
    mixed = _mixed(scores, assessors, one, progress) if len(assessors) > 1 else None
    return OtherJudges(
        measure=scores.measure,
        options=options,
        topics=one.tests.topics,
        graded_pairs=scores.pairs,
        assessors=tuple(assessors),
        significant=int(np.abs(one.significant).sum()),
        tied=int(one.orders.tied[0]),
        others=tuple(_other(scores, reference, place, options) for place in others),
        between=tuple(_between(scores, options)),
        mixtures=mixed.summary if mixed else None,
        pairs=mixed.pairs if mixed else (),
        standings=_standings(scores, one, mixed, others),
    )


def verdict(tau: float | None) -> str:
    """Kendall's tau in words: from .9 on rankings count as equivalent, below .8 as noticeably different.

    Source: Voorhees 2001.
    """
    if tau is None:
        return "undefined"
    return "equivalent" if tau >= EQUAL else "similar" if tau >= DIFFERENT else "different"


def verdict_between(low: float | None, high: float | None) -> str:
    """The same of an interval, which must lie on one side; "uncertain" where it does not."""
    if low is None or high is None:
        return "undefined"
    return verdict(low) if verdict(low) == verdict(high) else "uncertain"


def _other(scores: TopicScores, reference: int, place: int, options: RankingOptions) -> OtherQrels:
    one = ReferenceRanking(scores, reference, options, scores.covered[place])
    values = scores.values[place][one.topics][np.newaxis]
    orders, significant = orders_of(means_of(values)), one.tests.significant(values)
    changed = changed_pairs(one, orders, significant)
    return OtherQrels(
        name=scores.qrels[place],
        graded=scores.graded[place],
        topics=int(one.topics.sum()),
        without_relevant=int((~values.any(axis=(0, 2))).sum()),
        coefficients=_coefficients(one.orders, orders, options),
        tied=int(orders.tied[0]),
        significant=int(np.abs(one.significant).sum()),
        **{name: int(marks.sum()) for name, marks in changed.items()},
    )


def _coefficients(one: Orders, other: Orders, options: RankingOptions) -> dict[str, float | None]:
    return {
        each.name: None if np.isnan(value := float(each.compute(one, other)[0])) else value
        for each in rank_coefficients(options.persistence)
    }


def _between(scores: TopicScores, options: RankingOptions) -> Iterable[BetweenQrels]:
    for first, second in combinations(range(len(scores.qrels)), 2):
        both = scores.covered[first] & scores.covered[second]
        one, other = (orders_of(means_of(scores.values[at][both][np.newaxis])) for at in (first, second))
        yield BetweenQrels(
            scores.qrels[first], scores.qrels[second], int(both.sum()), _coefficients(one, other, options)
        )


def _mixed(
    scores: TopicScores, assessors: Sequence[str], one: ReferenceRanking, progress: Progress
) -> MixedRankings:
    count = one.options.mixtures
    drawn = draw(scores, assessors, count=count, seed=one.options.seed)
    drawn[:, ~one.topics] = -1
    parts = [range(begin, min(begin + AT_ONCE, count)) for begin in range(0, count, AT_ONCE)]
    return mixed_rankings(
        one, scores.runs, (mixed_scores(scores, drawn[part.start : part.stop]) for part in progress(parts))
    )


def _standings(
    scores: TopicScores, one: ReferenceRanking, mixed: MixedRankings | None, others: Sequence[int]
) -> tuple[Standing, ...]:
    means, ranks = one.orders.means[0], one.orders.ranks[0]
    under = {
        scores.qrels[place]: means_of(scores.values[place][scores.covered[place]][np.newaxis])[0]
        for place in others
    }
    found = [
        Standing(
            run=run,
            score=float(means[at]),
            rank=int(ranks[at]),
            mixed=percentiles_of(mixed.means[:, at] if mixed else np.zeros(0)),
            best=int(mixed.ranks[:, at].min()) if mixed else None,
            worst=int(mixed.ranks[:, at].max()) if mixed else None,
            scores={name: float(values[at]) for name, values in under.items()},
        )
        for at, run in enumerate(scores.runs)
    ]
    return tuple(sorted(found, key=attrgetter("rank", "run")))


COEFFICIENTS = tuple(each.name for each in rank_coefficients())
MIXTURES_ROW, AMONG_ROW = "mixtures", "two mixtures"
_COUNTS = ("swapped", "tied", "lost", "inverted", "gained")
_FIGURES = (*COEFFICIENTS, *_COUNTS)


def judges_export(found: OtherJudges, part: str) -> Export:
    """One table of the comparison for CSV, and all of it for JSON."""
    return result_export(found, PARTS[part](found), asdict)


def _qrels(found: OtherJudges) -> Table:
    """Each of the other qrels, then the mixtures with the reference and with each other."""
    bounds = [f"{name}_{bound}" for name in _FIGURES for bound in ("low", "high")]
    rows: list[Row] = []
    for one in found.others:
        by_name = {**asdict(one), **one.coefficients}
        rows.append(
            [one.name, 1, one.topics, one.graded, *map(by_name.get, _FIGURES), *(None for _ in bounds)]
        )
    if found.mixtures is not None:
        of_mixtures = asdict(found.mixtures)
        for name, by_name in (
            (MIXTURES_ROW, of_mixtures | of_mixtures["coefficients"]),
            (AMONG_ROW, of_mixtures["among"]),
        ):
            every = [by_name.get(figure, {}) for figure in _FIGURES]
            ends = [one.get(bound) for one in every for bound in ("low", "high")]
            rows.append([name, every[0]["n"], found.topics, None, *(one.get("mean") for one in every), *ends])
    return ("qrels", "n", "topics", "graded", *_FIGURES, *bounds), rows


def _runs(found: OtherJudges) -> Table:
    """Every run: under the reference, over the mixtures, under each of the other qrels."""
    names = [one.name for one in found.others]
    columns = ("run", "rank", "score", "mixtures", "mean", "low", "high", "best_rank", "worst_rank", *names)
    figures = attrgetter(
        "run", "rank", "score", "mixed.n", "mixed.mean", "mixed.low", "mixed.high", "best", "worst"
    )
    return columns, [(*figures(one), *map(one.scores.get, names)) for one in found.standings]


def _pairs(found: OtherJudges) -> Table:
    """The pairs of runs that mixtures change, with the shares of the mixtures."""
    columns = ("ahead", "behind", "gap", "significant", "swapped", "lost", "inverted")
    return columns, [
        [name, behind, gap, "yes" if significant else "no", *shares]
        for name, behind, gap, significant, *shares in map(astuple, found.pairs)
    ]


def _between_qrels(found: OtherJudges) -> Table:
    """The coefficients between every two qrels."""
    return ("first", "second", "topics", *COEFFICIENTS), [
        (one.first, one.second, one.topics, *map(one.coefficients.get, COEFFICIENTS)) for one in found.between
    ]


PARTS: dict[str, Callable[[OtherJudges], Table]] = {
    "qrels": _qrels,
    "runs": _runs,
    "pairs": _pairs,
    "between": _between_qrels,
}
"""The tables by name: columns and rows."""
