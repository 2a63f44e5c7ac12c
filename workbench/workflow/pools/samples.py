"""The pool of a campaign that was drawn at random, with all that could have been drawn."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.pooling.adaptive_pool import Adaptive
from workbench.pooling.pool import Pair
from workbench.pooling.sampling import RANDOM, STRATIFIED
from workbench.pooling.strategies import ALL_STRATEGIES
from workbench.pooling.strategy import named
from workbench.storage.tables import PoolEntryRow, PoolRow
from workbench.workflow.pools.making import built_by_recipe

SAMPLING = (RANDOM.name, STRATIFIED.name)
"""The strategies that draw with known probabilities from what they could have drawn."""


@frozen_dataclass
class SampleDesign:
    """A pool that was drawn at random: its name, its recipe, and the pairs that were drawn, with the stratum.

    It has `strata` of them; where there is one, all documents of a topic are as likely.
    """

    pool_id: int
    name: str
    recipe: Mapping[str, Any]
    drawn: Mapping[Pair, int]
    strata: int


def sample_design(db: Session, campaign_id: int) -> SampleDesign:
    """The pool from whose sample scores can be estimated.

    Raises WorkbenchError, with the reason, where there is none, where several designs cannot be joined, and
    where the pool leaves out what was pooled before.
    """
    opened = select(PoolRow).where(PoolRow.campaign_id == campaign_id, PoolRow.opened_at.is_not(None))
    rows = [row for row in db.scalars(opened.order_by(PoolRow.id)) if row.recipe["strategy"] in SAMPLING]
    if not rows:
        raise WorkbenchError(
            "no opened pool was drawn at random",
            remedy="open a pool of the strategy random or stratified",
        )
    if len(rows) > 1:
        raise WorkbenchError(
            f"{len(rows)} pools were drawn at random, each by a design of its own",
            remedy="estimate from the files of one of them, which a release has in `sampled`",
        )
    (row,) = rows
    if row.recipe["supplementary"]:
        raise WorkbenchError(
            f"the pool {row.name} leaves out what was pooled before: it is not a sample of all documents",
            remedy="estimate from a pool that is not supplementary",
        )
    entry = PoolEntryRow
    drawn = select(entry.topic, entry.docno, entry.stratum).where(
        entry.pool_id == row.id, entry.inclusion.is_not(None), entry.stratum.is_not(None)
    )
    values = named(ALL_STRATEGIES, row.recipe["strategy"]).values(row.recipe["parameters"])
    return SampleDesign(
        pool_id=row.id,
        name=row.name,
        recipe=row.recipe,
        drawn={(topic, docno): stratum for topic, docno, stratum in db.execute(drawn) if stratum is not None},
        strata=len(values.get("strata", (1,))),
    )


def undrawn_pairs(
    db: Session, campaign_id: int, recipe: Mapping[str, Any], drawn: Collection[Pair]
) -> dict[Pair, int] | None:
    """What a sampling strategy left, with its stratum: the recipe run again on the runs that it names.

    None where a run is no longer here, and of a pool that was not drawn.
    """
    if not drawn:
        return None
    runs = [(one["tag"], one["sha256"]) for one in recipe["runs"]]
    try:
        built = built_by_recipe(db, campaign_id, recipe, runs)
    except WorkbenchError:
        return None
    if isinstance(built, Adaptive):
        return None
    return {pair: stratum for pair, stratum in built.strata.items() if pair not in drawn}
