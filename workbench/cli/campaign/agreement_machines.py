"""Machines against people."""

from __future__ import annotations

import click

from workbench.agreement.against_people import ROUNDS
from workbench.cli.campaign.agreement_report import ReportWanted, report_of, report_options, say_table_of
from workbench.workflow.agreement.machines import machines_against_people
from workbench.workflow.agreement.report_forms import machines_export


@click.command("agreement-machines")
@report_options(ROUNDS)
def agreement_machines(wanted: ReportWanted) -> None:
    """Say how far each machine of CAMPAIGN agrees with people and with their majority, ties left out."""
    say_table_of(wanted, machines_export(report_of(wanted, machines_against_people)))
