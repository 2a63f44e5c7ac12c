"""Pools, and who judges them."""

from __future__ import annotations

from functools import partial

import click

from workbench.cli.database import database_options, open_database, say_disabled, writing_to
from workbench.cli.output import say_json, say_table
from workbench.cli.strategy_options import campaign_recipe_options
from workbench.errors import WorkbenchError
from workbench.pooling.learner import LEARNER
from workbench.pooling.strategies import PoolRecipe
from workbench.settings import Settings
from workbench.shares import percent
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.judging.distribution import Distribution, distribute_in_portions, in_turn
from workbench.workflow.judging.order import OrderRule
from workbench.workflow.people.assessors import assessors_of
from workbench.workflow.pools.learner_rounds import CollectionVectors, make_rounds
from workbench.workflow.pools.listing import pool_summary, pools_of
from workbench.workflow.pools.making import NewPool
from workbench.workflow.pools.pool_json import made_pool_json
from workbench.workflow.pools.portions import make_in_portions


@click.command("pool")
@click.argument("campaign")
@campaign_recipe_options
@click.option("--name", default="", help="Name of the pool; default its recipe.")
@click.option("--draft", is_flag=True, help="Do not open it for judging yet; see draft open.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@database_options
def pool(
    settings: Settings,
    campaign: str,
    recipe: PoolRecipe,
    name: str,
    draft: bool,
    as_json: bool,
) -> None:
    """Create a pool from the runs of CAMPAIGN and open it for judging, unless it is to be a draft.

    The pool of an adaptive strategy starts empty: each document is chosen while people judge, from the
    judgments so far, for one assessor. Its order may hint at what was found to be relevant.
    """
    with open_database(settings) as database:
        with database.reading() as db:
            campaign_id = campaign_by_slug(db, campaign).id
        made = make_in_portions(database, NewPool(campaign_id, recipe, name=name, draft=draft))
        if recipe.strategy == LEARNER.name:
            make_rounds(database, campaign_id, CollectionVectors())
    if as_json:
        say_json(made_pool_json(made))
        return
    say_table(["topic", "pairs", "largest"], [(s.topic, s.pairs, s.largest_possible) for s in made.by_topic])
    if made.pool.adaptive:
        click.echo(f"{made.pool.name}: at most {made.pool.pairs} pairs, chosen while people judge")
        return
    click.echo(
        f"{made.pool.name}: {made.pool.pairs} pairs, {percent(made.pool.share, 1)} of the largest possible "
        f"{made.pool.largest_possible}" + (", a draft" if draft else "")
    )


@click.command("assign")
@click.argument("campaign")
@click.option("--pool", "pool_name", help="Name of the pool; the newest if not given.")
@click.option(
    "--assessor", "names", multiple=True, help="By name, several times; all with an account if none."
)
@click.option("--topic", "topics", multiple=True, help="Only these topics, each to every assessor named.")
@click.option(
    "--per-topic", default=1, show_default=True, type=click.IntRange(1), help="Assessors a topic, in turn."
)
@click.option(
    "--order", default="shuffled", show_default=True, type=click.Choice([o.value for o in OrderRule])
)
@click.option("--seed", type=click.IntRange(0), help="For the shuffled order; drawn and kept if not given.")
@database_options
def assign(
    settings: Settings,
    campaign: str,
    pool_name: str | None,
    names: tuple[str, ...],
    topics: tuple[str, ...],
    per_topic: int,
    order: str,
    seed: int | None,
) -> None:
    """Give the topics of a pool to assessors."""
    with open_database(settings) as database:
        with database.reading() as db:
            found = campaign_by_slug(db, campaign)
            pools = [line for line in pools_of(db, found.id) if not line.draft]
            if not pools:
                raise WorkbenchError("no pool is open yet", remedy=f"workbench campaign pool {campaign}")
            chosen = pool_summary(db, found.id, pool_name) if pool_name else pools[-1]
            assessors = [one for one in assessors_of(db, found.id) if one.assignable]
            able = {one.name: one.id for one in assessors}
            if not able:
                message = "nobody with an account judges here yet"
                raise WorkbenchError(message, remedy=f"workbench campaign invite {campaign}")
            unknown = [name for name in names if name not in able]
            if unknown:
                raise WorkbenchError(
                    f"{', '.join(unknown)} has no account that judges here",
                    remedy=f"there are {', '.join(able)}",
                )
            ids = [able[name] for name in names or [one.name for one in assessors if one.able]]
            say_disabled(assessors, names)
            if topics:
                given = [(topic, assessor_id) for topic in topics for assessor_id in ids]
            else:
                given = in_turn(db, chosen.id, ids, per_topic)
        distribution = Distribution(chosen.id, given, OrderRule(order), seed)
        begin = partial(writing_to, database, campaign)
        new = distribute_in_portions(database, distribution, writing=begin)
    click.echo(f"{new} new assignments in {chosen.name}")
