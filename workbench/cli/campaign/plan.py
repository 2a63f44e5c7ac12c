"""`workbench campaign plan` and `analyse`: what a pool would cost, and what runs and pools consist of."""

from __future__ import annotations

import click

from workbench.cli.analyse import part_options, say_analysis
from workbench.cli.database import ChosenCampaign, campaign_command
from workbench.cli.output import JSON_OBJECT, OneOf, Texts, number_option, repeatable, say_json
from workbench.cli.pool import campaign_recipe_options, pairs_in_words, say_hours, work_options
from workbench.pooling.planning import Certainty
from workbench.pooling.strategies import PoolRecipe
from workbench.records import TieRule
from workbench.workflow.pools.analysis import analyse as analyse_campaign
from workbench.workflow.pools.planning import plan_json, plan_pool


@campaign_command("plan")
@campaign_recipe_options
@work_options
@JSON_OBJECT
def plan(
    at: ChosenCampaign,
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
    planned = at.read(plan_pool, recipe, per_pair=per_pair, assessors=assessors, seconds=seconds)
    if as_json:
        say_json(plan_json(planned))
        return
    work, certainty = planned.work, planned.certainty
    say_hours("topic", ((one.topic, one.pairs) for one in planned.topics), certainty, work)
    click.echo()
    if planned.growth:
        say_hours("depth", planned.growth, Certainty.EXACT, work, numeric=[0, 1, 2])
        click.echo()
    click.echo(
        f"{planned.recipe}: {pairs_in_words(planned.pairs, planned.certainty)} pairs, {work.per_pair} times "
        f"{work.seconds:g} s ({planned.pace.in_words}): {work.hours(planned.pairs):.1f} hours, "
        f"{work.hours_each(planned.pairs):.1f} for each of {work.assessors}"
    )


@campaign_command("analyse")
@click.option("--pool", help="Name of a pool; by default, the depth pool of the runs.")
@number_option("--depth", help="Documents per run and topic.  [default: that of the pool, else 100]")
@click.option(
    "--ties",
    type=OneOf(TieRule),
    help="Which of two documents with the same score comes first.  [default: as the pool, else trec_eval]",
)
@repeatable("--run", "tags", help="Tag of a run to analyse (repeatable); default all.")
@part_options
def analyse(
    at: ChosenCampaign,
    pool: str | None,
    depth: int | None,
    ties: TieRule | None,
    tags: Texts,
    part: str | None,
    as_json: bool,
) -> None:
    """Analyse the runs of CAMPAIGN, or a pool: growth, contributions, overlap, ties at the cut, topics."""
    if pool is not None and tags:
        raise click.UsageError("a pool has its own runs: use --pool or --run, not both")
    done = at.read(analyse_campaign, pool=pool, tags=tags or None, depth=depth, ties=ties)
    say_analysis(done.found, part, as_json=as_json)
