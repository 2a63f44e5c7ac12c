"""The pools of a campaign: created, listed, and taken from draft to closed."""

from __future__ import annotations

import click

from workbench.cli.database import database_options, open_database
from workbench.cli.output import say_json, say_table
from workbench.errors import Conflict
from workbench.settings import Settings
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.pools import drafts
from workbench.workflow.pools.drafts import BeforeClosing, BeforeOpening
from workbench.workflow.pools.listing import pool_summary, pools_of
from workbench.workflow.pools.pool_json import pool_json
from workbench.workflow.pools.pool_rows import PoolState
from workbench.workflow.pools.portions import open_in_portions, rebuild_in_portions, remove_leftovers

CAMPAIGN = click.argument("campaign")
POOL = click.argument("pool_name", metavar="POOL")
YES = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")


@click.command("pools")
@CAMPAIGN
@click.option("--json", "as_json", is_flag=True, help="One JSON array.")
@database_options
def pools(settings: Settings, campaign: str, as_json: bool) -> None:
    """List the pools of CAMPAIGN, drafts too, oldest first."""
    with open_database(settings) as database, database.reading() as db:
        lines = pools_of(db, campaign_by_slug(db, campaign).id)
    if as_json:
        say_json([pool_json(line) for line in lines])
        return
    say_table(
        ["pool", "state", "recipe", "runs", "pairs", "added by hand"],
        [(one.name, one.state, one.recipe, len(one.tags), one.pairs, one.added) for one in lines],
        numeric=[3, 4, 5],
    )


@click.group("draft")
def draft() -> None:
    """Rename, rebuild, delete and open pools that are drafts."""


@draft.command("open")
@CAMPAIGN
@POOL
@YES
@database_options
def pool_open(settings: Settings, campaign: str, pool_name: str, yes: bool) -> None:
    """Open the draft POOL of CAMPAIGN for judging."""
    with open_database(settings) as database:
        with database.reading() as db:
            campaign_id = campaign_by_slug(db, campaign).id
            if pool_summary(db, campaign_id, pool_name).open:
                click.echo(f"{pool_name} is already open")
                return
            found = drafts.before_opening(db, campaign_id, pool_name)
        _say_opening(found)
        if not yes:
            click.confirm(f"Open {pool_name} for judging?", abort=True, err=True)
        open_in_portions(database, campaign_id, pool_name, seen=found.sha256)
    click.echo(f"{pool_name} is open for judging: {found.pool.pairs} pairs")


@click.command("pool-close")
@CAMPAIGN
@POOL
@YES
@database_options
def pool_close(settings: Settings, campaign: str, pool_name: str, yes: bool) -> None:
    """Close POOL of CAMPAIGN permanently: it accepts no more judgments, assignments or documents."""
    with open_database(settings) as database:
        with database.reading() as db:
            campaign_id = campaign_by_slug(db, campaign).id
            found = drafts.before_closing(db, campaign_id, pool_name)
        if found.pool.closed:
            click.echo(f"{pool_name} is already closed")
            return
        _say_closing(found)
        if not yes:
            click.confirm(f"Close {pool_name} permanently?", abort=True, err=True)
        with database.writing() as db:
            drafts.close_pool(db, campaign_id, pool_name)
    click.echo(f"{pool_name} is closed")


@draft.command("rename")
@CAMPAIGN
@POOL
@click.argument("new_name", metavar="NAME")
@database_options
def pool_rename(settings: Settings, campaign: str, pool_name: str, new_name: str) -> None:
    """Rename the draft POOL of CAMPAIGN to NAME."""
    with open_database(settings) as database, database.writing() as db:
        drafts.rename_draft(db, campaign_by_slug(db, campaign).id, pool_name, new_name)
    click.echo(f"{pool_name} is now named {' '.join(new_name.split())}")


@draft.command("rebuild")
@CAMPAIGN
@POOL
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@database_options
def pool_rebuild(settings: Settings, campaign: str, pool_name: str, as_json: bool) -> None:
    """Rebuild the draft POOL of CAMPAIGN by its recipe, from the current runs.

    Documents added by hand are kept. Runs that were replaced or removed since are listed.
    """
    with open_database(settings) as database:
        with database.reading() as db:
            campaign_id = campaign_by_slug(db, campaign).id
            changed = drafts.changed_runs(db, campaign_id, pool_name)
        done = rebuild_in_portions(database, campaign_id, pool_name)
    if as_json:
        say_json(
            {
                "name": pool_name,
                "pairs": done.pool.pool.pairs,
                "entered": done.entered,
                "left": done.left,
                "added_by_hand": done.kept,
                "changed_runs": [
                    {"tag": one.tag, "sha256": one.sha256, "sha256_now": one.sha256_now} for one in changed
                ],
            }
        )
        return
    for one in changed:
        now = "was removed" if one.sha256_now is None else f"was replaced: {one.sha256_now[:8]}"
        click.echo(f"run {one.tag} {one.sha256[:8]} {now}", err=True)
    click.echo(
        f"{pool_name}: {done.pool.pool.pairs} pairs, {done.entered} added, {done.left} removed, "
        f"{done.kept} added by hand kept"
    )


@draft.command("delete")
@CAMPAIGN
@POOL
@YES
@database_options
def pool_delete(settings: Settings, campaign: str, pool_name: str, yes: bool) -> None:
    """Delete the draft POOL of CAMPAIGN, with the documents added to it by hand."""
    with open_database(settings) as database:
        with database.reading() as db:
            campaign_id = campaign_by_slug(db, campaign).id
            line = pool_summary(db, campaign_id, pool_name)
        if line.state is not PoolState.DRAFT:
            raise Conflict(f"pool {pool_name!r} is {line.state}", remedy="only a draft can be deleted")
        if not yes:
            question = f"Delete {pool_name} with its {line.pairs} pairs, {line.added} added by hand?"
            click.confirm(question, abort=True, err=True)
        with database.writing() as db:
            drafts.delete_draft(db, campaign_id, pool_name)
        remove_leftovers(database)
    click.echo(f"{pool_name} is deleted")


def _say_opening(found: BeforeOpening) -> None:
    hours = f", {found.hours:.1f} hours for one assessor ({found.pace.in_words})"
    click.echo(f"{found.pool.pairs} pairs in {found.topics} topics{hours}", err=True)
    if found.judged:
        click.echo(f"{found.judged} of its pairs are already judged", err=True)
    for shared in found.shared:
        click.echo(f"{shared.pairs} of its pairs are in {shared.pool} ({shared.state})", err=True)
    if found.without_text:
        click.echo(f"{found.without_text} of its documents have no text yet", err=True)
    for run in found.changed:
        happened = "was removed" if run.sha256_now is None else "was replaced"
        click.echo(f"run {run.tag} {happened} since: run draft rebuild", err=True)


def _say_closing(found: BeforeClosing) -> None:
    click.echo(
        f"{found.judged} of {found.pool.pairs} pairs are judged; {found.assignments} active assignments",
        err=True,
    )
