"""Other runs: what a run is worth by qrels to which it did not contribute (the uniques test)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from operator import attrgetter

import numpy as np

from workbench.agreement.intervals import Interval
from workbench.agreement.jackknife import over_groups
from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.pooling.contributions import uniques
from workbench.pooling.pool import Pair, Pool
from workbench.records import places_of, sorted_ids
from workbench.scoring.relevance import Floats
from workbench.tables import Export, Table, result_export
from workbench.trust.alternatives import AlternativeQrels, TopicScores
from workbench.trust.orders import orders_of, tau_b

WHOLE = "whole"
"""The name of the qrels from which nothing is left out."""


@dataclass(frozen=True, slots=True, eq=False)
class PooledPairs:
    """What the pooled runs brought into the pool: `groups` by tag, of those that were pooled alone.

    `unique` are the pairs that one group alone brought, by its name, judged or not; the pool has `pairs`, of
    which `judged` are among the `graded` pairs of the qrels.
    """

    groups: Mapping[str, str]
    unique: Mapping[str, tuple[Pair, ...]]
    pairs: int
    judged: int
    graded: int


@frozen_dataclass
class LeftOutGroup:
    """A group without whose pairs the qrels are made: `unique` judged pairs of its own, `unique_relevant`.

    `tau` is Kendall's tau b of the rankings of all runs by the whole qrels and by those without the group;
    None where it is undefined.
    """

    group: str
    runs: int
    unique: int
    unique_relevant: int
    tau: float | None


@frozen_dataclass
class LeftOutRun:
    """A pooled run by the whole qrels and `without` the pairs that only its group brought.

    Its rank is among all runs, all of them scored by the same qrels; of a tie all have the best rank. What is
    `lost` is negative where it is gained; `share` is that of the whole score, None of a score of 0.
    """

    run: str
    group: str
    score: float
    without: float
    rank: int
    rank_without: int
    lost: float
    share: float | None
    ranks_lost: int


@frozen_dataclass
class ExpectedLoss:
    """What a run loses of its score, as a share, where its group did not contribute.

    The mean over `runs` with its interval over the `groups`, what nine runs in ten do not exceed, and the
    largest.
    """

    runs: int
    groups: int
    mean: float
    interval: Interval
    nine_in_ten: float
    largest: float
    largest_of: str


@frozen_dataclass
class LateStanding:
    """A run that was not pooled, by the whole qrels, and where it would stand if it had been.

    The ranks are of the score that becomes its own by losing the mean of what others lose, and what nine in
    ten of them do not exceed.
    """

    run: str
    score: float
    rank: int
    rank_at_mean: int | None
    rank_at_nine_in_ten: int | None


@frozen_dataclass
class OtherRuns:
    """The uniques test of a collection; groups sorted by their unique relevant pairs, runs by rank.

    `expected` is None where no pooled run has a score above 0.
    """

    measure: str
    topics: int
    runs: int
    pool: int
    pool_judged: int
    graded: int
    groups: tuple[LeftOutGroup, ...]
    pooled: tuple[LeftOutRun, ...]
    expected: ExpectedLoss | None
    late: tuple[LateStanding, ...]

    def tied(self, rank: int) -> bool:
        """Whether several of the runs share a rank by the whole qrels."""
        return [*(one.rank for one in self.pooled), *(one.rank for one in self.late)].count(rank) > 1


def pooled_pairs(pool: Pool, qrels: AlternativeQrels, groups: Mapping[str, str]) -> PooledPairs:
    """What the runs brought into a pool, and what one group brought alone.

    A run that has no group in `groups`, by tag, is one of its own.
    """
    of_tag = {tag: groups.get(tag, tag) for tag in pool.tags}
    return PooledPairs(
        groups=of_tag,
        unique=uniques(pool, of_tag),
        pairs=len(pool.entries),
        judged=len(pool.pairs & qrels.grades.keys()),
        graded=len(qrels.grades),
    )


def qrels_without(qrels: AlternativeQrels, pooled: PooledPairs) -> list[AlternativeQrels]:
    """The whole qrels, then for each group those without the pairs, relevant or not, that it alone brought.

    Pairs that no pooled run brought stay. Raises WorkbenchError where a group brought all there is.
    """
    found = [replace(qrels, name=WHOLE)]
    for group, unique in pooled.unique.items():
        grades = dict(qrels.grades)
        for pair in unique:
            grades.pop(pair, None)
        if not grades:
            raise WorkbenchError(
                f'without what only "{group}" contributed, no judged pair is left',
                remedy="give the other runs that were pooled, or correct the depth",
            )
        found.append(replace(qrels, name=_without(group), grades=grades))
    return found


def other_runs(scores: TopicScores, qrels: AlternativeQrels, pooled: PooledPairs) -> OtherRuns:
    """The uniques test from the scores under `qrels_without`; all runs have scores, pooled or not.

    Means are over the topics of the whole qrels; a topic of which nothing is left counts as 0. Source:
    Zobel 1998 (a run left out); Voorhees 2001 (a group, with all that only it brought), gloo-eval.pl of NIST.
    """
    means = scores.values.mean(axis=1)
    orders = orders_of(means)
    place = places_of(scores.qrels)
    groups = []
    for group in pooled.unique:
        at = place[_without(group)]
        tau = float(tau_b(orders.part(slice(0, 1)), orders.part(slice(at, at + 1)))[0])
        judged = [qrels.grades[pair] for pair in pooled.unique[group] if pair in qrels.grades]
        groups.append(
            LeftOutGroup(
                group=group,
                runs=sum(of_run == group for of_run in pooled.groups.values()),
                unique=len(judged),
                unique_relevant=sum(grade >= qrels.relevant_from for grade in judged),
                tau=None if np.isnan(tau) else tau,
            )
        )
    found: list[LeftOutRun] = []
    late: list[tuple[str, int]] = []
    for at, run in enumerate(scores.runs):
        if run not in pooled.groups:
            late.append((run, at))
            continue
        group = pooled.groups[run]
        without = place[_without(group)]
        ranks = orders.ranks[[0, without], at].tolist()
        found.append(left_out_run(run, group, *means[[0, without], at].tolist(), *ranks))
    expected = expected_loss(found)
    of_late = [_late(run, means[0], at, expected) for run, at in late]
    return OtherRuns(
        measure=scores.measure,
        topics=len(scores.topics),
        runs=len(scores.runs),
        pool=pooled.pairs,
        pool_judged=pooled.judged,
        graded=pooled.graded,
        groups=tuple(sorted(groups, key=lambda one: (-one.unique_relevant, -one.unique, one.group))),
        pooled=tuple(sorted(found, key=attrgetter("rank", "run"))),
        expected=expected,
        late=tuple(sorted(of_late, key=attrgetter("rank", "run"))),
    )


def left_out_run(
    run: str, group: str, score: float, without: float, rank: int, rank_without: int
) -> LeftOutRun:
    """A run with its score and rank by the whole qrels and without its group, and what it loses."""
    lost = score - without
    share = lost / score if score else None
    return LeftOutRun(run, group, score, without, rank, rank_without, lost, share, rank_without - rank)


def expected_loss(runs: Sequence[LeftOutRun]) -> ExpectedLoss | None:
    """The mean and the largest share of the score that runs lose; None where no run has a score above 0."""
    known = [(one, one.share) for one in runs if one.share is not None]
    if not known:
        return None
    names = sorted_ids({one.group for one, _ in known})
    unit = "group" if len(names) < len(known) else "run"
    values = np.array([share for _, share in known])
    largest, largest_share = max(known, key=lambda pair: pair[1])
    return ExpectedLoss(
        runs=len(known),
        groups=len(names),
        mean=float(values.mean()),
        interval=over_groups(values, [names.index(one.group) for one, _ in known], unit=unit),
        nine_in_ten=float(np.quantile(values, 0.9)),
        largest=largest_share,
        largest_of=largest.run,
    )


def _without(group: str) -> str:
    """The name of the qrels without a group; no group can be called as the whole qrels are."""
    return f"without {group}"


def _late(run: str, means: Floats, at: int, expected: ExpectedLoss | None) -> LateStanding:
    others = np.delete(means, at)
    score = float(means[at])

    def rank(lost: float) -> int:
        # What is left of the whole after losing this share is the score that the run has now.
        return 1 + int((others > score / (1 - lost)).sum()) if lost < 1 else 1

    if expected is None:
        return LateStanding(run, score, rank(0.0), None, None)
    return LateStanding(run, score, rank(0.0), rank(expected.mean), rank(expected.nine_in_ten))


def runs_export(found: OtherRuns, part: str) -> Export:
    """One table of the test for CSV, and all of it for JSON."""
    return result_export(found, PARTS[part](found), asdict)


def _groups(found: OtherRuns) -> Table:
    """Each group: what it alone brought."""
    columns = ("group", "runs", "unique_judged", "unique_relevant", "tau_b")
    return columns, list(map(astuple, found.groups))


def _pooled(found: OtherRuns) -> Table:
    """Each pooled run: with and without what its group alone brought."""
    columns = ("run", "group", "score", "without", "lost", "share", "rank", "rank_without", "ranks_lost")
    return columns, list(map(attrgetter(*columns), found.pooled))


def _late_runs(found: OtherRuns) -> Table:
    """Each run that was not pooled: where it stands, and would stand."""
    columns = ("run", "score", "rank", "rank_at_mean", "rank_at_nine_in_ten")
    return columns, list(map(astuple, found.late))


PARTS: dict[str, Callable[[OtherRuns], Table]] = {"runs": _pooled, "groups": _groups, "late": _late_runs}
"""The tables by name: columns and rows."""
