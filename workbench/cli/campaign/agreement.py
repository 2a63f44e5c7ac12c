"""The agreement of a campaign's assessors: the report, by topic, self-consistency, machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

from workbench.agreement.options import AgreementOptions
from workbench.agreement.topics import topic_coefficients
from workbench.cli.agree import PARTS, View, agreement_options, report_options
from workbench.cli.agreement_output import print_agreement
from workbench.cli.database import database_options, reading
from workbench.cli.output import data_options, print_export, say_short
from workbench.settings import Settings
from workbench.storage import Session
from workbench.tables import Export
from workbench.workflow.agreement.export import machines_export, repeats_export, topics_export
from workbench.workflow.agreement.machines import machines_against_people
from workbench.workflow.agreement.report import campaign_pair
from workbench.workflow.agreement.selection import campaign_ratings
from workbench.workflow.agreement.self_consistency import consistency
from workbench.workflow.agreement.topics import agreement_by_topic
from workbench.workflow.campaigns.campaigns import campaign_by_slug

if TYPE_CHECKING:
    from workbench.cli.agreement_output import Result

Report = TypeVar("Report")
_GRADES = ("relevant_from", "graded")


@click.command("agreement")
@click.argument("campaign")
@report_options("answers")
@database_options
def agreement(settings: Settings, campaign: str, options: AgreementOptions, view: View) -> None:
    """Report the agreement of the assessors of CAMPAIGN: overall, by pair, by grade, and their leniency."""
    with reading(settings) as db:
        number = campaign_by_slug(db, campaign).id
        if view.part == "pair":
            first, second = view.pair
            found: Result = campaign_pair(db, number, options, first=first, second=second)
        else:
            found = PARTS[view.part](campaign_ratings(db, number, options), options)
    print_agreement(found, options, view.form)


@click.group("agreement-by")
def agreement_by() -> None:
    """Report agreement by topic, with each machine, and of assessors with themselves."""


@agreement_by.command("topics")
@click.argument("campaign")
@agreement_options(*_GRADES, "machines", "answers", "coefficient")
@data_options
@database_options
def agreement_topics(settings: Settings, campaign: str, options: AgreementOptions, form: str) -> None:
    """Report the agreement of the assessors of CAMPAIGN on each topic, with intervals of its documents."""
    report = _report(settings, campaign, options, agreement_by_topic)
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
    at = names.index(by)
    mean, together = report.means[at], report.together[at]
    click.echo(report.selection.sentence)
    if mean.value is not None and together.value is not None:
        click.echo(
            f"{by}: mean over {mean.topics} topics {mean.value:z.3f} ({mean.left_out} without a value), "
            f"all pairs together {together.value:z.3f}"
        )


@agreement_by.command("self")
@click.argument("campaign")
@agreement_options(*_GRADES)
@data_options
@database_options
def self_consistency(settings: Settings, campaign: str, options: AgreementOptions, form: str) -> None:
    """Report how consistent each assessor of CAMPAIGN is on repeats, and how accurate on known answers."""
    _print_table(repeats_export(_report(settings, campaign, options, consistency)), form)


@agreement_by.command("machines")
@click.argument("campaign")
@agreement_options(*_GRADES, "answers")
@data_options
@database_options
def agreement_machines(settings: Settings, campaign: str, options: AgreementOptions, form: str) -> None:
    """Report the agreement of each machine of CAMPAIGN with people and with their majority, without ties."""
    _print_table(machines_export(_report(settings, campaign, options, machines_against_people)), form)


def _report(
    settings: Settings,
    campaign: str,
    options: AgreementOptions,
    use_case: Callable[[Session, int, AgreementOptions], Report],
) -> Report:
    with reading(settings) as db:
        return use_case(db, campaign_by_slug(db, campaign).id, options)


def _print_table(export: Export, form: str) -> None:
    """Print a report, for people as a table up to what explains what is undefined."""
    if print_export(export, form):
        return
    # How the intervals were found stands in the forms for programs.
    shown = export.columns.index("would_define")
    say_short(export.columns[:shown], [row[:shown] for row in export.rows()], numeric_from=3)
