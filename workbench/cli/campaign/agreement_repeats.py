"""Self-consistency."""

from __future__ import annotations

import click

from workbench.agreement.self_consistency import ROUNDS
from workbench.cli.grade_options import bootstrap_options, grade_options
from workbench.cli.opening import database_options, opened
from workbench.cli.tabular import form_options, say_rows
from workbench.settings import Settings
from workbench.workflow.agreement.repeats import REPEAT_COLUMNS, consistency, repeat_rows
from workbench.workflow.campaigns.campaigning import campaign_by_slug


@click.command("self-consistency")
@click.argument("campaign")
@grade_options
@bootstrap_options(ROUNDS)
@form_options
@database_options
def self_consistency(
    settings: Settings,
    campaign: str,
    relevant_from: int | None,
    graded: bool,
    rounds: int,
    seed: int,
    as_csv: bool,
    as_json: bool,
) -> None:
    """Say how far each assessor of CAMPAIGN agrees with himself on repeats, and with known answers."""
    with opened(settings) as database, database.reading() as db:
        report = consistency(
            db,
            campaign_by_slug(db, campaign).id,
            relevant_from=relevant_from,
            graded=graded,
            rounds=rounds,
            seed=seed,
        )
    contradictions = [
        {
            "assessor": one.assessor,
            "against": str(one.against),
            "topic": one.topic,
            "docno": one.docno,
            "stood": one.stood,
            "said": one.said,
            "across_the_line": one.across,
            "when": one.when.isoformat(),
        }
        for one in report.contradictions
    ]
    said = {"no_grade": report.no_grade, "rounds": rounds, "seed": seed, "contradictions": contradictions}
    say_rows(REPEAT_COLUMNS, repeat_rows(report), said=said, as_csv=as_csv, as_json=as_json, numeric_from=3)
