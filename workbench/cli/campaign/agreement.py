"""The agreement of a campaign's assessors: the report, by topic, self-consistency, machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from workbench.agreement.options import AgreementOptions
from workbench.agreement.topics import topic_coefficients
from workbench.cli.agree import PARTS, View, agreement_options, report_options
from workbench.cli.agreement_output import print_agreement
from workbench.cli.database import ChosenCampaign, campaign_command
from workbench.cli.output import data_options, print_export, say_short
from workbench.tables import Export
from workbench.workflow.agreement.export import machines_export, repeats_export, topics_export
from workbench.workflow.agreement.machines import machines_against_people
from workbench.workflow.agreement.report import campaign_pair
from workbench.workflow.agreement.selection import campaign_ratings
from workbench.workflow.agreement.self_consistency import consistency
from workbench.workflow.agreement.topics import agreement_by_topic

if TYPE_CHECKING:
    from workbench.cli.agreement_output import Result

_GRADES = ("relevant_from", "graded")


@campaign_command("agreement")
@report_options("answers")
def agreement(at: ChosenCampaign, options: AgreementOptions, view: View) -> None:
    """Report the agreement of the assessors of CAMPAIGN: overall, by pair, by grade, and their leniency."""
    with at.reading() as (db, campaign_id):
        if view.part == "pair":
            first, second = view.pair
            found: Result = campaign_pair(db, campaign_id, options, first=first, second=second)
        else:
            found = PARTS[view.part](campaign_ratings(db, campaign_id, options), options)
    print_agreement(found, options, view.form)


@click.group("agreement-by")
def agreement_by() -> None:
    """Report agreement by topic, with each machine, and of assessors with themselves."""


@campaign_command("topics", agreement_by)
@agreement_options(*_GRADES, "machines", "answers", "coefficient")
@data_options
def agreement_topics(at: ChosenCampaign, options: AgreementOptions, form: str) -> None:
    """Report the agreement of the assessors of CAMPAIGN on each topic, with intervals of its documents."""
    report = at.read(agreement_by_topic, options)
    if print_export(topics_export(report), form):
        return
    names = [one.name for one in topic_coefficients()]
    by = options.coefficient
    rows = []
    for line in report.lines:
        chosen = line.found.estimate(by)
        low, high = (chosen.interval.low, chosen.interval.high) if chosen.interval else (None, None)
        values = (one.value for one in line.found.estimates)
        rows.append(
            (line.topic, line.found.n, line.found.disputed, *values, low, high, chosen.found.undefined)
        )
    say_short(("topic", "n", "disputed", *names, f"{by} from", "to", "undefined"), rows)
    place = names.index(by)
    mean, together = report.means[place], report.together[place]
    click.echo(report.selection.sentence)
    if mean.value is not None and together.value is not None:
        click.echo(
            f"{by}: mean over {mean.topics} topics {mean.value:z.3f} ({mean.left_out} without a value), "
            f"all pairs together {together.value:z.3f}"
        )


@campaign_command("self", agreement_by)
@agreement_options(*_GRADES)
@data_options
def self_consistency(at: ChosenCampaign, options: AgreementOptions, form: str) -> None:
    """Report how consistent each assessor of CAMPAIGN is on repeats, and how accurate on known answers."""
    _print_table(repeats_export(at.read(consistency, options)), form)


@campaign_command("machines", agreement_by)
@agreement_options(*_GRADES, "answers")
@data_options
def agreement_machines(at: ChosenCampaign, options: AgreementOptions, form: str) -> None:
    """Report the agreement of each machine of CAMPAIGN with people and with their majority, without ties."""
    _print_table(machines_export(at.read(machines_against_people, options)), form)


def _print_table(export: Export, form: str) -> None:
    """Print a report, for people as a table up to what explains what is undefined."""
    if print_export(export, form):
        return
    # How the intervals were found stands in the forms for programs.
    shown = export.columns.index("would_define")
    say_short(export.columns[:shown], [row[:shown] for row in export.rows()], numeric_from=3)
