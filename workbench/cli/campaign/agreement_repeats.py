"""Self-consistency."""

from __future__ import annotations

import click

from workbench.agreement.self_consistency import ROUNDS
from workbench.cli.campaign.agreement_report import ReportWanted, report_of, report_options, said_for_programs
from workbench.cli.tabular import say_short
from workbench.workflow.agreement.repeats import consistency
from workbench.workflow.agreement.report_forms import repeats_taken


@click.command("self-consistency")
@report_options(ROUNDS)
def self_consistency(wanted: ReportWanted) -> None:
    """Say how far each assessor of CAMPAIGN agrees with himself on repeats, and with known answers."""
    report = report_of(wanted, consistency)
    taken = repeats_taken(report)
    if not said_for_programs(wanted, taken):
        # How the intervals were found stands in the forms for programs.
        shown = taken.columns.index("would_define")
        say_short(taken.columns[:shown], [row[:shown] for row in taken.rows], numeric_from=3)
