"""Self-consistency."""

from __future__ import annotations

import click

from workbench.agreement.self_consistency import ROUNDS
from workbench.cli.campaign.agreement_report import ReportWanted, report_of, report_options, say_table_of
from workbench.workflow.agreement.repeats import consistency
from workbench.workflow.agreement.report_forms import repeats_export


@click.command("self-consistency")
@report_options(ROUNDS)
def self_consistency(wanted: ReportWanted) -> None:
    """Say how far each assessor of CAMPAIGN agrees with himself on repeats, and with known answers."""
    say_table_of(wanted, repeats_export(report_of(wanted, consistency)))
