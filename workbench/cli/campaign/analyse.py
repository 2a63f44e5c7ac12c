"""Runs and pools of a campaign, analysed before anybody judges."""

from __future__ import annotations

from dataclasses import dataclass

import click

from workbench.cli.analyse import part_options, say_analysis
from workbench.cli.database import database_options, open_database
from workbench.cli.record_options import record_options
from workbench.records import TieRule
from workbench.settings import Settings
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.pools.analysis import analyse as analyse_campaign


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
    with open_database(settings) as database, database.reading() as db:
        done = analyse_campaign(
            db,
            campaign_by_slug(db, campaign).id,
            pool=scope.pool_name,
            tags=scope.tags or None,
            depth=scope.depth,
            ties=TieRule(scope.ties) if scope.ties else None,
        )
    say_analysis(done.found, part, as_json=as_json)
