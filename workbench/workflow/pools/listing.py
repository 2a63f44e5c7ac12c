"""Pools as they are: the list, one in full, its pairs with the runs that contributed each, by topic too."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, case, func, select, tuple_
from sqlalchemy.orm import Session
from typing_extensions import TypedDict

from workbench.frozen import filled, frozen_dataclass
from workbench.pooling.strategies import WHILE_JUDGING
from workbench.records import Contribution, TieRule, id_bytes
from workbench.storage.engine import WRITES
from workbench.storage.tables import AccountRow, PoolEntryRow, PoolRow
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.pools.pool_rows import (
    Contributed,
    PoolState,
    contents_of,
    contributions_of,
    is_adaptive,
    pool_row,
    state_of,
    totals,
)
from workbench.workflow.pools.pooled_topics import pooled_by_topic
from workbench.workflow.runs.run_records import listed_runs

PORTION = 10_000
"""Rows of a pool that are in memory at once while its pairs are read."""


class PoolJson(TypedDict):
    """A pool with its recipe; `largest_possible` is its size if no two runs shared a document."""

    name: str
    state: str
    strategy: str
    parameters: dict[str, str]
    supplementary: bool
    ties: str
    runs: list[str]
    pairs: int
    largest_possible: int
    added_by_hand: int
    created_at: str | None
    opened_at: str | None
    closed_at: str | None


class RunOfPool(TypedDict):
    """What a run contributed to a pool; `alone` are pairs that nothing else contributed."""

    pairs: int
    alone: int


class MadePoolJson(TypedDict):
    """A pool that was made, by topic and by run."""

    name: str
    state: str
    adaptive: bool
    recipe: dict[str, Any]
    pairs: int
    largest_possible: int
    share: float
    topics: dict[str, int]
    runs: dict[str, RunOfPool]


@frozen_dataclass
class PoolLine:
    """A pool in the list; `largest_possible` is its size if no two runs shared a document.

    `parameters` are the strategy's, as texts. A supplementary pool left out what was pooled or judged before.
    `added` pairs are marked as added by hand, and of these no run contributed `added_alone`.
    """

    id: int
    name: str
    strategy: str
    parameters: tuple[tuple[str, str], ...]
    supplementary: bool
    ties: TieRule
    tags: tuple[str, ...]
    pairs: int
    largest_possible: int
    added: int
    added_alone: int
    created_at: datetime
    opened_at: datetime | None
    closed_at: datetime | None
    state: PoolState

    @property
    def adaptive(self) -> bool:
        """Whether documents are chosen while people judge; then `pairs` is the most that will be judged."""
        return self.strategy in WHILE_JUDGING

    @property
    def recipe(self) -> str:
        """The strategy and its parameters in words: `depth 100`, `rrf, budget 50, k 60`."""
        return recipe_in_words(self.strategy, dict(self.parameters))

    @property
    def share(self) -> float:
        """What the runs contributed as a share of the largest possible, 0 to 1."""
        return self.brought / self.largest_possible if self.largest_possible else 0.0

    @property
    def brought(self) -> int:
        """The pairs that some run contributed."""
        return self.pairs - self.added_alone

    @property
    def draft(self) -> bool:
        """Whether the pool was not opened yet."""
        return self.state is PoolState.DRAFT

    @property
    def open(self) -> bool:
        """Whether the pool is open for judging."""
        return self.state is PoolState.OPEN

    @property
    def closed(self) -> bool:
        """Whether the pool is closed."""
        return self.state is PoolState.CLOSED


@frozen_dataclass
class PoolTopic:
    """A topic's part of a pool; `added` by hand, and of these no run contributed `added_alone`."""

    topic: str
    title: str
    pairs: int
    largest_possible: int
    added: int
    added_alone: int

    @property
    def brought(self) -> int:
        """The pairs that some run contributed."""
        return self.pairs - self.added_alone


