"""Adjudication in a terminal: disputed pairs, import and export of decisions, discussions."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import click

from workbench.cli.campaign.campaigns import FILES
from workbench.cli.database import ChosenCampaign, campaign_command
from workbench.cli.inputs import read_each
from workbench.cli.output import (
    JSON_OBJECT,
    OneOf,
    Texts,
    csv_flag,
    number_option,
    one_form,
    print_export,
    record_json,
    say_aside,
    say_list,
    say_table,
    setting,
    toggle,
)
from workbench.consensus.disputes import Difference
from workbench.formats.graded_pairs import read_decisions, write_decisions
from workbench.json_forms.filling import filled
from workbench.json_forms.rules import DisputeRulesJson
from workbench.scoring.own_measures import influence_measures
from workbench.workflow.adjudication.decision_files import decisions_made, import_decisions
from workbench.workflow.adjudication.disputes import dispute_queue
from workbench.workflow.adjudication.queue import COLUMNS, Order, State, queue_export
from workbench.workflow.adjudication.rules import adjudication_rules, save_adjudication_rules


@click.group("adjudication")
def adjudication() -> None:
    """List disputed pairs, their rules and the decisions on them, and import decisions."""


@campaign_command("disputes", adjudication)
@setting(
    "--order",
    type=OneOf(Order),
    default=Order.INFLUENCE.value,
    help="; ".join(f"{order.value}: {order.label}" for order in Order),
)
@click.option("--topic", help="Only pairs of this topic.")
@click.option("--state", type=OneOf(State), help="Only pairs in this state.")
@csv_flag(help="CSV with all columns.")
@JSON_OBJECT
@one_form
def disputes(
    at: ChosenCampaign,
    order: Order,
    topic: str | None,
    state: State | None,
    form: str,
) -> None:
    """List the disputed pairs of CAMPAIGN, those with the most influence on the ranking first."""
    with at.reading() as (db, campaign_id):
        # A command tells what is there now, however long that takes.
        found = dispute_queue(db, campaign_id, order=order, influence=True)
        lines = tuple(found.filtered(topic=topic, state=state))
    export = queue_export(found, lines, names=True)
    if not print_export(export, form):
        chosen = ("topic", "doc", "state", "answers", "distance", "swaps", "shift", "grade")
        places = [COLUMNS.index(name) for name in chosen]
        say_table(
            list(chosen),
            ([_cell(row[at]) for at in places] for row in export.rows()),
            numeric=[4, 5, 6, 7],
        )
        say_aside(f"{found.done} of {found.total} settled")


@campaign_command("rules", adjudication)
@click.option(
    "--difference",
    type=OneOf(Difference),
    help="; ".join(f"{one.value}: {one.label}" for one in Difference),
)
@number_option("--steps", help="For distance: the number of steps on the scale.")
@toggle(
    "--beside-grades/--no-beside-grades", help="Whether a grade against unsure or cannot judge is disputed."
)
@toggle("--machines/--no-machines", help="Whether machine judgments are counted.")
@toggle(
    "--hide-names/--show-names", "names_hidden", help="Whether adjudicators see A, B, C instead of names."
)
@toggle(
    "--blind/--in-turn",
    "blind_discussion",
    help="Whether new answers in a discussion are shown once all have answered, or as they come.",
)
@toggle(
    "--reasons/--no-reasons", "reasons_required", help="Whether an answer in a discussion needs a comment."
)
@click.option(
    "--measure", help=f"Measure of the influence on the ranking, such as {', '.join(influence_measures())}."
)
@JSON_OBJECT
def dispute_rules(at: ChosenCampaign, as_json: bool, **given: Any) -> None:
    """Show or change what counts as disputed in CAMPAIGN, and how it is discussed."""
    # Each option has the name of its setting.
    changes = {name: value for name, value in given.items() if value is not None}
    if changes:
        with at.writing() as (db, campaign_id):
            save_adjudication_rules(db, campaign_id, replace(adjudication_rules(db, campaign_id), **changes))
    now = filled(DisputeRulesJson, at.read(adjudication_rules))
    say_list(now, as_json, ["setting", "value"], now.items())


@campaign_command("decide", adjudication)
@FILES
@JSON_OBJECT
def adjudicate(at: ChosenCampaign, files: Texts, as_json: bool) -> None:
    """Import decisions on disputed pairs into CAMPAIGN.

    FILE is TSV with the header `topic doc grade reason`; the reason is optional. If one file is refused,
    nothing is imported; importing a file twice adds nothing. Earlier decisions stay in the history.
    """
    read = read_each(files, read_decisions)
    done = at.write(import_decisions, read)
    say_list(
        [record_json(one, source="file") for one in done],
        as_json,
        ["file", "decisions", "new", "undisputed", "given by nobody"],
        [(one.source, one.read, one.new, one.undisputed, one.ungiven) for one in done],
        numeric=[1, 2, 3],
    )


@campaign_command("decisions", adjudication)
def decisions(at: ChosenCampaign) -> None:
    """Print every adjudicated grade of CAMPAIGN, as the TSV that `decide` reads."""
    made = at.read(decisions_made)
    for line in write_decisions(made):
        sys.stdout.buffer.write(line)


def _cell(value: object) -> object:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else value
