"""Overlaps drawn: the pairs go into a pool of their own, which further assessors are given to judge.

An overlap is drawn, with its seed, from the pairs that one person graded and nobody else has been given.
Drawn by the first label it follows Neyman's allocation, and results are reweighted to all pairs. Nobody gets
a pair that they have answered.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
from sqlalchemy import select, tuple_
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from workbench import __version__
from workbench.agreement.sample_influence import deviations_by_label
from workbench.agreement.sample_request import PlanRequest, Target
from workbench.agreement.sample_size import Draw, neyman_allocation
from workbench.errors import Conflict, Finding, InvalidInput, NotFound
from workbench.records import TieRule
from workbench.storage.chunks import chunks
from workbench.storage.tables import AssessorRow, CampaignRow, PoolEntryRow, PoolRow
from workbench.workflow.agreement.overlap import OverlapPlan, plan_overlap
from workbench.workflow.agreement.overlap_candidates import Candidate, Candidates, Pair, candidates_of
from workbench.workflow.judging.distribution import SEEDS, Distribution, distribute
from workbench.workflow.pools.listing import PoolReport, pool_report
from workbench.workflow.pools.making import manual_entry, write_entries
from workbench.workflow.pools.pool_rows import OVERLAP, checked_name

REASON = "drawn for a second judgment"


@dataclass(frozen=True, slots=True)
class DrawOrder:
    """What is to be drawn: so many pairs, for these assessors, by the allocation of a plan.

    At random every pair has the same chance; by label those of each first label are a stratum, with as many
    of each as the `plan` allocates; by topic whole topics are drawn until there are enough pairs. Without a
    `seed` one is drawn, and without a `name` the pool is named after both.
    """

    pairs: int
    assessor_ids: Sequence[int]
    draw: Draw = Draw.LABEL
    plan: PlanRequest = field(default_factory=PlanRequest)
    seed: int | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class DrawnOverlap:
    """The pool of an overlap, its pairs by first label (highest first), and the assignments made of it."""

    pool: PoolReport
    draw: Draw
    by_label: tuple[int, ...]
    topics: int
    assigned: int
    seed: int


def draw_overlap(
    db: Session, campaign_id: int, order: DrawOrder, *, created_by: int | None = None
) -> DrawnOverlap:
    """Draw pairs that one person has judged, and assign each to as many others as the plan has.

    Some pairs have more assessors where those chosen cannot be assigned more sparingly. Labels, inclusion
    probabilities, coefficient and seed are kept with the pool, which is opened at once. Raises InvalidInput
    for what cannot be drawn, NotFound for an assessor who has no account here, Conflict for a name that is
    taken.
    """
    assessor_ids = list(dict.fromkeys(order.assessor_ids))
    others = order.plan.others
    _require_able(db, campaign_id, assessor_ids, others)
    # Whoever draws at the same moment waits, and then draws of what is left; who judges does not wait.
    db.get_one(CampaignRow, campaign_id, with_for_update={"key_share": True})
    seed = secrets.randbelow(SEEDS) if order.seed is None else order.seed
    # A form that is sent twice has one seed, and so one name: the second finds it taken, whatever is left.
    name = checked_name(db, campaign_id, order.name.strip() or f"overlap by {order.draw}, seed {seed}")
    # Nothing is simulated here: whoever judges waits meanwhile, where the database has one writer.
    plan = plan_overlap(db, campaign_id, order.plan, rounds=0)
    relevant_from = None if plan.request.graded else plan.request.relevant_from
    candidates = candidates_of(
        db, campaign_id, relevant_from=relevant_from, second=assessor_ids, others=others
    )
    _require_pairs(order.pairs, candidates)
    chosen, chances = _drawn(candidates, plan, order, np.random.default_rng(seed))
    sources = _sources(db, campaign_id, {(one.topic, one.docno) for one in chosen})
    sizes = Counter(one.topic for one in chosen)
    now = datetime.now(UTC)
    row = PoolRow(
        campaign_id=campaign_id,
        name=name,
        recipe={
            "strategy": OVERLAP,
            "parameters": {"draw": str(order.draw), "pairs": str(len(chosen)), "seed": str(seed)}
            | _plan_parameters(plan.request),
            "ties": str(TieRule.TREC_EVAL),
            "supplementary": False,
            "runs": _runs(db, campaign_id, sources),
            "largest_possible": dict(sizes),
            "version": __version__,
            "relevant_from": relevant_from,
            "candidates": list(candidates.by_label),
        },
        pairs=len(chosen),
        largest_possible=len(chosen),
        created_by=created_by,
        created_at=now,
        opened_at=now,
    )
    _add_pool(db, row)
    marks = {"added_by": created_by, "added_at": now, "reason": REASON}
    entries = {}
    for one in chosen:
        pair = (one.topic, one.docno)
        known = sources.get(pair)
        values = manual_entry(pair) | marks if known is None else _as_pooled(known)
        drawn_as = {"inclusion": chances[one.label], "stratum": one.label + 1, "weight": None}
        entries[pair] = values | drawn_as
    write_entries(db, row.id, entries.values())
    assigned = _assign(db, row.id, chosen, assessor_ids, others=others, seed=seed)
    labels = Counter(one.label for one in chosen)
    return DrawnOverlap(
        pool_report(db, campaign_id, name),
        order.draw,
        tuple(labels[place] for place in range(len(candidates.by_label))),
        topics=len(sizes),
        assigned=assigned,
        seed=seed,
    )


def _add_pool(db: Session, row: PoolRow) -> None:
    db.add(row)
    try:
        db.flush()
    except IntegrityError:
        raise Conflict(
            f"a pool {row.name!r} was made at the same moment", remedy="load the page again"
        ) from None


def _assign(
    db: Session,
    pool_id: int,
    chosen: Sequence[Candidate],
    assessor_ids: Sequence[int],
    *,
    others: int,
    seed: int,
) -> int:
    """Assign every topic to as few of the assessors as give each pair its `others`; how many assignments."""
    given = []
    for topic in dict.fromkeys(one.topic for one in chosen):
        theirs = [one for one in chosen if one.topic == topic]
        given += [(topic, second) for second in _cover(theirs, assessor_ids, others)]
        # In turn, so that no assessor gets all topics.
        assessor_ids = [*assessor_ids[1:], *assessor_ids[:1]]
    return distribute(db, Distribution(pool_id, given, seed=seed))


def _plan_parameters(request: PlanRequest) -> dict[str, str]:
    """What a recipe keeps of the plan, where it differs from the usual."""
    kept: dict[str, str] = {}
    if request.assessors > 2:
        kept["assessors"] = str(request.assessors)
    if request.target != Target():
        kept |= {"coefficient": request.target.method, "weights": request.target.weights}
    if request.non_response:
        kept["missing"] = f"{request.non_response:g}"
    return kept


def kept_request(recipe: Mapping[str, Any]) -> PlanRequest:
    """What the recipe of an overlap's pool keeps of the plan for which it was drawn."""
    parameters = recipe["parameters"]
    return PlanRequest(
        target=Target(parameters.get("coefficient", "pooled"), parameters.get("weights", "nominal")),
        assessors=int(parameters.get("assessors", 2)),
        non_response=float(parameters.get("missing", 0)),
        relevant_from=recipe["relevant_from"],
        graded=recipe["relevant_from"] is None,
    )


