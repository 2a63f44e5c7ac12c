"""Agreement by topic."""

from __future__ import annotations

from functools import partial

import click

from workbench.agreement.several.by_topic import COEFFICIENTS, ROUNDS
from workbench.agreement.several.entering import Machines
from workbench.cli.campaign.agreement_report import ReportWanted, report_of, report_options
from workbench.cli.grade_options import MACHINES
from workbench.cli.tabular import print_export, say_short
from workbench.workflow.agreement.by_topic import agreement_by_topic
from workbench.workflow.agreement.report_forms import topics_export


@click.command("agreement-topics")
@click.option(
    "--by",
    default="pooled",
    show_default=True,
    type=click.Choice(COEFFICIENTS),
    help="The coefficient by which topics are sorted, lowest first.",
)
@MACHINES
@report_options(ROUNDS)
def agreement_topics(wanted: ReportWanted, by: str, machines: str) -> None:
    """Say how far the assessors of CAMPAIGN agree on each topic, with intervals over its pairs."""
    report = report_of(wanted, partial(agreement_by_topic, by=by, machines=Machines(machines)))
    if print_export(topics_export(report), wanted.form):
        return
    rows = [
        (
            line.topic,
            line.found.n,
            line.found.disputed,
            *(found.value for found in line.found.coefficients),
            line.found.interval(by).low,
            line.found.interval(by).high,
            line.found.coefficient(by).undefined,
        )
        for line in report.lines
    ]
    columns = ("topic", "n", "disputed", *COEFFICIENTS, f"{by} from", "to", "undefined")
    say_short(columns, rows)
    at = COEFFICIENTS.index(by)
    mean, together = report.means[at], report.together[at]
    click.echo(report.entering.sentence)
    if mean.value is not None and together.value is not None:
        click.echo(
            f"{by}: mean over {mean.topics} topics {mean.value:.3f} ({mean.left_out} without a value), "
            f"all pairs together {together.value:.3f}"
        )
