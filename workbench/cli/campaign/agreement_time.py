"""Agreement over time."""

from __future__ import annotations

from dataclasses import asdict

import click

from workbench.agreement.drift import ROUNDS
from workbench.cli.grade_options import bootstrap_options, grade_options
from workbench.cli.opening import database_options, opened
from workbench.cli.tabular import form_options, say_rows
from workbench.settings import Settings
from workbench.workflow.agreement.over_time import BIN, GAP_MINUTES, TIME_COLUMNS, over_time, time_rows
from workbench.workflow.campaigns.campaigning import campaign_by_slug


@click.command("agreement-time")
@click.argument("campaign")
@click.option("--bin", "bin_size", default=BIN, show_default=True, type=int, help="Judgments of a bin.")
@click.option(
    "--gap", default=GAP_MINUTES, show_default=True, type=int, help="Minutes of pause that end a sitting."
)
@grade_options
@bootstrap_options(ROUNDS)
@form_options
@database_options
def agreement_time(
    settings: Settings,
    campaign: str,
    bin_size: int,
    gap: int,
    relevant_from: int | None,
    graded: bool,
    rounds: int,
    seed: int,
    as_csv: bool,
    as_json: bool,
) -> None:
    """Say whether the assessors of CAMPAIGN tire within sittings or drift over the days."""
    with opened(settings) as database, database.reading() as db:
        report = over_time(
            db,
            campaign_by_slug(db, campaign).id,
            relevant_from=relevant_from,
            graded=graded,
            bin_size=bin_size,
            gap_minutes=gap,
            rounds=rounds,
            seed=seed,
        )
    trends = {
        one.name: {
            "judgments": one.judgments,
            "sittings": one.sittings,
            "agreement_by_position": asdict(one.fatigue),
            "relevance_by_position": asdict(one.relevance),
            "log_seconds_by_position": asdict(one.pace),
            "agreement_by_day": asdict(one.drift),
        }
        for one in report.assessors
    }
    said = {"gap_minutes": gap, "bin": bin_size, "rounds": rounds, "seed": seed, "trends": trends}
    say_rows(TIME_COLUMNS, time_rows(report), said=said, as_csv=as_csv, as_json=as_json, numeric_from=3)
    if not as_csv and not as_json:
        for one in report.assessors:
            click.echo(f"{one.name}: {one.sentence} {one.sentence_of_days}")