def _drawn(
    candidates: Candidates, plan: OverlapPlan, order: DrawOrder, generator: np.random.Generator
) -> tuple[list[Candidate], dict[int, float]]:
    """The candidates that are drawn, in their order, and by label the inclusion probability."""
    sizes = candidates.by_label
    draw, pairs = order.draw, order.pairs
    if draw is Draw.TOPIC:
        ends = np.cumsum(candidates.topic_sizes)
        chosen: list[int] = []
        drawn = 0
        for topic in generator.permutation(len(ends)).tolist():
            if len(chosen) >= pairs:
                break
            chosen += range(ends[topic] - candidates.topic_sizes[topic], ends[topic])
            drawn += 1
        return candidates.chosen(chosen), dict.fromkeys(range(len(sizes)), drawn / len(ends))
    if draw is Draw.RANDOM:
        chosen = generator.permutation(candidates.pairs)[:pairs].tolist()
        chances = dict.fromkeys(range(len(sizes)), len(chosen) / candidates.pairs)
        return candidates.chosen(chosen), chances
    weighed = np.asarray(sizes) * deviations_by_label(plan.model, plan.request.target)
    allocation, labels = neyman_allocation(pairs, weighed, sizes), candidates.labels
    chosen = []
    for label, count in enumerate(allocation):
        own = np.flatnonzero(labels == label)
        chosen += own[generator.permutation(len(own))[:count]].tolist()
    return candidates.chosen(chosen), {
        label: count / size for label, (count, size) in enumerate(zip(allocation, sizes, strict=True)) if size
    }


