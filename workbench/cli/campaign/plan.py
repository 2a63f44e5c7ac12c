"""What a pool of a campaign would cost."""

from __future__ import annotations

import click

from workbench.cli.database import database_options, open_database
from workbench.cli.output import say_json, say_table
from workbench.cli.plan import hours, pairs_in_words, work_options
from workbench.cli.strategy_options import campaign_recipe_options
from workbench.pooling.strategies import PoolRecipe
from workbench.settings import Settings
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.pools.planning import Plan, plan_pool
from workbench.workflow.pools.pool_json import plan_json


@click.command("plan")
@click.argument("campaign")
@campaign_recipe_options
@work_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@database_options
def plan(
    settings: Settings,
    campaign: str,
    recipe: PoolRecipe,
    assessors: int | None,
    per_pair: int,
    seconds: float | None,
    as_json: bool,
) -> None:
    """Estimate the size of a pool of CAMPAIGN and the hours of judging it, without creating it.

    Seconds default to the median of the campaign's timed answers, or to 30 before there are
    enough; assessors default to those of the campaign.
    """
    with open_database(settings) as database, database.reading() as db:
        planned = plan_pool(
            db,
            campaign_by_slug(db, campaign).id,
            recipe,
            per_pair=per_pair,
            assessors=assessors,
            seconds=seconds,
        )
    if as_json:
        say_json(plan_json(planned))
    else:
        _say(planned)


def _say(planned: Plan) -> None:
    work = planned.work
    say_table(
        ["topic", "pairs", "hours"],
        [
            (one.topic, pairs_in_words(one.pairs, planned.certainty), hours(work.hours(one.pairs)))
            for one in planned.topics
        ],
        numeric=[1, 2],
    )
    click.echo()
    if planned.growth:
        say_table(
            ["depth", "pairs", "hours"],
            [(str(depth), str(pairs), hours(work.hours(pairs))) for depth, pairs in planned.growth],
            numeric=[0, 1, 2],
        )
        click.echo()
    click.echo(
        f"{planned.recipe}: {pairs_in_words(planned.pairs, planned.certainty)} pairs, {work.per_pair} times "
        f"{work.seconds:g} s ({planned.pace.in_words}): {hours(work.hours(planned.pairs))} hours, "
        f"{hours(work.hours_each(planned.pairs))} for each of {work.assessors}"
    )
