"""A deeper pool, holes and fewer topics for a campaign, each computed by itself from current judgments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from sqlalchemy.orm import Session

from workbench.consensus.rules import RuleChoice
from workbench.errors import WorkbenchError
from workbench.scoring.measures import at_threshold
from workbench.trust.alternatives import one_measure, ranking_measure, score_under
from workbench.trust.depth import Deepening, DeeperPool, deeper_pool, pool_by_rank
from workbench.trust.fewer_topics import FewerTopics, fewer_topics
from workbench.trust.holes import NO_SAMPLE, Holes, holes
from workbench.workflow.jobs import Steps, quietly
from workbench.workflow.pools.analysis import depth_of
from workbench.workflow.pools.listing import PoolLine, pools_of
from workbench.workflow.runs.packed_store import tops_of
from workbench.workflow.trust.estimable import Estimable, estimable, sampled_pool
from workbench.workflow.trust.ranked_runs import RankedRuns, ranked_runs

DEEPER = 2
"""Twice the depth is a fair distance for an extrapolation (`workbench.trust.depth`)."""
_FEWEST_RANKS = 2


def campaign_depth(
    db: Session, campaign_id: int, *, choice: RuleChoice, steps: Steps = quietly
) -> DeeperPool:
    """What a pool of twice the depth would find, of the runs of the deepest opened depth pools.

    Raises WorkbenchError where there is no such pool, where too few ranks have a relevant document, and as
    `ranked_runs` does.
    """
    found = ranked_runs(db, campaign_id, choice)
    pools = deepest_pools([line for line in pools_of(db, campaign_id) if not line.draft])
    if not pools:
        raise WorkbenchError(
            "no opened pool is a depth pool with one depth of 2 or more",
            remedy="open a depth pool: only its depth can be extrapolated",
        )
    depth, ties = depth_of(pools[0]), pools[0].ties
    current = {run.tag: run.sha256 for run in found.runs}
    tags = sorted({tag for line in pools for tag in line.tags} & current.keys())
    question = Deepening(depth, DEEPER * depth)
    # They are read together some at a time, and told one by one.
    runs = tops_of(db, campaign_id, tags, depth=question.deeper, ties=ties)
    counts = pool_by_rank(
        (run for _, run in zip(steps(tags, "Runs read"), runs, strict=True)),
        found.qrels.qrels,
        deepest=question.deeper,
        relevant_from=found.qrels.relevant_from,
    )
    return deeper_pool(counts, question)


def deepest_pools(pools: Sequence[PoolLine]) -> list[PoolLine]:
    """Those of the pools that go to the largest depth; none where no pool is by depth, or only by rank 1."""
    depths = {line.id: depth_of(line) for line in pools if line.strategy == "depth"}
    largest = max(depths.values(), default=0)
    return [line for line in pools if depths.get(line.id) == largest] if largest >= _FEWEST_RANKS else []


def campaign_holes(
    db: Session, campaign_id: int, *, choice: RuleChoice, measure: str, steps: Steps = quietly
) -> Holes:
    """What unjudged documents leave open of every run; with estimates where `campaign_sample` allows them.

    Raises WorkbenchError as `ranked_runs` does.
    """
    chosen, found = one_measure(measure), ranked_runs(db, campaign_id, choice)
    asked = at_threshold(chosen, found.qrels.relevant_from)
    one = _estimable(db, found)
    sample = NO_SAMPLE if one is None else sampled_pool(db, one, found)
    runs = found.arrays(db, steps, "Runs looked at")
    return holes(found.qrels.qrels, runs, [asked], highest=found.highest, sample=sample)


def campaign_sample(db: Session, campaign_id: int, *, choice: RuleChoice) -> Estimable:
    """The sample from which `campaign_holes` estimates scores.

    Raises WorkbenchError with the reason where it estimates none, and as `ranked_runs` does.
    """
    return estimable(db, campaign_id, ranked_runs(db, campaign_id, choice))


def _estimable(db: Session, found: RankedRuns) -> Estimable | None:
    try:
        return estimable(db, found.campaign_id, found)
    except WorkbenchError:
        return None


def campaign_topics(
    db: Session, campaign_id: int, *, choice: RuleChoice, measure: str, steps: Steps = quietly
) -> FewerTopics:
    """What fewer topics show of the ranking; raises WorkbenchError as `ranked_runs` and `fewer_topics` do."""
    chosen, found = ranking_measure(measure), ranked_runs(db, campaign_id, choice)
    scores = score_under([found.reference], found.arrays(db, steps, "Runs scored"), chosen)
    return fewer_topics(scores.values[0], progress=partial(steps, label="Numbers of topics split"))