@frozen_dataclass
class PoolRun:
    """What a run contributed to a pool; `alone` are pairs that no other run and no person contributed.

    `sha256` is the version that was pooled; `earlier` marks one that was replaced since.
    """

    tag: str
    pairs: int
    alone: int
    sha256: str
    earlier: bool


@frozen_dataclass
class PoolReport:
    """A pool with its recipe, its topics and what each run contributed.

    Under `additions` the recipe has how many pairs were added by hand: they are no part of what the runs
    and the strategy reproduce.
    """

    pool: PoolLine
    recipe: dict[str, Any]
    by_topic: tuple[PoolTopic, ...]
    by_run: tuple[PoolRun, ...]


def recipe_in_words(strategy: str, parameters: Mapping[str, str]) -> str:
    """A strategy with those of its parameters that have a value."""
    words = [f"{name.replace('_', ' ')} {text}" for name, text in parameters.items() if text]
    return ", ".join(words if words and words[0].startswith(f"{strategy} ") else [strategy, *words])


def pools_of(db: Session, campaign_id: int) -> tuple[PoolLine, ...]:
    """The pools of a campaign, drafts too, oldest first."""
    rows = db.scalars(select(PoolRow).where(PoolRow.campaign_id == campaign_id).order_by(PoolRow.id)).all()
    added = _added(db, [row.id for row in rows])
    return tuple(_line(row, added.get(row.id, {})) for row in rows)


def pool_summary(db: Session, campaign_id: int, name: str) -> PoolLine:
    """One pool as the list shows it; raises NotFound."""
    row = pool_row(db, campaign_id, name)
    return _line(row, _added(db, [row.id]).get(row.id, {}))


def pool_report(db: Session, campaign_id: int, name: str) -> PoolReport:
    """One pool in full; raises NotFound."""
    row = pool_row(db, campaign_id, name)
    added = _added(db, [row.id]).get(row.id, {})
    line = _line(row, added)
    return PoolReport(
        pool=line,
        recipe={**row.recipe, "additions": line.added},
        by_topic=_topics(db, row, added),
        by_run=_run_parts(db, row),
    )


def pool_topics(db: Session, campaign_id: int, name: str) -> tuple[PoolTopic, ...]:
    """The topics of one pool, which are soon counted; raises NotFound."""
    row = pool_row(db, campaign_id, name)
    return _topics(db, row, _added(db, [row.id]).get(row.id, {}))


def _topics(db: Session, row: PoolRow, added: Mapping[str, tuple[int, int]]) -> tuple[PoolTopic, ...]:
    sizes = totals(row) if is_adaptive(row) else {t: one.count for t, one in pooled_by_topic(db, row).items()}
    largest: dict[str, int] = row.recipe["largest_possible"]
    return tuple(
        PoolTopic(topic, title, sizes.get(topic, 0), largest.get(topic, 0), *added.get(topic, (0, 0)))
        for topic, title in topic_titles(db, row.campaign_id).items()
    )


def _added(db: Session, pool_ids: list[int]) -> dict[int, dict[str, tuple[int, int]]]:
    """By pool and topic, the pairs added by hand, and those of them that no run contributed."""
    rows = db.execute(
        select(
            PoolEntryRow.pool_id,
            PoolEntryRow.topic,
            func.count(),
            func.count().filter(PoolEntryRow.run_count == 0),
        )
        .where(PoolEntryRow.pool_id.in_(pool_ids), PoolEntryRow.added_at.is_not(None))
        .group_by(PoolEntryRow.pool_id, PoolEntryRow.topic)
    )
    added: dict[int, dict[str, tuple[int, int]]] = {}
    for pool_id, topic, count, alone in rows:
        added.setdefault(pool_id, {})[topic] = (count, alone)
    return added


def _run_parts(db: Session, row: PoolRow) -> tuple[PoolRun, ...]:
    found = _contributed(db, row)
    current = {run.sha256 for run in listed_runs(db, row.campaign_id)}
    return tuple(
        PoolRun(
            run["tag"],
            found.pairs.get(run["tag"], 0),
            found.alone.get(run["tag"], 0),
            run["sha256"],
            run["sha256"] not in current,
        )
        for run in row.recipe["runs"]
    )


