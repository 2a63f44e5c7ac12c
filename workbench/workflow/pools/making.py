"""Pools made from runs by a recipe that is stored."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from functools import partial
from typing import Any

from sqlalchemy import Row, func, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from workbench import __version__
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.formats.identifiers import storable
from workbench.frozen import frozen_dataclass
from workbench.pooling.adaptive_pool import Adaptive, Happening, PoolEvent
from workbench.pooling.comparison import without_pairs
from workbench.pooling.pool import Pool
from workbench.pooling.strategies import ALL_STRATEGIES, DEPTH_RECIPE, PoolRecipe
from workbench.pooling.strategy import named
from workbench.records import PoolEntry, TieRule, Verdict, sorted_pairs
from workbench.storage import locks
from workbench.storage.engine import Database
from workbench.storage.tables import JudgmentEventRow, PoolEntryRow, PoolRow, RunRow
from workbench.workflow.pools.learner_pools import is_learner, learner_recipe
from workbench.workflow.pools.listing import PoolReport, pool_report, recipe_in_words
from workbench.workflow.pools.pool_log import append_pool_events
from workbench.workflow.pools.pool_rows import (
    LONGEST_NAME,
    adaptive_recipe,
    checked_name,
    initial_adaptive_pool,
    most_pairs,
    name_taken,
)
from workbench.workflow.pools.pooled_topics import highest_grades, relevant_pairs
from workbench.workflow.runs.packed_store import pack_runs, pack_runs_one_by_one, run_for_use
from workbench.workflow.runs.run_records import lines_of_runs


def chosen_runs(
    db: Session, campaign_id: int, recipe: PoolRecipe, *, locked: bool = False
) -> list[tuple[str, str]]:
    """The runs that a recipe chooses, as tag and SHA-256, by tag.

    `locked`, none of them can be replaced before the transaction ends, which must be one that writes.
    Raises NotFound for an unknown tag, and WorkbenchError where the strategy reads runs and there is none.
    """
    if not named(ALL_STRATEGIES, recipe.strategy).reads_runs:
        return []
    tags, priority = recipe.tags, recipe.priority
    rows = _current(db, campaign_id, locked=locked)
    unknown = set(tags or ()) - {row.tag for row in rows}
    if unknown:
        raise NotFound(f"there is no run {', '.join(sorted(unknown))} in this campaign")
    chosen = [row for row in rows if (row.verdict == Verdict.ACCEPTED if tags is None else row.tag in tags)]
    if priority is not None and chosen:
        chosen = [row for row in chosen if row.priority is not None and row.priority <= priority]
        if not chosen:
            raise WorkbenchError(
                f"no chosen run has a priority up to {priority}",
                remedy="set the priorities of the runs, or leave the priority empty",
            )
    if not chosen:
        remedy = "accept some, or choose some by their tags" if rows else "load runs, or choose some"
        raise WorkbenchError("a pool needs at least one run", remedy=remedy)
    return [(row.tag, row.sha256) for row in chosen]


def current_runs(db: Session, campaign_id: int, *, locked: bool = False) -> dict[str, str]:
    """The hash of every run by its tag, in the order of tags, without those that were replaced.

    `locked`, none can be replaced before the transaction ends, which must be one that writes.
    """
    return {row.tag: row.sha256 for row in _current(db, campaign_id, locked=locked)}


def _current(db: Session, campaign_id: int, *, locked: bool) -> Sequence[Row[str, str, str, int | None]]:
    query = (
        select(RunRow.tag, RunRow.sha256, RunRow.verdict, RunRow.priority)
        .where(RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None))
        .order_by(RunRow.tag)
    )
    return db.execute(query.with_for_update(read=True) if locked else query).all()


def pooled_or_judged(db: Session, campaign_id: int) -> set[tuple[str, str]]:
    """The pairs of every pool that was opened, and those that a person graded: what need not be pooled."""
    pooled = db.execute(
        select(PoolEntryRow.topic, PoolEntryRow.docno)
        .join(PoolRow)
        .where(PoolRow.campaign_id == campaign_id, PoolRow.opened_at.is_not(None))
    )
    return {(topic, docno) for topic, docno in pooled} | highest_grades(db, campaign_id).keys()


_SHOWN = LONGEST_NAME - 10  # room for the number that makes a name free
TRIES = 3
FEW_LINES = 200_000
"""Lines of runs that take about a second."""


@frozen_dataclass
class NewPool:
    """A pool that is asked for; without a name it is named after its recipe."""

    campaign_id: int
    recipe: PoolRecipe
    name: str = ""
    draft: bool = False
    created_by: int | None = None
    asked_at: datetime = field(default_factory=partial(datetime.now, UTC))


_Inputs = tuple[Sequence[tuple[str, str]], Mapping[int, int]]
"""What a pool is computed from: its runs with their hashes and, supplementary, the other pools."""


@frozen_dataclass
class ComputedPool:
    """A pool that is not in the database yet, and what it was computed from.

    `known` is what a supplementary adaptive pool that is to be open begins with.
    """

    inputs: _Inputs
    row: PoolRow
    entries: Mapping[tuple[str, str], dict[str, Any]]
    known: KnownPairs | None


def make_pool(
    db: Session,
    campaign_id: int,
    recipe: PoolRecipe = DEPTH_RECIPE,
    *,
    name: str = "",
    draft: bool = False,
    created_by: int | None = None,
) -> PoolReport:
    """Pool the chosen runs by a recipe in one transaction, and open the pool unless it is to be a draft.

    On SQLite nobody else can save meanwhile: a server makes it with `make_while_others_write`. None of the
    runs can be replaced meanwhile. An adaptive pool begins empty and hands its documents out while people
    judge. Raises WorkbenchError without runs and for an unknown strategy, InvalidInput for its parameters,
    NotFound for an unknown tag, Conflict for a name that is taken.
    """
    new = NewPool(campaign_id, recipe, name, draft, created_by)
    pack_runs(db, campaign_id)
    row = _stored(db, new, _computed(db, new, locked=True))
    return pool_report(db, campaign_id, row.name)


def make_while_others_write(
    database: Database, new: NewPool, *, finish: Callable[[Session, PoolRow], None] | None = None
) -> PoolReport:
    """Make a pool as `make_pool` does, and raise as it does; it is computed before others have to wait.

    The same asked twice at once by one account, as by a double click, makes one pool. `finish` is called in
    the transaction that writes, and can refuse the pool. Raises Conflict where runs or pools change again and
    again.
    """
    for _ in range(TRIES):
        pack_runs_one_by_one(database, new.campaign_id)
        with database.reading() as db:
            made = _computed(db, new)
        with database.writing() as db:
            locks.change(db, new.campaign_id)
            name = _made_by_a_double_click(db, new, made.inputs)
            if name is None:
                if _inputs(db, new, locked=True) != made.inputs:
                    continue
                row = _stored(db, new, made)
                if finish is not None:
                    finish(db, row)
                name = row.name
        with database.reading() as db:
            return pool_report(db, new.campaign_id, name)
    raise Conflict("the runs or pools changed while the pool was being made", remedy="make it again")


def _computed(db: Session, new: NewPool, *, locked: bool = False) -> ComputedPool:
    inputs = _inputs(db, new, locked=locked)
    row = new_row(db, new)
    entries = pool_by_recipe(db, row, inputs[0])
    return ComputedPool(inputs, row, entries, None if new.draft else known_pairs_of(db, row))


def _stored(db: Session, new: NewPool, made: ComputedPool) -> PoolRow:
    row, now = made.row, datetime.now(UTC)
    row.name = name_for(db, new)
    row.created_at, row.opened_at = now, None if new.draft else now
    db.add(row)
    try:
        db.flush()
    except IntegrityError:
        raise Conflict(
            f"a pool {row.name!r} was made at the same moment", remedy="load the page again"
        ) from None
    write_entries(db, row.id, made.entries.values())
    if made.known is not None:
        begin_with(db, row, made.known)
    return row


def _inputs(db: Session, new: NewPool, *, locked: bool = False) -> _Inputs:
    others = opened_sizes(db, new.campaign_id) if new.recipe.supplementary else {}
    return chosen_runs(db, new.campaign_id, new.recipe, locked=locked), others


def opened_sizes(db: Session, campaign_id: int) -> dict[int, int]:
    """The pools that were opened, each with its number of pairs."""
    opened = select(PoolRow.id, PoolRow.pairs).where(
        PoolRow.campaign_id == campaign_id, PoolRow.opened_at.is_not(None)
    )
    return dict(db.execute(opened).all())


def reads_few_lines(db: Session, campaign_id: int) -> bool:
    """Whether the runs of a campaign are read so soon that a request can do it itself."""
    return lines_of_runs(db, campaign_id) <= FEW_LINES


def _made_by_a_double_click(db: Session, new: NewPool, inputs: _Inputs) -> str | None:
    """The name of the same pool, which the same account has made since this one was asked for."""
    if new.created_by is None:
        return None
    made = select(PoolRow).where(
        PoolRow.campaign_id == new.campaign_id,
        PoolRow.created_by == new.created_by,
        PoolRow.created_at >= new.asked_at,
    )
    recipe = recipe_of(new, inputs[0])
    for other in db.scalars(made.order_by(PoolRow.id)):
        is_named = not new.name.strip() or other.name == " ".join(new.name.split())
        is_same = all(other.recipe.get(part) == value for part, value in recipe.items())
        if is_named and is_same and (other.opened_at is None) == new.draft:
            return other.name
    return None


def new_row(db: Session, new: NewPool) -> PoolRow:
    """The row of a pool before it is built, not in the database yet; raises as `make_pool`."""
    return PoolRow(
        campaign_id=new.campaign_id,
        name=name_for(db, new),
        recipe=recipe_of(new),
        pairs=0,
        largest_possible=0,
        created_by=new.created_by,
    )


def recipe_of(new: NewPool, runs: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
    """What is stored of a recipe, with its runs, as tags and hashes, where these are known."""
    recipe = {
        "strategy": new.recipe.strategy,
        "parameters": new.recipe.texts(),
        "ties": str(new.recipe.ties),
        "supplementary": new.recipe.supplementary,
    }
    return {**recipe, "runs": [{"tag": tag, "sha256": sha256} for tag, sha256 in runs]} if runs else recipe


def name_for(db: Session, new: NewPool) -> str:
    """The name of a new pool: the one asked for, or its recipe with a number where that is taken.

    Raises WorkbenchError for a name that is too long, Conflict for one that is taken.
    """
    in_words = recipe_in_words(new.recipe.strategy, new.recipe.texts())
    return checked_name(db, new.campaign_id, new.name) or _free_name(db, new.campaign_id, in_words)


def pool_by_recipe(
    db: Session, row: PoolRow, chosen: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], dict[str, Any]]:
    """Build the pool of a row's recipe from runs, given as tags and hashes; puts both into the row.

    Nothing is written into the database. The entries come by pair, as values of their rows. Raises as the
    strategy does.
    """
    if is_learner(row):
        added = learner_recipe(db, row)
        row.recipe = {**row.recipe, **added, "version": __version__}
        row.pairs, row.largest_possible = (
            sum(added["totals"].values()),
            sum(added["largest_possible"].values()),
        )
        return {}
    built = built_by_recipe(db, row.campaign_id, row.recipe, [(tag, None) for tag, _ in chosen])
    pool = built.pool() if isinstance(built, Adaptive) else built
    if row.recipe["supplementary"]:
        pool = without_pairs(pool, pooled_or_judged(db, row.campaign_id))
    row.recipe = {
        **row.recipe,
        "runs": [{"tag": tag, "sha256": sha256} for tag, sha256 in chosen],
        "largest_possible": dict(pool.largest_possible),
        "version": __version__,
        **(adaptive_recipe(built) if isinstance(built, Adaptive) else {}),
    }
    row.pairs = most_pairs(built) if isinstance(built, Adaptive) else len(pool.entries)
    row.largest_possible = sum(pool.largest_possible.values())
    return {(entry.topic, entry.docno): _entry_values(entry, pool) for entry in pool.entries}


def built_by_recipe(
    db: Session, campaign_id: int, recipe: Mapping[str, Any], runs: Iterable[tuple[str, str | None]]
) -> Pool | Adaptive:
    """What a recipe makes of runs, given as tags and hashes (None: as they are now)."""
    strategy = named(ALL_STRATEGIES, recipe["strategy"])
    values, ties = strategy.values(recipe["parameters"]), TieRule(recipe["ties"])
    depth = strategy.depth_read(values)
    read = (run_for_use(db, campaign_id, tag, depth=depth, ties=ties, sha256=sha256) for tag, sha256 in runs)
    return strategy.build(read, ties=ties, **values)


def exclude_known_pairs(db: Session, row: PoolRow) -> None:
    """Exclude what is pooled or judged by now from a supplementary adaptive pool as it is opened.

    A pair that people graded teaches the strategy by its highest grade, one that is only pooled nothing.
    """
    found = known_pairs_of(db, row)
    if found is not None:
        begin_with(db, row, found)


@frozen_dataclass
class KnownPairs:
    """What is known of the documents of a supplementary adaptive pool, computed while others write.

    `pool` has recorded the `events`; `latest` is the last judgment event that was looked at.
    """

    pool: Adaptive
    events: tuple[PoolEvent, ...]
    latest: int


def known_pairs_of(db: Session, row: PoolRow) -> KnownPairs | None:
    """What `exclude_known_pairs` would exclude, with nothing written; None for pools of other kinds."""
    if not asks_for_the_rest(row):
        return None
    latest = db.scalar(select(func.max(JudgmentEventRow.id))) or 0
    built = initial_adaptive_pool(db, row)
    known = pooled_or_judged(db, row.campaign_id)
    return KnownPairs(built, _record_known(built, known, relevant_pairs(db, row.campaign_id)), latest)


def begin_with(db: Session, pool: PoolRow, found: KnownPairs) -> None:
    """Let a pool begin with known pairs, and with what people judged since these were read."""
    append_pool_events(db, pool.id, found.events)
    # By its number alone, so that not all events of the campaign are read while others wait.
    since = select(JudgmentEventRow.campaign_id, JudgmentEventRow.topic, JudgmentEventRow.docno).where(
        JudgmentEventRow.id > found.latest
    )
    touched = {(topic, docno) for number, topic, docno in db.execute(since) if number == pool.campaign_id}
    relevant: dict[tuple[str, str], bool] = {}
    for topic in {topic for topic, _ in touched}:
        relevant |= relevant_pairs(db, pool.campaign_id, topic)
    append_pool_events(db, pool.id, _record_known(found.pool, touched & relevant.keys(), relevant))
    pool.recipe = {**pool.recipe, **adaptive_recipe(found.pool)}
    pool.pairs = most_pairs(found.pool)
    db.flush()


def _record_known(
    built: Adaptive, known: Collection[tuple[str, str]], relevant: Mapping[tuple[str, str], bool]
) -> tuple[PoolEvent, ...]:
    events = []
    for topic, docno in sorted_pairs(known):
        if built.has(topic, docno):
            event = PoolEvent(Happening.JUDGED, topic, docno, relevant.get((topic, docno)))
            built.record(event)
            events.append(event)
    return tuple(events)


def asks_for_the_rest(row: PoolRow) -> bool:
    """Whether a pool is adaptive and leaves out what is judged or pooled already.

    A learner always takes what people judged as known, and is told of it while the pool grows.
    """
    return bool(row.recipe.get("adaptive") and row.recipe["supplementary"] and not is_learner(row))


def write_entries(db: Session, pool_id: int, entries: Collection[dict[str, Any]]) -> None:
    """Write entries, as `pool_by_recipe` gives them, into a pool that has none of them."""
    if entries:
        db.execute(insert(PoolEntryRow), [{"pool_id": pool_id, **values} for values in entries])


def manual_entry(pair: tuple[str, str]) -> dict[str, Any]:
    """The values of an entry that no run contributed; who added it belongs with them."""
    return {
        "topic": pair[0],
        "docno": pair[1],
        "brought_by": [],
        "best_rank": None,
        "run_count": 0,
        "weight": None,
        "inclusion": None,
        "stratum": None,
    }


def _entry_values(entry: PoolEntry, pool: Pool) -> dict[str, Any]:
    pair = (entry.topic, entry.docno)
    return {
        "topic": entry.topic,
        "docno": entry.docno,
        "brought_by": [[each.tag, each.rank] for each in entry.contributions],
        "best_rank": entry.contributions[0].rank,
        "run_count": len(entry.contributions),
        "weight": pool.weights.get(pair),
        "inclusion": pool.inclusion.get(pair),
        "stratum": pool.strata.get(pair),
    }


def _free_name(db: Session, campaign_id: int, stem: str) -> str:
    stem = storable(stem)
    stem = stem if len(stem) <= _SHOWN else stem[: _SHOWN - 1] + "…"
    name, number = stem, 2
    while name_taken(db, campaign_id, name):
        name, number = f"{stem} ({number})", number + 1
    return name
