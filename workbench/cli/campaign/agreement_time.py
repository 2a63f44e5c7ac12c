"""Agreement over time."""

from __future__ import annotations

from functools import partial

import click

from workbench.agreement.drift import ROUNDS
from workbench.cli.campaign.agreement_report import ReportWanted, report_of, report_options
from workbench.cli.output import printable
from workbench.cli.tabular import print_export, say_short
from workbench.workflow.agreement.over_time import BIN, GAP_MINUTES, TIME_COLUMNS, over_time
from workbench.workflow.agreement.report_forms import time_export


@click.command("agreement-time")
@click.option("--bin", "bin_size", default=BIN, show_default=True, type=int, help="Judgments of a bin.")
@click.option(
    "--gap", default=GAP_MINUTES, show_default=True, type=int, help="Minutes of pause that end a sitting."
)
@report_options(ROUNDS)
def agreement_time(wanted: ReportWanted, bin_size: int, gap: int) -> None:
    """Say whether the assessors of CAMPAIGN tire within sittings or drift over the days."""
    report = report_of(wanted, partial(over_time, bin_size=bin_size, gap_minutes=gap))
    taken = time_export(report)
    if print_export(taken, wanted.form):
        return
    shown = TIME_COLUMNS.index("slope")
    rows = [row[:shown] for row in taken.rows() if row[1] != "trend"]
    say_short(TIME_COLUMNS[:shown], rows, numeric_from=3)
    for one in report.assessors:
        click.echo(f"{printable(one.name)}: {one.sentence} {one.sentence_of_days}")
    if report.imported:
        names = printable(", ".join(report.imported))
        click.echo(f"Not here, since files do not say when each pair was judged: {names}.")