def _contributed(db: Session, row: PoolRow) -> Contributed:
    if is_adaptive(row) or WRITES in db.info or row.opened_at is None:
        return contributions_of(db, row)
    # Every pair names all runs that brought it: of a million pairs that is read for seconds.
    key = str(db.get_bind().engine.url), row.id, contents_of(row)
    return _CONTRIBUTED.get(key, lambda: contributions_of(db, row))


_CONTRIBUTED: Cache[Hashable, Contributed] = Cache(16)


def _line(row: PoolRow, added: Mapping[str, tuple[int, int]]) -> PoolLine:
    return PoolLine(
        id=row.id,
        name=row.name,
        strategy=row.recipe["strategy"],
        parameters=tuple(row.recipe["parameters"].items()),
        supplementary=row.recipe["supplementary"],
        ties=TieRule(row.recipe["ties"]),
        tags=tuple(run["tag"] for run in row.recipe["runs"]),
        pairs=row.pairs,
        largest_possible=row.largest_possible,
        added=sum(count for count, _ in added.values()),
        added_alone=sum(alone for _, alone in added.values()),
        created_at=row.created_at,
        opened_at=row.opened_at,
        closed_at=row.closed_at,
        state=state_of(row),
    )


@frozen_dataclass
class Addition:
    """That a pair was added by hand: by whom (empty from the terminal), when and why."""

    by: str
    at: datetime
    reason: str


@frozen_dataclass
class PooledPair:
    """A pair of a pool: the runs that contributed it, at which rank, and its weight or sampling data.

    `runs` counts these runs, of which not all need be named. `added` where a person added it, whether a run
    brought it too or not.
    """

    topic: str
    docno: str
    runs: int
    contributions: tuple[Contribution, ...]
    weight: float | None
    inclusion: float | None
    stratum: int | None
    added: Addition | None = None

    @property
    def origin(self) -> str:
        """Where the pair comes from, as in downloads: `runs`, `manual` or `runs+manual`."""
        return origin(self.runs > 0, self.added is not None)


def origin(brought: bool, added: bool) -> str:
    """Where a pair comes from, as in downloads: whether runs contributed it, whether a person added it."""
    if added:
        return "runs+manual" if brought else "manual"
    return "runs" if brought else "learner"


def pool_entries(
    db: Session, campaign_id: int, name: str, *, topic: str | None = None
) -> tuple[PooledPair, ...]:
    """The pairs of a pool (or of one topic of it), sorted by topic and docno as bytes."""
    chosen = pairs_chosen(pool_row(db, campaign_id, name))
    if topic is not None:
        chosen = chosen.where(PoolEntryRow.topic == topic)
    return tuple(map(pooled_pair, db.execute(chosen.order_by(PoolEntryRow.topic, PoolEntryRow.docno))))


def pairs_chosen(pool: PoolRow) -> Select[Any]:
    """The statement that reads the pairs of a pool, as `pooled_pair` takes them."""
    entry = PoolEntryRow
    return (
        select(
            entry.topic,
            entry.docno,
            entry.brought_by,
            entry.weight,
            entry.inclusion,
            entry.stratum,
            entry.added_at,
            entry.reason,
            AccountRow.name,
        )
        .outerjoin(AccountRow, AccountRow.id == entry.added_by)
        .where(entry.pool_id == pool.id)
    )


def pooled_pair(row: Row[*tuple[Any, ...]], *, most_runs: int | None = None) -> PooledPair:
    """A pair from the columns that `pairs_chosen` reads, with at most so many of its runs by name."""
    topic, docno, brought, weight, inclusion, stratum, at, reason, by = row
    return PooledPair(
        topic,
        docno,
        len(brought),
        tuple(Contribution(tag, rank) for tag, rank in brought[:most_runs]),
        weight,
        inclusion,
        stratum,
        None if at is None else Addition(by or "", at, reason or ""),
    )


