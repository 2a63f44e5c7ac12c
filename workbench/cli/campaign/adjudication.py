"""Adjudication in a terminal: the disputed pairs, decisions in and out, discussions reported."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import click

from workbench.cli.campaign.collection import FILES, JSON
from workbench.cli.inputs import open_input
from workbench.cli.opening import database_options, opened
from workbench.cli.output import form_options, one_form, print_csv, print_export, say_json, say_table
from workbench.cli.rounds import say_rounds
from workbench.consensus.disputes import Difference
from workbench.formats.graded_pairs import read_decisions, write_decisions
from workbench.settings import Settings
from workbench.workflow.adjudication.decision_files import decisions_made, import_decisions
from workbench.workflow.adjudication.discussion_report import discussion_export
from workbench.workflow.adjudication.discussion_report import discussion_report as report_of
from workbench.workflow.adjudication.disputes import dispute_queue
from workbench.workflow.adjudication.queue import COLUMNS, Order, State, dispute_rows, queue_json
from workbench.workflow.adjudication.rules import adjudication_rules, save_adjudication_rules
from workbench.workflow.campaigns.campaigns import campaign_by_slug


@click.command("disputes")
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
    "--state", type=click.Choice([state.value for state in State]), help="Only pairs that stand there."
)
@click.option("--csv", "as_csv", is_flag=True, help="CSV with all columns.")
@JSON
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
    """List the disputed pairs of CAMPAIGN, those first that could move the ranking of runs most."""
    if as_csv and as_json:
        raise click.UsageError("--csv and --json exclude one another: drop one of them")
    with opened(settings) as database, database.reading() as db:
        found = dispute_queue(db, campaign_by_slug(db, campaign).id, order=Order(order), influence=True)
    lines = found.filtered(topic=topic, state=State(state) if state else None)
    if as_json:
        say_json(queue_json(found, lines, names=True))
    elif as_csv:
        print_csv(COLUMNS, dispute_rows(lines, names=True))
    else:
        chosen = ("topic", "doc", "state", "answers", "distance", "swaps", "shift", "grade")
        places = [COLUMNS.index(name) for name in chosen]
        say_table(
            list(chosen),
            ([_cell(row[at]) for at in places] for row in dispute_rows(lines, names=True)),
            numeric=[4, 5, 6, 7],
        )
        click.echo(f"{found.done} of {found.total} settled", err=True)


@click.command("dispute-rules")
@click.argument("campaign")
@click.option(
    "--difference",
    type=click.Choice([one.value for one in Difference]),
    help="; ".join(f"{one.value}: {one.label}" for one in Difference),
)
@click.option("--steps", type=click.IntRange(1), help="For distance: how many steps of the scale.")
@click.option(
    "--beside-grades/--no-beside-grades",
    default=None,
    help="Whether unsure or cannot judge beside a grade is disputed.",
)
@click.option("--machines/--no-machines", default=None, help="Whether machines have a voice.")
@click.option("--hide-names/--show-names", default=None, help="Whether assessors are A, B, C on the desk.")
@click.option("--measure", help="By which influence is reckoned: nDCG@100, nDCG, AP, RBP(p=0.8).")
@JSON
@database_options
def dispute_rules(
    settings: Settings,
    campaign: str,
    difference: str | None,
    steps: int | None,
    beside_grades: bool | None,
    machines: bool | None,
    hide_names: bool | None,
    measure: str | None,
    as_json: bool,
) -> None:
    """Show what counts as disputed in CAMPAIGN and how it is shown; options change it."""
    said: dict[str, Any] = {
        "difference": Difference(difference) if difference else None,
        "steps": steps,
        "beside_grades": beside_grades,
        "machines": machines,
        "names_hidden": hide_names,
        "measure": measure,
    }
    changes = {name: value for name, value in said.items() if value is not None}
    with opened(settings) as database:
        if changes:
            with database.writing() as db:
                found = campaign_by_slug(db, campaign).id
                before = adjudication_rules(db, found)
                save_adjudication_rules(db, found, replace(before, **changes))
        with database.reading() as db:
            rules = adjudication_rules(db, campaign_by_slug(db, campaign).id)
    now = {name: getattr(rules, name) for name in said} | {"difference": str(rules.difference)}
    if as_json:
        say_json(now)
    else:
        say_table(["setting", "value"], now.items())


@click.command("adjudicate")
@click.argument("campaign")
@FILES
@JSON
@database_options
def adjudicate(settings: Settings, campaign: str, files: tuple[str, ...], as_json: bool) -> None:
    """Import decisions on disputed pairs into CAMPAIGN.

    FILE is TSV with the header `topic doc grade reason`; the reason may lack. All files are kept, or, when
    one is refused, none; a file sent twice adds nothing. An earlier decision stays in the history.
    """
    done = []
    with opened(settings) as database, database.writing() as db:
        found = campaign_by_slug(db, campaign).id
        for name in files:
            with open_input(name) as (stream, source):
                read = read_decisions(stream, source=source)
            done.append(import_decisions(db, found, read, source=source))
    if as_json:
        say_json(
            [
                {"file": one.source, "read": one.read, "new": one.new, "undisputed": one.undisputed}
                for one in done
            ]
        )
    else:
        say_table(
            ["file", "decisions", "new", "undisputed"],
            [(one.source, one.read, one.new, one.undisputed) for one in done],
            numeric=[1, 2, 3],
        )


@click.command("decisions")
@click.argument("campaign")
@database_options
def decisions(settings: Settings, campaign: str) -> None:
    """Print every adjudicated grade of CAMPAIGN, as the TSV that `adjudicate` reads."""
    with opened(settings) as database, database.reading() as db:
        made = decisions_made(db, campaign_by_slug(db, campaign).id)
    for line in write_decisions(made):
        sys.stdout.buffer.write(line)


@click.command("discussion-report")
@click.argument("campaign")
@form_options
@database_options
def discussion_report(settings: Settings, campaign: str, as_json: bool, as_csv: bool, as_latex: bool) -> None:
    """Say how far the assessors of CAMPAIGN agreed before their discussions and after them.

    JSON has the same over only the pairs discussed too.
    """
    form = one_form(as_json=as_json, as_csv=as_csv, as_latex=as_latex)
    with opened(settings) as database, database.reading() as db:
        found = report_of(db, campaign_by_slug(db, campaign).id)
    if not print_export(discussion_export(found), form):
        say_rounds(found.everything)
        click.echo(f"{found.discussed} pairs discussed")


def _cell(value: object) -> object:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else value
