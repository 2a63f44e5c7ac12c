"""Machines against people."""

from __future__ import annotations

import click

from workbench.agreement.against_people import ROUNDS
from workbench.cli.grade_options import bootstrap_options, grade_options
from workbench.cli.opening import database_options, opened
from workbench.cli.tabular import form_options, say_rows
from workbench.settings import Settings
from workbench.workflow.agreement.machines import MACHINE_COLUMNS, machine_rows, machines_against_people
from workbench.workflow.campaigns.campaigning import campaign_by_slug


@click.command("agreement-machines")
@click.argument("campaign")
@grade_options
@bootstrap_options(ROUNDS)
@form_options
@database_options
def agreement_machines(
    settings: Settings,
    campaign: str,
    relevant_from: int | None,
    graded: bool,
    rounds: int,
    seed: int,
    as_csv: bool,
    as_json: bool,
) -> None:
    """Say how far each machine of CAMPAIGN agrees with people and with their majority, ties left out."""
    with opened(settings) as database, database.reading() as db:
        report = machines_against_people(
            db,
            campaign_by_slug(db, campaign).id,
            relevant_from=relevant_from,
            graded=graded,
            rounds=rounds,
            seed=seed,
        )
    majorities = {
        one.machine: {"tied": one.lines[0].tied, "one_person": one.lines[0].alone}
        for one in report.machines
        if one.lines
    }
    said = {
        "relevant_from": None if graded else report.relevant_from,
        "categories": list(report.categories),
        "majority": majorities,
        "rounds": rounds,
        "seed": seed,
    }
    say_rows(MACHINE_COLUMNS, machine_rows(report), said=said, as_csv=as_csv, as_json=as_json, numeric_from=3)
