"""`workbench campaign run` and `records`: the records of runs, verdicts on them, replacing them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from workbench.cli.campaign.campaigns import JSON
from workbench.cli.database import database_options, open_database
from workbench.cli.inputs import open_input
from workbench.cli.output import say_json, say_table
from workbench.records import Verdict
from workbench.settings import Settings
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.people.groups import group_named
from workbench.workflow.runs import run_records
from workbench.workflow.runs.run_json import by_number, moment, run_json, run_record_json
from workbench.workflow.runs.run_metadata import COST_FIELDS, read_metadata
from workbench.workflow.runs.run_records import (
    campaign_run,
    run_record,
    runs_of,
)
from workbench.workflow.runs.store import remove_run, replace_run

CAMPAIGN = click.argument("campaign")
TAG = click.argument("tag")


@click.group("run")
def run() -> None:
    """Show, edit, accept, set aside, replace and remove the runs of a campaign."""


@run.command("list")
@CAMPAIGN
@click.option("--group", help="Only this group's.")
@click.option(
    "--verdict", type=click.Choice([verdict.value for verdict in Verdict]), help="Only with this verdict."
)
@JSON
@database_options
def list_(settings: Settings, campaign: str, group: str | None, verdict: str | None, as_json: bool) -> None:
    """List the runs of CAMPAIGN, by tag."""
    with open_database(settings) as database, database.reading() as db:
        found = campaign_by_slug(db, campaign)
        ids = None if group is None else [group_named(db, found.id, group)]
        runs = [r for r in runs_of(db, found.id, group_ids=ids) if verdict is None or r.verdict == verdict]
    if as_json:
        say_json([run_json(one) for one in runs])
        return
    say_table(
        ["run", "group", "kind", "priority", "verdict", "topics", "lines", "warnings", "pools"],
        [
            (
                r.tag,
                r.group or "-",
                r.metadata.kind or "-",
                r.metadata.priority or "-",
                r.verdict.words,
                r.topics,
                r.lines,
                len(r.warnings),
                len(r.pools),
            )
            for r in runs
        ],
        numeric=[3, 5, 6, 7, 8],
    )


@run.command("show")
@CAMPAIGN
@TAG
@JSON
@database_options
def show(settings: Settings, campaign: str, tag: str, as_json: bool) -> None:
    """Show everything about the run TAG of CAMPAIGN, with its earlier versions."""
    with open_database(settings) as database, database.reading() as db:
        record = run_record(db, campaign_by_slug(db, campaign).id, tag)
    if as_json:
        say_json(run_record_json(record))
        return
    facts = {name: value for name, value in run_json(record.run).items() if name != "warnings"}
    facts["bytes"] = record.size
    facts["pools"] = ", ".join(
        p.name + (" (earlier version)" if p.earlier else "") for p in by_number(record.run)
    )
    say_table(["", tag], [(name, "-" if value in (None, "") else value) for name, value in facts.items()])
    if record.run.warnings:
        click.echo()
        say_table(["line", "warning"], [(w.line or "-", w.message) for w in record.run.warnings])
    if record.versions:
        click.echo()
        say_table(
            ["earlier version", "sent", "replaced", "lines"],
            [
                (v.sha256, moment(v.added_at), moment(v.replaced_at or v.added_at), v.lines)
                for v in record.versions
            ],
            numeric=[3],
        )


@run.command("edit")
@CAMPAIGN
@TAG
@click.option("--group", help="The group that submitted it; empty for none.")
@click.option("--kind", help="automatic or manual; empty to clear.")
@click.option("--description", help="How it was made.")
@click.option("--priority", help="1 is pooled first; empty to clear.")
@click.option("--seconds-per-query", help="Mean seconds that it takes to answer a topic; empty to clear.")
@click.option("--index-bytes", help="Size of its index in bytes; empty to clear.")
@database_options
def edit(settings: Settings, campaign: str, tag: str, **typed: str | None) -> None:
    """Change the metadata of the run TAG of CAMPAIGN; fields without an option stay."""
    new = read_metadata({name: text or "" for name, text in typed.items()}, source=tag)
    values = {"kind": new.kind, "description": new.description, "priority": new.priority}
    with open_database(settings) as database, database.writing() as db:
        found = campaign_by_slug(db, campaign)
        changes: dict[str, Any] = {name: v for name, v in values.items() if typed[name] is not None}
        if typed["group"] is not None:
            changes["group_id"] = group_named(db, found.id, typed["group"]) if typed["group"] else None
        before = campaign_run(db, found.id, tag).metadata
        costs = {name: getattr(new.cost, name) for name in COST_FIELDS if typed[name] is not None}
        metadata = replace(before, **changes, cost=replace(before.cost, **costs))
        run_records.change_metadata(db, found.id, tag, metadata)
    click.echo(f"run {tag} is saved")


@run.command("accept")
@CAMPAIGN
@click.argument("tags", nargs=-1, required=True, metavar="TAG...")
@database_options
def accept(settings: Settings, campaign: str, tags: tuple[str, ...]) -> None:
    """Accept runs of CAMPAIGN, so that new pools include them."""
    _judge(settings, campaign, tags, Verdict.ACCEPTED)


@run.command("set-aside")
@CAMPAIGN
@click.argument("tags", nargs=-1, required=True, metavar="TAG...")
@click.option("--reason", required=True, help="Why; the group reads it.")
@database_options
def set_aside(settings: Settings, campaign: str, tags: tuple[str, ...], reason: str) -> None:
    """Set runs of CAMPAIGN aside: new pools leave them out unless they are named."""
    _judge(settings, campaign, tags, Verdict.SET_ASIDE, reason)


@run.command("replace")
@CAMPAIGN
@TAG
@click.argument("file")
@database_options
def replace_(settings: Settings, campaign: str, tag: str, file: str) -> None:
    """Replace the run TAG of CAMPAIGN by FILE; the earlier version is kept."""
    with open_database(settings) as database, database.writing() as db, open_input(file) as (stream, source):
        done = replace_run(db, campaign_by_slug(db, campaign).id, tag, (source, stream))
    click.echo(f"{tag} is replaced: {done.topics} topics, {done.lines} lines, {done.sha256}")


@run.command("remove")
@CAMPAIGN
@TAG
@database_options
def remove(settings: Settings, campaign: str, tag: str) -> None:
    """Remove the run TAG of CAMPAIGN with all its versions, if it is in no pool."""
    with open_database(settings) as database, database.writing() as db:
        remove_run(db, campaign_by_slug(db, campaign).id, tag)
    click.echo(f"{tag} is removed")


def _judge(
    settings: Settings, campaign: str, tags: tuple[str, ...], verdict: Verdict, reason: str = ""
) -> None:
    with open_database(settings) as database, database.writing() as db:
        found = campaign_by_slug(db, campaign)
        changed = run_records.give_verdict(db, found.id, tags, verdict, reason=reason, by=None)
    click.echo(f"{changed} of {len(tags)} newly {verdict.words}")
