"""Overlaps drawn: the pairs go into a pool of their own, which further assessors are given to judge."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from workbench import __version__
from workbench.agreement.sample_influence import deviations_by_label
from workbench.agreement.sample_request import Target
from workbench.agreement.sample_size import Draw, neyman_allocation
from workbench.errors import Conflict, Finding, InvalidInput, NotFound
from workbench.records import TieRule, id_bytes
from workbench.storage.tables import AssessorRow, CampaignRow, PoolEntryRow, PoolRow
from workbench.workflow.agreement.overlap import (
    Candidate,
    Candidates,
    OverlapPlan,
    Pair,
    candidates_of,
    plan_overlap,
)
from workbench.workflow.judging.assignments import SEEDS, assign
from workbench.workflow.pools.listing import PoolReport, pool_report
from workbench.workflow.pools.making import manual_entry, write_entries
from workbench.workflow.pools.pool_rows import checked_name


def sources_of(db: Session, campaign_id: int, pairs: set[Pair]) -> dict[Pair, PoolEntryRow]:
    """The entry of each pair in the latest pool that has it."""
    rows = db.scalars(
        select(PoolEntryRow)
        .join(PoolRow)
        .where(PoolRow.campaign_id == campaign_id, PoolRow.opened_at.is_not(None))
        .order_by(PoolEntryRow.pool_id)
    )
    return {(row.topic, row.docno): row for row in rows if (row.topic, row.docno) in pairs}


def runs_of(db: Session, campaign_id: int, sources: Mapping[Pair, PoolEntryRow]) -> list[dict[str, str]]:
    """The runs that brought the pairs to the pools they come from, with their hashes there."""
    recipes: dict[int, dict[str, Any]] = dict(
        db.execute(select(PoolRow.id, PoolRow.recipe).where(PoolRow.campaign_id == campaign_id)).all()
    )
    tags = {tag for row in sources.values() for tag, _ in row.brought_by}
    hashes: dict[str, str] = {}
    for number in sorted({row.pool_id for row in sources.values()}):
        hashes |= {run["tag"]: run["sha256"] for run in recipes[number]["runs"] if run["tag"] in tags}
    return [{"tag": tag, "sha256": hashes[tag]} for tag in sorted(hashes)]


def as_pooled(row: PoolEntryRow) -> dict[str, Any]:
    """The values of an entry that go with its pair into another pool."""
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


STRATEGY = "overlap"
REASON = "drawn for a second judgment"


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
    db: Session,
    campaign_id: int,
    *,
    pairs: int,
    draw: Draw,
    assessor_ids: Sequence[int],
    relevant_from: int | None = None,
    graded: bool = False,
    assessors: int = 2,
    aim: Target | None = None,
    missing: float = 0.0,
    kappa: float | None = None,
    prevalence: Sequence[float] | None = None,
    seed: int | None = None,
    name: str = "",
    created_by: int | None = None,
) -> DrawnOverlap:
    """Draw so many pairs of those that one person has judged, and give each to a second assessor, or to more.

    So many `assessors` judge each pair in the end, the first one among them; some pairs have more where those
    chosen cannot be shared out more sparingly.

    At random every pair has the same chance; by label those of each first label are drawn by themselves, as
    many of each as the plan for the coefficient that is the `aim` wants, with the `kappa` and `prevalence`
    that were guessed if any were; by topic whole topics are drawn until there are enough. Labels, chances,
    coefficient and seed are kept with the pool, which is opened at once. A share `missing` of what the others
    are asked for need not come: then a pair counts as soon as two have judged it. Raises InvalidInput for
    what cannot be drawn, NotFound for an assessor who has no account here, Conflict for a name that is taken.
    """
    assessor_ids = list(dict.fromkeys(assessor_ids))
    others = assessors - 1
    _require_able(db, campaign_id, assessor_ids, others)
    # Whoever draws at the same moment waits, and then draws of what is left; who judges does not wait.
    db.get_one(CampaignRow, campaign_id, with_for_update={"key_share": True})
    seed = secrets.randbelow(SEEDS) if seed is None else seed
    # A form that is sent twice has one seed, and so one name: the second finds it taken, whatever is left.
    name = checked_name(db, campaign_id, name.strip() or f"overlap by {draw}, seed {seed}")
    # Nothing is simulated here: whoever judges waits meanwhile, where the database has one writer.
    plan = plan_overlap(
        db, campaign_id,
        aim=aim, relevant_from=relevant_from, graded=graded, kappa=kappa, prevalence=prevalence,
        assessors=assessors, missing=missing, rounds=0,
    )  # fmt: skip
    line, aim = None if graded else plan.relevant_from, plan.aim
    candidates = candidates_of(db, campaign_id, line=line, second=assessor_ids, others=others)
    _require_pairs(pairs, candidates)
    chosen, chances = _drawn(candidates, plan, pairs, draw, np.random.default_rng(seed))
    sources = sources_of(db, campaign_id, {(one.topic, one.docno) for one in chosen})
    now = datetime.now(UTC)
    sizes = Counter(one.topic for one in chosen)
    row = PoolRow(
        campaign_id=campaign_id,
        name=name,
        recipe={
            "strategy": STRATEGY,
            "parameters": {"draw": str(draw), "pairs": str(len(chosen)), "seed": str(seed)}
            | ({"assessors": str(assessors)} if assessors > 2 else {})
            | ({} if aim == Target() else {"coefficient": aim.method, "weights": aim.weights})
            | ({"missing": f"{missing:g}"} if missing else {}),
            "ties": str(TieRule.TREC_EVAL),
            "supplementary": False,
            "runs": runs_of(db, campaign_id, sources),
            "largest_possible": dict(sizes),
            "version": __version__,
            "relevant_from": line,
            "candidates": list(candidates.by_label),
        },
        pairs=len(chosen),
        largest_possible=len(chosen),
        created_by=created_by,
        created_at=now,
        opened_at=now,
    )
    db.add(row)
    try:
        db.flush()
    except IntegrityError:
        raise Conflict(f"a pool {name!r} was made at the same moment", remedy="load the page again") from None
    marks = {"added_by": created_by, "added_at": now, "reason": REASON}
    entries = {}
    for one in chosen:
        pair = (one.topic, one.docno)
        known = sources.get(pair)
        values = manual_entry(pair) | marks if known is None else as_pooled(known)
        drawn_as = {"inclusion": chances[one.label], "stratum": one.label + 1, "weight": None}
        entries[pair] = values | drawn_as
    write_entries(db, row.id, entries)
    assigned = 0
    for topic in sizes:
        for second in _cover([one for one in chosen if one.topic == topic], assessor_ids, others):
            assigned += assign(db, row.id, topics=[topic], assessor_ids=[second], seed=seed)
        # In turn, so that no assessor gets all topics.
        assessor_ids = [*assessor_ids[1:], *assessor_ids[:1]]
    labels = Counter(one.label for one in chosen)
    return DrawnOverlap(
        pool_report(db, campaign_id, name),
        draw,
        tuple(labels[place] for place in range(len(candidates.by_label))),
        len(sizes),
        assigned,
        seed,
    )


def _drawn(
    candidates: Candidates, plan: OverlapPlan, pairs: int, draw: Draw, generator: np.random.Generator
) -> tuple[list[Candidate], dict[int, float]]:
    """The candidates that are drawn, in their order, and by label the chance that each of it had."""
    found = candidates.found
    sizes = candidates.by_label
    if draw is Draw.TOPIC:
        names = sorted({one.topic for one in found}, key=id_bytes)
        chosen: list[Candidate] = []
        drawn = 0
        for place in generator.permutation(len(names)):
            if len(chosen) >= pairs:
                break
            chosen += [one for one in found if one.topic == names[place]]
            drawn += 1
        return _in_order(chosen), dict.fromkeys(range(len(sizes)), drawn / len(names))
    if draw is Draw.RANDOM:
        places = sorted(generator.permutation(len(found))[:pairs].tolist())
        return [found[at] for at in places], dict.fromkeys(range(len(sizes)), len(places) / len(found))
    weighed = np.asarray(sizes) * deviations_by_label(plan.expected, plan.aim)
    wanted = neyman_allocation(pairs, weighed, sizes)
    chosen = []
    for label, count in enumerate(wanted):
        own = [one for one in found if one.label == label]
        chosen += [own[at] for at in generator.permutation(len(own))[:count].tolist()]
    return _in_order(chosen), {
        label: count / size for label, (count, size) in enumerate(zip(wanted, sizes, strict=True)) if size
    }


def _in_order(chosen: Sequence[Candidate]) -> list[Candidate]:
    return sorted(chosen, key=lambda one: (id_bytes(one.topic), id_bytes(one.docno)))


def _cover(pairs: Sequence[Candidate], assessor_ids: Sequence[int], others: int) -> list[int]:
    """Few of the assessors that give every pair so many who have said nothing of it, in their order."""
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
            [Finding("Sample", None, "assessor", "no second assessor is chosen", "choose one")]
        )
    if len(assessor_ids) < others:
        message = f"{others} others are to judge every pair, and {len(assessor_ids)} chosen"
        raise InvalidInput([Finding("Sample", None, "assessor", message, f"choose {others} or more")])
    able = select(AssessorRow.id).where(
        AssessorRow.campaign_id == campaign_id, AssessorRow.account_id.is_not(None)
    )
    if set(assessor_ids) - set(db.scalars(able)):
        raise NotFound("an assessor without an account here cannot be given work", remedy="choose another")


def _require_pairs(pairs: int, candidates: Candidates) -> None:
    if not candidates.pairs:
        message = "there is no pair that one person has judged and these assessors have not"
        remedy = "wait until more is judged, or choose other assessors"
        raise InvalidInput([Finding("Sample", None, "pairs", message, remedy)])
    if not 1 <= pairs <= candidates.pairs:
        message = f"{pairs:,} pairs cannot be drawn of {candidates.pairs:,}"
        raise InvalidInput([Finding("Sample", None, "pairs", message, f"ask for 1 to {candidates.pairs:,}")])
