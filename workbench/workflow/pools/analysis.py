"""Runs and pools of a campaign analysed before anybody judges."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.pooling.analysis import (
    BEYOND,
    Analysis,
    Examination,
    MadePool,
    PoolContributors,
    TopicCounts,
    analysis,
    count_topic,
    examine,
)
from workbench.pooling.contributions import Incidence, TopicIncidence
from workbench.records import Run, TieRule, Verdict, id_bytes, sorted_ids
from workbench.storage.tables import CampaignRow, GroupRow, RunRow
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.campaigns import scale_from_json
from workbench.workflow.log import answers_by_topic
from workbench.workflow.pools.listing import PoolLine, pool_summary
from workbench.workflow.pools.pool_rows import contributors, pool_row
from workbench.workflow.pools.pooled_topics import highest_grades_of, machines_of
from workbench.workflow.runs.packed_store import run_leading
from workbench.workflow.runs.run_records import listed_runs

DEPTH = 100
MOST_CACHED = 4
"""Examinations of runs that a process caches, if they are small; one of 129 runs at depth 100 has 20 MB."""
_BYTES_A_PAIR, _BYTES_A_CONTRIBUTION = 80, 8


@frozen_dataclass
class ChosenRun:
    """A run of a campaign, its hash, and its group if it has one."""

    tag: str
    sha256: str
    group: str | None


@dataclass(frozen=True, slots=True, eq=False)
class CampaignAnalysis:
    """The analysis of a pool, or of runs that are not pooled yet (`pool` is None), and what it is of."""

    pool: PoolLine | None
    runs: tuple[ChosenRun, ...]
    found: Analysis


def analyse(
    db: Session,
    campaign_id: int,
    *,
    pool: str | None = None,
    tags: Collection[str] | None = None,
    depth: int | None = None,
    ties: TieRule | None = None,
) -> CampaignAnalysis:
    """Analyse a pool by its name, or the depth pool that these runs (all if None) would make.

    A pool brings its runs, as they were when it was made, its tie rule and, if it has one, its depth.
    Raises WorkbenchError without runs and for a depth below 1, NotFound for an unknown pool or tag.
    """
    line = pool_summary(db, campaign_id, pool) if pool is not None else None
    chosen = _runs_of_pool(db, campaign_id, line) if line else chosen_runs(db, campaign_id, tags)
    if not chosen:
        raise WorkbenchError("there is no run to analyse", remedy="load runs, or choose some")
    depth = depth if depth is not None else depth_of(line)
    ties = ties if ties is not None else (line.ties if line else TieRule.TREC_EVAL)
    found = _EXAMINATIONS.get(
        (tuple((run.tag, run.sha256) for run in chosen), depth, ties),
        lambda: examine(_read(db, campaign_id, chosen, BEYOND * depth), depth=depth, ties=ties),
    )
    groups = {run.tag: run.group for run in chosen if run.group is not None}
    largest = pool_row(db, campaign_id, line.name).recipe["largest_possible"] if line else {}
    made = MadePool(_pooled(db, line), largest) if line else None
    answers = answers_by_topic(db, campaign_id)
    machines = machines_of(db, campaign_id)
    relevant_from = scale_from_json(db.get_one(CampaignRow, campaign_id).scale).relevant_from

    def count(topic: TopicIncidence, contributors: PoolContributors) -> TopicCounts:
        given = answers.get(topic.topic)
        highest = {} if given is None else highest_grades_of(given, machines)
        judged = {docno: grade >= relevant_from for docno, grade in highest.items()}
        return count_topic(topic, contributors, judged)

    return CampaignAnalysis(line, chosen, analysis(found, pool=made, groups=groups, counted=count))


def chosen_runs(db: Session, campaign_id: int, tags: Collection[str] | None = None) -> tuple[ChosenRun, ...]:
    """The current runs, by tag; if none is named, all but those that the organiser has set aside.

    Raises NotFound for an unknown tag.
    """
    runs = listed_runs(db, campaign_id)
    unknown = set(tags or ()) - {run.tag for run in runs}
    if unknown:
        message = f"there is no run {', '.join(sorted(unknown))} in this campaign"
        raise NotFound(message, remedy="name runs by the tags in the list of runs")
    return tuple(
        ChosenRun(run.tag, run.sha256, run.group or None)
        for run in runs
        if (run.verdict is not Verdict.SET_ASIDE if tags is None else run.tag in tags)
    )


def depth_of(pool: PoolLine | None) -> int:
    """The depth at which a pool's runs are looked at: its own if it is a depth pool, else the usual one."""
    text = dict(pool.parameters).get("depth", "") if pool and pool.strategy == "depth" else ""
    return int(text) if text.isdecimal() else DEPTH


def _bytes_of(incidence: Incidence) -> int:
    """About how much the documents take, which are nearly all of an examination."""
    contributions = sum(len(topic.runs) for topic in incidence.topics)
    return _BYTES_A_PAIR * incidence.pairs + _BYTES_A_CONTRIBUTION * contributions


_EXAMINATIONS: Cache[Hashable, Examination] = Cache(MOST_CACHED, bytes_of=lambda found: _bytes_of(found.tops))
"""By runs, depth and tie rule; runs never change, so neither do these."""


def _read(db: Session, campaign_id: int, chosen: Sequence[ChosenRun], depth: int) -> Iterator[Run]:
    """The runs one by one, at least to this depth under any tie rule."""
    for run in chosen:
        try:
            yield run_leading(db, campaign_id, run.tag, sha256=run.sha256, depth=depth)
        except NotFound:
            message = f"the run {run.tag!r} of this pool is no longer stored"
            raise Conflict(message, remedy="upload that version of the run again") from None


def _runs_of_pool(db: Session, campaign_id: int, line: PoolLine) -> tuple[ChosenRun, ...]:
    rows = db.execute(
        select(RunRow.tag, RunRow.sha256, GroupRow.name)
        .outerjoin(GroupRow, GroupRow.id == RunRow.group_id)
        .where(RunRow.campaign_id == campaign_id)
    ).all()
    groups = {(tag, sha256): group for tag, sha256, group in rows}
    recipe = pool_row(db, campaign_id, line.name).recipe
    hashes = {run["tag"]: run["sha256"] for run in recipe["runs"]}
    return tuple(ChosenRun(tag, sha256, groups.get((tag, sha256))) for tag, sha256 in hashes.items())


def _pooled(db: Session, line: PoolLine) -> Incidence:
    tags = tuple(sorted_ids(set(line.tags)))
    number = {tag: place for place, tag in enumerate(tags)}
    topics = []
    for topic, docnos, brought in contributors(db, line.id):
        entries = sorted(zip(docnos, brought, strict=True), key=lambda one: id_bytes(one[0]))
        topics.append(
            TopicIncidence(
                topic,
                tuple(docno for docno, _ in entries),
                np.array([number[tag] for _, of_pair in entries for tag in of_pair], np.int32),
                np.repeat(np.arange(len(entries), dtype=np.int32), [len(of_pair) for _, of_pair in entries]),
            )
        )
    return Incidence(tags, tuple(sorted(topics, key=lambda one: id_bytes(one.topic))))
