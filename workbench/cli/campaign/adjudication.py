"""Adjudication in a terminal: disputed pairs, import and export of decisions, discussions."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import click

from workbench.cli.campaign.campaigns import FILES
from workbench.cli.database import database_options, open_database, reading, writing_to
from workbench.cli.inputs import read_each
from workbench.cli.output import JSON_OBJECT, print_export, say_json, say_table
from workbench.consensus.disputes import Difference
from workbench.formats.graded_pairs import read_decisions, write_decisions
from workbench.scoring.own_measures import influence_measures
from workbench.settings import Settings
from workbench.workflow.adjudication.decision_files import decisions_made, import_decisions
from workbench.workflow.adjudication.disputes import dispute_queue
from workbench.workflow.adjudication.queue import COLUMNS, Order, State, queue_export
from workbench.workflow.adjudication.rules import adjudication_rules, save_adjudication_rules
from workbench.workflow.campaigns.campaigns import campaign_by_slug


@click.group("adjudication")
def adjudication() -> None:
    """List disputed pairs, their rules and the decisions on them, and import decisions."""


@adjudication.command("disputes")
@click.argument("campaign")
@click.option(
    "--order",
    type=click.Choice([order.value for order in Order]),
    default=Order.INFLUENCE.value,
    show_default=True,
    help="; ".join(f"{order.value}: {order.label}" for order in Order),
)
@click.option("--topic", help="Only pairs of this topic.")
@click.option(
    "--state", type=click.Choice([state.value for state in State]), help="Only pairs in this state."
)
@click.option("--csv", "as_csv", is_flag=True, help="CSV with all columns.")
@JSON_OBJECT
@database_options
def disputes(
    settings: Settings,
    campaign: str,
    order: str,
    topic: str | None,
    state: str | None,
    as_csv: bool,
    as_json: bool,
) -> None:
    """List the disputed pairs of CAMPAIGN, those with the most influence on the ranking first."""
    if as_csv and as_json:
        raise click.UsageError("--csv and --json exclude one another: drop one of them")
    with reading(settings) as db:
        number = campaign_by_slug(db, campaign).id
        # A command tells what is there now, however long that takes.
        found = dispute_queue(db, number, order=Order(order), influence=True)
        lines = tuple(found.filtered(topic=topic, state=State(state) if state else None))
    export = queue_export(found, lines, names=True)
    if not print_export(export, "json" if as_json else "csv" if as_csv else "text"):
        chosen = ("topic", "doc", "state", "answers", "distance", "swaps", "shift", "grade")
        places = [COLUMNS.index(name) for name in chosen]
        say_table(
            list(chosen),
            ([_cell(row[at]) for at in places] for row in export.rows()),
            numeric=[4, 5, 6, 7],
        )
        click.echo(f"{found.done} of {found.total} settled", err=True)


RULES = (
    "difference", "steps", "beside_grades", "machines", "names_hidden", "blind_discussion",
    "reasons_required", "measure",
)  # fmt: skip
"""The settings in the order in which they are printed."""


@adjudication.command("rules")
@click.argument("campaign")
@click.option(
    "--difference",
    type=click.Choice([one.value for one in Difference]),
    help="; ".join(f"{one.value}: {one.label}" for one in Difference),
)
@click.option("--steps", type=click.IntRange(1), help="For distance: the number of steps on the scale.")
@click.option(
    "--beside-grades/--no-beside-grades",
    default=None,
    help="Whether a grade against unsure or cannot judge is disputed.",
)
@click.option("--machines/--no-machines", default=None, help="Whether machine judgments are counted.")
@click.option(
    "--hide-names/--show-names",
    "names_hidden",
    default=None,
    help="Whether adjudicators see A, B, C instead of names.",
)
@click.option(
    "--blind/--in-turn",
    "blind_discussion",
    default=None,
    help="Whether new answers in a discussion are shown once all have answered, or as they come.",
)
@click.option(
    "--reasons/--no-reasons",
    "reasons_required",
    default=None,
    help="Whether an answer in a discussion needs a comment.",
)
@click.option(
    "--measure", help=f"Measure of the influence on the ranking, such as {', '.join(influence_measures())}."
)
@JSON_OBJECT
@database_options
def dispute_rules(settings: Settings, campaign: str, as_json: bool, **given: Any) -> None:
    """Show or change what counts as disputed in CAMPAIGN, and how it is discussed."""
    # Each option has the name of its setting.
    changes = {name: value for name, value in given.items() if value is not None}
    if "difference" in changes:
        changes["difference"] = Difference(changes["difference"])
    with open_database(settings) as database:
        if changes:
            with database.writing() as db:
                found = campaign_by_slug(db, campaign).id
                before = adjudication_rules(db, found)
                save_adjudication_rules(db, found, replace(before, **changes))
        with database.reading() as db:
            rules = adjudication_rules(db, campaign_by_slug(db, campaign).id)
    now = {name: getattr(rules, name) for name in RULES} | {"difference": str(rules.difference)}
    if as_json:
        say_json(now)
    else:
        say_table(["setting", "value"], now.items())


@adjudication.command("decide")
@click.argument("campaign")
@FILES
@JSON_OBJECT
@database_options
def adjudicate(settings: Settings, campaign: str, files: tuple[str, ...], as_json: bool) -> None:
    """Import decisions on disputed pairs into CAMPAIGN.

    FILE is TSV with the header `topic doc grade reason`; the reason is optional. If one file is refused,
    nothing is imported; importing a file twice adds nothing. Earlier decisions stay in the history.
    """
    read = read_each(files, lambda stream, source: read_decisions(stream, source=source))
    with open_database(settings) as database, writing_to(database, campaign) as db:
        done = import_decisions(db, campaign_by_slug(db, campaign).id, read)
    if as_json:
        say_json(
            [
                {
                    "file": one.source,
                    "read": one.read,
                    "new": one.new,
                    "undisputed": one.undisputed,
                    "ungiven": one.ungiven,
                }
                for one in done
            ]
        )
    else:
        say_table(
            ["file", "decisions", "new", "undisputed", "given by nobody"],
            [(one.source, one.read, one.new, one.undisputed, one.ungiven) for one in done],
            numeric=[1, 2, 3],
        )


@adjudication.command("decisions")
@click.argument("campaign")
@database_options
def decisions(settings: Settings, campaign: str) -> None:
    """Print every adjudicated grade of CAMPAIGN, as the TSV that `decide` reads."""
    with reading(settings) as db:
        made = decisions_made(db, campaign_by_slug(db, campaign).id)
    for line in write_decisions(made):
        sys.stdout.buffer.write(line)


def _cell(value: object) -> object:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else value