def _cover(pairs: Sequence[Candidate], assessor_ids: Sequence[int], others: int) -> list[int]:
    """Few of the assessors such that every pair has so many who have not answered it, in their order."""
    left, chosen = dict.fromkeys(range(len(pairs)), others), list[int]()
    while left:
        free = [who for who in assessor_ids if who not in chosen]
        best = max(free, key=lambda who: sum(who in pairs[at].able for at in left))
        chosen.append(best)
        left = {at: more for at, n in left.items() if (more := n - (best in pairs[at].able))}
    return chosen


def _require_able(db: Session, campaign_id: int, assessor_ids: Sequence[int], others: int) -> None:
    if not assessor_ids:
        raise InvalidInput(
            [Finding("Sample", None, "assessor", "no assessor is selected", "select at least one")]
        )
    if len(assessor_ids) < others:
        message = f"every pair needs {others} more assessors, but {len(assessor_ids)} selected"
        raise InvalidInput([Finding("Sample", None, "assessor", message, f"select {others} or more")])
    able = select(AssessorRow.id).where(
        AssessorRow.campaign_id == campaign_id, AssessorRow.account_id.is_not(None)
    )
    if set(assessor_ids) - set(db.scalars(able)):
        raise NotFound(
            "an assessor without an account here cannot be assigned pairs", remedy="select another"
        )


def _require_pairs(pairs: int, candidates: Candidates) -> None:
    if not candidates.pairs:
        message = "no pair has exactly one judgment and is open to these assessors"
        remedy = "wait until more pairs are judged, or select other assessors"
        raise InvalidInput([Finding("Sample", None, "pairs", message, remedy)])
    if not 1 <= pairs <= candidates.pairs:
        message = f"{pairs:,} pairs cannot be drawn from {candidates.pairs:,}"
        raise InvalidInput([Finding("Sample", None, "pairs", message, f"give 1 to {candidates.pairs:,}")])


def _sources(db: Session, campaign_id: int, pairs: set[Pair]) -> dict[Pair, PoolEntryRow]:
    """The entry of each pair in the latest pool that has it."""
    opened = select(PoolRow.id).where(PoolRow.campaign_id == campaign_id, PoolRow.opened_at.is_not(None))
    pools, entry = list(db.scalars(opened)), PoolEntryRow
    found: dict[Pair, PoolEntryRow] = {}
    for some in chunks(sorted(pairs)):
        rows = select(entry).where(entry.pool_id.in_(pools), tuple_(entry.topic, entry.docno).in_(some))
        found |= {(row.topic, row.docno): row for row in db.scalars(rows.order_by(entry.pool_id))}
    return found


def _runs(db: Session, campaign_id: int, sources: Mapping[Pair, PoolEntryRow]) -> list[dict[str, str]]:
    """The runs that contributed the pairs to the pools they come from, with their hashes there."""
    recipes: dict[int, dict[str, Any]] = dict(
        db.execute(select(PoolRow.id, PoolRow.recipe).where(PoolRow.campaign_id == campaign_id)).all()
    )
    tags = {tag for row in sources.values() for tag, _ in row.brought_by}
    hashes: dict[str, str] = {}
    for number in sorted({row.pool_id for row in sources.values()}):
        hashes |= {run["tag"]: run["sha256"] for run in recipes[number]["runs"] if run["tag"] in tags}
    return [{"tag": tag, "sha256": hashes[tag]} for tag in sorted(hashes)]


def _as_pooled(row: PoolEntryRow) -> dict[str, Any]:
    """The values of an entry that follow its pair into another pool."""
    return {
        "topic": row.topic,
        "docno": row.docno,
        "brought_by": row.brought_by,
        "best_rank": row.best_rank,
        "run_count": row.run_count,
        "added_by": row.added_by,
        "added_at": row.added_at,
        "reason": row.reason,
    }
