"""`workbench campaign plan` and `analyse`: what a pool would cost, and what runs and pools consist of."""

from __future__ import annotations

from dataclasses import dataclass

import click

from workbench.cli.analyse import part_options, say_analysis
from workbench.cli.database import database_options, reading
from workbench.cli.output import JSON_OBJECT, record_options, say_json, say_table
from workbench.cli.pool import campaign_recipe_options, hours, pairs_in_words, work_options
from workbench.pooling.strategies import PoolRecipe
from workbench.records import TieRule
from workbench.settings import Settings
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.pools.analysis import analyse as analyse_campaign
from workbench.workflow.pools.planning import Plan, plan_pool
from workbench.workflow.pools.pool_json import plan_json


@click.command("plan")
@click.argument("campaign")
@campaign_recipe_options
@work_options
@JSON_OBJECT
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
    with reading(settings) as db:
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


@dataclass(frozen=True, slots=True)
class AnalysisScope:
    """What is analysed: a pool, or these runs down to a depth; None and none stand for the default."""

    pool_name: str | None
    depth: int | None
    ties: str | None
    tags: tuple[str, ...]


_SCOPE = (
    click.option(
        "--pool", "pool_name", help="Name of a pool; default the depth pool that the runs would make."
    ),
    click.option(
        "--depth",
        type=click.IntRange(1),
        help="Documents per run and topic.  [default: that of the pool, else 100]",
    ),
    click.option(
        "--ties",
        type=click.Choice([rule.value for rule in TieRule]),
        help="Which of two documents with the same score comes first.  "
        "[default: as the pool, else trec_eval]",
    ),
    click.option("--run", "tags", multiple=True, help="Tag of a run to analyse (repeatable); default all."),
)


@click.command("analyse")
@click.argument("campaign")
@record_options("scope", AnalysisScope, _SCOPE)
@part_options
@database_options
def analyse(
    settings: Settings,
    campaign: str,
    scope: AnalysisScope,
    part: str | None,
    as_json: bool,
) -> None:
    """Analyse the runs of CAMPAIGN, or a pool: growth, contributions, overlap, ties at the cut, topics."""
    if scope.pool_name is not None and scope.tags:
        raise click.UsageError("a pool has its own runs: use --pool or --run, not both")
    with reading(settings) as db:
        done = analyse_campaign(
            db,
            campaign_by_slug(db, campaign).id,
            pool=scope.pool_name,
            tags=scope.tags or None,
            depth=scope.depth,
            ties=TieRule(scope.ties) if scope.ties else None,
        )
    say_analysis(done.found, part, as_json=as_json)