def pool_origins(
    db: Session,
    campaign_id: int,
    name: str,
    *,
    topic: str | None = None,
    after: tuple[str, str] | None = None,
) -> Iterator[tuple[str, str, str]]:
    """Topic, docno and origin of the pairs of a pool, sorted by both as bytes; read little by little.

    Those of one topic, or after a pair, if these are named. The runs that brought each, of which there may be
    hundreds, are not read. Raises NotFound.
    """
    row, entry = pool_row(db, campaign_id, name), PoolEntryRow
    chosen = select(entry.topic, entry.docno, entry.run_count, entry.added_at).where(entry.pool_id == row.id)
    if topic is not None:
        chosen = chosen.where(entry.topic == topic)
    if after is not None:
        chosen = chosen.where(tuple_(entry.topic, entry.docno) > after)
    rows = db.connection().execute(
        chosen.order_by(entry.topic, entry.docno), execution_options={"yield_per": PORTION}
    )
    for topic_id, docno, runs, added_at in rows:
        yield topic_id, docno, origin(runs > 0, added_at is not None)


def origin_lines(db: Session, campaign_id: int, name: str) -> Iterator[bytes]:
    """The same as lines `topic<TAB>docno<TAB>origin`."""
    for topic, docno, found in pool_origins(db, campaign_id, name):
        yield b"\t".join((id_bytes(topic), id_bytes(docno), found.encode())) + b"\n"


@frozen_dataclass
class PairCount:
    """How many pairs a pool has of a topic, and how many of them were added by hand."""

    pairs: int
    added: int


def topic_size(db: Session, campaign_id: int, name: str, topic: str) -> PairCount:
    """The pairs of a topic counted; raises NotFound for an unknown pool."""
    row, entry = pool_row(db, campaign_id, name), PoolEntryRow
    counted = select(func.count(), func.count(entry.added_at))
    pairs, added = db.execute(counted.where(entry.pool_id == row.id, entry.topic == topic)).one()
    return PairCount(pairs, added)


def topic_pairs(
    db: Session,
    campaign_id: int,
    name: str,
    topic: str,
    *,
    start: int,
    most: int,
    most_runs: int | None = None,
) -> tuple[PooledPair, ...]:
    """At most so many pairs of a topic from number `start` (from 0) on, each with some of its runs, or all.

    Raises NotFound.

    Best rank first, of equal ranks what most runs contributed, then by docno as bytes. What no run
    contributed comes last, as in the order of judging.
    """
    row, entry = pool_row(db, campaign_id, name), PoolEntryRow
    rank = case((entry.run_count > 0, entry.best_rank))
    rows = db.connection().execute(
        pairs_chosen(row)
        .where(entry.topic == topic)
        .order_by(rank.is_(None), rank, entry.run_count.desc(), entry.docno)
        .offset(start)
        .limit(most)
    )
    # One row after the other: of a hundred there may be a hundred thousand runs.
    return tuple(pooled_pair(one, most_runs=most_runs) for one in rows)


def pool_json(line: PoolLine) -> PoolJson:
    """A pool in the list."""
    return filled(
        PoolJson,
        line,
        parameters=dict(line.parameters),
        runs=line.tags,
        added_by_hand=line.added,
    )


def made_pool_json(made: PoolReport) -> MadePoolJson:
    """A pool in full: its recipe, its topics and what each run contributed."""
    return {
        "name": made.pool.name,
        "state": made.pool.state,
        "adaptive": made.pool.adaptive,
        "recipe": made.recipe,
        "pairs": made.pool.pairs,
        "largest_possible": made.pool.largest_possible,
        "share": made.pool.share,
        "topics": {size.topic: size.pairs for size in made.by_topic},
        "runs": {part.tag: {"pairs": part.pairs, "alone": part.alone} for part in made.by_run},
    }
