"""Machines against people."""

from __future__ import annotations

import click

from workbench.agreement.against_people import ROUNDS
from workbench.cli.campaign.agreement_report import ReportWanted, report_of, report_options, said_for_programs
from workbench.cli.tabular import say_short
from workbench.workflow.agreement.machines import machines_against_people
from workbench.workflow.agreement.report_forms import machines_taken


@click.command("agreement-machines")
@report_options(ROUNDS)
def agreement_machines(wanted: ReportWanted) -> None:
    """Say how far each machine of CAMPAIGN agrees with people and with their majority, ties left out."""
    report = report_of(wanted, machines_against_people)
    taken = machines_taken(report)
    if not said_for_programs(wanted, taken):
        # How the intervals were found stands in the forms for programs.
        shown = taken.columns.index("would_define")
        say_short(taken.columns[:shown], [row[:shown] for row in taken.rows], numeric_from=3)
